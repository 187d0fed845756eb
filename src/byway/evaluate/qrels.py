"""Relevance judgments (qrels) of users, in a folder that `byway eval` reads."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from byway.core.errors import DataError, UsageError
from byway.evaluate.collections import Collection, read_collection

QUERIES_FILE, QRELS_FILE = "queries.jsonl", "qrels.tsv"
MAX_GRADE = 2
"""Grades: 2 answers the query, 1 is related to it, 0 is not relevant."""
MAX_QUERIES = 1000
MAX_PAGES_PER_QUERY = 200
"""Maximum number of pages that can be judged per query."""


@dataclass(frozen=True, slots=True)
class GradedQuery:
    """A query with the relevance grades of pages."""

    id: str
    text: str
    grades: Mapping[str, int]
    """Relevance grades by URL."""


class JudgementStore:
    """The judged queries in a folder, whose files users may also edit."""

    def __init__(
        self, folder: Path, lock: Callable[[], AbstractContextManager[object]] | None = None
    ) -> None:
        """`lock` excludes other writers; by default, other threads."""
        self._folder = folder
        own_lock = Lock()
        self._lock = lock or (lambda: own_lock)

    def all(self) -> list[GradedQuery]:
        """All queries with their grades, in the order in which they were added."""
        collection = self.collection()
        if collection is None:
            return []
        return [
            GradedQuery(query.id, query.text, collection.judgements[query.id])
            for query in collection.queries
        ]

    def collection(self) -> Collection | None:
        """The judgments as a test collection; None while there are none."""
        files = self._folder / QUERIES_FILE, self._folder / QRELS_FILE
        return read_collection(self._folder) if all(file.exists() for file in files) else None

    def grades(self, text: str) -> Mapping[str, int]:
        """The grades of one query's pages."""
        text = _normalize(text)
        return next((query.grades for query in self.all() if query.text == text), {})

    def judge(self, text: str, url: str, grade: int | None) -> None:
        """Set the grade of a page for a query; None removes it."""
        text = _normalize(text)
        if not text or not url or set(url) & set("\t\r\n"):
            raise UsageError("evaluate.incomplete_judgement")
        if grade is not None and not 0 <= grade <= MAX_GRADE:
            raise UsageError("evaluate.bad_grade", maximum=MAX_GRADE)
        with self._lock():
            queries = {query.text: query for query in self.all()}
            query = queries.get(text) or GradedQuery(_new_id(queries.values()), text, {})
            grades = {other: value for other, value in query.grades.items() if other != url}
            if grade is not None:
                grades[url] = grade
            if len(queries | {text: query}) > MAX_QUERIES or len(grades) > MAX_PAGES_PER_QUERY:
                raise UsageError(
                    "evaluate.too_many_judgements",
                    queries=MAX_QUERIES,
                    pages=MAX_PAGES_PER_QUERY,
                )
            self._write(queries | {text: GradedQuery(query.id, text, grades)})

    def forget(self, text: str) -> None:
        """Remove all grades of a query."""
        with self._lock():
            queries = {query.text: query for query in self.all()}
            queries.pop(_normalize(text), None)
            self._write(queries)

    def _write(self, queries: Mapping[str, GradedQuery]) -> None:
        graded = [query for query in queries.values() if query.grades]
        query_lines = [
            json.dumps({"id": query.id, "text": query.text}, ensure_ascii=False) for query in graded
        ]
        qrel_lines = [
            f"{query.id}\t{url}\t{grade}" for query in graded for url, grade in query.grades.items()
        ]
        try:
            self._folder.mkdir(exist_ok=True)
            # Between the two writes, a reader sees a query without grades and ignores it.
            _replace(self._folder / QUERIES_FILE, query_lines)
            _replace(self._folder / QRELS_FILE, qrel_lines)
        except OSError as error:
            raise DataError(
                "evaluate.cannot_write", path=self._folder, problem=str(error.strerror)
            ) from error


def _replace(path: Path, lines: list[str]) -> None:
    if not lines:
        path.unlink(missing_ok=True)
        return
    draft = path.with_suffix(".draft")
    with draft.open("w", encoding="utf-8", errors="replace") as file:
        file.writelines(f"{line}\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _normalize(text: str) -> str:
    return " ".join(text.split())


def _new_id(queries: Iterable[GradedQuery]) -> str:
    numeric_ids = (
        int(query.id) for query in queries if query.id.isdecimal() and len(query.id) < 10
    )
    return str(max(numeric_ids, default=0) + 1)
