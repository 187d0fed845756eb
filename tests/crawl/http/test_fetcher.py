import asyncio
import gzip
import shutil
import ssl
import subprocess
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from pace import slowness

from byway.core.errors import (
    AddressBlockedError,
    FetchError,
    RejectedContentError,
    UnreachableError,
    UrlError,
)
from byway.core.messages import text
from byway.core.model import Page, Url, UrlId, Visit
from byway.core.settings.schema import CrawlSettings
from byway.crawl.http.fetcher import Fetcher, fetch_robots, redirect_target
from byway.crawl.robots import RobotsRules

T = TypeVar("T")
Answer = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]

SETTINGS = CrawlSettings(timeout=1.0, max_bytes=50_000, allow_private=("127.0.0.2/32",))
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


class Hasty(Fetcher):
    BODY_GRACE_SECONDS = 0.2


class Server:
    """A server on 127.0.0.2 that answers as it is told, and remembers what it was asked."""

    def __init__(self, answer: Answer, tls: ssl.SSLContext | None = None) -> None:
        self._answer = answer
        self._tls = tls
        self.requests: list[bytes] = []
        self.connections = 0

    async def __aenter__(self) -> "Server":
        self._server = await asyncio.start_server(self._serve, "127.0.0.2", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = Url(f"http{'s' if self._tls else ''}://127.0.0.2:{self.port}/")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                self.requests.append(await reader.readuntil(b"\r\n\r\n"))
                await self._answer(self.requests[-1], writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def saying(*parts: bytes, pause: float = 0.0, close: bool = False) -> Answer:
    """Answers every request with these bytes, and a pause after each part."""

    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        if close:
            writer.close()

    return answer


def whole(content: bytes, head: bytes = HTML) -> Answer:
    return saying(head + b"Content-Length: %d\r\n\r\n" % len(content) + content)


def get(
    answer: Answer, settings: CrawlSettings = SETTINGS, *, any_type: bool = False, path: str = ""
) -> Page:
    """What fetching from such a server gives."""

    async def run() -> Page:
        async with Server(answer) as server, Hasty(settings, lambda: 7.0) as ours:
            return await ours.fetch(Visit(Url(server.url + path), UrlId(3)), any_type=any_type)

    return asyncio.run(run())


def test_a_page_comes_with_its_headers_as_they_were_sent() -> None:
    page = get(saying(HTML + b"X-Name: \xe9\r\nx-name: b\r\nContent-Length: 2\r\n\r\nhi"))
    assert (page.status, page.body, page.id, page.fetched_at) == (200, b"hi", 3, 7.0)
    assert page.headers[0] == ("Content-Type", "text/html")
    assert page.headers[1:3] == (("X-Name", "é"), ("x-name", "b"))


def test_we_say_who_we_are_and_ask_for_exactly_the_url() -> None:
    async def run() -> bytes:
        async with Server(whole(b"")) as server, Fetcher(SETTINGS) as ours:
            await ours.fetch(Visit(Url(server.url + "a%2Fb?q=%C3%A9&&=")), {"If-None-Match": '"x"'})
            return server.requests[0]

    asked = asyncio.run(run())
    assert asked.startswith(b"GET /a%2Fb?q=%C3%A9&&= HTTP/1.1\r\n")
    assert b"User-Agent: byway/0.1 (+https://byway.example/bot)\r\n" in asked
    assert b"Accept-Encoding: gzip, deflate, br, zstd\r\n" in asked
    assert b'If-None-Match: "x"\r\n' in asked


def test_a_compressed_body_is_kept_as_it_came() -> None:
    packed = gzip.compress(b"hello" * 100)
    assert get(whole(packed, HTML + b"Content-Encoding: gzip\r\n")).body == packed


def test_a_chunked_body_is_put_together() -> None:
    head = HTML + b"Transfer-Encoding: chunked\r\n\r\n"
    assert get(saying(head, b"2\r\nhe\r\n", b"3\r\nllo\r\n0\r\n\r\n")).body == b"hello"


def test_a_redirect_comes_back_unread_and_is_not_followed() -> None:
    head = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 900\r\n\r\n"
    page = get(saying(head, b"x", pause=0.05))
    assert (page.status, page.body, redirect_target(page)) == (302, b"", "http://127.0.0.1:1/")


def test_a_redirect_may_be_written_in_utf_8_or_lead_nowhere() -> None:
    page = Page(Url("http://a.org/b/"), 0.0, 301, (("Location", "../\xc3\xa9"),), b"")
    assert redirect_target(page) == "http://a.org/%C3%A9"
    for location in ("", "javascript:alert(1)", "gopher://a.org/"):
        with pytest.raises(UrlError):
            redirect_target(replace(page, headers=(("Location", location),)))


def test_the_page_of_an_error_is_not_read() -> None:
    page = get(whole(b"not here", b"HTTP/1.1 404 Not Found\r\nContent-Type: image/png\r\n"))
    assert (page.status, page.body) == (404, b"")


def test_cookies_are_not_kept_and_the_connection_is() -> None:
    async def run() -> Server:
        answer = whole(b"hi", HTML + b"Set-Cookie: a=1\r\n")
        async with Server(answer) as server, Fetcher(SETTINGS) as ours:
            for _ in range(3):
                await ours.fetch(Visit(server.url))
            return server

    server = asyncio.run(run())
    assert (len(server.requests), server.connections) == (3, 1)
    assert not any(b"cookie" in request.lower() for request in server.requests)


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.2:1/")
    monkeypatch.setenv("http_proxy", "http://127.0.0.2:1/")
    assert get(whole(b"hi")).body == b"hi"


def test_types_that_are_not_kept_are_left_unless_any_will_do() -> None:
    picture = whole(b"\x89PNG", b"HTTP/1.1 200 OK\r\nContent-Type: Image/PNG; x=y\r\n")
    with pytest.raises(RejectedContentError, match=r"^media type image/png is not in "):
        get(picture)
    assert get(picture, any_type=True).body == b"\x89PNG"
    assert get(whole(b"<p>", b"HTTP/1.1 200 OK\r\n")).body == b"<p>"


CHUNKED = HTML + b"Transfer-Encoding: chunked\r\n\r\n"
RAW = b"HTTP/1.1 200 OK\r\n"

HOSTILE: list[tuple[str, Answer, type[FetchError], str]] = [
    ("silence", saying(pause=9), UnreachableError, "^no response within 1 s$"),
    (
        "slow headers",
        saying(RAW, *[b"a: b\r\n"] * 99, pause=0.05),
        UnreachableError,
        "no response within",
    ),
    (
        "endless 1xx",
        saying(*[b"HTTP/1.1 100 Continue\r\n\r\n"] * 99, pause=0.05),
        UnreachableError,
        "no response",
    ),
    (
        "dripping",
        saying(CHUNKED, *[b"1\r\na\r\n"] * 99, pause=0.05),
        UnreachableError,
        "too slow: only [1-6] b",
    ),
    (
        "stalling",
        saying(CHUNKED, b"1\r\na\r\n", pause=9),
        UnreachableError,
        "too slow: only 0 bytes in 0.2",
    ),
    (
        "steady but late",
        saying(CHUNKED, *[b"9\r\n123456789\r\n"] * 99, pause=0.02),
        UnreachableError,
        "too",
    ),
    (
        "announced size",
        saying(HTML + b"Content-Length: 99999\r\n\r\n"),
        RejectedContentError,
        "^too large: 99,999 bytes; cr",
    ),
    (
        "endless",
        saying(CHUNKED, *[b"fff\r\n" + b"a" * 4095 + b"\r\n"] * 99),
        RejectedContentError,
        "at least [5-9]",
    ),
    (
        "crumbs",
        saying(CHUNKED, b"1\r\na\r\n" * 20_000),
        RejectedContentError,
        "^sent in tiny chunks",
    ),
    (
        "cut short",
        saying(HTML + b"Content-Length: 9\r\n\r\nab", close=True),
        UnreachableError,
        "after 2 b",
    ),
    (
        "bad chunk",
        saying(CHUNKED, b"zz\r\nab\r\n", pause=0.05),
        UnreachableError,
        "^(the connection was closed|too slow: only 0)",
    ),
    (
        "size below zero",
        saying(HTML + b"Content-Length: -5\r\n\r\n"),
        UnreachableError,
        "did not send a valid HTTP response$",
    ),
    (
        "two sizes",
        saying(HTML + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        UnreachableError,
        "did not send a valid HTTP response$",
    ),
    (
        "huge header",
        saying(RAW + b"a: " + b"b" * 70_000 + b"\r\n\r\n"),
        RejectedContentError,
        "^more than 128 HTTP headers",
    ),
    (
        "many headers",
        saying(RAW + b"a: b\r\n" * 500 + b"\r\n"),
        RejectedContentError,
        "^more than 128 HTTP headers",
    ),
    (
        "garbage",
        saying(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        UnreachableError,
        "did not send a valid HTTP response$",
    ),
    (
        "HTTP/0.9",
        saying(b"<html>hello</html>", close=True),
        UnreachableError,
        "did not send a valid HTTP response$",
    ),
    (
        "hanging up",
        saying(close=True),
        UnreachableError,
        "^127.0.0.2:[0-9]+ closed the connection without a response$",
    ),
]


@pytest.mark.alone
@pytest.mark.parametrize(
    ("answer", "kind", "reason"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE]
)
def test_a_hostile_server_gets_a_reason_in_good_time(
    answer: Answer, kind: type[FetchError], reason: str
) -> None:
    start = time.perf_counter()
    with pytest.raises(kind, match=reason) as failure:
        get(answer)
    took = time.perf_counter() - start
    assert took < 1.5 * slowness(time.perf_counter)
    assert "\n" not in str(failure.value)


def test_a_connection_reset_has_its_reason() -> None:
    async def reset(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    with pytest.raises(
        UnreachableError, match=r"^(connection to 127\.0\.0\.2:\d+ lost|127.* closed)"
    ):
        get(reset)


def fail(url: str, settings: CrawlSettings = SETTINGS) -> str:
    """The reason why this URL cannot be had."""

    async def run() -> None:
        async with Fetcher(settings) as ours:
            await ours.fetch(Visit(Url(url)))

    with pytest.raises(FetchError) as failure:
        asyncio.run(run())
    return f"{type(failure.value).__name__}: {failure.value}"


def test_a_closed_port_and_an_unknown_host_are_named() -> None:
    assert fail("http://127.0.0.2:1/") == "UnreachableError: connection refused by 127.0.0.2:1"
    unknown = fail("http://" + "a" * 70 + ".example/")
    assert unknown == "UnreachableError: no such host: " + "a" * 70 + ".example"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254"])
def test_private_addresses_are_blocked_with_the_cure(host: str) -> None:
    reason = fail(f"http://{host}/")
    assert reason.startswith(f"AddressBlockedError: {host.strip('[]').replace('127.0.0.1]', '')}")
    assert "--allow-private" in reason


def test_a_name_of_this_machine_is_blocked_as_its_address_is() -> None:
    assert fail("http://localhost:1/").startswith("AddressBlockedError: localhost: ")


def test_tls_must_be_spoken() -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(plain, "127.0.0.2", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, Fetcher(SETTINGS) as ours:
            await ours.fetch(Visit(Url(f"https://127.0.0.2:{port}/")))

    with pytest.raises(UnreachableError, match=r"^TLS connection to 127\.0\.0\.2:\d+ failed: "):
        asyncio.run(run())


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make a certificate")
def test_a_certificate_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    made = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=x"
    )
    subprocess.run([*made.split(), "-keyout", "k", "-out", "c"], cwd=tmp_path, check=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "c", tmp_path / "k")

    async def run() -> None:
        async with (
            Server(whole(b""), context) as server,
            Fetcher(SETTINGS) as ours,
        ):
            await ours.fetch(Visit(server.url))

    with pytest.raises(
        UnreachableError, match=r"^127\.0\.0\.2:\d+ has an invalid TLS certificate: self.signed"
    ):
        asyncio.run(run())


def robots(answer: Answer) -> RobotsRules:
    async def run() -> RobotsRules:
        async with Server(answer) as server, Hasty(SETTINGS) as ours:
            return await fetch_robots(ours, server.url)

    return asyncio.run(run())


def verdict(robots: RobotsRules, path: str = "a") -> tuple[bool, str]:
    decision = robots.decide("byway", Url(f"http://127.0.0.2/{path}"))
    return decision.allowed, decision.rule or text(decision.reason)


REFUSING = b"User-agent: *\nDisallow: /a\n"


def by_path(answers: dict[bytes, bytes]) -> Answer:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(answers[request.split()[1]])

    return answer


def test_robots_are_found_behind_redirects() -> None:
    hops = {
        b"/robots.txt" if n == 0 else b"/%d" % n: b"HTTP/1.1 301 M\r\nContent-Length: 0\r\n"
        b"Location: /%d\r\n\r\n" % (n + 1)
        for n in range(5)
    }
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(REFUSING)
    assert verdict(robots(by_path({**hops, b"/5": head + REFUSING}))) == (False, "Disallow: /a")


def test_robots_may_be_compressed_or_of_any_type_or_huge() -> None:
    packed = gzip.compress(REFUSING)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Encoding: gzip\r\n"
    assert verdict(robots(whole(packed, head))) == (False, "Disallow: /a")
    huge = REFUSING + b"#" * 600_000
    assert verdict(robots(whole(huge, RAW))) == (False, "Disallow: /a")


def test_missing_robots_allow_and_failing_ones_forbid() -> None:
    assert verdict(robots(whole(b"", b"HTTP/1.1 404 N\r\n"))) == (
        True,
        "robots.txt returned HTTP 404",
    )
    assert verdict(robots(whole(b"", b"HTTP/1.1 503 N\r\n"))) == (
        False,
        "robots.txt returned HTTP 503",
    )
    cut = saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: b", close=True)
    assert verdict(robots(cut)) == (
        False,
        "robots.txt could not be fetched: the connection was closed after 13 bytes",
    )
    loop = saying(b"HTTP/1.1 302 F\r\nLocation: /robots.txt\r\nContent-Length: 0\r\n\r\n")
    assert verdict(robots(loop)) == (True, "robots.txt returned HTTP 302")
    bomb = whole(gzip.compress(bytes(20_000_000)), RAW + b"Content-Encoding: gzip\r\n")
    assert not verdict(robots(bomb))[0]


def test_robots_that_redirect_to_a_private_address_are_blocked() -> None:
    location = b"Location: http://127.0.0.1:1/robots.txt\r\nContent-Length: 0\r\n\r\n"
    with pytest.raises(AddressBlockedError, match=r"^127\.0\.0\.1 is not public"):
        robots(saying(b"HTTP/1.1 302 Found\r\n" + location))
