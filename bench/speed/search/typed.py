"""What is typed before a suggestion is taken? Beginnings of real titles, also with one slip."""

import random
import time
from collections.abc import Callable, Iterable, Sequence

from byway.core.model import Document
from byway.core.text import fold_text, tokenize

SEED = 7
MAX_PREFIX_CHARS = 12
"""Letters after which most have taken a suggestion."""
MAX_SUGGESTIONS = 8
"""Suggestions that a page shows."""
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
TARGET_P99_SECONDS = 0.005
"""Seconds."""

Suggest = Callable[[str, int], object]


def title_prefixes(documents: Iterable[Document], count: int) -> list[str]:
    """So many beginnings of titles, from their first word on or from their second."""
    chance = random.Random(SEED)
    titles = [" ".join(tokenize(document.title)) for document in documents]
    titles = sorted({fold_text(title) for title in titles if len(title) > MAX_PREFIX_CHARS})
    found = []
    for title in chance.choices(titles, k=count):
        begun = title if chance.random() < 0.7 else title.partition(" ")[2] or title
        found.append(begun[: chance.randint(1, MAX_PREFIX_CHARS)])
    return found


def with_typos(prefixes: Sequence[str]) -> list[str]:
    """The same with one slip each, anywhere: two swapped, one missing, doubled or wrong."""
    chance = random.Random(SEED)
    return [_slipped(one, chance) for one in prefixes if len(one.strip()) > 2]


def _slipped(typed: str, chance: random.Random) -> str:
    here = chance.choice([n for n, letter in enumerate(typed) if letter != " "])
    before, letter, after = typed[:here], typed[here], typed[here + 1 :]
    return before + chance.choice(
        (
            f"{after[:1]}{letter}{after[1:]}",
            after,
            f"{letter}{letter}{after}",
            f"{chance.choice(ALPHABET)}{after}",
        )
    )


def measure_suggest(suggest: Suggest, prefixes: Sequence[str]) -> list[float]:
    """CPU seconds of each; a few are asked first, so that files are open."""
    for one in prefixes[:20]:
        suggest(one, MAX_SUGGESTIONS)
    times = []
    for one in prefixes:
        started = time.process_time()
        suggest(one, MAX_SUGGESTIONS)
        times.append(time.process_time() - started)
    return times
