#!/usr/bin/env bash
# kcat, and so librdkafka, against a broker: metadata, produce and consume with each compression, idempotent and not, offsets by
# time, a consumer group that goes on where it was. Installs kcat if it is missing and this is root.
#   ops/checks/kafka-clients.sh      exit 0 if everything came back as it was sent
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
if ! command -v kcat > /dev/null; then
  [[ $EUID -eq 0 ]] || { echo "kcat is missing: apt-get install kcat" >&2; exit 2; }
  apt-get install -y -q kcat > /dev/null
fi
count=20000

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
k -Q -t none-false:0:-1 | grep -q "offset $count\$" || fail "last offset"

timeout 60 kcat -q -b "$at" -G readers -X auto.offset.reset=earliest -c 100 none-false > "$work/first" 2> /dev/null
timeout 60 kcat -q -b "$at" -G readers -X auto.offset.reset=earliest -c $((count - 100)) none-false > "$work/rest" 2> /dev/null
cat "$work/first" "$work/rest" | cmp -s - "$work/sent" || fail "the group did not go on where it was"
echo "metadata, keys, headers, offsets by time, and a group that went on where it was"

stop_broker
grep -E ' (WARN|ERROR) ' "$work/broker.err" && fail "the broker complained" || true
echo "kcat $(kcat -V | sed -n 's/.*(\(.*librdkafka [^ ,]*\).*/\1/p'): all well"
