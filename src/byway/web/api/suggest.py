"""Autocomplete: query suggestions for the search box, browsers and the API."""

from dataclasses import dataclass
from itertools import islice
from typing import Annotated

from fastapi import Query as QueryParameter
from fastapi.responses import JSONResponse

from byway.core.display import sanitize
from byway.core.text import fold_text
from byway.web.api.params import QueryParam
from byway.web.context import WebContext
from byway.web.middleware.auth import CURRENT_USER
from byway.web.problems import openapi_problems
from byway.web.router import Access, PageRouter, RoutePolicy

MAX_PREFIX_CHARS = 200
"""Maximum length of a prefix; a longer one is truncated."""
DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS = 8, 20
MAX_PAST_QUERIES_SCANNED = 500
"""Number of the user's latest queries that are searched for the prefix."""
MAX_PAST_SUGGESTIONS = 3

SuggestionLimitParam = Annotated[int, QueryParameter(ge=1, le=MAX_SUGGESTIONS)]


@dataclass(frozen=True, slots=True)
class SuggestResponse:
    """Query suggestions, most likely first."""

    suggestions: list[str]


def routes(site: WebContext) -> PageRouter:
    """The routes `/api/v1/suggest` and, for the address bar of browsers, `/suggest`."""
    router = PageRouter(RoutePolicy(Access.SEARCH), include_in_schema=True)

    @router.get("/api/v1/suggest", responses=openapi_problems(422))
    def suggest(
        q: QueryParam = "", limit: SuggestionLimitParam = DEFAULT_SUGGESTIONS
    ) -> SuggestResponse:
        """Suggestions for the prefix `q`."""
        return SuggestResponse(suggestions(site, q, limit))

    @router.get("/suggest", include_in_schema=False)
    def for_browsers(q: str = "") -> JSONResponse:
        body = [q[:MAX_PREFIX_CHARS], suggestions(site, q, DEFAULT_SUGGESTIONS)]
        return JSONResponse(body, media_type="application/x-suggestions+json")

    return router


def suggestions(site: WebContext, prefix: str, limit: int) -> list[str]:
    """Suggestions for a prefix, sanitized; the user's own past queries come first."""
    # A trailing space means that the last word is complete.
    end = " " if prefix[:MAX_PREFIX_CHARS][-1:].isspace() else ""
    prefix = sanitize(prefix)[:MAX_PREFIX_CHARS]
    if not prefix:
        return []
    found = [*_past_queries(site, prefix + end), *site.suggest(prefix + end, limit)]
    unique = {fold_text(text): text for query in reversed(found) if (text := sanitize(query))}
    return list(reversed(unique.values()))[:limit]


def _past_queries(site: WebContext, prefix: str) -> list[str]:
    """Past queries of the user that contain the prefix at the start of a word."""
    user, accounts = CURRENT_USER.get(), site.accounts
    enabled = site.settings.suggest_past_queries and accounts and user.keeps_history
    if not enabled or accounts is None or user.account is None:
        return []
    folded, start = fold_text(prefix.strip()), f" {fold_text(prefix)}"
    past = accounts.store.recent_queries(user.account.id, MAX_PAST_QUERIES_SCANNED)
    found = (
        query for query in past if start in f" {fold_text(query)} " and fold_text(query) != folded
    )
    return list(islice(found, MAX_PAST_SUGGESTIONS))
