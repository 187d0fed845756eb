"""HTML pages as documents."""

import json

from extract.page_factory import HOSTILE_PAGES, SETTINGS, document, extract_page, page
from hypothesis import given
from hypothesis import strategies as st

from byway.core.model import Document, Heading, Image
from byway.extract.dispatch import extract


def test_a_page_is_read_with_all_its_fields() -> None:
    found = document(
        """<html lang="en-GB"><head><title> The
        title </title><meta name=description content="About it"><meta name=Keywords content="a, b">
        </head><body><nav>Menu</nav><main><h1 id=top>Heading</h1><p>One <b>bold</b> word.</p>
        <p>See <a href=/x>that page</a>, it is IMPORTANT.</p></main><footer>Imprint</footer>"""
    )
    assert found == Document(
        url=found.url,
        title="The title",
        text="Heading\nOne bold word.\nSee that page, it is IMPORTANT.",
        description="About it",
        keywords="a, b",
        headings=(Heading(1, "Heading", "top"),),
        emphasis=("bold",),
        capitals=("IMPORTANT",),
        link_text=("that page",),
        names=("top",),
        language="en",
    )


def test_definition_terms_and_ids_are_names() -> None:
    found = document(
        "<dl><dt id=os.abort>os.abort(<em>code</em>) ¶<dd>Ends it.<dt>a  b</dl><p id=x1>x"
        "<p id=GUC-MODE>y<p id=id-1.5.8>z<h2 id=os.abort>again</h2>"
    )
    assert found.names == ("os.abort(code)", "a b", "os.abort", "GUC-MODE")


def test_leading_code_of_a_block_is_a_name() -> None:
    found = document(
        "<p><a id=i1></a> <code>rpad</code> ( <code>text</code> ) fills.<p>Not <code>this</code>."
        "<ul><li><b><code>os.fork()</code></b> forks<li>or <code>that</code></ul>"
        "<table><tr><td><code>void</code><td><code>other</code><tr><td><p>x<p><code>any</code>"
        "<td>z</table><p><code>rpad('hi', 5)</code> is an example, <pre><code>so</code></pre>"
    )
    assert found.names == ("rpad", "os.fork()", "void", "any")


def test_the_charset_is_detected_as_in_browsers() -> None:
    words = "<p>Привет, мир"
    claims_latin = b"<meta charset=latin1>"
    header = "text/html; charset=windows-1251"
    mark = b"\xef\xbb\xbf"
    assert document(mark + words.encode(), content_type=header).text == "Привет, мир"
    assert (
        document(claims_latin + words.encode("cp1251"), content_type=header).text == "Привет, мир"
    )
    meta = b'<meta http-equiv=content-type content="text/html; charset=koi8-r">'
    assert document(meta + words.encode("koi8-r"), content_type="text/html").text == "Привет, мир"
    sniffed = f"{words}. Как дела? Это обычный русский текст.".encode("cp1251")
    assert document(sniffed, content_type="text/html").text.startswith("Привет, мир")
    quoted = 'text/html; charset="windows-1251"'
    assert document(words.encode("cp1251"), content_type=quoted).text == "Привет, мир"


def test_self_closing_xhtml_elements_do_not_swallow_the_page() -> None:
    body = '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/><title>T</title>'
    found = document(body + "</head><body><p>words<br/>more", content_type="application/xhtml+xml")
    assert (found.title, found.text) == ("T", "words\nmore")
    assert found.content_type == "application/xhtml+xml"


def test_svg_titles_are_not_page_titles() -> None:
    assert document("<svg><title>icon</title></svg><h1>Real</h1>").title == "Real"


def test_opengraph_title_and_description_are_fallbacks() -> None:
    found = document(
        '<meta property="og:title" content="T"><meta property="og:description" content="D"><p>x'
    )
    assert (found.title, found.description) == ("T", "D")


def test_language_is_declared_or_detected() -> None:
    assert document('<html xml:lang="fr"><p>x').language == "fr"
    assert document("<p>x", Content_Language="de-AT, en").language == "de"
    text = """Это обычная страница, и на ней ничего не сказано о том, на каком языке она написана.
    Но всякий, кто умеет читать, увидит это с первого взгляда: буквы выдают язык раньше, чем слова.
    Поисковику приходится труднее, потому что соседние языки пишутся почти теми же знаками, и только
    длинный отрывок позволяет отличить один от другого с полной уверенностью."""
    assert document(f"<p>{text}").language == "ru"
    assert document("<p>ok").language == ""


def test_structured_data_becomes_an_attribute() -> None:
    item = {"@type": "Article", "headline": "H", "datePublished": "2024-05-31T10:00:00Z"}
    found = document(
        f"""<script type="application/ld+json">{json.dumps(item)}</script>
        <div itemscope itemtype="https://schema.org/Offer"><span itemprop=price>5</span></div>"""
    )
    assert found.attributes["structured"] == {
        "json-ld": [item],
        "microdata": [{"@type": "Offer", "price": "5"}],
    }
    assert found.published == "2024-05-31"


def test_hostile_structured_data_is_limited() -> None:
    deep = "[" * 100_000
    nested = '{"a":' * 200 + "1" + "}" * 200
    for text in (deep, "1" * 5000, "{broken", '"' + "x" * 20_000 + '"', "NaN", "1e999"):
        found = document(f'<script type="application/ld+json">{text}</script><p>words')
        assert found.text == "words"
        json.dumps(found.attributes, allow_nan=False)
    json.dumps(document(f'<script type="application/ld+json">{nested}</script>').attributes)


def test_hostile_pages_give_a_document() -> None:
    for body in HOSTILE_PAGES:
        extracted = extract_page(body)
        assert extracted.document is not None, extracted.failure
        assert "\0" not in extracted.document.text
        extracted.document.text.encode()


TAGS = """p div table tr td b h1 title svg math template script li main article nav select frameset
noscript label caption ol pre figure"""
WORDS = """</a> </p> </table> </script> <!-- --> &amp &#0; \ufeff é word WORD <![CDATA["""
WHOLE = ("<a href=x>", "<base href=//>", "<meta charset=utf-16>", "\0")
PIECES = st.sampled_from([*(f"<{tag}>" for tag in TAGS.split()), *WORDS.split(), *WHOLE])


@given(st.lists(PIECES, max_size=40).map(" ".join))
def test_any_tag_soup_gives_a_document(soup: str) -> None:
    extracted = extract(page(soup.encode()), SETTINGS, 1_000_000)
    assert extracted.document is not None
    assert not extracted.failure


def test_images_have_their_alt_text_and_caption() -> None:
    found = document(
        """<figure><img src=cat.png alt="A cat"><figcaption>Asleep</figcaption></figure>
        <img src=spacer.gif><img src="data:image/png;base64,x" alt=inline>"""
    )
    assert [tuple(image) for image in found.images] == [
        ("https://example.org/a/cat.png", "A cat Asleep")
    ]
    assert isinstance(found.images[0], Image)
