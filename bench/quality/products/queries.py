"""Do queries for goods find what they should? All of it, and nothing else.

Over the village's shops every query has its exact set of pages, which follows from goods.toml, what
a person read on these pages. The judged Russian ones are over
eighty goods of real shops, of which only names, snippets and sizes are left: too few for more than
a look at the order.
"""

import json
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from math import log2
from pathlib import Path

from bench.quality.products.crawled import crawl_shops
from byway.core.model import Chip, Document, Query, UrlId
from byway.core.model.codec import pack
from byway.core.settings.schema import SearchSettings
from byway.core.url import normalize
from byway.products.record import PRODUCT_ATTRIBUTE, Product, filters_of, product_to_dict
from byway.products.sizes import format_sizes, parse_sizes
from byway.products.vocabulary.lookup import default_vocabulary
from byway.search.searcher import Searcher
from byway.storage.memory.stores import MemoryDocumentStore, MemoryRankStore, MemorySearchIndex

QUERIES_PATH = Path(__file__).with_name("queries.toml")
HARD_ATTRIBUTES = ("size", "price", "colour")
SIZES_LABEL = "Доступные размеры:"


def measure_village() -> tuple[dict[str, float], list[str]]:
    """How precise and complete the answers are over the village, and what was wrong."""
    told = tomllib.loads(QUERIES_PATH.read_text("utf-8"))["queries"]
    wrong: list[str] = []
    precise, complete = [], []
    with tempfile.TemporaryDirectory() as folder, crawl_shops(Path(folder) / "data") as village:
        for one in told:
            results, wanted = village.search(one["query"]), set(one["pages"])
            found = set() if results.partial_match else set(village.paths(results))
            wrong += [
                f"{one['query']}: {path} is not, in {chip.attribute}"
                for path, hit in zip(village.paths(results), results.hits, strict=True)
                for chip in results.chips
                if not _keeps(hit.product, chip)
            ]
            precise.append(len(found & wanted) / len(found) if found else 1.0)
            complete.append(len(found & wanted) / len(wanted) if wanted else 1.0)
            wrong += [f"{one['query']}: {each} is missing" for each in sorted(wanted - found)]
            wrong += [f"{one['query']}: {each} is too much" for each in sorted(found - wanted)]
    figures = {
        "queries": float(len(told)),
        "precision": _mean(precise),
        "recall": _mean(complete),
    }
    return figures, wrong


def _keeps(product: Mapping[str, object], chip: Chip) -> bool:
    """Is a hit, near or not, what a hard chip asks for, or does its page not say?"""
    filters = product.get("filters")
    return _has_value(filters if isinstance(filters, dict) else {}, chip)


def measure_judged(folder: Path) -> dict[str, float]:
    """nDCG@10 of the judged queries, understood and as plain words; and are hard chips kept?"""
    documents = [_document(n, line) for n, line in enumerate(_lines(folder / "docs.jsonl"), 1)]
    judgements = _judgements(folder / "qrels.tsv")
    searcher = _searcher(documents)
    scores: dict[bool, list[float]] = {True: [], False: []}
    kept_hard = []
    for query in _lines(folder / "queries.jsonl"):
        relevant = judgements[query["id"]]
        for products, each in scores.items():
            results = searcher.search(Query(query["text"], 100, product_search=products))
            ids = [documents[hit.id - 1][0] for hit in results.hits]
            each.append(_ndcg(ids, relevant))
            if products:
                found = [documents[hit.id - 1][1] for hit in results.hits]
                kept_hard += [_has(one, chip) for one in found for chip in results.chips]
    return {
        "judged nDCG@10": _mean(scores[True]),
        "judged nDCG@10 as plain words": _mean(scores[False]),
        "judged precision on hard attributes": _mean(map(float, kept_hard)),
    }


def _document(number: int, line: Mapping[str, str]) -> tuple[str, Document]:
    """Goods of which a name, a snippet and sizes are left, as a product."""
    vocabulary = default_vocabulary()
    text, _, sizes = line["text"].partition(SIZES_LABEL)
    product = Product(
        name=line["title"] or text[:60],
        colours=vocabulary.find_mentioned_values("colour", f"{line['title']} {text} {line['url']}")[
            :1
        ],
        sizes=format_sizes(parse_sizes(sizes)),
        price=float(line["price"]) if line["price"] else None,
        currency="RUB",
        description=text,
    )
    category = f"{line['title']} {text}"
    document = Document(
        normalize(line["url"]),
        UrlId(number),
        line["title"],
        line["text"],
        language="ru",
        attributes={PRODUCT_ATTRIBUTE: product_to_dict(product, vocabulary, category)},
    )
    return line["id"], document


def _searcher(documents: Sequence[tuple[str, Document]]) -> Searcher:
    store, index = MemoryDocumentStore(), MemorySearchIndex()
    store.put((one.id, one.id, pack(one)) for _, one in documents)
    index.add([one for _, one in documents])
    index.commit(1)
    return Searcher(SearchSettings(), index, store, MemoryRankStore())


def _has(document: Document, chip: Chip) -> bool:
    """Is a product what a hard chip asks for, or does its page not say?"""
    return _has_value(filters_of(document), chip)


def _has_value(filters: Mapping[str, object], chip: Chip) -> bool:
    if chip.attribute not in HARD_ATTRIBUTES or chip.attribute not in filters:
        return True
    value = filters[chip.attribute]
    values = value if isinstance(value, list) else [value]
    if chip.is_numeric:
        return any(isinstance(one, float) and chip.minimum <= one <= chip.maximum for one in values)
    return chip.value in values


def _ndcg(ids: Sequence[str], relevant: Mapping[str, int]) -> float:
    best = sorted(relevant.values(), reverse=True)[:10]
    gained = [relevant.get(id, 0) for id in ids[:10]]
    ideal = _gain(best)
    return _gain(gained) / ideal if ideal else 0.0


def _gain(relevances: Iterable[int]) -> float:
    return sum(one / log2(place + 2) for place, one in enumerate(relevances))


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        query, document, relevance = line.split("\t")
        found.setdefault(query, {})[document] = int(relevance)
    return found


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _mean(values: Iterable[float]) -> float:
    each = list(values)
    return sum(each) / len(each) if each else 1.0
