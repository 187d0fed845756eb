"""Does the API do what its OpenAPI says, and nothing else? Schemathesis asks a real server.

FUZZ=600 asks for ten minutes: make fuzz-api
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from byway.app.accounts import open_accounts
from byway.core.model.account import ApiKeyScope, Role
from byway.core.settings.schema import Settings
from byway.village import Village

SECONDS = int(os.environ.get("FUZZ", "40"))
ASKING = Path(__file__).with_name("schemathesis.toml")
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
COMMAND = [sys.executable, "-m", "byway"]

#: As if a crawl ran that shrugs off whoever wants to end it: none can be started.
CRAWLING = """
import signal, sys
from pathlib import Path
from byway.storage.sqlite.storage import SqliteStorage
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with SqliteStorage(Path(sys.argv[1])).write_lock("crawl"):
    print("begun", flush=True)
    sys.stdin.read()
"""


@contextmanager
def beside(*typed: str) -> Iterator[subprocess.Popen[str]]:
    """A process that runs as long as the block lasts."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(typed, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Where the API is over a crawled site, and a key that opens all of it."""
    data = tmp_path_factory.mktemp("described")
    here = ["--data", str(data)]
    with Village() as village:
        crawl = ["crawl", village.url("manual"), "--pages", "25", "--delay", "0"]
        allowed = ["--allow-private", "127.0.0.0/8"]
        subprocess.run([*COMMAND, *crawl, *allowed, *here], check=True, capture_output=True)
    subprocess.run([*COMMAND, "index", *here], check=True, capture_output=True)
    with open_accounts(data, Settings()) as accounts:
        admin = accounts.create("ada", "a good long phrase", Role.ADMIN)
        key = accounts.create_key(admin, "all", ApiKeyScope.ADMIN)
    with (
        beside(sys.executable, "-c", CRAWLING, str(data)) as crawling,
        beside(*COMMAND, "serve", "--port", "0", *here) as serving,
    ):
        assert crawling.stdout and serving.stderr
        assert crawling.stdout.readline() == "begun\n"
        yield serving.stderr.readline().split()[2], key


@pytest.mark.timeout(SECONDS + 300)
def test_the_api_conforms_to_its_openapi_description(
    server: tuple[str, str], tmp_path: Path
) -> None:
    url, key = server
    asked = subprocess.run(
        [
            SCHEMATHESIS,
            "--config-file",
            ASKING,
            "run",
            f"{url}api/v1/openapi.json",
            f"--header=Authorization: Bearer {key}",
            f"--max-time={SECONDS}",
            "--checks=all",
            "--no-color",
            "--seed=1",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert asked.returncode == 0, asked.stdout[-20_000:] + asked.stderr[-2000:]
