"""Stop signals as events of a queue: Ctrl-C, SIGTERM, and the SIGUSR1 of `byway stop`."""

import asyncio
import signal
from collections.abc import Coroutine, Mapping
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

CANCEL_TIMEOUT_SECONDS = 0.3
"""Time for cancelled work to clean up before it is cancelled again."""

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
    """Wait for Ctrl-C or SIGTERM, the normal end of a server."""
    while events.get().get("signal") not in (signal.SIGINT, signal.SIGTERM):
        pass


def run_until_interrupted(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine; Ctrl-C ends it even if it swallows the cancellation.

    `asyncio.run` alone cancels the task once. A connection that is being made at that moment can
    lose the cancellation, and the command then waits until its timeout.
    """

    async def watch() -> T:
        task, interrupted = asyncio.ensure_future(work), asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted.set)
        waiting = asyncio.ensure_future(interrupted.wait())
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if interrupted.is_set():
            task.cancel()
            await asyncio.wait({task}, timeout=CANCEL_TIMEOUT_SECONDS)
            raise KeyboardInterrupt  # asyncio.run cancels the task once more
        return await task

    return asyncio.run(watch())
