"""How might this go on? Suggestions while somebody types, for our page, browsers and programs."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter
from fastapi import Query as QueryParameter
from fastapi.responses import JSONResponse

from byway.web.api import problems
from byway.web.parameters import Words
from byway.web.shown import clean
from byway.web.site import Site

LONGEST = 200
"""Characters that are looked at; what is longer is hardly begun."""
USUAL, MOST = 8, 20

HowMany = Annotated[int, QueryParameter(ge=1, le=MOST)]


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Ways to go on, the likeliest first."""

    suggestions: list[str]


def routes(site: Site) -> APIRouter:
    """`/api/v1/suggest` and `/suggest`, which is for the address bar of browsers"""
    router = APIRouter()

    @router.get("/api/v1/suggest", responses=problems(422))
    def suggest(q: Words = "", limit: HowMany = USUAL) -> Suggestions:
        """What somebody who has typed `q` may want to ask."""
        return Suggestions(suggestions(site, q, limit))

    @router.get("/suggest", include_in_schema=False)
    def for_browsers(q: str = "") -> JSONResponse:
        found = [q[:LONGEST], suggestions(site, q, USUAL)]
        return JSONResponse(found, media_type="application/x-suggestions+json")

    return router


def suggestions(site: Site, typed: str, most: int) -> list[str]:
    """Ways to go on, fit to be shown."""
    ended = " " if typed[:LONGEST][-1:].isspace() else ""  # the last word is whole then
    typed = clean(typed)[:LONGEST]
    found = site.suggest(typed + ended, most) if typed else []
    return [fit for text in found[:most] if (fit := clean(text))]
