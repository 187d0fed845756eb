"""Stop signals as events of a queue: Ctrl-C, SIGTERM, and the SIGUSR1 of `byway stop`."""

import signal
from collections.abc import Mapping
from queue import SimpleQueue
from typing import Any

Events = SimpleQueue[Mapping[str, Any]]
"""Signals (`{"signal": number}`), and messages of processes."""


def receive_signals() -> Events:
    """A queue that receives the stop signals from now on."""
    events: Events = SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        # `put` is reentrant, so a handler may call it at any time.
        signal.signal(number, lambda number, _: events.put({"signal": number}))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})  # `main` blocked it
    return events


def wait_for_stop(events: Events) -> None:
    """Return on Ctrl-C or SIGTERM, the normal end of serving."""
    while events.get().get("signal") not in (signal.SIGINT, signal.SIGTERM):
        pass
