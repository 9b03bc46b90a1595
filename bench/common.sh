# Functions for all benchmarks. The scripts source this file in the root of the project.
set -euo pipefail

app=target/quarkus-app
java=
classes=$(mktemp -d)
cleanup() {
    status=$?
    # The program stops all processes that it started.
    if [ -n "$java" ]; then kill "$java" 2>/dev/null || true; wait "$java" 2>/dev/null || true; fi
    rm -rf "$classes"
    if [ -n "${BENCH_CGROUP:-}" ]; then rmdir "$BENCH_CGROUP" || true; fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# Use the JDK that mvnw found. It can differ from the default of the machine.
java_home=$(./mvnw -q -B help:evaluate -Dexpression=java.home -DforceStdout)

# build [FLAG...]: packages the service.
build() {
    echo "Building $app"
    ./mvnw -q -B -ntp package -DskipTests "$@"
}

# run CLASS [ARGUMENT...]: compiles the benchmarks against the packaged service and runs one.
run() {
    local class_path="$app/app/*:$app/lib/main/*:$app/lib/boot/*"
    "$java_home/bin/javac" -proc:none -nowarn -d "$classes" -cp "$class_path" $(find bench/src -name "*.java")
    "$java_home/bin/java" -Xmx512m -XX:+UseSerialGC -cp "$classes:$class_path" "$@" &
    java=$!
    status=0
    wait "$java" || status=$?
    java=
    exit "$status"
}
