"""Where in a document does each word stand? Its fields, and what else it can be found by."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite

from byway.core.model import Document, Url
from byway.core.text import terms, tokenize
from byway.core.url import bare_host, host_of, path_of, site_of

FIELDS: Mapping[str, int] = {
    "title": 3,
    "h1": 2,
    "h2": 1,
    "h4": 1,
    "url": 1,
    "host": 1,
    "anchor": 1,
    "names": 1,
    "meta": 1,
    "emphasis": 1,
    "capitals": 1,
    "categories": 1,
    "links": 0,
    "starts": 0,
    "body": 1,
}
"""The fields, and how many times what stands there counts when candidates are picked.

h2 is headings of level 2 and 3, h4 all below; anchor is what other pages' links call the page,
names what it defines, links what its own say, starts how its paragraphs begin. Headings, emphasis,
capitals, links and starts stand in the body too.
"""

MAX_NAMES_PER_PAGE = 2000
MAX_PIECES_PER_FIELD = 200
"""Headings, anchors, categories ... that are looked at: more is noise, or an attack."""
MAX_ATTRIBUTES = 64
MAX_VALUE_CHARS = 100

IMAGE_FILE_PATTERN = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp|bmp|ico)", re.IGNORECASE)
FORMULA_PREFIX = "{\\"
"""How what is said of a picture begins that is a formula."""

LINE_START_SCAN_CHARS = 500_000
"""Characters of a text in which the beginnings of lines are looked for."""
MAX_LINE_START_WORD_CHARS = 100
"""Characters of each of the two words that a line begins with."""
LINE_START_PATTERN = re.compile(
    rf"\n[^\S\n]*(\S{{1,{MAX_LINE_START_WORD_CHARS}}}(?:[^\S\n]+\S{{1,{MAX_LINE_START_WORD_CHARS}}})?)"
)
"""The first two words of a line. The new line comes first, since that is quickly found."""
TABLES_ATTRIBUTE = "tables"
"""The attribute with cells of tables that are no part of the text, and can be found like it."""

Pieces = list[list[str]]
"""Terms, in pieces that no phrase spans."""


def field_terms(document: Document, anchors: Iterable[tuple[str, int]] = ()) -> dict[str, Pieces]:
    """The terms of a document, by where they stand, analysed in its language."""

    def pieces(texts: Iterable[str]) -> Pieces:
        found = (terms(text, document.language) for text in texts)
        return [piece for piece in found if piece]

    return {name: pieces(texts) for name, texts in field_texts(document, anchors).items()}


def field_texts(
    document: Document, anchors: Iterable[tuple[str, int]] = ()
) -> dict[str, Sequence[str]]:
    """The texts of a document, by where they stand; no phrase spans two of them."""
    return {**field_texts_without_starts(document, anchors), "starts": _starts(document.text)}


def field_texts_without_starts(
    document: Document, anchors: Iterable[tuple[str, int]] = ()
) -> dict[str, Sequence[str]]:
    """The same, for who can tell by its text how its lines begin."""
    headings: dict[int, list[str]] = {1: [], 2: [], 4: []}
    for one in document.headings:
        some = headings[1 if one.level == 1 else 2 if one.level < 4 else 4]
        if len(some) < MAX_PIECES_PER_FIELD:
            some.append(one.text)
    return {
        "title": (document.title,),
        "h1": headings[1],
        "h2": headings[2],
        "h4": headings[4],
        "url": (path_of(document.url),),
        "host": (host_of(document.url),),
        "anchor": list(islice(_repeated(anchors), MAX_PIECES_PER_FIELD)),
        "names": document.names[:MAX_NAMES_PER_PAGE],
        "meta": (document.description, document.keywords, *_pictures(document)),
        "emphasis": document.emphasis[:MAX_PIECES_PER_FIELD],
        "capitals": document.capitals[:MAX_PIECES_PER_FIELD],
        "categories": _texts(document.attributes.get("categories"))[:MAX_PIECES_PER_FIELD],
        "links": document.link_text[:MAX_PIECES_PER_FIELD],
        "starts": (),
        "body": [document.text, *_texts(document.attributes.get(TABLES_ATTRIBUTE))][
            :MAX_NAMES_PER_PAGE
        ],
    }


@dataclass(frozen=True, slots=True)
class DocumentTerm:
    """A term of a document: where it stands, as positions by field."""

    term: str
    positions: Mapping[str, tuple[int, ...]]

    @property
    def frequency(self) -> int:
        """How often it stands anywhere; what is in a heading is in the body, too."""
        return sum(map(len, self.positions.values()))


def document_terms(
    document: Document, anchors: Iterable[tuple[str, int]] = ()
) -> list[DocumentTerm]:
    """The terms of a document and of links to it, the most frequent first."""
    places: dict[str, dict[str, list[int]]] = {}
    for name, pieces in field_terms(document, anchors).items():
        here = 0
        for piece in pieces:
            for position, term in enumerate(piece, here):
                places.setdefault(term, {}).setdefault(name, []).append(position)
            here += len(piece) + 1
    found = [
        DocumentTerm(term, {name: tuple(positions) for name, positions in fields.items()})
        for term, fields in places.items()
    ]
    return sorted(found, key=lambda one: (-one.frequency, one.term))


def canonical_url(document: Document) -> Url:
    """The URL that a page calls its own, if it may: one of its own site."""
    said = Url(document.canonical) if document.canonical else document.url
    return said if site_of(said) == site_of(document.url) else document.url


def site_filter_values(host: str) -> list[str]:
    """All that `site:` may call a host: itself, without its port, and each domain it is in."""
    names = [host]
    labels = bare_host(host).split(".")
    names += [".".join(labels[n:]) for n in range(len(labels))]
    return list(dict.fromkeys(names))


def indexed_attributes(document: Document) -> tuple[dict[str, set[str]], dict[str, list[float]]]:
    """What a document's attributes say, by name: whole values and their words, and numbers.

    Of a product only its filters count: what else is on its page may be about other goods.
    """
    texts: dict[str, set[str]] = {}
    numbers: dict[str, list[float]] = {}
    filters, exact = document.product_filters, document.exact_product_filters
    named = {name: value for name, value in document.attributes.items() if name != TABLES_ATTRIBUTE}
    leaves, most = _leaves("", filters or named), MAX_ATTRIBUTES
    for (name, value), _ in zip(leaves, range(most * 4 if filters else most), strict=False):
        number = _number(value)
        if number is not None:
            numbers.setdefault(name, []).append(number)
        said = tokenize(str(value)[:MAX_VALUE_CHARS])
        if said:
            # "artificial leather" is no leather: where values are known, only whole ones count.
            parts = [] if f"{name}={value}" in exact else said
            texts.setdefault(name, set()).update(parts, [" ".join(said)])
    return texts, numbers


def _pictures(document: Document) -> Iterable[str]:
    """What the page says of its pictures, which no reader of the text sees."""
    said = (image.text[:MAX_VALUE_CHARS] for image in document.images[:MAX_PIECES_PER_FIELD])
    told = (
        text
        for text in said
        if not text.startswith(FORMULA_PREFIX) and not IMAGE_FILE_PATTERN.fullmatch(text)
    )
    return dict.fromkeys(filter(None, told))


def _starts(text: str) -> list[str]:
    """How each paragraph, item and row of a table begins: what is explained there comes first."""
    found: list[str] = LINE_START_PATTERN.findall("\n" + text[:LINE_START_SCAN_CHARS])
    return found[:MAX_NAMES_PER_PAGE]


def _repeated(anchors: Iterable[tuple[str, int]]) -> Iterator[str]:
    """Each anchor once, and up to three times more if many pages use it."""
    for text, count in anchors:
        for _ in range(1 + min(3, count.bit_length() // 2)):
            yield text


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _leaves(name: str, value: object, depth: int = 6) -> Iterator[tuple[str, object]]:
    """Every plain value under the name of the nearest key; a thing's name stands for the thing."""
    if isinstance(value, Mapping) and depth:
        for key, inside in value.items():
            called = name if key == "name" and name else _key(key)
            yield from _leaves(called, inside, depth - 1)
    elif isinstance(value, list | tuple) and depth:
        for inside in value:
            yield from _leaves(name, inside, depth - 1)
    elif name and isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, value


def _key(key: object) -> str:
    """A name that can be typed before a colon."""
    return "_".join(tokenize(str(key)[:40]))


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None
    return number if number is not None and isfinite(number) else None
