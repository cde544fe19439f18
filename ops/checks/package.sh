#!/usr/bin/env bash
# What ops/package.sh makes: the tarball runs where it is unpacked; the Debian package installs, runs, upgrades, goes, and leaves
# the records; service.sh has it under systemd. Wants root: the package is installed into a copy of this system that exists for this check only (an overlay).
#   ops/checks/package.sh      exit 0 if so
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
((EUID == 0)) || { echo "needs root" >&2; exit 2; }
own_mounts "$@"
"$root/ops/package.sh" > "$work/packages"
tarball=$root/$(grep 'gz$' "$work/packages") deb=$root/$(grep 'deb$' "$work/packages")

# runs KAKA DIRECTORY [COMMAND...]: a broker of that launcher, under COMMAND, keeps a line through a restart
runs() {
  local kaka=$1 directory=$2 pid out=$work/ready run
  shift 2
  for run in first second; do
    "$@" "$kaka" serve --port 0 --dir "$directory" > "$out" 2> "$work/err" &
    pid=$!
    until grep -q '^kaka ready ' "$out"; do kill -0 "$pid" 2> /dev/null || { cat "$out" "$work/err"; return 1; }; sleep 0.1; done
    local at
    at=$(sed -n 's/^kaka ready listen=\([^ ]*\) .*/\1/p' "$out")
    [[ $run == second ]] || echo "hello" | "$@" "$kaka" produce --broker "$at" greetings 2> /dev/null
    [[ $("$@" "$kaka" consume --broker "$at" --from earliest greetings 2> /dev/null) == hello ]] || return 1
    kill "$pid"
    wait "$pid" || return 1
  done
}

# astray DIRECTORY: the links of its documents that lead nowhere
astray() {
  local document link
  for document in README.md ops/OPERATION.md ops/RUNBOOK.md; do
    grep -oE '\]\([^):#]+(#[a-z-]+)?\)' "$1/$document" | sort -u | while read -r link; do
      link=${link#](}
      link=${link%)}
      [[ -e $(dirname "$1/$document")/${link%#*} ]] || echo "$document: $link"
    done
  done
}

tar -C "$work" -xzf "$tarball"
check "its documents lead nowhere astray" "$(astray "$work"/kaka-* | wc -l) == 0"
check "its README leads to the metrics' names, the manual and the runbook" "$(grep -oE '\]\((METRICS.md|ops/OPERATION.md|ops/RUNBOOK.md)\)' "$work"/kaka-*/README.md | sort -u | wc -l) == 3"
check "the tarball's kaka serves, and keeps what it was given" "$(KAKA_CACHE='' runs "$work"/kaka-*/bin/kaka "$work/tar-data" > "$work/said" 2>&1 && echo 1 || echo 0) == 1"

copy_system
for each in proc dev; do mount --bind "/$each" "$system/$each"; done
mount -t tmpfs tmpfs "$system/run" # no systemd is running there
leave() {
  umount "$system/run" "$system/dev" "$system/proc" "$system" 2> /dev/null || true
  finish
}
trap leave EXIT
in_system() { chroot "$system" "$@"; }
cp "$deb" "$system/tmp/kaka.deb"

check "it installs" "$(in_system dpkg --force-depends -i /tmp/kaka.deb > "$work/dpkg" 2>&1 && echo 1 || echo 0) == 1"
check "its documents lead nowhere astray" "$(astray "$system/usr/share/doc/kaka" | wc -l) == 0"
check "it makes its user" "$(in_system getent passwd kaka | wc -l) == 1"
as_kaka=(chroot "$system" setpriv --reuid kaka --regid kaka --clear-groups env -i PATH=/usr/bin:/bin KAKA_CACHE=)
in_system install -d -o kaka -g kaka -m 750 /var/lib/kaka
check "its kaka serves as that user" "$(runs /usr/bin/kaka /var/lib/kaka "${as_kaka[@]}" > "$work/said" 2>&1 && echo 1 || echo 0) == 1"
check "its service is one that systemd takes" "$(in_system systemd-analyze verify /usr/lib/systemd/system/kaka.service > "$work/unit" 2>&1 && echo 1 || echo 0) == 1"
echo '# mine' >> "$system/etc/kaka/application.conf"
in_system dpkg --force-depends -i /tmp/kaka.deb > "$work/dpkg" 2>&1
check "an upgrade keeps the settings" "$(grep -c '^# mine' "$system/etc/kaka/application.conf") == 1"
in_system dpkg -r kaka > "$work/dpkg" 2>&1
check "removed, it is gone" "$(find "$system/usr/share/kaka" "$system/usr/bin/kaka" 2> /dev/null | wc -l) == 0"
in_system dpkg -P kaka > "$work/dpkg" 2>&1
check "purged, its settings are gone" "$(find "$system/etc/kaka" 2> /dev/null | wc -l) == 0"
check "the records are left" "$(find "$system/var/lib/kaka/greetings-0" -name '*.log' | wc -l) == 1"
((failed == 0)) || cat "$work/dpkg" "$work/unit" "$work/said"
exit "$failed"
