#!/usr/bin/env bash
# Kills a broker with -9 while records are produced to it, several times over, and checks after each restart that everything
# acknowledged is there, in order, each once.
#
#   ops/checks/kill9.sh [ROUNDS]     default 5; takes some 5 s a round; needs target/kaka.jar (mvn -B package)
#
# Records are numbered lines, sent by one producer to one partition. So what the broker has must be a prefix of them, at
# least as long as the producer counted acknowledgements. The next round goes on with the same topic on the same directory.
# Exit code 0: nothing lost, changed, reordered or doubled.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
rounds=${1:-5}
[[ -f target/kaka.jar ]] || { echo "target/kaka.jar is missing: mvn -B package" >&2; exit 2; }

work=$(mktemp -d)
broker=
finish() {
  local status=$?
  [[ -z $broker ]] || kill -9 "$broker" 2> /dev/null || true
  if ((status == 0)); then
    rm -rf "$work"
  else
    echo "kept for a look: $work" >&2
  fi
}
trap finish EXIT

kaka() { java -XX:TieredStopAtLevel=1 -jar target/kaka.jar "$@"; }

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Small segments, so that kills meet rolls as well.
start_broker() {
  : > "$work/broker.out" # the ready line of the last start must not be taken for this one's
  java -Dkaka.log.segment-bytes=4MiB -jar target/kaka.jar --port 0 --dir "$work/data" > "$work/broker.out" 2>> "$work/broker.log" &
  broker=$!
  until grep -q '^kaka ready ' "$work/broker.out"; do
    kill -0 "$broker" 2> /dev/null || fail "the broker did not start: $(tail -n 3 "$work/broker.log")"
    sleep 0.1
  done
  KAKA_BROKER=$(sed -n 's/^kaka ready listen=\([^ ]*\) .*/\1/p' "$work/broker.out")
  export KAKA_BROKER
}

stored_bytes() { { find "$work/data/kills-0" -name '*.log' -printf '%s\n' 2> /dev/null || true; } | awk '{ sum += $1 } END { print sum + 0 }'; }

# The producer's own start takes its time.
await_growth() {
  for ((i = 0; i < 300; i++)); do
    (($(stored_bytes) > $1)) && return
    sleep 0.1
  done
  fail "nothing was stored within 30 s: $(cat "$work/produce.err")"
}

: > "$work/expected"
acked_in_all=0
start_broker
for ((round = 1; round <= rounds; round++)); do
  # More than can be sent in the time; the pipe holds the rest back.
  before=$(stored_bytes)
  seq -f "round $round record %.0f" 1 100000000 2> /dev/null | kaka produce kills --partition 0 2> "$work/produce.err" &
  producer=$!
  await_growth "$before"
  sleep "$((RANDOM % 2)).$((RANDOM % 10))"
  kill -9 "$broker"
  wait "$broker" 2> /dev/null || true
  status=0
  wait "$producer" || status=$?
  ((status == 1)) || fail "round $round: produce ended with $status, not 1: $(tail -n 3 "$work/produce.err")"
  acked=$(sed -n 's/^\([0-9]*\) of .* acked in .*/\1/p' "$work/produce.err")
  [[ -n $acked ]] || fail "round $round: produce did not say how many were acknowledged: $(cat "$work/produce.err")"

  start_broker
  kaka consume kills --from earliest > "$work/actual" 2> "$work/consume.err" || fail "round $round: consume: $(cat "$work/consume.err")"
  stored=$(($(wc -l < "$work/actual") - $(wc -l < "$work/expected")))
  ((stored >= acked)) || fail "round $round: $acked acknowledged, $stored there"
  acked_in_all=$((acked_in_all + acked))
  if ((stored > 0)); then
    seq -f "round $round record %.0f" 1 "$stored" >> "$work/expected"
  fi
  cmp "$work/expected" "$work/actual" || fail "round $round: what is there is not what was sent"
  echo "round $round: $acked acknowledged, $stored there, $(wc -l < "$work/actual") in all, each once and in order"
done
((acked_in_all > 0)) || fail "every kill came before the first acknowledgement: nothing is shown"
grep -c 'torn tail cut' "$work/broker.log" | sed 's/$/ torn tails cut/' || true
kill "$broker"
wait "$broker"
broker=
echo "none of $acked_in_all acknowledged records was lost in $rounds kills"
