#!/usr/bin/env bash
# The alert rules by Prometheus itself (Debian: apt install prometheus): they parse, each fires on the series it is made for and none where
# all is well, and the page of a broker that works is what Prometheus takes. Then every alert is caused for real: brokers that are
# damaged, full, slow, short of memory, connections and descriptors, fallen behind, stopped; a Prometheus scrapes them every two seconds,
# with the rules' times shortened and nothing else changed; each must fire for the broker it should, and none for one that is well. Of it
# the dashboard's panels are asked, too.
#   ops/checks/alerts.sh     exit 0 if all of it is so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
command -v promtool > /dev/null && command -v prometheus > /dev/null || { echo "needs promtool and prometheus: apt install prometheus" >&2; exit 2; }

promtool check rules "$root/ops/prometheus/kaka-alerts.yml"
promtool test rules "$root/ops/prometheus/kaka-alerts-test.yml"

pids=()
leave() {
  ((${#pids[@]} == 0)) || put_down "${pids[@]}"
  finish
}
trap leave EXIT
# beside COMMAND...   until the end, in a process group of its own: what it has started ends with it
beside() {
  set -m
  "$@" > /dev/null 2>&1 &
  set +m
  pids+=("-$!")
}
kaka() { "$java" -Xmx128m -XX:TieredStopAtLevel=1 -Dkaka.logging.level=error -jar "$jar" "$@"; }
declare -A admin at
# start NAME [JVM OPTION | FLAG]...   a broker of that name, on directory NAME; at[NAME] and admin[NAME] are its addresses
start() {
  local name=$1
  shift
  start_broker "$work/$name" -Xmx256m --admin-port 0 "$@"
  pids+=("$broker")
  at[$name]=${address/ /:}
  admin[$name]=$(sed -n 's|^metrics and health on http://||p' "$work/broker.out")
  pid=$broker
  broker=
}
lines() { seq -f "line %09.0f $(printf '%080d' 0)" "$1"; }

# ---------------------------------------------------------------- the page of a broker that works
start well
kaka topic create orders --partitions 3 --broker "${at[well]}" > /dev/null
seq 1000 | kaka produce orders --broker "${at[well]}" 2> /dev/null
kaka consume orders --from 0 -n 10 --broker "${at[well]}" > /dev/null 2>&1
curl -sS "http://${admin[well]}/metrics" > "$work/page"
promtool check metrics < "$work/page" > "$work/lint" 2>&1 || true
grep -v '^\(jvm\|process\|system\)_' "$work/lint" > "$work/ours" || true # Micrometer's names are its own
cat "$work/ours"
check "Prometheus finds nothing wrong with kaka's metrics" "$(wc -l < "$work/ours") == 0"
check "the produced records are counted" "$(awk '/^kaka_produced_records_total/ { sum += $2 } END { print int(sum) }' "$work/page") == 1000"
kaka status --admin "${admin[well]}"

# ---------------------------------------------------------------- everything that can go wrong
# what was acknowledged is damaged: the newest segment, and the log of groups' offsets, of a broker that was killed
start damaged
lines 100 | kaka produce orders --broker "${at[damaged]}" 2> /dev/null
kaka consume orders --group readers -n 5 --broker "${at[damaged]}" > /dev/null 2>&1
put_down "$pid"
for file in orders-0 __offsets-0; do
  printf 'damage' | dd of="$work/damaged/$file/00000000000000000000.log" bs=1 seek=100 conv=notrunc status=none
done
start damaged
lines 1 | kaka produce orders --timeout-ms 3000 --broker "${at[damaged]}" > /dev/null 2>&1 || true # refused

# less is free than must be; and a disk that will be full in hours
start full -Dkaka.log.min-free-bytes=4PiB
free=$(df --output=avail -B1 "$work" | tail -n 1)
start filling -Dkaka.log.min-free-bytes=$((free - 3 * 1024 * 1024 * 1024))
grow() { while true; do lines 200000; done | kaka produce growing --broker "${at[filling]}"; }
beside grow

# syncs of 0.8 s
jar_program=("${broker_program[@]}")
broker_program=(-cp "$root/target/test-classes:$jar" kaka.cli.SlowDiskServe)
start slow -Dcheck.sync-delay-ms=800
broker_program=("${jar_program[@]}")
write_slowly() { while true; do echo slow; sleep 0.2; done | kaka produce orders --broker "${at[slow]}"; }
beside write_slowly

# a budget of 1 MiB
start small -Dkaka.memory.max-bytes=1MiB
ask_too_much() { while true; do head -c 3000000 /dev/zero | tr '\0' x | kaka produce orders --timeout-ms 500 --broker "${at[small]}" || true; done; }
beside ask_too_much

# as many connections as there may be
start crowded -Dkaka.connections.max=3
for i in 1 2 3; do exec {hold}<> "/dev/tcp/${at[crowded]%:*}/${at[crowded]#*:}"; done

# short of descriptors, once it is scraped
start short -Dkaka.connections.max=10000
short_pid=$pid

# a group that falls back, a transaction that nobody ends, and, once it is scraped, a compaction of what is damaged
start behind -Dkaka.log.segment-bytes=1MiB -Dkaka.log.retention-check-interval=1s
lines 10 | kaka produce read --broker "${at[behind]}" 2> /dev/null
kaka consume read --group readers -n 5 --broker "${at[behind]}" > /dev/null 2>&1
lines 150000 | kaka produce read --broker "${at[behind]}" 2> /dev/null
run_ahead() { while true; do lines 100; sleep 0.2; done | kaka produce read --broker "${at[behind]}"; }
beside run_ahead
"$java" -Xmx128m -Dkaka.logging.level=error -cp "$root/target/test-classes:$jar" kaka.checks.OpenTransaction "${at[behind]}" held > "$work/open" 2>&1 &
pids+=($!)
kaka topic create newest --partitions 1 --set segment.bytes=65536 --broker "${at[behind]}" > /dev/null
lines 2000 | kaka produce newest --key-separator ' ' --broker "${at[behind]}" 2> /dev/null

# ---------------------------------------------------------------- Prometheus
sed -E 's/^( +for: ).*/\110s/; s/\[[0-9]+[mh]\]/[20s]/g' "$root/ops/prometheus/kaka-alerts.yml" > "$work/rules.yml"
{
  printf 'global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}\nrule_files: [rules.yml]\nscrape_configs:\n  - job_name: kaka\n    static_configs:\n'
  for name in "${!admin[@]}"; do echo "      - {targets: ['${admin[$name]}'], labels: {instance: $name}}"; done
  echo "      - {targets: ['127.0.0.1:1'], labels: {instance: stopped}}"
} > "$work/prometheus.yml"
promtool check config "$work/prometheus.yml" > "$work/config" || { cat "$work/config"; exit 1; }
prometheus_port=$((20000 + RANDOM % 20000))
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" --web.listen-address="127.0.0.1:$prometheus_port" > "$work/prometheus.out" 2>&1 &
pids+=($!)

# ---------------------------------------------------------------- what is seen by a counter that grows
await_scraped() { # SERIES   so that what is caused now is an increase
  local waited
  for ((waited = 0; waited < 60; waited++)); do
    ! curl -sS -G "http://127.0.0.1:$prometheus_port/api/v1/query" --data-urlencode "query=count_over_time($1[1m]) > 1" 2> /dev/null |
      grep -q '"value"' || return 0
    sleep 1
  done
  check "$1 is there before anything happens" "0 == 1"
}
await_scraped 'kaka_compaction_runs_total{instance="behind",outcome="failed"}'
printf 'damage' | dd of="$work/behind/newest-0/00000000000000000000.log" bs=1 seek=20000 conv=notrunc status=none
kaka topic alter newest --set cleanup.policy=compact --set min.cleanable.dirty.ratio=0.01 --broker "${at[behind]}" > /dev/null
have_it_compacted() { while true; do lines 1 | kaka produce newest --key-separator ' ' --broker "${at[behind]}" || true; done; }
beside have_it_compacted

# Clients cannot take the descriptors that were counted at its start: with few of them there are fewer connections, which is
# KakaConnectionsAtLimit. So this one's limit is lowered while it runs, as if something else in the process had taken them.
await_scraped 'kaka_connections_limited_total{instance="short",limit="descriptors"}'
prlimit --pid "$short_pid" --nofile=$(($(find "/proc/$short_pid/fd" -mindepth 1 | wc -l) + 20)):
crowd() { while true; do sleep 1 | test_java -Xmx128m kaka.checks.Crowd hello "${at[short]%:*}" "${at[short]#*:}" 200 || true; done; }
beside crowd

# ---------------------------------------------------------------- what fires

expected="KakaCompactionFails behind
KakaConnectionsAtLimit crowded
KakaDescriptorsShort short
KakaDiskFillsSoon filling
KakaDiskNearlyFull full
KakaDown stopped
KakaGroupFallsBehind behind
KakaInternalLogFailed damaged
KakaNotReady damaged
KakaPartitionFailed damaged
KakaRefusesForWantOfMemory small
KakaSlowSync slow
KakaTransactionHangs behind"
check "every alert is caused here" "$(grep -c 'alert: ' "$work/rules.yml") == $(wc -l <<< "$expected")"
firing() { # ALERT INSTANCE, a line each, of those that fire
  curl -sS "http://127.0.0.1:$prometheus_port/api/v1/alerts" 2> /dev/null |
    sed 's/},{/}\n{/g' | grep '"state":"firing"' | sed -n 's/.*"alertname":"\([A-Za-z]*\)".*"instance":"\([a-z]*\)".*/\1 \2/p' | sort -u
}
seen=$work/seen
: > "$seen"
for ((waited = 0; waited < 120; waited++)); do
  firing >> "$seen" || true
  sort -u "$seen" -o "$seen"
  [[ -n $(comm -23 <(echo "$expected") "$seen") ]] || break
  sleep 1
done
while read -r alert instance; do
  check "$alert fires for the broker that is $instance" "$(grep -c "^$alert $instance$" "$seen") == 1"
done <<< "$expected"
# all are on one disk, which fills
check "none fires for the one that is well" "$(grep ' well$' "$seen" | grep -vc '^KakaDiskFillsSoon') == 0"

# ---------------------------------------------------------------- the dashboard
# Each panel's question has an answer, from all of these brokers together.
questions=0 unanswered=0
while read -r question; do
  questions=$((questions + 1))
  asked=$(sed 's/\\"/"/g; s/\$instance/.*/g; s/\[\$__rate_interval\]/[20s]/g' <<< "$question")
  curl -sS -G "http://127.0.0.1:$prometheus_port/api/v1/query" --data-urlencode "query=$asked" | grep "\"value\"" > /dev/null || { unanswered=$((unanswered + 1)) && echo "$asked"; }
done < <(sed -n 's/^ *"expr": "\(.*\)",\{0,1\}$/\1/p' "$root/ops/grafana/kaka.json")
check "each of the dashboard's $questions questions has an answer" "$questions > 40 && $unanswered == 0"
((failed == 0)) || { echo "seen:"; cat "$seen"; }
exit "$failed"
