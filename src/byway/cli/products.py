"""Products: how well are shops read, and what does the vocabulary not know?"""

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from byway.cli.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.output import make_table, plain, print_json, say, show_table
from byway.products.check import Shop, Unknown, shops_of, unknown_in
from byway.products.record import EXPECTED
from byway.products.vocabulary import ours

ORDER = 17


class Action(StrEnum):
    """What may be asked of products."""

    CHECK = "check"
    VOCABULARY = "vocabulary"


What = Annotated[
    Action,
    typer.Argument(help="Check how shops are read, or list what the vocabulary does not know."),
]
Limit = Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows shown; 0 for all.")]


def command(
    action: What,
    limit: Limit = 40,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show how many kept pages of each shop are products, or names and values nobody has unified.

    `check` counts, for each host that has products, its kept pages, its products, and the products
    that lack a field. `vocabulary` counts names of attributes and values of known ones that no file
    of the vocabulary has, and says what each may be the same as.
    """
    with reading_of(data, set) as reading:
        if action is Action.CHECK:
            _check(shops_of(reading.documents()), limit, json)
        else:
            _vocabulary(unknown_in(reading.documents(), ours()), limit, json)


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
