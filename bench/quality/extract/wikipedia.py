"""Main-text extraction of encyclopedia articles: kept sentences, leaked boilerplate, categories.

The ground truth comes from an independent walk over each page: sentences that must be in the text,
texts that must not be, and the visible categories.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import turbohtml

from bench.quality.extract.reading import extract_document
from bench.test_data import require_data

LANGUAGE_MARK_PATTERN = re.compile(r"\[[a-z]{2,3}\]")


@dataclass(frozen=True, slots=True)
class RetentionCounts:
    """Extraction results of the pages of a language group."""

    pages: int
    required: int
    kept: int
    forbidden: int
    leaked: int
    partly_removed: int
    """Leaked texts that are on the page more often than in the extracted text."""
    correct_categories: int
    """Pages with exactly the expected categories, in order."""

    @property
    def kept_share(self) -> float:
        """The share of required sentences that were kept."""
        return self.kept / max(self.required, 1)

    @property
    def leaked_share(self) -> float:
        """The share of forbidden texts that are left."""
        return self.leaked / max(self.forbidden, 1)


def retention_by_group() -> dict[str, RetentionCounts]:
    """Extraction results by language group."""
    folder = require_data("wikipedia")
    pages: dict[str, list[RetentionCounts]] = defaultdict(list)
    for line in (folder / "articles.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        body = (folder / truth["file"]).read_bytes()
        pages[_group(truth["lang"])].append(judge_page(body, truth))
    return {name: _sum(results) for name, results in pages.items()}


def judge_page(body: bytes, truth: Mapping[str, Any]) -> RetentionCounts:
    """The extraction result of one page."""
    document = extract_document(body)
    text = _without_space(document.text)
    page = _without_space(turbohtml.parse(body, encoding="utf-8").text)
    kept = [_without_space(sentence) in text for sentence in truth["must"]]
    forbidden = [_without_space(phrase) for phrase in _flatten(truth["must_not"])]
    leaks = [phrase for phrase in forbidden if phrase in text]
    partly = [phrase for phrase in leaks if text.count(phrase) < page.count(phrase)]
    # Some pages have the same list of categories twice.
    expected = [*dict.fromkeys(truth["visible_categories"])]
    return RetentionCounts(
        pages=1,
        required=len(kept),
        kept=sum(kept),
        forbidden=len(forbidden),
        leaked=len(leaks),
        partly_removed=len(partly),
        correct_categories=int(document.attributes.get("categories", []) == expected),
    )


def _flatten(kinds: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for texts in kinds.values():
        yield from texts


def _group(language: str) -> str:
    return {"en": "English", "ru": "Russian"}.get(language, "others")


def _without_space(text: str) -> str:
    """The text without white space and without marks like [en], which link to other editions."""
    return "".join(LANGUAGE_MARK_PATTERN.sub("", text).split())


def _sum(pages: Sequence[RetentionCounts]) -> RetentionCounts:
    return RetentionCounts(
        pages=len(pages),
        required=sum(page.required for page in pages),
        kept=sum(page.kept for page in pages),
        forbidden=sum(page.forbidden for page in pages),
        leaked=sum(page.leaked for page in pages),
        partly_removed=sum(page.partly_removed for page in pages),
        correct_categories=sum(page.correct_categories for page in pages),
    )
