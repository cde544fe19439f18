#!/usr/bin/env bash
# A full disk (root): a 64 MiB filesystem is filled under load.
#   1. with kaka.log.min-free-bytes: writes are refused before a file is torn, reads go on, and writes resume by themselves,
#      without a restart, when a topic is deleted; nothing acknowledged is lost.
#   2. without it: the write that meets ENOSPC is fail-stop, what was acknowledged can be read, the next start on the full disk
#      succeeds and has it too.
#   ops/checks/fulldisk.sh [SECONDS]      for so long, 20 unless told, writes go on against what fills up; exit 0 if all of that held
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[[ $EUID == 0 ]] || { echo "needs root: it mounts a filesystem" >&2; exit 2; }
own_mounts "$@"

kaka() { "$java" -jar "$jar" "$@" --broker "${address/ /:}"; }
seconds=${1:-20}
flood() { # TOPIC JOURNAL [SECONDS]   what was refused
  ack_check flood "$1" 1 4 16 4 4000 "${3:-$seconds}" "$2"
}
verify() { # JOURNAL WHAT
  local result
  result=$(ack_check verify "$1") || { echo "$2: $result"; exit 1; }
  echo "$2: $result"
}

truncate -s 64M "$work/disk"
mkfs.ext4 -q -m 0 "$work/disk"
mkdir "$work/mount"
mount -o loop "$work/disk" "$work/mount"
mounted=$work/mount

echo "== writes are refused below min-free-bytes"
start_broker "$work/mount/data" -Dkaka.log.min-free-bytes=16MiB -Dkaka.log.segment-bytes=1MiB
first=$broker
head -c 15000000 /dev/urandom | base64 | kaka produce ballast # 20 MB in lines
flood orders "$work/orders" | tee "$work/refused"
grep -q 'disk nearly full' "$work/refused"
verify "$work/orders" "reads on the full disk"

echo "== they resume when space returns"
kaka topic delete ballast > /dev/null
sleep 2 # free space is looked at once a second
before=$(wc -l < "$work/orders")
flood orders "$work/orders" 2 > /dev/null
[[ $(wc -l < "$work/orders") -gt $before ]] || { echo "no write was taken after the deletion"; exit 1; }
[[ $broker == "$first" ]] && kill -0 "$broker"
verify "$work/orders" "after space returned, same process"
stop_broker

echo "== ENOSPC in the middle of a write"
start_broker "$work/mount/data" -Dkaka.log.min-free-bytes=0 -Dkaka.log.segment-bytes=1MiB
# Somebody else takes the space at one stroke: a broker that has just looked would still refuse in time, so it may take some tries.
for ((try = 1; ; try++)); do
  before=$(wc -l < "$work/orders")
  flood orders "$work/orders" 4 > "$work/refused" &
  flood=$!
  until [[ $(wc -l < "$work/orders") -gt $before ]] || ! kill -0 "$flood" 2> /dev/null; do sleep 0.05; done
  head -c 64M /dev/zero > "$work/mount/hog" 2> /dev/null || true
  wait "$flood"
  cat "$work/refused"
  ! grep -q 'storage failed' "$work/refused" || break
  ((try < 10)) || { echo "never met ENOSPC"; exit 1; }
  rm "$work/mount/hog"
  sleep 2
done
verify "$work/orders" "reads of the failed partition"
kill_broker
start_broker "$work/mount/data" -Dkaka.log.min-free-bytes=0
df --output=avail -k "$work/mount" | tail -1
verify "$work/orders" "after a start on the full disk"
stop_broker
echo "a full disk lost nothing"
