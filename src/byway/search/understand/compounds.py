"""Compound splitting: `Gerichtsverfahren` is searched as `Gericht` and `Verfahren`.

A compound that no page contains is replaced by its two or three parts if pages contain all of them.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache

from byway.core.languages import all_languages
from byway.core.model.query import TermAnalysis, TermClause
from byway.core.text import analyze_word

COMPOUND_LANGUAGES = frozenset(
    language.code for language in all_languages().values() if language.has_compounds
)
MIN_PART_CHARS = 4
"""Minimum letters of a part: shorter ones are endings more often than words."""
MAX_COMPOUND_CHARS = 40
LINKING_LETTERS = ("s", "es", "n", "en")
"""Linking elements between two parts, which belong to neither."""


def split_compound(
    word: str, count_pages: Callable[[Collection[tuple[str, ...]]], int], languages: Sequence[str]
) -> tuple[TermClause, ...]:
    """The two parts of a compound that occur on the most pages; three parts if no two are known.

    `count_pages` counts the pages that have a word in any of its analyses.
    """
    compounding = [language for language in languages if language in COMPOUND_LANGUAGES][:2]
    if not compounding or not 2 * MIN_PART_CHARS <= len(word) <= MAX_COMPOUND_CHARS:
        return ()

    @cache
    def pages(part: str) -> int:
        return count_pages(analyze_word(part, compounding))

    def quality(parts: tuple[str, ...]) -> tuple[int, int]:
        # Of two splits with the same terms, prefer the one without a linking element.
        return min(map(pages, parts)), -len(parts[0])

    best: tuple[str, ...] = max(_splits(word), key=quality, default=("",))
    if not min(map(pages, best)):
        known_heads = [split for split in _splits(word) if pages(split[0])]
        three_parts = ((head, *split) for head, tail in known_heads for split in _splits(tail))
        best = max(three_parts, key=quality, default=("",))
    if not min(map(pages, best)):
        return ()
    return tuple(
        TermClause(part, tuple(map(TermAnalysis, analyze_word(part, compounding)))) for part in best
    )


def _splits(word: str) -> Iterator[tuple[str, str]]:
    for place in range(MIN_PART_CHARS, len(word) - MIN_PART_CHARS + 1):
        head, tail = word[:place], word[place:]
        yield head, tail
        for link in LINKING_LETTERS:
            if head.endswith(link) and len(head) >= MIN_PART_CHARS + len(link):
                yield head.removesuffix(link), tail
