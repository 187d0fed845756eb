"""How might this go on? Suggestions while somebody types, for our page, browsers and programs."""

from dataclasses import dataclass
from itertools import islice
from typing import Annotated

from fastapi import APIRouter
from fastapi import Query as QueryParameter
from fastapi.responses import JSONResponse

from byway.core.text import clean as folded
from byway.web.api.params import Words
from byway.web.api.search import problems
from byway.web.context import Site
from byway.web.current_user import WHO
from byway.web.views.hit import clean

LONGEST = 200
"""Characters that are looked at; what is longer is hardly begun."""
USUAL, MOST = 8, 20
LATELY = 500
"""Questions that somebody asked last, which are looked at ..."""
MOST_PAST = 3
"""... and how many of them are offered."""

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
    """Ways to go on, fit to be shown; what who types has asked before comes first."""
    ended = " " if typed[:LONGEST][-1:].isspace() else ""  # the last word is whole then
    typed = clean(typed)[:LONGEST]
    if not typed:
        return []
    found = [*_past(site, typed + ended), *site.suggest(typed + ended, most)]
    fit = {folded(text): text for each in reversed(found) if (text := clean(each))}
    return list(reversed(fit.values()))[:most]


def _past(site: Site, typed: str) -> list[str]:
    """What somebody asked before that has a word, and what follows it, which begins so."""
    who = WHO.get()
    if not (site.settings.past_queries and site.accounts and who.account and who.remembers):
        return []
    begun = f" {folded(typed)}"
    asked = site.accounts.store.lately(who.account.id, LATELY)
    own = folded(typed.strip())
    found = (one for one in asked if begun in f" {folded(one)} " and folded(one) != own)
    return list(islice(found, MOST_PAST))
