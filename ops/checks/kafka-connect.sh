#!/usr/bin/env bash
# Kafka Connect, standalone, with its file source and file sink: what is written to one file goes through a topic into another. The
# worker is stopped and started again with more lines waiting, and goes on where it was on both sides: no line is left out, none comes
# twice. Then the broker is killed with -9 while lines come in: every line arrives; Connect itself may send some again.
# Needs Maven, which fetches Kafka Connect (see peers/lib.sh), and a JDK; installs nothing else.
#   ops/checks/kafka-connect.sh [LINES]      default 5000, three times; exit 0 if so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
peers_pom=connect/pom.xml
source "$(dirname "${BASH_SOURCE[0]}")/peers/lib.sh"
lines=${1:-5000}

worker=
finish_all() {
  [[ -z $worker ]] || put_down "$worker"
  finish
}
trap finish_all EXIT

start_worker() {
  cat > "$work/worker.properties" << PROPERTIES
bootstrap.servers=${address/ /:}
listeners=http://127.0.0.1:0
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
offset.storage.file.filename=$work/offsets
offset.flush.interval.ms=500
PROPERTIES
  cat > "$work/source.properties" << PROPERTIES
name=source
connector.class=org.apache.kafka.connect.file.FileStreamSourceConnector
tasks.max=1
file=$work/in
topic=lines
PROPERTIES
  cat > "$work/sink.properties" << PROPERTIES
name=sink
connector.class=org.apache.kafka.connect.file.FileStreamSinkConnector
tasks.max=1
file=$work/out
topics=lines
PROPERTIES
  "${kafka[@]}" org.apache.kafka.connect.cli.ConnectStandalone \
    "$work/worker.properties" "$work/source.properties" "$work/sink.properties" >> "$work/worker.out" 2>&1 &
  worker=$!
}
stop_worker() {
  kill "$worker"
  local code=0
  wait "$worker" || code=$?
  worker=
  ((code == 0 || code == 143)) || fail "the worker ended with $code"
}
fail() {
  echo "FAILED: $*" >&2
  tail -n 40 "$work/worker.out" >&2
  exit 1
}
await_lines() { # COUNT
  local waited
  for ((waited = 0; waited < 1200; waited++)); do
    (($(wc -l < "$work/out") >= $1)) && return
    kill -0 "$worker" 2> /dev/null || fail "the worker has ended"
    sleep 0.1
  done
  fail "$(wc -l < "$work/out") of $1 lines after 2 minutes"
}
stored() { "$java" -jar "$jar" consume lines --from earliest --broker "${address/ /:}" 2> /dev/null; }

touch "$work/out"
start_broker "$work/data"
port=${address#* }
seq -f 'line %.0f' 1 "$lines" > "$work/in"
start_worker
await_lines "$lines"
cmp "$work/in" "$work/out" || fail "what came out is not what went in"
echo "$lines lines went through"

stop_worker
seq -f 'line %.0f' $((lines + 1)) $((2 * lines)) >> "$work/in"
start_worker
await_lines $((2 * lines))
cmp "$work/in" "$work/out" || fail "after a restart of the worker: what came out is not what went in"
stored | cmp - "$work/in" || fail "after a restart of the worker: what is in the topic is not what went in"
echo "after a restart the worker goes on where it was, reading and writing"

seq -f 'line %.0f' $((2 * lines + 1)) $((3 * lines)) | while read -r line; do
  echo "$line"
  ((${line#line } % 500)) || sleep 0.2
done >> "$work/in" &
writer=$!
await_lines $((2 * lines + lines / 5))
kill_broker
start_broker "$work/data"
wait "$writer"
await_lines $((3 * lines))
stop_worker
sort -u "$work/out" | cmp - <(sort -u "$work/in") || fail "after kill -9 of the broker: lines are missing"
unexpected=$(complaints)
[[ -z $unexpected ]] || fail "the broker complained: $unexpected"
stop_broker
echo "after kill -9 of the broker every line arrived, $(($(wc -l < "$work/out") - 3 * lines)) of them twice"
