"""Canonical URL, dates and authors of a page."""

import pytest
from extract.page_factory import FETCHED_AT, document

from byway.extract.dates import plausible_date


def test_a_canonical_url_is_absolute_and_unique() -> None:
    link = "<link rel=canonical href=/real>"
    assert document(f"<head>{link}{link}</head>").canonical == "https://example.org/real"
    assert document(f"<head>{link}<link rel=canonical href=/other></head>").canonical == ""
    assert document(f"<body><p>{link}").canonical == ""
    header = '</a>; rel="next", <https://example.org/real>; rel="canonical"'
    assert document("<p>x", Link=header).canonical == "https://example.org/real"


def test_dates_are_found_in_meta_data_and_time_elements() -> None:
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
def test_invalid_dates_are_ignored(text: str) -> None:
    assert plausible_date(text, FETCHED_AT) == ""


@pytest.mark.parametrize(
    "body",
    [
        "<meta name=author content='Ada Lovelace'>",
        "<meta name=DC.creator content='Ada Lovelace'>",
        "<meta property=article:author content=https://a.org/ada><a rel=author>Ada Lovelace</a>",
        "<p class=byline>By Ada Lovelace, March 3, 2024</p>",
        "<div class=entry-byline>Written by <b>Ada Lovelace</b></div>",
        '<script type=application/ld+json>{"@type":"Article","author":"Ada Lovelace"}</script>',
        '<script type=application/ld+json>{"@graph":[{"@type":"Article","author":{"@id":"#a"}},'
        '{"@type":"Person","@id":"#a","name":"Ada Lovelace"}]}</script>',
        "<div itemscope itemtype=https://schema.org/BlogPosting><p itemprop=author itemscope>"
        "<b itemprop=name>Ada Lovelace</b></p></div>",
    ],
)
def test_the_author_is_found_in_meta_data_and_bylines(body: str) -> None:
    assert document(f"{body}<p>x").author == "Ada Lovelace"


def test_authors_are_separated_by_commas_without_reviewers() -> None:
    def described(text: str) -> str:
        return document(f"<script type=application/ld+json>{text}</script><p>x").author

    assert described('{"@type":"Article","author":["Ada",{"name":"Grace"}]}') == "Ada, Grace"
    assert described('{"@type":"Review","author":"Ada"}') == ""
    assert document(f"<p class=byline>{'word ' * 100}</p>").author == ""
