"""`byway search`: search in the terminal."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from byway.cli.support import options
from byway.cli.support.options import open_search_session
from byway.cli.support.output import (
    hit_as_json,
    print_facets,
    print_json,
    print_notice,
    print_results,
    print_timings,
)
from byway.core.errors import UsageError
from byway.core.messages import Diagnosis, t, text
from byway.core.model import Query, Results, parse_epoch_day
from byway.core.model.query import Filter
from byway.core.operators import facet_operators, parse_filter
from byway.core.text import storable_text
from byway.core.verticals import Vertical

PANEL = "Search"
ORDER = 1
SORTS = ("relevance", "date")

MAX_DAY_CHARS = 40

WordsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="QUERY",
        help='Words, "exact phrases", OR, -excluded, prefix*, site:a.org. Put -- before a query '
        "that starts with -.",
    ),
]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Hits per page.")]
PageOption = Annotated[
    int, typer.Option("--page", "-p", min=1, max=1000, help="Page number of the results.")
]
SortOption = Annotated[
    str,
    typer.Option(
        "--sort",
        metavar="ORDER",
        help="relevance or date; for products, also price, -price or rating.",
    ),
]
FacetsOption = Annotated[
    bool, typer.Option("--facets", help=f"Count the hits by facet: {', '.join(facet_operators())}.")
]
DuplicatesOption = Annotated[bool, typer.Option("--duplicates", help="Include duplicate pages.")]
VerticalOption = Annotated[
    str, typer.Option("--vertical", metavar="NAME", help="Search one vertical, e.g. products.")
]
ProductsOption = Annotated[
    bool, typer.Option("--products", help="Search products; same as --vertical products.")
]
GroupOption = Annotated[
    bool,
    typer.Option("--group", help="Group pages about the same item, e.g. offers of several shops."),
]
SiteOption = Annotated[
    list[str] | None, typer.Option("--site", help="Only pages on this host; may be repeated.")
]
LanguageOption = Annotated[
    list[str] | None,
    typer.Option("--language", "--lang", help="Only pages in this language, e.g. en."),
]
TypeOption = Annotated[
    list[str] | None, typer.Option("--type", help="Only pages of this file type, e.g. pdf.")
]
AfterOption = Annotated[
    str, typer.Option("--after", help="Only pages dated on or after this date, e.g. 2024-05.")
]
BeforeOption = Annotated[str, typer.Option("--before", help="Only pages dated before this date.")]


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
    vertical: VerticalOption = "",
    products: ProductsOption = False,
    group: GroupOption = False,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Search the index."""
    filters = _filters(site, language, type, after, before)
    given = {
        f"--vertical {vertical}": vertical,
        "--products": products,
        "--group": group,
        f"--sort {sort}": sort not in SORTS,
    }
    vertical_options = [option for option, is_given in given.items() if is_given]
    text = " ".join(words)
    if not (text.strip() or filters or vertical_options):
        raise UsageError("cli.empty_query")
    query = Query(
        storable_text(text),
        max_hits=limit,
        offset=(page - 1) * limit,
        filters=filters,
        sort=sort,
        count_facets=facets,
        include_duplicates=duplicates,
        group_records=group,
    )
    with open_search_session(data, set) as session:
        verticals = session.verticals
        name = vertical or ("products" if products else "")
        query = replace(query, vertical=_vertical(name, sort, group, verticals))
        results = session.search(query)
        unindexed = 0 if results.hits else session.unindexed_count()
    if json:
        print_json(_as_json(results, verticals))
        return
    print_results(results, verticals, " and ".join(vertical_options))
    if facets:
        print_facets(results)
    if verbose:
        print_timings(results)
    if unindexed:
        print_notice(t("cli.search.unindexed", count=unindexed, data=data))


def _filters(
    sites: list[str] | None,
    languages: list[str] | None,
    types: list[str] | None,
    after: str,
    before: str,
) -> tuple[Filter, ...]:
    """The options as filters."""
    for option, date in (("--after", after), ("--before", before)):
        if date and parse_epoch_day(date) is None:
            raise UsageError("cli.wrong_date", option=option, date=date[:MAX_DAY_CHARS])
    values = {
        "site": sites or [],
        "lang": languages or [],
        "filetype": types or [],
        "after": [after] if after else [],
        "before": [before] if before else [],
    }
    parsed = (parse_filter(name, one) for name in values for one in values[name])
    return tuple(filter(None, parsed))


def _vertical(name: str, sort: str, group: bool, verticals: Sequence[Vertical]) -> str:
    """The vertical with this name, sort order or grouping; empty to search all pages."""
    named = [each for each in verticals if each.name == name]
    if name and not named:
        names = [each.name for each in verticals]
        raise UsageError("cli.unknown_vertical", vertical=name, verticals=names)
    with_sort = [each.name for each in named or verticals if sort in each.sorts]
    if sort not in SORTS and not with_sort:
        sorts = dict.fromkeys(SORTS + tuple(sort for each in verticals for sort in each.sorts))
        raise UsageError("cli.unknown_sort", sort=sort, sorts=list(sorts))
    with_groups = [each.name for each in verticals if group and each.group_name]
    return name or next(iter([*with_sort, *with_groups]), "")


def _as_json(results: Results, verticals: Sequence[Vertical]) -> dict[str, object]:
    return {
        "query": results.query.text,
        "total": results.total,
        "total_is_estimate": results.total_is_estimate,
        "took_seconds": results.seconds,
        "stage_seconds": results.stage_seconds,
        "did_you_mean": results.did_you_mean,
        "did_you_mean_total": results.did_you_mean_total,
        "detected_filters": [
            {"filter": chip.filter, "typed": chip.typed_text} for chip in results.chips
        ],
        "partial_match": results.partial_match,
        "missing_shards": results.missing_shards,
        "split_words": {one.params["word"]: one.params["parts"] for one in results.split_words},
        "query_warnings": list(map(_diagnosis_as_json, results.query_warnings)),
        "no_results_reasons": list(map(_diagnosis_as_json, results.no_results_reasons)),
        "sort_groups": results.sort_groups,
        "related_searches": results.related_searches,
        "facets": {name: dict(counts) for name, counts in results.facets.items()},
        "hits": [hit_as_json(hit, verticals) for hit in results.hits],
    }


def _diagnosis_as_json(diagnosis: Diagnosis) -> dict[str, object]:
    return {"code": diagnosis.code, **diagnosis.params, "message": text(diagnosis)}
