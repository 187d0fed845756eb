"""Prefixes of real titles for autocomplete, with and without a typo."""

import random
import time
from collections.abc import Callable, Iterable, Sequence

from byway.core.model import Document
from byway.core.text import fold_text, tokenize

SEED = 7
MAX_PREFIX_CHARS = 12
"""The longest prefix."""
MAX_SUGGESTIONS = 8
"""Suggestions on the search page."""
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
TARGET_P99_SECONDS = 0.005

Suggest = Callable[[str, int], object]


def title_prefixes(documents: Iterable[Document], count: int) -> list[str]:
    """So many prefixes of titles, from their first or second word on."""
    generator = random.Random(SEED)
    titles = [" ".join(tokenize(document.title)) for document in documents]
    titles = sorted({fold_text(title) for title in titles if len(title) > MAX_PREFIX_CHARS})
    found = []
    for title in generator.choices(titles, k=count):
        start = title if generator.random() < 0.7 else title.partition(" ")[2] or title
        found.append(start[: generator.randint(1, MAX_PREFIX_CHARS)])
    return found


def with_typos(prefixes: Sequence[str]) -> list[str]:
    """The prefixes with one typo each: two letters swapped, one missing, doubled or wrong."""
    generator = random.Random(SEED)
    return [_with_typo(prefix, generator) for prefix in prefixes if len(prefix.strip()) > 2]


def _with_typo(prefix: str, generator: random.Random) -> str:
    n = generator.choice([n for n, letter in enumerate(prefix) if letter != " "])
    before, letter, after = prefix[:n], prefix[n], prefix[n + 1 :]
    return before + generator.choice(
        (
            f"{after[:1]}{letter}{after[1:]}",
            after,
            f"{letter}{letter}{after}",
            f"{generator.choice(ALPHABET)}{after}",
        )
    )


def measure_suggest(suggest: Suggest, prefixes: Sequence[str]) -> list[float]:
    """CPU seconds of each completion, after a short warm-up."""
    for prefix in prefixes[:20]:
        suggest(prefix, MAX_SUGGESTIONS)
    times = []
    for prefix in prefixes:
        started = time.process_time()
        suggest(prefix, MAX_SUGGESTIONS)
        times.append(time.process_time() - started)
    return times
