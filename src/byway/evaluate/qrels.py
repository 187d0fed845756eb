"""What did somebody make of the answers? Grades by query, in a folder that `byway eval` reads."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from byway.core.errors import DataError, UsageError
from byway.evaluate.collections import Collection, read_collection

QUERIES_FILE, QRELS_FILE = "queries.jsonl", "qrels.tsv"
MAX_GRADE = 2
"""The highest grade: 2 answers the query, 1 is somewhat about it, 0 is not."""
MAX_QUERIES = 1000
MAX_PAGES_PER_QUERY = 200
"""Pages of one query that can be judged."""


@dataclass(frozen=True, slots=True)
class GradedQuery:
    """A query, and how good which pages are as answers to it."""

    id: str
    text: str
    grades: Mapping[str, int]
    """By URL."""


class JudgementStore:
    """The judged queries in a folder, which people may write to as well. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()

    def all(self) -> list[GradedQuery]:
        """Every query with its grades, in the order in which they came."""
        found = self.collection()
        if found is None:
            return []
        return [GradedQuery(one.id, one.text, found.judgements[one.id]) for one in found.queries]

    def collection(self) -> Collection | None:
        """The same as `byway eval` has it; None while nothing is judged."""
        there = (self._folder / QUERIES_FILE).exists() and (self._folder / QRELS_FILE).exists()
        return read_collection(self._folder) if there else None

    def grades(self, text: str) -> Mapping[str, int]:
        """The grades of one query's pages."""
        text = _plain(text)
        return next((one.grades for one in self.all() if one.text == text), {})

    def judge(self, text: str, url: str, grade: int | None) -> None:
        """Grade a page as an answer to a query, or take its grade back."""
        text = _plain(text)
        if not text or not url or set(url) & set("\t\r\n"):
            raise UsageError("a judgement needs a query and the URL of a page")
        if grade is not None and not 0 <= grade <= MAX_GRADE:
            raise UsageError(f"a grade is a number from 0 to {MAX_GRADE}")
        with self._lock:
            known = {one.text: one for one in self.all()}
            before = known.get(text) or GradedQuery(_new_id(known.values()), text, {})
            grades = {name: one for name, one in before.grades.items() if name != url}
            if grade is not None:
                grades[url] = grade
            if len(known | {text: before}) > MAX_QUERIES or len(grades) > MAX_PAGES_PER_QUERY:
                raise UsageError(
                    f"at most {MAX_QUERIES} queries with {MAX_PAGES_PER_QUERY} pages each"
                )
            self._write(known | {text: GradedQuery(before.id, text, grades)})

    def forget(self, text: str) -> None:
        """Take back all grades of a query."""
        with self._lock:
            known = {one.text: one for one in self.all()}
            known.pop(_plain(text), None)
            self._write(known)

    def _write(self, queries: Mapping[str, GradedQuery]) -> None:
        kept = [one for one in queries.values() if one.grades]
        asked = [json.dumps({"id": one.id, "text": one.text}, ensure_ascii=False) for one in kept]
        grades = [f"{one.id}\t{url}\t{grade}" for one in kept for url, grade in one.grades.items()]
        try:
            self._folder.mkdir(exist_ok=True)
            # Who reads in between finds a query without grades, which counts for nothing.
            _replace(self._folder / QUERIES_FILE, asked)
            _replace(self._folder / QRELS_FILE, grades)
        except OSError as error:
            raise DataError(f"cannot write to {self._folder}: {error.strerror}") from error


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


def _plain(text: str) -> str:
    return " ".join(text.split())


def _new_id(known: Iterable[GradedQuery]) -> str:
    numbers = (int(one.id) for one in known if one.id.isdecimal() and len(one.id) < 10)
    return str(max(numbers, default=0) + 1)
