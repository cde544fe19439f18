#!/usr/bin/env bash
# Connection churn: short connections, a quarter of each kind: closed at once; half a frame left; a produce and a reset; a produce, its
# ack, and a window full of waiting fetches left. Afterwards heap (after a full collection), actors, threads and descriptors must
# be where they were, and what was acknowledged meanwhile must be there.
#   ops/checks/churn.sh [CONNECTIONS]      default 200000, some minutes; exit 0 if nothing is left of them
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
count=${1:-200000}

start_broker "$work/data" -Xmx256m -Dkaka.connections.frame-timeout=10s
churn() { test_java -Xmx128m kaka.checks.Churn ${address} "$1"; }
settle() { # until the last connections are gone, for a minute at most
  local waited
  for ((waited = 0; waited < 120; waited++)); do
    [[ $(live_objects kaka.connection.ConnectionLogic) == 0 ]] && break
    sleep 0.5
  done
  sleep 2
}

churn 4000 # what is made on first use is made
settle
heap=$(live_bytes) actors=$(live_objects akka.actor.ActorCell) threads=$(thread_count) descriptors=$(descriptor_count)
echo "before: heap=$heap actors=$actors threads=$threads descriptors=$descriptors rss_kib=$(rss_kib)"

ack_check flood beside 1 1 4 1 100 5 "$work/journal" & # others are served meanwhile
flood=$!
start=$SECONDS
churn "$count"
echo "$count connections in $((SECONDS - start)) s"
wait "$flood"
settle

heap_after=$(live_bytes) actors_after=$(live_objects akka.actor.ActorCell)
echo "after: heap=$heap_after actors=$actors_after threads=$(thread_count) descriptors=$(descriptor_count) rss_kib=$(rss_kib)"
check "no connection is left" "$(live_objects kaka.connection.ConnectionLogic) == 0"
check "as many actors, but for one partition" "$actors_after <= $actors + 1"
check "heap grew by less than 4 MiB" "$heap_after - $heap < 4 * 1024 * 1024"
check "no more threads, but for the storage pool's" "$(thread_count) <= $threads + 16"
check "as many descriptors, but for one partition's" "$(descriptor_count) <= $descriptors + 4"
grep -v 'topic created\|offsets read' "$work/broker.err" | head -n 5 || true
check "nothing in the log but the topics" "$(grep -c -v 'topic created\|offsets read' "$work/broker.err") == 0"
ack_check verify "$work/journal" || failed=1
stop_broker || failed=1
exit "$failed"
