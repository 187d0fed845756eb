"""Documents and hits of an indexed crawl, from the HTTP API and the command line."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from bench.comparison.aliases import Aliases
from bench.comparison.crawl_results import DIGEST_CHARS, Values
from bench.comparison.program import Program

TOP_HITS = 10
HIT_FIELDS = ("url", "score", "title", "snippet")
ANSWER_TIMEOUT = 60.0
TIE_DIGITS = 6
"""Hits whose scores agree to so many digits have no order of their own."""


def read_documents(
    program: Program, server: str, urls: Sequence[str], sample: Sequence[str]
) -> Values:
    """Each page as the API tells it and its indexed words; of a sample, all that is extracted."""
    aliases = program.aliases
    found: dict[str, Values] = {url: {"page": _page(server, url, aliases)} for url in urls}
    calls = [["words", url, "--json", "--limit", "0"] for url in urls]
    for url, printed in zip(urls, program.run_each(calls), strict=True):
        found[url]["words"] = words_by_field(aliases.canonical("words", _parsed(printed)))
    both = [url for url in sample if url in found]
    calls = [["extract", url, "--json", "--stored"] for url in both]
    for url, printed in zip(both, program.run_each(calls), strict=True):
        found[url]["extract"] = aliases.canonical("extract", _parsed(printed))
    return found


def read_hits(server: str, queries: Sequence[str], aliases: Aliases) -> Values:
    """The first hits of each query with their scores and signals."""
    return {query: answer_of(_search(server, query), aliases) for query in queries}


def answer_of(answer: Any, aliases: Aliases) -> Values:
    """What is compared of an answer of the search API."""
    answer = aliases.canonical("search", answer)
    return {
        "total": answer.get("total"),
        "instead": answer.get("instead"),
        "near": answer.get("near"),
        "hits": settle_ties([_hit(hit, aliases) for hit in answer["hits"]]),
    }


def settle_ties(hits: list[Values]) -> list[Values]:
    """The same hits, those of equal score in the order of their URLs.

    Without this, ties have the order in which the crawl came to the pages.
    """
    ties = groupby(hits, key=lambda hit: round(hit["score"], TIE_DIGITS))
    return [hit for _, tie in ties for hit in sorted(tie, key=lambda hit: str(hit["url"]))]


def words_by_field(found: Any) -> Values:
    """How many words each field of a page has in the index, and a digest of where they are."""
    fields: dict[str, dict[str, Any]] = defaultdict(dict)
    for one in (found or {}).get("words", []):
        for field, places in one["fields"].items():
            fields[field][one["word"]] = places
    return {
        field: f"{len(words)} words, {_digest(words)}" for field, words in sorted(fields.items())
    }


def _hit(hit: Values, aliases: Aliases) -> Values:
    signals = {
        aliases.old_name("signals", signal["name"]): signal["score"] for signal in hit["signals"]
    }
    return {**{name: hit.get(name) for name in HIT_FIELDS}, "signals": signals}


def _page(server: str, url: str, aliases: Aliases) -> Any:
    """What the API tells of a page; None where it tells nothing."""
    try:
        return aliases.canonical("page", _json(f"{server}/api/v1/page?{urlencode({'url': url})}"))
    except HTTPError as error:
        if error.code == 404:
            return None
        raise


def _search(server: str, query: str) -> Any:
    asked = urlencode({"q": query, "limit": TOP_HITS, "explain": "true"})
    return _json(f"{server}/api/v1/search?{asked}")


def _json(url: str) -> Any:
    with urlopen(url, timeout=ANSWER_TIMEOUT) as answer:
        return json.load(answer)


def _parsed(printed: str) -> Any:
    return json.loads(printed) if printed else None


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_CHARS]
