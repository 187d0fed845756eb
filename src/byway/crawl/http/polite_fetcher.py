"""Polite requests that are not visits: robots.txt, sitemaps, feeds and favicons."""

import asyncio
from collections.abc import Callable, Mapping

from byway.core.model import Page, Visit
from byway.crawl.host_state import HostState
from byway.crawl.http.fetcher import Fetcher
from byway.crawl.politeness import AddressPoliteness


class PoliteFetcher:
    """A fetcher that waits until the host and its address are free."""

    def __init__(
        self,
        fetcher: Fetcher,
        addresses: AddressPoliteness,
        host: HostState,
        delay: Callable[[], float],
        clock: Callable[[], float],
    ) -> None:
        self._fetcher = fetcher
        self._addresses = addresses
        self._host = host
        self._delay = delay
        self._clock = clock

    async def fetch(
        self,
        target: Visit,
        headers: Mapping[str, str] | None = None,
        *,
        any_type: bool = False,
        truncate_at: int = 0,
    ) -> Page:
        """The response to one GET, sent once the host and its address are free."""
        await asyncio.sleep(max(0.0, self._host.free_at - self._clock()))
        address = await self._fetcher.resolve_address(target.url)
        await self._wait_until_free(address)
        with self._addresses.request_in_flight(address):
            try:
                return await self._fetcher.fetch(
                    target, headers, any_type=any_type, truncate_at=truncate_at
                )
            finally:
                self._host.free_at = self._clock() + self._delay()
                self._addresses.delay_until(address, self._clock() + self._delay())

    async def _wait_until_free(self, address: str) -> None:
        # Another request may take the address while we sleep.
        while True:
            wait = self._addresses.wait_seconds(address, self._clock())
            if not wait:
                return
            await asyncio.sleep(wait)
