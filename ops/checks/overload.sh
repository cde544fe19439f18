#!/usr/bin/env bash
# Overload: 1 to 256 connections that always have 4 requests in flight, from one client thread beside the broker. Latency may grow with the
# number of requests, throughput must not collapse, and no connection may be left out.
#   ops/checks/overload.sh [SECONDS]      default 4 for each point; exit 0 if no point has less than half of the best one before it
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
seconds=${1:-4}

start_broker "$work/data" -Xmx512m
test_java kaka.checks.LoadCurve ${address} 16 4 4 > /dev/null # both sides are compiled
printf '%11s %10s %9s %9s %12s\n' connections 'acks/s' 'p50 us' 'p99 us' 'least share'
best=0
for connections in 1 2 4 8 16 32 64 128 256; do
  for ((try = 1; try <= 3; try++)); do # a busy machine may spoil one
    read -r c acks p50 p99 share <<< "$(test_java kaka.checks.LoadCurve ${address} "$connections" 4 "$seconds")"
    printf '%11s %10s %9s %9s %12s\n' "$c" "$acks" "$p50" "$p99" "$share"
    ((acks * 2 < best)) || break
  done
  ((acks * 2 >= best)) || { echo "FAILED: collapses at $connections connections"; failed=1; }
  best=$((acks > best ? acks : best))
  awk -v share="$share" 'BEGIN { exit !(share > 0.2) }' || { echo "FAILED: a connection is left out"; failed=1; }
done
stop_broker || failed=1
exit "$failed"
