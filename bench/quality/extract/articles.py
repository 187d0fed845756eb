"""Main-text extraction of articles: precision, recall and F1 of words.

The pages are the test pages of Mozilla's Readability with the articles it expects. The score of a
page counts the words, with repetitions, that the extracted text shares with the expected text: as a
share of its own words (precision) and of the expected words (recall). Means are over pages. Every
other page is a design page, on which constants in the code were chosen; the rest are held out.
"""

import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import turbohtml
from turbohtml import PlainText

from bench.quality.extract.peers import PEERS
from bench.quality.extract.reading import extract_document
from bench.speed.environment import BENCH_FOLDER, peers_python
from bench.test_data import require_data

WORD_PATTERN = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W_]+")
"""A word, or a single character of scripts without spaces between words."""
TEXT_LAYOUT = PlainText(layout="strict", bullet="")


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one text, or the mean of many."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class ExtractorResult:
    """The result of one extractor."""

    name: str
    all: Score
    design: Score
    held_out: Score
    pages_per_second: float
    """By CPU time on one core, without reading files."""


def compare_extractors() -> list[ExtractorResult]:
    """The results of byway and its peers on the same pages."""
    folders = sorted(require_data("extraction/readability/test/test-pages").iterdir())
    expected = [_words(_html_text((folder / "expected.html").read_bytes())) for folder in folders]
    sources = [folder / "source.html" for folder in folders]
    found = [_result("byway", *_byway(sources), expected)]
    for name in PEERS:
        texts, cpu = _peer(name, sources)
        if name == "readability-lxml":
            texts = [_html_text(text.encode()) for text in texts]
        found.append(_result(name, texts, cpu, expected))
    return found


def score_text(text: str, expected: Counter[str]) -> Score:
    """The score of a text against the expected words."""
    words = _words(text)
    shared = (words & expected).total()
    precision = shared / max(words.total(), 1)
    recall = shared / max(expected.total(), 1)
    return Score(precision, recall, 2 * precision * recall / ((precision + recall) or 1))


def _byway(sources: Sequence[Path]) -> tuple[list[str], float]:
    bodies = [source.read_bytes() for source in sources]
    extract_document(bodies[0])
    start = time.process_time()
    texts = [extract_document(body).text for body in bodies]
    return texts, time.process_time() - start


def _peer(name: str, sources: Sequence[Path]) -> tuple[list[str], float]:
    done = subprocess.run(
        [peers_python(), "-m", "bench.quality.extract.peers", name],
        input="".join(f"{source}\n" for source in sources),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # peers print warnings
        text=True,
        cwd=BENCH_FOLDER.parent,
        env={},
        check=True,
    )
    result = json.loads(done.stdout)
    return result["texts"], result["cpu"]


def _result(
    name: str, texts: Sequence[str], cpu: float, expected: Sequence[Counter[str]]
) -> ExtractorResult:
    scores = [score_text(text, words) for text, words in zip(texts, expected, strict=True)]
    return ExtractorResult(
        name=name,
        all=_mean(scores),
        design=_mean(scores[::2]),
        held_out=_mean(scores[1::2]),
        pages_per_second=len(texts) / max(cpu, 1e-9),
    )


def _mean(scores: Sequence[Score]) -> Score:
    return Score(
        fmean(score.precision for score in scores),
        fmean(score.recall for score in scores),
        fmean(score.f1 for score in scores),
    )


def _words(text: str) -> Counter[str]:
    return Counter(WORD_PATTERN.findall(text.lower()))


def _html_text(body: bytes) -> str:
    return turbohtml.parse(body, encoding="utf-8").to_text(TEXT_LAYOUT)
