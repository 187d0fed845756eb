"""Personalized search: host boosts of the current user as part of the query."""

from collections.abc import Mapping
from dataclasses import replace

from byway.core.model import Boost, Query
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.query_params import PersonalizationMode, QueryParams

PERSONALIZATION_MODES: tuple[PersonalizationMode, ...] = ("on", "all", "off")


def personalized_query(site: WebContext, params: QueryParams, query: Query | None = None) -> Query:
    """The query with the host boosts of the current user; unchanged for a visitor."""
    query = query or params.query
    if params.personalize == "off":
        return query
    boosts = host_boosts(site)
    if params.personalize == "all":
        boosts = {host: boost for host, boost in boosts.items() if boost.factor > 0}
    return replace(query, boosts=boosts)


def personalization_urls(params: QueryParams) -> Mapping[PersonalizationMode, str]:
    """The URLs of the same search in each personalization mode."""
    return {mode: replace(params, page=1, personalize=mode).url() for mode in PERSONALIZATION_MODES}


def host_boosts(site: WebContext) -> Mapping[str, Boost]:
    """The host boosts of the current user."""
    account = CURRENT_USER.get().account
    if site.accounts is None or account is None or not account.boost_strength:
        return {}
    return site.accounts.personal_boosts(account)
