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
from cli.runner import byway, error_line
from pace import WAIT_TIMEOUT_SECONDS

from byway.cli import main
from byway.core.messages import t
from byway.index.schema import INDEX_VERSION
from byway.storage.sqlite.storage import SqliteStorage

READERS = (["search", "shoes"], ["status"], ["explain", "shoes", "example.org"], ["serve"])
WRITERS = (["index"], ["rank"])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with nothing in it yet."""
    assert byway("init", "--data", tmp_path / "data").exit_code == 0
    return tmp_path / "data"


@pytest.mark.parametrize("command", READERS + WRITERS, ids=" ".join)
def test_a_missing_data_folder_is_named_with_the_cure(command: list[str], tmp_path: Path) -> None:
    says = error_line(*command, "--data", tmp_path / "none", exit_code=2)
    assert says == t("error.storage.no_data", path=tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", ["crawl", "up"])
def test_a_crawl_needs_a_seed(command: str, tmp_path: Path, data: Path) -> None:
    wanted = t("error.app.no_seeds")
    assert error_line(command, "--data", tmp_path / "none", exit_code=2) == wanted
    assert error_line(command, "--data", data, exit_code=2) == wanted


@pytest.mark.parametrize("also", [[], ["--recrawl-all"], ["--dry-run"]])
def test_a_recrawl_needs_a_data_folder(also: list[str], tmp_path: Path) -> None:
    says = error_line("crawl", "--recrawl", *also, "--data", tmp_path / "none", exit_code=2)
    assert says.startswith(f"There is no data in {tmp_path / 'none'}. Start with `byway up URL`")


@pytest.mark.parametrize("command", [["crawl"], ["up"], ["trace"], ["explain", "shoes"]])
@pytest.mark.parametrize("url", ["red shoes", "ftp://a.org/", "http://a.org:99999/", "\udcff.org"])
def test_an_invalid_url_is_refused(command: list[str], url: str, data: Path) -> None:
    says = error_line(*command, url, "--data", data, exit_code=2)
    assert says.startswith(("Not a URL: ", "Unsupported URL: "))


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("crawl.dealy=2", "Unknown setting crawl.dealy. Did you mean crawl.delay?"),
        ("crawl.delay=fast", "crawl.delay = 'fast' is not a number"),
        ("crawl.delay", "--set crawl.delay: use the form `--set crawl.delay=2`."),
        ("search.weights.titel=2", "Unknown signal search.weights.titel. The signals are: bm25, "),
    ],
)
def test_a_wrong_setting_is_named(setting: str, says: str, data: Path) -> None:
    assert error_line("search", "shoes", "--data", data, "--set", setting, exit_code=2).startswith(
        says
    )


def test_a_wrong_variable_is_named(data: Path) -> None:
    says = error_line("status", "--data", data, exit_code=2, BYWAY_CRAWL__DELAY="soon")
    where = "environment variable BYWAY_CRAWL__DELAY"
    assert says == f"{where}: crawl.delay = 'soon' is not a number."


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--scope", "all", "crawl.scope = 'all' is not one of host, site, any"),
        ("--pages", "-3", "crawl.max_pages = -3 is too small. The minimum is 0."),
        ("--depth", "-3", "crawl.max_depth = -3 is too small. The minimum is 0."),
        ("--delay", "-1", "crawl.delay = -1.0 is too small. The minimum is 0."),
        ("--concurrency", "0", "crawl.concurrency = 0 is too small. The minimum is 1."),
        ("--allow-private", "zzz", "crawl.allow_private: 'zzz' is not a network."),
        ("--keep", "([", "crawl.keep_pattern = '([' is not a valid regular expression: "),
        ("--host", "([", "crawl.host_pattern = '([' is not a valid regular expression: "),
        ("--path", "([", "crawl.path_pattern = '([' is not a valid regular expression: "),
    ],
)
def test_a_wrong_option_is_named_with_its_setting(
    option: str, value: str, says: str, data: Path
) -> None:
    said = error_line("crawl", "example.org", option, value, "--data", data, exit_code=2)
    assert said.startswith(f"{option}: {says}")


def test_a_wrong_setting_without_an_option_is_named_alone(data: Path) -> None:
    also = ("--pages", "3", "--set", "crawl.max_retries=-1")
    says = error_line("crawl", "example.org", *also, "--data", data, exit_code=2)
    assert says == "crawl.max_retries = -1 is too small. The minimum is 0."


def test_an_unknown_weight_is_named_with_its_source(data: Path) -> None:
    says = "Unknown signal search.weights.titel. The signals are: bm25, "
    told = error_line(
        "search", "shoes", "--data", data, exit_code=2, BYWAY_SEARCH__WEIGHTS__TITEL="2"
    )
    assert told.startswith("environment variable BYWAY_SEARCH__WEIGHTS__TITEL: ") and says in told
    (data / "byway.toml").write_text("[search.weights]\ntitel = 2\n")
    told = error_line("search", "shoes", "--data", data, exit_code=2)
    assert told.startswith(f"{data / 'byway.toml'}: ") and says in told


def test_a_settings_file_with_an_error_is_named(data: Path) -> None:
    (data / "byway.toml").write_text("[crawl]\ndelay = \n")
    says = error_line("status", "--data", data, exit_code=2)
    assert says.startswith(f"{data / 'byway.toml'}: ") and "line 2" in says


@pytest.mark.parametrize("command", [["init"], ["crawl", "example.org"], ["up", "example.org"]])
def test_a_file_in_the_place_of_the_folder_is_named(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    says = error_line(*command, "--data", tmp_path / "data", exit_code=1)
    assert says == f"Cannot create the data folder {tmp_path / 'data'}: File exists."


def test_an_unreadable_seed_file_is_named(tmp_path: Path) -> None:
    crawl = ("crawl", "--data", tmp_path / "data", "--seed-file")
    cure = "Give a text file with one URL per line."
    file = tmp_path / "seeds.txt"
    assert error_line(*crawl, file, exit_code=2) == f"No such file: {file}. {cure}"
    assert error_line(*crawl, tmp_path, exit_code=2) == f"{tmp_path} is a folder. {cure}"
    file.write_bytes(b"a.org\nb\xfc.org\n")
    assert (
        error_line(*crawl, file, exit_code=2)
        == f"{file}, line 2: not UTF-8. Save the file as UTF-8."
    )
    log = ("--log-file", tmp_path / "none" / "log.txt")
    says = error_line("crawl", "a.org", "--data", tmp_path / "data", *log, exit_code=2)
    assert says == f"Cannot write {log[1]}: there is no folder {tmp_path / 'none'}."
    assert not (tmp_path / "data").exists()


@contextmanager
def without_root_rights() -> Iterator[None]:
    """Run as an unprivileged user; root may read everything."""
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
        with without_root_rights():
            says = error_line(*command, "--data", data, exit_code=1)
    finally:
        data.chmod(0o700)
    assert str(data) in says and "ermission denied" in says


@pytest.mark.parametrize(
    ("what", "command"),
    [("crawl", ["crawl", "example.org"]), ("index", ["index", "--rebuild"])],
)
def test_a_second_writer_is_refused(what: str, command: list[str], data: Path) -> None:
    with SqliteStorage(data).write_lock(what):
        says = error_line(*command, "--data", data, exit_code=1)
    written = {"crawl": "crawl data", "index": "the index"}[what]
    assert f"Another byway process ({os.getpid()}) is writing {written} in " in says
    assert "--data" in says


def test_readers_work_beside_a_writer(data: Path) -> None:
    with SqliteStorage(data).write_lock("crawl"):
        assert "crawl    running" in byway("status", "--data", data).stdout
        with SqliteStorage(data).write_lock("index"):  # one process with both makes documents anew
            assert byway("search", "shoes", "--data", data).exit_code == 0
            assert "crawl    not running" in byway("status", "--data", data).stdout


@pytest.mark.parametrize("command", [["serve"], ["up", "example.org"]])
def test_a_port_in_use_is_named(command: list[str], data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        says = error_line(*command, "--port", port, "--data", data, exit_code=2)
    assert says == f"Port {port} on 127.0.0.1 is already in use. Choose another port with --port."


def test_an_invalid_port_is_named(data: Path) -> None:
    says = error_line("serve", "--port", 99999, "--data", data, exit_code=2)
    assert says == "--port: serve.port = 99999 is too large. The maximum is 65535."


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
    assert says.startswith(f"{data / name} is damaged (file is not a database). ")


def test_a_damaged_database_is_named_where_it_is_the_only_one(tmp_path: Path) -> None:
    (tmp_path / "crawl.db").write_bytes(b"garbage " * 1000)
    says = error_line("status", "--data", tmp_path, exit_code=1)
    assert says == (
        f"{tmp_path / 'crawl.db'} is damaged (file is not a database). "
        "Restore it from a backup, or choose another folder with --data."
    )


def test_an_unexpected_error_is_one_line(data: Path) -> None:
    (data / "index" / "state.json").write_text(f'{{"version": {INDEX_VERSION}, "sequence": 5}}')
    assert error_line("search", "shoes", "--data", data, exit_code=1)


def test_verbose_shows_the_traceback_before_the_error(tmp_path: Path) -> None:
    ran = byway("status", "-v", "--data", tmp_path / "none")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("Traceback (most recent call last):\n")
    assert ran.stderr.splitlines()[-1].startswith("byway: There is no data in ")
    assert "Traceback" not in byway("status", "--data", tmp_path / "none").stderr


def test_a_command_refuses_storage_in_memory(tmp_path: Path) -> None:
    memory = ("--set", "storage.database=memory", "--data", tmp_path / "d")
    says = error_line("up", "a.org", *memory, exit_code=2)
    assert says == t("error.cli.memory_storage")
    assert not (tmp_path / "d").exists()


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
        (["nosuch"], "No such command 'nosuch'. See `byway --help`."),
        (["search"], "Missing argument 'QUERY'. See `byway search --help`."),
        (
            ["search", "lighthouse", "-mill"],
            "No such option: -m. To exclude a word, put -- before the query: "
            "byway search -- red -blue. See `byway search --help`.",
        ),
        (["explain", "red", "-x"], "No such option: -x. See `byway explain --help`."),
        (["crawl", "-x"], "No such option: -x. See `byway crawl --help`."),
        (
            ["products", "bogus"],
            "Invalid value for 'action': 'bogus' is not one of 'check', 'vocabulary', 'history'. "
            "See `byway products --help`.",
        ),
        (
            ["links", "--top", "foo"],
            "Invalid value for '--top': 'foo' is not one of 'pages', 'hosts'. "
            "See `byway links --help`.",
        ),
        (
            ["crawl", "--pages", "abc"],
            "Invalid value for '--pages' / '-c': 'abc' is not a whole number. "
            "See `byway crawl --help`.",
        ),
        (
            ["crawl", "--delay", "soon"],
            "Invalid value for '--delay': 'soon' is not a number. See `byway crawl --help`.",
        ),
        (
            ["links", "--limit", "-1"],
            "Invalid value for '--limit' / '-n': -1 is too small (minimum 0). "
            "See `byway links --help`.",
        ),
        (
            ["index", "--shards", "0"],
            "Invalid value for '--shards': 0 is too small (minimum 1). See `byway index --help`.",
        ),
        (
            ["index", "--shards", "65"],
            "Invalid value for '--shards': 65 is too large (maximum 64). See `byway index --help`.",
        ),
    ],
)
def test_a_usage_error_is_one_line(
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
def test_a_wrong_interval_is_refused(tmp_path: Path, pause: str) -> None:
    ran = byway("crawl", "--interval", pause, "https://a.example/", "--data", tmp_path / "new")
    assert ran.exit_code == 2
    assert ran.stderr.startswith(f"byway: --interval {pause} is not a valid delay")
    assert not (tmp_path / "new").exists()
