#!/usr/bin/env python3
"""The HTTP client of the image trial.

smoke.py token                          prints a new API key
smoke.py ready PORT SECONDS             waits until the service is ready
smoke.py use PORT TOKEN                 uses each part of the service once
smoke.py requests PORT TOKEN NUMBER     sends as many requests, one in ten of them a check-in
"""
import http.client, json, secrets, sys, time, zlib


def new_token():
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    random = "".join(secrets.choice(digits) for _ in range(43))
    crc, checksum = zlib.crc32(random.encode()), ""
    for _ in range(6):
        crc, digit = divmod(crc, 62)
        checksum = digits[digit] + checksum
    return "okr_" + random + checksum


class Client:
    def __init__(self, port, token=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.headers = {"Authorization": "Bearer " + token} if token else {}

    def must(self, expected, method, path, body=None):
        headers = dict(self.headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = self.connection.getresponse()
        content = response.read().decode()
        if response.status != expected:
            sys.exit(f"{method} {path}: expected {expected}, got {response.status}: {content[:500]}")
        return content

    def data(self, expected, method, path, body=None):
        return json.loads(self.must(expected, method, path, body))["data"]


def await_ready(port, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/q/health/ready")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.02)
    sys.exit(f"The service is not ready after {seconds} s.")


def check(name, actual, expected):
    if actual != expected:
        sys.exit(f"{name}: expected {expected!r}, got {actual!r}")


def prepare(client):
    cycle = client.data(201, "POST", "/v1/cycles", {
        "name": "Trial " + secrets.token_hex(4), "starts_at": "2027-01-01T00:00:00Z", "ends_at": "2027-04-01T00:00:00Z"})
    objective = client.data(201, "POST", "/v1/objectives", {"title": "Run as a container", "cycle_id": cycle["id"]})
    key_result = client.data(201, "POST", f"/v1/objectives/{objective['id']}/key-results", {
        "title": "Requests", "metric_type": "number", "start_value": 0, "target_value": 10})
    return cycle["id"], objective["id"], key_result["id"]


def use(port, token):
    anonymous, client = Client(port), Client(port, token)
    for path in "/q/health/live", "/q/health/started", "/q/health/ready":
        anonymous.must(200, "GET", path)
    anonymous.must(401, "GET", "/v1/users/me")
    check("email", client.data(200, "GET", "/v1/users/me")["email"], "ada@trial.test")
    cycle, objective, key_result = prepare(client)
    client.data(201, "POST", f"/v1/key-results/{key_result}/check-ins", {"value": 5, "note": "Halfway."})
    check("progress", float(client.data(200, "GET", f"/v1/objectives/{objective}")["progress"]), 0.5)
    check("overall_progress", float(client.data(200, "GET", f"/v1/cycles/{cycle}")["overall_progress"]), 0.5)
    client.must(422, "POST", "/v1/objectives", {"title": "", "cycle_id": cycle})
    document = anonymous.must(200, "GET", "/q/openapi?format=json")
    check("openapi", json.loads(document)["openapi"][:4], "3.1.")
    if "swagger-ui" not in anonymous.must(200, "GET", "/q/swagger-ui/"):
        sys.exit("/q/swagger-ui/ is not Swagger UI.")
    if "http_server_requests_seconds_count{" not in anonymous.must(200, "GET", "/q/metrics"):
        sys.exit("/q/metrics does not count requests.")
    print("Probes, API, documentation and metrics answer as expected.")


def send(port, token, number):
    client = Client(port, token)
    _, objective, key_result = prepare(client)
    began = time.monotonic()
    for each in range(number):
        if each % 10 == 0:
            client.must(201, "POST", f"/v1/key-results/{key_result}/check-ins", {"value": each % 11})
        elif each % 2:
            client.must(200, "GET", f"/v1/objectives/{objective}")
        else:
            client.must(200, "GET", "/v1/objectives?per_page=10")
    print(f"{number} requests in {time.monotonic() - began:.1f} s.")


match sys.argv[1:]:
    case ["token"]:
        print(new_token())
    case ["ready", port, seconds]:
        await_ready(int(port), float(seconds))
    case ["use", port, token]:
        use(int(port), token)
    case ["requests", port, token, number]:
        send(int(port), token, int(number))
    case _:
        sys.exit(__doc__)
