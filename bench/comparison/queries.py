"""Queries of the behaviour check, drawn from the titles and texts of the pages."""

import random
import re
from collections.abc import Callable, Sequence

from bench.comparison.crawl_results import Values

SEED = 20_240
WORD_PATTERN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
MAX_TITLE_WORDS = 8
MIN_WORD_CHARS = 3

QueryDraw = Callable[[random.Random, Sequence[str], Sequence[str]], str]


def draw_queries(documents: Values, count: int, seed: int = SEED) -> list[str]:
    """So many different queries, always the same ones for the same documents and seed."""
    chance = random.Random(seed)
    pages = [document["page"] for _, document in sorted(documents.items()) if document["page"]]
    texts = [
        (WORD_PATTERN.findall(page["title"]), WORD_PATTERN.findall(page["text"])) for page in pages
    ]
    texts = [(title, words) for title, words in texts if len(words) > MAX_TITLE_WORDS]
    found: dict[str, None] = {}
    for number in range(20 * count):  # short pages are drawn twice
        if len(found) == count or not texts:
            break
        draw = DRAWS[number % len(DRAWS)]
        if query := draw(chance, *chance.choice(texts)):
            found[query] = None
    return list(found)


def draw_sample(urls: Sequence[str], count: int, seed: int = SEED) -> list[str]:
    """So many of these URLs."""
    return random.Random(seed).sample(sorted(urls), min(count, len(urls)))


def _title(chance: random.Random, title: Sequence[str], words: Sequence[str]) -> str:
    return " ".join(title[:MAX_TITLE_WORDS])


def _successive(chance: random.Random, title: Sequence[str], words: Sequence[str]) -> str:
    """Two or three words that follow one another."""
    size = chance.randint(2, 3)
    start = chance.randrange(len(words) - size)
    return " ".join(words[start : start + size])


def _scattered(chance: random.Random, title: Sequence[str], words: Sequence[str]) -> str:
    """Two words from anywhere on the page."""
    long = [word for word in words if len(word) >= MIN_WORD_CHARS]
    return " ".join(chance.sample(long, 2)) if len(long) > 1 else ""


def _one_word(chance: random.Random, title: Sequence[str], words: Sequence[str]) -> str:
    long = [word for word in words if len(word) >= MIN_WORD_CHARS]
    return chance.choice(long) if long else ""


def _phrase(chance: random.Random, title: Sequence[str], words: Sequence[str]) -> str:
    return f'"{_successive(chance, title, words)}"'


def _misspelt(chance: random.Random, title: Sequence[str], words: Sequence[str]) -> str:
    """A word with two neighbouring letters swapped."""
    long = [word for word in words if len(word) > 2 * MIN_WORD_CHARS]
    if not long:
        return ""
    word = chance.choice(long)
    place = chance.randrange(1, len(word) - 2)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


DRAWS: tuple[QueryDraw, ...] = (_title, _successive, _scattered, _one_word, _phrase, _misspelt)
"""The kinds of queries, in turn."""
