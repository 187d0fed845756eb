"""Index fields of a document: texts and terms by field, and indexed attributes."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite

import numpy as np

from byway.core.model import Document, Url
from byway.core.model.candidates import FIELDS, PIECE_BREAK_CODE, Codes, term_code
from byway.core.model.document import EXACT_FILTERS_KEY, FILTERS_KEY
from byway.core.text import terms, tokenize
from byway.core.url import bare_host, host_of, path_of, site_of

FIELDS_IN_BODY = frozenset({"h1", "h2", "h4", "emphasis", "capitals", "links", "starts"})
"""Fields whose terms also occur in the body."""
SEARCHED_FIELDS = tuple(name for name in FIELDS if name not in FIELDS_IN_BODY)
"""The fields that queries are matched against."""

MAX_NAMES_PER_PAGE = 2000
MAX_PIECES_PER_FIELD = 200
"""Maximum number of texts (headings, anchor texts …) per field; more are noise or an attack."""
MAX_ATTRIBUTES = 64
MAX_VALUE_CHARS = 100

IMAGE_FILE_PATTERN = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp|bmp|ico)", re.IGNORECASE)
FORMULA_PREFIX = "{\\"
"""Prefix of alt texts that are formulas."""

LINE_START_SCAN_CHARS = 500_000
"""Maximum characters of a text to scan for line starts."""
MAX_LINE_START_WORD_CHARS = 100
"""Maximum length of each of the first two words of a line."""
LINE_START_PATTERN = re.compile(
    rf"\n[^\S\n]*(\S{{1,{MAX_LINE_START_WORD_CHARS}}}(?:[^\S\n]+\S{{1,{MAX_LINE_START_WORD_CHARS}}})?)"
)
"""Matches a newline, which is fast to find, and the first two words of the next line."""
TABLES_ATTRIBUTE = "tables"
"""The attribute for table cells that are indexed with the text but not part of it."""

Pieces = list[list[str]]
"""The terms of each piece of a field; phrases never span two pieces."""


def field_terms(document: Document, anchors: Iterable[tuple[str, int]] = ()) -> dict[str, Pieces]:
    """The terms of a document by field, analyzed in its language."""

    def pieces(texts: Iterable[str]) -> Pieces:
        text_terms = (terms(text, document.language) for text in texts)
        return [piece for piece in text_terms if piece]

    return {name: pieces(texts) for name, texts in field_texts(document, anchors).items()}


def field_codes(fields: Mapping[str, Pieces]) -> tuple[Codes, list[int]]:
    """The term codes of all fields, and the number of codes per field."""
    codes: list[int] = []
    lengths = []
    for pieces in fields.values():
        start = len(codes)
        for piece in pieces:
            codes += [PIECE_BREAK_CODE] if len(codes) > start else []
            codes += map(term_code, piece)
        lengths.append(len(codes) - start)
    return np.array(codes, np.uint32), lengths


def field_texts(
    document: Document, anchors: Iterable[tuple[str, int]] = ()
) -> dict[str, Sequence[str]]:
    """The texts of a document by field; phrases never span two texts."""
    return {**field_texts_without_starts(document, anchors), "starts": _line_starts(document.text)}


def field_texts_without_starts(
    document: Document, anchors: Iterable[tuple[str, int]] = ()
) -> dict[str, Sequence[str]]:
    """Like `field_texts`, but without `starts`: the caller finds the line starts itself."""
    headings: dict[int, list[str]] = {1: [], 2: [], 4: []}
    for heading in document.headings:
        texts = headings[1 if heading.level == 1 else 2 if heading.level < 4 else 4]
        if len(texts) < MAX_PIECES_PER_FIELD:
            texts.append(heading.text)
    return {
        "title": (document.title,),
        "h1": headings[1],
        "h2": headings[2],
        "h4": headings[4],
        "url": (path_of(document.url),),
        "host": (host_of(document.url),),
        "anchor": list(islice(_repeated_anchors(anchors), MAX_PIECES_PER_FIELD)),
        "names": document.names[:MAX_NAMES_PER_PAGE],
        "meta": (document.description, document.keywords, *_image_texts(document)),
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
    """A term of a document and its positions by field."""

    term: str
    positions: Mapping[str, tuple[int, ...]]

    @property
    def frequency(self) -> int:
        """Total frequency; heading terms also count as body terms."""
        return sum(map(len, self.positions.values()))


def document_terms(
    document: Document, anchors: Iterable[tuple[str, int]] = ()
) -> list[DocumentTerm]:
    """The terms of a document and of its inlinks, most frequent first."""
    positions_by_term: dict[str, dict[str, list[int]]] = {}
    for name, pieces in field_terms(document, anchors).items():
        offset = 0
        for piece in pieces:
            for position, term in enumerate(piece, offset):
                positions_by_term.setdefault(term, {}).setdefault(name, []).append(position)
            offset += len(piece) + 1
    result = [
        DocumentTerm(term, {name: tuple(positions) for name, positions in fields.items()})
        for term, fields in positions_by_term.items()
    ]
    return sorted(result, key=lambda item: (-item.frequency, item.term))


def canonical_url(document: Document) -> Url:
    """The canonical URL of a page if it is on the same site; otherwise its own URL."""
    canonical = Url(document.canonical) if document.canonical else document.url
    return canonical if site_of(canonical) == site_of(document.url) else document.url


def site_filter_values(host: str) -> list[str]:
    """The `site:` values that match a host: with and without its port, and its parent domains."""
    names = [host]
    labels = bare_host(host).split(".")
    names += [".".join(labels[n:]) for n in range(len(labels))]
    return list(dict.fromkeys(names))


def indexed_attributes(document: Document) -> tuple[dict[str, set[str]], dict[str, list[float]]]:
    """The attributes of a document by name: texts (whole values and their words) and numbers.

    If the document has records, only their filters are indexed: other attributes may describe
    other items.
    """
    texts: dict[str, set[str]] = {}
    numbers: dict[str, list[float]] = {}
    records = document.records.values()
    exact = {text for record in records for text in record.get(EXACT_FILTERS_KEY, ())}
    for name, value in _indexed_leaves(document):
        number = _number(value)
        if number is not None:
            numbers.setdefault(name, []).append(number)
        words = tokenize(str(value)[:MAX_VALUE_CHARS])
        if words:
            # Vocabulary values only match as a whole: "artificial leather" is not leather.
            parts = [] if f"{name}={value}" in exact else words
            texts.setdefault(name, set()).update(parts, [" ".join(words)])
    return texts, numbers


def _indexed_leaves(document: Document) -> Iterator[tuple[str, object]]:
    """The scalars in the filters of all records; without records, those in the attributes."""
    if filters := [record[FILTERS_KEY] for record in document.records.values()]:
        return islice(_leaves("", filters), MAX_ATTRIBUTES * 4)
    attributes = {
        name: value for name, value in document.attributes.items() if name != TABLES_ATTRIBUTE
    }
    return islice(_leaves("", attributes), MAX_ATTRIBUTES)


def _image_texts(document: Document) -> Iterable[str]:
    """The alt texts of images, except file names and formulas."""
    texts = (image.text[:MAX_VALUE_CHARS] for image in document.images[:MAX_PIECES_PER_FIELD])
    descriptions = (
        text
        for text in texts
        if not text.startswith(FORMULA_PREFIX) and not IMAGE_FILE_PATTERN.fullmatch(text)
    )
    return dict.fromkeys(filter(None, descriptions))


def _line_starts(text: str) -> list[str]:
    """The first words of each paragraph, list item and table row, often the term it explains."""
    starts: list[str] = LINE_START_PATTERN.findall("\n" + text[:LINE_START_SCAN_CHARS])
    return starts[:MAX_NAMES_PER_PAGE]


def _repeated_anchors(anchors: Iterable[tuple[str, int]]) -> Iterator[str]:
    """Each anchor text once, plus up to three repeats if many pages use it."""
    for text, count in anchors:
        for _ in range(1 + min(3, count.bit_length() // 2)):
            yield text


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _leaves(name: str, value: object, depth: int = 6) -> Iterator[tuple[str, object]]:
    """Every scalar with its nearest key; the `name` of an object stands for the object."""
    if isinstance(value, Mapping) and depth:
        for key, inner in value.items():
            inner_name = name if key == "name" and name else _key(key)
            yield from _leaves(inner_name, inner, depth - 1)
    elif isinstance(value, list | tuple) and depth:
        for inner in value:
            yield from _leaves(name, inner, depth - 1)
    elif name and isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, value


def _key(key: object) -> str:
    """Convert a key to an attribute name that can be typed before a colon."""
    return "_".join(tokenize(str(key)[:40]))


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None
    return number if number is not None and isfinite(number) else None
