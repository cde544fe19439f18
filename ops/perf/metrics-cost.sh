#!/usr/bin/env bash
# What metrics cost: the broker's CPU seconds per million records, the same jar under the same load, in turn with metrics (recorded, and
# the page asked for each second) and without (the admin server off, and the methods of kaka.metrics that record emptied: those classes,
# made anew from the jar's sources, stand in front of it on the class path). What callers do for them, as to look at the clock once for
# what one read of a socket held, is in both.
#   ops/perf/metrics-cost.sh [RUNS]      default 5 of each; wants mvn -B package first
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
runs=${1:-5} jar=target/kaka.jar work=$(mktemp -d)
[[ -f $jar ]] || { echo "build first: mvn -B package" >&2; exit 2; }
broker=
finish() {
  [[ -z $broker ]] || kill -9 "$broker" 2> /dev/null || true
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

ticks() { awk '{ print $14 + $15 }' "/proc/$broker/stat"; } # hundredths of a second

measure() { # with | without, produce options...   prints CPU seconds per million records
  local variant=$1 path=$jar admin=0 scraper= out=$work/out
  shift
  [[ $variant == with ]] || { path=$work/without:$jar admin=off; }
  rm -rf "$work/data"
  java -Xms512m -Xmx512m -cp "$path" kaka.cli.Main serve --port 0 --admin-port "$admin" --dir "$work/data" > "$out" 2> "$work/err" &
  broker=$!
  until grep -q '^kaka ready ' "$out"; do kill -0 "$broker" || { cat "$work/err"; exit 1; }; sleep 0.1; done
  local at
  at=$(sed -n 's/^kaka ready listen=\([^ ]*\) .*/\1/p' "$out")
  if [[ $variant == with ]]; then
    local page
    page=$(sed -n 's|^metrics and health on ||p' "$out")/metrics
    (while sleep 1; do curl -s -o /dev/null "$page"; done) &
    scraper=$!
  fi
  bench() { java -Xmx512m -jar "$jar" bench produce "$@" --warm-up 0s --no-verify --topic load --json --broker "$at"; }
  bench "$@" -n 1000000 > "$work/warm"
  local before records=3000000
  before=$(ticks)
  bench "$@" -n "$records" > "$work/bench"
  awk -v ticks="$(($(ticks) - before))" -v records="$records" 'BEGIN { printf "%.3f\n", ticks / 100 / records * 1e6 }'
  [[ -z $scraper ]] || kill "$scraper"
  kill "$broker"
  wait "$broker" || true
  broker=
}

load() { # NAME, bench options...
  local name=$1 run variant
  shift
  : > "$work/with.txt"
  : > "$work/without.txt"
  for ((run = 1; run <= runs; run++)); do
    for variant in $( ((run % 2)) && echo with without || echo without with); do
      measure "$variant" "$@" >> "$work/$variant.txt"
    done
  done
  for variant in with without; do
    echo "$name, $variant metrics, CPU s per million records: $(tr '\n' ' ' < "$work/$variant.txt")median $(sort -n "$work/$variant.txt" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')"
  done
}
load "100 B, 16 connections, window 64, 1 record a request" -s 100 -b 1 -c 16 -w 64
