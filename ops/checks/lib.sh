# What the checks share; sourced by them. They want a build: mvn -B verify, or package, leaves what is needed in target/.
set -euo pipefail

# own_mounts ARGUMENT...   goes on in a mount namespace of its own. Else a service, or a container, that starts meanwhile gets a copy of
# the mounts there are, and a filesystem that was shut down and unmounted here lives on there, and is found again by the next mount.
own_mounts() {
  [[ -z ${OWN_MOUNTS:-} ]] || return 0
  rmdir "$work"
  OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"
}

# copy_system   sets system: the root of a copy of this system (an overlay) to install and run things in; it goes with the check. After own_mounts.
copy_system() {
  mounted=$work/layers
  mkdir "$mounted"
  mount -t tmpfs tmpfs "$mounted"
  mkdir "$mounted/upper" "$mounted/work" "$mounted/system"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$mounted/upper,workdir=$mounted/work" "$mounted/system"
  system=$mounted/system
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jar=$root/target/kaka.jar
[[ -f $jar && -d $root/target/test-classes/kaka/checks ]] || { echo "build first: mvn -B package" >&2; exit 2; }

export KAKA_ADMIN_PORT=off # checks run beside each other; one that looks at metrics asks for a port
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
broker_program=(-jar "$jar") # what start_broker runs
under=() # and what it is run under
work=$(mktemp -d)
broker=
address=
port=0 # that start_broker takes; 0: any

# put_down PROCESS...   kill -9 of each that there is; -PROCESS is a process group. Returns when they have ended, and bash tells nothing of them ("Killed").
put_down() {
  kill -9 -- "$@" 2> /dev/null || true
  wait "${@#-}" 2> /dev/null || true
}

finish() {
  [[ -z $broker ]] || put_down "$broker"
  [[ -z ${load_pid:-} ]] || put_down "$load_pid"
  if [[ -n ${mounted:-} ]]; then
    umount "$mounted" 2> /dev/null || umount -l "$mounted" 2> /dev/null || true
  fi
  rm -rf "$work"
}
trap finish EXIT

# start_broker DIRECTORY [JVM OPTION | FLAG]...   returns when it is ready; sets broker (pid) and address (host port)
start_broker() {
  local directory=$1 option jvm=() flags=()
  shift
  for option in "$@"; do
    if [[ $option == -[DX]* ]]; then jvm+=("$option"); else flags+=("$option"); fi
  done
  rm -f "$work/broker.out" # or the last broker's ready line would be taken for this one's
  "${under[@]}" "$java" "${jvm[@]}" "${broker_program[@]}" serve --port "$port" --dir "$directory" "${flags[@]}" > "$work/broker.out" 2> "$work/broker.err" &
  broker=$!
  until grep -qs '^kaka ready ' "$work/broker.out"; do
    if ! kill -0 "$broker" 2> /dev/null; then
      echo "the broker did not start:" >&2
      cat "$work/broker.out" "$work/broker.err" >&2
      return 1
    fi
    sleep 0.1
  done
  address=$(sed -n 's/^kaka ready listen=\([^ ]*\):\([0-9]*\) .*/\1 \2/p' "$work/broker.out")
}

stop_broker() { # SIGTERM; its exit code
  kill "$broker"
  local code=0
  wait "$broker" || code=$?
  broker=
  return "$code"
}

kill_broker() { # -9
  put_down "$broker"
  broker=
}

# ack_check flood|verify ...   with the address put in; see kaka.checks.AckCheck
ack_check() {
  local mode=$1
  shift
  # shellcheck disable=SC2086 # address is host and port
  "$java" -cp "$root/target/test-classes:$jar" kaka.checks.AckCheck "$mode" $address "$@"
}

# random_seconds LEAST MOST
random_seconds() {
  awk -v least="$1" -v most="$2" -v r="$RANDOM" 'BEGIN { printf "%.2f", least + (most - least) * r / 32767 }'
}

# What the running broker takes. The first two look at what is alive after a full collection.
live_bytes() { jcmd "$broker" GC.class_histogram | awk '/^Total/ { print $3 }'; }
live_objects() { jcmd "$broker" GC.class_histogram | awk -v class="$1" '$4 == class { n = $2 } END { print n + 0 }'; } # CLASS
rss_kib() { awk '/^VmRSS/ { print $2 }' "/proc/$broker/status"; }
thread_count() { awk '/^Threads/ { print $2 }' "/proc/$broker/status"; }
descriptor_count() { find "/proc/$broker/fd" -mindepth 1 2> /dev/null | wc -l; }
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$broker/stat"; } # hundredths of a second

# check WHAT CONDITION...   says what failed, and that the check has failed
failed=0
check() {
  local what=$1
  shift
  if ((${*})); then echo "ok: $what"; else echo "FAILED: $what ($*)"; failed=1; fi
}

# test_java CLASS ARGUMENT...   a program of the checks
test_java() { "$java" -cp "$root/target/test-classes:$jar" "$@"; }
