"""Which reasons are the same? Those that differ in a host, an address, a path or a number only."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

MAX_REASON_CHARS = 160

HTTP_STATUS_PATTERN = re.compile(r"answered \d")
REASON_PLACEHOLDERS = (
    (re.compile(r"\b(connection refused) by \S+?(?=;|\s|$)"), r"\1"),
    (re.compile(r"\bhttps?://[^\s;]+"), "URL"),
    (re.compile(r"(robots\.txt line) \d+ (says \w+):.*"), r"\1 N \2: PATH"),
    (re.compile(r"(?<![\w.])\d{1,3}(\.\d{1,3}){3}(?![\w.]*\w)(:\d+)?"), "ADDRESS"),
    (
        re.compile(r"\[?(?<![\w:])(?=[\da-f]*:[\da-f]*:)[\da-f:]{2,39}(?![\w:])(\]:\d+|\])?"),
        "ADDRESS",
    ),
    # Settings and file names look like hosts and are not: crawl.max_depth, robots.txt.
    (
        re.compile(
            r"(?<![\w/.+-])(?!(?:crawl|extract|index|rank|search|serve)\.|robots\.txt)"
            r"(?:[\w-]+\.)+[^\W\d_][\w-]*(?::\d+)?"
        ),
        "HOST",
    ),
    (re.compile(r"(?<!\S)\d[\d,.]*(?=[\s;:,)]|$)"), "N"),
)


def generalize_reason(reason: str) -> str:
    """The reason without what makes it one URL's own: `redirects to URL`, `N links away …`."""
    # An answer's number is not one of many: it is what happened.
    return reason if HTTP_STATUS_PATTERN.match(reason) else _fold(reason)


def group_reasons(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Reasons with how often each came, those that are the same as one, the most frequent first."""
    together: Counter[str] = Counter()
    for reason, count in counts.items():
        together[generalize_reason(reason)] += count
    return together.most_common()


@lru_cache(10_000)
def _fold(reason: str) -> str:
    for pattern, name in REASON_PLACEHOLDERS:
        reason = pattern.sub(name, reason)
    return reason


def printable_text(text: str, max_chars: int = MAX_REASON_CHARS) -> str:
    """Foreign text that cannot turn its surroundings around, colour them or fill the page."""
    text = "".join(char if char.isprintable() else " " for char in text[: max_chars + 1])
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
