"""`bench/compare`: commits, CPU time, errors and the sample web."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from bench.comparison import repeated_calls
from bench.comparison.cache import Cache
from bench.comparison.commits import WORK, Checkout, add_worktree, commit_of
from bench.comparison.cpu import Work, compare_cpu, cpu_seconds, print_ratio
from bench.comparison.errors import ComparisonError
from bench.comparison.sample_web import Manual, sample_web

ROOT = Path(__file__).parents[2]
COMPARE = ROOT / "bench" / "compare"


@pytest.fixture
def here() -> Checkout:
    return Checkout(WORK, ROOT, Path(sys.executable))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "file").write_text("one")
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "Add a file"]):
        subprocess.run(["git", "-C", folder, *command], check=True)
    return folder


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("no-such-commit WORK behaviour", "compare: unknown commit 'no-such-commit'; "),
        ("WORK WORK speed", "compare: argument CHECK: invalid choice: 'speed' "),
        ("WORK WORK cpu", "compare: no command; "),
        ("WORK", "compare: the following arguments are required: "),
    ],
)
def test_a_mistake_is_one_line(typed: str, line: str) -> None:
    done = subprocess.run([COMPARE, *typed.split()], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1


def test_help_names_every_check() -> None:
    done = subprocess.run([COMPARE, "--help"], capture_output=True, text=True, check=True)
    assert all(check in done.stdout for check in ("behaviour", "cpu", "clean", "WORK"))


def test_a_commit_gets_a_worktree_that_clean_removes(repository: Path, tmp_path: Path) -> None:
    cache, commit = Cache(tmp_path / "cache"), commit_of("HEAD", repository)
    cache.create()
    (repository / "file").write_text("two")
    tree = add_worktree(commit, repository, cache)
    assert (tree / "file").read_text() == "one"
    assert add_worktree(commit, repository, cache) == tree
    assert cache.clean(repository)
    assert not cache.clean(repository)
    listed = subprocess.run(
        ["git", "-C", repository, "worktree", "list"], capture_output=True, text=True
    )
    assert listed.stdout.count("\n") == 1


def test_the_working_tree_is_a_commit_too(repository: Path) -> None:
    assert commit_of(".", repository) == commit_of("WORK", repository) == WORK


@pytest.mark.parametrize("name", ["none", "--all", ""])
def test_an_unknown_commit_is_an_error(repository: Path, name: str) -> None:
    with pytest.raises(ComparisonError, match="unknown commit"):
        commit_of(name, repository)


def test_clean_removes_no_other_folder(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch()
    with pytest.raises(ComparisonError, match="not a cache"):
        Cache(tmp_path).clean(ROOT)
    with pytest.raises(ComparisonError, match="not a cache"):
        Cache(tmp_path).create()
    assert (tmp_path / "letter.txt").exists()


def test_processes_run_the_code_of_their_checkout(
    here: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BYWAY_CRAWL__DELAY", "7")
    variables = here.variables()
    assert variables["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT / "src")
    assert "BYWAY_CRAWL__DELAY" not in variables


def test_the_ratio_of_cpu_time_is_printed(
    here: Checkout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = Work(["python", "-S", "-c", "sum(range(1_000_000))"])
    figures = compare_cpu(here, here, work, 2, tmp_path)
    assert len(figures) == 2
    assert all(second > 0 for figure in figures for second in figure)
    print_ratio(here, here, [(2.0, 1.0), (2.0, 3.0), (4.0, 4.0)])
    printed = capsys.readouterr().out
    assert "old WORK        median 2.000 s (2.000–4.000)" in printed
    assert "new/old         median 1.000 (0.500–1.500), 3 rounds" in printed


def test_children_of_the_command_are_counted(here: Checkout, tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {busy!r}])"
    assert cpu_seconds(here, Work(["python", "-c", child]), tmp_path) >= 0.3


def test_each_run_gets_a_fresh_copy(here: Checkout, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    create = "import sys; open(sys.argv[1] + '/new', 'x').close()"
    work = Work(["python", "-S", "-c", create, "{copy}"], tmp_path / "data")
    for _ in range(2):
        cpu_seconds(here, work, tmp_path / "results")
    assert list((tmp_path / "data").iterdir()) == []


def test_a_failing_command_is_told_with_its_last_line(here: Checkout, tmp_path: Path) -> None:
    with pytest.raises(ComparisonError, match="WORK ended with 1: no such thing; see "):
        cpu_seconds(here, Work(["python", "-c", "exit('no such thing')"]), tmp_path)
    with pytest.raises(ComparisonError, match="cannot run no-such-program: No such file"):
        cpu_seconds(here, Work(["no-such-program"]), tmp_path)


def test_many_calls_run_in_one_process(here: Checkout) -> None:
    done = subprocess.run(
        [here.python, "-P", repeated_calls.__file__],
        env=here.variables(),
        input='["--version"]\n["status", "--no-such-flag"]\n["--version"]\n',
        capture_output=True,
        text=True,
    )
    version, failed, again = done.stdout.splitlines()
    assert version == again
    assert version.startswith('"byway ')
    assert failed == '""'


def test_the_village_and_manuals_are_served(here: Checkout, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<title>A manual</title>")
    manual = Manual(
        name="manual", package="none", root=tmp_path, seeds=("index.html",), address="127.0.0.33"
    )
    with sample_web(here, [manual]) as seeds:
        assert len(seeds) == 8
        with urlopen(seeds[-1]) as answer:
            assert answer.read() == b"<title>A manual</title>"
        with urlopen(seeds[1]) as answer:
            assert answer.status == 200
