"""Bad input gets one clear line that names the thing and the cure, and the right exit code."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli.called import byway, error_line
from pace import WAIT_TIMEOUT_SECONDS

from byway.cli import main
from byway.index.schema import INDEX_VERSION
from byway.storage.data_folder import DataFolder

READERS = (["search", "shoes"], ["status"], ["explain", "shoes", "example.org"], ["serve"])
WRITERS = (["index"], ["rank"])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with nothing in it yet."""
    assert byway("init", "--data", tmp_path / "data").exit_code == 0
    return tmp_path / "data"


@pytest.mark.parametrize("command", READERS + WRITERS, ids=" ".join)
def test_without_data_we_say_how_to_start(command: list[str], tmp_path: Path) -> None:
    says = error_line(*command, "--data", tmp_path / "none", exit_code=2)
    assert says == (
        f"no data in {tmp_path / 'none'}; start with `byway up URL`, or name the folder with --data"
    )
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", ["crawl", "up"])
def test_a_crawl_needs_a_place_to_start(command: str, tmp_path: Path, data: Path) -> None:
    wanted = "no URL to start from; name one, as https://example.org/"
    assert error_line(command, "--data", tmp_path / "none", exit_code=2) == wanted
    assert error_line(command, "--data", data, exit_code=2) == wanted


@pytest.mark.parametrize("also", [[], ["--all"], ["--dry-run"]])
def test_pages_cannot_be_seen_again_where_there_are_none(also: list[str], tmp_path: Path) -> None:
    says = error_line("crawl", "--again", *also, "--data", tmp_path / "none", exit_code=2)
    assert says.startswith(f"no data in {tmp_path / 'none'}; start with `byway up URL`")


@pytest.mark.parametrize("command", [["crawl"], ["up"], ["trace"], ["explain", "shoes"]])
@pytest.mark.parametrize("url", ["red shoes", "ftp://a.org/", "http://a.org:99999/", "\udcff.org"])
def test_what_is_no_url_is_said_to_be_none(command: list[str], url: str, data: Path) -> None:
    says = error_line(*command, url, "--data", data, exit_code=2)
    assert says.startswith(("not a URL: ", "not a web page: "))


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("crawl.dealy=2", "unknown setting crawl.dealy; did you mean crawl.delay?"),
        ("crawl.delay=fast", "crawl.delay = 'fast' is not a number"),
        ("crawl.delay", "--set crawl.delay: write it as --set crawl.delay=2"),
        ("search.weights.titel=2", "unknown signal search.weights.titel; there are words, "),
    ],
)
def test_a_wrong_setting_is_named(setting: str, says: str, data: Path) -> None:
    assert error_line("search", "shoes", "--data", data, "--set", setting, exit_code=2).startswith(
        says
    )


def test_a_wrong_variable_is_named(data: Path) -> None:
    says = error_line("status", "--data", data, exit_code=2, BYWAY_CRAWL__DELAY="soon")
    where = "BYWAY_CRAWL__DELAY in the environment"
    assert says == f"{where}: crawl.delay = 'soon' is not a number"


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--scope", "all", "crawl.scope = 'all' is not one of host, site, any"),
        ("--pages", "-3", "crawl.max_pages = -3 is too small; the least is 0"),
        ("--depth", "-3", "crawl.max_depth = -3 is too small; the least is 0"),
        ("--delay", "-1", "crawl.delay = -1.0 is too small; the least is 0"),
        ("--concurrency", "0", "crawl.concurrency = 0 is too small; the least is 1"),
        ("--allow-private", "zzz", "crawl.allow_private: 'zzz' does not appear to be an IP"),
        ("--keep", "([", "crawl.keep_pattern = '([' is no regular expression: "),
        ("--host", "([", "crawl.host_pattern = '([' is no regular expression: "),
        ("--path", "([", "crawl.path_pattern = '([' is no regular expression: "),
    ],
)
def test_a_wrong_option_is_named_with_the_setting_it_is(
    option: str, value: str, says: str, data: Path
) -> None:
    said = error_line("crawl", "example.org", option, value, "--data", data, exit_code=2)
    assert said.startswith(f"{option}: {says}")
    assert "; " in said or "one of" in said


def test_a_setting_that_no_option_stands_for_is_named_alone(data: Path) -> None:
    also = ("--pages", "3", "--set", "crawl.max_retries=-1")
    says = error_line("crawl", "example.org", *also, "--data", data, exit_code=2)
    assert says == "crawl.max_retries = -1 is too small; the least is 0"


def test_an_unknown_weight_is_named_with_the_place_it_stands_in(data: Path) -> None:
    says = "unknown signal search.weights.titel; there are words, "
    told = error_line(
        "search", "shoes", "--data", data, exit_code=2, BYWAY_SEARCH__WEIGHTS__TITEL="2"
    )
    assert told.startswith(f"BYWAY_SEARCH__WEIGHTS__TITEL in the environment: {says}")
    (data / "byway.toml").write_text("[search.weights]\ntitel = 2\n")
    told = error_line("search", "shoes", "--data", data, exit_code=2)
    assert told.startswith(f"{data / 'byway.toml'}: {says}")


def test_a_settings_file_with_an_error_is_named(data: Path) -> None:
    (data / "byway.toml").write_text("[crawl]\ndelay = \n")
    says = error_line("status", "--data", data, exit_code=2)
    assert says.startswith(f"{data / 'byway.toml'}: ") and "line 2" in says


@pytest.mark.parametrize("command", [["init"], ["crawl", "example.org"], ["up", "example.org"]])
def test_a_file_in_the_place_of_the_folder_is_named(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    says = error_line(*command, "--data", tmp_path / "data", exit_code=1)
    assert says == f"cannot make the data folder {tmp_path / 'data'}: File exists"


def test_a_file_to_start_from_is_named_when_it_cannot_be_read(tmp_path: Path) -> None:
    crawl = ("crawl", "--data", tmp_path / "data", "--seeds")
    cure = "name a text with a URL on each line"
    file = tmp_path / "seeds.txt"
    assert error_line(*crawl, file, exit_code=2) == f"no such file: {file}; {cure}"
    assert error_line(*crawl, tmp_path, exit_code=2) == f"{tmp_path} is a folder; {cure}"
    file.write_bytes(b"a.org\nb\xfc.org\n")
    assert (
        error_line(*crawl, file, exit_code=2)
        == f"{file}, line 2: not UTF-8; save the file as UTF-8"
    )
    log = ("--log", tmp_path / "none" / "log.txt")
    says = error_line("crawl", "a.org", "--data", tmp_path / "data", *log, exit_code=2)
    assert says == f"{log[1]} cannot be written: there is no folder {tmp_path / 'none'}"
    assert not (tmp_path / "data").exists()


@contextmanager
def as_a_stranger() -> Iterator[None]:
    """Without the rights of root, which may read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("command", [["status"], ["search", "shoes"], ["init"], ["index"]])
def test_a_folder_that_we_may_not_read_is_named(command: list[str], data: Path) -> None:
    byway(*command, "--data", data)  # everything is imported before we give our rights away
    data.chmod(0)
    try:
        with as_a_stranger():
            says = error_line(*command, "--data", data, exit_code=1)
    finally:
        data.chmod(0o700)
    assert str(data) in says and "ermission denied" in says


@pytest.mark.parametrize(
    ("what", "command"),
    [("crawl", ["crawl", "example.org"]), ("index", ["index", "--rebuild"])],
)
def test_a_second_writer_is_refused(what: str, command: list[str], data: Path) -> None:
    with DataFolder(data).write_lock(what):
        says = error_line(*command, "--data", data, exit_code=1)
    assert f"another byway (process {os.getpid()}) is writing the {what} in {data}" in says
    assert "--data" in says


def test_readers_do_not_mind_a_writer(data: Path) -> None:
    with DataFolder(data).write_lock("crawl"):
        assert "crawl    running" in byway("status", "--data", data).stdout
        with DataFolder(data).write_lock("index"):  # one process with both makes documents anew
            assert byway("search", "shoes", "--data", data).exit_code == 0
            assert "crawl    not running" in byway("status", "--data", data).stdout


@pytest.mark.parametrize("command", [["serve"], ["up", "example.org"]])
def test_a_port_in_use_is_named(command: list[str], data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        says = error_line(*command, "--port", port, "--data", data, exit_code=2)
    assert says == f"port {port} on 127.0.0.1 is in use; choose another with --port"


def test_a_port_that_cannot_be_is_named(data: Path) -> None:
    says = error_line("serve", "--port", 99999, "--data", data, exit_code=2)
    assert says == "--port: serve.port = 99999 is too large; the most is 65535"


@pytest.mark.parametrize(
    "command", [["status"], ["index"], ["rank"], ["trace", "http://127.0.0.1/"]]
)
def test_a_damaged_database_is_named(command: list[str], data: Path) -> None:
    for left in data.glob("crawl.db-*"):
        left.unlink()
    (data / "crawl.db").write_bytes(b"garbage " * 1000)
    says = error_line(*command, "--data", data, exit_code=1)
    assert str(data) in says and "file is not a database" in says


@pytest.mark.parametrize("name", ["crawl.db", "documents.db"])
def test_of_two_databases_the_damaged_one_is_named(name: str, data: Path) -> None:
    for left in data.glob(f"{name}-*"):
        left.unlink()
    (data / name).write_bytes(b"garbage " * 1000)
    says = error_line("status", "--data", data, exit_code=1)
    assert says.startswith(f"{data / name} is damaged (file is not a database); ")


def test_a_damaged_database_is_named_where_it_is_the_only_one(tmp_path: Path) -> None:
    (tmp_path / "crawl.db").write_bytes(b"garbage " * 1000)
    says = error_line("status", "--data", tmp_path, exit_code=1)
    assert says == (
        f"{tmp_path / 'crawl.db'} is damaged (file is not a database); "
        "restore it, or name another folder with --data"
    )


def test_what_nobody_foresaw_is_one_line_too(data: Path) -> None:
    (data / "index" / "state.json").write_text(f'{{"version": {INDEX_VERSION}, "sequence": 5}}')
    assert error_line("search", "shoes", "--data", data, exit_code=1)


def test_with_v_the_traceback_is_shown_before_the_line(tmp_path: Path) -> None:
    ran = byway("status", "-v", "--data", tmp_path / "none")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("Traceback (most recent call last):\n")
    assert ran.stderr.splitlines()[-1].startswith("byway: no data in ")
    assert "Traceback" not in byway("status", "--data", tmp_path / "none").stderr


def test_an_interrupted_command_ends_with_130(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(WAIT_TIMEOUT_SECONDS)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        command = ["trace", url, "--allow-private", "127.0.0.0/8", "--data", str(tmp_path)]
        with subprocess.Popen(
            [sys.executable, "-m", "byway", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                connection, _ = silent.accept()
                with connection:
                    assert connection.recv(1)  # now it waits for an answer that does not come
                    process.send_signal(signal.SIGINT)
                    out, err = process.communicate(timeout=WAIT_TIMEOUT_SECONDS)
            finally:
                process.kill()
    assert (process.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["nosuch"], "No such command 'nosuch'; see `byway --help`"),
        (["search"], "Missing argument 'WORDS'; see `byway search --help`"),
        (
            ["search", "lighthouse", "-mill"],
            "No such option: -m; to leave out a word, put -- before the words: "
            "byway search -- red -blue; see `byway search --help`",
        ),
        (["explain", "red", "-x"], "No such option: -x; see `byway explain --help`"),
        (["crawl", "-x"], "No such option: -x; see `byway crawl --help`"),
        (
            ["products", "bogus"],
            "Invalid value for 'action': 'bogus' is not one of 'check', 'vocabulary', 'history'; "
            "see `byway products --help`",
        ),
        (
            ["links", "--top", "foo"],
            "Invalid value for '--top': 'foo' is not one of 'pages', 'hosts'; "
            "see `byway links --help`",
        ),
        (
            ["crawl", "--pages", "abc"],
            "Invalid value for '--pages' / '-c': 'abc' is not a whole number; "
            "see `byway crawl --help`",
        ),
        (
            ["crawl", "--delay", "soon"],
            "Invalid value for '--delay': 'soon' is not a number; see `byway crawl --help`",
        ),
        (
            ["links", "--limit", "-1"],
            "Invalid value for '--limit': -1 is too small; the least is 0; "
            "see `byway links --help`",
        ),
    ],
)
def test_what_cannot_be_understood_is_one_line(
    typed: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["byway", *typed])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert (ended.value.code, told.out, told.err) == (2, "", f"byway: {says}\n")


@pytest.mark.parametrize("pause", ["-5", "nan", "inf"])
def test_an_interval_that_is_none_is_called_by_its_own_name(tmp_path: Path, pause: str) -> None:
    ran = byway("crawl", "--interval", pause, "https://a.example/", "--data", tmp_path / "new")
    said = f"byway: --interval {pause} is no pause; write milliseconds, as 500\n"
    assert (ran.exit_code, ran.stderr) == (2, said)
    assert not (tmp_path / "new").exists()
