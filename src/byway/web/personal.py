"""Whose results are these? What is known of who asks becomes part of their query."""

from collections.abc import Mapping
from dataclasses import replace

from byway.accounts.personal_boosts import personal_boosts
from byway.core.model import Boost, Query
from byway.core.model.account import HostPreference
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.i18n import t
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
    """What hosts are worth to who asks, each with a sentence in their language."""
    account = CURRENT_USER.get().account
    if site.accounts is None or account is None or not account.boost_strength:
        return {}
    return personal_boosts(site.accounts.store.preferences(account.id), boost_explanation)


def boost_explanation(change: float, pages: int, wish: HostPreference | None) -> str:
    """Why a host is worth more or less."""
    share = f"{change * 100:+.0f}".replace("-", "−")
    if wish is not None:
        return t(f"worth_{wish}", share=share)
    return t("worth_opened", count=pages, share=share)
