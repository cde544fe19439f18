#!/usr/bin/env bash
# kafkajs, a Kafka client in JavaScript, against a broker: producer, transactions, consumer groups, administration (kafkajs/check.js).
# Needs node and npm, which fetches kafkajs into a scratch directory; installs nothing else.
#   ops/checks/kafkajs.sh      exit 0 if all came out as it should
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
for tool in node npm; do
  command -v "$tool" > /dev/null || { echo "needs $tool (Debian: apt-get install npm)" >&2; exit 2; }
done

cp -r "$root/ops/checks/kafkajs" "$work/kafkajs"
(cd "$work/kafkajs" && npm install --silent --no-audit --no-fund --no-package-lock)

start_broker "$work/data" -Dkaka.groups.initial-rebalance-delay=500ms
timeout 300 node "$work/kafkajs/check.js" "${address/ /:}"
stop_broker
if grep -E ' (WARN|ERROR) ' "$work/broker.err"; then
  echo "the broker complained, see above" >&2
  exit 1
fi
echo "kafkajs $(node -p "require('$work/kafkajs/node_modules/kafkajs/package.json').version"): all well"
