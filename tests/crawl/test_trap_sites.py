"""Five sites without an end beside fifty good ones: the good are crawled, the traps are found."""

import asyncio
import itertools
import random
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from byway.app.crawl_control import decide_trap, list_traps
from byway.app.engine import Engine
from byway.core.messages import text
from byway.core.model import Url, UrlState
from byway.core.model.crawl_progress import CrawlProgress
from byway.core.settings.schema import CrawlSettings, Settings
from byway.core.url import normalize

GOOD, PAGES = 50, 20
BUDGET = 700
"""Requests to one trap; each of them would go on for ever."""

WORDS = [f"{a}{b}" for a in ("ba", "ko", "ri", "tu", "mel") for b in ("den", "sol", "wick", "ny")]

Answer = Callable[[str], str]
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def good(path: str) -> str:
    """A page that says something of its own."""
    chance = random.Random(path)
    text = " ".join(chance.choice(WORDS) for _ in range(120))
    links = "".join(f'<a href="/page-{n}.html">page {n}</a>' for n in range(PAGES - 1))
    return f"<title>{path}</title><p>{text}</p><nav>{links}</nav>"


def calendar(path: str) -> str:
    """Every month has a next month."""
    parts = [int(part) for part in path.split("/") if part.isdigit()] or [2024, 1]
    year, month = parts[0], parts[-1]
    after = (year + month // 12, month % 12 + 1)
    before = (year - (month == 1), (month - 2) % 12 + 1)
    links = "".join(f'<a href="/month/{y}/{m}">{y}-{m}</a>' for y, m in (before, after))
    days = " ".join(str(day) for day in range(1, 29))
    return f"<title>{year}-{month}</title><p>Nothing is planned for this month. {days}</p>{links}"


def filters(path: str) -> str:
    """Every choice can be combined with every other."""
    chosen = parse_qs(urlsplit(path).query)
    links = []
    for name, value in itertools.product(("colour", "size", "brand", "heel", "sole"), range(6)):
        choice = "&".join(f"{k}={v[0]}" for k, v in sorted({**chosen, name: [str(value)]}.items()))
        links.append(f'<a href="/shoes?{choice}">{name} {value}</a>')
    text = f"All our shoes, chosen by you. {' '.join(WORDS)}"
    return f"<title>Shoes</title><p>{text}</p>{''.join(links)}"


def pages(path: str) -> str:
    """After every page there is a next one."""
    number = int((parse_qs(urlsplit(path).query).get("page") or ["1"])[0])
    return f'<p>No more results on this page.</p><a href="/list?page={number + 1}">next</a>'


def deeper(path: str) -> str:
    """Every folder holds itself."""
    return f"<title>{path}</title><p>Down we go.</p><a href='{path.rstrip('/')}/a/b/'>deeper</a>"


class Sessions:
    """Every link has a new session id in it."""

    def __init__(self) -> None:
        self._chance = random.Random(3)

    def __call__(self, path: str) -> str:
        id = f"{self._chance.getrandbits(128):032x}"
        links = "".join(f'<a href="/p{n}?PHPSESSID={id}">p{n}</a>' for n in range(10))
        return f"<title>{path}</title><p>{path.partition('?')[0]}</p>{links}"


class Web:
    """Sites by host, and how often each was asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.urls: dict[str, str] = {}

    async def serve(self, sites: dict[str, Answer]) -> list[asyncio.Server]:
        servers = []
        for n, (name, answer) in enumerate(sites.items(), start=1):
            server = await asyncio.start_server(self._handler(name, answer), f"127.0.2.{n}", 0)
            self.urls[name] = "http://{}:{}/".format(*server.sockets[0].getsockname())
            servers.append(server)
        return servers

    def _handler(self, name: str, answer: Answer) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while request := await reader.readuntil(b"\r\n\r\n"):
                    path = request.split()[1].decode()
                    self.asked[name] += 1
                    missing = path in ("/robots.txt", "/sitemap.xml")
                    body = b"" if missing else answer(path).encode()
                    status = "404 Not Found" if missing else "200 OK"
                    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n"
                    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            except (asyncio.IncompleteReadError, ConnectionError):
                pass
            finally:
                writer.close()

        return handle


@contextmanager
def served(sites: dict[str, Answer]) -> Iterator[Web]:
    web, loop = Web(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    servers = asyncio.run_coroutine_threadsafe(web.serve(sites), loop).result(30)
    yield web

    async def stop() -> None:
        for server in servers:
            server.close()
        rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    asyncio.run_coroutine_threadsafe(stop(), loop).result(30)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def lost(path: str) -> str:
    """Whatever is asked for is not there, and the answer is 200."""
    if path == "/":
        return "".join(f'<a href="/item/{n}">item {n}</a>' for n in range(400))
    return f"<title>Oops</title><p>We could not find what you asked for. {' '.join(WORDS)}</p>"


TRAPS: dict[str, Answer] = {
    "calendar": calendar,
    "filters": filters,
    "pages": pages,
    "deeper": deeper,
    "sessions": Sessions(),
}


def test_traps_end_and_are_reported_and_the_good_sites_are_crawled(tmp_path: Path) -> None:
    sites = {f"good{n}": good for n in range(GOOD)} | TRAPS
    settings = CrawlSettings(delay=0.0, max_depth=100_000, allow_private=("127.0.0.0/8",))
    engine = Engine(tmp_path, Settings(crawl=settings))
    with served(sites) as web:
        ended: CrawlProgress = asyncio.run(
            engine.crawl([normalize(url) for url in web.urls.values()], lambda crawler: None)
        )
    fetched = sum(min(web.asked[name] - 2, PAGES) for name in sites if name.startswith("good"))
    assert fetched >= 0.95 * GOOD * PAGES
    assert {name: web.asked[name] for name in TRAPS if web.asked[name] > BUDGET} == {}
    notes = list(map(text, ended.notes))
    for name, pattern in (("calendar", "/month/"), ("filters", "/shoes"), ("pages", "/list")):
        host = web.urls[name].split("/")[2]
        assert any(pattern in line and host in line for line in notes), f"{name}: {notes}"
    with engine.search_session() as reading:
        states = reading.status().states
    paused = list_traps(tmp_path, engine.settings)
    assert states[UrlState.PAUSED] > 0
    assert len(paused) >= 3
    # A person decides; what was paused is judged anew.
    assert (
        decide_trap(tmp_path, engine.settings, paused[0].host, paused[0].pattern, resume=True) > 0
    )
    assert len(list_traps(tmp_path, engine.settings)) == len(paused) - 1


def test_a_host_that_answers_200_for_what_is_not_there_is_found_out(tmp_path: Path) -> None:
    settings = CrawlSettings(delay=0.0, allow_private=("127.0.0.0/8",))
    with served({"site": lost}) as web:
        ended = crawl(Engine(tmp_path, Settings(crawl=settings)), normalize(web.urls["site"]))
    notes = list(map(text, ended.notes))
    assert any("/item/{n}" in note and "soft 404s" in note for note in notes), notes


def test_a_host_that_is_another_under_a_second_name_is_visited_no_further(tmp_path: Path) -> None:
    def site(path: str) -> str:
        links = "".join(f'<a href="/page-{n}.html">page {n}</a>' for n in range(200))
        return f"<title>{path}</title><p>{good(path)}</p>{links}"

    settings = CrawlSettings(delay=0.0, allow_private=("127.0.0.0/8",))
    engine = Engine(tmp_path, Settings(crawl=settings))
    with served({"first": site, "second": site}) as web:
        first, second = (normalize(url) for url in web.urls.values())
        ended = crawl(engine, first, second)
        assert crawl(engine).recorded == 0
    assert sorted(web.asked.values())[1] == 203
    assert sorted(web.asked.values())[0] < 150
    (said,) = ended.notes
    assert re.search(
        r"paused /\*: 30 URLs, \d+% identical to pages on 127[.\d:]+ \(the same site", text(said)
    )


def crawl(engine: Engine, *urls: Url) -> CrawlProgress:
    return asyncio.run(engine.crawl(list(urls), lambda crawler: None))
