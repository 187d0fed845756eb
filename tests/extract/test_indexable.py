"""Whether a page may be indexed: robots meta elements and X-Robots-Tag headers."""

import pytest
from extract.page_factory import extract_page, page

from byway.core.model import Page, Url
from byway.extract.indexable import (
    RobotsPermission,
    robots_header_permission,
    robots_meta_permission,
)


@pytest.mark.parametrize(
    ("header", "may_index", "follow_links"),
    [
        ("noindex", False, True),
        ("nofollow", True, False),
        ("none", False, False),
        ("NoIndex, nofollow", False, False),
        ("byway: noindex", False, True),
        ("otherbot: noindex", True, True),
        ("unavailable_after: 25 Jun 2010, noindex", False, True),
        ("max-snippet: 20", True, True),
    ],
)
def test_x_robots_tag(header: str, may_index: bool, follow_links: bool) -> None:
    found = robots_header_permission(page("", X_Robots_Tag=header))
    assert found == RobotsPermission(may_index, follow_links)


def test_several_headers_and_meta_elements_add_up() -> None:
    headers = (("X-Robots-Tag", "noindex"), ("x-robots-tag", "nofollow"))
    both = RobotsPermission(may_index=False, follow_links=False)
    assert robots_header_permission(Page(Url("http://a.example/"), 0, 200, headers, b"")) == both
    meta = [("robots", "noindex"), (" Byway ", "nofollow"), ("otherbot", "none")]
    assert robots_meta_permission(meta) == both


@pytest.mark.parametrize("content_type", ["text/html", "text/plain", "text/markdown"])
def test_headers_count_for_every_format(content_type: str) -> None:
    extracted = extract_page("words", content_type=content_type, X_Robots_Tag="noindex")
    assert (extracted.may_index, extracted.follow_links) == (False, True)


def test_meta_elements_and_headers_are_combined() -> None:
    extracted = extract_page("<meta name=robots content=noindex>", X_Robots_Tag="nofollow")
    assert (extracted.may_index, extracted.follow_links) == (False, False)


@pytest.mark.parametrize(
    ("content", "may_index", "follow_links"),
    [
        ("index, follow", True, True),
        ("NOINDEX", False, True),
        ("noarchive, nofollow", True, False),
        ("none", False, False),
    ],
)
def test_the_robots_meta_element_is_obeyed(
    content: str, may_index: bool, follow_links: bool
) -> None:
    for name in ("robots", "Byway"):
        extracted = extract_page(f'<meta name={name} content="{content}"><p>x')
        assert (extracted.may_index, extracted.follow_links) == (may_index, follow_links)


def test_directives_for_other_robots_are_ignored() -> None:
    assert extract_page("<meta name=googlebot content=noindex>").may_index
    assert extract_page("<p>x", X_Robots_Tag="googlebot: noindex, nofollow").may_index


@pytest.mark.parametrize("content_type", ["text/html", "text/plain"])
def test_the_robots_header_is_obeyed_for_every_format(content_type: str) -> None:
    assert not extract_page("x", content_type=content_type, X_Robots_Tag="noindex").may_index
    assert not extract_page(
        "x", content_type=content_type, X_Robots_Tag="byway: nofollow"
    ).follow_links
    valued = "unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex"
    assert not extract_page("x", content_type=content_type, X_Robots_Tag=valued).may_index


def test_several_robots_headers_add_up() -> None:
    headers = (("X-Robots-Tag", "nofollow"), ("x-robots-tag", "byway: noindex"))
    found = robots_header_permission(Page(Url("https://example.org/"), 0, 200, headers, b""))
    assert (found.may_index, found.follow_links) == (False, False)
