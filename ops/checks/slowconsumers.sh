#!/usr/bin/env bash
# Consumers that hardly read: each asks for 16 MiB and takes one byte a second, natively, then through Kafka's protocol. All of them
# are to be answered, or, where the budget has no room even for small slices, refused in order; what the broker holds for them must not
# grow; another client must be served; and nothing that it was told to be stored may be lost.
#   ops/checks/slowconsumers.sh [CONSUMERS] [SECONDS] [MOST REFUSED]      default 1000, 30, 0; exit 0 if so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
consumers=${1:-1000} seconds=${2:-30} most_refused=${3:-0}
ulimit -Sn "$(ulimit -Hn)" # a descriptor each, on both sides, and what the broker keeps for its files

start_broker "$work/data" -Xmx512m -XX:+ExitOnOutOfMemoryError -Dkaka.connections.write-timeout=1h -Dkaka.connections.max=$((consumers + 100))
ack_check flood big 1 4 16 50 4000 30 "$work/journal" > /dev/null & # more than 16 MiB to read
flood=$!
until [[ $(find "$work/data/big-0" -name '*.log' -printf '%s\n' 2> /dev/null | awk '{ s += $1 } END { print s + 0 }') -gt 20000000 ]]; do sleep 0.2; done
kill "$flood" 2> /dev/null || true
wait "$flood" || true
echo "before: heap=$(live_bytes) rss_kib=$(rss_kib)"

# trickle PROTOCOL
trickle() {
  local protocol=$1 first first_rss last last_rss held crowd refused
  rm -f "$work/next"
  mkfifo "$work/next"
  # shellcheck disable=SC2086 # address is host and port
  test_java -Xmx256m kaka.checks.Crowd trickle ${address} "$consumers" big "$protocol" < "$work/next" > "$work/crowd" &
  crowd=$!
  exec 9> "$work/next"
  until grep -q '^answered' "$work/crowd" || ! kill -0 $crowd 2> /dev/null; do sleep 0.5; done
  first=$(live_bytes) first_rss=$(rss_kib)
  echo "$protocol: reading: heap=$first rss_kib=$first_rss connections=$(live_objects kaka.connection.ConnectionLogic)"
  ack_check flood "other-$protocol" 1 1 8 1 100 "$seconds" "$work/journal-$protocol" > "$work/other"
  last=$(live_bytes) last_rss=$(rss_kib)
  held=$(live_objects kaka.connection.ConnectionLogic)
  echo "$protocol: after $seconds s: heap=$last rss_kib=$last_rss connections=$held"
  cat "$work/other"
  echo >&9
  exec 9>&-
  wait $crowd 2> /dev/null || true
  cat "$work/crowd"
  refused=$(sed -n 's/.* refused \([0-9]*\)$/\1/p' "$work/crowd")

  check "$protocol: they are all still there" "$held >= $consumers"
  check "$protocol: no more than $most_refused are refused" "${refused:-$consumers} <= $most_refused"
  check "$protocol: the heap is flat, to 8 MiB" "$last - first < 8 * 1024 * 1024"
  check "$protocol: the process is flat, to 32 MiB" "$last_rss - first_rss < 32 * 1024"
  check "$protocol: another client was served" "$(sed 's/acked=\([0-9]*\).*/\1/' "$work/other") > 100"
}

trickle native
trickle kafka
for journal in "$work"/journal*; do
  ack_check verify "$journal" || failed=1
done
stop_broker || failed=1
exit "$failed"
