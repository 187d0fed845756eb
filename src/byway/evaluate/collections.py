"""What is there to find, and what should be found? Documents, queries and judgements in a folder.

Two layouts are read:

    docs.jsonl      {"id", "title", "text", "url"}   or  docs*.trec, *.sgml   <DOC>, <DOCNO>, <TEXT>
    queries.jsonl   {"id", "text"}                   or  topics*        <top>, <num>, <title>
    qrels.tsv       query, document, grade           or  qrels*         query 0 document grade

Without documents, queries are for a data folder and judgements name pages by their URLs.
"""

import hashlib
import json
import random
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from byway.core.errors import UsageError
from byway.evaluate.measures import Grades

Judgements = Mapping[str, Grades]
TEXT_ENCODING = "utf-8-sig"
"""Some write a mark before all else."""


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query that somebody judged the answers of."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CollectionDocument:
    """A document as the collection has it."""

    id: str
    title: str
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder with queries and judgements, and mostly with documents."""

    folder: Path
    queries: tuple[JudgedQuery, ...]
    judgements: Judgements

    @property
    def name(self) -> str:
        """What to call it."""
        return self.folder.resolve().name

    @property
    def document_files(self) -> list[Path]:
        """The files that hold its documents; none when it is about a data folder."""
        patterns = ("docs.jsonl", "docs*.trec", "*.sgml")
        return sorted({path for pattern in patterns for path in self.folder.glob(pattern)})

    def documents(self) -> Iterator[CollectionDocument]:
        """Every document, one at a time: there may be many."""
        for path in self.document_files:
            yield from _json_documents(path) if path.suffix == ".jsonl" else _trec_documents(path)

    def sample(self, limit: int) -> list[JudgedQuery]:
        """Some of its queries, the same ones every time."""
        chosen = random.Random(len(self.queries)).sample(
            self.queries, min(limit, len(self.queries))
        )
        return sorted(chosen, key=lambda query: query.id)

    def digest(self) -> str:
        """A name for these documents and no others."""
        digest = hashlib.sha256()
        for path in self.document_files:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()


def read_collection(folder: Path) -> Collection:
    """The collection in a folder; what is missing or wrong is said with its file and line."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; name one with queries.jsonl and qrels.tsv")
    qrels = _one_of(folder, "qrels.tsv", "qrels*")
    path = _one_of(folder, "queries.jsonl", "topics*")
    every = _distinct(path, _json_queries(path) if path.suffix == ".jsonl" else _topics(path))
    judgements = _judgements(qrels, every)
    queries = tuple(query for id, query in every.items() if id in judgements)
    if not queries:
        raise UsageError(f"no query of {path} is judged; do its ids match those of the qrels?")
    asked = {query.id for query in queries}
    kept = {query: judged for query, judged in judgements.items() if query in asked}
    return Collection(folder, queries, kept)


def _one_of(folder: Path, *patterns: str) -> Path:
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            return path
    raise UsageError(f"{folder} has no {' or '.join(patterns)}")


def _distinct(path: Path, queries: Iterator[JudgedQuery]) -> dict[str, JudgedQuery]:
    """The queries by their ids, each of which is there once."""
    found: dict[str, JudgedQuery] = {}
    for query in queries:
        if query.id in found:
            raise UsageError(f"{path}: two queries have the id {query.id!r:.60}; rename one")
        found[query.id] = query
    return found


def _judgements(path: Path, queries: Container[str]) -> Judgements:
    """Lines of query, document, grade; TREC has a further column, which means nothing."""
    found: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_lines(path), 1):
        columns = _columns(line, queries)
        if number == 1 and columns[0] not in queries and not columns[-1].lstrip("-").isdigit():
            continue  # the names of the columns
        try:
            query, document, grade = columns[0], columns[1:][-2], int(columns[-1])
        except (IndexError, ValueError):
            raise _wrong(path, number, "query, document and grade") from None
        known = query if query in queries else _unpadded(query)
        found.setdefault(known, {})[document] = grade
    return found


def _columns(line: str, queries: Container[str]) -> list[str]:
    """The columns of a line: tabs part them if a query is before the first, else any space."""
    columns = [column.strip() for column in line.split("\t")]
    return columns if len(columns) == 3 and columns[0] in queries else line.split()


def _unpadded(id: str) -> str:
    """The number of a topic, which TREC writes as 051 in one file and as 51 in another."""
    return id.lstrip("0") or "0"


def _json_queries(path: Path) -> Iterator[JudgedQuery]:
    for number, item in _json_lines(path):
        if not isinstance(item.get("text"), str) or "id" not in item:
            raise _wrong(path, number, "id and text")
        yield JudgedQuery(str(item["id"]), item["text"])


def _json_documents(path: Path) -> Iterator[CollectionDocument]:
    for number, item in _json_lines(path):
        if "id" not in item:
            raise _wrong(path, number, "id, title and text")
        text = [str(item.get(name) or "") for name in ("title", "text", "url")]
        yield CollectionDocument(str(item["id"]), *text)


def _json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(_lines(path), 1):
        try:
            item = json.loads(line)
        except ValueError:
            raise _wrong(path, number, "JSON") from None
        if not isinstance(item, dict):
            raise _wrong(path, number, "a JSON object")
        yield number, item


TOPIC_PATTERN = re.compile(
    r"<num>\s*(?:Number:)?\s*(\S+?)\s*(?:</num>)?\s*<title>(?:\s*Topic:)?([^<]+)"
)


def _topics(path: Path) -> Iterator[JudgedQuery]:
    """TREC topics: the number and the title, which is what a person would type."""
    for number, title in TOPIC_PATTERN.findall(_text(path)):
        yield JudgedQuery(_unpadded(number), " ".join(title.split()))


DOC_PATTERN = re.compile(r"<DOC>(.*?)</DOC>", re.S | re.I)
TAG_PATTERN = re.compile(r"<[^>]*>")


def _trec_documents(path: Path) -> Iterator[CollectionDocument]:
    for inner in DOC_PATTERN.findall(_text(path)):
        id, title, text = (_element(inner, names) for names in ("DOCNO", "TITLE|HEADLINE", "TEXT"))
        if not id:
            raise UsageError(f"{path}: a <DOC> has no <DOCNO>")
        yield CollectionDocument(id, title, text)


def _element(inner: str, names: str) -> str:
    """What stands between the tags of that name, without further tags."""
    found = re.findall(rf"<({names})>(.*?)</\1>", inner, re.S | re.I)
    return " ".join(TAG_PATTERN.sub(" ", " ".join(text for _, text in found)).split())


def _lines(path: Path) -> Iterator[str]:
    """The lines that are not empty."""
    with path.open(encoding=TEXT_ENCODING, errors="replace") as file:
        yield from (line.rstrip("\r\n") for line in file if line.strip())


def _text(path: Path) -> str:
    return path.read_text(encoding=TEXT_ENCODING, errors="replace")


def _wrong(path: Path, line: int, wanted: str) -> UsageError:
    return UsageError(f"{path}, line {line}: this is not {wanted}")
