"""tantivy schema, the index version, and the conversion of a document to tantivy's form.

Terms are matched in one field, `all_text`: one postings list per term instead of a dozen, and one
document length, so that occurrences in all fields count. The forward index knows which field a term
is in.
"""

from collections.abc import Iterable
from itertools import chain

import numpy as np
import tantivy

from byway.core.fields import SEARCHED_FIELDS, canonical_url, indexed_attributes
from byway.core.impacts import impacts_digest
from byway.core.model import Document
from byway.core.operators import columns, facet_operators, field_operators
from byway.core.ports import PageLinks
from byway.core.text import analysis_digest
from byway.core.url import host_of, url_hash
from byway.index.forward_index import AnalyzedDocument

FORMAT_VERSION = 27
"""Increment it with every change to the schema, an index file or the code of the analysis.
`tests/index/test_index_version.py` fails if you forget."""
INDEX_VERSION = FORMAT_VERSION << 32 | (analysis_digest() ^ impacts_digest())
"""An index with another version is rebuilt."""
ALL_TEXT_FIELD = "all_text"
"""The field with the terms of all fields of a page."""
IMPACT_FIELD = "impact"
"""The field with each term of a page followed by the letter of its impact level."""
TIE_BREAKER_FIELD, DATE_KEY_FIELD = "tie_breaker", "date_key"
"""The fields that give each page its own place among pages with the same score or date."""
TIE_BREAKER_RANGE = 1 / 256
"""The largest share by which the tie breaker raises a score."""
DATE_KEY_HASH_BITS = 30
"""Bits of the URL hash in a date key; with the day, the key has less than 53 bits."""
FAST_INTEGER_FIELDS = (
    "spread_id",
    "host_hash",
    "body_terms",
    "duplicate_hash",
    "canonical_hash",
    DATE_KEY_FIELD,
)
"""Integers read for candidates and never searched."""
UINT64_RANGE = 1 << 64
ID_SPREAD_FACTOR = 0x1E3779B97F4A7C15
ID_SPREAD_INVERSE = np.array(pow(ID_SPREAD_FACTOR, -1, UINT64_RANGE), np.uint64).view(np.int64)


def build_schema() -> tantivy.Schema:
    """The tantivy schema of a page."""
    builder = tantivy.SchemaBuilder()
    facets = facet_operators()
    for column in columns():
        is_fast = column.is_fast or column.name in facets
        if column.is_numeric:  # signed: deleting by an unsigned integer silently does nothing
            builder.add_integer_field(column.name, indexed=True, fast=is_fast)
        else:
            builder.add_text_field(
                column.name, tokenizer_name="raw", index_option="basic", fast=is_fast
            )
    for name in FAST_INTEGER_FIELDS:
        builder.add_integer_field(name, fast=True)
    for name in (ALL_TEXT_FIELD, *(operator.field for operator in field_operators())):
        builder.add_text_field(name, tokenizer_name="terms")
    builder.add_text_field(IMPACT_FIELD, tokenizer_name="terms", index_option="basic")
    builder.add_float_field(TIE_BREAKER_FIELD, fast=True)
    builder.add_text_field("attribute", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("attribute_name", tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_json_field("numeric_attributes", tokenizer_name="raw", fast=True)
    return builder.build()


def register_tokenizers(index: tantivy.Index) -> tantivy.Index:
    """Register the tokenizers of an index, which tantivy requires each time an index is opened."""
    for name, tokenizer in (
        ("terms", tantivy.Tokenizer.whitespace()),
        ("raw", tantivy.Tokenizer.raw()),
    ):
        analyzer = tantivy.TextAnalyzerBuilder(tokenizer).build()
        index.register_tokenizer(name, analyzer)
        index.register_fast_field_tokenizer(name, analyzer)
    return index


def to_tantivy_document(
    document: Document, analyzed: AnalyzedDocument, page_links: PageLinks, schema: tantivy.Schema
) -> tantivy.Document:
    """The document in tantivy's form."""
    values = metadata_fields(document, page_links)
    values["body_terms"] = analyzed.word_count
    values["duplicate_hash"] = analyzed.duplicate_hash
    values[ALL_TEXT_FIELD] = _terms(analyzed, SEARCHED_FIELDS)
    values[IMPACT_FIELD] = analyzed.impacts
    for operator in field_operators():
        values[operator.field] = _terms(analyzed, operator.field_parts)
    return tantivy.Document.from_dict(values, schema)


def metadata_fields(document: Document, page_links: PageLinks) -> dict[str, object]:
    """The values of all fields that need no text analysis."""
    hash = url_hash(document.url)
    values: dict[str, object] = {
        "spread_id": (document.id * ID_SPREAD_FACTOR + UINT64_RANGE // 2) % UINT64_RANGE
        - UINT64_RANGE // 2,
        "host_hash": url_hash(host_of(document.url)),
        TIE_BREAKER_FIELD: _tie_breaker(hash),
        DATE_KEY_FIELD: (document.epoch_day << DATE_KEY_HASH_BITS)
        | (hash & (1 << DATE_KEY_HASH_BITS) - 1),
        "canonical_hash": url_hash(canonical_url(document)),
    }
    for column in columns():
        values[column.name] = [*column.values(document, page_links)]
    if document.attributes:
        texts, numbers = indexed_attributes(document)
        values["attribute"] = [
            f"{name}={value}" for name, values_of_name in texts.items() for value in values_of_name
        ]
        values["attribute_name"] = sorted(texts)
        values["numeric_attributes"] = numbers
    return values


def _tie_breaker(hash: int) -> float:
    """A number from the URL's hash: tantivy multiplies scores by log2(2 + number)."""
    share = (hash >> 8 & 0xFFFFFF) / (1 << 24)
    return float(2 ** (1 + TIE_BREAKER_RANGE * share) - 2)


def _terms(analyzed: AnalyzedDocument, fields: Iterable[str]) -> list[str]:
    """The terms of some fields, piece by piece."""
    return [*chain.from_iterable(analyzed.terms_by_field[name] for name in fields)]
