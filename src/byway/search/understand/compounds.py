"""What is a long word made of? `Gerichtsverfahren` is `Gericht` and `Verfahren`, where both occur.

German and its neighbours make words as they need them. One that no page has is looked for as if its
two or three parts had been typed: pages with all of them come first, side by side before all.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from byway.core.languages import all_languages
from byway.core.model.query import TermAnalysis, TermClause
from byway.core.ports import SearchIndex
from byway.core.text import analyze_word

COMPOUND_LANGUAGES = frozenset(
    language.code for language in all_languages().values() if language.has_compounds
)
MIN_PART_CHARS = 4
"""Letters of a part: shorter ones are endings more often than words."""
MAX_COMPOUND_CHARS = 40
LINKING_LETTERS = ("s", "es", "n", "en")
"""What may stand between two parts, and belongs to neither."""


def split_compound(
    word: str, index: SearchIndex, languages: Sequence[str]
) -> tuple[TermClause, ...]:
    """Two words that this one may be made of, those that most pages have; three if need be."""
    spoken = [language for language in languages if language in COMPOUND_LANGUAGES][:2]
    if not spoken or not 2 * MIN_PART_CHARS <= len(word) <= MAX_COMPOUND_CHARS:
        return ()

    @cache
    def pages(part: str) -> int:
        return max(map(index.document_frequency, analyze_word(part, spoken)), default=0)

    def worth(cut: tuple[str, ...]) -> tuple[int, int]:
        return min(map(pages, cut)), -len(cut[0])  # of two that are one term, without its link

    best: tuple[str, ...] = max(_cuts(word), key=worth, default=("",))
    if not min(map(pages, best)):
        begun = [cut for cut in _cuts(word) if pages(cut[0])]
        three = ((head, *cut) for head, tail in begun for cut in _cuts(tail))
        best = max(three, key=worth, default=("",))
    if not min(map(pages, best)):
        return ()
    return tuple(
        TermClause(part, tuple(map(TermAnalysis, analyze_word(part, spoken)))) for part in best
    )


def _cuts(word: str) -> Iterator[tuple[str, str]]:
    for place in range(MIN_PART_CHARS, len(word) - MIN_PART_CHARS + 1):
        head, tail = word[:place], word[place:]
        yield head, tail
        for link in LINKING_LETTERS:
            if head.endswith(link) and len(head) >= MIN_PART_CHARS + len(link):
                yield head.removesuffix(link), tail
