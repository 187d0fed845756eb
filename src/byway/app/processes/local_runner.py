"""Runner on this machine: a thread for each process relays its messages and restarts it.

A process is `python -m MODULE`. Its arguments arrive as one line of JSON on its standard input,
which stays open as long as its parent lives; its messages are lines of JSON on its standard output.
`child_process` is the other side.
"""

import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from byway.core.errors import error_from_plain
from byway.core.model.process import ProcessSpec, ProcessState, RestartPolicy, RunState

if TYPE_CHECKING:  # ports import numpy, which a supervisor does not need
    from byway.core.ports import Storage
    from byway.core.ports.runner import MessageListener

log = logging.getLogger(__name__)

STOP_TIMEOUT_SECONDS = 10.0
"""Seconds a process has to end before it is killed."""
MIN_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 0.2, 30.0
"""Seconds before a dead process is restarted; doubled after each short run."""
STABLE_SECONDS = 3.0
"""A process that ran longer than this is stable: its backoff is reset."""

StateListener = Callable[[Sequence[ProcessState]], None]


@contextmanager
def supervise(storage: "Storage") -> Iterator["LocalRunner"]:
    """A runner that publishes the state of its processes in a data folder, and stops them."""
    with storage.process_states().publisher() as publish:
        runner = LocalRunner(publish)
        try:
            yield runner
        finally:
            runner.close()


class LocalRunner:
    """Processes of this machine by name. Thread-safe."""

    def __init__(self, on_change: StateListener = lambda states: None) -> None:
        """`on_change` receives all states when one has changed."""
        self._on_change = on_change
        self._lock = threading.Lock()
        self._processes: dict[str, _SupervisedProcess] = {}

    def start(
        self, spec: ProcessSpec, on_message: "MessageListener" = lambda message: None
    ) -> None:
        """Start a process; its restart policy applies when it ends."""
        process = _SupervisedProcess(spec, on_message, self._update)
        with self._lock:
            self._processes[spec.name] = process
        process.start()

    def stop(self, name: str, timeout: float | None = STOP_TIMEOUT_SECONDS) -> None:
        """Ask a process to end, and kill it after `timeout` seconds; None waits forever."""
        with self._lock:
            process = self._processes.get(name)
        if process:
            process.stop(timeout)

    def status(self) -> tuple[ProcessState, ...]:
        """The state of every started process, except finished ones that are never restarted."""
        with self._lock:
            return tuple(process.state for process in self._processes.values())

    def close(self) -> None:
        """Stop all processes except detached ones, last started first.

        Processes of one module, such as the web workers, stop at the same time.
        """
        with self._lock:
            processes = list(self._processes.values())
        stopped = [process for process in processes if not process.spec.is_detached]
        with ExitStack() as stack:
            for _, same_module in groupby(stopped, lambda process: process.spec.module):
                group = list(same_module)
                for process in group:
                    stack.callback(process.stop, STOP_TIMEOUT_SECONDS)
                for process in group:
                    stack.callback(process.request_stop)

    def _update(self, process: "_SupervisedProcess", state: ProcessState) -> None:
        with self._lock:
            process.state = state
            is_over = state.state is RunState.ENDED and process.spec.restart is RestartPolicy.NEVER
            if is_over and self._processes.get(state.name) is process:
                del self._processes[state.name]
            self._on_change([each.state for each in self._processes.values()])


class _SupervisedProcess:
    """One process, and the thread that waits for it and restarts it."""

    def __init__(
        self,
        spec: ProcessSpec,
        on_message: "MessageListener",
        on_change: Callable[["_SupervisedProcess", ProcessState], None],
    ) -> None:
        self.spec = spec
        self.state = ProcessState(spec.name)
        self._on_message = on_message
        self._on_change = on_change
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._supervise, name=spec.name, daemon=True)

    def start(self) -> None:
        self._launch()
        self._thread.start()

    def request_stop(self) -> "subprocess.Popen[bytes] | None":
        with self._lock:
            process, was_stopping = self._process, self._stopping.is_set()
            self._stopping.set()
        if process and not was_stopping:
            process.terminate()
        return process

    def stop(self, timeout: float | None) -> None:
        process = self.request_stop()
        self._thread.join(timeout)
        if process and self._thread.is_alive():
            process.kill()
            self._thread.join()

    def _supervise(self) -> None:
        backoff = MIN_BACKOFF_SECONDS
        while process := self._process:
            with process:
                finished = self._relay_messages(process)
            exit_code = process.returncode
            if self._is_final(finished):
                break
            is_stable = time.time() - self.state.running_since > STABLE_SECONDS
            backoff = MIN_BACKOFF_SECONDS if is_stable else min(2 * backoff, MAX_BACKOFF_SECONDS)
            log.warning(
                "process died name=%s pid=%d exit_code=%d restart_in=%.1f",
                *(self.spec.name, process.pid, exit_code, backoff),
            )
            self._change(state=RunState.RESTARTING, pid=0, exit_code=exit_code)
            if self._stopping.wait(backoff) or not self._launch(self.state.restarts + 1):
                break
        self._change(state=RunState.ENDED, pid=0, exit_code=exit_code)
        self._on_message({"exit_code": exit_code})

    def _is_final(self, finished: bool) -> bool:
        policy = self.spec.restart
        return (
            self._stopping.is_set()
            or policy is RestartPolicy.NEVER
            or (policy is RestartPolicy.UNTIL_FINISHED and finished)
        )

    def _launch(self, restarts: int = 0) -> bool:
        """Start the process, unless it was stopped meanwhile; returns whether it was started."""
        with self._lock:
            if self._stopping.is_set():
                return False
            self._process = _spawn(self.spec)
        pid = self._process.pid
        self._change(state=RunState.RUNNING, pid=pid, running_since=time.time(), restarts=restarts)
        return True

    def _relay_messages(self, process: "subprocess.Popen[bytes]") -> bool:
        """Relay its messages until it ends; returns whether it reported a result or an error."""
        finished = False
        for line in process.stdout or ():
            with suppress(ValueError):  # it was killed in the middle of a line
                message: Mapping[str, Any] = json.loads(line)
                finished = finished or "result" in message or "error" in message
                self._on_message(message)
                if "error" in message and self.spec.restart is RestartPolicy.ALWAYS:
                    error = error_from_plain(message["error"])
                    log.warning("process failed name=%s error=%s", self.spec.name, error)
        return finished

    def _change(self, **values: Any) -> None:
        self._on_change(self, replace(self.state, **values))


def _spawn(spec: ProcessSpec) -> "subprocess.Popen[bytes]":
    """Start the process in its own session, which Ctrl-C in the terminal does not reach."""
    with ExitStack() as stack:
        stderr = stack.enter_context(Path(spec.log_path).open("wb")) if spec.log_path else None
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", spec.module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            pass_fds=spec.file_descriptors,
        )
    start = {
        "arguments": spec.arguments,
        "is_detached": spec.is_detached,
        "is_verbose": logging.getLogger("byway").isEnabledFor(logging.DEBUG),
    }
    with suppress(BrokenPipeError):  # it is already dead, as its thread will notice
        assert process.stdin
        process.stdin.write(json.dumps(start).encode() + b"\n")
        process.stdin.flush()
    return process
