"""Is the language of a text told right, by its words alone?

The texts are paragraphs and passages whose language is known, the text of encyclopedia pages of
every edition and of their middles, and that of articles whose pages declare a language. What
pages declare is not shown to the detector.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import turbohtml

from bench.quality.extract.data import data
from bench.quality.extract.reading import document
from byway.extract.language.bilingual import SAMPLE
from byway.extract.language.detect import LEAST, declared, detected

Sample = tuple[str, str]
"""A language, and a text in it."""


@dataclass(frozen=True, slots=True)
class Told:
    """How many texts of a kind were told right."""

    texts: int
    right: int
    microseconds: float
    """Of CPU time, for one text."""

    @property
    def share(self) -> float:
        """The share of them."""
        return self.right / max(self.texts, 1)


def groups() -> dict[str, Told]:
    """Each kind of text, and how many of it were told right."""
    kinds: dict[str, Callable[[], Iterator[Sample]]] = {
        "English paragraphs": lambda: _paragraphs("xquad-en", "en"),
        "German paragraphs": lambda: _paragraphs("xquad-de", "de"),
        "Russian paragraphs": lambda: _paragraphs("xquad-ru", "ru"),
        "Russian passages": lambda: _paragraphs("danetqa-ru", "ru"),
        "Wikipedia": lambda: (sample for sample, _ in _encyclopedia()),
        "Wikipedia, middle": lambda: (middle for _, middle in _encyclopedia()),
        "articles": _articles,
    }
    return {name: _told([*samples()]) for name, samples in kinds.items()}


def _told(samples: Sequence[Sample]) -> Told:
    long = [(language, text) for language, text in samples if len(text) >= LEAST]
    start = time.process_time()
    right = sum(detected(text) == language for language, text in long)
    return Told(len(long), right, (time.process_time() - start) / max(len(long), 1) * 1e6)


def _paragraphs(name: str, language: str) -> Iterator[Sample]:
    path = data(f"relevance/{name}/docs.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines():
        yield language, json.loads(line)["text"]


def _encyclopedia() -> Iterator[tuple[Sample, Sample]]:
    folder = data("wikipedia")
    for line in (folder / "articles.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        text = document((folder / truth["file"]).read_bytes()).text
        middle = text[len(text) // 2 :][:SAMPLE]
        yield (truth["lang"], text), (truth["lang"], middle)


def _articles() -> Iterator[Sample]:
    """Articles whose page declares a language; those of nonsense words are in none."""
    for folder in sorted(data("extraction/readability/test/test-pages").iterdir()):
        body = (folder / "source.html").read_bytes()
        language = _declared(folder / "source.html")
        text = document(body).text
        if language and "lorem ipsum" not in text.lower():
            yield language, text


def _declared(page: Path) -> str:
    root = turbohtml.parse(page.read_bytes(), encoding="utf-8").root
    return declared((root.attr("lang") or "") if root is not None else "")
