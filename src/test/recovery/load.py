#!/usr/bin/env python3
"""Uses the API from several clients, and reports the responses.

load.py --key KEY --seconds N [--workers N] [--check-ins FILE] PORT[,PORT...]

Each client has its own objective. It checks in on its key result, reads it, and reads a page of objectives. If a
check-in gets no response or a 5xx, the client repeats it with the same Idempotency-Key. FILE receives the notes of the
acknowledged check-ins. The exit code is 1 if a response is neither a 2xx nor a 503, or an error has no problem body.
"""
import argparse, collections, http.client, json, sys, threading, time, uuid

arguments = argparse.ArgumentParser()
arguments.add_argument("ports")
arguments.add_argument("--key", required=True)
arguments.add_argument("--seconds", type=float, required=True)
arguments.add_argument("--workers", type=int, default=8)
arguments.add_argument("--check-ins")
options = arguments.parse_args()
ports = [int(port) for port in options.ports.split(",")]

lock = threading.Lock()
statuses = collections.Counter()
unanswered = collections.Counter()
bad = collections.Counter()
successes = []
slowest = 0.0
acknowledged = []


class Client:
    def __init__(self, number):
        self.port = ports[number % len(ports)]
        self.connection = None

    def request(self, method, path, body=None, idempotency_key=None):
        global slowest
        headers = {"Authorization": "Bearer " + options.key, "Content-Type": "application/json"}
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        began = time.monotonic()
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            self.connection.request(method, path, json.dumps(body) if body else None, headers)
            response = self.connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as e:
            self.connection = None
            with lock:
                unanswered[type(e).__name__] += 1
            return 0, None
        now = time.monotonic()
        with lock:
            statuses[response.status] += 1
            slowest = max(slowest, now - began)
            if response.status < 300:
                successes.append(now)
            elif response.getheader("Content-Type") != "application/problem+json" or response.status not in (409, 503):
                bad[f"{response.status} {content[:300]!r}"] += 1
            elif response.status == 409 and b"idempotency_in_flight" not in content:
                bad[f"409 {content[:300]!r}"] += 1
        return response.status, content

    def must(self, method, path, body=None):
        status, content = self.request(method, path, body)
        if status not in (200, 201):
            raise SystemExit(f"{method} {path}: {status} {content}")
        return json.loads(content)["data"]


def work(client, objective, key_result, deadline):
    value = 0
    while time.monotonic() < deadline:
        value = (value + 1) % 1000
        key = str(uuid.uuid4())
        body = {"value": value, "note": key}
        while True:
            status, _ = client.request("POST", f"/v1/key-results/{key_result}/check-ins", body, key)
            if status == 201:
                with lock:
                    acknowledged.append(key)
                break
            if time.monotonic() > deadline + 30:
                break
            time.sleep(0.1)
        for path in f"/v1/objectives/{objective}", "/v1/objectives?per_page=10":
            if client.request("GET", path)[0] != 200:
                time.sleep(0.1)


first = Client(0)
cycle = next(each for each in first.must("GET", "/v1/cycles") if each["status"] == "active")
prepared = []
for number in range(options.workers):
    objective = first.must("POST", "/v1/objectives", {"title": f"Of client {number}", "cycle_id": cycle["id"]})
    key_result = first.must(
        "POST",
        f"/v1/objectives/{objective['id']}/key-results",
        {"title": "Counted", "metric_type": "number", "start_value": 0, "target_value": 1000},
    )
    prepared.append((Client(number), objective["id"], key_result["id"]))
successes.clear()
statuses.clear()

began = time.monotonic()
threads = [threading.Thread(target=work, args=(*each, began + options.seconds)) for each in prepared]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
seconds = time.monotonic() - began

if options.check_ins:
    with open(options.check_ins, "a") as file:
        file.writelines(key + "\n" for key in acknowledged)
times = sorted([began, *successes, began + seconds])
gap, at = max((b - a, a - began) for a, b in zip(times, times[1:]))
print(f"{len(acknowledged)} check-ins acknowledged, {sum(statuses.values()) / seconds:.0f} requests/s; "
      f"by status {dict(sorted(statuses.items()))}; unanswered {dict(unanswered)}; slowest {slowest:.2f} s; "
      f"longest time without a success {gap:.2f} s, {at:.1f} s after the beginning")
for answer, count in bad.most_common(5):
    print(f"BAD {count} times: {answer}")
sys.exit(1 if bad else 0)
