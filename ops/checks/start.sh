#!/usr/bin/env bash
# What a start reads: a directory of 20 GiB in 160 sealed segments of 100 partitions, written by the product's own code, none of it in
# the page cache. The start, after a stop and after kill -9 in mid-flood, must read less than 1 % of it, by the kernel's count of what
# came from the disk (read_bytes) and of what was asked for (rchar, the jar included).
#   ops/checks/start.sh [SEALED_SEGMENTS [PARTITIONS]]     default 160 100; needs 128 MiB of free disk in ${TMPDIR:-/tmp} for each
#                                                          segment; exit 0 if both starts read less than 1 %
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
segments=${1:-160} partitions=${2:-100}
data=$work/data
need=$(((segments + 8) * 128 * 1024))
[[ $(df --output=avail -k "$work" | tail -1) -gt $need ]] || { echo "needs $((need / 1024)) MiB of free disk in $work" >&2; exit 2; }
data_bytes() { find "$data" -name '*.log' -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f", sum }'; }

measured_start() { # WHAT
  local total newest before ms read asked
  total=$(data_bytes)
  newest=$(find "$data" -name '*.log' -printf '%h %f %s\n' | sort | awk '{ size[$1] = $3 } END { for (d in size) sum += size[d]; print sum }')
  sync
  find "$data" -type f -exec dd if={} iflag=nocache count=0 status=none \; # out of the page cache, and nothing else with it
  before=$(date +%s%N)
  start_broker "$data"
  ms=$((($(date +%s%N) - before) / 1000000))
  asked=$(awk '/^rchar/ { print $2 }' "/proc/$broker/io")
  read=$(awk '/^read_bytes/ { print $2 }' "/proc/$broker/io")
  awk -v what="$1" -v total="$total" -v newest="$newest" -v read="$read" -v asked="$asked" -v ms="$ms" 'BEGIN {
    printf "%s: ready after %.1f s; of %.1f GiB, %.1f MiB of them in newest segments, read from the disk %.1f MiB (%.2f %%), asked for %.1f MiB (%.2f %%)\n",
      what, ms / 1000, total / 2^30, newest / 2^20, read / 2^20, 100 * read / total, asked / 2^20, 100 * asked / total
  }'
  grep -o '^partitions: .*' "$work/broker.out"
  (($(read_max "$read" "$asked") * 100 < total)) || { echo "that is 1 % and more"; exit 1; }
}
read_max() { echo $(($1 > $2 ? $1 : $2)); }

start_broker "$data"
"$java" -jar "$jar" topic create stored --partitions "$partitions" --broker "${address/ /:}" > /dev/null
stop_broker
echo "writing $segments segments of 128 MiB"
"$java" -cp "$root/target/test-classes:$jar" kaka.checks.StoredData "$data" stored "$partitions" "$segments"
[[ $(find "$data/stored-"* -name '*.index' | wc -l) == "$segments" ]]

measured_start "after a stop"
touch "$work/journal"
ack_check flood stored "$partitions" "$partitions" 2 1 100 60 "$work/journal" > /dev/null &
flood=$!
until [[ $(wc -l < "$work/journal") -gt $((partitions * 20)) ]] || ! kill -0 "$flood" 2> /dev/null; do sleep 0.05; done
kill_broker
wait "$flood" || true
measured_start "after kill -9 in mid-flood"
# All of it is there, too: the first and the last record of a partition that was copied, and what the flood had acknowledged.
last=$((partitions - 1))
"$java" -jar "$jar" consume stored --partition $last --from 0 -n 1 --format '%o\n' --broker "${address/ /:}" 2> /dev/null | grep -qx 0
for ((p = 0; p < partitions; p += partitions / 4)); do
  base=$(awk -v p=$p '$3 == p { print $7; exit }' "$work/journal")
  [[ -z $base ]] || "$java" -jar "$jar" consume stored --partition $p --from "$base" -n 1 --format '%o\n' --broker "${address/ /:}" 2> /dev/null | grep -qx "$base"
done
stop_broker
echo "a start reads less than 1 % of what is stored"
