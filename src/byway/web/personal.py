"""Whose results are these? What is known of who asks becomes part of their query."""

from collections.abc import Mapping
from dataclasses import replace

from byway.accounts.personal_boosts import personal_boosts
from byway.core.model import Boost, Query
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.query_params import PersonalizationMode, QueryParams

PERSONALIZATION_MODES: tuple[PersonalizationMode, ...] = ("on", "all", "off")


def personalized_query(site: WebContext, params: QueryParams, query: Query | None = None) -> Query:
    """The query of who asks, with what hosts are worth to them; a visitor's is as it was typed."""
    query = query or params.query
    if params.personal == "off":
        return query
    worth = host_boosts(site)
    if params.personal == "all":
        worth = {host: boost for host, boost in worth.items() if boost.factor > 0}
    return replace(query, boosts=worth)


def personalization_urls(params: QueryParams) -> Mapping[PersonalizationMode, str]:
    """Where the same is answered as one's own, with what one blocked, and as everybody's."""
    return {which: replace(params, page=1, personal=which).url() for which in PERSONALIZATION_MODES}


def host_boosts(site: WebContext) -> Mapping[str, Boost]:
    """The personal boosts of the current user."""
    account = CURRENT_USER.get().account
    if site.accounts is None or account is None or not account.boost_strength:
        return {}
    return personal_boosts(site.accounts.store.preferences(account.id))
