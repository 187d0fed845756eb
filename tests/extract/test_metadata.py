import pytest
from extract.making import NOVEMBER, document, read

from byway.extract.metadata import day_of
from byway.model import Page, Url


@pytest.mark.parametrize(
    ("content", "keep", "follow"),
    [
        ("index, follow", True, True),
        ("NOINDEX", False, True),
        ("noarchive, nofollow", True, False),
        ("none", False, False),
    ],
)
def test_the_robots_meta_is_obeyed(content: str, keep: bool, follow: bool) -> None:
    for name in ("robots", "Byway"):
        extracted = read(f'<meta name={name} content="{content}"><p>x')
        assert (extracted.keep, extracted.follow) == (keep, follow)


def test_what_is_said_to_other_robots_is_not_for_us() -> None:
    assert read("<meta name=googlebot content=noindex>").keep
    assert read("<p>x", X_Robots_Tag="googlebot: noindex, nofollow").keep


@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
def test_the_robots_header_is_obeyed_for_every_kind(kind: str) -> None:
    assert not read("x", content_type=kind, X_Robots_Tag="noindex").keep
    assert not read("x", content_type=kind, X_Robots_Tag="byway: nofollow").follow
    late = "unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex"
    assert not read("x", content_type=kind, X_Robots_Tag=late).keep


def test_several_robots_headers_add_up() -> None:
    from byway.extract.metadata import permitted_by_headers

    headers = (("X-Robots-Tag", "nofollow"), ("x-robots-tag", "byway: noindex"))
    found = permitted_by_headers(Page(Url("https://example.org/"), 0, 200, headers, b""))
    assert (found.keep, found.follow) == (False, False)


def test_a_canonical_url_is_absolute_and_unique() -> None:
    link = "<link rel=canonical href=/real>"
    assert document(f"<head>{link}{link}</head>").canonical == "https://example.org/real"
    assert document(f"<head>{link}<link rel=canonical href=/other></head>").canonical == ""
    assert document(f"<body><p>{link}").canonical == ""
    header = '</a>; rel="next", <https://example.org/real>; rel="canonical"'
    assert document("<p>x", Link=header).canonical == "https://example.org/real"


def test_dates_are_found_where_pages_keep_them() -> None:
    meta = '<meta property="article:published_time" content="2024-05-31T23:00:00+02:00">'
    assert document(meta).published == "2024-05-31"
    assert document("<time datetime=2023-01-02>2 January").published == "2023-01-02"
    both = "<time datetime=2023-01-02>x</time><time itemprop=datePublished datetime=2022-01-01>y"
    assert document(both).published == "2022-01-01"
    changed = document("<p>x", Last_Modified="Tue, 15 Nov 2022 12:45:26 GMT")
    assert (changed.published, changed.modified) == ("", "2022-11-15")


@pytest.mark.parametrize(
    "text", ["", "soon", "2024-13-45", "0001-01-01", "9999-12-31", "Mon, 99 Foo", "2" * 300]
)
def test_what_is_no_day_is_left_out(text: str) -> None:
    assert day_of(text, NOVEMBER) == ""
