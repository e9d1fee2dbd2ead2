# shellcheck shell=bash
# Sourced after common.sh: PostgreSQL and Redis for the tests, on free ports, gone when the script ends. And the programs
# that some tests start by themselves: Prometheus and Alertmanager.
#
#   services_start     starts the first two, exports TEST_PG_URL and TEST_REDIS_URL, and finds the others
#   services_psql …    psql as the superuser of that server
#
# A variable that is already set is kept and its server is left alone, so scripts that call each other share one
# pair. The names do not begin with the product's own prefix, whose unknown variables are errors.

SERVICES_DIR=''
SERVICES_REDIS_PID=''
SERVICES_PG_BIN=''

services_start() {
  need_package prometheus command -v promtool
  need_package prometheus-alertmanager command -v prometheus-alertmanager
  need_package openssl command -v openssl
  if [ -n "${TEST_PG_URL:-}" ] && [ -n "${TEST_REDIS_URL:-}" ]; then return; fi
  # Short, because the path of a Unix socket has a limit of about 100 bytes, and summaries show 50 characters of a value.
  SERVICES_DIR=$(mktemp -d "$(services_base)/tc.XXXXXX")
  chmod 711 "$SERVICES_DIR"
  at_exit services_stop
  mkdir -m 1777 "$SERVICES_DIR/tmp"
  export TMPDIR=$SERVICES_DIR/tmp
  [ -n "${TEST_PG_URL:-}" ] || services_start_postgres
  [ -n "${TEST_REDIS_URL:-}" ] || services_start_redis
}

# Where the servers' data and the tests' temporary files are: in memory, if 8 GiB are free there. Each test has a database
# of its own, and on a disk a third of the processor's time goes to the making and deleting of their files.
services_base() {
  local free
  free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
  if [ -z "${SERVICES_DURABLE:-}" ] && [ "${free:-0}" -gt $((8 << 20)) ]; then echo /dev/shm; else echo /tmp; fi
}

services_stop() {
  if [ -n "$SERVICES_REDIS_PID" ]; then
    kill "$SERVICES_REDIS_PID" 2>/dev/null
    wait "$SERVICES_REDIS_PID" 2>/dev/null
  fi
  if [ -f "$SERVICES_DIR/pg/postmaster.pid" ]; then
    services_as_postgres "$SERVICES_PG_BIN/pg_ctl" -D "$SERVICES_DIR/pg" -m immediate -w stop >/dev/null
  fi
  rm -rf "${SERVICES_DIR:?}"
}

services_psql() {
  PGOPTIONS='-c client_min_messages=warning' "$(services_find_pg)/psql" -X -q -v ON_ERROR_STOP=1 "$TEST_PG_URL" "$@"
}

# The newest server on the machine, where Debian puts it or on the PATH.
services_find_pg() {
  local found
  found=$(find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1)
  [ -n "$found" ] || found=$(command -v initdb) || return 1
  dirname "$found"
}

# initdb and postgres refuse to run as root.
services_as_postgres() (
  cd /
  if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
)

# A port below the range that the kernel hands out, on which nobody listens now.
services_free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 10000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

services_start_postgres() {
  local data=$SERVICES_DIR/pg port try
  need_package postgresql services_find_pg
  SERVICES_PG_BIN=$(services_find_pg)
  mkdir -m 700 "$data"
  [ "$(id -u)" -ne 0 ] || chown postgres: "$data"
  services_as_postgres "$SERVICES_PG_BIN/initdb" -D "$data" --username=postgres --auth=trust \
    --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions >/dev/null
  services_postgres_settings | services_as_postgres tee -a "$data/postgresql.conf" >/dev/null
  for try in 1 2 3 4 5; do
    port=$(services_free_port)
    if services_as_postgres "$SERVICES_PG_BIN/pg_ctl" -D "$data" -l "$data/log" -w -t 60 \
      -o "-p $port" start >/dev/null; then
      export TEST_PG_URL="postgres://postgres@127.0.0.1:$port/postgres"
      return
    fi
  done
  echo "PostgreSQL did not start in $try tries:" >&2
  tail -n 20 "$data/log" >&2
  return 1
}

# The data is thrown away, so nothing waits for the disk, unless SERVICES_DURABLE is set.
services_postgres_settings() {
  cat <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$SERVICES_DIR/pg'
max_connections = 300
shared_buffers = 128MB
CONF
  [ -n "${SERVICES_DURABLE:-}" ] || cat <<CONF
fsync = off
synchronous_commit = off
full_page_writes = off
CONF
}

services_start_redis() {
  local dir=$SERVICES_DIR/redis port try wait
  need_package redis-server command -v redis-server
  mkdir "$dir"
  for try in 1 2 3 4 5; do
    port=$(services_free_port)
    redis-server --port "$port" --bind 127.0.0.1 --dir "$dir" --save '' --appendonly no \
      --daemonize no >"$dir/log" 2>&1 &
    SERVICES_REDIS_PID=$!
    for wait in {1..100}; do
      if [ "$(redis-cli -h 127.0.0.1 -p "$port" ping 2>/dev/null)" = PONG ]; then
        export TEST_REDIS_URL="redis://127.0.0.1:$port"
        return
      fi
      kill -0 "$SERVICES_REDIS_PID" 2>/dev/null || break
      sleep 0.05
    done
    kill "$SERVICES_REDIS_PID" 2>/dev/null || true
  done
  echo "Redis did not start in $try tries (waited $wait times in the last):" >&2
  tail -n 20 "$dir/log" >&2
  return 1
}
