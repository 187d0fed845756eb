"""Which pages does the index have once more, by language? All but those in the language of most.

`one` is `on` in Polish: it is looked for in Polish pages, and not in all that have an on. So the
terms of a page in a language with a stemmer of its own lie in the index a second time, with the
language behind them, and a third time with what says that it is any of those. Words that are read
in the language of most pages are looked for in all of them, so its pages can do without.
"""

from collections import Counter
from collections.abc import Iterable

from byway.core.text import LANGUAGE_BITS

MIN_PAGES_FOR_MAJORITY = 50
"""Pages from which on one may say in which language most are."""
MINORITY_DIVISOR = 3
"""A language that had half of the pages has one in three or fewer once half as many have come: so a
page is seldom taken in again for its mark."""
LANGUAGE_TAG_SEPARATOR = "/"


class LanguageTagPolicy:
    """Tells for pages that arrive whether they are to be marked."""

    def __init__(self, languages: Iterable[tuple[str, int]]) -> None:
        """`languages`: how many pages each has, of those that were taken in before."""
        self._pages = Counter(dict(languages))
        self._all = self._pages.total()

    def needs_tags(self, language: str, is_reindexed: bool = False) -> bool:
        """Is a page in this language, which is taken in now, maybe again, to be marked?"""
        if not is_reindexed:
            self._all += 1
            self._pages[language] += 1
        most = self._all > MIN_PAGES_FOR_MAJORITY and self._pages[language] * 2 > self._all
        return language in LANGUAGE_BITS and not most

    def is_minority(self, language: str) -> bool:
        """Has this language so few pages that those without a mark are worth being marked?"""
        return self._pages[language] * MINORITY_DIVISOR < self._all


def language_tagged_terms(pieces: Iterable[str], language: str) -> list[str]:
    """Terms with spaces between, each with the mark of a language, and with that of any."""
    each = [piece for piece in pieces if piece]
    return [tag_terms(piece, language) for piece in each] + [tag_terms(piece) for piece in each]


def tag_terms(terms: str, language: str = "") -> str:
    """Terms with spaces between, each with the mark of this language, or of any."""
    mark = f"{LANGUAGE_TAG_SEPARATOR}{language}"
    return terms.replace(" ", f"{mark} ") + mark
