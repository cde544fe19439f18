#!/usr/bin/env bash
# The tests whose input is random, four times as much of it as in the build's own run (-Dkaka.rounds=4), each time with another seed,
# which they print: -Dkaka.seed=N repeats it.
#   ops/checks/seeds.sh [ROUNDS]      default 10, some minutes each; exit 0 if all pass
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"
tests=$(grep -rlE 'TestSeed.get\(\)|TestRounds' src/test/java --include='*Test.java' | sed 's|.*/||; s|\.java$||' | paste -sd,)
for ((round = 1; round <= ${1:-10}; round++)); do
  mvn -q -B -o test -Dkaka.seed=random -Dkaka.rounds=4 -Dtest="$tests" > "$work/out" 2>&1 || { cat "$work/out"; exit 1; }
  echo "round $round: all passed"
done
