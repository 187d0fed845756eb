"""Process states that one process publishes to the others, as files in the data folder.

A publisher holds a lock beside its file; once it is killed, its states no longer count.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

import msgspec

from byway.core.model.process import ProcessState
from byway.core.ports.process_states import StatePublisher


class FileProcessStates:
    """The process states published in a data folder's `run/`."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the data folder."""
        self._folder = folder / "run"

    @contextmanager
    def publisher(self) -> Iterator[StatePublisher]:
        """Yield a function that publishes states; they are withdrawn at the end of the block."""
        path = self._folder / f"{os.getpid()}-{secrets.token_hex(4)}.json"
        lock = path.with_suffix(".lock")
        try:
            self._folder.mkdir(exist_ok=True)
            self._delete_void_states()
            handle = _hold_lock(lock)
        except OSError:  # a read-only folder: nothing is published
            yield lambda states: None
            return
        with handle:
            try:
                yield partial(_publish, path)
            finally:
                _delete(path, lock)

    def read(self) -> tuple[ProcessState, ...]:
        """The states that running processes have published, by name."""
        states = [state for _, states in self.read_by_publisher() for state in states]
        return tuple(sorted(states, key=lambda state: state.name))

    def read_by_publisher(self) -> Iterator[tuple[int, list[ProcessState]]]:
        """The process id and published states of each publisher."""
        for path in self._folder.glob("*.json"):
            # A file may be gone by now, or come from another version.
            with suppress(OSError, ValueError):
                if _is_locked(path.with_suffix(".lock")):
                    states = msgspec.json.decode(path.read_bytes(), type=list[ProcessState])
                    yield int(path.name.partition("-")[0]), states

    def _delete_void_states(self) -> None:
        for lock in self._folder.glob("*.lock"):
            with suppress(OSError):
                if not _is_locked(lock):
                    _delete(lock.with_suffix(".json"), lock.with_suffix(".tmp"), lock)


def _publish(path: Path, states: Sequence[ProcessState]) -> None:
    with suppress(OSError):  # a full disk must not end the publisher
        draft = path.with_suffix(".tmp")
        draft.write_bytes(msgspec.json.encode(states))
        draft.replace(path)


def _hold_lock(path: Path) -> IO[bytes]:
    """A new lock file, renamed into place once it is locked, so that it never looks stale."""
    draft = path.with_suffix(".new")
    handle = draft.open("wb")
    fcntl.flock(handle, fcntl.LOCK_EX)
    draft.replace(path)
    return handle


def _is_locked(path: Path) -> bool:
    with path.open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _delete(*paths: Path) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)
