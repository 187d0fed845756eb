"""What may a program take out? Pages and sites, with an admin's key; and let them in again."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from byway.app.removal import Much, Named, Removed, named
from byway.core.errors import UsageError
from byway.web.api.crawl import CHANGED, STRICT
from byway.web.api.search import problems
from byway.web.context import Site

PATH = "/api/v1/removed"
MOST_URLS = 100

Urls = Annotated[list[Annotated[str, Field(max_length=2048)]], Field(max_length=MOST_URLS)]
Host = Annotated[str, Field(max_length=255)]
Flag = Annotated[bool, Field(strict=True)]


@dataclass(frozen=True, slots=True)
class ToRemove:
    """Pages, or a site with all below it. A site takes `yes`; `dry_run` only says how much."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    urls: Urls = field(default_factory=list)
    site: Host = ""
    yes: Flag = False
    dry_run: Flag = False


@dataclass(frozen=True, slots=True)
class ToLetIn:
    """Pages, or a site, that were removed."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    urls: Urls = field(default_factory=list)
    site: Host = ""


@dataclass(frozen=True, slots=True)
class LetIn(Much):
    """How much was let in again."""

    closed: list[str] = field(default_factory=list)
    """Why a crawl as it is set here would not visit it: its address is private."""


def routes(site: Site) -> APIRouter:
    """`/api/v1/removed` and `/api/v1/removed/undo`"""
    router = APIRouter()
    if site.accounts is None or site.control is None:
        return router
    removing = site.control.removing

    @router.get(PATH, responses=problems())
    def removed() -> Removed:
        """What was taken out by hand. Needs an admin's key, as all below."""
        return removing.removed()

    @router.post(PATH, responses=CHANGED)
    def remove(order: ToRemove) -> Much:
        """Take pages or a site out: nobody finds them any more, and no crawl visits them again.

        `done` is false when the index has more to do first; they are gone from it soon.
        """
        what = named(order.urls, order.site)
        much = removing.much(what)
        if order.dry_run:
            return much
        if what.site and not order.yes:
            raise UsageError(_unsure(what, much))
        return removing.remove(what)

    @router.post(f"{PATH}/undo", responses=CHANGED)
    def undo(order: ToLetIn) -> LetIn:
        """Let pages or a site in again: the next crawl visits them, if they are in its scope."""
        what = named(order.urls, order.site)
        much = removing.remove(what, undo=True)
        return LetIn(much.urls, much.pages, much.done, removing.closed(what))

    return router


def _unsure(what: Named, much: Much) -> str:
    of_it = f"{much.pages:,} pages ({much.urls:,} URLs) of {what.site}"
    return f'this would remove {of_it}; send "yes": true if that is meant'
