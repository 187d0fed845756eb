"""Runner port: starts processes by module name, monitors them and restarts dead ones."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from byway.core.model.process import ProcessSpec, ProcessState

MessageListener = Callable[[Mapping[str, Any]], None]
"""Receives the messages of a process; called from other threads.

A process sends any number of messages, then `{"result": …}` or `{"error": …}` (see
`core.errors.error_from_plain`). The runner adds `{"exit_code": …}` once it will not be restarted.
"""


class Runner(Protocol):
    """Starts and supervises named processes."""

    def start(self, spec: ProcessSpec, on_message: MessageListener = ...) -> None:
        """Start a process; its restart policy applies when it ends."""

    def stop(self, name: str, timeout: float | None = ...) -> None:
        """Ask a process to exit, and kill it after `timeout` seconds; None waits forever."""

    def status(self) -> Sequence[ProcessState]:
        """The state of every started process, except finished ones that are never restarted."""
