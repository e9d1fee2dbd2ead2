# shellcheck shell=bash
# Sourced after common.sh: Node 22 and the packages of the tests and examples that need it.

# The newest of the long-term line that the MCP conformance suite asks for; older ones of Debian lack it.
NODE_MAJOR=22

# ensure_node: finds Node 22, or gets it as an npm package into .node, and puts it first on PATH.
ensure_node() {
  need_package npm command -v npm
  if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt "$NODE_MAJOR" ]; then
    [ -x "$ROOT/.node/node_modules/.bin/node" ] ||
      npm install --silent --no-audit --no-fund --no-save --prefix "$ROOT/.node" "node@$NODE_MAJOR"
    PATH=$ROOT/.node/node_modules/.bin:$PATH
    export PATH
  fi
}

# npm_packages FOLDER: installs what its package-lock.json lists, when that is missing or has changed.
npm_packages() {
  local lock=$1/package-lock.json stamp=$1/node_modules/.toolcrib.stamp
  cmp -s "$lock" "$stamp" && return
  (cd "$1" && npm ci --silent --no-audit --no-fund)
  cp "$lock" "$stamp"
}
