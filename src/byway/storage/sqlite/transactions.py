"""What does one transaction of crawl.db change? Its rows, all or none, and what is counted by them.

What is remembered besides (the numbers of URLs, hosts, when the next is due) is never ahead of it.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from byway.core.model import RobotsFile, State
from byway.storage.sqlite.crawl_db.hosts import HostTable
from byway.storage.sqlite.crawl_db.schema import open_to_read, open_to_write

COUNT_STATE = """
insert into state_count values (?, ?) on conflict (state) do update set urls = urls + excluded.urls
"""
VOTE = "update url set priority = priority - ?2 where id = ?1 and state = 'queued'"
NEXT_DUE = "select min(due) from url where due is not null"
SAVE_ROBOTS = "replace into robots values (?, ?, ?, ?)"
ADD_TO_HOST = "update host set urls = urls + ?2 where id = ?1"


@dataclass(slots=True)
class Changes:
    """What a transaction changes besides its rows: counts of states, hosts with new work."""

    states: Counter[State] = field(default_factory=Counter)
    hosts: set[int] = field(default_factory=set)
    urls: Counter[int] = field(default_factory=Counter)
    """How many URLs of each host are queued for the first time."""
    votes: Counter[int] = field(default_factory=Counter)
    """Links that lead to each URL."""
    added: int = 0
    dues: list[float] = field(default_factory=list)
    woken: bool = False
    """Are there fewer URLs waiting for their time than before?"""

    def move(self, before: State, after: State, host: int) -> None:
        """A URL of this host has another state now."""
        self.states[before] -= 1
        self.states[after] += 1
        self.hosts.add(host)


class Writer:
    """The one connection that writes to crawl.db; `open_to_write` says what a commit survives."""

    def __init__(self, path: Path, votes: bool, hosts: int) -> None:
        """`votes`: links move what they lead to up its queue. `hosts`: how many stay in memory."""
        self.db = open_to_write(path)
        self.read = open_to_read(path)
        """A connection for those who should not wait for a transaction to end."""
        self.hosts = HostTable(self.db, self.read, hosts)
        self.votes = votes
        self.next_id = int(self.one("select coalesce(max(id), 0) + 1 from url"))
        self.next_due: float | None = self.one(NEXT_DUE)
        self.ids: dict[str, int] = {}
        """Numbers of URLs, kept in memory for a while."""
        self._robots: list[tuple[str, float, int, bytes]] = []
        self._writing = threading.Lock()

    def close(self) -> None:
        """Let go of the file."""
        self.read.close()
        self.db.execute("pragma wal_checkpoint(truncate)")
        self.db.close()

    @property
    def busy(self) -> bool:
        """Is a transaction under way?"""
        return self._writing.locked()

    @contextmanager
    def transaction(self) -> Iterator[Changes]:
        """All that is done in the block is on disk when it is left, or nothing of it."""
        changes = Changes()
        with self._writing:
            next_id = self.next_id
            self.hosts.trim()
            self.db.execute("begin immediate")
            try:
                yield changes
                self._write_down(changes)
                self.db.execute("commit")
                self._note_dues(changes)
            except BaseException:
                self.db.execute("rollback")
                self.next_id = next_id
                self.ids.clear()
                self.hosts.forget()
                raise

    def save_robots(self, host: str, file: RobotsFile) -> None:
        """Keep a robots.txt with whatever is written next: a sync for each host would be dear."""
        self._robots.append((host, *file))

    def one(self, sql: str) -> Any:
        """The one value that a query gives."""
        return self.db.execute(sql).fetchone()[0]

    def _write_down(self, changes: Changes) -> None:
        self.db.executemany(COUNT_STATE, changes.states.items())
        robots, self._robots = self._robots, []
        self.db.executemany(SAVE_ROBOTS, robots)
        if self.votes:
            self.db.executemany(VOTE, changes.votes.items())
        self.db.executemany(ADD_TO_HOST, changes.urls.items())

    def _note_dues(self, changes: Changes) -> None:
        if changes.woken:
            self.next_due = self.one(NEXT_DUE)
        known = [] if self.next_due is None else [self.next_due]
        self.next_due = min(changes.dues + known, default=None)
