#!/usr/bin/env bash
# The Debian package's service, by a real systemd: it starts with the installation and counts as started when kaka is ready, serves from its
# sandbox, stops in order, comes back after a kill -9 with what was acknowledged, and a configuration that is wrong is not tried again and
# again. That systemd is the first process of namespaces of its own (processes, network, mounts, control groups), in a copy of this system;
# nothing of it is left. Wants root, systemd, and control groups of version 1 or 2.
#   ops/checks/service.sh      exit 0 if so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
((EUID == 0)) && [[ -x /lib/systemd/systemd ]] || { echo "needs root, and systemd" >&2; exit 2; }
own_mounts "$@"
deb=$root/$("$root/ops/package.sh" deb)
copy_system
cp "$deb" "$system/root/kaka.deb"
# a unit that wants nothing but what a service needs: no udev, no login, no network set up
printf '[Unit]\nRequires=sysinit.target\n' > "$system/etc/systemd/system/check.target"

groups=/sys/fs/cgroup/systemd
[[ -d $groups ]] || groups=/sys/fs/cgroup
mkdir "$groups/kaka-check-$$"
# Runs as the first process there, with the copy as its root.
first() {
  set -e
  local node
  mount -t proc proc "$system/proc"
  mount --bind "$system/proc/sys" "$system/proc/sys"
  mount -o remount,bind,ro "$system/proc/sys"
  mount -t sysfs -o ro sysfs "$system/sys"
  if [[ $groups == */systemd ]]; then
    mount -t tmpfs tmpfs "$system/sys/fs/cgroup"
    mkdir "$system/sys/fs/cgroup/systemd"
    mount -t cgroup -o none,name=systemd cgroup "$system/sys/fs/cgroup/systemd"
  else
    mount -t cgroup2 cgroup2 "$system/sys/fs/cgroup"
  fi
  mount -t tmpfs tmpfs "$system/run"
  mount -t tmpfs -o mode=1777 tmpfs "$system/tmp"
  mount -t tmpfs -o mode=755 tmpfs "$system/dev"
  for node in null zero full random urandom tty; do
    touch "$system/dev/$node"
    mount --bind "/dev/$node" "$system/dev/$node"
  done
  mkdir "$system/dev/pts" "$system/dev/shm" "$system/dev/mqueue" "$system/dev/hugepages"
  mount -t devpts devpts "$system/dev/pts"
  mount -t tmpfs tmpfs "$system/dev/shm"
  ln -s pts/ptmx "$system/dev/ptmx"
  ln -s /proc/self/fd "$system/dev/fd"
  ip link set lo up
  cd "$system"
  pivot_root . mnt
  exec env -i container=kaka-check PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . \
    /bin/sh -c 'umount -l /mnt && exec /lib/systemd/systemd --system --unit=check.target --log-target=null --show-status=no'
}
export -f first
export system groups
(
  echo "$BASHPID" > "$groups/kaka-check-$$/cgroup.procs"
  exec unshare --cgroup --pid --fork --kill-child --net --uts --ipc --mount --propagation private bash -c first
) > "$work/systemd" 2>&1 &
outside=$!
leave() {
  kill -9 "$(pgrep -P "$outside" || echo "$outside")" 2> /dev/null || true # the first process, and all others inside with it
  wait "$outside" 2> /dev/null || true
  umount -R -l "$mounted" 2> /dev/null || true
  find "$groups/kaka-check-$$" -depth -type d -exec rmdir {} \; 2> /dev/null || true
  finish
}
trap leave EXIT
await() { # COMMAND...   half a minute
  local waited
  for ((waited = 0; waited < 300; waited++)); do
    ! "$@" > /dev/null 2>&1 || return 0
    sleep 0.1
  done
  return 1
}
inside() { nsenter -t "$(pgrep -P "$outside")" -a env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin KAKA_CACHE= "$@"; }
is_up() { inside systemctl is-active check.target; }
await is_up || { echo "systemd did not start here:" >&2; cat "$work/systemd" >&2; exit 2; }
of() { inside systemctl show kaka --value -p "$1"; } # a property of the service
holds() { if "$@" > "$work/said" 2>&1; then echo 1; else echo 0; fi; }

check "it installs" "$(holds inside dpkg --force-depends -i /root/kaka.deb) == 1"
check "and is started, which means ready" "$(of StatusText | grep -c '^ready listen=127.0.0.1:9092 dir=/var/lib/kaka ') == 1"
check "and will be with each boot" "$(inside systemctl is-enabled kaka | grep -c '^enabled$') == 1"
check "its status is good" "$(holds inside kaka status) == 1"
check "its user is kaka" "$(inside ps -o user= -p "$(of MainPID)" | grep -c '^kaka') == 1"
files=$(ulimit -Hn) # more than that nothing here may have
[[ $files != unlimited ]] && ((files < 65536)) || files=65536
check "it may open $files files" "$(inside grep -c "^Max open files *$files " "/proc/$(of MainPID)/limits") == 1"
cannot_write() { inside nsenter -t "$(of MainPID)" -m touch /usr/share/kaka/x; }
check "of the system it can write nothing but its own" "$(holds cannot_write) == 0"
inside sh -c 'echo one | kaka produce greetings' 2> /dev/null
check "it serves" "$(inside kaka consume greetings --from earliest 2> /dev/null | grep -c '^one$') == 1"
made() { inside find /var/cache/kaka -name 'serve-*.jsa' | wc -l; }
for ((waited = 0; waited < 60 && $(made) == 0; waited++)); do sleep 1; done
check "meanwhile the class archive of its next start has been made" "$(made) == 1"

inside systemctl stop kaka
check "it stops in order" "$(of Result | grep -c '^success$') == 1 && $(of ExecMainStatus) == 0"
inside systemctl start kaka
killed=$(of MainPID)
inside kill -9 "$killed"
is_another() { [[ $(of ActiveState) == active && $(of MainPID) != "$killed" ]]; }
check "killed, it is started again" "$(holds await is_another) == 1"
check "and has what was acknowledged" "$(inside kaka consume greetings --from earliest 2> /dev/null | grep -c '^one$') == 1"

inside sh -c 'echo "kaka.listen.port = many" >> /etc/kaka/application.conf'
check "an upgrade whose settings are wrong is an upgrade" "$(holds inside dpkg --force-depends -i /root/kaka.deb) == 1"
check "and says that kaka did not start" "$(grep -c 'kaka did not start' "$work/said") == 1"
check "which is not tried again" "$(of ActiveState | grep -c '^failed$') == 1 && $(of ExecMainStatus) == 2 && $(of NRestarts) <= 1"
inside sh -c 'sed -i "/many/d" /etc/kaka/application.conf'
check "mended, it starts" "$(holds inside systemctl start kaka) == 1"
check "removed, it has stopped" "$(holds inside dpkg -r kaka) == 1 && $(inside pgrep -c java || true) == 0"
check "systemd finds it little exposed" "$(holds systemd-analyze security --offline=true --threshold=25 "$root/ops/kaka.service") == 1"
grep -i 'overall exposure' "$work/said" || true
((failed == 0)) || cat "$work/said"
exit "$failed"
