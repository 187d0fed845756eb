"""How might this go on? Suggestions while somebody types, for our page, browsers and programs."""

from dataclasses import dataclass
from itertools import islice
from typing import Annotated

from fastapi import APIRouter
from fastapi import Query as QueryParameter
from fastapi.responses import JSONResponse

from byway.core.text import fold_text as folded
from byway.web.api.params import QueryParam
from byway.web.api.search import openapi_problems
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.views.hit import sanitize

MAX_PREFIX_CHARS = 200
"""Characters that are looked at; what is longer is hardly begun."""
DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS = 8, 20
MAX_PAST_QUERIES_SCANNED = 500
"""Questions that somebody asked last, which are looked at ..."""
MAX_PAST_SUGGESTIONS = 3
"""... and how many of them are offered."""

SuggestionLimitParam = Annotated[int, QueryParameter(ge=1, le=MAX_SUGGESTIONS)]


@dataclass(frozen=True, slots=True)
class SuggestResponse:
    """Ways to go on, the likeliest first."""

    suggestions: list[str]


def routes(site: WebContext) -> APIRouter:
    """`/api/v1/suggest` and `/suggest`, which is for the address bar of browsers"""
    router = APIRouter()

    @router.get("/api/v1/suggest", responses=openapi_problems(422))
    def suggest(
        q: QueryParam = "", limit: SuggestionLimitParam = DEFAULT_SUGGESTIONS
    ) -> SuggestResponse:
        """What somebody who has typed `q` may want to ask."""
        return SuggestResponse(suggestions(site, q, limit))

    @router.get("/suggest", include_in_schema=False)
    def for_browsers(q: str = "") -> JSONResponse:
        found = [q[:MAX_PREFIX_CHARS], suggestions(site, q, DEFAULT_SUGGESTIONS)]
        return JSONResponse(found, media_type="application/x-suggestions+json")

    return router


def suggestions(site: WebContext, prefix: str, limit: int) -> list[str]:
    """Ways to go on, fit to be shown; what who types has asked before comes first."""
    ended = " " if prefix[:MAX_PREFIX_CHARS][-1:].isspace() else ""  # the last word is whole then
    prefix = sanitize(prefix)[:MAX_PREFIX_CHARS]
    if not prefix:
        return []
    found = [*_past(site, prefix + ended), *site.suggest(prefix + ended, limit)]
    fit = {folded(text): text for each in reversed(found) if (text := sanitize(each))}
    return list(reversed(fit.values()))[:limit]


def _past(site: WebContext, typed: str) -> list[str]:
    """What somebody asked before that has a word, and what follows it, which begins so."""
    who = CURRENT_USER.get()
    if not (
        site.settings.suggest_past_queries and site.accounts and who.account and who.keeps_history
    ):
        return []
    begun = f" {folded(typed)}"
    asked = site.accounts.store.recent_queries(who.account.id, MAX_PAST_QUERIES_SCANNED)
    own = folded(typed.strip())
    found = (one for one in asked if begun in f" {folded(one)} " and folded(one) != own)
    return list(islice(found, MAX_PAST_SUGGESTIONS))
