"""The crawl loop: lease a visit, fetch it, have it read, record what it taught us.

The loop is async because it waits for many hosts at once. A host is free for its next visit as
soon as its answer is in; reading the page and recording it go on behind that. Outcomes are
recorded in batches: the pages' bytes first, then everything else in one transaction.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from byway.crawl import outcome as outcomes
from byway.crawl.fetch import Fetcher, fetch_robots
from byway.crawl.manners import KEPT_FOR, KEPT_FOR_IN_TROUBLE, Host, Hosts
from byway.crawl.robots import product_token
from byway.crawl.schedule import rest, retry_after
from byway.crawl.scope import Scope
from byway.crawl.sitemaps import listed
from byway.errors import FetchError
from byway.model import Extracted, Found, Outcome, Page, State, Visit
from byway.ports import DocumentStore, Frontier, PageStore
from byway.settings import CrawlSettings
from byway.url import host_of

log = logging.getLogger(__name__)

Read = Callable[[Page], Awaitable[Extracted]]

BATCH = 200
BATCH_BYTES = 32 * 1024 * 1024
BATCH_SECONDS = 1.0
"""A batch is recorded when it has this many outcomes, bytes or seconds, or nothing else is up."""
GRACE = 5.0
"""Seconds that requests under way are given when the crawl is stopped."""
TICK = 0.05


@dataclass(slots=True)
class Progress:
    """How far a crawl has come."""

    kept: int = 0
    failed: int = 0
    """URLs that were asked for and gave no page."""
    recorded: int = 0
    """Pages kept by this run; all of them are safe."""
    last: str = ""
    """The URL that was visited last."""


class Crawler:
    """Visits what is due, one request per host at a time."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: Frontier,
        pages: PageStore,
        documents: DocumentStore,
        fetcher: Fetcher,
        read: Read,
        clock: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._frontier = frontier
        self._pages = pages
        self._documents = documents
        self._fetcher = fetcher
        self._read = read
        self._clock = clock
        self._agent = product_token(settings.user_agent)
        self._scope = Scope(settings.scope, settings.max_depth, frontier.seeds())
        self._hosts = Hosts()
        self._visits: set[asyncio.Task[None]] = set()
        self._pending: list[Outcome] = []
        self._pending_since = 0.0
        self._committing = 0
        self._changed = asyncio.Event()
        self._stopping = False
        self._fault: BaseException | None = None
        self.progress = Progress(kept=frontier.counts().get(State.KEPT, 0))

    async def run(self) -> Progress:
        """Crawl until nothing is left to do, the budget is used up, or `stop` is called."""
        commits = asyncio.create_task(self._commit_when_ready())
        try:
            while not self._over():
                self._check(commits)
                if not self._start_visits():
                    await self._pause()
            await self._wind_up()
        finally:
            commits.cancel()
            for visit in self._visits:
                visit.cancel()
        await asyncio.to_thread(self._commit, self._take_pending())
        return self.progress

    def stop(self) -> None:
        """Start nothing new; `run` returns once what is under way is done and recorded."""
        self._stopping = True
        self._changed.set()

    # Which visits are under way.

    def _start_visits(self) -> int:
        room = self._settings.concurrency - len(self._visits)
        if self._settings.max_pages:
            room = min(room, self._settings.max_pages - self._expected())
        if room <= 0 or len(self._pending) > 2 * BATCH:
            return 0
        visits = self._frontier.lease(room, self._clock())
        for visit in visits:
            task = asyncio.create_task(self._visit(visit))
            self._visits.add(task)
            task.add_done_callback(self._visited)
        return len(visits)

    def _visited(self, task: asyncio.Task[None]) -> None:
        self._visits.discard(task)
        self._changed.set()
        if not task.cancelled() and (error := task.exception()):
            # A fault of ours, not of the page: stop, so that it is seen, with all else recorded.
            log.error("crawl failed", exc_info=error)
            self._fault = error
            self.stop()

    def _check(self, commits: "asyncio.Task[None]") -> None:
        if commits.done():
            commits.result()

    def _expected(self) -> int:
        """Pages kept, or perhaps about to be."""
        return self.progress.kept + len(self._visits) + len(self._pending) + self._committing

    def _over(self) -> bool:
        if self._stopping:
            return True
        under_way = self._visits or self._pending or self._committing
        if under_way:
            return False
        full = 0 < self._settings.max_pages <= self.progress.kept
        return full or self._frontier.next_at() is None

    async def _pause(self) -> None:
        """Wait until something changes or the next host is free."""
        next_at = self._frontier.next_at()
        wait = 1.0 if next_at is None else min(max(next_at - self._clock(), 0.001), 1.0)
        self._changed.clear()
        try:
            async with asyncio.timeout(wait):
                await self._changed.wait()
        except TimeoutError:
            pass

    async def _wind_up(self) -> None:
        if self._visits:
            await asyncio.wait(self._visits, timeout=GRACE)
        if self._fault:
            raise self._fault

    # One visit.

    async def _visit(self, visit: Visit) -> None:
        host = self._hosts[host_of(visit.url)]
        if not host.knows_rules(self._clock()):
            await self._learn_rules(visit, host)
            return
        assert host.robots is not None
        decision = host.robots.decide(self._agent, visit.url)
        if not decision.allowed:
            self._frontier.release(visit, self._clock())
            self._finish(outcomes.of_refusal(visit, decision, self._settings, host.expires))
            return
        try:
            page = await self._fetcher.fetch(visit)
        except FetchError as error:
            host.troubles += error.state is State.UNREACHABLE
            self._frontier.release(visit, self._clock() + self._rest(host))
            self._finish(outcomes.of_error(visit, error, self._settings, self._clock()))
            return
        host.troubles = host.troubles + 1 if outcomes.is_trouble(page) else 0
        self._frontier.release(visit, self._clock() + self._rest(host, page))
        ended = outcomes.of_answer(visit, page, self._scope, self._settings, self._clock())
        self._finish(ended or await self._keep(visit, page))

    async def _keep(self, visit: Visit, page: Page) -> Outcome:
        extracted = await self._read(page)
        return outcomes.of_page(visit, page, extracted, self._scope)

    async def _learn_rules(self, visit: Visit, host: Host) -> None:
        """Ask for robots.txt and the sitemaps it names; the visit itself waits its turn."""
        now = self._clock()
        try:
            host.robots = await fetch_robots(self._fetcher, visit.url)
        except FetchError as error:
            self._frontier.release(visit, self._clock())
            self._finish(Outcome(visit, error.state, str(error)))
            return
        in_trouble = not host.robots.otherwise.allowed
        host.expires = now + (KEPT_FOR_IN_TROUBLE if in_trouble else KEPT_FOR)
        if self._settings.sitemaps and not host.sitemaps_read:
            host.sitemaps_read = True
            await self._read_sitemaps(visit, host)
        self._frontier.put_back(visit, self._clock() + self._rest(host))

    async def _read_sitemaps(self, visit: Visit, host: Host) -> None:
        assert host.robots is not None
        depth = visit.depth + 1
        between = partial(self._between, host)
        async for urls in listed(self._fetcher, visit.url, host.robots.sitemaps, between):
            found = [Found(url, depth) for url in urls if not self._scope.refusal(url, depth)]
            await asyncio.to_thread(self._frontier.add, found)

    async def _between(self, host: Host) -> None:
        await asyncio.sleep(self._rest(host))

    def _rest(self, host: Host, page: Page | None = None) -> float:
        robots_delay = host.robots.crawl_delay(self._agent) if host.robots else None
        asked = retry_after(page, self._clock()) if page and host.troubles else 0.0
        return rest(self._settings, robots_delay, host.troubles, asked)

    # What is recorded, and when.

    def _finish(self, outcome: Outcome) -> None:
        if not self._pending:
            self._pending_since = self._clock()
        self._pending.append(outcome)
        self.progress.last = outcome.visit.url
        for found in outcome.found:
            if found.seed:
                self._scope.add(found.url)
        log.debug(
            "visited url=%s state=%s reason=%s", outcome.visit.url, outcome.state, outcome.reason
        )

    async def _commit_when_ready(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            if self._pending and self._ready():
                await asyncio.to_thread(self._commit, self._take_pending())
                self._committing = 0
                self._changed.set()

    def _ready(self) -> bool:
        size = sum(len(one.page.body) for one in self._pending if one.page)
        return (
            len(self._pending) >= BATCH
            or size >= BATCH_BYTES
            or self._clock() - self._pending_since >= BATCH_SECONDS
            or not self._visits
        )

    def _take_pending(self) -> list[Outcome]:
        pending, self._pending = self._pending, []
        self._committing = len(pending)
        return pending

    def _commit(self, batch: list[Outcome]) -> None:
        """Record a batch: bytes, then facts, then what can be derived from both."""
        kept = [one for one in batch if one.page]
        places = iter(self._pages.append([one.page for one in kept if one.page]))
        batch = [replace(one, place=next(places)) if one.page else one for one in batch]
        sequences = self._frontier.finish(batch)
        self._documents.put(
            (sequence, one.visit.id, one.document)
            for sequence, one in zip(sequences, kept, strict=True)
        )
        self.progress.recorded += len(kept)
        self.progress.kept += sum(one.state is State.KEPT for one in kept)
        self.progress.failed += sum(one.state in FAILED for one in batch)


FAILED = (State.UNREACHABLE, State.MISSING, State.EXTRACT_FAILED)
