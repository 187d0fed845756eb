"""Which pages does the index have once more, by language? All but those in the language of most.

`one` is `on` in Polish: it is looked for in Polish pages, and not in all that have an on. So the
terms of a page in a language with a stemmer of its own lie in the index a second time, with the
language behind them, and a third time with what says that it is any of those. Words that are read
in the language of most pages are looked for in all of them, so its pages can do without.
"""

from collections import Counter
from collections.abc import Iterable

from byway.core.text import BITS

FEW = 50
"""Pages from which on one may say in which language most are."""
A_FEW = 3
"""A language that had half of the pages has one in three or fewer once half as many have come: so a
page is seldom taken in again for its mark."""
ANY_LANGUAGE = "/"


class Marking:
    """Tells for pages that arrive whether they are to be marked."""

    def __init__(self, languages: Iterable[tuple[str, int]]) -> None:
        """`languages`: how many pages each has, of those that were taken in before."""
        self._pages = Counter(dict(languages))
        self._all = self._pages.total()

    def is_due(self, language: str, again: bool = False) -> bool:
        """Is a page in this language, which is taken in now, maybe again, to be marked?"""
        if not again:
            self._all += 1
            self._pages[language] += 1
        most = self._all > FEW and self._pages[language] * 2 > self._all
        return language in BITS and not most

    def has_few(self, language: str) -> bool:
        """Has this language so few pages that those without a mark are worth being marked?"""
        return self._pages[language] * A_FEW < self._all


def marks_of(pieces: Iterable[str], language: str) -> list[str]:
    """Terms with spaces between, each with the mark of a language, and with that of any."""
    each = [piece for piece in pieces if piece]
    return [marked(piece, language) for piece in each] + [marked(piece) for piece in each]


def marked(terms: str, language: str = "") -> str:
    """Terms with spaces between, each with the mark of this language, or of any."""
    mark = f"{ANY_LANGUAGE}{language}"
    return terms.replace(" ", f"{mark} ") + mark
