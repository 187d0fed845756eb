"""Writes outcomes to crawl.db: state, page version, links and discovered URLs.

Links are packed: targets as 32-bit ids, anchor texts as one compressed text. One row per link would
mean thirty times as many rows, and PageRank could not read arrays. Packing needs no numpy, which
would cost a crawl 14 MB.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import zstandard

from byway.core.model import Link, Neighbour, Outcome, Page, RecordLocation, Url, UrlId, UrlState
from byway.core.url import host_of, url_hash
from byway.storage.sqlite.crawl_db.removal import add_tombstone
from byway.storage.sqlite.crawl_db.schema import reason_columns
from byway.storage.sqlite.crawl_db.url_ids import SELECT_URL_ID, UrlTable
from byway.storage.sqlite.transactions import CrawlDbWriter, TransactionChanges

FINISH_URL = """
update url set state = ?, reason = ?, reason_params = ?, redirect_target = ?, retry_at = ?,
    attempts = attempts + 1
where id = ?
"""
ADD_PAGE = """
insert into page_version (url_id, fetched_at, status, digest, digest_prefix, file, offset, length,
    body_file, body_offset, body_length)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
SET_REVISIT = "replace into revisit values (?, ?, ?, ?, ?, ?, ?, 0)"
MARK_CHECKED = """
update revisit set checked_at = ?, revisit_at = ?, revisit_interval = ?, missing_count = 0
where url_id = ?
"""
MARK_MISSING = """
update revisit set checked_at = ?, revisit_at = ?, missing_count = 1
where url_id = ? and missing_count = 0
"""
TARGET_TYPECODE = "i"
"""32-bit integers, readable as numpy's int32."""


class OutcomeWriter:
    """Writes outcomes within an open transaction."""

    def __init__(
        self, writer: CrawlDbWriter, url_table: UrlTable, clock: Callable[[], float]
    ) -> None:
        self._db, self._hosts = writer.db, writer.hosts
        self._url_table = url_table
        self._clock = clock

    def record(self, outcome: Outcome, changes: TransactionChanges) -> Iterator[int]:
        """Write an outcome; yields the sequence number of its page version, if it has one."""
        visit = outcome.visit
        targets = {
            one.url: self._url_table.get_or_create_id(one, changes)
            for one in outcome.discovered_urls
        }
        columns = reason_columns(outcome.reason, outcome.redirect_target)
        self._db.execute(FINISH_URL, (outcome.state, *columns, outcome.retry_at, visit.id))
        changes.state_deltas[UrlState.QUEUED] -= 1
        changes.state_deltas[outcome.state] += 1
        for one in outcome.discovered_urls:
            if one.seed:
                self._url_table.make_seed(one, UrlId(targets[one.url]), changes, explicit=False)
        if outcome.retry_at is not None:
            changes.retry_times.append(outcome.retry_at)
        self._save_delay(outcome)
        if outcome.is_gone:
            yield self._add_tombstone(outcome)
            return
        if outcome.page is None:
            return
        if outcome.links or outcome.location:
            links, anchors = pack_links(
                outcome.links, self._add_nofollow_targets(outcome.links, targets)
            )
            self._db.execute("replace into outlinks values (?, ?, ?)", (visit.id, links, anchors))
        yield from self._record_page(outcome, outcome.page)

    def _add_nofollow_targets(
        self, links: Iterable[Link], targets: dict[Url, int]
    ) -> dict[Url, int]:
        """The ids of a page's link targets, plus nofollow targets that are already known."""
        for link in links:
            if link.nofollow and link.target not in targets:
                row = self._db.execute(
                    SELECT_URL_ID, (url_hash(link.target), link.target)
                ).fetchone()
                if row:
                    targets[link.target] = row[0]
        return targets

    def _record_page(self, outcome: Outcome, page: Page) -> Iterator[int]:
        id, at, interval = outcome.visit.id, page.fetched_at, outcome.revisit_interval
        if outcome.location is None:
            is_missing = page.status not in (200, 304)
            values = (at, at + interval, id) if is_missing else (at, at + interval, interval, id)
            self._db.execute(MARK_MISSING if is_missing else MARK_CHECKED, values)
            return
        digest = outcome.digest
        digest_prefix = int.from_bytes(digest[:8], signed=True)
        location = _columns(outcome.location) + _columns(outcome.location.body_location)
        row = self._db.execute(ADD_PAGE, (id, at, page.status, digest, digest_prefix, *location))
        headers = page.header("etag")[:1000], page.header("last-modified")[:100]
        self._db.execute(SET_REVISIT, (id, digest, *headers, at, at + interval, interval))
        yield int(row.lastrowid or 0)

    def _add_tombstone(self, outcome: Outcome) -> int:
        page = outcome.page
        at, status = (page.fetched_at, page.status) if page else (self._clock(), 0)
        return add_tombstone(self._db, outcome.visit.id, at, status)

    def _save_delay(self, outcome: Outcome) -> None:
        host = self._hosts.get_or_create(host_of(outcome.visit.url))
        if outcome.host_delay != host.crawl_delay:
            host.crawl_delay = outcome.host_delay
            self._db.execute(
                "update host set crawl_delay = ? where id = ?", (outcome.host_delay, host.id)
            )


def _columns(location: RecordLocation | None) -> tuple[object, object, object]:
    return (location.file, location.offset, location.length) if location else (None, None, None)


def pack_links(links: Sequence[Link], url_ids: Mapping[Url, int]) -> tuple[bytes, bytes]:
    """Target ids and anchor texts of links with a known target; nofollow ids are negative."""
    known = [link for link in links if link.target in url_ids]
    signed = [-url_ids[link.target] if link.nofollow else url_ids[link.target] for link in known]
    anchors = "\n".join(" ".join(link.anchor.split()) for link in known)
    return array(TARGET_TYPECODE, signed).tobytes(), zstandard.compress(anchors.encode(), 1)


def unpack_links(targets: bytes, anchors: bytes) -> list[Neighbour]:
    """The links that `pack_links` encoded."""
    signed = array(TARGET_TYPECODE, targets)
    texts = zstandard.decompress(anchors).decode().split("\n")
    return [
        Neighbour(UrlId(abs(number)), text, number < 0)
        for number, text in zip(signed, texts, strict=False)
    ]
