"""Process states port: what supervisors publish of their processes."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from byway.core.model.process import ProcessState

StatePublisher = Callable[[Sequence[ProcessState]], None]


class ProcessStates(Protocol):
    """States that one process publishes to the others; those of one that was killed are void."""

    def publisher(self) -> AbstractContextManager[StatePublisher]:
        """A function that publishes states until the end of the block."""

    def read(self) -> tuple[ProcessState, ...]:
        """The states that running processes have published, by name."""

    def read_by_publisher(self) -> Iterable[tuple[int, Sequence[ProcessState]]]:
        """The process id of each publisher, and what it has published."""
