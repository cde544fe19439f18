#!/usr/bin/env bash
# Kills the broker with -9 in mid-flood, again and again, on one directory: after each restart every record ever acknowledged
# must be there, once, at its offset, intact. Several connections and partitions, segments of 1 MiB, so that rolls are hit too.
#   ops/checks/kill.sh [KILLS]      default 20; exit 0 if nothing was lost, moved, doubled or damaged
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
kills=${1:-20}
options=(-Dkaka.log.segment-bytes=1MiB -Dkaka.topics.default-partitions=3)

for ((i = 1; i <= kills; i++)); do
  start_broker "$work/data" "${options[@]}"
  : > "$work/journal-$i"
  ack_check flood "killed-$i" 3 6 16 10 200 60 "$work/journal-$i" > /dev/null &
  flood=$!
  until [[ $(wc -l < "$work/journal-$i") -gt 200 ]] || ! kill -0 "$flood" 2> /dev/null; do sleep 0.05; done
  sleep "$(random_seconds 0.1 1.5)"
  kill_broker
  wait "$flood" || true

  start_broker "$work/data" "${options[@]}"
  cat "$work"/journal-* > "$work/journal"
  result=$(ack_check verify "$work/journal") || { echo "kill $i: $result"; exit 1; }
  echo "kill $i: $result"
  kill_broker # this one while idle
done
echo "$kills kills, nothing acknowledged lost"
