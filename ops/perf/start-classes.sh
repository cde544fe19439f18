#!/usr/bin/env bash
# Writes the lists of classes in src/main/resources/kaka/cli: what a start of the broker loads, and what its first Kafka client
# makes it load then, each in its order, but for those that the JVM's own archive has or that are made at run time. To be run when a
# library's version or much of kaka has changed, with Java 17, after mvn -B package; then package again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scratch=$(mktemp -d)
trap 'kill "$broker" 2> /dev/null; wait "$broker" || true; rm -rf "$scratch"' EXIT
mkdir -p "$scratch/kaka/cli"
touch "$scratch/kaka/cli/start-classes.txt" "$scratch/kaka/cli/first-client-classes.txt" # found first: nothing is loaded for the old lists' sake
java -Xlog:class+load:file="$scratch/loaded" -cp "$scratch:target/kaka.jar" kaka.cli.Main --port 0 --admin-port 0 --dir "$scratch/data" > "$scratch/out" &
broker=$!
until grep -qs "^kaka ready" "$scratch/out"; do
  kill -0 "$broker"
  sleep 0.1
done

# write LIST FROM: from that line of the log on
write() {
  local list=src/main/resources/kaka/cli/$1
  sed -n "$2"',$ { s/^\[[^]]*\]\[[^]]*\]\[[^]]*\] *//; s/ source: \(file\|jrt\):.*//p }' "$scratch/loaded" | grep -v -e Lambda -e / > "$scratch/list"
  mv "$scratch/list" "$list"
  echo "$(wc -l < "$list") classes in $list"
}

write start-classes.txt 1
first=$(($(wc -l < "$scratch/loaded") + 1))
java -cp target/kaka.jar ops/perf/FirstClient.java "$(sed -n 's/^kaka ready listen=\([^ ]*\).*/\1/p' "$scratch/out")" > /dev/null
write first-client-classes.txt "$first"
