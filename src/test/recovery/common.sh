# Functions for the tests in this directory, which source this file. They start PostgreSQL, services and receivers.
# These use only the loopback interface and a temporary directory. At the end all of them are stopped, and the directory
# is deleted.
set -euo pipefail
cd "$(dirname "$0")/../../.."

here=src/test/recovery
pg_bin=${PG_BIN:-/usr/lib/postgresql/15/bin}
app=$PWD/target/quarkus-app/quarkus-run.jar
[ -f "$app" ] || { echo "Missing: $app. ./mvnw package -DskipTests makes it." >&2; exit 2; }
[ -x "$pg_bin/initdb" ] || { echo "Missing: $pg_bin/initdb. On Debian 12: apt-get install postgresql-15" >&2; exit 2; }

work=$(mktemp -d)
processes=()
clusters=()
cleanup() {
    status=$?
    trap '' INT TERM
    for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
    for process in "${processes[@]}"; do
        for _ in $(seq 60); do kill -0 "$process" 2>/dev/null || break; sleep 0.5; done
        kill -9 "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    for cluster in "${clusters[@]}"; do stop_cluster "$cluster" immediate 2>/dev/null || true; done
    if [ "$status" -ne 0 ]; then tail -n 2 "$work"/*.log | cut -c 1-400 >&2 || true; fi
    rm -rf "$work"
    exit "$status"
}
trap cleanup EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# The JDK that mvnw found. It can differ from the default of the machine.
java=$(./mvnw -q -B help:evaluate -Dexpression=java.home -DforceStdout)/bin/java

step() { printf '\n=== %s ===\n' "$*"; }

# The port is below the range for client connections. So no client takes it before its process starts.
free_port() {
    python3 -c '
import random, socket
for port in random.sample(range(10000, 32768), 100):
    with socket.socket() as s:
        if s.connect_ex(("127.0.0.1", port)) != 0:
            print(port)
            break
'
}

# PostgreSQL refuses to run as root.
as_postgres() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
if [ "$(id -u)" -eq 0 ]; then chown postgres "$work"; fi
chmod 755 "$work"

start_cluster() {
    clusters+=("$1")
    # Do not use a pipe, because the server would keep it open.
    as_postgres "$pg_bin/pg_ctl" -D "$1" -o "-p $2 -k $work -c listen_addresses=127.0.0.1" -l "$1.log" -w start >/dev/null
}
stop_cluster() {
    if as_postgres test -f "$1/postmaster.pid"; then as_postgres "$pg_bin/pg_ctl" -D "$1" -m "$2" -w stop >/dev/null; fi
}

# sql PORT DATABASE [ARGUMENT...]: runs psql as the superuser and prints only the values.
sql() {
    local port=$1 database=$2
    shift 2
    as_postgres "$pg_bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$port" -U postgres -d "$database" "$@"
}

key=$(openssl rand -base64 32)
service=
service_port=
# start_service NAME URL [NAME=VALUE...]: starts the service and waits until it is ready. Sets service and service_port.
start_service() {
    local name=$1 url=$2
    shift 2
    service_port=$(free_port)
    env OKR_ENCRYPTION_KEY="$key" OKR_RATE_LIMIT_REQUESTS_PER_MINUTE=0 \
        OKR_WEBHOOKS_ALLOW_HTTP=true OKR_WEBHOOKS_ALLOWED_NETWORKS=127.0.0.0/8 \
        QUARKUS_DATASOURCE_JDBC_URL="$url" QUARKUS_DATASOURCE_USERNAME=okr QUARKUS_DATASOURCE_PASSWORD=okr \
        QUARKUS_HTTP_HOST=127.0.0.1 QUARKUS_HTTP_PORT="$service_port" "$@" \
        "$java" -Xmx256m -XX:+UseSerialGC -jar "$app" >"$work/$name.log" 2>&1 &
    service=$!
    processes+=("$service")
    for _ in $(seq 240); do
        if curl -m 5 -fs "http://127.0.0.1:$service_port/q/health/ready" >/dev/null; then return; fi
        kill -0 "$service" 2>/dev/null || return 1
        sleep 0.25
    done
    echo "The service $name is not ready." >&2
    return 1
}
stop_process() {
    kill "$1"
    wait "$1" || true
}

# api METHOD PATH TOKEN [BODY]
api() {
    curl -m 10 -fsS -X "$1" -H "Authorization: Bearer $3" -H 'Content-Type: application/json' \
        ${4:+-d "$4"} "http://127.0.0.1:$service_port$2"
}
token_of() { grep -o 'okr_[0-9A-Za-z]\{49\}' "$work/$1.log" | head -n 1; }

# new_cluster DIR: makes a server with a role that owns the service's database, as docs/operations/deployment.md
# describes.
new_cluster() {
    as_postgres "$pg_bin/initdb" -A trust -U postgres -E UTF8 --locale=C.UTF-8 --data-checksums -D "$1" >/dev/null
}
new_database() {
    sql "$1" postgres -c "CREATE ROLE okr LOGIN PASSWORD 'okr'" -c 'CREATE DATABASE okr OWNER okr'
}

# The number of rows of each logged table. Unlogged tables are empty after a crash.
rows="SELECT relname, (xpath('/row/n/text()',
        query_to_xml(format('SELECT count(*) AS n FROM %I', relname), false, true, '')))[1]
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relpersistence = 'p'
        AND relname <> 'flyway_schema_history' ORDER BY relname"
counts() { sql "$1" "$2" -c "$rows"; }

# The number of cycles whose totals differ from their objectives.
check_totals() {
    sql "$1" "$2" -c "SELECT count(*) FROM
        (SELECT organization_id, cycle_id, count(*) AS n, sum(progress) AS p FROM objective GROUP BY 1, 2) o
        FULL JOIN (SELECT organization_id, cycle_id, sum(objectives) AS n, sum(progress) AS p FROM cycle_totals GROUP BY 1, 2) t
            USING (organization_id, cycle_id)
        WHERE coalesce(o.n, 0) <> coalesce(t.n, 0) OR coalesce(o.p, 0) <> coalesce(t.p, 0)"
}
