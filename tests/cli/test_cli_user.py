"""`byway user`: user accounts."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from cli.runner import CliResult, byway, error_line
from pace import WAIT_TIMEOUT_SECONDS
from typer.testing import CliRunner

from byway.app.engine import Engine
from byway.cli import make_app
from byway.core.settings.schema import Settings

PASSWORD = "a good long phrase"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    Engine(tmp_path, Settings()).create()
    return tmp_path


def user(data: Path, *words: str, typed: str = PASSWORD) -> CliResult:
    result = CliRunner().invoke(
        make_app(), ["user", *words, "--data", str(data)], input=f"{typed}\n"
    )
    return CliResult(result.exit_code, result.stdout, result.stderr)


def test_users_are_added_listed_and_removed(data: Path) -> None:
    assert user(data, "add", "Ada", "--admin").stderr == "ada can now log in as an admin.\n"
    assert user(data, "add", "eve").exit_code == 0
    listed = json.loads(byway("user", "list", "--json", "--data", data).stdout)
    assert listed == [{"name": "ada", "role": "admin"}, {"name": "eve", "role": "user"}]
    assert user(data, "password", "eve", typed="quite another phrase").exit_code == 0
    assert user(data, "remove", "eve").exit_code == 0
    assert "eve" not in byway("user", "list", "--data", data).stdout


def test_a_wrong_call_is_one_error_line(data: Path) -> None:
    assert user(data, "add", "ada", "--admin").exit_code == 0
    for words, why in (
        (("add", "ada"), "This name is taken"),
        (("add", "x"), "Use 2 to 40 letters"),
        (("remove", "eve"), "eve"),
        (("remove", "ada"), "last admin"),
        (("remove",), "No user name given."),
    ):
        ran = user(data, *words)
        assert (ran.exit_code, ran.stderr.count("\n")) == (2, 1), ran
        assert why in ran.stderr
    assert "too short" in user(data, "add", "eve", typed="short").stderr
    assert "There is no data in" in error_line("user", "list", "--data", data / "none", exit_code=2)


def test_serving_other_machines_needs_an_admin_first(data: Path) -> None:
    options = ["--set", "serve.host=0.0.0.0", "--port", "0", "--data", str(data)]
    line = error_line("serve", *options, exit_code=2)
    assert "no admin account yet. Create one with `byway user add NAME --admin`" in line
    user(data, "add", "ada", "--admin")
    url, rest = served(*options)
    assert url.startswith("http://0.0.0.0:")
    assert rest == ""


def test_serve_prints_a_link_for_the_first_admin(data: Path) -> None:
    url, rest = served("--port", "0", "--data", str(data))
    assert re.fullmatch(
        rf"There is no admin yet\. Create the admin account at {url}register"
        r"\?invitation=[\w-]{43}\n",
        rest,
    )


def served(*options: str) -> tuple[str, str]:
    """What `byway serve` says: its URL, and the rest."""
    with subprocess.Popen(
        [sys.executable, "-m", "byway", "serve", *options], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        url = server.stderr.readline().split()[2]
        urlopen(
            url.replace("0.0.0.0", "127.0.0.1") + "healthz", timeout=WAIT_TIMEOUT_SECONDS
        ).close()
        server.send_signal(signal.SIGTERM)
        rest = server.stderr.read()
        assert server.wait(10) == 0
    return url, rest
