#!/usr/bin/env bash
# What metrics cost. First what it takes to record them: the broker's CPU seconds (but for the JVM's compilers) per million records, the same
# jar under the same load, with metrics and without (the admin server off, and the methods of kaka.metrics that record emptied: those classes,
# made anew from the jar's sources, stand in front of it on the class path). What callers do for them, as to look at the clock once for
# what one read of a socket held, is in both. Then what a page costs, when the code that makes it is compiled, and what part of a core that is
# for Prometheus, which asks each 15 seconds.
#
# A pair is two brokers that run beside each other and are loaded in turn, in short windows, so that whatever else the machine does meets
# both. Two JVMs never compile the same code alike, so that one pair says little: there are several, of new JVMs, and what is told is the
# mean of their ratios with its 95 % interval.
# The data is in memory (/dev/shm): how many records share a sync is the disk's affair, and moves what one costs by a third from one
# minute to the next. Without the disk all else is less, so that the metrics' part is rather larger.
#   ops/perf/metrics-cost.sh [PAIRS] [same]     default 7, some 6 minutes on a machine that does nothing else; wants mvn -B package first
#     same   both with metrics: the interval says how much of a difference this machine shows where there is none
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
pairs=${1:-7} second=${2:-without} jar=target/kaka.jar work=$(mktemp -d -p /dev/shm)
[[ $second != same ]] || second=with
[[ -f $jar ]] || { echo "build first: mvn -B package" >&2; exit 2; }
warm_up=1000000 windows=4 records=1500000
pids=()
finish() {
  kill -9 "${pids[@]}" 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT

mkdir -p "$work/src" "$work/without"
empty() { # CLASS METHOD...   its methods do nothing
  local class=$1 method
  cp "src/main/java/kaka/metrics/$class.java" "$work/src/"
  for method in "${@:2}"; do
    grep -q "public void $method(" "$work/src/$class.java" || { echo "$class has no $method" >&2; exit 1; }
    sed -i "/^ *public void $method(.*{\$/s/{\$/{ if (true) return;/" "$work/src/$class.java"
  done
}
empty Histogram record
empty Labelled add
empty PartitionCounts produced fetched
empty ConnectionMetrics inFlight creditWaitBegins creditWaitEnds
javac -nowarn -d "$work/without" -cp "$jar" "$work"/src/*.java

# start SIDE VARIANT   a broker; sets pids[SIDE], at[SIDE] and page[SIDE] (empty without metrics)
start() {
  local side=$1 path=$jar admin=0 out=$work/out$1
  [[ $2 == with ]] || { path=$work/without:$jar admin=off; }
  rm -f "$out" # of the pair before
  java -Xms512m -Xmx512m -cp "$path" kaka.cli.Main serve --port 0 --admin-port "$admin" --dir "$work/data$side" > "$out" 2> "$work/err$side" &
  pids[side]=$!
  until grep -qs "^kaka ready " "$out"; do kill -0 "${pids[side]}" || { cat "$work/err$side"; exit 1; }; sleep 0.1; done
  at[side]=$(sed -n 's/^kaka ready listen=\([^ ]*\) .*/\1/p' "$out")
  page[side]=$(sed -n 's|^metrics and health on \(.*\)|\1/metrics|p' "$out")
}
pages() { # SIDE COUNT
  curl -s $(yes "${page[$1]}" | head -n "$2") > /dev/null
}
ticks() { # SIDE   CPU time of its broker, hundredths of a second, without the JVM's compilers, which work when they like
  local task name ns rest total=0
  for task in "/proc/${pids[$1]}"/task/*; do
    { read -r name < "$task/comm" && read -r ns rest < "$task/schedstat"; } 2> /dev/null || continue
    [[ $name == C[12]\ Comp* ]] || total=$((total + ns))
  done
  echo $((total / 10000000))
}
load() { # SIDE RECORDS   of 100 bytes, one a request
  java -Xmx512m -XX:+UseSerialGC -jar "$jar" bench produce -s 100 -b 1 -c 16 -w 64 --warm-up 0 --no-verify --topic load --json --broker "${at[$1]}" -n "$2" > "$work/bench"
}
measure() { # SIDE   adds the ticks of a window to sum[SIDE]
  local before
  before=$(ticks "$1")
  load "$1" "$records"
  sum[$1]=$((sum[$1] + $(ticks "$1") - before))
}

declare -a at page sum
for ((pair = 1; pair <= pairs; pair++)); do
  first=$((pair % 2)) sum=(0 0)
  start 0 with
  start 1 "$second"
  for side in $first $((1 - first)); do load "$side" "$warm_up"; done
  for ((window = 1; window <= windows; window++)); do # the one that was last is first in the next window, so that a drift is shared
    for side in $(((first + window) % 2)) $(((first + window + 1) % 2)); do measure "$side"; done
  done
  awk -v pair="$pair" -v with="${sum[0]}" -v without="${sum[1]}" -v millions="$((windows * records))e-6" -v second="$second" 'BEGIN {
    printf "pair %d: with %.3f, %s %.3f CPU s per million records: %+.2f %%\n", pair, with / 100 / millions, second, without / 100 / millions, (with / without - 1) * 100 }' |
    tee -a "$work/pairs"
  pages 0 1000
  before=$(ticks 0)
  pages 0 500
  awk -v ticks=$(($(ticks 0) - before)) 'BEGIN { printf "  a page: %.1f ms of CPU, one in 15 s %.2f %% of a core\n", ticks / 50, ticks / 50 / 150 }'
  kill "${pids[@]}"
  wait "${pids[@]}" || true
  pids=()
  rm -rf "$work"/data?
done
# Student's t for 1 to 15 degrees of freedom, 95 %
awk -v t="12.71 4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26 2.23 2.20 2.18 2.16 2.14 2.13" '{ v = $(NF - 1); n++; total += v; squares += v * v }
  END { mean = total / n; split(t, students); printf "metrics cost %+.2f %% of the CPU", mean
    if (n > 1) printf " (95 %%: %+.2f to %+.2f)", mean - (half = students[n > 16 ? 15 : n - 1] * sqrt((squares - n * mean * mean) / (n - 1) / n)), mean + half
    print "" }' "$work/pairs"
