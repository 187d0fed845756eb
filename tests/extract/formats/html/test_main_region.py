"""Main content detection and boilerplate removal."""

import pytest
from extract.page_factory import document
from vectors import vector_path

PROSE = "A sentence that is long enough to be prose, and that says something about the matter. "
STORY = "".join(f"<p>{PROSE}{number}</p>" for number in range(8))
LINKS = "".join(
    f"<li><a href=/{number}>Another story, number {number}</a></li>" for number in range(6)
)


def text(body: str, title: str = "") -> str:
    return document(f"<title>{title}</title><body>{body}").text


def test_link_lists_beside_the_article_are_removed() -> None:
    body = f"<div><div><ul>{LINKS}</ul></div><div><div>{STORY}</div></div><div>{LINKS}</div></div>"
    assert "Another story" not in text(body)
    assert text(body).count("long enough") == 8


def test_the_title_above_the_article_stays() -> None:
    body = f"<div><h1>The matter</h1><p>By Ann</p><div>{STORY}</div></div><div>{LINKS}</div>"
    found = text(body, "The matter - A site")
    assert found.startswith("The matter\nBy Ann\nA sentence")
    assert "Another story" not in found


def test_a_page_of_links_keeps_its_links() -> None:
    assert text(f"<h1>Index</h1><p>All of them.</p><ul>{LINKS}</ul>").count("Another story") == 6


def test_a_second_block_with_prose_stays() -> None:
    more = f"<p>Moreover. {PROSE}</p>" * 3
    body = f"<div>{LINKS}</div><div><div>{STORY}</div><div>{more}</div></div>"
    assert text(body).count("Moreover") == 3


def test_code_beside_prose_stays() -> None:
    body = f"<div>{LINKS}</div><div><div>{STORY}</div><div><pre>x = <b>1</b></pre></div></div>"
    assert "x = 1" in text(body)


NAME = "A story that another page of this site tells"
TEASERS = "".join(f"<h3><a href=/{n}>{NAME}</a></h3><p>Told elsewhere. {PROSE}</p>" for n in "abc")


def test_teasers_of_other_pages_are_removed() -> None:
    body = f"<div><h1>The matter</h1><div>{STORY}</div><div>{TEASERS}</div></div>"
    assert "Told elsewhere" not in text(body, "The matter")
    assert text(body, "The matter").count("long enough") == 8


def test_a_page_of_teasers_keeps_them() -> None:
    body = f"<div><h1>News</h1><div>{TEASERS}</div><div>{TEASERS}</div></div>"
    assert text(body, "News").count("Told elsewhere") == 6


def test_sections_with_self_links_in_their_headings_stay() -> None:
    parts = TEASERS.replace("href=/", "href=page#")
    body = f"<div><h1>The matter</h1><div>{STORY}</div><div>{parts}</div></div>"
    assert text(body, "The matter").count("Told elsewhere") == 3


def test_white_space_does_not_count_as_prose() -> None:
    wide = LINKS.replace("</li>", "</li>" + " \n" * 200)
    body = f"<div><div>{wide}</div><div><h1>The matter</h1><div>{STORY}</div></div></div>"
    assert "Another story" not in text(body, "The matter")


@pytest.mark.parametrize(
    "boilerplate",
    [
        "<div class=social-share>Tweet this</div>",
        "<ul class='article__relatedLinks'><li>Tweet this</ul>",
        "<div id=taboola-below>Tweet this</div>",
        "<section class='box comments'>Tweet this</section>",
        "<div class=topAd>Tweet this</div>",
        "<div class=post-author-box>Tweet this</div>",
        "<div id=read-next>Tweet this</div>",
        "<ol class=breadcrumb><li>Tweet this</ol>",
    ],
)
def test_boilerplate_is_recognized_by_class_and_id(boilerplate: str) -> None:
    assert "Tweet" not in text(f"{STORY}{boilerplate}")


@pytest.mark.parametrize(
    "content",
    [
        "<section id=related-work><h2>Related work</h2><p>Read this</section>",
        "<div class=section id=comments><h2>Comments</h2>Read this</div>",
        "<div class=deprecation-comment>Read this</div>",
        "<pre><span class=comment># Read this</span></pre>",
        "<div class=adapter>Read this</div>",
        "<div class=shared-header><h1>Read this</h1></div>",
        "<div class=header><h2>Read this</h2></div>",
    ],
)
def test_content_with_a_similar_class_or_id_stays(content: str) -> None:
    assert "Read this" in text(f"{STORY}{content}")


def test_a_page_of_comments_keeps_them() -> None:
    posts = "".join(f"<div class=comment><p>{PROSE}{number}</p></div>" for number in range(9))
    assert text(f"<h1>A question</h1><div class=comments>{posts}</div>").count("long enough") == 9


def test_headings_come_in_the_order_of_the_page() -> None:
    found = document("<h2>one</h2><h1>two</h1><h3>three</h3><h2>four</h2>").headings
    assert [heading.text for heading in found] == ["one", "two", "three", "four"]


def test_real_articles_keep_their_words() -> None:
    pages = vector_path("extraction/readability/test/test-pages")
    for name in ("bbc-1", "guardian-1", "nytimes-1"):
        found = set(document((pages / name / "source.html").read_bytes()).text.split())
        expected = set(document((pages / name / "expected.html").read_bytes()).text.split())
        assert len(expected - found) < 0.02 * len(expected), name
