"""Language-tagged terms: copies of a page's terms for all but the majority language.

`one` is stemmed to `on` in Polish: it must match Polish pages only, not all pages with an `on`. So
the terms of a page in a language with a stemmer of its own are indexed twice more: as `on/pl`, with
the language, and as `on/`, which means any such language. A word that is analyzed in the majority
language is matched in all pages, so pages in that language need no tags.
"""

from collections import Counter
from collections.abc import Iterable

from byway.core.text import LANGUAGE_BITS

MIN_PAGES_FOR_MAJORITY = 50
"""Below this number of pages no language counts as the majority."""
MINORITY_DIVISOR = 3
"""A language with less than a third of the pages is a minority. One that had half of the pages gets
there when half as many others were added, so a page is seldom indexed again for its tags."""
LANGUAGE_TAG_SEPARATOR = "/"


class LanguageTagPolicy:
    """Decides for each added page whether it gets language-tagged terms."""

    def __init__(self, languages: Iterable[tuple[str, int]]) -> None:
        """`languages`: the number of indexed pages in each language."""
        self._pages_by_language = Counter(dict(languages))
        self._page_count = self._pages_by_language.total()

    def needs_tags(self, language: str, is_reindexed: bool = False) -> bool:
        """Does a page in this language, which is added now, get tags?"""
        if not is_reindexed:
            self._page_count += 1
            self._pages_by_language[language] += 1
        is_majority = (
            self._page_count > MIN_PAGES_FOR_MAJORITY
            and self._pages_by_language[language] * 2 > self._page_count
        )
        return language in LANGUAGE_BITS and not is_majority

    def is_minority(self, language: str) -> bool:
        """Has this language so few pages that those without tags are worth indexing again?"""
        return self._pages_by_language[language] * MINORITY_DIVISOR < self._page_count


def language_tagged_terms(pieces: Iterable[str], language: str) -> list[str]:
    """Pieces of space-separated terms, tagged with this language, and again with any language."""
    filled = [piece for piece in pieces if piece]
    return [tag_terms(piece, language) for piece in filled] + [tag_terms(piece) for piece in filled]


def tag_terms(terms: str, language: str = "") -> str:
    """Space-separated terms, each with the tag of this language, or of any."""
    tag = f"{LANGUAGE_TAG_SEPARATOR}{language}"
    return terms.replace(" ", f"{tag} ") + tag
