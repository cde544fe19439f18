#!/usr/bin/env bash
# Kafka's own command-line tools against a broker, each as a person runs it, and what they print and exit with: topics, console producer
# and consumer, perf producer and consumer, end-to-end latency, verifiable producer and consumer, groups (list, describe with lag, members
# and state, reset, delete), offsets, deletion of records, settings, transactions, log dump, and those that say what the broker is.
# Needs Maven, which fetches the tools (see peers/lib.sh), and a JDK; installs nothing else.
#   ops/checks/kafka-tools.sh      exit 0 if all of it came out as it should
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/peers/lib.sh"

# tool CLASS ARGUMENT...   what it prints is in $work/out afterwards, of both streams; it must end with 0
tool() {
  local class=org.apache.kafka.tools.$1
  shift
  kafka_program "$class" "$@" > "$work/out" 2>&1 || fail "$class $* ended with $?"
}
refused() { # the same, and it must not end with 0, or print an error
  local class=org.apache.kafka.tools.$1
  shift
  if kafka_program "$class" "$@" > "$work/out" 2>&1 && ! grep -qi 'error' "$work/out"; then
    fail "$class $* was not refused"
  fi
}
prints() { # PATTERN, extended
  grep -Eq -- "$1" "$work/out" || fail "did not print: $1"
}
fail() {
  echo "FAILED: $*" >&2
  [[ ! -f $work/out ]] || tail -n 40 "$work/out" >&2
  exit 1
}

member=
finish_all() {
  [[ -z $member ]] || put_down "$member"
  finish
}
trap finish_all EXIT

start_broker "$work/data" -Dkaka.log.segment-bytes=1MiB
at=${address/ /:}
bootstrap=(--bootstrap-server "$at")

tool TopicCommand "${bootstrap[@]}" --create --topic made --partitions 3 --replication-factor 1 --config retention.ms=3600000
prints 'Created topic made'
tool TopicCommand "${bootstrap[@]}" --describe --topic made
prints 'PartitionCount: 3.*ReplicationFactor: 1.*retention.ms=3600000'
prints 'Partition: 2.*Leader: 1.*Replicas: 1.*Isr: 1'
tool TopicCommand "${bootstrap[@]}" --alter --topic made --partitions 4
tool TopicCommand "${bootstrap[@]}" --describe --topic made
prints 'PartitionCount: 4'
tool TopicCommand "${bootstrap[@]}" --list
prints '^made$'
tool TopicCommand "${bootstrap[@]}" --describe --unavailable-partitions
[[ ! -s $work/out ]] || fail "partitions are unavailable"
refused TopicCommand "${bootstrap[@]}" --create --topic made
prints TopicExistsException
refused TopicCommand "${bootstrap[@]}" --create --topic many --replication-factor 3
prints InvalidReplicationFactorException
echo "ok: topics"

seq 1 1000 | sed 's/.*/key&:value &/' > "$work/sent"
kafka_program org.apache.kafka.tools.ConsoleProducer "${bootstrap[@]}" --topic console --compression-codec lz4 \
  --reader-property parse.key=true --reader-property key.separator=: < "$work/sent" > "$work/out" 2>&1 || fail "console producer"
tool consumer.ConsoleConsumer "${bootstrap[@]}" --topic console --from-beginning --max-messages 1000 --group readers \
  --formatter-property print.key=true --formatter-property key.separator=:
grep '^key' "$work/out" | cmp - "$work/sent" || fail "the console consumer did not print what was produced"
echo "ok: console producer and consumer"

tool ProducerPerformance --topic perf --num-records 50000 --record-size 200 --throughput -1 \
  --command-property "bootstrap.servers=$at" acks=all compression.type=zstd
prints '^50000 records sent.*99.9th'
tool ProducerPerformance --topic perf-transactions --num-records 5000 --record-size 200 --throughput -1 --transaction-duration-ms 100 \
  --command-property "bootstrap.servers=$at"
prints '^5000 records sent'
tool ConsumerPerformance "${bootstrap[@]}" --topic perf --num-records 50000 --group perf-readers
[[ $(awk -F ', ' 'END { print $5 }' "$work/out") -ge 50000 ]] || fail "the perf consumer did not read 50000 records"
tool EndToEndLatency "${bootstrap[@]}" --topic latency --num-records 500 --producer-acks all --record-size 100
prints 'Percentiles: 50th = [0-9]+'
echo "ok: perf producer, with transactions too, and consumer; end-to-end latency"

tool VerifiableProducer "${bootstrap[@]}" --topic verified --max-messages 2000 --acks -1 --value-prefix 7
prints '"sent":2000,"acked":2000'
tool VerifiableConsumer "${bootstrap[@]}" --topic verified --group-id verified --max-messages 2000 --reset-policy earliest
prints '"name":"offsets_committed".*"success":true'
[[ $(grep -o '"name":"records_consumed","count":[0-9]*\|"count":[0-9]*,"name":"records_consumed"' "$work/out" | grep -o '[0-9]*' | awk '{ n += $1 } END { print n }') == 2000 ]] \
  || grep -q '"count":2000' "$work/out" || fail "the verifiable consumer did not read 2000 records"
echo "ok: verifiable producer and consumer"

groups=(consumer.group.ConsumerGroupCommand "${bootstrap[@]}")
tool "${groups[@]}" --list
prints '^readers$'
tool "${groups[@]}" --describe --group readers
prints '^readers +console +0 +1000 +1000 +0 '
seq 1 50 | "$java" -jar "$jar" produce console --broker "$at" > /dev/null
tool "${groups[@]}" --describe --group readers
prints '^readers +console +0 +1000 +1050 +50 '
tool "${groups[@]}" --describe --group readers --state
prints '^readers .*Empty +0'
tool "${groups[@]}" --reset-offsets --group readers --topic console:0 --to-offset 900 --dry-run
prints '^readers +console +0 +900'
tool "${groups[@]}" --describe --group readers
prints '^readers +console +0 +1000 '
tool "${groups[@]}" --reset-offsets --group readers --topic console --shift-by -10 --execute
tool "${groups[@]}" --describe --group readers
prints '^readers +console +0 +990 +1050 +60 '
tool "${groups[@]}" --reset-offsets --group readers --topic console --to-earliest --execute
prints '^readers +console +0 +0'
tool "${groups[@]}" --reset-offsets --group readers --all-topics --to-datetime 2000-01-01T00:00:00.000 --execute
prints '^readers +console +0 +0'
tool "${groups[@]}" --reset-offsets --group readers --topic console --to-latest --execute
prints '^readers +console +0 +1050'
"${kafka[@]}" org.apache.kafka.tools.consumer.ConsoleConsumer "${bootstrap[@]}" --topic console --group readers > /dev/null 2>&1 &
member=$!
for ((waited = 0; ; waited++)); do
  tool "${groups[@]}" --describe --group readers --members --verbose
  grep -q 'console:0' "$work/out" && break
  ((waited < 30)) || fail "no member within 30 tries"
done
prints '^readers .*console-consumer.*/127.0.0.1'
refused "${groups[@]}" --reset-offsets --group readers --topic console --to-earliest --execute
refused "${groups[@]}" --delete --group readers
kill "$member"
wait "$member" 2> /dev/null || true
member=
tool "${groups[@]}" --delete-offsets --group readers --topic console
prints 'console +0 +Successful'
tool "${groups[@]}" --delete --group perf-readers
prints 'successful'
tool GroupsCommand "${bootstrap[@]}" --list
prints '^verified +(Classic|Consumer) '
echo "ok: groups: lag, members, state, reset, delete"

tool GetOffsetShell "${bootstrap[@]}" --topic console
prints '^console:0:1050$'
tool GetOffsetShell "${bootstrap[@]}" --topic console --time earliest
prints '^console:0:0$'
tool GetOffsetShell "${bootstrap[@]}" --topic console --time max-timestamp
prints '^console:0:[0-9]+$'
printf '{"partitions":[{"topic":"console","partition":0,"offset":600}],"version":1}' > "$work/delete.json"
tool DeleteRecordsCommand "${bootstrap[@]}" --offset-json-file "$work/delete.json"
prints 'console-0.*low_watermark: 600'
tool GetOffsetShell "${bootstrap[@]}" --topic console --time earliest
prints '^console:0:600$'
echo "ok: offsets, deletion of records"

tool ConfigCommand "${bootstrap[@]}" --alter --entity-type topics --entity-name made --add-config segment.bytes=2097152,retention.ms=60000
tool ConfigCommand "${bootstrap[@]}" --describe --entity-type topics --entity-name made
prints 'segment.bytes=2097152 .*DYNAMIC_TOPIC_CONFIG'
tool ConfigCommand "${bootstrap[@]}" --alter --entity-type topics --entity-name made --delete-config segment.bytes
tool ConfigCommand "${bootstrap[@]}" --describe --entity-type topics --entity-name made
prints 'retention.ms=60000'
! grep -q 'segment.bytes=2097152' "$work/out" || fail "a deleted setting is still there"
tool ConfigCommand "${bootstrap[@]}" --describe --entity-type brokers --entity-name 1 --all
prints 'log.segment.bytes=1048576'
refused ConfigCommand "${bootstrap[@]}" --alter --entity-type topics --entity-name made --add-config no.such.setting=1
echo "ok: settings"

tool TransactionsCommand "${bootstrap[@]}" list
prints 'CompleteCommit'
id=$(awk '/CompleteCommit/ { print $1; exit }' "$work/out")
tool TransactionsCommand "${bootstrap[@]}" describe --transactional-id "$id"
prints 'CompleteCommit'
tool TransactionsCommand "${bootstrap[@]}" describe-producers --topic perf-transactions --partition 0
prints 'ProducerId'
tool TransactionsCommand "${bootstrap[@]}" find-hanging --broker-id 1
[[ $(wc -l < "$work/out") -le 1 ]] || fail "transactions hang"
echo "ok: transactions"

segment=$(find "$work/data/console-0" -name '*.log' | sort | head -n 1)
tool DumpLogSegments --files "$segment" --print-data-log --deep-iteration
prints 'isvalid: true'
prints 'key: key1000 payload: value 1000'
! grep -q 'isvalid: false' "$work/out" || fail "a batch is not valid"
tool DumpLogSegments --files "$(find "$work/data/perf-transactions-0" -name '*.log' | sort | head -n 1)" --print-data-log
prints 'endTxnMarker: COMMIT'
echo "ok: log dump"

tool BrokerApiVersionsCommand "${bootstrap[@]}"
prints '\(id: 1 .*\) -> \('
prints 'Fetch\(1\): 4 to'
tool ClusterTool cluster-id "${bootstrap[@]}"
prints 'Cluster ID: .+'
tool LogDirsCommand "${bootstrap[@]}" --describe --topic-list perf
prints '"partition":"perf-0","size":[0-9]+'
tool TopicCommand "${bootstrap[@]}" --delete --topic made
tool TopicCommand "${bootstrap[@]}" --list
! grep -q '^made$' "$work/out" || fail "a deleted topic is listed"
rm "$work/out"

unexpected=$(complaints)
[[ -z $unexpected ]] || fail "the broker complained: $unexpected"
stop_broker
echo "Kafka's tools: all well"
