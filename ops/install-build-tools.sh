#!/usr/bin/env bash
# Installs what building kaka needs and this machine lacks, on Debian and its relatives: a JDK 17 or newer, and Maven.
# Does nothing, and asks for no rights, where both are there.
set -euo pipefail

has_jdk() {
  local version
  version=$(javac -version 2>&1) || return 1
  version=${version#javac }
  [[ ${version%%.*} =~ ^[0-9]+$ ]] && ((${version%%.*} >= 17))
}

missing=()
has_jdk || missing+=(jdk)
command -v mvn > /dev/null || missing+=(maven)
if ((${#missing[@]} == 0)); then
  exit 0
fi

if ! command -v apt-get > /dev/null; then
  echo "missing: ${missing[*]}, and there is no apt-get to install it with: install a JDK 17 or newer, and Maven" >&2
  exit 1
fi
as_root=()
if ((EUID != 0)); then
  as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq >&2
packages=()
for tool in "${missing[@]}"; do
  if [[ $tool == jdk ]]; then
    # Releases differ in which JDK they carry; all of these will do.
    for candidate in openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless; do
      if apt-cache show "$candidate" > /dev/null 2>&1; then
        packages+=("$candidate")
        break
      fi
    done
  else
    packages+=("$tool")
  fi
done
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}" >&2
has_jdk || { echo "the JDK installed is older than 17: $(javac -version 2>&1)" >&2; exit 1; }
