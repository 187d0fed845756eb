"""Products: how well are shops read, what does the vocabulary not know, what did a thing cost?"""

from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from byway.app.pages import Kept, Priced
from byway.cli.support.options import HERE, Data, Json, Set, Verbose, reading_of, settings_of
from byway.cli.support.output import amount, make_table, plain, print_json, say, show_table
from byway.core.errors import DataError, UsageError
from byway.core.url import guess
from byway.products.coverage import Shop, Unknown, shops_of, unknown_in
from byway.products.record import EXPECTED
from byway.products.vocabulary.unknown_words import as_toml
from byway.storage.data_folder import Folder

ORDER = 17
MOST_VERSIONS = 200


class Action(StrEnum):
    """What may be asked of products."""

    CHECK = "check"
    VOCABULARY = "vocabulary"
    HISTORY = "history"


What = Annotated[
    Action,
    typer.Argument(
        help="Check how shops are read, list what the vocabulary does not know, "
        "or show what a product cost whenever it was seen."
    ),
]
Address = Annotated[str, typer.Argument(metavar="[URL]", help="Whose history to show.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows shown; 0 for all.")]
Toml = Annotated[
    bool, typer.Option("--toml", help="Of vocabulary: lines for a file in the folder vocabulary.")
]


def command(
    action: What,
    url: Address = "",
    limit: Limit = 40,
    toml: Toml = False,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show how shops are read, what the vocabulary does not know, or what a product has cost.

    `check` counts, for each host that has products, its kept pages, its products, and the products
    that lack a field. `vocabulary` counts names of attributes and values of known ones that no file
    of the vocabulary has, and says what each may be the same as. `history` reads the
    newest versions of a page that are kept: `--limit` of them, at most 200.
    """
    if bool(url) != (action is Action.HISTORY):
        raise UsageError("write `byway products history URL`; check and vocabulary take no URL")
    with reading_of(data, set) as reading:
        if action is Action.CHECK:
            _check(shops_of(reading.documents()), limit, json)
        elif action is Action.VOCABULARY:
            unknown = unknown_in(reading.documents(), reading.vocabulary)
            if toml:
                print(as_toml(unknown[: limit or None]))
            else:
                _vocabulary(unknown, limit, json)
        else:
            kept = Kept(Folder(data), settings_of(data, set), reading)
            _history(kept, url, data, limit, json)


def _history(kept: Kept, url: str, data: Path, limit: int, json: bool) -> None:
    found = kept.find(guess(url))
    if found is None:
        raise DataError(f"{url} is not kept in {data}; crawl it first")
    prices = kept.prices(found, min(limit or MOST_VERSIONS, MOST_VERSIONS))
    if json:
        print_json([{**asdict(one), "at": _moment(one)} for one in prices])
        return
    if not prices:
        shown = escape(plain(url))
        say(f"no kept version of {shown} has a product; `byway trace {shown}` shows what is read")
        return
    table = make_table("seen", "price", "before", "available")
    for one in prices:
        costs = (amount(price, one.currency) for price in (one.price, one.old_price))
        table.add_row(*(escape(plain(text)) for text in (_moment(one), *costs, one.availability)))
    show_table(table)


def _moment(one: Priced) -> str:
    return datetime.fromtimestamp(one.at, UTC).isoformat(" ", "seconds").removesuffix("+00:00")


def _check(shops: list[Shop], limit: int, json: bool) -> None:
    shown = shops[: limit or None]
    if json:
        print_json([_as_json(shop) for shop in shown])
        return
    if not shops:
        say("no page is a product; `byway trace URL` shows what is read from one")
        return
    table = make_table("shop", "pages", "products", "", "")
    for shop in shown:
        lacking = ", ".join(
            f"{name} {shop.missing[name]:,}" for name in EXPECTED if shop.missing[name]
        )
        said = ", ".join(f"{source} {count:,}" for source, count in shop.sources.most_common())
        numbers = (f"{shop.pages:,}", f"{shop.products:,}")
        table.add_row(
            escape(plain(shop.host)), *numbers, f"lack {lacking or 'nothing'}", f"price from {said}"
        )
    show_table(table)


def _vocabulary(unknown: list[Unknown], limit: int, json: bool) -> None:
    shown = unknown[: limit or None]
    if json:
        print_json([_unknown_as_json(one) for one in shown])
        return
    if not unknown:
        say("the vocabulary knows every name and value")
        return
    table = make_table("name", "times", "", "")
    for one in shown:
        value = one.value or f"as in {one.example[:40]}"
        said = f"the same as {one.suggestion}?" if one.suggestion else ""
        table.add_row(*(escape(plain(text)) for text in (one.name, f"{one.count:,}", value, said)))
    show_table(table)
    if len(unknown) > len(shown):
        say(f"and {len(unknown) - len(shown):,} more; --limit 0 shows all")


def _as_json(shop: Shop) -> dict[str, object]:
    return {
        "shop": shop.host,
        "pages": shop.pages,
        "products": shop.products,
        "missing": {name: shop.missing[name] for name in EXPECTED},
        "prices_from": dict(shop.sources),
    }


def _unknown_as_json(one: Unknown) -> dict[str, object]:
    return {
        "name": one.name,
        "value": one.value,
        "times": one.count,
        "example": one.example,
        "suggestion": one.suggestion,
    }
