"""Words and titles of documents in memory: reference term dictionary and suggestions."""

from collections import Counter
from collections.abc import Callable, Iterable

from byway.core.model import Document
from byway.core.ports import FuzzyMatch, Suggestion
from byway.core.text import (
    fold_surface_form,
    fold_text,
    normalize_phrase,
    page_names,
    surface_forms,
    tokenize,
)

Documents = Callable[[], Iterable[Document]]


class MemoryTermDictionary:
    """The words of the documents, counted at each call."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def fuzzy(self, word: str, max_distance: int) -> list[FuzzyMatch]:
        counts, word = self._counts(), fold_text(word)
        found = (FuzzyMatch(other, _distance(word, other), counts[other]) for other in counts)
        kept = [match for match in found if 0 < match.distance <= max_distance]
        return sorted(kept, key=lambda match: (match.distance, -match.page_count, match.word))

    def prefix(self, prefix: str, limit: int) -> dict[str, int]:
        return self._best(lambda word: word.startswith(prefix), limit)

    def fuzzy_prefix(self, prefix: str, limit: int) -> dict[str, int]:
        return self._best(lambda word: word[0] == prefix[0] and _begins_nearly(word, prefix), limit)

    def surface_forms(self, word: str) -> dict[str, int]:
        return Counter(
            form
            for document in self._documents()
            for form in {*surface_forms(document.title), *surface_forms(document.text)}
            if fold_surface_form(form) == word
        )

    def _best(self, is_match: Callable[[str], bool], limit: int) -> dict[str, int]:
        counts = self._counts()
        found = sorted(filter(is_match, counts), key=lambda word: (-counts[word], word))
        return {word: counts[word] for word in found[:limit]}

    def _counts(self) -> Counter[str]:
        return Counter(
            word
            for document in self._documents()
            for word in {*tokenize(document.title), *tokenize(document.text)}
            if word.isalpha() and len(word) > 2
        )


class MemorySuggestions:
    """The titles of the documents."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def complete(self, prefix: str, limit: int) -> list[Suggestion]:
        key = normalize_phrase(prefix)
        return self._find(lambda phrase: phrase.startswith(key), limit) if key else []

    def fuzzy_complete(self, prefix: str, limit: int) -> list[Suggestion]:
        key = normalize_phrase(prefix)
        return self._find(lambda phrase: _begins_nearly(phrase, key), limit)

    def _find(self, begins: Callable[[str], bool], limit: int) -> list[Suggestion]:
        """Titles for which `begins` is true of the text starting at one of their words."""
        names: Counter[str] = Counter()
        for document in self._documents():
            main = (heading.text for heading in document.headings if heading.level == 1)
            names.update(page_names(document.title, main))
        found = []
        for name, count in names.items():
            words = normalize_phrase(name).split()
            places = [n for n in range(len(words)) if begins(" ".join(words[n:]))]
            found += [Suggestion(name, places[0] > 0, count)] if places else []
        found.sort(key=lambda one: (one.is_inner, -one.weight, len(one.text), one.text))
        return found[:limit]


def _begins_nearly(text: str, prefix: str) -> bool:
    """Whether the text begins with the prefix, except for one edit."""
    lengths = range(len(prefix) - 1, len(prefix) + 2)
    return any(_distance(prefix, text[:length]) == 1 for length in lengths)


def _distance(one: str, other: str) -> int:
    """Edit distance: substitutions, deletions, insertions and transpositions."""
    before: list[int] = []
    line = list(range(len(other) + 1))
    for n, letter in enumerate(one, 1):
        here = [n]
        for m, against in enumerate(other, 1):
            best = min(here[-1] + 1, line[m] + 1, line[m - 1] + (letter != against))
            if n > 1 and m > 1 and letter == other[m - 2] and one[n - 2] == against:
                best = min(best, before[m - 2] + 1)
            here.append(best)
        before, line = line, here
    return line[-1]
