"""Queries of all kinds, made from the words and titles of documents."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from byway.core.model import Document, Query
from byway.core.url import host_of

MIN_WORD_CHARS = 4
WORD_PATTERN = re.compile(r"[^\W\d_]{4,20}")
TEXT_CHARS = 3000
"""Characters of a text from which words are taken."""

QueryMaker = Callable[[random.Random, Document, Sequence[str]], str | Query]


def make_queries(documents: Sequence[Document], per_kind: int, seed: int) -> list[Query]:
    """So many queries of each kind; the same seed gives the same queries."""
    generator = random.Random(seed)
    frequencies = Counter(word for one in documents for word in set(_words(one)))
    frequent = [word for word, _ in frequencies.most_common(300)]
    queries: list[Query] = []
    for maker in KINDS:
        for _ in range(per_kind):
            document = _with_words(generator, documents)
            made = maker(generator, document, frequent)
            query = Query(made) if isinstance(made, str) else made
            queries.append(replace(query, count_facets=generator.random() < 0.5))
    return queries


def _words(document: Document) -> list[str]:
    return WORD_PATTERN.findall(f"{document.title} {document.text[:TEXT_CHARS]}")


def _with_words(generator: random.Random, documents: Sequence[Document]) -> Document:
    while True:
        document = generator.choice(documents)
        if len(_words(document)) >= 8:
            return document


def _neighbours(generator: random.Random, document: Document, count: int) -> str:
    words = _words(document)
    start = generator.randrange(len(words) - count + 1)
    return " ".join(words[start : start + count])


def _typo(generator: random.Random, document: Document) -> str:
    word = max(generator.sample(_words(document), 4), key=len)
    place = generator.randrange(1, len(word) - 1)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _kinds() -> Iterator[QueryMaker]:
    yield lambda pick, page, _: pick.choice(_words(page))
    yield lambda pick, page, _: _neighbours(pick, page, 2)
    yield lambda pick, page, _: " ".join(pick.sample(_words(page), 3))
    yield lambda pick, page, _: " AND ".join(pick.sample(_words(page), 2))
    yield lambda pick, page, _: " OR ".join(pick.sample(_words(page), 3))
    yield lambda pick, page, _: f'"{_neighbours(pick, page, 2)}"'
    yield lambda pick, page, _: pick.choice(_words(page))[:4] + "*"
    yield lambda pick, page, _: _typo(pick, page)
    yield lambda pick, page, _: f"{pick.choice(_words(page))} site:{host_of(page.url)}"
    yield lambda pick, page, _: f"{pick.choice(_words(page))} lang:{page.language or 'en'}"
    yield lambda pick, page, _: f"{pick.choice(_words(page))} -{pick.choice(_words(page))}"
    yield lambda pick, page, _: f"intitle:{pick.choice(_words(page))}"
    yield lambda pick, page, _: page.title or pick.choice(_words(page))
    yield lambda pick, page, frequent: " ".join(pick.sample(frequent, 2))
    yield lambda pick, page, frequent: " ".join(
        [pick.choice(frequent), *pick.sample(_words(page), 7)]
    )
    yield lambda pick, page, _: Query(pick.choice(_words(page)), sort="date")
    yield lambda pick, page, frequent: Query(pick.choice(frequent), offset=190, max_hits=20)
    yield lambda pick, page, _: f"related:{page.url}"


KINDS = tuple(_kinds())
