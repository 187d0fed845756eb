"""tantivy schema, the index version, and the conversion of a document to tantivy's form.

Terms are matched in one field, `all_text`: one postings list per term instead of a dozen, and one
document length, so that BM25 adds up over fields. The forward index knows which field a term is in.
"""

from datetime import date
from functools import lru_cache
from itertools import chain

import numpy as np
import tantivy

from byway.core.fields import canonical_url, indexed_attributes, site_filter_values
from byway.core.model import EPOCH_ORDINAL, Document
from byway.core.ports import PageLinks
from byway.core.url import host_of, site_of, url_hash
from byway.index.analysis.document_analyzer import AnalyzedDocument

INDEX_VERSION = 25
"""Raise it with every change to the schema, the analysis or an index file: an index with another
version is rebuilt. `tests/index/test_index_version.py` fails if you forget."""
ALL_TEXT_FIELD = "all_text"
"""The field with the terms of all fields of a page."""
FAST_INTEGER_FIELDS = (
    "spread_id",
    "host_hash",
    "body_terms",
    "duplicate_hash",
    "url_hash",
    "canonical_hash",
)
"""Integers read for candidates and never searched."""
FACET_FIELDS = ("site", "language", "type", "year")
MAX_LINK_TARGETS = 2000
UINT64_RANGE = 1 << 64
ID_SPREAD_FACTOR = 0x1E3779B97F4A7C15
ID_SPREAD_INVERSE = np.array(pow(ID_SPREAD_FACTOR, -1, UINT64_RANGE), np.uint64).view(np.int64)


def build_schema() -> tantivy.Schema:
    """The tantivy schema of a page."""
    builder = tantivy.SchemaBuilder()
    # Signed: deleting by an unsigned integer silently does nothing.
    builder.add_integer_field("id", indexed=True)
    builder.add_integer_field("epoch_day", indexed=True, fast=True)
    builder.add_integer_field("target_id", indexed=True)
    for name in FAST_INTEGER_FIELDS:
        builder.add_integer_field(name, fast=True)
    for name in (ALL_TEXT_FIELD, "title", "url"):
        builder.add_text_field(name, tokenizer_name="terms")
    for name in FACET_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("host", "attribute", "attribute_name"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_json_field("numeric_attributes", tokenizer_name="raw", fast=True)
    return builder.build()


def register_tokenizers(index: tantivy.Index) -> tantivy.Index:
    """The index with its tokenizers registered, which tantivy requires each time it opens one."""
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
) -> tantivy.Document:
    """The document in tantivy's form."""
    values = metadata_fields(document, page_links)
    values["body_terms"] = analyzed.word_count
    values["duplicate_hash"] = analyzed.duplicate_hash
    values[ALL_TEXT_FIELD] = [*chain.from_iterable(analyzed.terms_by_field.values())]
    values["title"] = analyzed.terms_by_field["title"]
    values["url"] = analyzed.terms_by_field["url"] + analyzed.terms_by_field["host"]
    return tantivy.Document.from_dict(values, schema)


def metadata_fields(document: Document, page_links: PageLinks) -> dict[str, object]:
    """The values of all fields that need no text analysis."""
    host_hash, host_names = _host_values(host_of(document.url))
    own_hash = url_hash(document.url)
    values: dict[str, object] = {
        "id": document.id,
        "spread_id": (document.id * ID_SPREAD_FACTOR + UINT64_RANGE // 2) % UINT64_RANGE
        - UINT64_RANGE // 2,
        "host_hash": host_hash,
        "epoch_day": document.epoch_day,
        "url_hash": own_hash,
        "canonical_hash": url_hash(canonical_url(document)) if document.canonical else own_hash,
        "host": list(host_names),
        "site": site_of(document.url),
        "type": document.document_type,
    }
    if document.language:
        values["language"] = document.language
    if document.epoch_day:
        values["year"] = str(date.fromordinal(EPOCH_ORDINAL + document.epoch_day).year)
    if page_links.target_ids:
        values["target_id"] = list(page_links.target_ids[:MAX_LINK_TARGETS])
    if document.attributes:
        texts, numbers = indexed_attributes(document)
        values["attribute"] = [
            f"{name}={value}" for name, values_of_name in texts.items() for value in values_of_name
        ]
        values["attribute_name"] = sorted(texts)
        values["numeric_attributes"] = numbers
    return values


@lru_cache(maxsize=10_000)
def _host_values(host: str) -> tuple[int, tuple[str, ...]]:
    """The hash of a host, and the `site:` values that match it."""
    return url_hash(host), tuple(site_filter_values(host))
