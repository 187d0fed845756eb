"""Several web workers on one socket: they share the load, and whatever one of them knows."""

import json
import os
import re
import signal
from collections.abc import Iterator
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import urlencode

import pytest
from cli.runner import byway
from pace import wait_until
from web.pages.admin.test_ranking_page import NAMED, OFTEN, state
from web.served_workers import (
    SEARCH_PATH,
    Served,
    asked,
    both_answer,
    client_ports,
    run_workers,
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with run_workers(tmp_path) as served:
        yield served


@pytest.mark.alone
def test_connections_are_spread_over_the_workers(served: Served) -> None:
    with served.connections(16):
        counts = [len(client_ports(pid, served.url)) for pid in served.pids()]
    assert sum(counts) == 16
    assert max(counts) - min(counts) <= 4


def test_each_worker_is_shown_with_its_number(served: Served) -> None:
    shown = byway("status", "--data", served.data).stdout
    page = served.admin().get("/admin").text
    for name in ("web-1", "web-2"):
        assert f"  {name} " in shown and f"<code>{name}</code>" in page
        assert name in [one["name"] for one in served.server.health()["processes"]]
        assert name in [one["name"] for one in served.server.status()["processes"]]


def search_count(metrics: str) -> float:
    pattern = r'byway_requests_total\{request_class="search",status="200"\} ([\d.]+)'
    return float((re.findall(pattern, metrics) or ["0"])[0])


def test_metrics_are_sums_over_the_workers_and_survive_one(served: Served) -> None:
    def counts(connections: list[HTTPConnection]) -> set[float]:
        key = {"Authorization": f"Bearer {served.key}"}
        return {search_count(asked(one, "/metrics", **key).decode()) for one in connections}

    with served.connections() as connections:
        (before,) = counts(connections)
        for connection in connections:
            asked(connection, SEARCH_PATH)
        answered = before + len(connections)
        assert counts(connections) == {answered}
    killed = served.pids()[0]
    os.kill(killed, signal.SIGKILL)
    assert wait_until(lambda: len(served.pids()) == 2 and killed not in served.pids())
    assert wait_until(lambda: both_answer(served))
    with served.connections() as connections:
        assert min(counts(connections)) >= answered
        assert len(counts(connections)) == 1


def test_weights_saved_through_one_worker_are_used_by_all(served: Served) -> None:
    def firsts() -> set[str]:
        with served.connections() as connections:
            answers = [json.loads(asked(one, SEARCH_PATH)) for one in connections]
        return {answer["hits"][0]["url"] for answer in answers}

    assert firsts() == {NAMED}
    admin = served.admin()
    trial = state(admin.get("/admin/ranking?q=fox&weight.title_exact=-100").text)
    assert admin.post("/admin/ranking", "/admin/ranking", state=trial, save="1").status == 200
    assert firsts() == {OFTEN}
    killed = served.pids()[0]
    os.kill(killed, signal.SIGKILL)  # the settings of the server are older than the weights
    assert wait_until(lambda: len(served.pids()) == 2 and killed not in served.pids())
    assert wait_until(lambda: both_answer(served))
    assert firsts() == {OFTEN}


def test_failed_logins_count_in_all_workers(served: Served) -> None:
    statuses = []
    with served.connections() as connections:
        for connection in islice(cycle(connections), 8):
            connection.request("GET", "/login")
            response = connection.getresponse()
            cookie = response.headers["Set-Cookie"].partition(";")[0]
            found = re.search(r'name="token" value="(\w+)"', response.read().decode())
            assert found
            fields = {"token": found[1], "name": "ada", "password": "wrong password", "next": "/"}
            headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie}
            connection.request("POST", "/login", urlencode(fields), headers)
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
    assert statuses == [400] * 6 + [429] * 2


def test_an_evaluation_is_seen_and_stopped_by_all_workers(served: Served) -> None:
    admin = served.admin()
    judged = {"state": "q=fox", "grade": f"2 {NAMED}"}
    assert admin.post("/admin/judge", "/admin/ranking", **judged).status == 303
    assert admin.post("/admin/measure", "/admin/ranking", state="q=fox").status == 303
    assert wait_until(lambda: not admin.get("/admin/measure").json["running"])
    cookie = "; ".join(f"{name}={value}" for name, value in admin.cookies.items())
    with served.connections() as connections:
        for connection in connections:
            progress = json.loads(asked(connection, "/admin/measure", Cookie=cookie))
            assert progress == {"done": 1, "total": 1, "running": False}
            page = asked(connection, "/admin/ranking?q=fox", Cookie=cookie).decode()
            assert 'class="figures"' in page
