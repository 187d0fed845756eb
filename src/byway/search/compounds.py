"""What is a long word made of? `Gerichtsverfahren` is `Gericht` and `Verfahren`, where both occur.

German and its neighbours make words as they need them. One that no page has is looked for as if its
two halves had been typed: pages with both come first, those that have them side by side before all.
"""

from collections.abc import Iterator, Sequence

from byway.ports import SearchIndex
from byway.question import Reading, Word
from byway.text import readings

LANGUAGES = frozenset({"da", "de", "et", "fi", "hu", "is", "nb", "nl", "nn", "no", "sv"})
SHORTEST = 4
"""Letters of a half: shorter ones are endings more often than words."""
LONGEST = 40
LINKS = ("s", "es", "n", "en")
"""What may stand between two halves, and belongs to neither."""


def halves(word: str, index: SearchIndex, languages: Sequence[str]) -> tuple[Word, ...]:
    """Two words that this one may be made of, those that most pages have."""
    spoken = [language for language in languages if language in LANGUAGES][:2]
    if not spoken or not 2 * SHORTEST <= len(word) <= LONGEST:
        return ()

    def pages(part: str) -> int:
        return max(map(index.frequency, readings(part, spoken)), default=0)

    def worth(cut: tuple[str, str]) -> tuple[int, int]:
        return min(map(pages, cut)), -len(cut[0])  # of two that are one term, without its link

    best = max(_cuts(word), key=worth, default=("", ""))
    if not best[0] or not min(map(pages, best)):
        return ()
    return tuple(Word(half, tuple(map(Reading, readings(half, spoken)))) for half in best)


def _cuts(word: str) -> Iterator[tuple[str, str]]:
    for place in range(SHORTEST, len(word) - SHORTEST + 1):
        head, tail = word[:place], word[place:]
        yield head, tail
        for link in LINKS:
            if head.endswith(link) and len(head) >= SHORTEST + len(link):
                yield head.removesuffix(link), tail
