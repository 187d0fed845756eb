"""Processes that a runner starts: what to start, and the state of what was started."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class RestartPolicy(StrEnum):
    """When a process that has ended is started again."""

    ALWAYS = "always"
    UNTIL_FINISHED = "until_finished"
    """Unless it has reported a result or an error: only after a kill or a crash."""
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A process to start, by the name of its module."""

    name: str
    """Unique among the processes of a runner."""
    module: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Sent to the process as JSON."""
    restart: RestartPolicy = RestartPolicy.NEVER
    is_detached: bool = False
    """Whether it outlives the process that starts it."""
    log_path: str = ""
    """The file for its log; empty for the log of the process that starts it."""
    file_descriptors: tuple[int, ...] = ()
    """Open files that it inherits, such as a listening socket."""


class RunState(StrEnum):
    """Whether a process runs."""

    RUNNING = "running"
    RESTARTING = "restarting"
    """It died and is started again in a moment."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class ProcessState:
    """The state of one process."""

    name: str
    state: RunState = RunState.RUNNING
    pid: int = 0
    """0 if it does not run."""
    running_since: float = 0.0
    """Unix time of its last start."""
    restarts: int = 0
    exit_code: int | None = None
    """How it ended last; minus the number of the signal that killed it."""
