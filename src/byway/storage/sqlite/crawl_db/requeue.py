"""What is visited again? URLs that are stale, given up, paused, due or lost are queued anew."""

from collections.abc import Sequence
from typing import NamedTuple

from byway.core.model import Lost, State
from byway.storage.sqlite.transactions import Changes, Writer

QUEUE = "update url set state = 'queued', tries = 0 where id = ?"
GIVEN_UP = "select id, host from url where state = ? and due is null"
STALE = """
select id, host from url join latest on latest.url = url.id
where again_at <= ? and state = 'kept' and (?2 = '' or job = (select id from job where name = ?2))
"""
ENTRIES = """
select id, host from url where seed = 1 and state = 'redirected' and reason like 'redirects to %'
"""
QUEUE_PAUSED = """
update url set state = 'queued', reason = null where host = ? and state = 'paused' returning id
"""
STATE_OF = "select host, state from url where id = ?"
QUEUE_LOST = "update url set state = 'queued', reason = ?, tries = 0, due = null where id = ?"
DUE = "select host, state from url where due <= ?"
WAKE = "update url set state = 'queued', due = null where due <= ?"
SOONER = "update url set due = ?1 where due > ?1"


class Queued(NamedTuple):
    """How many URLs were queued, and the numbers of their hosts."""

    urls: int
    hosts: set[int]


def given_up(writer: Writer) -> Queued:
    """What could not be had, or was at a blocked address, gets another chance."""
    with writer.transaction() as changes:
        for state in (State.UNREACHABLE, State.BLOCKED):
            _queue(writer, GIVEN_UP, (state,), state, changes)
    return _queued(changes)


def stale(writer: Writer, now: float, job: str) -> Queued:
    """The kept pages, of one job or of all, whose time has come."""
    with writer.transaction() as changes:
        _queue(writer, STALE, (now, job), State.KEPT, changes)
    return _queued(changes)


def entries(writer: Writer) -> Queued:
    """The seeds that lead somewhere else each time they are asked."""
    with writer.transaction() as changes:
        _queue(writer, ENTRIES, (), State.REDIRECTED, changes)
    return _queued(changes)


def paused(writer: Writer, host: str) -> Queued:
    """What is paused of a host, to be judged again."""
    with writer.transaction() as changes:
        row = writer.hosts.get(host)
        for _ in writer.db.execute(QUEUE_PAUSED, (row.id if row else 0,)).fetchall():
            changes.move(State.PAUSED, State.QUEUED, row.id if row else 0)
    return _queued(changes)


def due(writer: Writer, now: float) -> Queued:
    """What was put off until now."""
    with writer.transaction() as changes:
        for host, state in writer.db.execute(DUE, (now,)).fetchall():
            changes.move(State(state), State.QUEUED, host)
        writer.db.execute(WAKE, (now,))
        changes.woken = True
    return _queued(changes)


def bring_forward(writer: Writer, due: float) -> None:
    """What was put off for longer than until then is due then."""
    with writer.transaction() as changes:
        writer.db.execute(SOONER, (due,))
        changes.woken = True


def lost(writer: Writer, pages: Sequence[Lost]) -> Queued:
    """Pages that cannot be read any more: nothing is known of how they were."""
    with writer.transaction() as changes:
        for one in pages:
            host, state = writer.db.execute(STATE_OF, (one.id,)).fetchone()
            writer.db.execute(QUEUE_LOST, (one.reason, one.id))
            writer.db.execute("delete from latest where url = ?", (one.id,))
            changes.move(State(state), State.QUEUED, host)
            changes.woken = True
    return Queued(len(pages), changes.hosts)


def _queue(
    writer: Writer, which: str, values: tuple[object, ...], state: State, changes: Changes
) -> None:
    """Queue again the URLs that a query finds, all of them in this state."""
    for id, host in writer.db.execute(which, values).fetchall():
        writer.db.execute(QUEUE, (id,))
        changes.move(state, State.QUEUED, host)


def _queued(changes: Changes) -> Queued:
    return Queued(changes.states[State.QUEUED], changes.hosts)
