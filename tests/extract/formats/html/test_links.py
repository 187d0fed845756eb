"""Outgoing links of a page."""

from dataclasses import replace

from extract.page_factory import MAX_BYTES, SETTINGS, extract_page, page

from byway.core.model import Link
from byway.extract.dispatch import extract


def links(body: str, **about: str) -> list[tuple[str, str, bool]]:
    return [(link.target, link.anchor, link.nofollow) for link in extract_page(body, **about).links]


def test_links_are_absolute_and_have_anchor_text() -> None:
    assert links("<a href='../b?x=1#top'> two\n words </a>") == [
        ("https://example.org/b?x=1", "two words", False)
    ]
    assert isinstance(extract_page("<a href=/b>b</a>").links[0], Link)


def test_a_target_is_listed_once_with_its_first_anchor_text() -> None:
    body = "<a href=/b></a><a href=/b#x>first</a><a href=https://example.org/b>second</a>"
    assert links(body) == [("https://example.org/b", "first", False)]


def test_a_link_is_nofollow_only_if_all_are() -> None:
    one = "<a rel='external nofollow' href=/b>b</a>"
    assert links(one) == [("https://example.org/b", "b", True)]
    assert links(one + "<a href=/b>again</a>") == [("https://example.org/b", "b", False)]


def test_links_to_the_page_itself_and_to_other_schemes_are_dropped() -> None:
    body = """<a href="">x</a><a href="#top">x</a><a href="/a/page#part">x</a>
    <a href="mailto:a@example.org">x</a><a href="javascript:void(0)">x</a><a href="http://[">x</a>"""
    assert links(body) == []


def test_alt_text_is_the_anchor_text_of_image_links() -> None:
    assert links("<a href=/b><img src=i.png alt='The  shop'></a>")[0][1] == "The shop"
    assert links("<a href=/b aria-label=Close></a>")[0][1] == "Close"


def test_the_base_element_is_used_if_it_is_valid() -> None:
    assert links("<base href=/root/><a href=b>b</a>")[0][0] == "https://example.org/root/b"
    assert links("<base href='javascript:1'><a href=b>b</a>")[0][0] == "https://example.org/a/b"


def test_frames_areas_and_redirects_are_links() -> None:
    body = """<link rel=next href=/2><link rel=alternate hreflang=de href=/de>
    <link rel=alternate type="application/rss+xml" href=/feed><link rel=stylesheet href=/s.css>
    <map><area href=/map alt="On the map"></map><iframe src=/frame></iframe>
    <meta http-equiv=refresh content="5; url=/moved">"""
    assert links(body) == [
        ("https://example.org/map", "On the map", False),
        ("https://example.org/frame", "", False),
        ("https://example.org/2", "", False),
        ("https://example.org/de", "", False),
        ("https://example.org/moved", "", False),
    ]


def test_links_are_limited_to_max_links() -> None:
    body = "".join(f"<a href=/{number}>x</a>" for number in range(50))
    few = extract(page(body), replace(SETTINGS, max_links=10), MAX_BYTES)
    assert len(few.links) == 10


def test_links_in_boilerplate_are_followed() -> None:
    extracted = extract_page("<nav><a href=/menu>Menu</a></nav><p>words")
    assert [link.target for link in extracted.links] == ["https://example.org/menu"]
    assert extracted.document is not None
    assert extracted.document.link_text == ()


def test_the_canonical_url_is_a_link() -> None:
    head = "<head><link rel=canonical href={}></head>"
    assert links(head.format("/b")) == [("https://example.org/b", "", False)]
    assert links(head.format("https://www.example.org/b")) == [
        ("https://www.example.org/b", "", False)
    ]
    assert links(head.format("/b") + "<a href=/b>words</a>") == [
        ("https://example.org/b", "words", False)
    ]


def test_a_canonical_url_of_another_site_is_no_link() -> None:
    for href in ("/a/page", "https://example.com/b", "mailto:a@example.org", ""):
        assert links(f"<head><link rel=canonical href='{href}'></head>") == []
