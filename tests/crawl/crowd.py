"""Many hosts on few addresses, each a small site; the server's own log says how polite we are."""

import asyncio
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request as the server saw it, by a clock that only goes forward."""

    address: str
    host: str
    path: str
    started: float
    ended: float


class ManyHostServer:
    """`hosts` hosts on `addresses` loopback addresses: each port of an address is a host."""

    def __init__(self, hosts: int, addresses: int, pages: int, seconds: float = 0.01) -> None:
        self._spread = [(f"127.0.1.{n % addresses + 1}", n // addresses) for n in range(hosts)]
        self._pages = pages
        self._seconds = seconds
        self.log: list[RecordedRequest] = []
        self.urls: list[str] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> Self:
        self._thread.start()
        started = asyncio.run_coroutine_threadsafe(self._start(), self._loop)
        self._servers = started.result(30)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def politeness_violations(self, delay: float) -> list[tuple[RecordedRequest, RecordedRequest]]:
        """Pairs of requests to one host, or one address, with less than `delay` between them."""
        by_place: dict[str, list[RecordedRequest]] = defaultdict(list)
        for asked in sorted(self.log, key=lambda asked: asked.started):
            by_place[asked.host].append(asked)
            by_place[asked.address].append(asked)
        return [
            (before, after)
            for asked in by_place.values()
            for before, after in pairwise(asked)
            if after.started - before.ended < delay
        ]

    async def _start(self) -> list[asyncio.Server]:
        servers = []
        for address, _ in self._spread:
            server = await asyncio.start_server(self._answer, address, 0)
            port = server.sockets[0].getsockname()[1]
            self.urls.append(f"http://{address}:{port}/")
            servers.append(server)
        return servers

    async def _stop(self) -> None:
        for server in self._servers:
            server.close()
        rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address, port = writer.get_extra_info("sockname")[:2]
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                started = time.monotonic()
                path = request.split()[1].decode()
                await asyncio.sleep(self._seconds)
                # Noted before the last byte leaves: nobody can have asked again by then.
                ended = time.monotonic()
                self.log.append(RecordedRequest(address, f"{address}:{port}", path, started, ended))
                writer.write(self._page(path))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _page(self, path: str) -> bytes:
        if path == "/robots.txt":
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        links = "".join(f"<a href=/{n}>{n}</a>" for n in range(1, self._pages))
        body = f"<title>{path}</title><p>{path} {links}".encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body
