"""The site with a handful of real answers, on a loopback port, and a browser that sees bytes."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.message import Message
from html import unescape
from http.client import HTTPConnection
from socket import create_connection
from typing import Any
from urllib.parse import urlencode, urlsplit

from pace import WAIT_TIMEOUT_SECONDS

from byway.core.errors import UsageError
from byway.core.messages import Diagnosis
from byway.core.model import (
    Heading,
    Hit,
    Query,
    Results,
    ShardStatus,
    Signal,
    Status,
    Url,
    UrlId,
)
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.server import serve_in_thread

SIGNALS = (
    Signal("bm25", 6.0, 1.0),
    Signal("title_coverage", 1.0, 3.0),
    Signal("freshness", -1.0, 1.0),
)
HOSTILE_SIGNAL = Signal(
    "<u>near</u>", float("inf"), 1.0, Diagnosis("lacks_word", word="<s>close</s>")
)
PLAIN_HIT = Hit(
    url=Url("https://example.org/guide/first%20steps?lang=en"),
    id=UrlId(1),
    title="First steps",
    score=8.0,
    snippet=(("Your ", False), ("first", True), (" steps with <b> & bytes", False)),
    language="en",
    published="2024-05-31",
    signals=SIGNALS,
)
PDF_HIT = Hit(
    url=Url("https://ru.example.org/%D0%B5%D0%BB%D0%BA%D0%B0.pdf"),
    id=UrlId(2),
    title="Ёлка",
    score=4.0,
    content_type="application/pdf",
    language="ru",
    modified="2023-04-01",
)
HOSTILE_HIT = Hit(
    url=Url('javascript:alert(1)//\u202e"><script>alert(2)</script>'),
    id=UrlId(3),
    title="<script>alert('title')</script>\u202egnp.exe \ud800 \x00",
    score=float("nan"),
    snippet=(('"><img src=x onerror=alert(3)>', True), ("</mark>\u2066{{ 7 * 7 }}", False)),
    content_type='text/"><svg onload=alert(4)>',
    language='en" onmouseover="alert(5)',
    published="<i>today</i>",
    signals=(HOSTILE_SIGNAL, *SIGNALS),
)
RICH_HIT = replace(
    PLAIN_HIT,
    headings=(Heading(2, "How to <i>begin</i>", 'be"gin'), Heading(2, "Steps", "шаги")),
    match_counts=(("title", 1), ("text", 3)),
    match_positions=(0.0, 0.5, 0.99),
    more_from_host=7,
    duplicate_of=Url("https://example.org/guide/"),
    records={"product": {"price": 1250.5, "currency": "EUR"}},
)
FACETS = {
    "site": (("example.org", 5), ("ru.example.org", 2)),
    "language": (("en", 5),),
    "type": (("html", 4), ("pdf", 1)),
    "year": (("2024", 3), ("2023", 1)),
    "brand": (("<b>Acme", 2), ("Verst", 1)),
}


def _unmatched(
    code: str, filter: str, value: str, *available: str, has_more: bool = False
) -> Diagnosis:
    return Diagnosis(code, filter=filter, value=value, available=available, has_more=has_more)


NO_RESULTS_REASONS = {
    "unlinked": Diagnosis("no_inlinks", filter="link", value="https://a.org/<b>"),
    "unknown": Diagnosis("related_page_unknown", filter="related", value="https://a.org/"),
    "otherwise": Diagnosis("no_dated_match", filter="day", value="2020-01-01 – …"),
    "undated": Diagnosis("no_dated_page", filter="day", value="2020-01-01 – …"),
    "elsewhere": _unmatched("no_match_in_language", "language", "de, fr", "en"),
    "older": Diagnosis("no_page_before", filter="day", value="… – 1799-12-31", year="2020"),
    "newer": Diagnosis("no_page_after", filter="day", value="2030-01-01 – …", year="2024"),
    "untitled": Diagnosis("not_in_title_elsewhere", filter="title", value="<b>", count=1200),
    "early": _unmatched("no_page_in_period", "day", "… – 1799-12-31", "2020", "2024"),
}
"""Why these questions have no answer."""
MANY_RESULTS_TOTAL = 1234
"""How many pages the question `many` finds."""


def fake_search(query: Query) -> Results:
    """Answers by the first word of the question."""
    first = (query.text.split() or [""])[0]
    if first == "broken":
        raise RuntimeError("the index fell over")
    if first == "refused":
        raise UsageError("too many <words>; use fewer")
    if first == "many":
        rest = max(0, min(query.max_hits, MANY_RESULTS_TOTAL - query.offset))
        return Results(query, (PLAIN_HIT,) * rest, MANY_RESULTS_TOTAL, 0.0123)
    if first == "rich":
        return Results(query, (RICH_HIT, PDF_HIT), 2, 0.0002, "rice <b>", FACETS)
    if first == "absent":
        absent = (
            _unmatched("no_page_in_language", "language", "de<b>", "en", "ru"),
            _unmatched("no_page_of_type", "type", "csv", "pdf"),
            _unmatched("no_page_on_site", "site", "a.org", "b.org", has_more=True),
        )
        return Results(query, (), 0, no_results_reasons=absent)
    if first in NO_RESULTS_REASONS:
        return Results(query, (), 0, no_results_reasons=(NO_RESULTS_REASONS[first],))
    if first == "begun":
        return Results(query, (), 0, did_you_mean="Begun*", did_you_mean_total=1200)
    if first == "apart":
        apart = (Diagnosis("split_word", word="light<b>house", parts=("light<b>", "house")),)
        return Results(query, (PLAIN_HIT,), 1, split_words=apart)
    if first == "misread":
        misread = (
            Diagnosis("invalid_date", typed="after:<b>"),
            Diagnosis("operator_typo", typed="filetyp:pdf", correction="filetype:pdf"),
        )
        hits = (PLAIN_HIT,) * ("found" in query.text)
        return Results(query, hits, len(hits), query_warnings=misread)
    if first == "near":
        return Results(query, (PLAIN_HIT,), MANY_RESULTS_TOTAL, total_is_estimate=True)
    if first == "-word":
        return Results(query, (), 0, no_results_reasons=(Diagnosis("empty_query"),))
    hits = {"first": (PLAIN_HIT, PDF_HIT), "hostile": (HOSTILE_HIT,)}.get(first, ())
    return Results(query, hits[query.offset :][: query.max_hits], len(hits), 0.0002)


READY_STATUS = Status(
    pages=15,
    queued=3,
    indexed=12,
    crawling=False,
    seeds=("https://example.org/",),
    shards=(ShardStatus(12, bytes=4096), ShardStatus(0, bytes=2048, is_readable=False)),
)


@dataclass(frozen=True, slots=True)
class HttpReply:
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
class HttpBrowser:
    """Asks the site for pages, one connection each, and follows nothing."""

    url: str

    def get(self, path: str, **parameters: str | int) -> HttpReply:
        """What the site answers to `path?parameters`."""
        return self.request(path + ("?" + urlencode(parameters) if parameters else ""))

    def request(
        self,
        target: str,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
    ) -> HttpReply:
        """What the site answers to this very request."""
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=WAIT_TIMEOUT_SECONDS)
        try:
            connection.request(method, target, body, dict(headers or {}))
            response = connection.getresponse()
            return HttpReply(response.status, response.msg, response.read())
        finally:
            connection.close()

    def head(self, target: str, cookies: Mapping[str, str]) -> int:
        """The status of an answer that may have no end."""
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=WAIT_TIMEOUT_SECONDS)
        try:
            sent = "; ".join(f"{name}={value}" for name, value in cookies.items())
            connection.request("GET", target, headers={"Cookie": sent})
            return connection.getresponse().status
        finally:
            connection.close()

    def raw(self, sent: bytes) -> bytes:
        """The first bytes of the answer to these very bytes."""
        host, _, port = urlsplit(self.url).netloc.rpartition(":")
        with create_connection((host, int(port)), timeout=WAIT_TIMEOUT_SECONDS) as connection:
            connection.sendall(sent)
            return connection.recv(4096)


@contextmanager
def served_fake_site(status: Status = READY_STATUS, title: str = "byway") -> Iterator[HttpBrowser]:
    """The real site on a real port, with our answers."""
    app = make_app(fake_search, lambda: status, ServeSettings(title=title))
    with serve_in_thread(app, "127.0.0.1", 0) as url:
        yield HttpBrowser(url)


def page_links(page: str, start: str, end: str) -> dict[str, str]:
    """The links in a part of a page: their texts and URLs."""
    part = page[page.index(start) :]
    part = part[: part.index(end)]
    found = re.findall(r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', part, re.DOTALL)
    plain = ((re.sub(r"<[^>]+>", "", text), href) for href, text in found)
    return {" ".join(unescape(text).split()): unescape(href) for text, href in plain}
