# shellcheck shell=bash
# Sourced after common.sh: one Python virtual environment for tests and linters, in .venv.

# ensure_venv: builds .venv when it is missing or when a list of requirements changed. It has the client from its sources.
ensure_venv() {
  local lists=("$ROOT"/{tests/deploy,tests/sdk,tests/mcp,tests/openapi,tests/clients,examples/python,scripts/lib}/requirements.txt)
  local stamp=$ROOT/.venv/requirements.stamp client=$ROOT/clients/python
  if [ -x "$ROOT/.venv/bin/python" ] && cat "${lists[@]}" "$client/pyproject.toml" | cmp -s - "$stamp"; then return; fi
  need_package python3-venv python3 -c 'import ensurepip, venv'
  rm -rf "$ROOT/.venv"
  python3 -m venv "$ROOT/.venv"
  "$ROOT/.venv/bin/pip" install --quiet --disable-pip-version-check "${lists[@]/#/--requirement=}" --editable "$client"
  cat "${lists[@]}" "$client/pyproject.toml" >"$stamp"
}
