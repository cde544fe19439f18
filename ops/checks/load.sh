# The loads of kill.sh and powercut.sh; sourced by them, after lib.sh. Which one it is, they say in load: native, kafka or transactions.
# Every start of a load has a journal of its own, of what was answered.
load_pid=
journal=

# start_load NAME PARTITIONS VALUE_BYTES   against the running broker; sets journal and load_pid
start_load() {
  local name=$1 partitions=$2 bytes=$3 host=${address% *} at=${address#* }
  journal=$work/journal-$name
  : > "$journal"
  local run=("$java" -Xmx512m -Dkaka.logging.level=error -cp "$root/target/test-classes:$jar")
  case $load in
    native) run+=(kaka.checks.AckCheck flood "$host" "$at" "flood-$name" "$partitions" $((2 * partitions)) 16 10 "$bytes" 60 "$journal") ;;
    kafka) run+=(kaka.checks.AckCheck kafka-flood "$host" "$at" "flood-$name" "$partitions" 3 "$bytes" 120 "$journal") ;;
    transactions) run+=(kaka.checks.TransactionCheck flood "$host" "$at" "run-$name" 4 "$journal") ;;
    *) echo "native, kafka or transactions, not $load" >&2; exit 2 ;;
  esac
  "${run[@]}" > "$work/load" 2>&1 & # the process itself is to be signalled
  load_pid=$!
}

# await_load LINES   more of them in the journal, or the end of the load
await_load() {
  local from waited
  from=$(wc -l < "$journal")
  for ((waited = 0; waited < 1200; waited++)); do
    (($(wc -l < "$journal") < from + $1)) || return 0
    kill -0 "$load_pid" 2> /dev/null || return 0
    sleep 0.05
  done
  echo "FAILED: the load does not go on" >&2
  tail -n 20 "$work/load" >&2
  exit 1
}

kill_load() {
  put_down "$load_pid"
  load_pid=
}

# Native connections end with their broker. The others are to go on with it, for a while, and then to end in order.
end_load() {
  [[ -n $load_pid ]] || return 0
  local code=0
  if [[ $load != native ]]; then
    await_load 100
    kill "$load_pid" 2> /dev/null || true
  fi
  wait "$load_pid" || code=$?
  load_pid=
  if [[ $load == kafka && $code != 0 || $load == transactions && $code != 143 ]]; then
    echo "FAILED: the load ended with $code" >&2
    tail -n 20 "$work/load" >&2
    exit 1
  fi
}

# verify_load all | last   against the journals of all loads, or of the last one; more arguments go to the ack check
verify_load() {
  local which=$1
  shift
  if [[ $which == all ]]; then cat "$work"/journal-* > "$work/journal"; else cp "$journal" "$work/journal"; fi
  if [[ $load == transactions ]]; then
    # shellcheck disable=SC2086 # address is host and port
    test_java -Dkaka.logging.level=error kaka.checks.TransactionCheck verify $address "$work/journal"
  else
    ack_check verify "$work/journal" "$@"
  fi
}
