# shellcheck shell=bash
# Sourced by every script: the repository's root, timed steps, and clean-up that always runs.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export ROOT

# With a closed stdin the next file opened would become descriptor 0.
[ -t 0 ] || exec </dev/null

AT_EXIT=()
STEP_NAME=''
STEP_TIMES=()

# at_exit COMMAND…: runs it when the script ends, however it ends; the last one added runs first.
at_exit() { AT_EXIT+=("$(printf '%q ' "$@")"); }

run_at_exit() {
  local code=$? index
  trap - EXIT
  set +e
  [ "$code" -eq 0 ] || [ -z "$STEP_NAME" ] || echo "failed in step: $STEP_NAME (exit code $code)" >&2
  for ((index = ${#AT_EXIT[@]} - 1; index >= 0; index--)); do eval "${AT_EXIT[index]}"; done
  exit "$code"
}
trap run_at_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# step NAME COMMAND…: runs it and prints how long it took. Never call it in a condition: that would
# switch `set -e` off inside the command.
step() {
  local name=$1 started=$SECONDS
  shift
  STEP_NAME=$name
  printf '\n==> %s\n' "$name"
  "$@"
  STEP_NAME=''
  STEP_TIMES+=("$(printf '%5d s  %s' $((SECONDS - started)) "$name")")
  printf '<== %s: %d s\n' "$name" $((SECONDS - started))
}

BESIDE=()

# beside NAME COMMAND…: runs it while the script goes on; it must not add to what is done at exit. Wait for it.
beside() {
  local name=$1 log
  shift
  log=$(mktemp)
  [ "${#BESIDE[@]}" -gt 0 ] || at_exit end_beside
  (
    started=$SECONDS
    "$@"
    printf '%s\n' "$((SECONDS - started))" >"$log.time"
  ) >"$log" 2>&1 &
  BESIDE+=("$! $log $name")
}

# wait_beside NAME…: waits for what `beside` began, then prints what it printed; fails when it failed.
wait_beside() {
  local one pid log name wanted code
  for wanted in "$@"; do
    for one in "${BESIDE[@]}"; do
      read -r pid log name <<<"$one"
      [ "$name" = "$wanted" ] || continue
      code=0
      wait "$pid" || code=$?
      printf '\n==> %s (beside the others)\n' "$name"
      cat "$log"
      [ "$code" -eq 0 ] || { echo "failed beside: $name (exit code $code)" >&2; return 1; }
      STEP_TIMES+=("$(printf '%5d s  %s, beside' "$(<"$log.time")" "$name")")
    done
  done
}

end_beside() {
  local one pid log _
  for one in "${BESIDE[@]}"; do
    read -r pid log _ <<<"$one"
    # Its children too: each is a process of its own below the subshell.
    kill $(pgrep -P "$pid") "$pid" 2>/dev/null
    rm -f "$log" "$log.time"
  done
}

step_summary() {
  printf '\n'
  printf '%s\n' "${STEP_TIMES[@]}"
  printf '%5d s  in all\n' "$SECONDS"
}

# The path of the debug build, which need not be there yet.
debug_binary() { echo "$(realpath -m "${CARGO_TARGET_DIR:-$ROOT/target}")/debug/toolcrib"; }

# as_root COMMAND…: directly when root, else with sudo.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

APT_UPDATED=''

# need_package PACKAGE COMMAND…: installs the Debian package when COMMAND (a test for it) fails.
need_package() {
  local package=$1
  shift
  if "$@" >/dev/null 2>&1; then return; fi
  command -v apt-get >/dev/null || { echo "\`$package\` is missing: install it" >&2; return 1; }
  echo "installing $package"
  if [ -z "$APT_UPDATED" ]; then
    as_root apt-get update -qq
    APT_UPDATED=yes
  fi
  install_quietly "$package"
  "$@" >/dev/null || { echo "\`$package\` was installed, but \`$*\` still fails" >&2; return 1; }
}

# Debian starts a server when its package is installed; a policy file keeps it from doing that.
install_quietly() (
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
    trap 'as_root rm -f "$policy"' EXIT
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null
)
