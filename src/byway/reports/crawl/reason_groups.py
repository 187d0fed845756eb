"""Reasons grouped by kind: those that differ only in a host, a URL or a number count as one."""

from collections import Counter
from collections.abc import Mapping

from byway.core.model.message import Reason

MAX_TEXT_CHARS = 160


def group_reasons(counts: Mapping[Reason, int]) -> list[tuple[Reason, int]]:
    """Reasons by kind with their counts, most frequent first."""
    grouped: Counter[Reason] = Counter()
    for reason, count in counts.items():
        grouped[reason.generalize()] += count
    return grouped.most_common()


def printable_text(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Untrusted text without control characters (bidi, terminal colors), cut to `max_chars`."""
    text = "".join(char if char.isprintable() else " " for char in text[: max_chars + 1])
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
