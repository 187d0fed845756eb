"""Test collections: documents, queries and relevance judgments in a folder.

Two layouts are read:

    docs.jsonl      {"id", "title", "text", "url"}   or  docs*.trec, *.sgml   <DOC>, <DOCNO>, <TEXT>
    queries.jsonl   {"id", "text"}                   or  topics*        <top>, <num>, <title>
    qrels.tsv       query, document, grade           or  qrels*         query 0 document grade

Without documents, the queries are for a data folder, and judgments name pages by URL.
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
"""UTF-8, with or without a byte order mark."""


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query with relevance judgments."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CollectionDocument:
    """A document of a collection."""

    id: str
    title: str
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder with queries and judgments, and usually with documents."""

    folder: Path
    queries: tuple[JudgedQuery, ...]
    judgements: Judgements

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.resolve().name

    @property
    def document_files(self) -> list[Path]:
        """The files with its documents; none if the queries are for a data folder."""
        patterns = ("docs.jsonl", "docs*.trec", "*.sgml")
        return sorted({path for pattern in patterns for path in self.folder.glob(pattern)})

    def documents(self) -> Iterator[CollectionDocument]:
        """All documents, one at a time."""
        for path in self.document_files:
            yield from _json_documents(path) if path.suffix == ".jsonl" else _trec_documents(path)

    def sample(self, limit: int) -> list[JudgedQuery]:
        """A fixed sample of its queries."""
        queries = random.Random(len(self.queries)).sample(
            self.queries, min(limit, len(self.queries))
        )
        return sorted(queries, key=lambda query: query.id)

    def digest(self) -> str:
        """A SHA-256 digest of its documents."""
        digest = hashlib.sha256()
        for path in self.document_files:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()


def read_collection(folder: Path) -> Collection:
    """The collection in a folder; errors name the file and line."""
    if not folder.is_dir():
        raise UsageError("evaluate.not_a_folder", path=folder)
    qrels = _first_match(folder, "qrels.tsv", "qrels*")
    path = _first_match(folder, "queries.jsonl", "topics*")
    parsed = _json_queries(path) if path.suffix == ".jsonl" else _topics(path)
    queries_by_id = _by_unique_id(path, parsed)
    judgements = _read_judgements(qrels, queries_by_id)
    queries = tuple(query for id, query in queries_by_id.items() if id in judgements)
    if not queries:
        raise UsageError("evaluate.no_judged_queries", path=path)
    ids = {query.id for query in queries}
    judged = {query: grades for query, grades in judgements.items() if query in ids}
    return Collection(folder, queries, judged)


def _first_match(folder: Path, *patterns: str) -> Path:
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            return path
    raise UsageError("evaluate.missing_file", path=folder, names=patterns)


def _by_unique_id(path: Path, queries: Iterator[JudgedQuery]) -> dict[str, JudgedQuery]:
    """The queries by id; a repeated id is an error."""
    query_by_id: dict[str, JudgedQuery] = {}
    for query in queries:
        if query.id in query_by_id:
            raise UsageError("evaluate.repeated_query_id", path=path, id=query.id[:60])
        query_by_id[query.id] = query
    return query_by_id


def _read_judgements(path: Path, queries: Container[str]) -> Judgements:
    """Read lines of query, document and grade; TREC's additional column is ignored."""
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_lines(path), 1):
        columns = _columns(line, queries)
        if number == 1 and columns[0] not in queries and not columns[-1].lstrip("-").isdigit():
            continue  # a header
        try:
            query, document, grade = columns[0], columns[1:][-2], int(columns[-1])
        except (IndexError, ValueError):
            raise UsageError("evaluate.bad_judgement", path=path, line=number) from None
        id = query if query in queries else _unpadded(query)
        judgements.setdefault(id, {})[document] = grade
    return judgements


def _columns(line: str, queries: Container[str]) -> list[str]:
    """The columns of a line: split at tabs if the first is a query id, otherwise at whitespace."""
    columns = [column.strip() for column in line.split("\t")]
    return columns if len(columns) == 3 and columns[0] in queries else line.split()


def _unpadded(id: str) -> str:
    """A topic number without leading zeros: TREC files have both 051 and 51."""
    return id.lstrip("0") or "0"


def _json_queries(path: Path) -> Iterator[JudgedQuery]:
    for number, item in _json_lines(path):
        if not isinstance(item.get("text"), str) or "id" not in item:
            raise UsageError("evaluate.bad_query", path=path, line=number)
        yield JudgedQuery(str(item["id"]), item["text"])


def _json_documents(path: Path) -> Iterator[CollectionDocument]:
    for number, item in _json_lines(path):
        if "id" not in item:
            raise UsageError("evaluate.bad_document", path=path, line=number)
        title, text, url = (str(item.get(name) or "") for name in ("title", "text", "url"))
        yield CollectionDocument(str(item["id"]), title, text, url)


def _json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(_lines(path), 1):
        try:
            item = json.loads(line)
        except ValueError:
            raise UsageError("evaluate.bad_json", path=path, line=number) from None
        if not isinstance(item, dict):
            raise UsageError("evaluate.not_a_json_object", path=path, line=number)
        yield number, item


TOPIC_PATTERN = re.compile(
    r"<num>\s*(?:Number:)?\s*(\S+?)\s*(?:</num>)?\s*<title>(?:\s*Topic:)?([^<]+)"
)


def _topics(path: Path) -> Iterator[JudgedQuery]:
    """TREC topics: the number, and the title, which is the short query."""
    for number, title in TOPIC_PATTERN.findall(_text(path)):
        yield JudgedQuery(_unpadded(number), " ".join(title.split()))


DOC_PATTERN = re.compile(r"<DOC>(.*?)</DOC>", re.S | re.I)
TAG_PATTERN = re.compile(r"<[^>]*>")


def _trec_documents(path: Path) -> Iterator[CollectionDocument]:
    for inner in DOC_PATTERN.findall(_text(path)):
        id, title, text = (_element(inner, names) for names in ("DOCNO", "TITLE|HEADLINE", "TEXT"))
        if not id:
            raise UsageError("evaluate.missing_docno", path=path)
        yield CollectionDocument(id, title, text)


def _element(inner: str, names: str) -> str:
    """The text of the elements with one of these names (`a|b`), without inner tags."""
    matches = re.findall(rf"<({names})>(.*?)</\1>", inner, re.S | re.I)
    return " ".join(TAG_PATTERN.sub(" ", " ".join(text for _, text in matches)).split())


def _lines(path: Path) -> Iterator[str]:
    """The non-empty lines."""
    with path.open(encoding=TEXT_ENCODING, errors="replace") as file:
        yield from (line.rstrip("\r\n") for line in file if line.strip())


def _text(path: Path) -> str:
    return path.read_text(encoding=TEXT_ENCODING, errors="replace")
