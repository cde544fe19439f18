#!/usr/bin/env bash
# Starts the broker on data directories that are not as they should be, each in a fresh copy. Where it must refuse: exit code 1, one
# line on stderr that names what is wrong, no stack trace, and nothing below the directory touched (names, kinds, sizes, bytes,
# times of change). Where it must start: it serves the other partitions, leaves alone what is not its own, and ends with 0.
#   ops/checks/directory.sh      a line for each case; exit 0 if all are as they must be. As root it also tries what permissions
#                                and read-only filesystems do, as another user; else permissions only
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
first=00000000000000000000.log
data=$work/case/data
failures=0
as=() # what runs the broker as somebody else
chmod 755 "$work"

tree() { # all below the case's directory, as it is
  (cd "$work/case" && find . -printf '%p %y %s %T@ %m %U %l\n' | sort && find . -type f -print0 | sort -z | xargs -0 -r sha256sum)
}
fresh() { # a directory that was killed: two partitions of orders, several segments each
  chmod -R u+rwX "$work/case" 2> /dev/null || true
  rm -rf "$work/case"
  mkdir "$work/case"
  cp -a "$work/original" "$data"
}
report() { # RESULT CASE [DETAIL]
  local detail=${3:-}
  printf '%-4s %-58s %s\n' "$1" "$2" "${detail//$work\/case/...}"
  [[ $1 == ok ]] || failures=$((failures + 1))
}

# refused CASE PATTERN [FLAG]...   on $data, whose line must match
refused() {
  local case=$1 pattern=$2 code=0 before
  shift 2
  before=$(tree)
  (cd "$work" && timeout 60 "${as[@]}" "$java" -jar "$jar" serve --port 0 --dir "$data" "$@") > "$work/out" 2> "$work/err" || code=$?
  local line
  line=$(cat "$work/err")
  if [[ $code != 1 ]]; then report BAD "$case" "exit code $code: $line"
  elif [[ $(wc -l < "$work/err") != 1 || $line != "kaka: "* ]]; then report BAD "$case" "not one line: $line"
  elif [[ ! $line =~ $pattern ]]; then report BAD "$case" "does not say it: $line"
  elif [[ -s $work/out ]]; then report BAD "$case" "says on stdout: $(cat "$work/out")"
  elif [[ $(tree) != "$before" ]]; then report BAD "$case" "touched: $(diff <(echo "$before") <(tree) | head -3)"
  else report ok "$case" "$line"; fi
}

# served CASE FAILING PATTERN PATH...   FAILING is the partition that may not open, or -; the PATHs must stay as they are
served() {
  local case=$1 failing=$2 pattern=$3 before after lines code=0 problem=
  shift 3
  before=$(cd "$data" && find "$@" -printf '%p %y %s %T@ %l\n' | sort; cd "$data" && find "$@" -type f -exec sha256sum {} + | sort)
  if ! start_broker "$data" 2> "$work/start.err"; then report BAD "$case" "does not start: $(cat "$work/start.err")"; broker=; return; fi
  for partition in 0 1; do
    lines=$("$java" -jar "$jar" consume orders --partition "$partition" --from earliest --broker "${address/ /:}" 2> /dev/null | wc -l) || true
    if [[ $failing != "orders-$partition" && $lines != 40 ]]; then problem="partition $partition has $lines of 40 records"; fi
  done
  stop_broker || code=$?
  after=$(cd "$data" && find "$@" -printf '%p %y %s %T@ %l\n' | sort; cd "$data" && find "$@" -type f -exec sha256sum {} + | sort)
  lines=$(grep -c . "$work/broker.err" || true)
  if [[ -n $problem ]]; then report BAD "$case" "$problem"
  elif [[ $code != 0 ]]; then report BAD "$case" "ended with $code"
  elif [[ $after != "$before" ]]; then report BAD "$case" "touched: $(diff <(echo "$before") <(echo "$after") | head -3)"
  elif [[ $failing == - && $(grep -Ec ' (ERROR|WARN) ' "$work/broker.err") != 0 ]]; then report BAD "$case" "says: $(cat "$work/broker.err")"
  elif [[ $failing != - && $(grep -Ec ' (ERROR|WARN) ' "$work/broker.err") != 1 ]]; then report BAD "$case" "not one line: $(cat "$work/broker.err")"
  elif grep -q '^[[:space:]]at ' "$work/broker.err"; then report BAD "$case" "a stack trace: $(head -3 "$work/broker.err")"
  elif [[ $failing != - ]] && ! grep -Eq "$pattern" "$work/broker.err"; then report BAD "$case" "does not say it: $(cat "$work/broker.err")"
  else report ok "$case" "$(grep -Eo "partition failed to open .*" "$work/broker.err" || true)"; fi
}

start_broker "$work/original"
"$java" -jar "$jar" topic create orders --partitions 2 --set segment.bytes=4096 --broker "${address/ /:}" > /dev/null
for partition in 0 1; do
  for ((i = 0; i < 4; i++)); do # a batch each, larger than a segment
    for ((j = 0; j < 10; j++)); do printf 'record %s%s of %s %0500d\n' "$i" "$j" "$partition" 0; done |
      "$java" -jar "$jar" produce orders --partition "$partition" --broker "${address/ /:}" 2> /dev/null
  done
done
kill_broker
[[ $(find "$work/original" -path '*/orders-?/*.log' | wc -l) == 8 ]]

echo "== refused, nothing touched"
fresh; mv "$data" "$work/case/moved"; echo mine > "$data"
refused "a file in place of the directory" 'is not a directory$'
data=$data/below; refused "a directory below a file" 'is in the way$'; data=${data%/below}
fresh; mv "$data" "$work/case/moved"; ln -s /nowhere/disk "$data"
refused "a link to nothing in place of the directory" 'a symbolic link to /nowhere/disk, where there is nothing$'
data=$data/below; refused "a directory below a link to nothing" 'a symbolic link to /nowhere/disk'; data=${data%/below}
fresh; rm "$data/kaka.lock"; mkdir "$data/kaka.lock"
refused "a directory in place of the lock" 'kaka.lock is not a file$'
fresh; ln -sf /nowhere/lock "$data/kaka.lock"
refused "a link to nothing in place of the lock" 'kaka.lock: a symbolic link to /nowhere/lock'
fresh; rm "$data/kaka.properties"; mkdir "$data/kaka.properties"
refused "a directory in place of kaka.properties" 'kaka.properties is not a file$'
fresh; rm "$data/kaka.properties"; mkfifo "$data/kaka.properties"
refused "a pipe in place of kaka.properties" 'kaka.properties is not a file$'
fresh; ln -sf /nowhere/p "$data/kaka.properties"
refused "a link to nothing in place of kaka.properties" 'kaka.properties: a symbolic link to /nowhere/p'
fresh; echo 'server.port=80' | tee "$data/kaka.properties" > "$data/kaka.properties.copy"
refused "kaka.properties and its copy of another program" 'kaka.properties is damaged at byte 0: .*printf '
fresh; printf 'format.version=1\nbroker.id=00000000-0000-0000-0000-000000000001\n' > "$data/kaka.properties"
refused "kaka.properties of another broker" 'delete the one that does not belong'
fresh; printf 'format.version=2\nbroker.id=00000000-0000-0000-0000-000000000001\n' > "$data/kaka.properties"
refused "a newer format" 'has format.version=2, this kaka knows up to 1: use a newer one$'
fresh; mv "$data/__topics-0" "$work/case/moved"; echo mine > "$data/__topics-0"
refused "a file in place of the log of topics" '__topics-0 is not a directory$'
fresh; mv "$data/__topics-0" "$work/case/moved"; ln -s /nowhere/t "$data/__topics-0"
refused "a link to nothing in place of the log of topics" '__topics-0: a symbolic link to /nowhere/t'
fresh; start_broker "$data"
refused "a second broker" "kaka.lock is held by pid $broker\$"
kill_broker

if [[ $EUID == 0 ]]; then
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  cp "$jar" "$work/kaka.jar"
  jar=$work/kaka.jar # where anybody may read it
  who="as another user, "
else
  who=
fi
mine() { [[ $EUID != 0 ]] || chown -R 65534:65534 "$work/case"; }
if [[ $EUID == 0 ]]; then
  fresh; refused "${who}a directory of root's" "permission denied on .*/data for "
fi
fresh; mine; chmod 555 "$data"
refused "${who}a read-only directory" "permission denied on .*/data for "
fresh; mine; chmod 000 "$data"
as_tree=$(declare -f tree); [[ $EUID == 0 ]] || tree() { stat -c '%n %F %a' "$data"; }
refused "${who}a directory without any permission" "permission denied on .*/data"
eval "$as_tree"
fresh; mine; rm -rf "$data"; chmod 555 "$work/case"
refused "${who}a missing directory below a read-only one" "permission denied on .*/data for "
fresh; mine; chmod 000 "$data/kaka.properties"
as_tree=$(declare -f tree); [[ $EUID == 0 ]] || tree() { (cd "$data" && find . -printf '%p %y %s %T@ %m\n' | sort); }
refused "${who}kaka.properties that may not be read" "permission denied on .*/kaka.properties for "
eval "$as_tree"
fresh; mine; chmod 444 "$data/kaka.lock"
refused "${who}a lock that may not be written" "permission denied on .*/kaka.lock for "
as=()
if [[ $EUID == 0 ]]; then
  fresh
  mount --bind "$work/case" "$work/case" && mounted=$work/case && mount -o remount,bind,ro "$work/case"
  refused "as root, a read-only filesystem" "cannot be used: .*Read-only file system"
  umount "$work/case"; mounted=
fi

echo "== started, the rest served"
fresh; served "the lock of a dead process" - '' orders-0/partition.metadata
fresh; rm -rf "$data"
if start_broker "$data/a/b" 2> "$work/start.err" && stop_broker; then report ok "a missing directory and what is missing above it: made"
else report BAD "a missing directory" "$(cat "$work/start.err")"; fi
fresh
mkdir -p "$data/lost+found" "$data/backup-2024/deep" "$data/orders-0/old"
for file in backup-2024/deep/file orders-0/notes.txt "orders-0/$first.bak" orders-0/99999999999999999999.log orders-0/old/file README; do
  echo mine > "$data/$file"
done
ln -s /nowhere "$data/archive-7"
served "foreign files among segments, foreign directories beside" - '' lost+found backup-2024 archive-7 README orders-0/old \
  orders-0/notes.txt "orders-0/$first.bak" orders-0/99999999999999999999.log
fresh; mv "$data/orders-0" "$work/case/moved"; echo mine > "$data/orders-0"
served "a file in place of a partition" orders-0 'orders-0 is damaged at byte 0: it is not a directory' orders-0
fresh; mv "$data/orders-0" "$work/case/moved"; ln -s /nowhere/disk "$data/orders-0"
served "a link to nothing in place of a partition" orders-0 'orders-0: a symbolic link to /nowhere/disk' orders-0
fresh; mv "$data/orders-0/$first" "$work/case/moved"; ln -s /nowhere/disk "$data/orders-0/$first"
served "a link to nothing in place of a segment" orders-0 "$first: a symbolic link to /nowhere/disk" orders-0

[[ $failures == 0 ]] || { echo "$failures cases are not as they must be"; exit 1; }
echo "every case is as it must be"
