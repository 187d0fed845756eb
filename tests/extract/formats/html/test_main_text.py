"""Main text of a page."""

from extract.page_factory import document


def text(body: str) -> str:
    return document(body).text


def test_paragraphs_items_and_rows_are_lines() -> None:
    assert text("<p>one<p>two<br>three") == "one\ntwo\nthree"
    assert text("<ul><li>a<ul><li>b</ul><li>c</ul><ol><li>d</ol>") == "a\nb\nc\nd"
    assert text("<dl><dt>term<dd>meaning</dl>") == "term\nmeaning"
    assert text("<pre>a\n  b</pre>c") == "a\nb\nc"


def test_table_cells_are_separated() -> None:
    table = """<table><caption>Cap</caption><tr><th>a</th><th>b</th></tr>
    <tr><td>c</td><td>d<p>e</p>f</td></tr></table>"""
    assert text(table) == "Cap\na b\nc\nd\ne\nf"


def test_blocks_inside_links_are_separated() -> None:
    assert text("<a href=x>a<div>b</div>c</a><p>d") == "a\nb\nc\nd"
    assert text("w<b>o</b>r<span>d</span>") == "word"


def test_boilerplate_is_removed() -> None:
    body = """<header>Logo</header><div role=navigation>Menu</div><aside>Ads</aside>
    <div class="cookie-banner">We value your privacy</div><div hidden>secret</div>
    <div style="DISPLAY: none">unseen</div><form><label>Name</label><button>Go</button></form>
    <script>code()</script><style>p{}</style><p>What it says</p><footer>Imprint</footer>"""
    assert text(body) == "What it says"


def test_the_header_of_an_article_is_part_of_it() -> None:
    assert text("<header>Site</header><article><header><h1>T</h1></header><p>x</article>") == "T\nx"


def test_the_main_element_is_used_if_it_holds_most_of_the_text() -> None:
    assert text("<div>Latest news</div><main><p>A long story about something</main>") == (
        "A long story about something"
    )
    long = "All that matters is outside of what calls itself the main part."
    assert text(f"<main>x</main><p>{long}") == f"x\n{long}"


def test_one_of_many_articles_is_not_the_main_text() -> None:
    posts = "".join(f"<article>Post number {number}</article>" for number in range(3))
    assert text(posts).count("Post") == 3


def test_a_page_of_boilerplate_alone_keeps_its_text() -> None:
    assert text("<nav><p>Only a menu</p></nav><footer>and an imprint</footer>") == (
        "Only a menu\nand an imprint"
    )


def test_a_page_inside_a_form_is_read() -> None:
    assert text("<form><h1>T</h1><p>words</p><select><option>x</select></form>") == "T\nwords"


def test_headings_have_their_anchors() -> None:
    found = document(
        """<h1 id=own>A</h1><section id=around><h2>B<a class=headerlink href=#around>¶</a></h2>
        <p>x</p><h3>no anchor</h3></section><h4><a name=inside></a>C</h4><h5> </h5>"""
    )
    assert [tuple(heading) for heading in found.headings] == [
        (1, "A", "own"),
        (2, "B", "around"),
        (3, "no anchor", ""),
        (4, "C", "inside"),
    ]


def test_paragraphs_in_bold_are_no_emphasis() -> None:
    found = document(f"<b>{'word ' * 100}</b><i>this</i><i>this</i><mark> that </mark>")
    assert sorted(found.emphasis) == ["that", "this"]
