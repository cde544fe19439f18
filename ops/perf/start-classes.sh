#!/usr/bin/env bash
# Writes src/main/resources/kaka/cli/start-classes.txt: the classes that a start of the broker loads, in their order, but for those
# that the JVM's own archive has or that are made at run time. To be run when a library's version or much of kaka has changed, with
# Java 17, after mvn -B package; then package again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scratch=$(mktemp -d)
trap 'kill "$broker" 2> /dev/null; wait "$broker" || true; rm -rf "$scratch"' EXIT
mkdir -p "$scratch/kaka/cli" && touch "$scratch/kaka/cli/start-classes.txt" # found first: nothing is loaded for the old list's sake
java -Xlog:class+load:file="$scratch/loaded" -cp "$scratch:target/kaka.jar" kaka.cli.Main --port 0 --admin-port 0 --dir "$scratch/data" > "$scratch/out" &
broker=$!
until grep -qs "^kaka ready" "$scratch/out"; do
  kill -0 "$broker"
  sleep 0.1
done

list=src/main/resources/kaka/cli/start-classes.txt
sed -n 's/^\[[^]]*\]\[[^]]*\]\[[^]]*\] *//; s/ source: \(file\|jrt\):.*//p' "$scratch/loaded" | grep -v -e Lambda -e / > "$scratch/list"
mv "$scratch/list" "$list"
echo "$(wc -l < "$list") classes in $list"
