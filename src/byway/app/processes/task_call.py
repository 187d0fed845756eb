"""Starts a process and waits for one of its messages."""

import time
from collections.abc import Mapping
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from byway.core.errors import DataError, error_from_plain
from byway.core.model.process import ProcessSpec

if TYPE_CHECKING:
    from byway.core.ports.runner import Runner


def wait_for_message(
    runner: "Runner", spec: ProcessSpec, name: str, timeout: float | None = None
) -> Any:
    """Start a process and return the value of its first message with this name.

    Raises any error that the process reports, and `TimeoutError` if no message arrives in time; the
    process then keeps running.
    """
    messages: SimpleQueue[Mapping[str, Any]] = SimpleQueue()
    runner.start(spec, messages.put)
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        try:
            message = messages.get(timeout=end and max(0.0, end - time.monotonic()))
        except Empty:
            raise TimeoutError from None
        if name in message:
            return message[name]
        if "error" in message:
            raise error_from_plain(message["error"])
        if "exit_code" in message:
            raise DataError("app.process_died", name=spec.name, exit_code=message["exit_code"])
