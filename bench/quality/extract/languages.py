"""Accuracy of language detection by the text alone.

The texts are paragraphs and passages of a known language, encyclopedia pages of every edition and
samples of their middles, and articles whose pages declare a language. The detector does not see the
declaration.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import turbohtml

from bench.quality.extract.reading import extract_document
from bench.test_data import require_data
from byway.extract.language import (
    MIN_TEXT_CHARS,
    SAMPLE_CHARS,
    detect_text_language,
    language_from_tag,
)

Sample = tuple[str, str]
"""A language, and a text in it."""


@dataclass(frozen=True, slots=True)
class DetectionCounts:
    """Detection results of a group of texts."""

    texts: int
    correct: int
    microseconds_per_text: float
    """CPU time of one text."""

    @property
    def accuracy(self) -> float:
        """The share of texts with the correct language."""
        return self.correct / max(self.texts, 1)


def accuracy_by_group() -> dict[str, DetectionCounts]:
    """Detection results by group of texts."""
    groups: dict[str, Callable[[], Iterator[Sample]]] = {
        "English paragraphs": lambda: _paragraphs("xquad-en", "en"),
        "German paragraphs": lambda: _paragraphs("xquad-de", "de"),
        "Russian paragraphs": lambda: _paragraphs("xquad-ru", "ru"),
        "Russian passages": lambda: _paragraphs("danetqa-ru", "ru"),
        "Wikipedia": lambda: (sample for sample, _ in _encyclopedia()),
        "Wikipedia, middle": lambda: (middle for _, middle in _encyclopedia()),
        "articles": _articles,
    }
    return {name: _measure([*samples()]) for name, samples in groups.items()}


def _measure(samples: Sequence[Sample]) -> DetectionCounts:
    long = [(language, text) for language, text in samples if len(text) >= MIN_TEXT_CHARS]
    start = time.process_time()
    correct = sum(detect_text_language(text) == language for language, text in long)
    seconds = time.process_time() - start
    return DetectionCounts(len(long), correct, seconds / max(len(long), 1) * 1e6)


def _paragraphs(name: str, language: str) -> Iterator[Sample]:
    path = require_data(f"relevance/{name}/docs.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines():
        yield language, json.loads(line)["text"]


def _encyclopedia() -> Iterator[tuple[Sample, Sample]]:
    folder = require_data("wikipedia")
    for line in (folder / "articles.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        text = extract_document((folder / truth["file"]).read_bytes()).text
        middle = text[len(text) // 2 :][:SAMPLE_CHARS]
        yield (truth["lang"], text), (truth["lang"], middle)


def _articles() -> Iterator[Sample]:
    """Articles whose page declares a language, without filler texts."""
    for folder in sorted(require_data("extraction/readability/test/test-pages").iterdir()):
        body = (folder / "source.html").read_bytes()
        language = _declared_language(folder / "source.html")
        text = extract_document(body).text
        if language and "lorem ipsum" not in text.lower():
            yield language, text


def _declared_language(page: Path) -> str:
    root = turbohtml.parse(page.read_bytes(), encoding="utf-8").root
    return language_from_tag((root.attr("lang") or "") if root is not None else "")
