"""What our tests are tried with: pieces of URLs, of queries and of the text of pages.

Drawn from what the web really holds, so that few examples go a long way.
"""

from hypothesis import strategies as st

# URLs, as pages and people write them.

SCHEMES = ("http://", "https://", "HTTP://", "http:", "https:/", "//", "")
HOSTS = (
    "example.org",
    "EXAMPLE.org.",
    "www.bücher.example",
    "xn--bcher-kva.example",
    "пример.рф",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "[::1]",
    "[0:0::0:1]",
    "user:secret@example.org",
    "a.b.co.uk",
    "localhost",
    "ex%41mple.org",
    "a..b",
)
PORTS = ("", ":80", ":443", ":8080", ":", ":0", ":99999")
SEGMENTS = ("a", "..", ".", "%2e%2E", "%c3%a9", "é", "a b", "%", "%zz", "\\", "a;b", "", "%2F", "ё")
QUERIES = ("", "?", "?q=1", "?a=%d0%b0&b=é", "?x=http://other.org/", "? ", "?'\"<>", "??")
FRAGMENTS = ("", "#", "#top", "#a?b", "#é")


def hrefs() -> st.SearchStrategy[str]:
    """What may stand in a link: whole URLs, parts of them, and things that are none."""
    none = ("mailto:a@example.org", "javascript:void(0)", "", "#", "?", "http://")
    return _whole() | _plain() | st.sampled_from(none)


def _whole() -> st.SearchStrategy[str]:
    path = st.lists(st.sampled_from(SEGMENTS), max_size=5).map("/".join)
    return st.builds(
        lambda space, scheme, host, port, path, query, fragment: (
            f"{space}{scheme}{host}{port}/{path}{query}{fragment}{space}"
        ),
        st.sampled_from(("", " ", "\n", "\t")),
        st.sampled_from(SCHEMES),
        st.sampled_from(HOSTS),
        st.sampled_from(PORTS),
        path,
        st.sampled_from(QUERIES),
        st.sampled_from(FRAGMENTS),
    )


def _plain() -> st.SearchStrategy[str]:
    """What links look like that are spelt as we would spell them, and nearly so."""
    return st.builds(
        "{}{}{}".format,
        st.sampled_from(
            ("", "/", "../", "../../../", "./", "//", "http://a-b.org/", "http://a--b.c/")
        ),
        st.lists(st.sampled_from((*SEGMENTS, "b_c.html", "~d", "-")), max_size=3).map("/".join),
        st.sampled_from((*QUERIES, "?a=1&b=c:d", "?%20")),
    )


# The text of pages.

WORDS = (
    *("the", "running", "Cafés", "Zürich", "Zu\u0308rich", "e-mail", "it’s", "don't", "C++", "C#"),
    *("ёлка", "за\u0301мок", "туфли", "co\u00adop", "path_hooks", "x86", "½", "№5", "Java™", "ﬁne"),
    *(
        "日本語",
        "İ",
        "ß",
        "2024-05-31",
        "3.14",
        "a",
        "I",
        "İ",
        "'tis",
        "rock'n'roll",
        "zero\u200bwidth",
    ),
)
SEPARATORS = (
    " ",
    " ",
    " ",
    "  ",
    "\n",
    ". ",
    ", ",
    " – ",
    "…",
    "! ",
    "\u00a0",
    "/",
    "(",
    ") ",
    "\t",
)


def prose() -> st.SearchStrategy[str]:
    """The text of a page: words of many kinds, and what stands between them."""
    piece = st.sampled_from(WORDS) | st.sampled_from(SEPARATORS)
    return st.lists(piece, max_size=60).map("".join)


def malformed_text() -> st.SearchStrategy[str]:
    """Text that nobody wrote on purpose: controls, halves of surrogate pairs, marks on nothing."""
    odd = (
        "\0",
        "\ud800",
        "\udfff",
        "\u202e",
        "\u0301",
        "\ufeff",
        "\u200d",
        "'",
        "_",
        "#",
        "+",
        "𝔘",
    )
    piece = st.sampled_from(odd) | st.sampled_from(WORDS) | st.characters()
    return st.lists(piece, max_size=40).map("".join)


# Queries, as they are typed.

OPERATORS = (
    *('"', '"', "-", "--", "“", "«", "(", ")", "(", ")", " OR ", " | ", " AND ", "*", ":", ".."),
    *("site:", "site:example.org", "-site:", "intitle:", "inurl:", "filetype:pdf", "lang:en"),
    *("before:2020", "after:2020-05", "after:x", "link:example.org", "related:example.org"),
    *("price:10..50", "price:0.5..20", "price:..", "price:7", "price:..9.9", "brand:"),
)


def queries() -> st.SearchStrategy[str]:
    """What may be typed into a search box."""
    piece = st.sampled_from(WORDS) | st.sampled_from(OPERATORS) | st.sampled_from((" ", " ", "\0"))
    return st.lists(piece, max_size=20).map("".join) | malformed_text()


PIECES = """
the The running Häuser ЁЛКИ cafés e-mail E-Mail C++ c# # .NET node.js x.name l’avion don't ' 3.11
2024 x86 日本語 カタカナ 한국어 ab日本 ½ Java™ ﬁne İstanbul IŞIK हिन्दी كتاب l·l col·lecció
snake_case - -- e- -e . .. + ++ _ ’ “ ( &amp; i\u0307 K\u0301 \u00ad \u200c \u0301 \0 \1 \ud800
'e-mail' 'c#' 'é# 'ø‐mail +c++ c+++ a+b из-за é-mail it'’s x#y #b re-use
de-e-f .n a.net “quoted” «so» – … • ─ žluť straße 9th ünder шёл łódź
"""
WHITE_SPACE = "\u00a0\u3000\u1680\u2003\u2028\u205f\x85\x1c\x0b\n"


def mixed_scripts() -> st.SearchStrategy[str]:
    """Words of many scripts, signs and separators in any order, with and without spaces."""
    pieces = st.sampled_from([*PIECES.split(), *WHITE_SPACE, "a" * 70, "b" * 100, "é" * 130])
    spaces = st.sampled_from((" ", "\n", "\t", ", "))
    return st.lists(pieces | spaces | st.characters(), max_size=30).map("".join)
