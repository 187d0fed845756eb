"""Search, in the terminal."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from byway.cli.support.options import HERE, Data, Json, Set, Verbose, reading_of
from byway.cli.support.output import (
    hit_as_json,
    print_facets,
    print_json,
    print_results,
    print_stages,
    say,
)
from byway.core.errors import UsageError
from byway.core.model import Query, Results, Sort, day_of
from byway.core.text import storable

ORDER = 10
SORTS: Mapping[str, Sort] = {
    "relevance": "relevance", "date": "date", "price": "price", "-price": "-price",
    "rating": "rating",
}  # fmt: skip
OF_GOODS = ("price", "-price", "rating")

Words = Annotated[list[str], typer.Argument(metavar="WORDS", help="What to look for.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Hits on a page.")]
PageNumber = Annotated[int, typer.Option("--page", "-p", min=1, max=1000, help="Which page.")]
By = Annotated[
    str,
    typer.Option(
        "--sort", metavar="ORDER", help="relevance or date; for goods also price, -price or rating."
    ),
]
Facets = Annotated[
    bool, typer.Option("--facets", help="Count the hits by site, language, type and year.")
]
Duplicates = Annotated[
    bool, typer.Option("--duplicates", help="Show pages that say the same as another, too.")
]
Products = Annotated[
    bool, typer.Option("--products", help="Look for goods, by what they are like and cost.")
]
Group = Annotated[
    bool, typer.Option("--group", help="Show what several shops sell once, with all its offers.")
]
Site = Annotated[list[str] | None, typer.Option("--site", help="Only this host; may be repeated.")]
Language = Annotated[
    list[str] | None, typer.Option("--language", "--lang", help="Only this language, as en.")
]
Type = Annotated[list[str] | None, typer.Option("--type", help="Only this type, as pdf.")]
After = Annotated[str, typer.Option("--after", help="Published from this day on, as 2024-05.")]
Before = Annotated[str, typer.Option("--before", help="Published before this day.")]


def command(
    words: Words,
    limit: Limit = 10,
    page: PageNumber = 1,
    site: Site = None,
    language: Language = None,
    type: Type = None,
    after: After = "",
    before: Before = "",
    sort: By = "relevance",
    facets: Facets = False,
    duplicates: Duplicates = False,
    products: Products = False,
    group: Group = False,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Search: words, "exact phrases", OR, -not, begin*, site:a.org (put -- before a leading -)."""
    for option, day in (("--after", after), ("--before", before)):
        if day and day_of(day) is None:
            raise UsageError(f"{option} {day!r:.40} is no day; write 2024, 2024-05 or 2024-05-31")
    chosen = {
        "site": site or [],
        "lang": language or [],
        "filetype": type or [],
        "after": [after] if after else [],
        "before": [before] if before else [],
    }
    asked = {"--products": products, "--group": group, f"--sort {sort}": sort in OF_GOODS}
    goods = [option for option, given in asked.items() if given]
    if not (" ".join(words).strip() or any(chosen.values()) or goods):
        raise UsageError("there is nothing to look for; type words, as: byway search contact us")
    query = Query(
        storable(" ".join(words)),
        limit,
        (page - 1) * limit,
        tuple(f'{name}:"{storable(value)}"' for name, values in chosen.items() for value in values),
        _sort(sort),
        facets,
        duplicates,
        bool(goods),
        group,
    )
    with reading_of(data, set) as reading:
        results = reading.search(query)
        waiting = 0 if results.hits else reading.unindexed()
    if json:
        print_json(_as_json(results))
        return
    print_results(results, " and ".join(goods))
    if facets:
        print_facets(results)
    if verbose:
        print_stages(results)
    if waiting:
        pages = "page" if waiting == 1 else "pages"
        say(f"{waiting:,} {pages} cannot be found yet: byway index --data {data}")


def _sort(typed: str) -> Sort:
    if typed not in SORTS:
        raise UsageError(f"--sort {typed}: there are {', '.join(SORTS)}")
    return SORTS[typed]


def _as_json(results: Results) -> dict[str, object]:
    return {
        "query": results.query.text,
        "total": results.total,
        "about": results.about,
        "took": results.seconds,
        "stages": results.stages,
        "instead": results.instead,
        "instead_total": results.instead_total,
        "chips": [{"filter": chip.filter, "typed": chip.typed} for chip in results.chips],
        "near": results.near,
        "apart": {one.word: one.parts for one in results.apart},
        "misread": [asdict(one) | {"says": one.sentence} for one in results.misread],
        "absent": [asdict(one) | {"says": one.sentence} for one in results.absent],
        "currencies": results.currencies,
        "related": results.others,
        "facets": {name: dict(counts) for name, counts in results.facets.items()},
        "hits": [hit_as_json(hit) for hit in results.hits],
    }
