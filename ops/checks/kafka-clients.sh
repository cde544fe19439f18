#!/usr/bin/env bash
# kcat, and so librdkafka, against a broker: metadata, produce and consume with each compression, idempotent and not, from the end, by
# time, keys, headers and null values, a consumer group that goes on where it was and one whose two members share.
# Needs kcat; where it is missing and this is root, it says so and installs the package.
#   ops/checks/kafka-clients.sh      exit 0 if everything came back as it was sent
# shellcheck disable=SC2016 # conditions are evaluated later
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
if ! command -v kcat > /dev/null; then
  [[ $EUID -eq 0 ]] || { echo "kcat is missing: apt-get install kcat" >&2; exit 2; }
  echo "kcat is missing: installing the Debian package kcat"
  apt-get install -y -q kcat > /dev/null
fi
count=20000

members=()
finish_all() {
  ((${#members[@]} == 0)) || kill "${members[@]}" 2> /dev/null || true
  finish
}
trap finish_all EXIT

start_broker "$work/data" -Dkaka.topics.default-partitions=3
at=${address/ /:}
k() { timeout 60 kcat -q -b "$at" "$@"; }
fail() { echo "$*" >&2; exit 1; }

seq 1 "$count" | sed 's/.*/record number &, which is worth compressing/' > "$work/sent"
for compression in none gzip snappy lz4 zstd; do
  for idempotence in false true; do
    topic=$compression-$idempotence
    k -P -t "$topic" -p 0 -X "compression.codec=$compression" -X "enable.idempotence=$idempotence" < "$work/sent"
    k -C -t "$topic" -p 0 -o beginning -e > "$work/received"
    cmp -s "$work/sent" "$work/received" || fail "$topic: not what was sent"
  done
  bytes=$(stat -c %s "$work/data/$compression-false-0/00000000000000000000.log")
  echo "$compression: $count records came back, plain and idempotent; $bytes bytes on the disk"
  [[ $compression == none ]] && plain=$bytes || ((bytes < plain / 2)) || fail "$compression: librdkafka sent it uncompressed"
done

k -L | grep -q 'topic "zstd-true" with 3 partitions' || fail "metadata: $(k -L)"

printf 'k1:one\nk2:\n' | k -P -t keyed -p 1 -K : -Z -H colour=blue
[[ $(k -C -t keyed -p 1 -o beginning -e -f '%k|%S|%h;') == 'k1|3|colour=blue;k2|-1|colour=blue;' ]] || fail "keys, null values, headers"

k -Q -t "none-false:0:$(date -d '1 hour ago' +%s000)" | grep -q 'offset 0$' || fail "offset by time, an hour ago"
k -C -t none-false -p 0 -o -5 -e | cmp -s - <(tail -n 5 "$work/sent") || fail "the last five"
k -C -t none-false -p 0 -o 19990 -c 3 | cmp -s - <(sed -n 19991,19993p "$work/sent") || fail "from an offset"
k -Q -t none-false:0:-1 | grep -q "offset $count\$" || fail "last offset"

timeout 60 kcat -q -b "$at" -G readers -X auto.offset.reset=earliest -c 100 none-false > "$work/first" 2> /dev/null
timeout 60 kcat -q -b "$at" -G readers -X auto.offset.reset=earliest -c $((count - 100)) none-false > "$work/rest" 2> /dev/null
cat "$work/first" "$work/rest" | cmp -s - "$work/sent" || fail "the group did not go on where it was"

# start_member NAME   in the background; what it reads is in $work/NAME, what it is given in $work/NAME.err
start_member() {
  timeout 120 kcat -u -b "$at" -G sharers -X auto.offset.reset=earliest -X session.timeout.ms=6000 shares > "$work/$1" 2> "$work/$1.err" &
  members+=($!)
}
given() { # NAME   how many partitions it was given last
  sed -n 's/.* assigned: //p' "$work/$1.err" | tail -n 1 | grep -o '\[[0-9]*\]' | wc -l
}
until_so() { # WHAT CONDITION, evaluated again and again
  local waited
  for ((waited = 0; waited < 300; waited++)); do
    eval "$2" && return
    sleep 0.1
  done
  fail "not within 30 s: $1; $(cat "$work"/*.err)"
}

seq 1 3000 | sed 's/.*/&:&/' | k -P -t shares -K :
start_member one
until_so "the first member has all partitions and reads them" '(($(given one) == 3 && $(wc -l < "$work/one") == 3000))'
start_member two
until_so "two members share the partitions" '(($(given one) + $(given two) == 3 && $(given one) > 0 && $(given two) > 0))'
seq 3001 6000 | sed 's/.*/&:&/' | k -P -t shares -K :
until_so "both read on" '(($(cat "$work/one" "$work/two" | wc -l) >= 6000 && $(wc -l < "$work/two") > 0))'
kill "${members[@]}"
wait "${members[@]}" || true
members=()
sort -n "$work/one" "$work/two" | cmp -s - <(seq 1 6000) || fail "two members did not read everything once"
echo "metadata, keys, headers, offsets by time, a group that went on where it was, and one whose members shared"

stop_broker
grep -E ' (WARN|ERROR) ' "$work/broker.err" && fail "the broker complained" || true
echo "kcat $(kcat -V | sed -n 's/.*(\(.*librdkafka [^ ,]*\).*/\1/p'): all well"
