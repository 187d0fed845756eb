"""Processes that a runner starts: their specs and states."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class RestartPolicy(StrEnum):
    """When to restart a process that has ended."""

    ALWAYS = "always"
    UNTIL_FINISHED = "until_finished"
    """Restart after a kill or crash, but not after the process reported a result or error."""
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A process to start, by the name of its module."""

    name: str
    """The name of the process, unique within a runner."""
    module: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of the process, sent to it as JSON."""
    restart: RestartPolicy = RestartPolicy.NEVER
    is_detached: bool = False
    """Whether it outlives its parent process."""
    log_path: str = ""
    """Its log file; empty for the log of its parent process."""
    file_descriptors: tuple[int, ...] = ()
    """File descriptors it inherits, such as a listening socket."""


class RunState(StrEnum):
    """The running state of a process."""

    RUNNING = "running"
    RESTARTING = "restarting"
    """It died and will be restarted shortly."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class ProcessState:
    """The state of one process."""

    name: str
    state: RunState = RunState.RUNNING
    pid: int = 0
    """The process id; 0 if it is not running."""
    running_since: float = 0.0
    """Unix time of its last start."""
    restarts: int = 0
    exit_code: int | None = None
    """Its last exit code; negative signal number if it was killed."""
