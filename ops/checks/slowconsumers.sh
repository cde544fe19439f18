#!/usr/bin/env bash
# Consumers that hardly read: each asks for 64 MiB and takes one byte a second; those for whom the budget has no room are told so. What the broker holds for them must not grow, and another
# client must be served.
#   ops/checks/slowconsumers.sh [CONSUMERS] [SECONDS]      default 1000, 30; exit 0 if so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
consumers=${1:-1000} seconds=${2:-30}

start_broker "$work/data" -Xmx512m -XX:+ExitOnOutOfMemoryError -Dkaka.connections.write-timeout=1h
ack_check flood big 1 4 16 50 4000 30 "$work/journal" > /dev/null & # 64 MiB and more to read
flood=$!
until [[ $(find "$work/data/big-0" -name '*.log' -printf '%s\n' 2> /dev/null | awk '{ s += $1 } END { print s + 0 }') -gt 70000000 ]]; do sleep 0.2; done
kill "$flood" 2> /dev/null || true
wait "$flood" || true
echo "before: heap=$(live_bytes) rss_kib=$(rss_kib)"

mkfifo "$work/next"
test_java -Xmx256m kaka.checks.Crowd trickle ${address} "$consumers" big < "$work/next" > "$work/crowd" &
exec 9> "$work/next"
until [[ $(live_objects kaka.connection.ConnectionLogic) -ge $consumers ]] || ! kill -0 %2 2> /dev/null; do sleep 0.5; done
sleep 3
first=$(live_bytes) first_rss=$(rss_kib)
echo "reading: heap=$first rss_kib=$first_rss connections=$(live_objects kaka.connection.ConnectionLogic)"
ack_check flood other 1 1 8 1 100 "$seconds" "$work/journal-other" > "$work/other"
last=$(live_bytes) last_rss=$(rss_kib)
held=$(live_objects kaka.connection.ConnectionLogic)
echo "after $seconds s: heap=$last rss_kib=$last_rss connections=$held"
cat "$work/other"
echo >&9
exec 9>&-
wait %2 2> /dev/null || true
cat "$work/crowd"

check "they are all still there" "$held >= $consumers"
check "the heap is flat, to 8 MiB" "$last - first < 8 * 1024 * 1024"
check "the process is flat, to 32 MiB" "$last_rss - first_rss < 32 * 1024"
check "another client was served" "$(sed 's/acked=\([0-9]*\).*/\1/' "$work/other") > 100"
ack_check verify "$work/journal-other" || failed=1
kill_broker
exit "$failed"
