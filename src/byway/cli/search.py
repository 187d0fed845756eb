"""Search, in the terminal."""

from collections.abc import Mapping
from typing import Annotated

import typer

from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    open_search_session,
)
from byway.cli.support.output import (
    hit_as_json,
    print_facets,
    print_json,
    print_notice,
    print_results,
    print_timings,
)
from byway.core.errors import UsageError
from byway.core.messages import text
from byway.core.model import Query, Results, Sort, parse_epoch_day
from byway.core.model.message import Diagnosis
from byway.core.text import storable_text

ORDER = 10
SORTS: Mapping[str, Sort] = {
    "relevance": "relevance", "date": "date", "price": "price", "-price": "-price",
    "rating": "rating",
}  # fmt: skip
PRODUCT_SORTS = ("price", "-price", "rating")

WordsArgument = Annotated[list[str], typer.Argument(metavar="WORDS", help="What to look for.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Hits on a page.")]
PageOption = Annotated[int, typer.Option("--page", "-p", min=1, max=1000, help="Which page.")]
SortOption = Annotated[
    str,
    typer.Option(
        "--sort", metavar="ORDER", help="relevance or date; for goods also price, -price or rating."
    ),
]
FacetsOption = Annotated[
    bool, typer.Option("--facets", help="Count the hits by site, language, type and year.")
]
DuplicatesOption = Annotated[
    bool, typer.Option("--duplicates", help="Show pages that say the same as another, too.")
]
ProductsOption = Annotated[
    bool, typer.Option("--products", help="Look for goods, by what they are like and cost.")
]
GroupOption = Annotated[
    bool, typer.Option("--group", help="Show what several shops sell once, with all its offers.")
]
SiteOption = Annotated[
    list[str] | None, typer.Option("--site", help="Only this host; may be repeated.")
]
LanguageOption = Annotated[
    list[str] | None, typer.Option("--language", "--lang", help="Only this language, as en.")
]
TypeOption = Annotated[list[str] | None, typer.Option("--type", help="Only this type, as pdf.")]
AfterOption = Annotated[
    str, typer.Option("--after", help="Published from this day on, as 2024-05.")
]
BeforeOption = Annotated[str, typer.Option("--before", help="Published before this day.")]


def command(
    words: WordsArgument,
    limit: LimitOption = 10,
    page: PageOption = 1,
    site: SiteOption = None,
    language: LanguageOption = None,
    type: TypeOption = None,
    after: AfterOption = "",
    before: BeforeOption = "",
    sort: SortOption = "relevance",
    facets: FacetsOption = False,
    duplicates: DuplicatesOption = False,
    products: ProductsOption = False,
    group: GroupOption = False,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Search: words, "exact phrases", OR, -not, begin*, site:a.org (put -- before a leading -)."""
    for option, day in (("--after", after), ("--before", before)):
        if day and parse_epoch_day(day) is None:
            raise UsageError(f"{option} {day!r:.40} is no day; write 2024, 2024-05 or 2024-05-31")
    chosen = {
        "site": site or [],
        "lang": language or [],
        "filetype": type or [],
        "after": [after] if after else [],
        "before": [before] if before else [],
    }
    asked = {"--products": products, "--group": group, f"--sort {sort}": sort in PRODUCT_SORTS}
    goods = [option for option, given in asked.items() if given]
    if not (" ".join(words).strip() or any(chosen.values()) or goods):
        raise UsageError("there is nothing to look for; type words, as: byway search contact us")
    query = Query(
        storable_text(" ".join(words)),
        limit,
        (page - 1) * limit,
        tuple(
            f'{name}:"{storable_text(value)}"'
            for name, values in chosen.items()
            for value in values
        ),
        _sort(sort),
        facets,
        duplicates,
        bool(goods),
        group,
    )
    with open_search_session(data, set) as reading:
        results = reading.search(query)
        waiting = 0 if results.hits else reading.unindexed_count()
    if json:
        print_json(_as_json(results))
        return
    print_results(results, " and ".join(goods))
    if facets:
        print_facets(results)
    if verbose:
        print_timings(results)
    if waiting:
        pages = "page" if waiting == 1 else "pages"
        print_notice(f"{waiting:,} {pages} cannot be found yet: byway index --data {data}")


def _sort(typed: str) -> Sort:
    if typed not in SORTS:
        raise UsageError(f"--sort {typed}: there are {', '.join(SORTS)}")
    return SORTS[typed]


def _as_json(results: Results) -> dict[str, object]:
    return {
        "query": results.query.text,
        "total": results.total,
        "about": results.total_is_estimate,
        "took": results.seconds,
        "stages": results.stage_seconds,
        "instead": results.did_you_mean,
        "instead_total": results.did_you_mean_total,
        "chips": [{"filter": chip.filter, "typed": chip.typed_text} for chip in results.chips],
        "near": results.partial_match,
        "split_words": {one.params["word"]: one.params["parts"] for one in results.split_words},
        "query_warnings": list(map(_diagnosis_as_json, results.query_warnings)),
        "no_results_reasons": list(map(_diagnosis_as_json, results.no_results_reasons)),
        "currencies": results.currencies,
        "related": results.related_searches,
        "facets": {name: dict(counts) for name, counts in results.facets.items()},
        "hits": [hit_as_json(hit) for hit in results.hits],
    }


def _diagnosis_as_json(diagnosis: Diagnosis) -> dict[str, object]:
    return {"code": diagnosis.code, **diagnosis.params, "message": text(diagnosis)}
