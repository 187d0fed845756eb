"""One visit: may we, now? Then the request, and what the answer comes to."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from byway.core.errors import Blocked, FetchError
from byway.core.model import Extracted, Found, Outcome, Page, State, Url, Visit
from byway.core.settings.schema import CrawlSettings
from byway.core.url import host_of, normalise
from byway.crawl import outcome as outcomes
from byway.crawl.favicons import fetch_icon
from byway.crawl.host_state import KEPT_FOR, KEPT_FOR_IN_TROUBLE, Host, Hosts
from byway.crawl.http.fetcher import Fetcher, robots_file
from byway.crawl.http.site_requests import Errands
from byway.crawl.jobs import Jobs
from byway.crawl.politeness import Addresses, rest, retry_after
from byway.crawl.robots.parser import ALLOW_ALL, Decision, Robots, from_response, product_token
from byway.crawl.sitemap.fetch import listed
from byway.crawl.traps.detector import Suspicion
from byway.crawl.traps.mirrors import Mirrors
from byway.crawl.traps.pattern_budget import Thresholds, traps_of
from byway.crawl.url_cleanup import spelling_of

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl does not need
    from byway.core.ports import Frontier, IconStore

log = logging.getLogger(__name__)

Read = Callable[[Page], Awaitable[Extracted]]

USUAL_SITEMAP = "/sitemap.xml"
"""Where sitemaps are when robots.txt names none."""
UNCHANGED_SINCE = "If-None-Match", "If-Modified-Since"


class Visitor:
    """Makes visits politely: to a host and to an address one at a time, with a rest in between."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: "Frontier",
        fetcher: Fetcher,
        read: Read,
        clock: Callable[[], float],
        jobs: Jobs,
        told: Callable[[str], None] = log.warning,
        icons: "IconStore | None" = None,
    ) -> None:
        """`told`: hears, in words, of what a person should know. `icons`: where favicons go."""
        self._settings = settings
        self._frontier = frontier
        self._fetcher = fetcher
        self._read = read
        self._clock = clock
        self._icons = icons
        self._agent = product_token(settings.user_agent)
        self._trusted = frozenset(settings.ignore_robots)
        self._hosts = Hosts(settings.hosts_in_memory)
        self._addresses = Addresses(settings.delay)
        self._spelling = spelling_of(settings)
        self.traps = traps_of(frontier.traps(), Thresholds(share=settings.trap_share))
        watching = settings.trap_share < 1
        self._suspicion = Suspicion(self.traps, Mirrors(frontier.kept_as), watching, told)
        self.jobs = jobs

    async def visit(self, visit: Visit) -> Outcome | None:
        """Make a visit; None when it was put back, to be made later."""
        host = self._hosts[host_of(visit.url)]
        if refused := self._refused(visit) or outcomes.of_dead_host(visit, host.troubles):
            self._frontier.release(visit, self._clock())
            return refused
        try:
            return await self._ask(visit, host)
        except Blocked as error:
            # Nobody was asked, so nobody needs a rest.
            self._frontier.release(visit, max(self._clock(), host.free_at))
            return outcomes.of_error(visit, error, self._settings, self._clock())
        except FetchError as error:
            host.troubles += error.state is State.UNREACHABLE
            self._release(visit, host)
            soon = self._is_silent(visit)
            return outcomes.of_error(visit, error, self._settings, self._clock(), soon)

    @property
    def answered(self) -> bool:
        """Has anybody answered us in this run?"""
        return self._fetcher.answered

    def has_answered(self, host: str) -> bool:
        """Has this host answered us in this run?"""
        return self._hosts[host].answered

    def never_answered(self, host: str) -> bool:
        """Has this host answered neither in this run nor in one before?"""
        return not self.has_answered(host) and self._frontier.robots(host) is None

    def hurry(self, hosts: Iterable[str]) -> None:
        """Nothing else is left to do: ask these anew, robots.txt too, and soon give them up."""
        for name in hosts:
            self._hosts[name].hurried = True
            self._hosts[name].expires = 0.0

    def rest_of(self, visit: Visit) -> float:
        """Seconds that a visit's host is left alone these days."""
        return self._hosts[host_of(visit.url)].rest

    # May we?

    def _refused(self, visit: Visit) -> Outcome | None:
        """Has it left the scope since it was queued, or is it one of endlessly many?"""
        if visit.seed:
            return None
        refusal = self.jobs[visit.job].refusal(visit.url, visit.depth) or self.traps.refusal(
            visit.url
        )
        if refusal:
            return outcomes.of_end(visit, State.OUT_OF_SCOPE, refusal)
        if self.traps.is_paused(visit.url):
            return Outcome(visit, State.PAUSED, "part of a pattern that is paused; `byway traps`")
        return None

    async def _ask(self, visit: Visit, host: Host) -> Outcome | None:
        suspect = not host.probed and self.traps.is_suspect(host_of(visit.url))
        if not host.knows_rules(self._clock()) or host.feeds or suspect:
            await self._run_errands(visit, host)
            self._frontier.put_back(visit, host.free_at)
            return None
        assert host.robots is not None
        decision = host.robots.decide(self._agent, visit.url)
        if not decision.allowed:
            self._frontier.release(visit, self._clock())
            return self._of_refusal(visit, host, decision)
        address = await self._fetcher.address_of(visit.url)
        if wait := self._addresses.wait(address, self._clock()):
            self._frontier.put_back(visit, self._clock() + wait)
            return None
        page = await self._fetch(visit, host, address)
        ended = outcomes.of_answer(visit, page, self.jobs[visit.job], self._settings, self._clock())
        return ended or await self._read_page(visit, page)

    def _of_refusal(self, visit: Visit, host: Host, decision: Decision) -> Outcome:
        if decision.line or not self._is_silent(visit):
            return outcomes.of_refusal(visit, decision, self._settings, host.expires)
        ended = outcomes.of_refusal(visit, decision, self._settings, self._clock(), soon=True)
        host.expires = min(host.expires, ended.due or host.expires)  # robots.txt is asked for anew
        return ended

    def _is_silent(self, visit: Visit) -> bool:
        """Has this host never answered, and is nothing to be done but wait for such hosts?"""
        name = host_of(visit.url)
        waited_for = not self.answered or self._hosts[name].hurried
        return waited_for and not visit.known and self.never_answered(name)

    async def _fetch(self, visit: Visit, host: Host, address: str) -> Page:
        with self._addresses.asking(address):
            try:
                page = await self._fetcher.fetch(visit, _conditions(visit))
            finally:
                self._addresses.rest(address, self._clock() + self._settings.delay)
        host.answered = True
        host.troubles = host.troubles + 1 if outcomes.is_trouble(page) else 0
        self._release(visit, host, page)
        if page.status in outcomes.GONE:
            self._suspicion.missed(visit)
        return page

    def _release(self, visit: Visit, host: Host, page: Page | None = None) -> None:
        asked = retry_after(page, self._clock()) if page and host.troubles else 0.0
        host.rest = self._rest(host, asked)
        host.free_at = self._clock() + host.rest
        self._frontier.release(visit, host.free_at)

    def _rest(self, host: Host, asked: float = 0.0) -> float:
        robots_delay = host.robots.crawl_delay(self._agent) if host.robots else None
        return rest(self._settings, robots_delay, host.troubles, asked)

    # What a host is asked besides its pages.

    async def _run_errands(self, visit: Visit, host: Host) -> None:
        """robots.txt, and what the host lists in sitemaps and feeds; the visit waits its turn."""
        errands = Errands(
            self._fetcher, self._addresses, host, lambda: self._rest(host), self._clock
        )
        feeds, host.feeds = host.feeds, []
        listings: list[str] = list(feeds)
        if not host.knows_rules(self._clock()):
            host.robots, since = await self._rules(visit, errands)
            host.free_at = self._clock() + self._rest(host)
            in_trouble = not host.robots.otherwise.allowed
            host.expires = since + (KEPT_FOR_IN_TROUBLE if in_trouble else KEPT_FOR)
            if self._settings.sitemaps and not host.sitemaps_read:
                host.sitemaps_read = True
                listings += host.robots.sitemaps or (USUAL_SITEMAP,)
            await self._keep_icon(visit, host, errands)
        await self._take_in(visit, host, errands, listings)
        if not host.probed and self.traps.is_suspect(host_of(visit.url)):
            await self._probe(visit, host, errands)

    async def _keep_icon(self, visit: Visit, host: Host, errands: Errands) -> None:
        """Ask the host for its favicon; who has answered is never asked again."""
        name, robots = host_of(visit.url), host.robots
        if self._icons is None or robots is None or self._icons.has(name):
            return
        if not robots.otherwise.allowed:  # robots.txt did not come: all is forbidden, but for now
            return
        picture = await fetch_icon(
            errands, visit.url, lambda url: robots.decide(self._agent, url).allowed
        )
        if picture is not None:
            self._icons.put(name, picture)

    async def _probe(self, visit: Visit, host: Host, errands: Errands) -> None:
        """Ask for a page that cannot exist: some hosts answer with a page that says so, and 200."""
        host.probed = True
        nowhere = normalise(f"/no-such-page-{secrets.token_hex(8)}-1", visit.url)
        if not (host.robots and host.robots.decide(self._agent, nowhere).allowed):
            return
        try:
            page = await errands.fetch(Visit(nowhere))
        except FetchError:
            return
        if page.status == 200 and (sketch := (await self._read(page)).sketch):
            self.traps.missing(host_of(visit.url), sketch)

    async def _rules(self, visit: Visit, errands: Errands) -> tuple[Robots, float]:
        """What robots.txt says, and since when that is known: an earlier run may have asked."""
        name, now = host_of(visit.url), self._clock()
        if name in self._trusted:
            return ALLOW_ALL, now
        kept = self._frontier.robots(name)
        if kept and 0 <= now - kept.fetched_at < KEPT_FOR:
            return from_response(kept.status, kept.body), kept.fetched_at
        file = await robots_file(errands, visit.url)
        if isinstance(file, Robots):
            return file, self._clock()
        self._hosts[name].answered = True
        robots = from_response(file.status, file.body)
        if robots.otherwise.allowed:
            self._frontier.save_robots(name, file)
        return robots, self._clock()

    async def _take_in(
        self, visit: Visit, host: Host, errands: Errands, listings: Iterable[str]
    ) -> None:
        """Queue what sitemaps or feeds of this host list."""
        assert host.robots is not None
        robots, depth = host.robots, visit.depth + 1

        def allowed(url: Url) -> bool:
            # A sitemap that robots.txt names is meant for us, whatever its rules say.
            named = any(normalise(text, url) == url for text in robots.sitemaps if "://" in text)
            return named or robots.decide(self._agent, url).allowed

        refusal = self.jobs[visit.job].refusal
        async for entries in listed(errands, visit.url, listings, allowed):
            spelt = [(self._spelling.spelt(entry.url), entry.lastmod or 0.0) for entry in entries]
            found = [
                Found(url, depth, priority=depth, job=visit.job, changed_at=changed_at)
                for url, changed_at in spelt
                if not refusal(url, depth)
            ]
            await asyncio.to_thread(self._frontier.add, found)

    # What a page comes to.

    async def _read_page(self, visit: Visit, page: Page) -> Outcome:
        extracted = await self._read(page)
        if self._settings.sitemaps:
            name = host_of(visit.url)
            self._hosts[name].note_feeds(feed for feed in extracted.feeds if host_of(feed) == name)
        self._suspicion.saw(visit, extracted)
        links = self._spelling.links(extracted.links)
        return outcomes.of_page(
            visit, page, replace(extracted, links=links), self.jobs[visit.job], self._settings
        )


def _conditions(visit: Visit) -> dict[str, str] | None:
    """Headers that ask for the page only if it has changed since."""
    if visit.known is None:
        return None
    values = visit.known.etag, visit.known.modified
    return {name: value for name, value in zip(UNCHANGED_SINCE, values, strict=True) if value}
