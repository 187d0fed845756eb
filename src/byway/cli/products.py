"""Products: how well are shops read, what does the vocabulary not know, what did a thing cost?"""

from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

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
from byway.core.url import parse_typed_url
from byway.products.coverage import Shop, UnknownWord, find_unknown_words, shop_coverage
from byway.products.record import EXPECTED_FIELDS
from byway.products.vocabulary.unknown_words import as_toml
from byway.storage.data_folder import DataFolder

ORDER = 17
MAX_VERSIONS = 200


class ProductsAction(StrEnum):
    """What may be asked of products."""

    CHECK = "check"
    VOCABULARY = "vocabulary"
    HISTORY = "history"


ActionArgument = Annotated[
    ProductsAction,
    typer.Argument(
        help="Check how shops are read, list what the vocabulary does not know, "
        "or show what a product cost whenever it was seen."
    ),
]
UrlArgument = Annotated[str, typer.Argument(metavar="[URL]", help="Whose history to show.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows shown; 0 for all.")]
TomlOption = Annotated[
    bool, typer.Option("--toml", help="Of vocabulary: lines for a file in the folder vocabulary.")
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
    """Show how shops are read, what the vocabulary does not know, or what a product has cost.

    `check` counts, for each host that has products, its kept pages, its products, and the products
    that lack a field. `vocabulary` counts names of attributes and values of known ones that no file
    of the vocabulary has, and says what each may be the same as. `history` reads the
    newest versions of a page that are kept: `--limit` of them, at most 200.
    """
    if bool(url) != (action is ProductsAction.HISTORY):
        raise UsageError("write `byway products history URL`; check and vocabulary take no URL")
    with open_search_session(data, set) as reading:
        if action is ProductsAction.CHECK:
            _check(shop_coverage(reading.documents()), limit, json)
        elif action is ProductsAction.VOCABULARY:
            unknown = find_unknown_words(reading.documents(), reading.vocabulary)
            if toml:
                print(as_toml(unknown[: limit or None]))
            else:
                _vocabulary(unknown, limit, json)
        else:
            kept = PageArchive(DataFolder(data), settings_from_options(data, set), reading)
            _history(kept, url, data, limit, json)


def _history(kept: PageArchive, url: str, data: Path, limit: int, json: bool) -> None:
    found = kept.find(parse_typed_url(url))
    if found is None:
        raise DataError(f"{url} is not kept in {data}; crawl it first")
    prices = kept.price_history(found, min(limit or MAX_VERSIONS, MAX_VERSIONS))
    if json:
        print_json([{**asdict(one), "at": _moment(one)} for one in prices])
        return
    if not prices:
        shown = escape(sanitize(url))
        print_notice(
            f"no kept version of {shown} has a product; `byway trace {shown}` shows what is read"
        )
        return
    table = make_table("seen", "price", "before", "available")
    for one in prices:
        costs = (format_price(price, one.currency) for price in (one.price, one.old_price))
        table.add_row(
            *(escape(sanitize(text)) for text in (_moment(one), *costs, one.availability))
        )
    show_table(table)


def _moment(one: PricePoint) -> str:
    return datetime.fromtimestamp(one.at, UTC).isoformat(" ", "seconds").removesuffix("+00:00")


def _check(shops: list[Shop], limit: int, json: bool) -> None:
    shown = shops[: limit or None]
    if json:
        print_json([_as_json(shop) for shop in shown])
        return
    if not shops:
        print_notice("no page is a product; `byway trace URL` shows what is read from one")
        return
    table = make_table("shop", "pages", "products", "", "")
    for shop in shown:
        lacking = ", ".join(
            f"{name} {shop.missing_fields[name]:,}"
            for name in EXPECTED_FIELDS
            if shop.missing_fields[name]
        )
        said = ", ".join(
            f"{source} {count:,}" for source, count in shop.price_sources.most_common()
        )
        numbers = (f"{shop.pages:,}", f"{shop.products:,}")
        table.add_row(
            escape(sanitize(shop.host)),
            *numbers,
            f"lack {lacking or 'nothing'}",
            f"price from {said}",
        )
    show_table(table)


def _vocabulary(unknown: list[UnknownWord], limit: int, json: bool) -> None:
    shown = unknown[: limit or None]
    if json:
        print_json([_unknown_as_json(one) for one in shown])
        return
    if not unknown:
        print_notice("the vocabulary knows every name and value")
        return
    table = make_table("name", "times", "", "")
    for one in shown:
        value = one.value or f"as in {one.example[:40]}"
        said = f"the same as {one.suggestion}?" if one.suggestion else ""
        table.add_row(
            *(escape(sanitize(text)) for text in (one.name, f"{one.count:,}", value, said))
        )
    show_table(table)
    if len(unknown) > len(shown):
        print_notice(f"and {len(unknown) - len(shown):,} more; --limit 0 shows all")


def _as_json(shop: Shop) -> dict[str, object]:
    return {
        "shop": shop.host,
        "pages": shop.pages,
        "products": shop.products,
        "missing": {name: shop.missing_fields[name] for name in EXPECTED_FIELDS},
        "prices_from": dict(shop.price_sources),
    }


def _unknown_as_json(one: UnknownWord) -> dict[str, object]:
    return {
        "name": one.name,
        "value": one.value,
        "times": one.count,
        "example": one.example,
        "suggestion": one.suggestion,
    }
