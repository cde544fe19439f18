#!/usr/bin/env bash
# Packs target/kaka.jar (mvn -B package) for other machines, into target/:
#   kaka-VERSION.tar.gz       unpack anywhere, run bin/kaka; brings the jar, the launcher, application.conf and the service unit
#   kaka_VERSION_all.deb      the same in Debian's places, with a user of its own and the service: apt install ./kaka_VERSION_all.deb
#   ops/package.sh [tar|deb]      default: both
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -f target/kaka.jar ]] || { echo "build first: mvn -B package" >&2; exit 2; }
what=${1:-both}
version=$(java -jar target/kaka.jar --version | sed -n 's/^kaka \([^, ]*\).*/\1/p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stamp=@$(stat -c %Y target/kaka.jar) # the same jar makes the same package
# A jar is compressed already: more than the least effort only takes time.
reproducible=(--sort=name --mtime="$stamp" --owner=0 --group=0 --numeric-owner)

# documents DIRECTORY: README and what it leads to, as far as a user of the packed kaka wants it; other links become plain text.
documents() {
  local to=$1 document link
  install -d "$to" "$to/ops"
  install -m 644 METRICS.md src/main/java/kaka/protocol/PROTOCOL.md "$to/"
  cp -r ops/grafana ops/prometheus "$to/ops/"
  chmod -R u=rwX,go=rX "$to/ops"
  for document in README.md ops/OPERATION.md ops/RUNBOOK.md; do
    sed 's|(src/main/java/kaka/protocol/PROTOCOL.md)|(PROTOCOL.md)|g' "$document" > "$to/$document"
    chmod 644 "$to/$document"
  done
  for document in README.md ops/OPERATION.md ops/RUNBOOK.md; do
    grep -oE '\]\([^):#]+(#[a-z-]+)?\)' "$to/$document" | sort -u | while read -r link; do
      link=${link#](}
      link=${link%)}
      [[ -e $(dirname "$to/$document")/${link%#*} ]] || sed -i "s|\[\([^]]*\)\]($link)|\1|g" "$to/$document"
    done
  done
}

pack_tar() {
  local name=kaka-$version
  local root=$work/$name
  install -D -m 755 ops/kaka "$root/bin/kaka"
  install -m 644 target/kaka.jar "$root/bin/kaka.jar" # beside the launcher, where it looks first
  install -m 644 application.conf LICENSE ops/kaka.service "$root/"
  documents "$root"
  tar -C "$work" "${reproducible[@]}" -cf - "$name" | gzip -1n > "target/$name.tar.gz"
  echo "target/$name.tar.gz"
}

pack_deb() {
  local root=$work/deb
  install -D -m 644 target/kaka.jar "$root/usr/share/kaka/kaka.jar"
  install -D -m 755 ops/kaka "$root/usr/bin/kaka"
  install -D -m 644 application.conf "$root/etc/kaka/application.conf"
  install -D -m 644 LICENSE "$root/usr/share/doc/kaka/copyright"
  documents "$root/usr/share/doc/kaka"
  install -d "$root/usr/lib/systemd/system"
  sed '/^# A service unit/,/^#   systemctl/d' ops/kaka.service > "$root/usr/lib/systemd/system/kaka.service"
  chmod 644 "$root/usr/lib/systemd/system/kaka.service"
  install -d "$root/DEBIAN"
  echo /etc/kaka/application.conf > "$root/DEBIAN/conffiles"
  cat > "$root/DEBIAN/control" << CONTROL
Package: kaka
Version: $version
Architecture: all
Maintainer: the kaka project <kaka@localhost>
Section: database
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: openjdk-17-jre-headless | java17-runtime-headless | java21-runtime-headless | java25-runtime-headless, adduser
Description: durable log broker in one jar
 Topics of append-only, partitioned records in Kafka's data model, for one machine.
 An acknowledgement means on disk, memory is bounded, and Kafka's clients work.
CONTROL
  cat > "$root/DEBIAN/postinst" << 'POSTINST'
#!/bin/sh
set -e
if [ "$1" = configure ]; then
  getent passwd kaka > /dev/null || adduser --system --group --quiet --home /var/lib/kaka --no-create-home --shell /usr/sbin/nologin kaka
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl enable --quiet kaka
    if [ -n "$2" ]; then do=restart; else do=start; fi
    systemctl $do kaka || echo "kaka did not start: journalctl -u kaka says why" >&2
  fi
fi
POSTINST
  cat > "$root/DEBIAN/prerm" << 'PRERM'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --quiet --now kaka
fi
PRERM
  # The records stay, whatever is removed: they are the user's to delete.
  cat > "$root/DEBIAN/postrm" << 'POSTRM'
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = purge ]; then
  rm -rf /var/cache/kaka
  [ ! -d /var/lib/kaka ] || echo "kaka's records are left in /var/lib/kaka" >&2
fi
POSTRM
  chmod 755 "$root"/DEBIAN/{postinst,prerm,postrm}
  SOURCE_DATE_EPOCH=${stamp#@} dpkg-deb --root-owner-group -Zgzip -z1 -b "$root" "target/kaka_${version}_all.deb" > /dev/null
  echo "target/kaka_${version}_all.deb"
}

case $what in
  tar) pack_tar ;;
  deb) pack_deb ;;
  both) pack_tar; pack_deb ;;
  *) echo "usage: ops/package.sh [tar|deb]" >&2; exit 2 ;;
esac
