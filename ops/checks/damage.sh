#!/usr/bin/env bash
# Damages files of a stopped, or killed, broker at random: flipped bits and zeroed blocks in data, indexes, recovery points and the
# small files, one at a time, each in a fresh copy. The broker must start, serve every other partition whole, and of the damaged
# one serve what was acknowledged or refuse with file, position and advice; kaka log check must name the file.
#   ops/checks/damage.sh [DAMAGES] [SEED]      default 500; prints the seed; exit 0 if nothing wrong was served
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
"$java" -Dkaka.logging.level=error \
  -cp "$root/target/test-classes:$jar" kaka.checks.DamageCheck "${@:-500}" 2> "$work/log" || { tail -n 20 "$work/log" >&2; exit 1; }
