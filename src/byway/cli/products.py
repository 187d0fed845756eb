"""`byway products`: shop coverage, unknown vocabulary words and price history."""

from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from byway.app.pages import PageArchive, PricePoint
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
    settings_from_options,
)
from byway.cli.support.output import (
    format_price,
    make_table,
    print_json,
    print_notice,
    sanitize,
    show_table,
)
from byway.core.errors import DataError, UsageError
from byway.core.messages import grouped, t
from byway.core.url import parse_typed_url
from byway.products.coverage import Shop, UnknownWord, find_unknown_words, shop_coverage
from byway.products.record import EXPECTED_FIELDS
from byway.products.vocabulary.unknown_words import as_toml
from byway.storage.data_folder import DataFolder

PANEL = "Inspect"
ORDER = 10
MAX_VERSIONS = 200
MAX_EXAMPLE_CHARS = 40


class ProductsAction(StrEnum):
    """Actions of `byway products`."""

    CHECK = "check"
    VOCABULARY = "vocabulary"
    HISTORY = "history"


ActionArgument = Annotated[
    ProductsAction,
    typer.Argument(
        help="check: fields found in each shop; vocabulary: unknown attribute names and values; "
        "history: prices of one product."
    ),
]
UrlArgument = Annotated[
    str, typer.Argument(metavar="[URL]", help="Page of the product, for history.")
]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=0, help="Number of rows shown; 0 for all.")
]
TomlOption = Annotated[
    bool, typer.Option("--toml", help="With vocabulary: print lines for a vocabulary file.")
]


def command(
    action: ActionArgument,
    url: UrlArgument = "",
    limit: LimitOption = 40,
    toml: TomlOption = False,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Check shops, the vocabulary or a price history.

    `check` counts, for each host with products, its kept pages, its products, and the products that
    lack a field. `vocabulary` counts attribute names and values that no vocabulary file contains,
    with a suggestion for each. `history` shows the prices in the newest stored versions of a page
    (`--limit` of them, at most 200).
    """
    if bool(url) != (action is ProductsAction.HISTORY):
        raise UsageError("cli.products_arguments")
    with open_search_session(data, set) as session:
        if action is ProductsAction.CHECK:
            _check(shop_coverage(session.documents()), limit, json)
        elif action is ProductsAction.VOCABULARY:
            unknown = find_unknown_words(session.documents(), session.vocabulary)
            if toml:
                print(as_toml(unknown[: limit or None]))
            else:
                _vocabulary(unknown, limit, json)
        else:
            archive = PageArchive(DataFolder(data), settings_from_options(data, set), session)
            _history(archive, url, data, limit, json)


def _history(archive: PageArchive, url: str, data: Path, limit: int, json: bool) -> None:
    page = archive.find(parse_typed_url(url))
    if page is None:
        raise DataError("cli.not_kept", url=url, data=data)
    prices = archive.price_history(page, min(limit or MAX_VERSIONS, MAX_VERSIONS))
    if json:
        print_json([_price_as_json(point) for point in prices])
        return
    if not prices:
        print_notice(t("cli.products.no_price", url=sanitize(url)))
        return
    table = make_table(*_heads("seen", "price", "old_price", "availability"))
    for point in prices:
        amounts = (format_price(price, point.currency) for price in (point.price, point.old_price))
        table.add_row(*map(_cell, (_fetched_at(point), *amounts, point.availability)))
    show_table(table)


def _fetched_at(point: PricePoint) -> str:
    return datetime.fromtimestamp(point.at, UTC).isoformat(" ", "seconds").removesuffix("+00:00")


def _heads(*names: str) -> list[str]:
    return [t(f"cli.products.head_{name}") for name in names]


def _cell(text: str) -> Text:
    return Text(sanitize(text))


def _check(shops: list[Shop], limit: int, json: bool) -> None:
    shown = shops[: limit or None]
    if json:
        print_json([_as_json(shop) for shop in shown])
        return
    if not shops:
        print_notice(t("cli.products.no_products"))
        return
    table = make_table(*_heads("shop", "pages", "products"), "", "")
    for shop in shown:
        missing = [
            f"{name} {grouped(shop.missing_fields[name])}"
            for name in EXPECTED_FIELDS
            if shop.missing_fields[name]
        ]
        sources = [f"{name} {grouped(count)}" for name, count in shop.price_sources.most_common()]
        table.add_row(
            _cell(shop.host),
            grouped(shop.pages),
            grouped(shop.products),
            t("cli.products.missing", fields=missing or [t("cli.none")]),
            t("cli.products.price_sources", sources=sources),
        )
    show_table(table)


def _vocabulary(unknown: list[UnknownWord], limit: int, json: bool) -> None:
    shown = unknown[: limit or None]
    if json:
        print_json([_unknown_as_json(word) for word in shown])
        return
    if not unknown:
        print_notice(t("cli.products.vocabulary_complete"))
        return
    table = make_table(*_heads("name", "count"), "", "")
    for word in shown:
        example = t("cli.products.example", example=word.example[:MAX_EXAMPLE_CHARS])
        suggestion = t("cli.products.same_as", word=word.suggestion) if word.suggestion else ""
        cells = (word.name, grouped(word.count), word.value or example, suggestion)
        table.add_row(*map(_cell, cells))
    show_table(table)
    if len(unknown) > len(shown):
        print_notice(t("cli.products.more", more=len(unknown) - len(shown)))


def _price_as_json(point: PricePoint) -> dict[str, object]:
    fields = asdict(point)
    del fields["at"]
    return {"fetched_at": _fetched_at(point)} | fields


def _as_json(shop: Shop) -> dict[str, object]:
    return {
        "host": shop.host,
        "pages": shop.pages,
        "products": shop.products,
        "missing_fields": {name: shop.missing_fields[name] for name in EXPECTED_FIELDS},
        "price_sources": dict(shop.price_sources),
    }


def _unknown_as_json(word: UnknownWord) -> dict[str, object]:
    return {
        "name": word.name,
        "value": word.value,
        "count": word.count,
        "example": word.example,
        "suggestion": word.suggestion,
    }
