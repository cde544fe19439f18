#!/usr/bin/env bash
# Power cuts on a real filesystem (root; packages xfsprogs, e2fsprogs): the data is on a loop-mounted filesystem, which is shut
# down in mid-flood without flushing its own journal, so that whatever was not synced is gone, as after a power cut. The broker is
# killed, the filesystem mounted again, the broker started again: every record ever acknowledged must be there.
#   ops/checks/powercut.sh [CUTS] [ext4|xfs] [every-ack|interval|never] [native|kafka|transactions]
#     every-ack  (default) exit 0 if nothing acknowledged was lost
#     interval   fsync-interval = 1s: exit 0 if nothing was lost but of the last interval, and the sync's own time
#     never      shows that this check can fail: the broker's syncs are switched off; exit 0 if records WERE lost
# The load is that of kill.sh; by default the native one, and only that one where something may be lost.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/load.sh"
cuts=${1:-20} filesystem=${2:-ext4} durability=${3:-every-ack} load=${4:-native}
[[ $durability == every-ack || $load == native ]] || { echo "$durability goes with native only" >&2; exit 2; }
[[ $EUID == 0 ]] || { echo "needs root: it mounts a filesystem" >&2; exit 2; }
own_mounts "$@"
command -v xfs_io > /dev/null || { echo "needs xfs_io (package xfsprogs)" >&2; exit 2; }

options=(-Dkaka.log.segment-bytes=4MiB -Dkaka.topics.default-partitions=2)
allowed=()
case $durability in
  every-ack) ;;
  interval) options+=(--fsync-interval-ms 1000) allowed=(2000) ;; # the interval, and as much again for the sync itself
  never) broker_program=(-cp "$root/target/test-classes:$jar" kaka.broker.UnsyncedBroker) ;;
  *) echo "every-ack, interval or never, not $durability" >&2; exit 2 ;;
esac

truncate -s 2G "$work/disk"
"mkfs.$filesystem" -q "$work/disk"
mkdir "$work/mount"
mount_disk() {
  mount -o loop "$work/disk" "$work/mount"
  mounted=$work/mount
}
mount_disk

lossy=0
for ((i = 1; i <= cuts; i++)); do
  start_broker "$work/mount/data" "${options[@]}"
  port=${address#* } # the load goes on there
  start_load "$i" 2 512
  await_load 500
  sleep "$(random_seconds 0.5 2.5)"
  xfs_io -x -c shutdown "$work/mount"
  kill_broker
  [[ $load != transactions ]] || ((i % 2)) || kill_load
  umount "$work/mount"
  mount_disk

  if ! start_broker "$work/mount/data" "${options[@]}" 2> "$work/start.err"; then
    [[ $durability == never ]] || { cat "$work/start.err"; exit 1; }
    echo "cut $i: $(wc -l < "$journal") requests acknowledged, and now: $(grep -m 1 -o 'damaged.*\. Nothing' "$work/start.err")"
    lossy=$((lossy + 1))
    end_load
    rm -rf "$work/mount/data"
    continue
  fi
  # Where loss is allowed or wanted, each cut is looked at by itself: a later one must not be charged with an earlier one's.
  end_load
  code=0
  result=$(verify_load "$([[ $durability == every-ack ]] && echo all || echo last)" "${allowed[@]}") || code=$?
  echo "cut $i: $result"
  [[ $code == 0 ]] || lossy=$((lossy + 1))
  [[ $durability == never ]] && kill_broker && continue
  stop_broker || { echo "cut $i: the broker did not stop cleanly"; exit 1; }
done

echo "$cuts power cuts on $filesystem, durability $durability, load $load: $lossy with loss or damage beyond what is allowed"
if [[ $durability == never ]]; then [[ $lossy -gt 0 ]]; else [[ $lossy == 0 ]]; fi
