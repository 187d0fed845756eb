"""Processes on this machine: messages, errors, restarts and their end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from pace import slowness, wait_until
from running import is_alive

from byway.app.processes import local_runner
from byway.app.processes.local_runner import LocalRunner, supervise
from byway.app.processes.task_call import wait_for_message
from byway.core.errors import DataError, DataLockedError
from byway.core.model import ProcessSpec, RestartPolicy, RunState
from byway.storage.process_states import FileProcessStates
from byway.storage.sqlite.storage import SqliteStorage

CHILD = """
import os, signal, sys, time
from byway.app.processes.child_process import run_child
from byway.core.errors import DataLockedError
from byway.core.messages import Reason

def main(arguments, send):
    send({"pid": os.getpid(), "arguments": arguments})
    print("not a message")
    match arguments.get("do"):
        case "add":
            return sum(arguments["numbers"])
        case "refuse":
            raise DataLockedError("storage.crawl_locked", path="x", pid=Reason("redirect", to="y"))
        case "fail":
            raise ZeroDivisionError("no")
        case "drain":
            signal.signal(signal.SIGTERM, lambda *_: (time.sleep(1), sys.exit(0)))
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)

if __name__ == "__main__":
    run_child(main)
"""


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalRunner]:
    (tmp_path / "runner_child.py").write_text(CHILD)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    runner = LocalRunner()
    yield runner
    runner.close()


def spec(do: str = "", restart: RestartPolicy = RestartPolicy.NEVER, **more: Any) -> ProcessSpec:
    arguments = {"do": do, **more.pop("arguments", {})}
    return ProcessSpec("child", "runner_child", arguments, restart, **more)


def started(runner: LocalRunner, process: ProcessSpec) -> tuple[int, Callable[[], Any]]:
    """The process id, and a function that returns the next message."""
    messages: SimpleQueue[Mapping[str, Any]] = SimpleQueue()
    runner.start(process, messages.put)
    return messages.get(timeout=30)["pid"], lambda: messages.get(timeout=30)


def test_a_result_comes_back(runner: LocalRunner) -> None:
    task = spec("add", arguments={"numbers": [1, 2]})
    assert wait_for_message(runner, task, "result", 30) == 3
    assert wait_until(lambda: not runner.status())


def test_an_error_comes_back_with_its_kind_code_and_parameters(runner: LocalRunner) -> None:
    with pytest.raises(DataLockedError) as refused:
        wait_for_message(runner, spec("refuse"), "result", 30)
    assert refused.value.code == "storage.crawl_locked"
    assert refused.value.params["path"] == "x"
    assert "redirects to y" in str(refused.value)


def test_an_exception_and_a_death_are_errors(runner: LocalRunner) -> None:
    with pytest.raises(Exception, match="ZeroDivisionError: no"):
        wait_for_message(runner, spec("fail"), "result", 30)
    with pytest.raises(DataError) as died:
        wait_for_message(runner, spec("die"), "result", 30)
    assert died.value.params == {"name": "child", "exit_code": -signal.SIGKILL}


def test_a_result_that_takes_too_long_is_a_timeout_and_the_process_can_be_killed(
    runner: LocalRunner,
) -> None:
    with pytest.raises(TimeoutError):
        wait_for_message(runner, spec(), "result", 0.5)
    (state,) = runner.status()
    runner.stop("child", timeout=0)
    assert not is_alive(state.pid)
    assert runner.status() == ()


def test_a_killed_process_is_started_again_with_its_arguments(
    runner: LocalRunner, caplog: pytest.LogCaptureFixture
) -> None:
    pid, next_message = started(runner, spec(restart=RestartPolicy.UNTIL_FINISHED))
    os.kill(pid, signal.SIGKILL)
    again = next_message()
    assert again["pid"] != pid and again["arguments"] == {"do": ""}
    (state,) = runner.status()
    assert (state.state, state.pid) == (RunState.RUNNING, again["pid"])
    assert (state.restarts, state.exit_code) == (1, -signal.SIGKILL)
    assert f"process died name=child pid={pid} exit_code=-9" in caplog.text


@pytest.mark.parametrize(
    ("do", "restart", "starts"),
    [
        ("add", RestartPolicy.UNTIL_FINISHED, 1),
        ("refuse", RestartPolicy.UNTIL_FINISHED, 1),
        ("die", RestartPolicy.UNTIL_FINISHED, 3),
        ("refuse", RestartPolicy.ALWAYS, 3),
        ("die", RestartPolicy.NEVER, 1),
    ],
)
def test_the_policy_decides_on_restarts(
    runner: LocalRunner, monkeypatch: pytest.MonkeyPatch, do: str, restart: str, starts: int
) -> None:
    monkeypatch.setattr(local_runner, "MIN_BACKOFF_SECONDS", 0.01)
    seen: list[Mapping[str, Any]] = []
    task = spec(do, RestartPolicy(restart), arguments={"numbers": []})
    runner.start(task, seen.append)
    assert wait_until(lambda: sum("pid" in one for one in seen) == starts)
    if starts == 1:
        assert wait_until(lambda: "exit_code" in seen[-1])
    runner.stop("child")
    assert "exit_code" in seen[-1]


def test_each_restart_waits_longer(runner: LocalRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_runner, "MIN_BACKOFF_SECONDS", 0.2)
    starts: list[float] = []
    runner.start(spec("die", RestartPolicy.ALWAYS), lambda _: starts.append(time.monotonic()))
    assert wait_until(lambda: len(starts) == 4)
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert gaps[2] > 1.6 > 0.4 < gaps[0]


def test_a_restart_can_be_stopped(runner: LocalRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_runner, "MIN_BACKOFF_SECONDS", 30.0)
    started(runner, spec("die", RestartPolicy.ALWAYS))
    assert wait_until(lambda: runner.status()[0].state is RunState.RESTARTING)
    runner.stop("child")
    assert runner.status()[0].state is RunState.ENDED


PARENT = """
import sys, time
from byway.app.processes.local_runner import LocalRunner
from byway.core.model import ProcessSpec

runner = LocalRunner()
process = ProcessSpec("child", "runner_child", {}, is_detached=bool(sys.argv[1]))
runner.start(process, lambda message: print(message["pid"], flush=True))
time.sleep(60)
"""


@pytest.mark.parametrize("is_detached", [True, False])
@pytest.mark.usefixtures("runner")
def test_a_process_ends_with_its_parent_unless_it_is_detached(is_detached: bool) -> None:
    typed = [sys.executable, "-c", PARENT, "1" if is_detached else ""]
    with subprocess.Popen(typed, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        parent.kill()
    if is_detached:
        time.sleep(0.5)
        assert is_alive(pid)
        os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(pid))


@pytest.mark.usefixtures("runner")
def test_a_supervisor_publishes_the_states_while_it_lives(tmp_path: Path) -> None:
    with supervise(SqliteStorage(tmp_path)) as runner:
        pid, _ = started(runner, spec(restart=RestartPolicy.ALWAYS))
        (state,) = FileProcessStates(tmp_path).read()
        assert (state.name, state.pid, state.state) == ("child", pid, RunState.RUNNING)
    assert FileProcessStates(tmp_path).read() == ()
    assert list((tmp_path / "run").iterdir()) == []
    assert not is_alive(pid)


@pytest.mark.alone
def test_processes_of_one_module_stop_at_the_same_time(runner: LocalRunner) -> None:
    for number in range(5):
        started(runner, replace(spec("drain"), name=f"child-{number}"))
    time.sleep(0.2)  # until their signal handlers are set
    begun = time.monotonic()
    runner.close()
    assert time.monotonic() - begun < 3.0 * slowness(time.perf_counter)
    assert not runner.status()
