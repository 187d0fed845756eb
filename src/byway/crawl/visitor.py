"""One visit: scope, robots.txt and politeness checks, the request, and its outcome."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from byway.core.errors import AddressBlockedError, FetchError
from byway.core.messages import Reason
from byway.core.model import DiscoveredUrl, ExtractionResult, Outcome, Page, Url, UrlState, Visit
from byway.core.model.url_state import RobotsDecision
from byway.core.settings.schema import CrawlSettings
from byway.core.url import host_of, normalize
from byway.crawl import outcome as outcomes
from byway.crawl.favicons import fetch_icon
from byway.crawl.http.fetcher import Fetcher, fetch_robots_file
from byway.crawl.politeness import (
    ROBOTS_MAX_AGE_SECONDS,
    ROBOTS_RETRY_SECONDS,
    AddressPoliteness,
    HostState,
    HostStateCache,
    PoliteFetcher,
    parse_retry_after,
    request_delay,
)
from byway.crawl.robots import (
    ALLOW_ALL,
    RobotsRules,
    from_response,
    product_token,
)
from byway.crawl.scope import Jobs
from byway.crawl.sitemap import fetch_sitemap_entries
from byway.crawl.traps.detector import MirrorDetector, TrapDetector
from byway.crawl.traps.pattern_budget import PatternBudget, TrapThresholds
from byway.crawl.url_cleanup import url_cleaner_for

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import Frontier, IconStore

log = logging.getLogger(__name__)

PageExtractor = Callable[[Page], Awaitable[ExtractionResult]]

DEFAULT_SITEMAP_PATH = "/sitemap.xml"
"""Sitemap path to try if robots.txt names none."""
CONDITIONAL_HEADERS = "If-None-Match", "If-Modified-Since"


class Visitor:
    """Makes visits politely: one request at a time per host and address, with delays in between."""

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
        """`notify` receives notes for the user. `icons` stores favicons."""
        self._settings = settings
        self._frontier = frontier
        self._fetcher = fetcher
        self._extract = extract
        self._clock = clock
        self._icons = icons
        self._agent = product_token(settings.user_agent)
        self._ignore_robots = frozenset(settings.ignore_robots)
        self._hosts = HostStateCache(settings.hosts_in_memory)
        self._addresses = AddressPoliteness(settings.delay)
        self._url_cleaner = url_cleaner_for(settings)
        self.traps = PatternBudget(
            TrapThresholds(redundant_share=settings.trap_threshold), frontier.traps()
        )
        pause_traps = settings.trap_threshold < 1
        self._trap_detector = TrapDetector(
            self.traps, MirrorDetector(frontier.urls_with_digest), pause_traps, notify or _log_note
        )
        self.jobs = jobs

    async def visit(self, visit: Visit) -> Outcome | None:
        """Make a visit; None if it was requeued for later."""
        host = self._hosts[host_of(visit.url)]
        if refusal := self._refusal_outcome(visit) or outcomes.from_host_failures(
            visit, host.consecutive_failures
        ):
            self._frontier.release(visit, self._clock())
            return refusal
        try:
            return await self._visit_host(visit, host)
        except AddressBlockedError as error:
            # No request was made, so the host needs no delay.
            self._frontier.release(visit, max(self._clock(), host.free_at))
            return outcomes.from_error(visit, error, self._settings, self._clock())
        except FetchError as error:
            host.consecutive_failures += error.state is UrlState.UNREACHABLE
            self._release(visit, host)
            retry_soon = self._is_silent(visit)
            return outcomes.from_error(visit, error, self._settings, self._clock(), retry_soon)

    @property
    def any_host_answered(self) -> bool:
        """Whether any host answered in this run."""
        return self._fetcher.any_host_answered

    def has_answered(self, host: str) -> bool:
        """Whether this host answered in this run."""
        return self._hosts[host].has_answered

    def never_answered(self, host: str) -> bool:
        """Whether this host answered neither in this run nor in an earlier one."""
        return not self.has_answered(host) and self._frontier.robots(host) is None

    def retry_hosts_soon(self, hosts: Iterable[str]) -> None:
        """Retry these hosts, robots.txt included, after short delays: no other work is left."""
        for name in hosts:
            self._hosts[name].retry_soon = True
            self._hosts[name].robots_expire_at = 0.0

    def host_delay(self, visit: Visit) -> float:
        """Seconds between requests to the visit's host."""
        return self._hosts[host_of(visit.url)].delay

    def _refusal_outcome(self, visit: Visit) -> Outcome | None:
        """The outcome if the URL is now out of scope or in a trap; otherwise None."""
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

    async def _visit_host(self, visit: Visit, host: HostState) -> Outcome | None:
        suspect = not host.soft_404_probed and self.traps.is_suspect(host_of(visit.url))
        if not host.has_fresh_robots(self._clock()) or host.pending_feeds or suspect:
            await self._prepare_host(visit, host)
            self._frontier.requeue_visit(visit, host.free_at)
            return None
        assert host.robots is not None
        decision = host.robots.decide(self._agent, visit.url)
        if not decision.allowed:
            self._frontier.release(visit, self._clock())
            return self._robots_outcome(visit, host, decision)
        address = await self._fetcher.resolve_address(visit.url)
        if wait := self._addresses.wait_seconds(address, self._clock()):
            self._frontier.requeue_visit(visit, self._clock() + wait)
            return None
        page = await self._fetch(visit, host, address)
        outcome = outcomes.from_response(
            visit, page, self.jobs[visit.job], self._settings, self._clock()
        )
        return outcome or await self._extract_page(visit, page)

    def _robots_outcome(self, visit: Visit, host: HostState, decision: RobotsDecision) -> Outcome:
        if decision.line or not self._is_silent(visit):
            return outcomes.from_robots_decision(
                visit, decision, self._settings, host.robots_expire_at
            )
        outcome = outcomes.from_robots_decision(
            visit, decision, self._settings, self._clock(), retry_soon=True
        )
        # The retry fetches robots.txt again.
        host.robots_expire_at = min(
            host.robots_expire_at, outcome.retry_at or host.robots_expire_at
        )
        return outcome

    def _is_silent(self, visit: Visit) -> bool:
        """Whether this host never answered, and only hosts that never answered are left."""
        name = host_of(visit.url)
        only_silent_left = not self.any_host_answered or self._hosts[name].retry_soon
        return only_silent_left and not visit.previous_fetch and self.never_answered(name)

    async def _fetch(self, visit: Visit, host: HostState, address: str) -> Page:
        with self._addresses.request_in_flight(address):
            try:
                page = await self._fetcher.fetch(visit, _conditional_headers(visit))
            finally:
                self._addresses.delay_until(address, self._clock() + self._settings.delay)
        host.has_answered = True
        host.consecutive_failures = (
            host.consecutive_failures + 1 if outcomes.is_host_failure(page) else 0
        )
        self._release(visit, host, page)
        if page.status in outcomes.MISSING_STATUSES:
            self._trap_detector.record_missing(visit)
        return page

    def _release(self, visit: Visit, host: HostState, page: Page | None = None) -> None:
        retry_after = (
            parse_retry_after(page, self._clock()) if page and host.consecutive_failures else 0.0
        )
        host.delay = self._request_delay(host, retry_after)
        host.free_at = self._clock() + host.delay
        self._frontier.release(visit, host.free_at)

    def _request_delay(self, host: HostState, retry_after: float = 0.0) -> float:
        robots_delay = host.robots.crawl_delay(self._agent) if host.robots else None
        return request_delay(self._settings, robots_delay, host.consecutive_failures, retry_after)

    async def _prepare_host(self, visit: Visit, host: HostState) -> None:
        """Fetch robots.txt, favicon, sitemaps and feeds, and probe for soft 404s, as needed."""
        fetcher = PoliteFetcher(
            self._fetcher, self._addresses, host, lambda: self._request_delay(host), self._clock
        )
        feeds, host.pending_feeds = host.pending_feeds, []
        listings: list[str] = list(feeds)
        if not host.has_fresh_robots(self._clock()):
            host.robots, since = await self._robots_rules(visit, fetcher)
            host.free_at = self._clock() + self._request_delay(host)
            unavailable = not host.robots.default_decision.allowed
            host.robots_expire_at = since + (
                ROBOTS_RETRY_SECONDS if unavailable else ROBOTS_MAX_AGE_SECONDS
            )
            if self._settings.sitemaps and not host.sitemaps_read:
                host.sitemaps_read = True
                listings += host.robots.sitemaps or (DEFAULT_SITEMAP_PATH,)
            await self._store_icon(visit, host, fetcher)
        await self._queue_listed_urls(visit, host, fetcher, listings)
        if not host.soft_404_probed and self.traps.is_suspect(host_of(visit.url)):
            await self._probe_soft_404(visit, host, fetcher)

    async def _store_icon(self, visit: Visit, host: HostState, fetcher: PoliteFetcher) -> None:
        """Fetch and store the host's favicon, once."""
        name, robots = host_of(visit.url), host.robots
        if self._icons is None or robots is None or self._icons.has(name):
            return
        # robots.txt was unavailable: everything is forbidden for now.
        if not robots.default_decision.allowed:
            return
        icon = await fetch_icon(
            fetcher, visit.url, lambda url: robots.decide(self._agent, url).allowed
        )
        if icon is not None:
            self._icons.put(name, icon)

    async def _probe_soft_404(self, visit: Visit, host: HostState, fetcher: PoliteFetcher) -> None:
        """Request a URL that cannot exist, to detect the host's soft 404 (status 200)."""
        host.soft_404_probed = True
        url = normalize(f"/no-such-page-{secrets.token_hex(8)}-1", visit.url)
        if not (host.robots and host.robots.decide(self._agent, url).allowed):
            return
        try:
            page = await fetcher.fetch(Visit(url))
        except FetchError:
            return
        if page.status == 200 and (simhash := (await self._extract(page)).prefix_simhash):
            self.traps.record_soft_404(host_of(visit.url), simhash)

    async def _robots_rules(
        self, visit: Visit, fetcher: PoliteFetcher
    ) -> tuple[RobotsRules, float]:
        """The robots.txt rules and their fetch time, perhaps from an earlier run."""
        name, now = host_of(visit.url), self._clock()
        if name in self._ignore_robots:
            return ALLOW_ALL, now
        stored = self._frontier.robots(name)
        if stored and 0 <= now - stored.fetched_at < ROBOTS_MAX_AGE_SECONDS:
            return from_response(stored.status, stored.body), stored.fetched_at
        file = await fetch_robots_file(fetcher, visit.url)
        if isinstance(file, RobotsRules):
            return file, self._clock()
        self._hosts[name].has_answered = True
        robots = from_response(file.status, file.body)
        if robots.default_decision.allowed:
            self._frontier.save_robots(name, file)
        return robots, self._clock()

    async def _queue_listed_urls(
        self, visit: Visit, host: HostState, fetcher: PoliteFetcher, listings: Iterable[str]
    ) -> None:
        """Queue the URLs listed in this host's sitemaps or feeds."""
        assert host.robots is not None
        robots, depth = host.robots, visit.depth + 1

        def allowed(url: Url) -> bool:
            # A sitemap named in robots.txt may be fetched whatever the rules say.
            named = any(normalize(link, url) == url for link in robots.sitemaps if "://" in link)
            return named or robots.decide(self._agent, url).allowed

        refusal = self.jobs[visit.job].refusal
        async for entries in fetch_sitemap_entries(fetcher, visit.url, listings, allowed):
            found = [
                DiscoveredUrl(
                    url, depth, priority=depth, job=visit.job, changed_at=entry.lastmod or 0.0
                )
                for entry in entries
                if not refusal(url := self._url_cleaner.clean(entry.url), depth)
            ]
            await asyncio.to_thread(self._frontier.add, found)

    async def _extract_page(self, visit: Visit, page: Page) -> Outcome:
        extracted = await self._extract(page)
        if self._settings.sitemaps:
            name = host_of(visit.url)
            self._hosts[name].add_feeds(feed for feed in extracted.feeds if host_of(feed) == name)
        self._trap_detector.record_page(visit, extracted)
        links = self._url_cleaner.clean_links(extracted.links)
        return outcomes.from_page(
            visit, page, replace(extracted, links=links), self.jobs[visit.job], self._settings
        )


def _log_note(note: Reason) -> None:
    log.warning("%s", note)


def _conditional_headers(visit: Visit) -> dict[str, str] | None:
    """Request headers that fetch the page only if it has changed."""
    if visit.previous_fetch is None:
        return None
    values = visit.previous_fetch.etag, visit.previous_fetch.last_modified
    return {name: value for name, value in zip(CONDITIONAL_HEADERS, values, strict=True) if value}
