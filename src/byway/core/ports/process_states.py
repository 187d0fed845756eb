"""Process states port: the states of processes, published by their supervisors."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from byway.core.model.process import ProcessState

StatePublisher = Callable[[Sequence[ProcessState]], None]


class ProcessStates(Protocol):
    """Process states published to other processes; ignored if their publisher was killed."""

    def publisher(self) -> AbstractContextManager[StatePublisher]:
        """Yield a function that publishes states; they are withdrawn at the end of the block."""

    def read(self) -> tuple[ProcessState, ...]:
        """The states published by running processes, by name."""

    def read_by_publisher(self) -> Iterable[tuple[int, Sequence[ProcessState]]]:
        """The process id of each publisher, and the states it has published."""
