"""The page of results, as a browser gets it."""

import re

import pytest
from web.fake_site import HOSTILE_HIT, PLAIN_HIT, READY_STATUS, HttpBrowser, served_fake_site

from byway.core.messages import t
from byway.core.model import Query, Results, Status
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.pages.search import pager, relaxed_query_urls
from byway.web.query_params import QueryParams
from byway.web.server import serve_in_thread

FEWER_WORDS, CHECK_SPELLING = t("web.no_results.fewer_words"), t("web.no_results.check_spelling")


def test_a_hit_shows_title_url_snippet_date_and_type(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="first").text
    assert (
        '<a href="https://example.org/guide/first%20steps?lang=en" rel="noreferrer">First steps</a>'
    ) in page
    where = re.sub(r"<[^>]+>", "", re.findall(r'<p class="where">.*', page)[0])
    assert where == "example.org › guide › first steps › ?lang=en"
    assert "Your <mark>first</mark> steps with &lt;b&gt; &amp; bytes</p>" in page
    assert '<time datetime="2024-05-31">31 May 2024</time>' in page
    assert '<span class="badge">PDF</span>' in page
    assert "2 results in less than 1 ms" in page


def test_only_foreign_languages_are_labelled(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="first").text
    assert '<h2 lang="ru" dir="auto">' in page
    assert '<span class="badge">Russian</span>' in page
    assert '<span class="badge">English' not in page


def test_a_hit_lists_its_signals(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="first").text
    why = page[page.index("<details>") : page.index("</details>")]
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in re.findall("<tr>.*", why)[1:]]
    assert [row[0] for row in rows] == ["bm25", "title_coverage", "freshness"]
    assert rows[1][-5:] == ["the", "title.", "1", "3", "30%"]
    assert rows[2][-3:] == ["−1", "1", "−10%"]
    assert '<rect width="60.0"' in why


def test_page_content_is_escaped(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="hostile").text
    tags = set(re.findall(r"<([a-z]+)", page[page.index("<ol") : page.index("</ol>")]))
    assert not tags & {"script", "img", "i", "u", "s", "b"}
    assert "javascript:" not in " ".join(re.findall(r'href="([^"]*)"', page))
    assert "&lt;script&gt;alert(&#39;title&#39;)&lt;/script&gt;" in page
    assert not re.search(r"<[^>]*\son[a-z]+=", page)
    assert "{{ 7 * 7 }}" in page
    assert 'lang="en&#34;' not in page


def test_direction_overrides_are_removed(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="hostile \u202eevil").text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\ud800-\udfff]", page)
    assert HOSTILE_HIT.title.startswith("<script>") and "gnp.exe" in page


def test_the_query_stays_in_the_search_box_escaped(browser: HttpBrowser) -> None:
    typed = "\"><script>alert(1)</script> 'first' & more"
    page = browser.get("/search", q=typed).text
    assert page.count("<script") == 1
    escaped = "&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt; &#39;first&#39; &amp; more"
    assert f'value="{escaped}"' in page
    assert f"<title>{escaped} – byway</title>" in page


def test_the_pager_links_to_all_pages_but_the_current(browser: HttpBrowser) -> None:
    page = browser.get("/search", q='many "a&b"', page=3, limit=20).text
    start = "/search?q=many+%22a%26b%22"
    below = page.partition('<nav class="pager"')[2].partition("</nav>")[0]
    links = re.findall(r'href="(/search[^"]*)"', below)
    assert {link.replace("&amp;", "&") for link in links} == {
        f"{start}&limit=20",
        *(f"{start}&page={number}&limit=20" for number in (2, 4, 5)),
    }
    assert '<span aria-current="page"><span class="visually-hidden">Page </span>3</span>' in page
    assert '<ol class="hits" start="41">' in page
    assert '<input type="hidden" name="limit" value="20">' in page


def test_the_pager_ends_at_the_last_page_or_the_limit() -> None:
    assert pager(QueryParams("x"), 10) is None
    shown = pager(QueryParams("x", page=9), 87)
    assert shown is not None
    assert [page and page[0] for page in shown.pages] == [1, None, 7, 8, 9]
    assert not shown.next
    deepest = pager(QueryParams("x", page=100), 50_000)
    assert deepest is not None
    assert not deepest.next


def test_a_page_past_the_last_links_to_the_first(browser: HttpBrowser) -> None:
    reply = browser.get("/search", q="first", page=7)
    assert reply.status == 200
    assert "only 2 results" in reply.text
    assert 'href="/search?q=first"' in reply.text


def test_no_results_offers_relaxed_queries(browser: HttpBrowser) -> None:
    page = browser.get("/search", q='no "such thing" site:example.org -here').text
    assert "No results for" in page
    assert 'href="/search?q=no+such+thing+site%3Aexample.org+-here"' in page
    assert 'href="/search?q=no+%22such+thing%22+-here"' in page
    assert 'href="/search?q=no+%22such+thing%22+site%3Aexample.org"' in page
    assert "12 pages were searched" in page
    page = browser.get("/search", q="no intitle:such").text
    assert ">Search whole pages, without intitle:, inurl:</a>" in page


@pytest.mark.parametrize("words", ["misread filetyp:pdf", "misread filetyp:pdf found"])
def test_operator_typos_are_reported(browser: HttpBrowser, words: str) -> None:
    page = browser.get("/search", q=words).text
    assert "after:&lt;b&gt; is not a date and was ignored. Use 2024-05-31, 2024-05 or 2024." in page
    assert "filetyp:pdf is treated as plain words." in page and ">filetype:pdf</a>?" in page
    assert words.replace(" ", "+").replace("filetyp:", "filetype%3A") in page
    assert "не дата" in browser.get("/search", q=words, ui="ru").text
    told = browser.get("/api/v1/search", q=words).json["query_warnings"]
    assert told[1] == {
        "code": "operator_typo",
        "typed": "filetyp:pdf",
        "correction": "filetype:pdf",
        "message": "filetyp:pdf was treated as plain words. Did you mean filetype:pdf?",
    }
    assert browser.get("/api/v1/products", q=words).json["query_warnings"] == told


def test_filters_without_pages_are_reported_with_available_values(
    browser: HttpBrowser,
) -> None:
    page = browser.get("/search", q="absent").text
    said = "in this language: de&lt;b&gt;. Available languages: English, Russian.</p>"
    assert said in page and "this type: csv. Available types: PDF." in page
    assert "is on this site: a.org. Available sites: b.org and others.</p>" in page
    assert "de&lt;b&gt;. Есть языки: " in browser.get("/search", q="absent", ui="ru").text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("unlinked", "No other indexed page links to https://a.org/&lt;b&gt;."),
        ("unknown", "https://a.org/ is unknown, so similar pages cannot be found."),
        ("undated", "No indexed page has a date, so you cannot filter by date."),
        ("otherwise", "No page from the period 2020-01-01 – … matches the rest of the query."),
        (
            "elsewhere",
            "No page in this language (German, French) matches the rest of the query. "
            "Matching pages are in these languages: English.",
        ),
        ("older", "No indexed page is older than 2020."),
        ("newer", "No indexed page is newer than 2024."),
        ("untitled", "No page title contains &lt;b&gt;, but 1,200 pages contain it elsewhere."),
        ("early", "the period … – 1799-12-31. Pages with a date are from 2020–2024."),
    ],
)
def test_a_no_results_reason_replaces_other_advice(
    browser: HttpBrowser, words: str, says: str
) -> None:
    page = browser.get("/search", q=words).text
    assert says in page
    assert FEWER_WORDS not in page and CHECK_SPELLING not in page
    assert FEWER_WORDS in browser.get("/search", q="nowhere").text


def test_a_completion_shows_its_number_of_pages(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="begun").text
    assert 'dir="auto">Begun*</a>? 1,200 pages</p>' in page
    assert "1\u202f200 страниц</p>" in browser.get("/search", q="begun", ui="ru").text
    assert browser.get("/api/v1/search", q="begun").json["did_you_mean_total"] == 1200


def test_a_search_by_filter_alone_has_a_heading_without_query(browser: HttpBrowser) -> None:
    assert "<h1>No results</h1>" in browser.get("/search", lang="klingon").text


def test_split_words_are_reported(
    browser: HttpBrowser,
) -> None:
    page = browser.get("/search", q="apart").text
    said = "“light&lt;b&gt;house”. These results match its parts: light&lt;b&gt;, house."
    assert said in page
    page = browser.get("/search", q="apart", ui="ru").text
    assert "Показаны страницы с его частями: light&lt;b&gt;, house." in page
    assert browser.get("/api/v1/search", q="apart").json["split_words"] == {
        "light<b>house": ["light<b>", "house"]
    }


@pytest.mark.parametrize(("path", "what"), [("/search", "results"), ("/products", "products")])
def test_an_estimated_total_is_marked(browser: HttpBrowser, path: str, what: str) -> None:
    assert f"About 1,234 {what} in " in browser.get(path, q="near").text
    assert "Около 1\u202f234 " in browser.get(path, q="near", ui="ru").text
    assert browser.get("/api/v1/search", q="near").json["total_is_estimate"] is True


def test_a_query_of_exclusions_only_gets_a_hint(browser: HttpBrowser) -> None:
    page = browser.get("/search", q="-word").text
    assert "no word to search for" in page and CHECK_SPELLING not in page
    assert "нет слова для поиска" in browser.get("/search", q="-word", ui="ru").text
    assert "no word to search for" not in browser.get("/search", q="nothing").text


def test_a_relaxed_query_is_not_offered_again() -> None:
    assert relaxed_query_urls(QueryParams("no  such thing")) == {}
    assert relaxed_query_urls(QueryParams("site:example.org")) == {}


def test_no_results_during_a_crawl_shows_its_progress() -> None:
    with served_fake_site(Status(15, 3, 12, True, ())) as browser:
        assert "crawling: 15 pages so far, 3 waiting" in browser.get("/search", q="no").text
    with served_fake_site(Status(0, 0, 0, False, ())) as browser:
        assert "no pages to search yet" in browser.get("/search", q="no").text


def test_an_empty_query_gets_a_hint(browser: HttpBrowser) -> None:
    for target in ("/search", "/search?q=", "/search?q=%20%00"):
        reply = browser.request(target)
        assert reply.status == 200
        assert "What are you looking for?" in reply.text


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("/search?q=" + "a" * 4097, "The query is too long"),
        ("/search?q=" + "%F0%9F%8C%B2" * 4097, "The query is too long"),
        ("/search?q=first&page=1000000000", "No such page"),
        ("/search?q=first&page=101", "Too many results to page through"),
        ("/search?q=first&page=abc", "No such page"),
        ("/search?q=first&page=0", "No such page"),
        ("/search?q=first&page=-1", "No such page"),
        ("/search?q=first&page=" + "9" * 5000, "No such page"),
        ("/search?q=first&limit=101", "Too many results per page"),
        ("/search?q=first&limit=%00", "Too many results per page"),
    ],
)
def test_parameters_out_of_range_get_an_error_page(
    browser: HttpBrowser, target: str, says: str
) -> None:
    reply = browser.request(target)
    assert reply.status == 400
    assert says in reply.text
    assert '<input id="q"' in reply.text


@pytest.mark.parametrize(
    "typed",
    [
        "%ED%A0%80 lone",
        "%00%01",
        "%FF%FE",
        "first%E2%80%AE%E2%81%A6",
        "%",
        "%u0041",
        "first&q=many",
        "(" * 2000,
        '"' * 2000,
        "-" * 2000,
        "site:" * 300,
        "%0D%0ASet-Cookie:%20a=b",
        "first&page=2&page=1&limit=&page=",
    ],
)
@pytest.mark.parametrize("path", ["/search", "/api/v1/search"])
def test_odd_characters_are_accepted(browser: HttpBrowser, path: str, typed: str) -> None:
    reply = browser.request(f"{path}?q={typed}".replace(" ", "%20"))
    assert reply.status in (200, 400, 422)
    assert "Set-Cookie" not in reply.headers
    assert reply.text


def test_a_rejected_query_shows_its_error(browser: HttpBrowser) -> None:
    reply = browser.get("/search", q="refused")
    assert reply.status == 400
    assert "too many &lt;words&gt;; use fewer" in reply.text
    assert 'value="refused"' in reply.text


def test_the_query_has_the_text_and_the_offset() -> None:
    asked: list[Query] = []

    def search(query: Query) -> Results:
        asked.append(query)
        return Results(query, (), 0)

    app = make_app(search, lambda: READY_STATUS, ServeSettings())
    with serve_in_thread(app, "127.0.0.1", 0) as url:
        HttpBrowser(url).get("/search", q=' "Ёлки" и C++ ', page=3, limit=20)
    assert asked == [Query('"Ёлки" и C++', max_hits=20, offset=40, count_facets=True)]


def test_a_result_page_is_smaller_than_60_kilobytes(browser: HttpBrowser) -> None:
    reply = browser.get("/search", q="many")
    assert reply.text.count('<li class="hit">') == 10
    assert PLAIN_HIT.signals
    assert len(reply.body) < 60_000


def test_no_results_on_a_site_suggests_crawling_it(browser: HttpBrowser) -> None:
    for target in ("/search?q=nothing+site:b.example", "/search?q=nothing&site=b.example"):
        assert t("web.no_results.ask_admin", site="b.example") in browser.request(target).text
