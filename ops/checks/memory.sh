#!/usr/bin/env bash
# A flood into a slow disk: 100 connections, each with a full window of 64 KiB requests, a disk whose every sync takes 400 ms, a budget of
# 64 MiB, a heap of 256 MiB. Every produce must be acknowledged or refused with MEMORY, the process must not grow, another client must be
# served, and afterwards everything acknowledged must be there. Then the same with records in memory, where the
# process grows until that is full.
#   ops/checks/memory.sh [SECONDS]      default 20 each; exit 0 if all of that held
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
seconds=${1:-20}
broker_program=(-cp "$root/target/test-classes:$jar" kaka.cli.SlowDiskServe)

run() { # NAME DIRECTORY OPTION...
  local name=$1 directory=$2 rss=0 half=0 most=0 waited
  shift 2
  echo "== $name"
  start_broker "$directory" -Xms256m -Xmx256m -XX:+AlwaysPreTouch -XX:+ExitOnOutOfMemoryError -Dcheck.sync-delay-ms=400 -Dkaka.topics.default-partitions=4 --max-memory 64MiB "$@"
  ack_check flood "flood-$name" 4 100 64 16 4000 "$seconds" "$work/$name" > "$work/flood" &
  local flood=$!
  sleep 2
  ack_check flood "other-$name" 1 1 1 1 100 $((seconds - 4)) "$work/$name-other" > "$work/other" &
  local other=$!
  for ((waited = 0; waited < seconds * 2; waited++)); do
    rss=$(rss_kib)
    ((waited < seconds)) && half=$((rss > half ? rss : half))
    most=$((rss > most ? rss : most))
    sleep 0.5
    kill -0 "$flood" 2> /dev/null || break
  done
  wait "$flood" "$other" || failed=1
  echo "flood: $(cut -c1-200 "$work/flood")"
  echo "other client: $(cut -c1-200 "$work/other")"
  echo "rss in the first half at most $((half / 1024)) MiB, at all $((most / 1024)) MiB"
  check "the broker lives" "$(kill -0 "$broker" 2> /dev/null && echo 1 || echo 0) == 1"
  check "no OutOfMemoryError" "$(grep -c OutOfMemory "$work/broker.err") == 0"
  check "heap and all else within 256 + 160 MiB" "$most < (256 + 160) * 1024"
  [[ -z $directory ]] || check "flat: the second half took less than 32 MiB more" "$most - half < 32 * 1024"
  check "the flood was taken in part" "$(sed 's/acked=\([0-9]*\).*/\1/' "$work/flood") > 0"
  check "refused for want of memory only" "$(sed 's/.*refused={//; s/}//; s/used up, nothing was stored or read/used up/g' "$work/flood" | tr ',' '\n' | grep -c -v "^ *3 memory budget\|^ *$allowed") == 0"
  check "the other client was served" "$(sed 's/acked=\([0-9]*\).*/\1/' "$work/other") > 0"
  cat "$work/$name" "$work/$name-other" > "$work/journal"
  ack_check verify "$work/journal" || failed=1
  stop_broker || failed=1
}
allowed='$'
run disk "$work/data"
allowed='$\|^ *4 disk nearly full' # half of the heap is the capacity, and it fills up
run memory ""
exit "$failed"
