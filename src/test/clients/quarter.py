"""Sets up 50 objectives with key results, checks in for a quarter, and prints a report by team.

It counts its calls, and fails above the limits. It needs only the standard library."""

import datetime
import json
import os
import sys
import urllib.error
import urllib.request
import uuid

MAX_SETUP_CALLS = 30
MAX_REPORT_CALLS = 1

OBJECTIVES = 50
KEY_RESULTS = 3
WEEKS = 13
CHECK_INS_OF_A_BATCH = 1_000
TEAMS = ["Sales", "Engineering", "Operations", "Marketing", "Finance"]

RUN = uuid.uuid4().hex[:8]
START = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - datetime.timedelta(weeks=WEEKS)

calls = 0


def okr(method, path, body=None):
    global calls
    calls += 1
    request = urllib.request.Request(
        f"{os.environ['OKR_BASE_URL']}/v1{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['OKR_API_KEY']}",
            "Content-Type": "application/json",
            "Idempotency-Key": str(uuid.uuid4()),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path}: {error.read().decode()}")


def timestamp(week):
    return (START + datetime.timedelta(weeks=week)).isoformat()


def objective(number, cycle, teams):
    return {
        "title": f"Objective {number}",
        "cycle_id": cycle,
        "team_id": teams[number % len(teams)],
        "external_id": f"{RUN}-{number}",
        "key_results": [
            {"title": f"Key result {each}", "metric_type": "number", "start_value": 0, "target_value": 2 * WEEKS}
            for each in range(KEY_RESULTS)
        ],
    }


def set_up():
    """Returns the cycle and the names of the teams by their ids."""
    cycle = {"name": f"Quarter {RUN}", "starts_at": timestamp(0), "ends_at": timestamp(WEEKS)}
    cycle = okr("POST", "/cycles", cycle)["data"]["id"]
    teams = {okr("POST", "/teams", {"name": f"{name} {RUN}"})["data"]["id"]: name for name in TEAMS}
    objectives = [objective(number, cycle, list(teams)) for number in range(OBJECTIVES)]
    created = okr("POST", "/objectives/batch", {"objectives": objectives})["data"]
    key_results = [key_result["id"] for each in created for key_result in each["key_results"]]
    check_ins = [
        # Two of three key results reach their target.
        {"key_result_id": key_result, "value": week * (2 if number % 3 else 1), "recorded_at": timestamp(week)}
        for week in range(1, WEEKS + 1)
        for number, key_result in enumerate(key_results)
    ]
    for first in range(0, len(check_ins), CHECK_INS_OF_A_BATCH):
        okr("POST", "/check-ins/batch", {"check_ins": check_ins[first : first + CHECK_INS_OF_A_BATCH]})
    return cycle, teams


def report(cycle, teams):
    """Returns the lines of the report."""
    page = okr("GET", f"/objectives?cycle_id={cycle}&include=key_results&sort=title&per_page=100")
    assert page["meta"]["total"] == OBJECTIVES, page["meta"]
    lines = []
    for team, name in teams.items():
        objectives = [each for each in page["data"] if each.get("team_id") == team]
        mean = sum(each["progress"] for each in objectives) / len(objectives)
        lines.append(f"{name}: {mean:.0%} of {len(objectives)} objectives")
        for each in objectives:
            values = [f"{key_result['current_value']}/{key_result['target_value']}" for key_result in each["key_results"]]
            lines.append(f"  {each['progress']:.0%} {each['title']} ({', '.join(values)})")
    return lines


cycle, teams = set_up()
setup_calls = calls
lines = report(cycle, teams)
report_calls = calls - setup_calls
print("\n".join(lines))

assert len(lines) == OBJECTIVES + len(TEAMS), len(lines)
assert lines[0] == "Sales: 83% of 10 objectives", lines[0]
assert setup_calls <= MAX_SETUP_CALLS, f"{setup_calls} calls for the set-up"
assert report_calls <= MAX_REPORT_CALLS, f"{report_calls} calls for the report"
print(f"ok - {OBJECTIVES} objectives and a quarter of check-ins need {setup_calls} calls, and the report {report_calls}")
