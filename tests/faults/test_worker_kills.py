"""kill -9 of a web worker under load: all others answer, and a second try always succeeds."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pace import WAIT_TIMEOUT_SECONDS, wait_until
from web.served_workers import SEARCH_PATH, Served, client_ports, run_workers

from byway.app.processes.local_runner import STABLE_SECONDS

KILLS = int(os.environ.get("KILLS", "10"))
CLIENTS = 6


class Client:
    """Searches all the time, and tries once more when a connection breaks."""

    def __init__(self, url: str, keeps_alive: bool) -> None:
        self.answers = 0
        self.broken_ports: set[int] = set()
        self.problems: list[str] = []
        self._url, self._keeps_alive = url, keeps_alive
        self._connection: HTTPConnection | None = None

    def run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            if not self._search():
                self._connection = None
                if not self._search():
                    self.problems.append("the second try failed too")
            if self._connection and not self._keeps_alive:
                self._connection.close()
                self._connection = None
        if self._connection:
            self._connection.close()

    def _search(self) -> bool:
        connection = self._connection = self._connection or self._connect()
        try:
            connection.request("GET", SEARCH_PATH)
            response = connection.getresponse()
            body = response.read()
        except (OSError, HTTPException):
            self.broken_ports.add(self._port)
            connection.close()
            return False
        if response.status == 200 and json.loads(body)["hits"]:
            self.answers += 1
        else:
            self.problems.append(f"{response.status} {body!r}")
        return True

    def _connect(self) -> HTTPConnection:
        connection = HTTPConnection(urlsplit(self._url).netloc, timeout=WAIT_TIMEOUT_SECONDS)
        connection.connect()
        self._port = connection.sock.getsockname()[1]
        return connection


@contextmanager
def load(url: str) -> Iterator[list[Client]]:
    """Clients that search for the duration of the block; every second one keeps its connection."""
    stop = threading.Event()
    clients = [Client(url, keeps_alive=number % 2 == 0) for number in range(CLIENTS)]
    threads = [threading.Thread(target=client.run, args=(stop,)) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield clients
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def kill_worker(served: Served, pid: int) -> set[int]:
    """kill -9; returns the ports of the clients that were connected to the worker."""
    os.kill(pid, signal.SIGSTOP)
    ports = client_ports(pid, served.url)
    os.kill(pid, signal.SIGKILL)
    return ports


def check_recovery(served: Served, killed: int, clients: list[Client]) -> None:
    """The worker is started again and gets connections, and every client is answered."""
    answers = [client.answers for client in clients]
    assert wait_until(lambda: len(served.pids()) == 2 and killed not in served.pids())
    assert wait_until(lambda: all(client_ports(pid, served.url) for pid in served.pids()))
    assert wait_until(
        lambda: all(
            client.answers > before for client, before in zip(clients, answers, strict=True)
        )
    )


@pytest.mark.alone
@pytest.mark.timeout(600)
def test_only_requests_in_a_killed_worker_break_and_a_second_try_succeeds(tmp_path: Path) -> None:
    with run_workers(tmp_path) as served, load(served.url) as clients:
        for number in range(KILLS):
            for client in clients:
                client.broken_ports.clear()
            killed = served.pids()[number % 2]
            connected = kill_worker(served, killed)
            check_recovery(served, killed, clients)
            broken = set[int]().union(*(client.broken_ports for client in clients))
            assert broken <= connected, f"kill {number}: {broken - connected}"
            time.sleep(STABLE_SECONDS)  # else it is restarted later and later
        assert [client.problems for client in clients] == [[]] * CLIENTS
        print({"answers": sum(client.answers for client in clients)})
