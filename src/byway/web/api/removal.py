"""What may a program take out? Pages and sites, with an admin's key; and let them in again."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from byway.app.removal import RemovalScope, RemovalSummary, RemovedPages, parse_removal
from byway.core.errors import UsageError
from byway.web.api.crawl import CHANGE_PROBLEMS, FORBID_EXTRA_FIELDS
from byway.web.api.search import openapi_problems
from byway.web.api.status import ApiReason, reason_for_api
from byway.web.context import WebContext

REMOVED_PATH = "/api/v1/removed"
MAX_URLS = 100

UrlList = Annotated[list[Annotated[str, Field(max_length=2048)]], Field(max_length=MAX_URLS)]
SiteName = Annotated[str, Field(max_length=255)]
StrictFlag = Annotated[bool, Field(strict=True)]


@dataclass(frozen=True, slots=True)
class RemovePagesRequest:
    """Pages, or a site with all below it. A site takes `confirm`; `dry_run` only says how much."""

    __pydantic_config__: ClassVar[ConfigDict] = FORBID_EXTRA_FIELDS

    urls: UrlList = field(default_factory=list)
    site: SiteName = ""
    confirm: StrictFlag = False
    dry_run: StrictFlag = False


@dataclass(frozen=True, slots=True)
class RestorePagesRequest:
    """Pages, or a site, that were removed."""

    __pydantic_config__: ClassVar[ConfigDict] = FORBID_EXTRA_FIELDS

    urls: UrlList = field(default_factory=list)
    site: SiteName = ""


@dataclass(frozen=True, slots=True)
class RestorePagesResponse(RemovalSummary):
    """How much was let in again."""

    crawl_refusals: list[ApiReason] = field(default_factory=list)
    """Why a crawl as it is set here would not visit it: its address is private."""


def routes(site: WebContext) -> APIRouter:
    """`/api/v1/removed` and `/api/v1/removed/undo`"""
    router = APIRouter()
    if site.accounts is None or site.admin is None:
        return router
    removing = site.admin.removal

    @router.get(REMOVED_PATH, responses=openapi_problems())
    def removed() -> RemovedPages:
        """What was taken out by hand. Needs an admin's key, as all below."""
        return removing.list_removed()

    @router.post(REMOVED_PATH, responses=CHANGE_PROBLEMS)
    def remove(order: RemovePagesRequest) -> RemovalSummary:
        """Take pages or a site out: nobody finds them any more, and no crawl visits them again.

        `done` is false when the index has more to do first; they are gone from it soon.
        """
        what = parse_removal(order.urls, order.site)
        much = removing.preview(what)
        if order.dry_run:
            return much
        if what.site and not order.confirm:
            raise UsageError(_unsure(what, much))
        return removing.remove(what)

    @router.post(f"{REMOVED_PATH}/undo", responses=CHANGE_PROBLEMS)
    def undo(order: RestorePagesRequest) -> RestorePagesResponse:
        """Let pages or a site in again: the next crawl visits them, if they are in its scope."""
        what = parse_removal(order.urls, order.site)
        much = removing.remove(what, undo=True)
        refusals = [reason_for_api(reason) for reason in removing.crawl_refusals(what)]
        return RestorePagesResponse(much.urls, much.pages, much.done, refusals)

    return router


def _unsure(what: RemovalScope, much: RemovalSummary) -> str:
    of_it = f"{much.pages:,} pages ({much.urls:,} URLs) of {what.site}"
    return f'this would remove {of_it}; send "yes": true if that is meant'
