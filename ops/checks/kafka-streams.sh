#!/usr/bin/env bash
# A word count by Kafka Streams with exactly-once-v2, interrupted twice in the middle while lines still come in: the application is
# asked to stop, is killed with -9, or the broker is. Each time it is started again. Every update of every count must be there once, in
# order, the totals must be those of an independent count, the internal topics be as Streams asked, and no transaction be left open.
# Needs Maven, which fetches Kafka Streams and its RocksDB (see peers/lib.sh), and a JDK; installs nothing else.
#   ops/checks/kafka-streams.sh [LINES [stop | kill-application | kill-broker]...]      default 20000, all three; exit 0 if so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/peers/lib.sh"
lines=${1:-20000}
(($# > 1)) && ways=("${@:2}") || ways=(stop kill-application kill-broker)
updates=$((lines * 5)) # so many words has a line

compile WordCount.java
word_count() {
  local mode=$1
  shift
  kafka_program WordCount "$mode" "${address/ /:}" "$@"
}

application=
finish_all() {
  [[ -z $application ]] || put_down "$application"
  finish
}
trap finish_all EXIT

start_application() {
  "${kafka[@]}" WordCount count "${address/ /:}" "$work/$way/state" >> "$work/$way/application.out" 2>&1 &
  application=$!
}
end_application() { # SIGNAL
  kill "-$1" "$application"
  wait "$application" 2> /dev/null || true
  application=
}
fail() {
  echo "FAILED: $*" >&2
  tail -n 40 "$work/$way/application.out" >&2
  exit 1
}

interrupt() {
  case $way in
    stop) end_application TERM && start_application ;;
    kill-application) end_application KILL && start_application ;;
    kill-broker)
      kill_broker
      start_broker "$work/$way/data" "${options[@]}"
      ;;
    *) echo "stop, kill-application or kill-broker, not $way" >&2; exit 2 ;;
  esac
}

options=(-Dkaka.log.segment-bytes=4MiB)
for way in "${ways[@]}"; do
  echo "== $way"
  mkdir -p "$work/$way"
  port=0
  start_broker "$work/$way/data" "${options[@]}"
  port=${address#* }
  word_count create
  word_count feed 0 $((lines / 2))
  word_count feed $((lines / 2)) "$lines" &
  feeder=$!
  start_application
  for part in 10 50; do
    at=$(word_count await $((updates * part / 100))) || fail "too few updates"
    kill -0 "$application" 2> /dev/null || fail "the application has ended"
    echo "$way after $at of $updates updates"
    ((at < updates)) || fail "it was done before it could be interrupted: take more lines"
    interrupt
  done
  wait "$feeder" || fail "not every line went in"
  word_count await "$updates" > /dev/null || fail "too few updates"
  kill -0 "$application" 2> /dev/null || fail "the application has ended"
  end_application TERM
  word_count verify "$lines" || fail "see above"
  unexpected=$(complaints)
  [[ -z $unexpected ]] || fail "the broker complained: $unexpected"
  stop_broker
done
echo "every word was counted once"
