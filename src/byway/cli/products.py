"""`byway products`: shop coverage, unknown vocabulary words and price history."""

from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from byway.app.pages import PageArchive
from byway.app.storage import open_storage
from byway.app.verticals.products import (
    Shop,
    UnknownWord,
    as_toml,
    price_history,
    shops,
    unknown_words,
)
from byway.cli.support import options
from byway.cli.support.options import open_search_session, settings_from_options
from byway.cli.support.output import (
    cell,
    heads,
    make_table,
    print_json,
    print_notice,
    sanitize,
    show_table,
)
from byway.core.display import format_price
from byway.core.errors import DataError, UsageError
from byway.core.messages import as_json, grouped, t
from byway.core.url import parse_typed_url
from byway.core.verticals import HistoryPoint

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
    str, typer.Argument(metavar="[URL]", help="With history: the product page.")
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
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Check shops and the vocabulary, or show price history.

    For each host with products, `check` counts the kept pages, the products, and the products that
    lack a field. `vocabulary` counts attribute names and values that no vocabulary file contains,
    with a suggestion for each. `history` shows the prices in the newest stored versions of a page
    (`--limit` of them, at most 200).
    """
    if bool(url) != (action is ProductsAction.HISTORY):
        raise UsageError("cli.products_arguments")
    with open_search_session(data, set) as session:
        if action is ProductsAction.CHECK:
            _check(shops(session), limit, json)
        elif action is ProductsAction.VOCABULARY:
            unknown = unknown_words(session)
            if toml:
                print(as_toml(unknown[: limit or None]))
            else:
                _vocabulary(unknown, limit, json)
        else:
            settings = settings_from_options(data, set)
            archive = PageArchive(open_storage(data, settings), settings, session)
            _history(archive, url, data, limit, json)


def _history(archive: PageArchive, url: str, data: Path, limit: int, json: bool) -> None:
    page = archive.find(parse_typed_url(url))
    if page is None:
        raise DataError("cli.not_kept", url=url, data=data)
    points = price_history(page, min(limit or MAX_VERSIONS, MAX_VERSIONS))
    if json:
        print_json([_price_as_json(point) for point in points])
        return
    if not points:
        print_notice(t("cli.products.no_price", url=sanitize(url)))
        return
    table = make_table(*heads("products", "seen", "price", "old_price", "availability"))
    for point in points:
        record = point.record
        currency, stock = (str(record.get(name, "")) for name in ("currency", "availability"))
        prices = (format_price(record.get(name), currency) for name in ("price", "old_price"))
        table.add_row(*map(cell, (_fetched_at(point), *prices, stock)))
    show_table(table)


def _fetched_at(point: HistoryPoint) -> str:
    return datetime.fromtimestamp(point.at, UTC).isoformat(" ", "seconds").removesuffix("+00:00")


def _missing_fields(shop: Shop) -> list[str]:
    """The fields that products of a shop lack, with the number of those products."""
    return [f"{name} {grouped(count)}" for name, count in shop.missing_fields.items() if count]


def _check(found: list[Shop], limit: int, json: bool) -> None:
    shown = found[: limit or None]
    if json:
        print_json(as_json(shown))
        return
    if not found:
        print_notice(t("cli.products.no_products"))
        return
    table = make_table(*heads("products", "shop", "pages", "products"), "", "")
    for shop in shown:
        missing = _missing_fields(shop)
        sources = [f"{name} {grouped(count)}" for name, count in shop.price_sources.most_common()]
        table.add_row(
            cell(shop.host),
            grouped(shop.pages),
            grouped(shop.products),
            t("cli.products.missing", fields=missing or [t("cli.none")]),
            t("cli.products.price_sources", sources=sources),
        )
    show_table(table)


def _vocabulary(unknown: list[UnknownWord], limit: int, json: bool) -> None:
    shown = unknown[: limit or None]
    if json:
        print_json(as_json(shown))
        return
    if not unknown:
        print_notice(t("cli.products.vocabulary_complete"))
        return
    table = make_table(*heads("products", "name", "count"), "", "")
    for word in shown:
        example = t("cli.products.example", example=word.example[:MAX_EXAMPLE_CHARS])
        suggestion = t("cli.products.same_as", word=word.suggestion) if word.suggestion else ""
        cells = (word.name, grouped(word.count), word.value or example, suggestion)
        table.add_row(*map(cell, cells))
    show_table(table)
    if len(unknown) > len(shown):
        print_notice(t("cli.products.more", more=len(unknown) - len(shown)))


def _price_as_json(point: HistoryPoint) -> dict[str, object]:
    return {
        "fetched_at": _fetched_at(point),
        "price": point.record.get("price"),
        "currency": point.record.get("currency", ""),
        "old_price": point.record.get("old_price"),
        "availability": point.record.get("availability", ""),
    }
