# shellcheck shell=bash
# Sourced after common.sh: PostgreSQL, PgBouncer before it and Redis for the tests, on free ports, gone when the script
# ends. And the programs that some tests start by themselves: Prometheus and Alertmanager.
#
#   services_start     starts the first three, exports TEST_PG_URL, TEST_POOLER_URL and TEST_REDIS_URL, and finds the others
#   services_psql …    psql as the superuser of that server
#   services_socket_url DATABASE   its URL by the Unix socket of the server that this script started
#
# A variable that is already set is kept and its server is left alone, so scripts that call each other share their
# servers. The names do not begin with the product's own prefix, whose unknown variables are errors.

SERVICES_DIR=''
SERVICES_REDIS_PID=''
SERVICES_POOLER_PID=''
SERVICES_PG_BIN=''

services_start() {
  need_package prometheus command -v promtool
  need_package prometheus-alertmanager command -v prometheus-alertmanager
  need_package openssl command -v openssl
  if [ -n "${TEST_PG_URL:-}" ] && [ -n "${TEST_POOLER_URL:-}" ] && [ -n "${TEST_REDIS_URL:-}" ]; then return; fi
  # Short, because the path of a Unix socket has a limit of about 100 bytes, and summaries show 50 characters of a value.
  SERVICES_DIR=$(mktemp -d "$(services_base)/tc.XXXXXX")
  chmod 711 "$SERVICES_DIR"
  at_exit services_stop
  mkdir -m 1777 "$SERVICES_DIR/tmp"
  export TMPDIR=$SERVICES_DIR/tmp
  [ -n "${TEST_PG_URL:-}" ] || services_start_postgres
  [ -n "${TEST_POOLER_URL:-}" ] || services_start_pooler
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
  local pid
  for pid in $SERVICES_REDIS_PID $SERVICES_POOLER_PID; do
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  if [ -f "$SERVICES_DIR/pg/postmaster.pid" ]; then
    services_as_postgres "$SERVICES_PG_BIN/pg_ctl" -D "$SERVICES_DIR/pg" -m immediate -w stop >/dev/null
  fi
  rm -rf "${SERVICES_DIR:?}"
}

services_psql() {
  PGOPTIONS='-c client_min_messages=warning' "$(services_find_pg)/psql" -X -q -v ON_ERROR_STOP=1 "$TEST_PG_URL" "$@"
}

services_socket_url() {
  local port=${TEST_PG_URL##*:}
  echo "postgres://postgres@localhost:${port%%/*}/$1?host=$SERVICES_DIR/pg"
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
    if services_as_postgres "$SERVICES_PG_BIN/pg_ctl" -D "$data" -l "${SERVICES_PG_LOG:-$data/log}" -w -t 60 \
      -o "-p $port" start >/dev/null; then
      export TEST_PG_URL="postgres://postgres@127.0.0.1:$port/postgres"
      return
    fi
  done
  echo "PostgreSQL did not start in $try tries:" >&2
  tail -n 20 "${SERVICES_PG_LOG:-$data/log}" >&2
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

# Four connections to the server for each login, and a session of PostgreSQL for none: `docs/replicas.md` has the lines that
# matter. Any login of the server may connect, with the password that the server has.
services_pooler_settings() {
  local server=${TEST_PG_URL#*@}
  server=${server%%/*}
  cat <<CONF
[databases]
* = host=${server%:*} port=${server#*:}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $1
unix_socket_dir =
auth_type = scram-sha-256
auth_file = $2/users
auth_user = postgres
pool_mode = transaction
default_pool_size = 4
max_client_conn = 1000
query_wait_timeout = 5
ignore_startup_parameters = extra_float_digits
CONF
}

# services_on_free_port NAME PID DIR START READY: calls `START PORT DIR` in the background until `READY PORT` succeeds. Another
# program may take the port first. The variable PID has the process, `port` its port; its log is DIR/log.
services_on_free_port() {
  local name=$1 dir=$3 try _
  local -n pid=$2
  for try in 1 2 3 4 5; do
    port=$(services_free_port)
    "$4" "$port" "$dir" >"$dir/log" 2>&1 &
    pid=$!
    for _ in {1..100}; do
      ! "$5" "$port" || return 0
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.05
    done
    kill "$pid" 2>/dev/null || true
  done
  echo "$name did not start in $try tries:" >&2
  tail -n 20 "$dir/log" >&2
  return 1
}

services_run_pooler() {
  services_pooler_settings "$1" "$2" >"$2/ini"
  local user=()
  # It refuses to run as root.
  [ "$(id -u)" -ne 0 ] || user=(-u postgres)
  exec pgbouncer "${user[@]}" "$2/ini"
}

services_pooler_is_ready() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

services_start_pooler() {
  local dir=$SERVICES_DIR/pooler port
  need_package pgbouncer command -v pgbouncer
  mkdir -m 711 "$dir"
  echo '"postgres" ""' >"$dir/users"
  services_on_free_port PgBouncer SERVICES_POOLER_PID "$dir" services_run_pooler services_pooler_is_ready
  export TEST_POOLER_URL="postgres://127.0.0.1:$port"
}

services_run_redis() {
  exec redis-server --port "$1" --bind 127.0.0.1 --dir "$2" --save '' --appendonly no --daemonize no
}

services_redis_is_ready() { [ "$(redis-cli -h 127.0.0.1 -p "$1" ping 2>/dev/null)" = PONG ]; }

services_start_redis() {
  local dir=$SERVICES_DIR/redis port
  need_package redis-server command -v redis-server
  mkdir "$dir"
  services_on_free_port Redis SERVICES_REDIS_PID "$dir" services_run_redis services_redis_is_ready
  export TEST_REDIS_URL="redis://127.0.0.1:$port"
}
