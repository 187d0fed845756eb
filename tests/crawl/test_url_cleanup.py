import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byway.core.errors import UrlError
from byway.core.model import Url
from byway.core.url import host_of, normalize
from byway.crawl.url_cleanup import UrlCleaner, default_url_cleaner, looks_random

OURS = default_url_cleaner()
HEX = "1F0A3C5D7E9B28461F0A3C5D7E9B2846"


def spelt(rest: str) -> str:
    """What becomes of http://a.org{rest}, without the host."""
    return OURS.clean(normalize(f"http://a.org{rest}")).removeprefix("http://a.org")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("/a?utm_source=mail&utm_medium=x", "/a"),
        ("/a?id=7&UTM_Source=mail&x=1", "/a?id=7&x=1"),
        ("/a?gclid=E&b=2&fbclid=F&a=1&yclid=9&_openstat=d", "/a?b=2&a=1"),
        ("/a?amp;utm_source=mail", "/a"),
        ("/a?utm_source", "/a"),
        ("/?", "/"),
    ],
)
def test_tracking_is_left_out_whatever_it_says(written: str, meant: str) -> None:
    assert spelt(written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (f"/a?PHPSESSID={HEX}&b=1", "/a?b=1"),
        (f"/a?b=1&sid={HEX.lower()}", "/a?b=1"),
        (f"/forum/topic?t=5&s={HEX}", "/forum/topic?t=5"),
        (f"/a;jsessionid={HEX}", "/a"),
        (f"/a;jsessionid={HEX}.node1;v=2/b?c=3", "/a;v=2/b?c=3"),
        (f"/;jsessionid={HEX}", "/"),
        ("/(S(lit3py55t21z5v55vlm25s55))/page.aspx?id=1", "/page.aspx?id=1"),
        ("/app/(A(x)S(lit3py55t21z5v55vlm25s55)F(y))/page.aspx", "/app/page.aspx"),
        ("/(S(lit3py55t21z5v55vlm25s55))", "/"),
        (f"/a/b/..;jsessionid={HEX}/c", "/a/c"),
    ],
)
def test_sessions_are_left_out_of_query_and_path(written: str, meant: str) -> None:
    assert spelt(written) == meant


@pytest.mark.parametrize(
    "rest",
    [
        "/a?b=2&a=1&&c=%C3%A9&d",
        "/a?sid=7",
        "/a?sid=1234567890123456789",
        "/a?sid=introduction-to-search-engines",
        "/a?session=annual-meeting-2024-05-31",
        "/a?session=",
        "/a?id=" + HEX,
        "/a;v=1/b;sid=7",
        "/wiki/PageRank_(S(x))",
        "/wiki/S(3)_group",
        "/a?utmost=1&gclids=2&not_utm_source=3",
        "/a?q=utm_source=mail",
    ],
)
def test_what_may_say_something_stays_as_it_is(rest: str) -> None:
    assert spelt(rest) == rest


def test_a_url_without_anything_to_leave_out_is_not_even_copied() -> None:
    url = normalize("https://example.org/a/long/path.html")
    assert OURS.clean(url) is url


def test_lists_of_ones_own_take_the_place_of_ours() -> None:
    own = UrlCleaner(tracking_parameters=("ref", "x*y"), session_parameters=("visit",))
    url = Url(f"http://a.org/?ref=1&xy=2&xzzy=3&xyz=4&utm_source=5&visit={HEX}&visit=6")
    assert own.clean(url) == "http://a.org/?xyz=4&utm_source=5&visit=6"
    assert UrlCleaner().clean(url) == url
    assert own == UrlCleaner(("ref", "x*y"), ("visit",))


@pytest.mark.parametrize(
    "text",
    [
        "deadbeefdeadbeef",
        "0123456789abcdef",
        "c1a7b2e0-5f1d-4b8e-9c3a-0d9e8f7a6b5c",
        "k3v9q0r1l2m8n7o6p5",
        "dGhpcyBpcyBhIHNl3c5Npb24gaWQ=",
        "ABC123DEF456!-1234567890!987",
    ],
)
def test_what_was_made_by_chance_looks_random(text: str) -> None:
    assert looks_random(text)


@pytest.mark.parametrize(
    "text",
    ["", "7", "abc123", "python3-and-sqlite3-tutorial", "1234567890123456789", "Übergrößenträger"],
)
def test_what_people_write_does_not(text: str) -> None:
    assert not looks_random(text)


NAMES = st.sampled_from(
    ["utm_source", "gclid", "sid", "phpsessid", "JSESSIONID", "page", "q", "utm_", "", "s", "a;b"]
)
VALUES = st.sampled_from(["", "1", HEX, HEX.lower(), "k3v9q0r1l2m8n7o6p5", "a=b", "%C3%A9", "?"])
PARAMETERS = st.builds(
    lambda name, equals, value: name + equals + value, NAMES, st.just("="), VALUES
)
SEGMENTS = st.one_of(
    st.sampled_from(["a", "b.html", "", ".", "..", "%2e", "(S(lit3py55t21z5v55vlm25s55))", "S("]),
    st.builds(
        lambda segment, one: f"{segment};{one}", st.sampled_from(["a", "..", ""]), PARAMETERS
    ),
)
HOSTS = st.sampled_from(
    ["a.org", "a.org:8080", "127.0.0.1", "[::1]", "a;sid=" + HEX.lower() + ".org"]
)


@st.composite
def urls(draw: st.DrawFn) -> Url:
    """URLs with sessions and tracking in every place they may be in."""
    path = "/".join(draw(st.lists(SEGMENTS, max_size=5)))
    query = "&".join(draw(st.lists(PARAMETERS, max_size=5)))
    mark = draw(st.sampled_from(["", "?"]))
    try:
        return normalize(f"http://{draw(HOSTS)}/{path}{mark}{query if mark else ''}")
    except UrlError:
        return Url("http://a.org/")


@given(urls())
def test_spelling_it_twice_changes_nothing_more(url: Url) -> None:
    once = OURS.clean(url)
    assert OURS.clean(once) == once
    assert normalize(once) == once


@given(urls())
def test_the_host_stays_and_nothing_is_added_or_moved(url: Url) -> None:
    once = OURS.clean(url)
    assert host_of(once) == host_of(url)
    left = iter(re.split("[?&]", url))
    assert all(part in left for part in re.split("[?&]", once)[1:])
