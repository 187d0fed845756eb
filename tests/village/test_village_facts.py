"""facts.toml agrees with the village: every fact is checked on a walk through all sites."""

import io
import json
import math
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from pypdf import PdfReader
from village.walker import HttpResponse, RobotsRules, SiteWalk, fetch, parse_page

from byway.core.text import terms
from byway.village import SiteFacts, Village, VillageFacts


def each(facts: VillageFacts) -> Iterator[tuple[str, SiteFacts]]:
    yield from facts.sites.items()


def text_of(page: HttpResponse) -> tuple[str, str]:
    """Title and text, whatever it is written in."""
    if page.media_type == "application/pdf":
        pdf = PdfReader(io.BytesIO(page.body))
        title = pdf.metadata.title if pdf.metadata else None
        return title or "", "\n".join(part.extract_text() for part in pdf.pages)
    if page.media_type == "text/plain":
        return page.text.partition("\n")[0], page.text
    reading = parse_page(page)
    return reading.title, " ".join(reading.text_parts)


def test_every_site_has_its_facts(village: Village, facts: VillageFacts) -> None:
    assert list(facts.sites) == village.site_names


def test_what_is_kept_is_exactly_what_a_polite_walk_can_read(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    for name, site in each(facts):
        found = {
            unquote(url.removeprefix(village.url(name, "")))
            for url, page in site_walk.pages.items()
            if url.startswith(village.url(name)) and page.status == 200 and "?" not in url
        }
        known = {*site.kept, *site.noindex, *site.unwanted}
        assert {path for path in found if not path.startswith(site.endless or "\0")} == known


def test_forbidden_pages_exist_and_are_linked_and_robots_txt_closes_them(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    for name, site in each(facts):
        rules = RobotsRules(fetch(village.url(name, "/robots.txt")).text)
        assert site.forbidden
        for path in site.forbidden:
            url = village.url(name, path)
            assert fetch(url).status == 200, url
            assert url in site_walk.inlinks, url
            assert not rules.allows(url), url
        for path in (*site.kept, *site.noindex):
            assert rules.allows(village.url(name, path)), path


def test_everything_the_walk_found_closed_is_forbidden_for_a_listed_reason(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    for name, site in each(facts):
        closed = {url for url in site_walk.disallowed_urls if url.startswith(village.url(name))}
        plain = {unquote(urlsplit(url).path) for url in closed if "?" not in url}
        assert plain == {path for path in site.forbidden if "?" not in path}


def test_robots_files_have_groups_for_others_and_one_asks_for_a_pause(village: Village) -> None:
    library = fetch(village.url("library", "/robots.txt")).text
    welcome = village.url("library", "/welcome-byway.html")
    assert RobotsRules(library).allows(welcome)
    assert not RobotsRules(library, agent="otherbot").allows(welcome)
    assert not RobotsRules(fetch(village.url("news", "/robots.txt")).text, "badbot").allows("/")
    assert "Crawl-delay: 0.1" in fetch(village.url("manual", "/robots.txt")).text


def test_broken_links_lead_nowhere_and_stand_where_they_are_said_to(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    for name, site in each(facts):
        missing = {
            (url, page.status)
            for url, page in site_walk.pages.items()
            if url.startswith(village.url(name)) and 400 <= page.status < 500
        }
        planted = {(village.url(name, broken.path), broken.status) for broken in site.broken}
        assert missing == planted
        for broken in site.broken:
            url = village.url(name, broken.by or broken.path)
            assert village.url(name, broken.on) in site_walk.inlinks[url]
            if broken.by:
                assert site_walk.pages[url].location == village.url(name, broken.path)


def test_every_other_link_and_resource_resolves(village: Village, site_walk: SiteWalk) -> None:
    for url, page in site_walk.pages.items():
        assert page.status in (200, 301, 302, 404, 410, 500, 503), url
    hosts = {village.authority(name) for name in village.site_names}
    resources = {item for reading in site_walk.parsed_pages.values() for item in reading.resources}
    for url in sorted(resources):
        assert urlsplit(url).netloc in hosts, url
        assert fetch(url).status == 200, url
    assert {urlsplit(url).netloc for url in site_walk.inlinks} <= hosts


def test_every_fragment_leads_to_something(site_walk: SiteWalk) -> None:
    for reading in site_walk.parsed_pages.values():
        for link in reading.links:
            target, fragment = urldefrag(link.url)
            if fragment and target in site_walk.parsed_pages:
                assert unquote(fragment) in site_walk.parsed_pages[target].ids, link.url


def test_redirects_lead_where_they_are_said_to(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    for name, site in each(facts):
        for redirect in site.redirects:
            page = site_walk.pages[village.url(name, redirect.path)]
            to = redirect.to.replace("{encyclopaedia}", village.authority("encyclopaedia"))
            wanted = to if to.startswith("http") else village.url(name, to)
            assert (page.status, page.location) == (redirect.status, wanted)
        moved = {
            url
            for url, page in site_walk.pages.items()
            if url.startswith(village.url(name)) and page.status in (301, 302)
        }
        listed = [*site.loops, *(redirect.path for redirect in site.redirects)]
        assert moved == {village.url(name, path) for path in listed}


def test_one_chain_takes_three_steps(village: Village) -> None:
    url, steps = village.url("manual", "/history"), 0
    while (page := fetch(url)).status in (301, 302):
        url, steps = page.location, steps + 1
    assert (url, steps) == (village.url("manual", "/changelog.html"), 3)


def test_loops_come_back_to_where_they_began(village: Village, facts: VillageFacts) -> None:
    for name, site in each(facts):
        for path in site.loops:
            url = village.url(name, path)
            for _ in site.loops:
                url = fetch(url).location
            assert url == village.url(name, path)


def test_failing_pages_fail_and_are_linked(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    for name, site in each(facts):
        for failing in site.failing:
            url = village.url(name, failing.path)
            assert site_walk.pages[url].status == failing.status
            assert url in site_walk.inlinks


def test_duplicates_say_the_same_word_for_word(village: Village, facts: VillageFacts) -> None:
    for name, site in each(facts):
        for group in site.duplicates:
            assert len({fetch(village.url(name, path)).body for path in group}) == 1
            assert len(group) > 1


def test_only_the_listed_pages_ask_not_to_be_found(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    asking = {
        url for url, reading in site_walk.parsed_pages.items() if "noindex" in reading.robots_meta
    }
    listed = {village.url(name, path) for name, site in each(facts) for path in site.noindex}
    assert asking == listed


def test_nofollow_pages_exist_but_no_other_link_leads_there(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    only = {
        url
        for url in site_walk.inlinks.keys() - site_walk.followed_urls
        if "/cart.html?" not in url
    }
    listed = {village.url(name, path) for name, site in each(facts) for path in site.nofollow}
    assert only == listed
    assert all(fetch(url).status == 200 for url in only)


def test_unwanted_files_are_linked_and_of_other_kinds(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    readable = ("text/html", "text/plain", "application/pdf")
    others = {
        url
        for url, page in site_walk.pages.items()
        if page.status == 200 and page.media_type not in readable
    }
    listed = {village.url(name, path) for name, site in each(facts) for path in site.unwanted}
    assert others == listed


def test_sitemaps_list_pages_that_nothing_links_to(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    unlinked = site_walk.sitemap_urls - site_walk.inlinks.keys()
    listed = {village.url(name, path) for name, site in each(facts) for path in site.sitemap_only}
    assert unlinked == listed
    assert all(site_walk.pages[url].status == 200 for url in site_walk.sitemap_urls)


def test_pages_that_multiply_name_the_one_they_stand_for(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    many = Counter(url.partition("?")[0] for url in site_walk.pages if "?" in url)
    listed = {village.url(name, path) for name, site in each(facts) for path in site.multiplied}
    assert many.keys() == listed
    assert min(many.values()) >= 5
    for url in listed:
        assert f'rel="canonical" href="{url}"' in site_walk.pages[url].text


def test_endless_paths_are_linked_and_go_on(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> None:
    for name, site in each(facts):
        for path in site.endless:
            start = village.url(name, path)
            ways = [url for url in site_walk.inlinks if url.startswith(start)]
            assert ways
            onward = {link.url for link in parse_page(fetch(max(ways, key=len))).links}
            assert any(url.startswith(start) and url not in ways for url in onward)


def test_articles_are_marked_up_as_encyclopaedias_do(village: Village, site_walk: SiteWalk) -> None:
    articles = [
        page.text
        for url, page in site_walk.pages.items()
        if url.startswith(village.url("encyclopaedia")) and b'id="catlinks"' in page.body
    ]
    assert len(articles) >= 25
    for text in articles:
        for mark in (
            'id="firstHeading"',
            'id="mw-content-text"><div class="mw-parser-output">',
            'id="mw-normal-catlinks"',
            'class="mw-editsection"',
            'sup class="reference"',
        ):
            assert mark in text


def test_pdfs_have_titles_and_pages_of_text(site_walk: SiteWalk) -> None:
    papers = [page for page in site_walk.pages.values() if page.media_type == "application/pdf"]
    assert len(papers) == 2
    for page in papers:
        pdf = PdfReader(io.BytesIO(page.body))
        assert pdf.metadata and pdf.metadata.title
        assert len(pdf.pages) >= 3
        assert all(len(part.extract_text()) > 80 for part in pdf.pages)


def test_structured_data_of_products_can_be_read(site_walk: SiteWalk) -> None:
    products = [
        json.loads(text) for reading in site_walk.parsed_pages.values() for text in reading.json_ld
    ]
    assert len(products) >= 6
    for product in products:
        assert product["@type"] == "Product"
        assert float(product["offers"]["price"]) > 0
        assert product["offers"]["priceCurrency"] in ("RUB", "EUR")
        assert product["name"] and product["brand"]["name"] and product["size"]
    marked = [page for page in site_walk.pages.values() if b'itemprop="price"' in page.body]
    assert len(marked) >= 6


@pytest.fixture(scope="module")
def library(
    village: Village, facts: VillageFacts, site_walk: SiteWalk
) -> dict[str, tuple[str, str]]:
    """Title and text of every page that may be found, filtered shelves included, by URL."""
    left_out = {
        village.url(name, path)
        for name, site in each(facts)
        for path in (*site.noindex, *site.unwanted)
    }
    return {
        url: text_of(page)
        for url, page in site_walk.pages.items()
        if page.status == 200 and url not in left_out
    }


def test_the_village_is_large_and_speaks_two_languages(facts: VillageFacts) -> None:
    assert sum(len(site.kept) for site in facts.sites.values()) > 150
    assert len(facts.queries) >= 30
    assert sum(not wanted.query.isascii() for wanted in facts.queries) >= 10


def test_the_pages_that_must_come_first_do_so_by_their_words_alone(
    village: Village, facts: VillageFacts, library: dict[str, tuple[str, str]]
) -> None:
    """A plain ranking finds them, so that no good ranking has an excuse."""
    titles = {url: Counter(terms(title)) for url, (title, _) in library.items()}
    texts = {url: Counter(terms(text)) for url, (_, text) in library.items()}
    spread = Counter(term for words in texts.values() for term in words)

    def score(url: str, asked: list[str]) -> float:
        weights = ((term, math.log(1 + len(texts) / (1 + spread[term]))) for term in asked)
        length = math.sqrt(sum(titles[url].values()) or 1)
        return sum(
            weight
            * (bool(titles[url][term]) * 3 / length + texts[url][term] / (texts[url][term] + 2))
            for term, weight in weights
        )

    lost = []
    for wanted in facts.queries:
        asked = terms(wanted.query)
        ranked = sorted(texts, key=lambda url: -score(url, asked))
        first = [village.url(name, path) for name, path in wanted.expected_pages]
        if ranked[: len(first)] != first:
            lost.append((wanted.query, [unquote(url) for url in ranked[:3]]))
    assert lost == []
