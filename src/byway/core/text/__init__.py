"""What are the words of a text? The same for documents and for queries.

>>> terms("The Ёлки и the running cafés")
['the', 'елк', 'и', 'the', 'run', 'cafe']
>>> terms("Die Häuser in Zürich", "de")
['die', 'haus', 'in', 'zurich']
>>> readings("running", ["de"])
(('run',), ('running',))
"""

from byway.core.text.analyzer import (
    BITS,
    LANGUAGES,
    OTHERS,
    TURKISH,
    bit_of,
    known_words,
    low_terms,
    spans,
    terms,
    terms_and_words,
    worth_finding,
)
from byway.core.text.normalizer import APOSTROPHES, clean, folded, storable, unspelt
from byway.core.text.query_analyzer import as_spelt, readings, readings_of_all, spoken
from byway.core.text.stopwords import STOP_WORDS, common_among, is_common
from byway.core.text.titles import called, is_nameless, unnumbered
from byway.core.text.tokenizer import LONGEST, in_words, is_low, plain, spelt, words

__all__ = [
    "APOSTROPHES",
    "BITS",
    "LANGUAGES",
    "LONGEST",
    "OTHERS",
    "STOP_WORDS",
    "TURKISH",
    "as_spelt",
    "bit_of",
    "called",
    "clean",
    "common_among",
    "folded",
    "in_words",
    "is_common",
    "is_low",
    "is_nameless",
    "known_words",
    "low_terms",
    "plain",
    "readings",
    "readings_of_all",
    "spans",
    "spelt",
    "spoken",
    "storable",
    "terms",
    "terms_and_words",
    "unnumbered",
    "unspelt",
    "words",
    "worth_finding",
]
