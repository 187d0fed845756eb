"""Reasons counted by kind: those that differ in a host, a URL or a number only are one."""

from collections import Counter
from collections.abc import Mapping

from byway.core.model.message import Reason

MAX_TEXT_CHARS = 160


def group_reasons(counts: Mapping[Reason, int]) -> list[tuple[Reason, int]]:
    """Reasons by kind with their counts, the most frequent first."""
    together: Counter[Reason] = Counter()
    for reason, count in counts.items():
        together[reason.generalize()] += count
    return together.most_common()


def printable_text(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Foreign text that cannot turn its surroundings around, color them or fill the page."""
    text = "".join(char if char.isprintable() else " " for char in text[: max_chars + 1])
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
