#!/usr/bin/env bash
# What a person does: pipes lines into `kaka produce`, while the broker is killed with -9, again and again, on one directory. After
# each restart `kaka consume` must print the lines sent, in order, each once, at least as many as produce said were acked.
#   ops/checks/pipe.sh [KILLS]      default 5; exit 0 if so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
kills=${1:-5}

kaka() { "$java" -XX:TieredStopAtLevel=1 -jar "$jar" "$@" --broker "${address/ /:}"; }

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

start() {
  start_broker "$work/data" -Dkaka.log.segment-bytes=4MiB # small, so that kills meet rolls as well
}

stored_bytes() { { find "$work/data/pipe-0" -name '*.log' -printf '%s\n' 2> /dev/null || true; } | awk '{ sum += $1 } END { print sum + 0 }'; }

# The producer's own start takes its time.
await_growth() {
  local waited
  for ((waited = 0; waited < 300; waited++)); do
    (($(stored_bytes) > $1)) && return
    sleep 0.1
  done
  fail "nothing was stored within 30 s: $(cat "$work/produce.err")"
}

touch "$work/expected"
acked_in_all=0
start
for ((i = 1; i <= kills; i++)); do
  # More than can be sent in the time; the pipe holds the rest back.
  before=$(stored_bytes)
  seq -f "kill $i record %.0f" 1 100000000 2> /dev/null | kaka produce pipe 2> "$work/produce.err" &
  producer=$!
  await_growth "$before"
  sleep "$(random_seconds 0 2)"
  kill_broker
  status=0
  wait "$producer" || status=$?
  ((status == 1)) || fail "kill $i: produce ended with $status, not 1: $(cat "$work/produce.err")"
  acked=$(sed -n 's/^\([0-9]*\) of .* acked in .*/\1/p' "$work/produce.err")
  [[ -n $acked ]] || fail "kill $i: produce did not say how many were acked: $(cat "$work/produce.err")"

  start
  kaka consume pipe > "$work/actual" 2> "$work/consume.err" || fail "kill $i: $(cat "$work/consume.err")"
  stored=$(($(wc -l < "$work/actual") - $(wc -l < "$work/expected")))
  ((stored >= acked)) || fail "kill $i: $acked acked, $stored there"
  acked_in_all=$((acked_in_all + acked))
  if ((stored > 0)); then
    seq -f "kill $i record %.0f" 1 "$stored" >> "$work/expected"
  fi
  cmp "$work/expected" "$work/actual" || fail "kill $i: what is there is not what was sent"
  echo "kill $i: $acked acked, $stored there, $(wc -l < "$work/actual") in all"
done
((acked_in_all > 0)) || fail "every kill came before the first ack: nothing is shown"
stop_broker
echo "$kills kills, none of $acked_in_all acked lines lost, doubled or out of order"
