#!/usr/bin/env bash
# Shows that nothing acknowledged is lost: builds kaka, produces a real log file, kills the broker with -9, starts it again,
# consumes the topic and compares SHA-256 sums. Installs a JDK and Maven first where they are missing (Debian).
# Leaves nothing behind but the build in target/.
#
#   ops/demo.sh [FILE]     FILE, by default this machine's /var/log/dpkg.log, is what is sent
set -euo pipefail
export KAKA_ADMIN_PORT=off # there may be a broker here that has it
source_file=$(readlink -f "${1:-/var/log/dpkg.log}" || true)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*"; }

ops/install-build-tools.sh

say "building target/kaka.jar"
mvn -B -q -ntp package -DskipTests

work=$(mktemp -d)
broker=
finish() {
  [[ -z $broker ]] || { kill -9 "$broker" && wait "$broker"; } 2> /dev/null || true # bash need not say that it was killed
  rm -rf "$work"
}
trap finish EXIT

kaka() { java -jar target/kaka.jar "$@"; }

start_broker() {
  : > "$work/broker.out" # the ready line of the last start must not be taken for this one's
  java -jar target/kaka.jar --port 0 --dir "$work/data" > "$work/broker.out" &
  broker=$!
  until grep -q '^kaka ready ' "$work/broker.out"; do
    kill -0 "$broker" 2> /dev/null || { cat "$work/broker.out" >&2; exit 1; }
    sleep 0.1
  done
  cat "$work/broker.out"
  KAKA_BROKER=$(sed -n 's/^kaka ready listen=\([^ ]*\) .*/\1/p' "$work/broker.out")
  export KAKA_BROKER
}

# A copy, since the log may grow meanwhile.
file=$work/sent.log
if [[ -s $source_file && -r $source_file ]]; then
  cp "$source_file" "$file"
else
  source_file="this repository's own history and files"
  { git log --stat 2> /dev/null || true; cat README.md LICENSE; } > "$file"
fi

say "the file: $source_file, $(wc -l < "$file") lines, $(wc -c < "$file") bytes"
say "starting a broker on an empty directory"
start_broker

say "kaka produce demo < the file"
kaka produce demo < "$file"

say "kill -9 $broker, and start again"
kill -9 "$broker"
wait "$broker" 2> /dev/null || true
start_broker

say "kaka consume demo --from earliest"
kaka consume demo --from earliest > "$work/received.log"

say "what was sent and what came back"
(cd "$work" && sha256sum sent.log received.log)
kill "$broker"
wait "$broker"
broker=
if cmp "$work/sent.log" "$work/received.log"; then
  say "equal, byte for byte"
else
  say "NOT EQUAL"
  exit 1
fi
