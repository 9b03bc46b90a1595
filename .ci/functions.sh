# Functions of the scripts in this folder.

# Stops a process group (Maven, its services and their databases), and waits until it has ended. A stopping service
# still loads classes. If its files were deleted first, it would never end.
stop_group() {
    kill -- "-$1" 2>/dev/null || true
    for _ in $(seq 20); do kill -0 -- "-$1" 2>/dev/null || break; sleep 0.5; done
    kill -9 -- "-$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# await_ready PORT PID: waits until the service on this port is ready. Fails if the process ends. Dev mode compiles
# first. This takes minutes while other tests use the processors.
await_ready() {
    for _ in $(seq 600); do
        if curl -fs -m 5 "http://127.0.0.1:$1/q/health/ready" >/dev/null; then return; fi
        kill -0 "$2" || return 1
        sleep 0.5
    done
    echo "The service on port $1 is not ready." >&2
    return 1
}

# The port is below the range for client connections, so no client takes it before the service starts.
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
