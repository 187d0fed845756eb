"""What are the words of a text? The same for documents and for queries.

>>> terms("The Ёлки и the running cafés")
['the', 'елк', 'и', 'the', 'run', 'cafe']
>>> terms("Die Häuser in Zürich", "de")
['die', 'haus', 'in', 'zurich']
>>> readings("houses", ["de"])
(('hous',), ('houses',))
"""

from byway.text.common import STOP_WORDS, is_common
from byway.text.numbers import is_kept
from byway.text.spelling import clean, storable
from byway.text.terms import LANGUAGES, readings, spans, terms
from byway.text.tokens import LONGEST, words

__all__ = [
    "LANGUAGES",
    "LONGEST",
    "STOP_WORDS",
    "clean",
    "is_common",
    "is_kept",
    "readings",
    "spans",
    "storable",
    "terms",
    "words",
]
