#!/usr/bin/env bash
# The alert rules by Prometheus's own tool (Debian: apt install prometheus): they parse, each fires where it should and none where all is
# well; and the page of a broker that works is what Prometheus takes.
#   ops/checks/alerts.sh     exit 0 if all of it is so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
command -v promtool > /dev/null || { echo "needs promtool: apt install prometheus" >&2; exit 2; }

promtool check rules "$root/ops/prometheus/kaka-alerts.yml"
promtool test rules "$root/ops/prometheus/kaka-alerts-test.yml"

start_broker "$work/data" --admin-port 0
admin=$(sed -n 's|^metrics and health on http://||p' "$work/broker.out")
"$java" -jar "$jar" topic create orders --partitions 3 --broker "${address/ /:}" > /dev/null
seq 1000 | "$java" -jar "$jar" produce orders --broker "${address/ /:}" 2> /dev/null
"$java" -jar "$jar" consume orders --from 0 -n 10 --broker "${address/ /:}" > /dev/null 2>&1
curl -sS "http://$admin/metrics" > "$work/page"
promtool check metrics < "$work/page" > "$work/lint" 2>&1 || true
grep -v '^\(jvm\|process\|system\)_' "$work/lint" > "$work/ours" || true # Micrometer's names are its own
cat "$work/ours"
check "Prometheus finds nothing wrong with kaka's metrics" "$(wc -l < "$work/ours") == 0"
check "the produced records are counted" "$(awk '/^kaka_produced_records_total/ { sum += $2 } END { print int(sum) }' "$work/page") == 1000"
"$java" -jar "$jar" status --admin "$admin"
stop_broker
exit "$failed"
