"""The site with a handful of real answers, on a loopback port, and a browser that sees bytes."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.message import Message
from http.client import HTTPConnection
from socket import create_connection
from typing import Any
from urllib.parse import urlencode, urlsplit

from pace import PATIENCE

from byway.core.errors import UsageError
from byway.core.model import (
    Absent,
    Apart,
    Heading,
    Hit,
    Misread,
    Query,
    Results,
    Signal,
    Status,
    Url,
    UrlId,
)
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.server import running

SIGNALS = (
    Signal("text", 6.0, 1.0, "How well the words fit."),
    Signal("title", 1.0, 3.0, "Words in the title."),
    Signal("depth", -1.0, 1.0),
)
PLAIN = Hit(
    url=Url("https://example.org/guide/first%20steps?lang=en"),
    id=UrlId(1),
    title="First steps",
    score=8.0,
    snippet=(("Your ", False), ("first", True), (" steps with <b> & bytes", False)),
    language="en",
    published="2024-05-31",
    signals=SIGNALS,
)
PAPER = Hit(
    url=Url("https://ru.example.org/%D0%B5%D0%BB%D0%BA%D0%B0.pdf"),
    id=UrlId(2),
    title="Ёлка",
    score=4.0,
    content_type="application/pdf",
    language="ru",
    modified="2023-04-01",
)
HOSTILE = Hit(
    url=Url('javascript:alert(1)//\u202e"><script>alert(2)</script>'),
    id=UrlId(3),
    title="<script>alert('title')</script>\u202egnp.exe \ud800 \x00",
    score=float("nan"),
    snippet=(('"><img src=x onerror=alert(3)>', True), ("</mark>\u2066{{ 7 * 7 }}", False)),
    content_type='text/"><svg onload=alert(4)>',
    language='en" onmouseover="alert(5)',
    published="<i>today</i>",
    signals=(Signal("<u>near</u>", float("inf"), 1.0, "<s>close</s>"), *SIGNALS),
)
RICH = replace(
    PLAIN,
    headings=(Heading(2, "How to <i>begin</i>", 'be"gin'), Heading(2, "Steps", "шаги")),
    places=(("title", 1), ("text", 3)),
    spots=(0.0, 0.5, 0.99),
    more=7,
    duplicate_of=Url("https://example.org/guide/"),
    product={"price": 1250.5, "currency": "EUR"},
)
FACETS = {
    "site": (("example.org", 5), ("ru.example.org", 2)),
    "language": (("en", 5),),
    "type": (("html", 4), ("pdf", 1)),
    "year": (("2024", 3), ("2023", 1)),
    "brand": (("<b>Acme", 2), ("Verst", 1)),
}
ABSENT = {
    "unlinked": Absent("link", "https://a.org/<b>"),
    "unknown": Absent("related", "https://a.org/", why="unknown"),
    "otherwise": Absent("day", "2020-01-01 – …", why="beside_undated"),
    "undated": Absent("day", "2020-01-01 – …", why="undated"),
    "elsewhere": Absent("language", "de, fr", ("en",), why="beside"),
    "older": Absent("day", "… – 1799-12-31", ("2020", "2024"), why="older"),
    "newer": Absent("day", "2030-01-01 – …", ("2020", "2024"), why="newer"),
    "untitled": Absent("title", "<b>", why="elsewhere", elsewhere=1200),
    "early": Absent("day", "… – 1799-12-31", ("2020", "2024")),
}
"""Why these questions have no answer."""
CROWDED = 1234
"""How many pages the question `many` finds."""


def search(query: Query) -> Results:
    """Answers by the first word of the question."""
    first = (query.text.split() or [""])[0]
    if first == "broken":
        raise RuntimeError("the index fell over")
    if first == "refused":
        raise UsageError("too many <words>; use fewer")
    if first == "many":
        rest = max(0, min(query.limit, CROWDED - query.offset))
        return Results(query, (PLAIN,) * rest, CROWDED, 0.0123)
    if first == "rich":
        return Results(query, (RICH, PAPER), 2, 0.0002, "rice <b>", FACETS)
    if first == "absent":
        absent = (Absent("language", "de<b>", ("en", "ru")), Absent("type", "csv", ("pdf",)))
        return Results(query, (), 0, absent=(*absent, Absent("site", "a.org", ("b.org",), True)))
    if first in ABSENT:
        return Results(query, (), 0, absent=(ABSENT[first],))
    if first == "begun":
        return Results(query, (), 0, instead="Begun*", instead_total=1200)
    if first == "apart":
        apart = (Apart("light<b>house", ("light<b>", "house")),)
        return Results(query, (PLAIN,), 1, apart=apart)
    if first == "misread":
        misread = (Misread("after:<b>"), Misread("filetyp:pdf", "filetype:pdf"))
        return Results(
            query, hits := (PLAIN,) * ("found" in query.text), len(hits), misread=misread
        )
    if first == "near":
        return Results(query, (PLAIN,), CROWDED, about=True)
    if first == "-word":
        return Results(query, (), 0, says_nothing=True)
    hits = {"first": (PLAIN, PAPER), "hostile": (HOSTILE,)}.get(first, ())
    return Results(query, hits[query.offset :][: query.limit], len(hits), 0.0002)


READY = Status(pages=15, queued=3, indexed=12, crawling=False, seeds=("https://example.org/",))


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: Message
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Browser:
    """Asks the site for pages, one connection each, and follows nothing."""

    url: str

    def get(self, path: str, **parameters: str | int) -> Reply:
        """What the site answers to `path?parameters`."""
        return self.ask(path + ("?" + urlencode(parameters) if parameters else ""))

    def ask(
        self,
        target: str,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
    ) -> Reply:
        """What the site answers to this very request."""
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE)
        try:
            connection.request(method, target, body, dict(headers or {}))
            response = connection.getresponse()
            return Reply(response.status, response.msg, response.read())
        finally:
            connection.close()

    def head(self, target: str, cookies: Mapping[str, str]) -> int:
        """The status of an answer that may have no end."""
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE)
        try:
            sent = "; ".join(f"{name}={value}" for name, value in cookies.items())
            connection.request("GET", target, headers={"Cookie": sent})
            return connection.getresponse().status
        finally:
            connection.close()

    def raw(self, sent: bytes) -> bytes:
        """The first bytes of the answer to these very bytes."""
        host, _, port = urlsplit(self.url).netloc.rpartition(":")
        with create_connection((host, int(port)), timeout=PATIENCE) as connection:
            connection.sendall(sent)
            return connection.recv(4096)


@contextmanager
def site(status: Status = READY, title: str = "byway") -> Iterator[Browser]:
    """The real site on a real port, with our answers."""
    app = make_app(search, lambda: status, ServeSettings(title=title))
    with running(app, "127.0.0.1", 0) as url:
        yield Browser(url)
