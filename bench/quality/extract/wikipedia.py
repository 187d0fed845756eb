"""Does the text of an encyclopedia article stay, and do references and navigation go?

The truth was made by an independent walk over each page: sentences that must be in the text,
texts that must not, and the categories that readers see.
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
    """What became of the pages of a language group."""

    pages: int
    required: int
    kept: int
    forbidden: int
    leaked: int
    partly_removed: int
    """Of what leaked: what is on the page more often than in the text, so that some of it went."""
    correct_categories: int
    """Pages whose categories are the true ones, in their order."""

    @property
    def kept_share(self) -> float:
        """The share of sentences that are still there."""
        return self.kept / max(self.required, 1)

    @property
    def leaked_share(self) -> float:
        """The share of what must go that is still there."""
        return self.leaked / max(self.forbidden, 1)


def retention_by_group() -> dict[str, RetentionCounts]:
    """Each language group, and what became of its pages."""
    folder = require_data("wikipedia")
    pages: dict[str, list[RetentionCounts]] = defaultdict(list)
    for line in (folder / "articles.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        body = (folder / truth["file"]).read_bytes()
        pages[_group(truth["lang"])].append(judge_page(body, truth))
    return {name: _sum(each) for name, each in pages.items()}


def judge_page(body: bytes, truth: Mapping[str, Any]) -> RetentionCounts:
    """One page."""
    read = extract_document(body)
    text, whole = _plain(read.text), _plain(turbohtml.parse(body, encoding="utf-8").text)
    must = [_plain(sentence) in text for sentence in truth["must"]]
    must_not = [_plain(each) for each in _must_not(truth["must_not"])]
    leaks = [each for each in must_not if each in text]
    said = [each for each in leaks if text.count(each) < whole.count(each)]
    # Some pages have the same list of categories twice.
    right = read.attributes.get("categories", []) == [*dict.fromkeys(truth["visible_categories"])]
    return RetentionCounts(
        1, len(must), sum(must), len(must_not), len(leaks), len(said), int(right)
    )


def _must_not(kinds: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for texts in kinds.values():
        yield from texts


def _group(language: str) -> str:
    return {"en": "English", "ru": "Russian"}.get(language, "others")


def _plain(text: str) -> str:
    """White space says nothing, nor do marks like [en] that lead to articles in other languages."""
    return "".join(LANGUAGE_MARK_PATTERN.sub("", text).split())


def _sum(pages: Sequence[RetentionCounts]) -> RetentionCounts:
    return RetentionCounts(
        len(pages),
        sum(page.required for page in pages),
        sum(page.kept for page in pages),
        sum(page.forbidden for page in pages),
        sum(page.leaked for page in pages),
        sum(page.partly_removed for page in pages),
        sum(page.correct_categories for page in pages),
    )
