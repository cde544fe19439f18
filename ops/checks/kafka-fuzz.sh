#!/usr/bin/env bash
# Mutated frames of Kafka's protocol, a million of them, against a broker with a small heap: it stays up, logs nothing unexpected,
# and holds nothing in the end; records produced before are read back after.
#   ops/checks/kafka-fuzz.sh [FRAMES [SEED]]      default 1000000, by chance; exit 0 if nobody was disturbed
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
frames=${1:-1000000}

# The test's classes need Kafka's, which are in the jar.
fuzz() { "$java" -cp "$root/target/test-classes:$jar" -Dkaka.logging.level=warn kaka.kafka.KafkaFuzz "$@"; }

start_broker "$work/data" -Xmx256m -Dkaka.memory.max-bytes=64MiB
seq 1 10000 > "$work/sent"
"$java" -jar "$jar" produce before --broker "${address/ /:}" < "$work/sent" > /dev/null
# shellcheck disable=SC2086 # address is host and port
fuzz $address "$frames" ${2:-}
"$java" -jar "$jar" consume before --from earliest --broker "${address/ /:}" | cmp - "$work/sent"
kill -0 "$broker" || { cat "$work/broker.err"; exit 1; }
stop_broker
if grep -E ' (WARN|ERROR) ' "$work/broker.err"; then
  echo "unexpected in the log, see above" >&2
  exit 1
fi
echo "$frames frames, nobody disturbed"
