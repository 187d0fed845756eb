"""Plain BM25 over the text alone, without fields and links: the baseline of the quality figures."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from byway.core.text import terms

K1 = 1.2
B = 0.75


class Bm25:
    """BM25 over postings in memory; a repeated query term counts repeatedly."""

    def __init__(self, documents: Iterable[tuple[str, str, str]]) -> None:
        """`documents`: names, texts and languages."""
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._names: list[str] = []
        lengths = []
        languages: Counter[str] = Counter()
        for number, (name, text, language) in enumerate(documents):
            found = terms(text, language)
            self._names.append(name)
            lengths.append(len(found))
            languages[language] += 1
            for term, count in Counter(found).items():
                postings[term].append((number, count))
        self._postings = {term: np.array(rows) for term, rows in postings.items()}
        length = np.array(lengths, float)
        self._norm = K1 * (1 - B + B * length / max(1.0, length.mean()))
        # Queries are analyzed in the language of most documents.
        self._language = languages.most_common(1)[0][0]

    def search(self, text: str, depth: int) -> Sequence[tuple[str, float]]:
        """The names of the best documents and their scores."""
        scores = np.zeros(len(self._names))
        for term, count in Counter(terms(text, self._language)).items():
            found = self._postings.get(term)
            if found is not None:
                scores[found[:, 0]] += count * self._term_scores(found)
        order = np.argsort(-scores, kind="stable")[:depth]
        return [(self._names[row], float(scores[row])) for row in order if scores[row] > 0]

    def _term_scores(self, found: NDArray[np.int64]) -> NDArray[np.float64]:
        idf = np.log(1 + (len(self._names) - len(found) + 0.5) / (len(found) + 0.5))
        count = found[:, 1]
        scores: NDArray[np.float64] = idf * count * (K1 + 1) / (count + self._norm[found[:, 0]])
        return scores
