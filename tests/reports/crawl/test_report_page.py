"""The HTML file: it stands alone, it says what the figures say, and nothing foreign is alive."""

import re
from collections import Counter
from html.parser import HTMLParser

from byway.core.messages import NO_REASON, Reason, speaking
from byway.core.model import UrlState
from byway.reports.crawl.html import as_html, readable_url
from byway.reports.crawl.summary import CrawlReportData, summarize_crawl

HOSTILE = "</title></svg><script>alert(1)</script>\"' onload=x <img src=//evil.org>"
ALONE = {"script", "link", "img", "iframe", "object", "embed", "image", "use", "base", "form"}


class Tags(HTMLParser):
    """What a browser would make of it: tags with their attributes, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def told(text: str = "fine", url: str = "http://a.org/") -> CrawlReportData:
    rows = [
        ("a.org", UrlState.KEPT, NO_REASON, url),
        (text, UrlState.FORBIDDEN, Reason("path_mismatch", pattern=text), url),
        ("a.org", UrlState.MISSING, Reason("http_status", status=404, phrase="Not Found"), url),
    ]
    return CrawlReportData(
        1.8e9,
        states=Counter(row[1] for row in rows),
        seeds=[text],
        hosts=2,
        pages=2,
        bytes=5000,
        url_outcomes=rows,
        page_fetches=[("a.org", 1.8e9, 4000), (text, 1.8e9 + 5, 1000)],
        largest=[(url, 4000), (text, 1000)],
        content_types=["text/html", text],
    )


def test_foreign_text_stays_text_wherever_it_is_shown() -> None:
    page = Tags(as_html(summarize_crawl(told(HOSTILE, f"javascript:{HOSTILE}"))))
    names = {tag for tag, _ in page.tags}
    assert not names & ALONE
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert not [tag for tag in page.tags if "javascript" in str(tag[1].get("href"))]
    assert "<script>alert(1)</script>" in page.text


def test_text_that_turns_around_or_cannot_be_encoded_does_no_harm() -> None:
    page = as_html(summarize_crawl(told("left\u202eright\ud800\x00\x1b[31m")))
    assert not set("\u202e\ud800\x00\x1b") & set(page)
    page.encode()


def test_the_file_stands_alone() -> None:
    page = as_html(summarize_crawl(told()))
    tags = Tags(page)
    assert not {tag for tag, _ in tags.tags} & ALONE
    assert not any("src" in attributes or "style" in attributes for _, attributes in tags.tags)
    assert not re.search(r"url\(|@import", page)
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page


def test_plots_say_in_words_what_they_show() -> None:
    page = as_html(summarize_crawl(told()))
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert re.search(r'role="img" aria-label="[^"]+ \d[^"]+"|aria-hidden="true"', svg)
    assert "<title>kept: 1 (33.3%)</title>" in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_figures_are_in_tables_too() -> None:
    text = " ".join(Tags(as_html(summarize_crawl(told()))).text.split())
    assert "HTTP 404 Not Found" in text
    assert "disallowed by robots.txt" in text
    assert "2027-01-15 08:00:00 UTC" in text


def test_an_empty_crawl_is_told_what_to_do() -> None:
    page = as_html(summarize_crawl(CrawlReportData(1.8e9)))
    assert "Nothing has been crawled yet" in page
    assert "byway up URL" in page
    assert "<table" not in page


def test_a_crawl_in_which_no_page_came_has_a_report() -> None:
    page = as_html(
        summarize_crawl(CrawlReportData(1.8e9, crawling=True, states={UrlState.QUEUED: 7}, hosts=1))
    )
    assert "still running" in page
    assert "Pages over time" not in page


def test_a_sample_is_called_one() -> None:
    rows = [("a.org", UrlState.KEPT, NO_REASON, "http://a.org/")] * 20
    large = CrawlReportData(1.8e9, states={UrlState.KEPT: 5_000_000}, hosts=1, url_outcomes=rows)
    assert "estimated from 20 of 5,000,000 URLs" in as_html(summarize_crawl(large))
    assert "estimated" not in as_html(summarize_crawl(told()))


def test_urls_are_shown_in_their_own_letters() -> None:
    assert readable_url("http://a.org/%D0%92%D0%BE") == "http://a.org/Во"
    assert readable_url("http://a.org/%00%E2%80%AEx%FF") == "http://a.org/  x�"


def test_the_report_is_in_the_language_of_the_terminal() -> None:
    rows = [("a.org", UrlState.KEPT, NO_REASON, "http://a.org/")] * 20
    states = {UrlState.KEPT: 5_000_000, UrlState.OUT_OF_SCOPE: 3}
    with speaking("ru"):
        page = as_html(summarize_crawl(CrawlReportData(1.8e9, states=states, url_outcomes=rows)))
    assert '<html lang="ru">' in page
    assert "Отчёт об обходе" in page
    assert ">вне области<" in page
    assert "5\u202f000\u202f003" in page
    assert "&lt; 0,1 %" in page
