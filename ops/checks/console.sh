#!/usr/bin/env bash
# The web console in a real Chromium: every view, against what the broker's other commands say; keyboard, phone width, light and dark;
# what changes something really does, and read-only refuses it; a damaged partition; the broker killed and started again.
# Installs chromium (Debian's), node and npm where they are missing, for which it has to be root; npm fetches playwright-core into a
# scratch directory.
#   ops/checks/console.sh [DIRECTORY]      screenshots of each view go there (default target/console-shots); exit 0 if all was as it should be
# PARTS="messages keys" runs only these parts, in that order (see console/check.js).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
shots=$(realpath -m "${1:-$root/target/console-shots}")

packages=()
command -v chromium > /dev/null || packages+=(chromium fonts-inter fonts-dejavu-core)
command -v node > /dev/null || packages+=(nodejs)
command -v npm > /dev/null || packages+=(npm)
if ((${#packages[@]} > 0)); then
  ((EUID == 0)) || { echo "needs ${packages[*]} (Debian: apt-get install ${packages[*]})" >&2; exit 2; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends "${packages[@]}" > /dev/null 2>&1 \
    || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}" > /dev/null; }
fi

# A partition may have two files open, so where the limit cannot be raised there are fewer.
ulimit -n "$(ulimit -Hn)"
limit=$(ulimit -n)
many=10000
[[ $limit == unlimited ]] || ((limit >= 2 * many + 600)) || many=$(((limit - 600) / 2 / 100 * 100))
echo "$many partitions, in one topic and in topics of a hundred (open files: $limit)"

cp -r "$root/ops/checks/console" "$work/console"
(cd "$work/console" && npm install --silent --no-audit --no-fund --no-package-lock)
mkdir -p "$shots"
MANY=$many JAVA=$java JAR=$jar WORK=$work SHOTS=$shots CHROMIUM=$(command -v chromium) timeout 900 node "$work/console/check.js"
