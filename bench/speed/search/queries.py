"""What is asked? Queries made of the collection's own words, the same for every engine."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from byway.core.model import Document
from byway.core.text import is_stop_word, tokenize

QUERY_KINDS = ("1 word", "3 OR", "3 AND", "phrase", "prefix", "typo")
SEED = 5
MAX_WORDS_PER_TEXT = 5000
"""Words of a text that queries are made of."""


@dataclass(frozen=True, slots=True)
class BenchQuery:
    """A query: of what kind, and its words."""

    kind: str
    words: tuple[str, ...]


def make_queries(documents: Iterable[Document], per_kind: int) -> list[BenchQuery]:
    """So many queries of each kind, from words, pairs and stretches of these documents."""
    chance = random.Random(SEED)
    texts = [
        tokenize(document.text[: MAX_WORDS_PER_TEXT * 6])[:MAX_WORDS_PER_TEXT]
        for document in documents
    ]
    texts = [text for text in texts if len(text) > 30]
    spread = Counter(word for text in texts for word in dict.fromkeys(text))
    known = [word for word, pages in spread.items() if pages > 1 and _is_word(word)]
    # A word is asked for the more often, the more pages have it, but not in proportion.
    weights = [spread[word] ** 0.5 for word in known]
    queries = []
    for _ in range(per_kind):
        queries.append(BenchQuery("1 word", tuple(chance.choices(known, weights))))
        queries.append(BenchQuery("3 OR", tuple(chance.choices(known, weights, k=3))))
        queries.append(BenchQuery("3 AND", _of_one(chance.choice(texts), chance)))
        queries.append(BenchQuery("phrase", _stretch(chance.choice(texts), chance)))
        queries.append(BenchQuery("prefix", (chance.choices(known, weights)[0][:5],)))
        queries.append(BenchQuery("typo", (with_typo(chance.choices(known, weights)[0], chance),)))
    return sorted(queries, key=lambda one: QUERY_KINDS.index(one.kind))


def _is_word(word: str) -> bool:
    return len(word) >= 5 and word.isascii() and word.isalpha() and not is_stop_word(word, "en")


def _of_one(text: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    """Three words that one page has, so that there is something to find."""
    some = [word for word in text if _is_word(word)] or list(text)
    return tuple(chance.choices(some, k=3))


def _stretch(text: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    """Two or three words that stand side by side, in letters only."""
    for _ in range(100):
        start = chance.randrange(len(text) - 3)
        found = text[start : start + chance.choice((2, 3))]
        if all(word.isascii() and word.isalpha() for word in found):
            return tuple(found)
    return tuple(text[:2])


def with_typo(word: str, chance: random.Random) -> str:
    """A word with two neighbouring letters swapped, or one left out."""
    place = chance.randrange(1, len(word) - 1)
    if chance.random() < 0.5:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + word[place + 1 :]
