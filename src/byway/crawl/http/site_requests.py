"""Requests that are no visits: robots.txt, sitemaps and feeds, spaced like any other."""

import asyncio
from collections.abc import Callable, Mapping

from byway.core.model import Page, Visit
from byway.crawl.host_state import Host
from byway.crawl.http.fetcher import Fetcher
from byway.crawl.politeness import Addresses


class Errands:
    """Fetches like a `Fetcher`, but waits until the host and the address it asks are free."""

    def __init__(
        self,
        fetcher: Fetcher,
        addresses: Addresses,
        host: Host,
        rest: Callable[[], float],
        clock: Callable[[], float],
    ) -> None:
        self._fetcher = fetcher
        self._addresses = addresses
        self._host = host
        self._rest = rest
        self._clock = clock

    async def fetch(
        self,
        visit: Visit,
        headers: Mapping[str, str] | None = None,
        *,
        any_type: bool = False,
        first: int = 0,
    ) -> Page:
        """The answer to one GET, in good time."""
        await asyncio.sleep(max(0.0, self._host.free_at - self._clock()))
        address = await self._fetcher.address_of(visit.url)
        await self._until_free(address)
        with self._addresses.asking(address):
            try:
                return await self._fetcher.fetch(visit, headers, any_type=any_type, first=first)
            finally:
                self._host.free_at = self._clock() + self._rest()
                self._addresses.rest(address, self._clock() + self._rest())

    async def _until_free(self, address: str) -> None:
        # Others may ask it while we sleep, so one look is not enough.
        while True:
            wait = self._addresses.wait(address, self._clock())
            if not wait:
                return
            await asyncio.sleep(wait)
