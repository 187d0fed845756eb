"""Supervised processes as seen from other processes: their states, and which one to signal."""

import time
from typing import TYPE_CHECKING

from byway.core.messages import t
from byway.core.model.process import ProcessState, RunState

if TYPE_CHECKING:  # ports import numpy, which a supervisor does not need
    from byway.core.ports import Storage


def process_text(state: ProcessState) -> str:
    """The state of a process in one line."""
    seconds = round(time.time() - state.running_since)
    parts = [t(f"process.{state.state}", pid=state.pid, seconds=seconds)]
    if state.restarts:
        parts.append(t("process.restarts", count=state.restarts))
    if state.exit_code is not None:
        parts.append(t("process.exit_code", code=state.exit_code))
    return ", ".join(parts)


def crawl_stop_target(storage: "Storage") -> int | None:
    """The process that stops the crawl on SIGUSR1; None if there is no crawl.

    It is the crawl, or the supervisor that is about to restart it.
    """
    if process := storage.crawler_pid():
        return process
    return next(
        (
            publisher
            for publisher, states in storage.process_states().read_by_publisher()
            for state in states
            if state.name == "crawl" and state.state is RunState.RESTARTING
        ),
        None,
    )
