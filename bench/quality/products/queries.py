"""Product queries: precision and recall over the village, nDCG over judged queries.

Over the shops of the village every query has an exact set of pages, which follows from goods.toml,
the hand-made ground truth. The judged Russian queries are over eighty products of real shops, of
which only names, snippets and sizes are left: enough to check the ranking only.
"""

import json
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from math import log2
from pathlib import Path

from bench.quality.products.village_shops import crawl_shops
from byway.app.verticals.vertical_folders import load_verticals
from byway.core.model import Chip, Document, Query, UrlId
from byway.core.model.document import pack
from byway.core.settings.schema import SearchSettings
from byway.core.url import normalize
from byway.products.record import PRODUCT_ATTRIBUTE, Product, filters_of, product_to_dict
from byway.products.sizes import format_sizes, parse_sizes
from byway.products.vocabulary.lookup import default_vocabulary
from byway.search.rank.position_features import position_features
from byway.search.searcher import Searcher
from byway.storage.memory.documents import MemoryDocumentStore
from byway.storage.memory.search_index import MemorySearchIndex
from byway.storage.memory.storage import MemoryRankStore

QUERIES_PATH = Path(__file__).with_name("queries.toml")
HARD_ATTRIBUTES = ("size", "price", "colour")
SIZES_LABEL = "Доступные размеры:"


def measure_village() -> tuple[dict[str, float], list[str]]:
    """Precision and recall over the village, and a line for each wrong result."""
    queries = tomllib.loads(QUERIES_PATH.read_text("utf-8"))["queries"]
    wrong: list[str] = []
    precisions, recalls = [], []
    with tempfile.TemporaryDirectory() as folder, crawl_shops(Path(folder) / "data") as village:
        for query in queries:
            results, expected = village.search(query["query"]), set(query["pages"])
            found = set() if results.partial_match else set(village.paths(results))
            wrong += [
                f"{query['query']}: {path} does not match the {chip.attribute}"
                for path, hit in zip(village.paths(results), results.hits, strict=True)
                for chip in results.chips
                if not _product_matches(hit.records["product"], chip)
            ]
            precisions.append(len(found & expected) / len(found) if found else 1.0)
            recalls.append(len(found & expected) / len(expected) if expected else 1.0)
            wrong += [f"{query['query']}: {path} is missing" for path in sorted(expected - found)]
            wrong += [f"{query['query']}: {path} is wrong" for path in sorted(found - expected)]
    figures = {
        "queries": float(len(queries)),
        "precision": _mean(precisions),
        "recall": _mean(recalls),
    }
    return figures, wrong


def _product_matches(product: Mapping[str, object], chip: Chip) -> bool:
    """Does a hit match a hard chip, or have no value for it?"""
    filters = product.get("filters")
    return _values_match(filters if isinstance(filters, dict) else {}, chip)


def measure_judged(folder: Path) -> dict[str, float]:
    """nDCG@10 of the judged queries, with and without product search; precision of hard chips."""
    documents = [_document(n, line) for n, line in enumerate(_lines(folder / "docs.jsonl"), 1)]
    judgements = _judgements(folder / "qrels.tsv")
    searcher = _searcher(documents)
    scores: dict[bool, list[float]] = {True: [], False: []}
    chip_matches = []
    for query in _lines(folder / "queries.jsonl"):
        relevant = judgements[query["id"]]
        for products, values in scores.items():
            results = searcher.search(
                Query(query["text"], 100, vertical="products" if products else "")
            )
            ids = [documents[hit.id - 1][0] for hit in results.hits]
            values.append(_ndcg(ids, relevant))
            if products:
                found = [documents[hit.id - 1][1] for hit in results.hits]
                chip_matches += [
                    _document_matches(document, chip)
                    for document in found
                    for chip in results.chips
                ]
    return {
        "judged nDCG@10": _mean(scores[True]),
        "judged nDCG@10 as plain words": _mean(scores[False]),
        "judged precision on hard attributes": _mean(map(float, chip_matches)),
    }


def _document(number: int, line: Mapping[str, str]) -> tuple[str, Document]:
    """A product document from a name, a snippet and sizes."""
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
    store, index = MemoryDocumentStore(), MemorySearchIndex(position_features)
    store.put((document.id, document.id, pack(document)) for _, document in documents)
    index.add([document for _, document in documents])
    index.commit(1)
    return Searcher(
        SearchSettings(), index.ports, store, MemoryRankStore(), verticals=load_verticals()
    )


def _document_matches(document: Document, chip: Chip) -> bool:
    """Does a product match a hard chip, or have no value for it?"""
    return _values_match(filters_of(document), chip)


def _values_match(filters: Mapping[str, object], chip: Chip) -> bool:
    if chip.attribute not in HARD_ATTRIBUTES or chip.attribute not in filters:
        return True
    value = filters[chip.attribute]
    values = value if isinstance(value, list) else [value]
    if chip.is_numeric:
        return any(
            isinstance(number, float) and chip.minimum <= number <= chip.maximum
            for number in values
        )
    return chip.value in values


def _ndcg(ids: Sequence[str], relevant: Mapping[str, int]) -> float:
    best = sorted(relevant.values(), reverse=True)[:10]
    gains = [relevant.get(id, 0) for id in ids[:10]]
    ideal = _dcg(best)
    return _dcg(gains) / ideal if ideal else 0.0


def _dcg(gains: Iterable[int]) -> float:
    return sum(gain / log2(rank + 2) for rank, gain in enumerate(gains))


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        query, document, relevance = line.split("\t")
        found.setdefault(query, {})[document] = int(relevance)
    return found


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 1.0
