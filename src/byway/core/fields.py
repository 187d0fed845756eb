"""Where in a document does each word stand? Its fields, and what else it can be found by."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite

from byway.core.model import Document, Url
from byway.core.text import terms, words
from byway.core.url import bare_host, host_of, path_of, site_of
from byway.products.record import filters_of, whole_of

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

MOST_NAMES = 2000
MOST_PIECES = 200
"""Headings, anchors, categories ... that are looked at: more is noise, or an attack."""
MOST_ATTRIBUTES = 64
LONGEST_VALUE = 100

FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp|bmp|ico)", re.IGNORECASE)
FORMULA = "{\\"
"""How what is said of a picture begins that is a formula."""

LOOKED_AT = 500_000
"""Characters of a text in which the beginnings of lines are looked for."""
LONGEST_START = 100
"""Characters of each of the two words that a line begins with."""
BEGINNING = re.compile(rf"\n[^\S\n]*(\S{{1,{LONGEST_START}}}(?:[^\S\n]+\S{{1,{LONGEST_START}}})?)")
"""The first two words of a line. The new line comes first, since that is quickly found."""
TABLES = "tables"
"""The attribute with cells of tables that are no part of the text, and can be found like it."""

Pieces = list[list[str]]
"""Terms, in pieces that no phrase spans."""


def fields_of(document: Document, anchors: Iterable[tuple[str, int]] = ()) -> dict[str, Pieces]:
    """The terms of a document, by where they stand, analysed in its language."""

    def pieces(texts: Iterable[str]) -> Pieces:
        found = (terms(text, document.language) for text in texts)
        return [piece for piece in found if piece]

    return {name: pieces(texts) for name, texts in texts_of(document, anchors).items()}


def texts_of(
    document: Document, anchors: Iterable[tuple[str, int]] = ()
) -> dict[str, Sequence[str]]:
    """The texts of a document, by where they stand; no phrase spans two of them."""
    return {**texts_but_starts(document, anchors), "starts": _starts(document.text)}


def texts_but_starts(
    document: Document, anchors: Iterable[tuple[str, int]] = ()
) -> dict[str, Sequence[str]]:
    """The same, for who can tell by its text how its lines begin."""
    headings: dict[int, list[str]] = {1: [], 2: [], 4: []}
    for one in document.headings:
        some = headings[1 if one.level == 1 else 2 if one.level < 4 else 4]
        if len(some) < MOST_PIECES:
            some.append(one.text)
    return {
        "title": (document.title,),
        "h1": headings[1],
        "h2": headings[2],
        "h4": headings[4],
        "url": (path_of(document.url),),
        "host": (host_of(document.url),),
        "anchor": list(islice(_repeated(anchors), MOST_PIECES)),
        "names": document.names[:MOST_NAMES],
        "meta": (document.description, document.keywords, *_pictures(document)),
        "emphasis": document.emphasis[:MOST_PIECES],
        "capitals": document.capitals[:MOST_PIECES],
        "categories": _texts(document.attributes.get("categories"))[:MOST_PIECES],
        "links": document.link_text[:MOST_PIECES],
        "starts": (),
        "body": [document.text, *_texts(document.attributes.get(TABLES))][:MOST_NAMES],
    }


@dataclass(frozen=True, slots=True)
class Found:
    """A term of a document: where it stands, as positions by field."""

    term: str
    places: Mapping[str, tuple[int, ...]]

    @property
    def times(self) -> int:
        """How often it stands anywhere; what is in a heading is in the body, too."""
        return sum(map(len, self.places.values()))


def words_of(document: Document, anchors: Iterable[tuple[str, int]] = ()) -> list[Found]:
    """The terms of a document and of links to it, the most frequent first."""
    places: dict[str, dict[str, list[int]]] = {}
    for name, pieces in fields_of(document, anchors).items():
        here = 0
        for piece in pieces:
            for position, term in enumerate(piece, here):
                places.setdefault(term, {}).setdefault(name, []).append(position)
            here += len(piece) + 1
    found = [
        Found(term, {name: tuple(positions) for name, positions in fields.items()})
        for term, fields in places.items()
    ]
    return sorted(found, key=lambda one: (-one.times, one.term))


def canonical_of(document: Document) -> Url:
    """The URL that a page calls its own, if it may: one of its own site."""
    said = Url(document.canonical) if document.canonical else document.url
    return said if site_of(said) == site_of(document.url) else document.url


def host_names(host: str) -> list[str]:
    """All that `site:` may call a host: itself, without its port, and each domain it is in."""
    names = [host]
    labels = bare_host(host).split(".")
    names += [".".join(labels[n:]) for n in range(len(labels))]
    return list(dict.fromkeys(names))


def attributes_of(document: Document) -> tuple[dict[str, set[str]], dict[str, list[float]]]:
    """What a document's attributes say, by name: whole values and their words, and numbers.

    Of a product only its filters count: what else is on its page may be about other goods.
    """
    texts: dict[str, set[str]] = {}
    numbers: dict[str, list[float]] = {}
    filters, whole = filters_of(document), whole_of(document)
    named = {name: value for name, value in document.attributes.items() if name != TABLES}
    leaves, most = _leaves("", filters or named), MOST_ATTRIBUTES
    for (name, value), _ in zip(leaves, range(most * 4 if filters else most), strict=False):
        number = _number(value)
        if number is not None:
            numbers.setdefault(name, []).append(number)
        said = words(str(value)[:LONGEST_VALUE])
        if said:
            # "artificial leather" is no leather: where values are known, only whole ones count.
            parts = [] if f"{name}={value}" in whole else said
            texts.setdefault(name, set()).update(parts, [" ".join(said)])
    return texts, numbers


def _pictures(document: Document) -> Iterable[str]:
    """What the page says of its pictures, which no reader of the text sees."""
    said = (image.text[:LONGEST_VALUE] for image in document.images[:MOST_PIECES])
    told = (text for text in said if not text.startswith(FORMULA) and not FILE.fullmatch(text))
    return dict.fromkeys(filter(None, told))


def _starts(text: str) -> list[str]:
    """How each paragraph, item and row of a table begins: what is explained there comes first."""
    found: list[str] = BEGINNING.findall("\n" + text[:LOOKED_AT])
    return found[:MOST_NAMES]


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
    return "_".join(words(str(key)[:40]))


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None
    return number if number is not None and isfinite(number) else None
