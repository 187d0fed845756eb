"""One visit: may we, now? Then the request, and what the answer comes to."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from byway.core.errors import AddressBlockedError, FetchError
from byway.core.model import DiscoveredUrl, ExtractionResult, Outcome, Page, Url, UrlState, Visit
from byway.core.model.message import Reason
from byway.core.settings.schema import CrawlSettings
from byway.core.url import host_of, normalize
from byway.crawl import outcome as outcomes
from byway.crawl.favicons import fetch_icon
from byway.crawl.host_state import (
    ROBOTS_MAX_AGE_SECONDS,
    ROBOTS_RETRY_SECONDS,
    HostState,
    HostStateCache,
)
from byway.crawl.http.fetcher import Fetcher, fetch_robots_file
from byway.crawl.http.site_requests import PoliteFetcher
from byway.crawl.jobs import Jobs
from byway.crawl.politeness import AddressPoliteness, parse_retry_after, request_delay
from byway.crawl.robots.parser import (
    ALLOW_ALL,
    RobotsDecision,
    RobotsRules,
    from_response,
    product_token,
)
from byway.crawl.sitemap.fetch import fetch_sitemap_entries
from byway.crawl.traps.detector import TrapDetector
from byway.crawl.traps.mirrors import MirrorDetector
from byway.crawl.traps.pattern_budget import TrapThresholds, pattern_budget_from_rows
from byway.crawl.url_cleanup import url_cleaner_for

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl does not need
    from byway.core.ports import Frontier, IconStore

log = logging.getLogger(__name__)

PageExtractor = Callable[[Page], Awaitable[ExtractionResult]]

DEFAULT_SITEMAP_PATH = "/sitemap.xml"
"""Where sitemaps are when robots.txt names none."""
CONDITIONAL_HEADERS = "If-None-Match", "If-Modified-Since"


class Visitor:
    """Makes visits politely: to a host and to an address one at a time, with a rest in between."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: "Frontier",
        fetcher: Fetcher,
        extract: PageExtractor,
        clock: Callable[[], float],
        jobs: Jobs,
        notify: Callable[[Reason], None] | None = None,
        icons: "IconStore | None" = None,
    ) -> None:
        """`notify` gets what a person should know. `icons`: where favicons go."""
        self._settings = settings
        self._frontier = frontier
        self._fetcher = fetcher
        self._read = extract
        self._clock = clock
        self._icons = icons
        self._agent = product_token(settings.user_agent)
        self._trusted = frozenset(settings.ignore_robots)
        self._hosts = HostStateCache(settings.hosts_in_memory)
        self._addresses = AddressPoliteness(settings.delay)
        self._spelling = url_cleaner_for(settings)
        self.traps = pattern_budget_from_rows(
            frontier.traps(), TrapThresholds(redundant_share=settings.trap_threshold)
        )
        watching = settings.trap_threshold < 1
        self._suspicion = TrapDetector(
            self.traps, MirrorDetector(frontier.urls_with_digest), watching, notify or _log_note
        )
        self.jobs = jobs

    async def visit(self, visit: Visit) -> Outcome | None:
        """Make a visit; None when it was put back, to be made later."""
        host = self._hosts[host_of(visit.url)]
        if refused := self._refused(visit) or outcomes.from_host_failures(
            visit, host.consecutive_failures
        ):
            self._frontier.release(visit, self._clock())
            return refused
        try:
            return await self._ask(visit, host)
        except AddressBlockedError as error:
            # Nobody was asked, so nobody needs a rest.
            self._frontier.release(visit, max(self._clock(), host.free_at))
            return outcomes.from_error(visit, error, self._settings, self._clock())
        except FetchError as error:
            host.consecutive_failures += error.state is UrlState.UNREACHABLE
            self._release(visit, host)
            soon = self._is_silent(visit)
            return outcomes.from_error(visit, error, self._settings, self._clock(), soon)

    @property
    def any_host_answered(self) -> bool:
        """Has anybody answered us in this run?"""
        return self._fetcher.any_host_answered

    def has_answered(self, host: str) -> bool:
        """Has this host answered us in this run?"""
        return self._hosts[host].has_answered

    def never_answered(self, host: str) -> bool:
        """Has this host answered neither in this run nor in one before?"""
        return not self.has_answered(host) and self._frontier.robots(host) is None

    def retry_hosts_soon(self, hosts: Iterable[str]) -> None:
        """Nothing else is left to do: ask these anew, robots.txt too, and soon give them up."""
        for name in hosts:
            self._hosts[name].retry_soon = True
            self._hosts[name].robots_expire_at = 0.0

    def host_delay(self, visit: Visit) -> float:
        """Seconds that a visit's host is left alone these days."""
        return self._hosts[host_of(visit.url)].delay

    # May we?

    def _refused(self, visit: Visit) -> Outcome | None:
        """Has it left the scope since it was queued, or is it one of endlessly many?"""
        if visit.seed:
            return None
        refusal = self.jobs[visit.job].refusal(visit.url, visit.depth) or self.traps.refusal(
            visit.url
        )
        if refusal:
            return outcomes.final_outcome(visit, UrlState.OUT_OF_SCOPE, refusal)
        if self.traps.is_paused(visit.url):
            return Outcome(visit, UrlState.PAUSED, Reason("pattern_paused"))
        return None

    async def _ask(self, visit: Visit, host: HostState) -> Outcome | None:
        suspect = not host.soft_404_probed and self.traps.is_suspect(host_of(visit.url))
        if not host.has_fresh_robots(self._clock()) or host.pending_feeds or suspect:
            await self._run_errands(visit, host)
            self._frontier.requeue_visit(visit, host.free_at)
            return None
        assert host.robots is not None
        decision = host.robots.decide(self._agent, visit.url)
        if not decision.allowed:
            self._frontier.release(visit, self._clock())
            return self._of_refusal(visit, host, decision)
        address = await self._fetcher.resolve_address(visit.url)
        if wait := self._addresses.wait_seconds(address, self._clock()):
            self._frontier.requeue_visit(visit, self._clock() + wait)
            return None
        page = await self._fetch(visit, host, address)
        ended = outcomes.from_response(
            visit, page, self.jobs[visit.job], self._settings, self._clock()
        )
        return ended or await self._read_page(visit, page)

    def _of_refusal(self, visit: Visit, host: HostState, decision: RobotsDecision) -> Outcome:
        if decision.line or not self._is_silent(visit):
            return outcomes.from_robots_decision(
                visit, decision, self._settings, host.robots_expire_at
            )
        ended = outcomes.from_robots_decision(
            visit, decision, self._settings, self._clock(), retry_soon=True
        )
        host.robots_expire_at = min(
            host.robots_expire_at, ended.retry_at or host.robots_expire_at
        )  # robots.txt is asked for anew
        return ended

    def _is_silent(self, visit: Visit) -> bool:
        """Has this host never answered, and is nothing to be done but wait for such hosts?"""
        name = host_of(visit.url)
        waited_for = not self.any_host_answered or self._hosts[name].retry_soon
        return waited_for and not visit.previous_fetch and self.never_answered(name)

    async def _fetch(self, visit: Visit, host: HostState, address: str) -> Page:
        with self._addresses.request_in_flight(address):
            try:
                page = await self._fetcher.fetch(visit, _conditions(visit))
            finally:
                self._addresses.delay_until(address, self._clock() + self._settings.delay)
        host.has_answered = True
        host.consecutive_failures = (
            host.consecutive_failures + 1 if outcomes.is_host_failure(page) else 0
        )
        self._release(visit, host, page)
        if page.status in outcomes.MISSING_STATUSES:
            self._suspicion.record_missing(visit)
        return page

    def _release(self, visit: Visit, host: HostState, page: Page | None = None) -> None:
        asked = (
            parse_retry_after(page, self._clock()) if page and host.consecutive_failures else 0.0
        )
        host.delay = self._rest(host, asked)
        host.free_at = self._clock() + host.delay
        self._frontier.release(visit, host.free_at)

    def _rest(self, host: HostState, asked: float = 0.0) -> float:
        robots_delay = host.robots.crawl_delay(self._agent) if host.robots else None
        return request_delay(self._settings, robots_delay, host.consecutive_failures, asked)

    # What a host is asked besides its pages.

    async def _run_errands(self, visit: Visit, host: HostState) -> None:
        """robots.txt, and what the host lists in sitemaps and feeds; the visit waits its turn."""
        errands = PoliteFetcher(
            self._fetcher, self._addresses, host, lambda: self._rest(host), self._clock
        )
        feeds, host.pending_feeds = host.pending_feeds, []
        listings: list[str] = list(feeds)
        if not host.has_fresh_robots(self._clock()):
            host.robots, since = await self._rules(visit, errands)
            host.free_at = self._clock() + self._rest(host)
            in_trouble = not host.robots.default_decision.allowed
            host.robots_expire_at = since + (
                ROBOTS_RETRY_SECONDS if in_trouble else ROBOTS_MAX_AGE_SECONDS
            )
            if self._settings.sitemaps and not host.sitemaps_read:
                host.sitemaps_read = True
                listings += host.robots.sitemaps or (DEFAULT_SITEMAP_PATH,)
            await self._keep_icon(visit, host, errands)
        await self._take_in(visit, host, errands, listings)
        if not host.soft_404_probed and self.traps.is_suspect(host_of(visit.url)):
            await self._probe(visit, host, errands)

    async def _keep_icon(self, visit: Visit, host: HostState, errands: PoliteFetcher) -> None:
        """Ask the host for its favicon; who has answered is never asked again."""
        name, robots = host_of(visit.url), host.robots
        if self._icons is None or robots is None or self._icons.has(name):
            return
        if (
            not robots.default_decision.allowed
        ):  # robots.txt did not come: all is forbidden, but for now
            return
        picture = await fetch_icon(
            errands, visit.url, lambda url: robots.decide(self._agent, url).allowed
        )
        if picture is not None:
            self._icons.put(name, picture)

    async def _probe(self, visit: Visit, host: HostState, errands: PoliteFetcher) -> None:
        """Ask for a page that cannot exist: some hosts answer with a page that says so, and 200."""
        host.soft_404_probed = True
        nowhere = normalize(f"/no-such-page-{secrets.token_hex(8)}-1", visit.url)
        if not (host.robots and host.robots.decide(self._agent, nowhere).allowed):
            return
        try:
            page = await errands.fetch(Visit(nowhere))
        except FetchError:
            return
        if page.status == 200 and (sketch := (await self._read(page)).prefix_simhash):
            self.traps.record_soft_404(host_of(visit.url), sketch)

    async def _rules(self, visit: Visit, errands: PoliteFetcher) -> tuple[RobotsRules, float]:
        """What robots.txt says, and since when that is known: an earlier run may have asked."""
        name, now = host_of(visit.url), self._clock()
        if name in self._trusted:
            return ALLOW_ALL, now
        kept = self._frontier.robots(name)
        if kept and 0 <= now - kept.fetched_at < ROBOTS_MAX_AGE_SECONDS:
            return from_response(kept.status, kept.body), kept.fetched_at
        file = await fetch_robots_file(errands, visit.url)
        if isinstance(file, RobotsRules):
            return file, self._clock()
        self._hosts[name].has_answered = True
        robots = from_response(file.status, file.body)
        if robots.default_decision.allowed:
            self._frontier.save_robots(name, file)
        return robots, self._clock()

    async def _take_in(
        self, visit: Visit, host: HostState, errands: PoliteFetcher, listings: Iterable[str]
    ) -> None:
        """Queue what sitemaps or feeds of this host list."""
        assert host.robots is not None
        robots, depth = host.robots, visit.depth + 1

        def allowed(url: Url) -> bool:
            # A sitemap that robots.txt names is meant for us, whatever its rules say.
            named = any(normalize(link, url) == url for link in robots.sitemaps if "://" in link)
            return named or robots.decide(self._agent, url).allowed

        refusal = self.jobs[visit.job].refusal
        async for entries in fetch_sitemap_entries(errands, visit.url, listings, allowed):
            spelt = [(self._spelling.clean(entry.url), entry.lastmod or 0.0) for entry in entries]
            found = [
                DiscoveredUrl(url, depth, priority=depth, job=visit.job, changed_at=changed_at)
                for url, changed_at in spelt
                if not refusal(url, depth)
            ]
            await asyncio.to_thread(self._frontier.add, found)

    # What a page comes to.

    async def _read_page(self, visit: Visit, page: Page) -> Outcome:
        extracted = await self._read(page)
        if self._settings.sitemaps:
            name = host_of(visit.url)
            self._hosts[name].add_feeds(feed for feed in extracted.feeds if host_of(feed) == name)
        self._suspicion.record_page(visit, extracted)
        links = self._spelling.clean_links(extracted.links)
        return outcomes.from_page(
            visit, page, replace(extracted, links=links), self.jobs[visit.job], self._settings
        )


def _log_note(note: Reason) -> None:
    log.warning("%s", note)


def _conditions(visit: Visit) -> dict[str, str] | None:
    """Headers that ask for the page only if it has changed since."""
    if visit.previous_fetch is None:
        return None
    values = visit.previous_fetch.etag, visit.previous_fetch.last_modified
    return {name: value for name, value in zip(CONDITIONAL_HEADERS, values, strict=True) if value}
