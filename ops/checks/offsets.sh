#!/usr/bin/env bash
# Commits the offsets of 1,000 entries over and over: the log of offsets must stay small, and a start that reads it fast. The
# broker is killed with -9 after the flood; every entry must have its last offset.
#   ops/checks/offsets.sh [COMMITS]     default 10,000,000; exit 0 if so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
commits=${1:-10000000}
limit_kib=20480 # twice kaka.groups.compact-bytes and a segment, and what is live

# shellcheck disable=SC2086 # address is host and port
offsets_check() { "$java" -cp "$root/target/test-classes:$jar" kaka.checks.OffsetsCheck "$1" $address "$commits"; }

start_broker "$work/data"
offsets_check flood &
flood=$!
largest=0
while kill -0 "$flood" 2> /dev/null; do
  size=$(du -sk "$work/data/__offsets-0" | cut -f 1)
  ((size > largest)) && largest=$size
  sleep 0.2
done
wait "$flood"
size=$(du -sk "$work/data/__offsets-0" | cut -f 1)
kill_broker

start_broker "$work/data" -Dkaka.logging.level=debug # how long it read is said there
offsets_check verify
read_log=$(grep -o 'offsets read .*' "$work/broker.err")
stop_broker
echo "log of offsets: $size KiB, at most $largest KiB; $read_log"
((largest < limit_kib)) || { echo "larger than $limit_kib KiB"; exit 1; }
