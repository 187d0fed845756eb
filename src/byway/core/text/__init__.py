"""Text analysis: tokenizer, normalizer, stemmers, stop words; for documents and queries alike.

>>> terms("The Ёлки и the running cafés")
['the', 'елк', 'и', 'the', 'run', 'cafe']
>>> terms("Die Häuser in Zürich", "de")
['die', 'haus', 'in', 'zurich']
>>> analyze_word("running", ["de"])
(('run',), ('running',))
"""

from byway.core.text.analyzer import (
    LANGUAGES,
    STOP_WORDS,
    TURKISH,
    analysis_digest,
    analyze_exact,
    analyze_word,
    analyze_words,
    is_indexable_term,
    is_stop_word,
    stop_words_in,
    term_spans,
    terms,
    terms_and_words,
    terms_by_word,
    terms_of_lowercase_words,
)
from byway.core.text.characters import MAX_TOKEN_CHARS
from byway.core.text.tokenizer import (
    fold_accents,
    fold_surface_form,
    fold_text,
    is_generic_title,
    is_lowercase_word,
    is_word_char,
    normalize_phrase,
    page_names,
    single_line,
    storable_text,
    strip_chapter_number,
    surface_forms,
    tokenize,
)

__all__ = [
    "LANGUAGES",
    "MAX_TOKEN_CHARS",
    "STOP_WORDS",
    "TURKISH",
    "analysis_digest",
    "analyze_exact",
    "analyze_word",
    "analyze_words",
    "fold_accents",
    "fold_surface_form",
    "fold_text",
    "is_generic_title",
    "is_indexable_term",
    "is_lowercase_word",
    "is_stop_word",
    "is_word_char",
    "normalize_phrase",
    "page_names",
    "single_line",
    "stop_words_in",
    "storable_text",
    "strip_chapter_number",
    "surface_forms",
    "term_spans",
    "terms",
    "terms_and_words",
    "terms_by_word",
    "terms_of_lowercase_words",
    "tokenize",
]
