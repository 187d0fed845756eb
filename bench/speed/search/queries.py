"""Random queries of the collection's own words, the same for every engine."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from byway.core.model import Document
from byway.core.text import is_stop_word, tokenize

QUERY_KINDS = ("1 word", "3 OR", "3 AND", "phrase", "prefix", "typo")
SEED = 5
MAX_WORDS_PER_TEXT = 5000
"""Leading words of a text that queries are made of."""


@dataclass(frozen=True, slots=True)
class BenchQuery:
    """The kind and the words of a query."""

    kind: str
    words: tuple[str, ...]


def make_queries(documents: Iterable[Document], per_kind: int) -> list[BenchQuery]:
    """So many queries of each kind, from words and phrases of these documents."""
    generator = random.Random(SEED)
    texts = [
        tokenize(document.text[: MAX_WORDS_PER_TEXT * 6])[:MAX_WORDS_PER_TEXT]
        for document in documents
    ]
    texts = [text for text in texts if len(text) > 30]
    frequencies = Counter(word for text in texts for word in dict.fromkeys(text))
    known = [word for word, pages in frequencies.items() if pages > 1 and _is_word(word)]
    # More frequent words are more likely, but less than in proportion.
    weights = [frequencies[word] ** 0.5 for word in known]
    queries = []
    for _ in range(per_kind):
        queries.append(BenchQuery("1 word", tuple(generator.choices(known, weights))))
        queries.append(BenchQuery("3 OR", tuple(generator.choices(known, weights, k=3))))
        queries.append(BenchQuery("3 AND", _words_of_page(generator.choice(texts), generator)))
        queries.append(BenchQuery("phrase", _phrase(generator.choice(texts), generator)))
        queries.append(BenchQuery("prefix", (generator.choices(known, weights)[0][:5],)))
        queries.append(
            BenchQuery("typo", (with_typo(generator.choices(known, weights)[0], generator),))
        )
    return sorted(queries, key=lambda query: QUERY_KINDS.index(query.kind))


def _is_word(word: str) -> bool:
    return len(word) >= 5 and word.isascii() and word.isalpha() and not is_stop_word(word, "en")


def _words_of_page(text: Sequence[str], generator: random.Random) -> tuple[str, ...]:
    """Three words of one page, so that there is a match."""
    words = [word for word in text if _is_word(word)] or list(text)
    return tuple(generator.choices(words, k=3))


def _phrase(text: Sequence[str], generator: random.Random) -> tuple[str, ...]:
    """Two or three adjacent words of letters only."""
    for _ in range(100):
        start = generator.randrange(len(text) - 3)
        found = text[start : start + generator.choice((2, 3))]
        if all(word.isascii() and word.isalpha() for word in found):
            return tuple(found)
    return tuple(text[:2])


def with_typo(word: str, generator: random.Random) -> str:
    """A word with two neighbouring letters swapped, or one left out."""
    n = generator.randrange(1, len(word) - 1)
    if generator.random() < 0.5:
        return word[:n] + word[n + 1] + word[n] + word[n + 2 :]
    return word[:n] + word[n + 1 :]
