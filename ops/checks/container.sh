#!/usr/bin/env bash
# The image of ops/container/Dockerfile, held as compose.yaml holds it (nothing but its volume and tmpfs can be written, no capabilities): it
# runs as nobody's root, is healthy, takes every compression, stops in order, and keeps records in its volume; Prometheus takes the compose
# file's configuration. With docker or podman it is built and run; without, every step of the Dockerfile is done in a
# copy of this system that exists for this check only (an overlay; root), and its entry point runs there as its user would.
#   ops/checks/container.sh      exit 0 if so; says which of the two it was
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# compose.yaml's "tmpfs:" entries, PATH:OPTIONS
readarray -t scratch < <(sed -n '/^    tmpfs:$/,/^    [a-z_]*:/s/^      - \([^ ]*\).*/\1/p' "$root/ops/container/compose.yaml")
((${#scratch[@]} == 2)) || { echo "compose.yaml has ${#scratch[@]} tmpfs" >&2; exit 1; }

engine=
for each in docker podman; do
  if command -v "$each" > /dev/null && "$each" info > /dev/null 2>&1; then engine=$each && break; fi
done

if [[ -n $engine ]]; then
  image=kaka-check-$$ name=kaka-check-$$
  leave() {
    "$engine" rm -f "$name" > /dev/null 2>&1 || true
    "$engine" volume rm "$name" > /dev/null 2>&1 || true
    "$engine" rmi "$image" > /dev/null 2>&1 || true
    finish
  }
  trap leave EXIT
  "$engine" build -q -f "$root/ops/container/Dockerfile" -t "$image" "$root" > "$work/built"
  run() { "$engine" run -d --name "$name" --read-only "${scratch[@]/#/--tmpfs=}" --cap-drop ALL --security-opt no-new-privileges -v "$name:/var/lib/kaka" "$image" > /dev/null; }
  inside() { "$engine" exec "$@"; }
  in_it() { inside "$name" "$@"; }
  pipe_in() { inside -i "$name" "$@"; }
  stop() { "$engine" stop -t 60 "$name" > /dev/null && "$engine" inspect -f '{{.State.ExitCode}}' "$name" && "$engine" rm "$name" > /dev/null; }
else
  ((EUID == 0)) || { echo "needs docker, podman, or root" >&2; exit 2; }
  own_mounts "$@"
  copy_system
  for each in proc dev; do mount --bind "/$each" "$system/$each"; done
  leave() {
    [[ -z ${pid:-} ]] || put_down "$pid"
    umount -R "$system" 2> /dev/null || true
    finish
  }
  trap leave EXIT
  environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin) user= directory=/ entry=() command=() health=()
  words() { grep -o '"[^"]*"' <<< "$1" | tr -d '"'; } # of an instruction in exec form
  while read -r instruction rest; do
    case $instruction in
      RUN) chroot "$system" env -i "${environment[@]}" sh -ec "$rest" ;;
      COPY) install -D "$root/${rest% *}" "$system${rest#* }" ;;
      ENV) environment+=("$rest") ;;
      USER) user=$rest ;;
      WORKDIR) directory=$rest ;;
      ENTRYPOINT) readarray -t entry < <(words "$rest") ;;
      CMD) readarray -t command < <(words "$rest") ;;
      HEALTHCHECK) readarray -t health < <(words "$rest") ;;
    esac
  done < <(sed -e '/^#/d' -e ':a' -e '/\\$/N; s/\\\n//; ta' "$root/ops/container/Dockerfile")
  mount -t tmpfs -o "$(stat -c 'mode=%a,uid=%u,gid=%g' "$system$directory")" tmpfs "$system$directory" # its volume
  for each in "${scratch[@]}"; do # noexec unless it says otherwise, as docker has it
    options=noexec,nosuid,nodev
    [[ $each != *:* ]] || options+=,${each#*:}
    mount -t tmpfs -o "$options" tmpfs "$system${each%%:*}"
  done
  mount -o remount,ro "$system"
  java_home=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
  environment+=("JAVA_HOME=$java_home")
  as_user() { chroot "$system" setpriv --reuid "$user" --regid "$user" --clear-groups env -i "${environment[@]}" "$@"; }
  run() {
    # ports that are free here: the container would have its own
    rm -f "$work/out"
    chroot "$system" setpriv --reuid "$user" --regid "$user" --clear-groups env -i "${environment[@]}" KAKA_LISTEN_PORT=0 KAKA_ADMIN_PORT=0 \
      sh -c 'cd "$1" && shift && exec "$@"' sh "$directory" "${entry[@]}" "${command[@]}" > "$work/out" 2> "$work/err" &
    pid=$!
  }
  in_it() {
    local port admin
    port=$(sed -n 's/^kaka ready listen=.*:\([0-9]*\) .*/\1/p' "$work/out" 2> /dev/null || true)
    admin=$(sed -n 's|^metrics and health on http://.*:\([0-9]*\)$|\1|p' "$work/out" 2> /dev/null || true)
    as_user "KAKA_BROKER=127.0.0.1:${port:-1}" "KAKA_ADMIN=127.0.0.1:${admin:-1}" "$@"
  }
  pipe_in() { in_it "$@"; }
  stop() {
    kill -TERM "$pid"
    local code=0
    wait "$pid" || code=$?
    pid=
    echo "$code"
  }
fi

healthy() { # as HEALTHCHECK asks
  local waited
  for ((waited = 0; waited < 60; waited++)); do
    ! in_it "${health[@]:-/usr/bin/kaka status}" > "$work/status" 2>&1 || return 0
    sleep 1
  done
  return 1
}
[[ -n $engine ]] && health=(/usr/bin/kaka status)

run
check "it becomes healthy" "$(healthy && echo 1 || echo 0) == 1"
check "it is not root's" "$(in_it id -u) == 9092"
echo hello | pipe_in /usr/bin/kaka produce greetings 2> "$work/produced" || true
for each in gzip snappy lz4 zstd; do
  seq 1000 | pipe_in /usr/bin/kaka produce "$each" --compression "$each" > "$work/$each" 2>&1 || true
  check "it takes $each" "$(in_it /usr/bin/kaka consume "$each" --from earliest 2>> "$work/$each" | wc -l) == 1000"
done
stop > "$work/code" || true
check "it stops in order" "$(cat "$work/code") == 0"
run
check "it becomes healthy again" "$(healthy && echo 1 || echo 0) == 1"
check "it has kept the record" "$(in_it /usr/bin/kaka consume greetings --from earliest 2> /dev/null | grep -c '^hello$') == 1"
stop > "$work/stopped" || true
if command -v promtool > /dev/null; then
  mkdir "$work/prometheus"
  cp "$root/ops/container/prometheus.yml" "$root/ops/prometheus/kaka-alerts.yml" "$work/prometheus/" # as compose.yaml puts them
  check "Prometheus takes its configuration" "$(promtool check config "$work/prometheus/prometheus.yml" > "$work/promtool" 2>&1 && echo 1 || echo 0) == 1"
fi
if docker compose version > /dev/null 2>&1; then
  check "the compose file is one" "$(docker compose -f "$root/ops/container/compose.yaml" config -q > "$work/compose" 2>&1 && echo 1 || echo 0) == 1"
fi
((failed == 0)) || cat "$work"/{err,status,produced,gzip,snappy,lz4,zstd,promtool,compose} 2> /dev/null || true
echo "run by: ${engine:-the steps of the Dockerfile, in an overlay of this system}"
exit "$failed"
