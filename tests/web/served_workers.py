"""Two web workers on one socket, and the connections of each."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from pace import WAIT_TIMEOUT_SECONDS, wait_until
from running import ServeProcess, run_serve
from web.account_site import PASSWORD, UserBrowser, fill
from web.fake_site import HttpBrowser
from web.pages.admin.test_ranking_page import pages

from byway.app.accounts import open_accounts
from byway.app.engine import Engine
from byway.core.model.account import ApiKeyScope, Role
from byway.core.settings.schema import Settings
from byway.storage.process_states import FileProcessStates

SEARCH_PATH = "/api/v1/search?q=fox"
MAX_CONNECTIONS = 30


@dataclass(frozen=True, slots=True)
class Served:
    """A data folder that two workers serve, and the key of its admin."""

    data: Path
    server: ServeProcess
    key: str

    @property
    def url(self) -> str:
        return self.server.url

    def pids(self) -> list[int]:
        """The process ids of the workers that run, the first one first."""
        states = FileProcessStates(self.data).read()
        return [state.pid for state in states if state.name.startswith("web-") and state.pid]

    def admin(self) -> UserBrowser:
        browser = UserBrowser(HttpBrowser(self.url))
        assert browser.log_in("ada").status == 303
        return browser

    @contextmanager
    def connections(self, count: int = 4) -> Iterator[list[HTTPConnection]]:
        """At least that many kept connections, some to each worker; each has answered once."""
        with ExitStack() as stack:
            opened: list[HTTPConnection] = []
            while len(opened) < count or not self._are_all_connected():
                assert len(opened) < MAX_CONNECTIONS, "one worker has accepted them all"
                connection = HTTPConnection(urlsplit(self.url).netloc, timeout=WAIT_TIMEOUT_SECONDS)
                stack.callback(connection.close)
                assert asked(connection, "/healthz")
                opened.append(connection)
            yield opened

    def _are_all_connected(self) -> bool:
        return all(client_ports(pid, self.url) for pid in self.pids())


def asked(connection: HTTPConnection, target: str, **headers: str) -> bytes:
    connection.request("GET", target, headers=headers)
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, body
    return body


def client_ports(pid: int, url: str) -> set[int]:
    """The ports of the clients whose connections this process has."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(descriptor.readlink().name)
        except FileNotFoundError:
            continue
    port, found = urlsplit(url).port, set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        local, remote = (int(one.rpartition(":")[2], 16) for one in fields[1:3])
        if local == port and remote and f"socket:[{fields[9]}]" in inodes:
            found.add(remote)
    return found


def both_answer(here: Served) -> bool:
    """Whether both workers have a connection while some are open."""
    try:
        with here.connections():
            return True
    except AssertionError:
        return False


@contextmanager
def run_workers(data: Path) -> Iterator[Served]:
    """`byway serve` with two workers, over pages about animals."""
    engine = Engine(data, Settings())
    engine.create()
    fill(engine, pages())
    with open_accounts(data, Settings()) as accounts:
        admin = accounts.create("ada", PASSWORD, Role.ADMIN)
        key = accounts.create_key(admin, "all", ApiKeyScope.ADMIN)
    with run_serve(data, "--workers", "2") as server:
        here = Served(data, server, key)
        assert wait_until(lambda: len(here.pids()) == 2 and both_answer(here))
        yield here
        if server.child_pids():
            assert server.interrupt() == 0
