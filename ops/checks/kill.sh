#!/usr/bin/env bash
# Kills the broker with -9 in mid-flood, again and again, on one directory: after each restart every record ever acknowledged
# must be there, once, at its offset, intact. Several connections and partitions, segments of 1 MiB, so that rolls are hit too.
#   ops/checks/kill.sh [KILLS] [native|kafka|transactions]      default 20, native; exit 0 if nothing was lost, moved, doubled or damaged
#     kafka          by Kafka's own producers, idempotent, acks=all, which go on when the broker is back: none may give up a record
#     transactions   by Kafka's transactional producers, which every second time are killed with the broker: what was committed is there
#                    whole, what was aborted is not, what had no answer is one or the other; offsets too; nothing is left open
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/load.sh"
kills=${1:-20} load=${2:-native}
options=(-Dkaka.log.segment-bytes=1MiB -Dkaka.topics.default-partitions=3)

for ((i = 1; i <= kills; i++)); do
  start_broker "$work/data" "${options[@]}"
  port=${address#* } # the load goes on there
  start_load "$i" 3 200
  await_load 200
  sleep "$(random_seconds 0.1 1.5)"
  kill_broker
  [[ $load != transactions ]] || ((i % 2)) || kill_load

  start_broker "$work/data" "${options[@]}"
  end_load
  result=$(verify_load all) || { echo "kill $i: $result"; exit 1; }
  echo "kill $i: $result"
  kill_broker # this one while idle
done
echo "$kills kills, load $load: nothing acknowledged lost"
