"""What may a program put behind the `?`? Exactly what our OpenAPI says, and nothing else.

What does not fit its description is refused with 422; what fits, but cannot be answered, with 400.
"""

from difflib import get_close_matches
from typing import Annotated, Literal

from fastapi import Depends, HTTPException, Request
from fastapi import Query as Parameter

from byway.core.model import Sort
from byway.web.query_params import (
    MAX_FILTER_CHARS,
    MAX_FILTERS,
    MAX_PAGE_SIZE,
    MAX_QUERY_CHARS,
    MAX_RESULT_WINDOW,
    Filters,
    collect_filters,
)

QueryParam = Annotated[str, Parameter(max_length=MAX_QUERY_CHARS)]
UrlParam = Annotated[str, Parameter(min_length=1, max_length=MAX_QUERY_CHARS)]
PageParam = Annotated[int, Parameter(ge=1, le=MAX_RESULT_WINDOW)]
LimitParam = Annotated[int, Parameter(ge=1, le=MAX_PAGE_SIZE)]
SortParam = Annotated[Literal["relevance", "date"], Parameter()]
ProductSortParam = Annotated[Sort, Parameter()]
FlagParam = Annotated[bool, Parameter()]
FilterValue = Annotated[str, Parameter(min_length=1, max_length=MAX_FILTER_CHARS)]
FilterValues = Annotated[list[FilterValue], Parameter(default_factory=list, max_length=MAX_FILTERS)]
AttributeFilter = Annotated[str, Parameter(pattern=r"^[^:]+:.+$", max_length=MAX_FILTER_CHARS)]
AttributeFilters = Annotated[
    list[AttributeFilter], Parameter(default_factory=list, max_length=MAX_FILTERS)
]
# Without a default in the description: nothing at all is no year and no day.
YearParam = Annotated[str, Parameter(default_factory=str, pattern=r"^[1-9][0-9]{3}$")]
DateParam = Annotated[
    str,
    Parameter(
        default_factory=str, pattern=r"^[1-9][0-9]{3}(-(0[1-9]|1[0-2])(-[0-2][0-9]|-3[01])?)?$"
    ),
]

PriceParam = Annotated[
    str, Parameter(default_factory=str, pattern=r"^[0-9]{1,3}( ?[0-9]{3}){0,3}([.,][0-9]{1,2})?$")
]
CurrencyParam = Annotated[str, Parameter(default_factory=str, pattern=r"^[A-Za-z]{3}$")]


def _chosen(
    site: FilterValues,
    lang: FilterValues,
    type: FilterValues,
    year: YearParam,
    after: DateParam,
    before: DateParam,
) -> Filters:
    """The filters, each once. `site`, `lang` and `type` may be repeated."""
    several = {"site": site, "lang": lang, "type": type}
    return collect_filters(several, [("year", year), ("after", after), ("before", before)])


PageFilterParams = Annotated[Filters, Depends(_chosen)]


def _wanted(
    shop: FilterValues,
    brand: FilterValues,
    kind: FilterValues,
    colour: FilterValues,
    size: FilterValues,
    gender: FilterValues,
    has: AttributeFilters,
    price_from: PriceParam,
    price_to: PriceParam,
    currency: CurrencyParam,
) -> Filters:
    """What goods must be like, each once; lists may be repeated, and one of each must hold."""
    several = {"shop": shop, "kind": kind, "brand": brand, "colour": colour, "size": size}
    several |= {"gender": gender, "has": has}
    prices = [("price_from", price_from), ("price_to", price_to), ("currency", currency)]
    return collect_filters(several, prices)


ApiProductFilterParams = Annotated[Filters, Depends(_wanted)]


async def reject_unknown_params(request: Request) -> None:
    """Refuse a parameter that is not described, or given again: it would be left out, unsaid."""
    methods = request.app.openapi()["paths"].get(request.scope["route"].path, {})
    described = methods.get(request.method.lower(), {}).get("parameters", ())
    each = {one["name"]: one["schema"] for one in described if one["in"] == "query"}
    known, given = list(each), [name for name, _ in request.query_params.multi_items()]
    again = (name for name in known if each[name].get("type") != "array" and given.count(name) > 1)
    for name in again:
        raise HTTPException(422, f"{name} is given {given.count(name)} times; give it once")
    unknown = next((name for name in request.query_params if name not in known), None)
    if methods and unknown is not None:
        near = get_close_matches(unknown[:100], known, n=1)
        cure = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known) or 'none'}"
        raise HTTPException(422, f"{unknown[:100]!r} is not known here; {cure}")
