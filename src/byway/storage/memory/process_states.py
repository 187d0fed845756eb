"""Reference process states in memory."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from byway.core.model.process import ProcessState
from byway.storage.process_states import StatePublisher


class MemoryProcessStates:
    """The states of each publisher in a dict."""

    def __init__(self) -> None:
        self._states: dict[object, Sequence[ProcessState]] = {}

    @contextmanager
    def publisher(self) -> Iterator[StatePublisher]:
        publisher = object()

        def publish(states: Sequence[ProcessState]) -> None:
            self._states[publisher] = tuple(states)

        try:
            yield publish
        finally:
            self._states.pop(publisher, None)

    def read(self) -> tuple[ProcessState, ...]:
        states = [state for each in self._states.values() for state in each]
        return tuple(sorted(states, key=lambda state: state.name))

    def read_by_publisher(self) -> Iterator[tuple[int, Sequence[ProcessState]]]:
        return ((os.getpid(), states) for states in list(self._states.values()))
