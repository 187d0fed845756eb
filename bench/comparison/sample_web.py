"""Sample web of the behaviour check: the village and two Debian manuals, on loopback hosts."""

import json
import subprocess
import threading
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench import test_data
from bench.comparison.commits import Checkout
from bench.comparison.errors import ComparisonError
from bench.speed.environment import require_packages

MANUALS_PATH = Path(__file__).with_name("manuals.toml")
WEB_PORT = 8790
"""The port of all hosts, if it is free: results of two comparisons then have the same URLs."""

VILLAGE_SCRIPT = """\
import json, sys
from byway.village import Village
with Village(int(sys.argv[1])) as village:
    print(json.dumps(village.seeds), flush=True)
    sys.stdin.read()
"""
"""Serves until its stdin is closed, so it ends with us even if we are killed."""


@dataclass(frozen=True, slots=True)
class Manual:
    """One manual as a web site."""

    name: str
    package: str
    root: Path
    seeds: tuple[str, ...]
    address: str


def find_manuals() -> list[Manual]:
    """The manuals, from the test data or from Debian packages; missing packages are installed."""
    data = test_data.find_folder()
    found = []
    for name, entry in tomllib.loads(MANUALS_PATH.read_text("utf-8")).items():
        copy = data / "manuals" / name if data else None
        root = copy if copy and copy.is_dir() else Path(entry["root"])
        found.append(
            Manual(
                name=name,
                package=entry["package"],
                root=root,
                seeds=tuple(entry["seeds"]),
                address=entry["address"],
            )
        )
    require_packages(one.package for one in found if not _is_complete(one))
    for one in found:
        if not _is_complete(one):
            raise ComparisonError(
                f"no {one.seeds[0]} in {one.root}; run `apt-get install {one.package}`, and see "
                "path-exclude in /etc/dpkg/dpkg.cfg.d if it is installed"
            )
    return found


@contextmanager
def sample_web(server: Checkout, manuals: Sequence[Manual]) -> Iterator[list[str]]:
    """Serve everything in the block, the village by this checkout; the value is the seeds."""
    with ExitStack() as stack:
        seeds = stack.enter_context(_village(server))
        for manual in manuals:
            seeds += stack.enter_context(_serving(manual))
        yield seeds


@contextmanager
def _village(server: Checkout) -> Iterator[list[str]]:
    process = subprocess.Popen(
        [server.python, "-P", "-c", VILLAGE_SCRIPT, str(WEB_PORT)],
        env=server.variables(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdin and process.stdout
        line = process.stdout.readline()
        if not line:
            raise ComparisonError(f"the village of {server.name} does not start")
        yield list(json.loads(line))
        process.stdin.close()


@contextmanager
def _serving(manual: Manual) -> Iterator[list[str]]:
    handler = partial(_Handler, directory=str(manual.root))
    try:
        server = ThreadingHTTPServer((manual.address, WEB_PORT), handler)
    except OSError:
        server = ThreadingHTTPServer((manual.address, 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        origin = f"http://{manual.address}:{server.server_port}"
        yield [f"{origin}/{seed}" for seed in manual.seeds]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    """Files of a folder; folders are not listed, and requests are not logged."""

    protocol_version = "HTTP/1.1"

    def list_directory(self, path: object) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _is_complete(manual: Manual) -> bool:
    return all((manual.root / seed).is_file() for seed in manual.seeds)
