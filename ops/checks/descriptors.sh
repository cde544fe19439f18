#!/usr/bin/env bash
# A low limit of open files and more clients than it has room for: the broker serves those it has, leaves the others in the kernel's queue,
# goes on writing and rolling segments, takes new clients when some leave, and does nothing while it is full.
#   ops/checks/descriptors.sh [CLIENTS]      default 3000; exit 0 if all of that held
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
clients=${1:-3000}

hard=$(ulimit -Hn)
ulimit -Sn 400
start_broker "$work/data" -Xmx256m -XX:-MaxFDLimit -Dkaka.listen.backlog=4096 -Dkaka.log.segment-bytes=256KiB
ulimit -Sn "$hard"
grep -o 'fewer connections.*' "$work/broker.err" || { echo "the limit was not low enough"; exit 1; }

mkfifo "$work/next"
test_java -Xmx256m kaka.checks.Crowd hello ${address} "$clients" < "$work/next" > "$work/crowd" 2> "$work/crowd.err" &
crowd=$!
exec 9> "$work/next"
await() { # WHAT
  local waited
  for ((waited = 0; waited < 600; waited++)); do
    [[ $(grep -c '^served' "$work/crowd") -ge $1 ]] && return
    kill -0 "$crowd" 2> /dev/null || { cat "$work/crowd.err"; return 1; }
    sleep 0.2
  done
  return 1
}
flood_partly() { # the flood was connected before the crowd came
  ack_check flood orders 1 2 16 10 500 40 "$work/journal"
}
flood_partly > "$work/flood" &
flood=$!
await 1
served=$(awk 'NR == 1 { print $2 }' "$work/crowd")
echo "served=$served of $clients descriptors=$(descriptor_count)"
wait "$flood"
cat "$work/flood"

ticks=$(cpu_ticks)
sleep 10
ticks=$(($(cpu_ticks) - ticks))
echo "cpu while full and nothing is asked: $ticks hundredths of a second in 10 s"
before_lines=$(wc -l < "$work/broker.err")
echo >&9
await 2
again=$(awk 'NR == 2 { print $2 }' "$work/crowd")
sed -n 2p "$work/crowd"
kill "$crowd" 2> /dev/null || true
exec 9>&-

check "served some, not all" "$served > 50 && $served < $clients"
check "the limit was never reached" "$(descriptor_count) < 400"
check "no file could not be opened" "$(grep -c -i 'too many open files' "$work/broker.err") == 0"
check "new ones were served when half left" "$again > $served / 2 + 20"
check "nothing to do while full" "$ticks < 50"
check "no log flood" "$before_lines < 30 && $(wc -l < "$work/broker.err") < 30"
check "segments were rolled under it" "$(find "$work/data/orders-0" -name '*.log' | wc -l) > 3"
sleep 1
ack_check verify "$work/journal" || failed=1
stop_broker || failed=1
exit "$failed"
