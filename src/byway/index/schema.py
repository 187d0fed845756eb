"""How does a document lie in tantivy? Its schema, and a document as it is added.

All that words are looked for in is one field, `anywhere`, in which a title stands several times:
one list of postings for a word instead of a dozen, and one length, so that a word here and a
word there add up as they should. Which field a word stood in, the forward file knows.
"""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

import numpy as np
import tantivy

from byway.core.fields import FIELDS, attributes_of, canonical_of, host_names
from byway.core.model import EPOCH, Document
from byway.core.model.candidates import Ids
from byway.core.ports import Linked
from byway.core.text import BITS, bit_of
from byway.core.url import hash_of, host_of, site_of
from byway.index.analysis.document_analyzer import Analysed
from byway.index.language_terms import marks_of

FACETS = ("site", "language", "type", "year")
MOST_TARGETS = 2000
NUMBERS = 1 << 64
SPREAD = 0x1E3779B97F4A7C15
GATHER = np.array(pow(SPREAD, -1, NUMBERS), np.uint64).view(np.int64)


def schema() -> tantivy.Schema:
    """The fields of an entry."""
    builder = tantivy.SchemaBuilder()
    # Signed: deleting by an unsigned number silently does nothing.
    builder.add_integer_field("id", indexed=True)
    builder.add_integer_field("spread", fast=True)
    builder.add_integer_field("host_number", fast=True)
    builder.add_integer_field("day", indexed=True, fast=True)
    builder.add_integer_field("words", fast=True)
    for name in ("spoken", "alike", "own", "canonical"):
        builder.add_integer_field(name, fast=True)
    builder.add_integer_field("target", indexed=True)
    for name in ("anywhere", "title", "url"):
        builder.add_text_field(name, tokenizer_name="terms")
    builder.add_text_field("by_language", tokenizer_name="terms", index_option="freq")
    for name in FACETS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("host", "attribute", "has", "unmarked"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_json_field("numbers", tokenizer_name="raw", fast=True)
    return builder.build()


def registered(index: tantivy.Index) -> tantivy.Index:
    """The index with its tokenizers, which tantivy forgets whenever an index is opened."""
    for name, tokenizer in (
        ("terms", tantivy.Tokenizer.whitespace()),
        ("raw", tantivy.Tokenizer.raw()),
    ):
        analyzer = tantivy.TextAnalyzerBuilder(tokenizer).build()
        index.register_tokenizer(name, analyzer)
        index.register_fast_field_tokenizer(name, analyzer)
    return index


def entry(
    document: Document,
    said: Analysed,
    linked: Linked,
    schema: tantivy.Schema,
    is_marked: bool = False,
) -> tantivy.Document:
    """A document as tantivy takes it; `marking` says which are marked."""
    values = facts(document, linked)
    values["words"] = said.words
    values["alike"] = said.alike
    values["anywhere"] = every = _anywhere(said.values)
    if is_marked:
        values["by_language"] = marks_of(every, document.language)
    elif document.language in BITS:
        values["unmarked"] = document.language
    values["title"] = said.values["title"]
    values["url"] = said.values["url"] + said.values["host"]
    return tantivy.Document.from_dict(values, schema)


def facts(document: Document, linked: Linked) -> dict[str, object]:
    """What is known of a document but for its text, by field."""
    number, names = _known_of(host_of(document.url))
    own = hash_of(document.url)
    values: dict[str, object] = {
        "id": document.id,
        "spread": (document.id * SPREAD + NUMBERS // 2) % NUMBERS - NUMBERS // 2,
        "host_number": number,
        "day": document.day,
        "spoken": bit_of(document.language),
        "own": own,
        "canonical": hash_of(canonical_of(document)) if document.canonical else own,
        "host": list(names),
        "site": site_of(document.url),
        "type": document.kind,
    }
    if document.language:
        values["language"] = document.language
    if document.day:
        values["year"] = str(date.fromordinal(EPOCH + document.day).year)
    if linked.targets:
        values["target"] = list(linked.targets[:MOST_TARGETS])
    if document.attributes:
        texts, numbers = attributes_of(document)
        values["attribute"] = [f"{name}={one}" for name, each in texts.items() for one in each]
        values["has"] = sorted(texts)
        values["numbers"] = numbers
    return values


def gathered(spread: Ids) -> Ids:
    """The numbers of pages, in place of those that stand for them in the index, far apart.

    tantivy keeps numbers that follow one another as pieces of lines, and to open their list for
    each question takes it longer (11 µs of 20, for 100,000 pages) than to look up 200 of them.
    """
    return np.multiply(spread, GATHER, spread)  # around 2⁶⁴


@lru_cache(maxsize=10_000)
def _known_of(host: str) -> tuple[int, tuple[str, ...]]:
    """The number of a host, and all that `site:` may call it."""
    return hash_of(host), tuple(host_names(host))


def _anywhere(values: Mapping[str, list[str]]) -> list[str]:
    every: list[str] = []
    for name, copies in FIELDS.items():
        if copies:
            every += values[name] * copies
    return every
