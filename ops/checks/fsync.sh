#!/usr/bin/env bash
# Syncs that fail (package fiu-utils; installed with apt-get if root runs this): the broker runs under fiu-run, which stands between
# the JVM and the C library. The n-th sync of a partition's log fails once, for n = 1, 2, 3, ..., so that a retry would succeed: the
# produce it was for and every later one to that partition are refused with STORAGE, what was acknowledged is served, nothing else
# is, other partitions go on. Then directory syncs, at the roll; all syncs for good; syncs at random under load; and syncs during
# the start. After each a restart without faults has everything that was ever acknowledged.
#   ops/checks/fsync.sh [N]      n up to N, default 12; exit 0 if all of that held
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
most=${1:-12}
if ! command -v fiu-run > /dev/null; then
  [[ $EUID == 0 ]] || { echo "needs fiu-run (package fiu-utils)" >&2; exit 2; }
  apt-get install -y -qq fiu-utils > "$work/apt" 2>&1 || { cat "$work/apt" >&2; exit 2; }
fi
eio=5
touch "$work/journal"

start_faulty() { # [FIU COMMAND]   under fiu-run
  under=(fiu-run -x -f "$work/fiu")
  [[ -z ${1:-} ]] || under+=(-c "$1")
  start_broker "$work/data" -Dkaka.topics.default-partitions=3
  under=()
}
failing() { # COMMAND   in the running broker
  fiu-ctrl -f "$work/fiu" -c "$1" "$broker"
}
require_all() { # WHAT   after kill -9 and a start without faults
  kill_broker
  start_broker "$work/data"
  local result
  result=$(ack_check verify "$work/journal") || { echo "$1: after a restart: $result"; exit 1; }
  [[ $(grep -c 'not writable' "$work/broker.out" || true) == 0 ]] || { echo "$1: not writable after a restart"; exit 1; }
  kill_broker
  echo "$1; after a restart $result"
}
case_of() { # TOPIC NTH once|always CALL
  local said option=
  [[ $3 == always ]] || option=,onetime
  start_faulty
  # shellcheck disable=SC2086 # address is host and port
  said=$("$java" -cp "$root/target/test-classes:$jar" kaka.checks.FsyncCheck $address "$1" "$2" "$3" "$work/journal" \
    fiu-ctrl -f "$work/fiu" -c "enable name=posix/io/sync/$4,failinfo=$eio$option" "$broker") || { echo "$1: $said"; exit 1; }
  [[ $(grep -c ' partition failed .*Input/output error' "$work/broker.err") -ge 1 ]] || { echo "$1: no fault was injected"; exit 1; }
  require_all "$1: $said"
}

for ((n = 1; n <= most; n++)); do case_of "fdatasync-$n" "$n" once fdatasync; done
for ((n = 1; n <= 3; n++)); do case_of "fsync-of-directory-$n" "$n" once fsync; done
case_of every-fdatasync 3 always fdatasync

for probability in 0.2 0.02; do
  start_faulty
  ack_check flood "random-$probability" 3 6 16 10 200 4 "$work/journal" > "$work/flood" &
  flood=$!
  until [[ $(grep -c "random-$probability" "$work/journal") -gt 200 ]] || ! kill -0 "$flood" 2> /dev/null; do sleep 0.05; done
  failing "enable_random name=posix/io/sync/*,probability=$probability,failinfo=$eio"
  wait "$flood"
  grep -q '^acked=.* refused={.*storage failed' "$work/flood" || { echo "nothing was refused: $(cat "$work/flood")"; exit 1; }
  failing "disable name=posix/io/sync/*"
  result=$(ack_check verify "$work/journal") || { echo "reads of failed partitions: $result"; exit 1; }
  require_all "syncs that fail with probability $probability under load: $(sed 's/ refused=.*//' "$work/flood")"
done

# With an interval of a minute nothing is synced before the kill, so the start writes all of it again and syncs it.
start_broker "$work/data" -Dkaka.topics.default-partitions=3 --fsync-interval-ms 60000
ack_check flood unsynced 3 6 16 10 200 2 "$work/unsynced" > /dev/null
kill_broker
start_faulty "enable name=posix/io/sync/fdatasync,failinfo=$eio"
[[ $(grep -c 'log opened for reading only partition=unsynced-' "$work/broker.err") == 3 ]] || { echo "no fault at the start"; cat "$work/broker.err"; exit 1; }
result=$(ack_check verify "$work/journal") || { echo "reads after a start whose syncs fail: $result"; exit 1; }
cat "$work/unsynced" >> "$work/journal" # of these, what is on the disk is known only after a start whose syncs succeed
require_all "a start whose every fdatasync fails: 3 partitions for reading only, all that was synced is served"
echo "each sync that failed stopped its partition, nothing acknowledged was lost"
