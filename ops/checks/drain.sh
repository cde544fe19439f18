#!/usr/bin/env bash
# Stops under full load.
#   1. SIGTERM: ends with 0 within the bound; everything acknowledged is there; the next opening of the logs has nothing to repair.
#   2. SIGTERM twice: ends at once with 1; as safe as kill -9.
#   3. SIGTERM while a sync does not return: ends with 1 when kaka.shutdown-timeout, and 5 s, are over; as safe.
#   4. SIGTERM at moments of the start: ends with 0, and no ready line.
#   ops/checks/drain.sh [ROUNDS]      default 3 of 1; exit 0 if all of that held
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rounds=${1:-3}
options=(-Dkaka.topics.default-partitions=3 -Dkaka.log.segment-bytes=4MiB -Dkaka.shutdown-timeout=10s)
touch "$work/all"

start_flood() { # NAME
  : > "$work/$1"
  ack_check flood "$1" 3 12 32 10 200 60 "$work/$1" > "$work/flood" &
  flood=$!
  until [[ $(wc -l < "$work/$1") -gt 500 ]] || ! kill -0 "$flood" 2> /dev/null; do sleep 0.05; done
  sleep "$(random_seconds 0.2 1)"
}
end_flood() { # NAME
  wait "$flood" || true
  cat "$work/$1" >> "$work/all"
  sed 's/.*refused=/refused: /' "$work/flood"
}
ended_with() { # CODE, of the broker
  local code=0
  wait "$broker" || code=$?
  broker=
  check "ended with $1" "$code == $1"
}
verify() {
  local broker_program=(-jar "$jar")
  start_broker "$work/data" "${options[@]}"
  ack_check verify "$work/all" || failed=1
  stop_broker || failed=1
}

for ((i = 1; i <= rounds; i++)); do
  echo "== SIGTERM under load, $i"
  start_broker "$work/data" "${options[@]}"
  start_flood "stopped-$i"
  started=$(date +%s%N)
  kill "$broker"
  ended_with 0
  took=$((($(date +%s%N) - started) / 1000000))
  echo "stopped in $took ms"
  check "within the bound" "$took < 15000"
  check "nothing worth a warning" "$(grep -c ' WARN \| ERROR ' "$work/broker.err") == 0"
  end_flood "stopped-$i"
  test_java kaka.checks.RecoveryCheck "$work/data" > "$work/recovery" || { echo "FAILED: something was left to repair"; failed=1; }
  grep "stopped-$i" "$work/recovery"
  verify
done

# On a disk whose syncs can be held up, so that the stop is still under way when the time comes.
broker_program=(-cp "$root/target/test-classes:$jar" kaka.cli.SlowDiskServe)
start_stuck() { # NAME
  start_broker "$work/data" "${options[@]}" -Dkaka.shutdown-timeout=3s "-Dcheck.stuck-file=$work/no-sync"
  start_flood "$1"
  touch "$work/no-sync"
  sleep 0.5
  started=$(date +%s%N)
  kill "$broker"
}
end_stuck() { # NAME MOST_MS
  ended_with 1
  took=$((($(date +%s%N) - started) / 1000000))
  echo "stopped in $took ms: $(tail -n 1 "$work/broker.err")"
  check "no later than it may" "$took < $2"
  rm "$work/no-sync"
  end_flood "$1"
}

echo "== SIGTERM twice"
start_stuck twice
sleep 0.5
kill "$broker"
end_stuck twice 3000
verify

echo "== SIGTERM while a sync does not return"
start_stuck stuck
end_stuck stuck 12000
verify
broker_program=(-jar "$jar")

echo "== SIGTERM while it starts"
for delay in 0.5 1 1.5 2 3; do
  "$java" "${broker_program[@]}" serve --port 0 --dir "$work/data" > "$work/broker.out" 2> "$work/broker.err" &
  broker=$!
  sleep "$delay"
  kill "$broker"
  code=0
  wait "$broker" || code=$?
  broker=
  ready=$(grep -c '^kaka ready' "$work/broker.out" || true)
  # Before the program runs at all, the JVM's own 143; after the ready line, a stop like any other.
  echo "after $delay s: code=$code ready=$ready"
  check "no failure" "$code == 0 || ($code == 143 && $ready == 0)"
  check "nothing worth a warning" "$(grep -c " WARN \| ERROR \|Exception" "$work/broker.err") == 0"
done
verify
exit "$failed"
