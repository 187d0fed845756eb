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

from byway.core.fields import FIELDS, canonical_url, indexed_attributes, site_filter_values
from byway.core.model import EPOCH_ORDINAL, Document
from byway.core.model.candidates import Ids
from byway.core.ports import PageLinks
from byway.core.text import LANGUAGE_BITS, language_bit
from byway.core.url import host_of, site_of, url_hash
from byway.index.analysis.document_analyzer import AnalyzedDocument
from byway.index.language_terms import language_tagged_terms

FACET_FIELDS = ("site", "language", "type", "year")
MAX_LINK_TARGETS = 2000
UINT64_RANGE = 1 << 64
ID_SPREAD_FACTOR = 0x1E3779B97F4A7C15
ID_SPREAD_INVERSE = np.array(pow(ID_SPREAD_FACTOR, -1, UINT64_RANGE), np.uint64).view(np.int64)


def build_schema() -> tantivy.Schema:
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
    for name in FACET_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("host", "attribute", "has", "unmarked"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_json_field("numbers", tokenizer_name="raw", fast=True)
    return builder.build()


def register_tokenizers(index: tantivy.Index) -> tantivy.Index:
    """The index with its tokenizers, which tantivy forgets whenever an index is opened."""
    for name, tokenizer in (
        ("terms", tantivy.Tokenizer.whitespace()),
        ("raw", tantivy.Tokenizer.raw()),
    ):
        analyzer = tantivy.TextAnalyzerBuilder(tokenizer).build()
        index.register_tokenizer(name, analyzer)
        index.register_fast_field_tokenizer(name, analyzer)
    return index


def to_tantivy_document(
    document: Document,
    analyzed: AnalyzedDocument,
    page_links: PageLinks,
    schema: tantivy.Schema,
    has_language_tags: bool = False,
) -> tantivy.Document:
    """A document as tantivy takes it; `marking` says which are marked."""
    values = metadata_fields(document, page_links)
    values["words"] = analyzed.word_count
    values["alike"] = analyzed.duplicate_hash
    values["anywhere"] = every = _anywhere(analyzed.terms_by_field)
    if has_language_tags:
        values["by_language"] = language_tagged_terms(every, document.language)
    elif document.language in LANGUAGE_BITS:
        values["unmarked"] = document.language
    values["title"] = analyzed.terms_by_field["title"]
    values["url"] = analyzed.terms_by_field["url"] + analyzed.terms_by_field["host"]
    return tantivy.Document.from_dict(values, schema)


def metadata_fields(document: Document, page_links: PageLinks) -> dict[str, object]:
    """What is known of a document but for its text, by field."""
    number, names = _known_of(host_of(document.url))
    own = url_hash(document.url)
    values: dict[str, object] = {
        "id": document.id,
        "spread": (document.id * ID_SPREAD_FACTOR + UINT64_RANGE // 2) % UINT64_RANGE
        - UINT64_RANGE // 2,
        "host_number": number,
        "day": document.epoch_day,
        "spoken": language_bit(document.language),
        "own": own,
        "canonical": url_hash(canonical_url(document)) if document.canonical else own,
        "host": list(names),
        "site": site_of(document.url),
        "type": document.document_type,
    }
    if document.language:
        values["language"] = document.language
    if document.epoch_day:
        values["year"] = str(date.fromordinal(EPOCH_ORDINAL + document.epoch_day).year)
    if page_links.target_ids:
        values["target"] = list(page_links.target_ids[:MAX_LINK_TARGETS])
    if document.attributes:
        texts, numbers = indexed_attributes(document)
        values["attribute"] = [f"{name}={one}" for name, each in texts.items() for one in each]
        values["has"] = sorted(texts)
        values["numbers"] = numbers
    return values


def restore_ids(spread_ids: Ids) -> Ids:
    """The numbers of pages, in place of those that stand for them in the index, far apart.

    tantivy keeps numbers that follow one another as pieces of lines, and to open their list for
    each question takes it longer (11 µs of 20, for 100,000 pages) than to look up 200 of them.
    """
    return np.multiply(spread_ids, ID_SPREAD_INVERSE, spread_ids)  # around 2⁶⁴


@lru_cache(maxsize=10_000)
def _known_of(host: str) -> tuple[int, tuple[str, ...]]:
    """The number of a host, and all that `site:` may call it."""
    return url_hash(host), tuple(site_filter_values(host))


def _anywhere(values: Mapping[str, list[str]]) -> list[str]:
    every: list[str] = []
    for name, copies in FIELDS.items():
        if copies:
            every += values[name] * copies
    return every
