#!/usr/bin/env bash
# Takes backups of a broker under full load, restores each and starts a broker on it: every record that was acknowledged before its
# backup began is there, once, at its offset, intact, and kaka log check finds nothing wrong. Every third backup is killed in the middle.
# Segments of 1 MiB, and beside the load a compacted topic and one with retention, so that segments come, go and are replaced.
#   ops/checks/backup.sh [BACKUPS] [native|kafka|transactions]      default 12, native; exit 0 if nothing was lost, moved, doubled or damaged
#     transactions   what was committed before the backup began is there whole, what was aborted is not, nothing is left open; if the
#                    backup said so, nothing is there in part
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/load.sh"
backups=${1:-12} load=${2:-native}
options=(-Dkaka.log.segment-bytes=1MiB -Dkaka.topics.default-partitions=3)
kaka() { "$java" -Dkaka.logging.level=error -jar "$jar" "$@"; }

start_broker "$work/data" "${options[@]}"
source_broker=$broker source_address=$address
at=${address/ /:}
kaka topic create newest --partitions 1 --set cleanup.policy=compact --set segment.bytes=262144 --set min.cleanable.dirty.ratio=0.01 --broker "$at" > "$work/topic"
kaka topic create short --partitions 1 --set retention.bytes=4194304 --set segment.bytes=1048576 --broker "$at" > "$work/topic"
churn() { # two topics of which segments go all the time
  while kill -0 "$source_broker" 2> /dev/null; do
    for ((key = 0; key < 5000; key++)); do echo "key-$((key % 500)) $RANDOM $(printf '%0200d' "$key")"; done |
      kaka produce newest --key-separator ' ' --broker "$at" > "$work/churn" 2>&1 || true
    for ((line = 0; line < 10000; line++)); do printf '%0200d\n' "$line"; done | kaka produce short --broker "$at" > "$work/churn" 2>&1 || true
  done
}
set -m # in a process group of its own: what it has started ends with it
churn &
set +m
churn_pid=$!
trap 'put_down "-$churn_pid" "$source_broker"; finish' EXIT
# A load ends by itself after a minute or two, and what it has written is restored and read again with each backup: so each second
# backup has a new one, on a topic of its own, and that of the one before is deleted. That of transactions goes on, and is slower.
next_load() { # NUMBER
  if [[ -n $load_pid ]]; then
    put_down "$load_pid"
    kaka topic delete "flood-load-$(($1 - 2))" --broker "$at" > "$work/topic"
  fi
  address=$source_address
  start_load "load-$1" 3 200
  await_load 200
}

whole=0
for ((i = 1; i <= backups; i++)); do
  if ((i == 1)) || { [[ $load != transactions ]] && ((i % 2 == 1)); }; then next_load "$i"; fi
  await_load 300
  cp "$journal" "$work/acked"
  if ((i % 3 == 0)); then
    "$java" -jar "$jar" backup --dir "$work/data" "$work/target" --max-rate 4MiB > "$work/killed" 2>&1 &
    killed=$!
    sleep "$(random_seconds 0.5 1.5)"
    put_down "$killed"
    cp "$journal" "$work/acked"
  fi
  summary=$(kaka backup --dir "$work/data" "$work/target" --keep 2) || { echo "FAILED: backup $i: $summary"; exit 1; }
  echo "backup $i: ${summary##*/}"
  cp "$journal" "$work/begun"
  kaka backup verify "$work/target" > "$work/verified" || { echo "FAILED: backup $i:"; cat "$work/verified"; exit 1; }
  rm -rf "$work/restored"
  kaka backup restore "$work/target" "$work/restored" > "$work/restored.out"
  start_broker "$work/restored" "${options[@]}"
  if [[ $load == transactions ]]; then
    { grep '^B ' "$work/begun" || true; cat "$work/acked"; } > "$work/journal"
    result=$(test_java -Dkaka.logging.level=error kaka.checks.TransactionCheck verify ${address% *} ${address#* } "$work/journal") || {
      # in part, and said so: only what was committed or aborted before counts
      [[ $summary == *"in part"* ]] && ! grep -q 'is committed\|is aborted\|twice\|open' <<< "$result" || { echo "FAILED: backup $i: $result"; exit 1; }
    }
    [[ $summary == *"in part"* ]] || whole=$((whole + 1))
  else
    result=$(ack_check verify "$work/acked") || { echo "FAILED: backup $i: $result"; exit 1; }
  fi
  echo "backup $i: $result"
  stop_broker
  kaka log check "$work/restored" > "$work/checked" 2>&1 || { echo "FAILED: after backup $i:"; cat "$work/checked"; exit 1; }
done
broker=$source_broker address=$source_address
kill "$load_pid" 2> /dev/null || true
[[ $load != transactions ]] || echo "$whole of $backups backups have every transaction whole"
echo "$backups backups, load $load: nothing acknowledged lost"
