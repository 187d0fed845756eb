"""Whose results are these? What is known of who asks becomes part of their query."""

from collections.abc import Mapping
from dataclasses import replace

from byway.accounts.personal_boosts import boosts
from byway.core.model import Boost, Query
from byway.core.model.account import Wish
from byway.web.context import Site
from byway.web.current_user import WHO
from byway.web.i18n import t
from byway.web.query_params import Asked, Personal

WHOSE: tuple[Personal, ...] = ("on", "all", "off")


def personal(site: Site, asked: Asked, query: Query | None = None) -> Query:
    """The query of who asks, with what hosts are worth to them; a visitor's is as it was typed."""
    query = query or asked.query
    if asked.personal == "off":
        return query
    worth = boosts_of(site)
    if asked.personal == "all":
        worth = {host: boost for host, boost in worth.items() if boost.factor > 0}
    return replace(query, boosts=worth)


def switches(asked: Asked) -> Mapping[Personal, str]:
    """Where the same is answered as one's own, with what one blocked, and as everybody's."""
    return {which: replace(asked, page=1, personal=which).url() for which in WHOSE}


def boosts_of(site: Site) -> Mapping[str, Boost]:
    """What hosts are worth to who asks, each with a sentence in their language."""
    account = WHO.get().account
    if site.accounts is None or account is None or not account.strength:
        return {}
    return boosts(site.accounts.store.taste(account.id), sentence)


def sentence(more: float, pages: int, wish: Wish | None) -> str:
    """Why a host is worth more or less."""
    share = f"{more * 100:+.0f}".replace("-", "−")
    if wish is not None:
        return t(f"worth_{wish}", share=share)
    return t("worth_opened", count=pages, share=share)
