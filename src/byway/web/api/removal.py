"""Removal API: remove pages or sites from the index and restore them. Needs an admin's key."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from byway.app.removal import RemovalSummary, RemovedPages, parse_removal
from byway.core.errors import UsageError
from byway.web.api.crawl import CHANGE_PROBLEMS, FORBID_EXTRA_FIELDS
from byway.web.api.status import ApiReason, reason_for_api
from byway.web.context import WebContext
from byway.web.problems import openapi_problems
from byway.web.router import Access, PageRouter, RoutePolicy

REMOVED_PATH = "/api/v1/removed"
MAX_URLS = 100

UrlList = Annotated[list[Annotated[str, Field(max_length=2048)]], Field(max_length=MAX_URLS)]
SiteName = Annotated[str, Field(max_length=255)]
StrictFlag = Annotated[bool, Field(strict=True)]


@dataclass(frozen=True, slots=True)
class RemovePagesRequest:
    """Pages, or a site with its subdomains. A site requires `confirm`; `dry_run` only counts."""

    __pydantic_config__: ClassVar[ConfigDict] = FORBID_EXTRA_FIELDS

    urls: UrlList = field(default_factory=list)
    site: SiteName = ""
    confirm: StrictFlag = False
    dry_run: StrictFlag = False


@dataclass(frozen=True, slots=True)
class RestorePagesRequest:
    """Removed pages, or a removed site."""

    __pydantic_config__: ClassVar[ConfigDict] = FORBID_EXTRA_FIELDS

    urls: UrlList = field(default_factory=list)
    site: SiteName = ""


@dataclass(frozen=True, slots=True)
class RestorePagesResponse(RemovalSummary):
    """The number of restored URLs and pages."""

    crawl_refusals: list[ApiReason] = field(default_factory=list)
    """Reasons why the current settings do not allow fetching them: their address is private."""


def routes(site: WebContext) -> PageRouter:
    """The routes `/api/v1/removed` and `/api/v1/removed/undo`."""
    router = PageRouter(RoutePolicy(Access.ADMIN), include_in_schema=True)
    if site.accounts is None or site.admin is None:
        return router
    removal = site.admin.removal

    @router.get(REMOVED_PATH, responses=openapi_problems())
    def removed() -> RemovedPages:
        """The removed pages and sites. Needs an admin's API key, like all routes below."""
        return removal.list_removed()

    @router.post(REMOVED_PATH, responses=CHANGE_PROBLEMS)
    def remove(request: RemovePagesRequest) -> RemovalSummary:
        """Remove pages or a site: they disappear from results, and no crawl fetches them again.

        `is_complete` is false while the index is busy; it will drop them soon.
        """
        scope = parse_removal(request.urls, request.site)
        summary = removal.preview(scope)
        if request.dry_run:
            return summary
        if scope.site and not request.confirm:
            raise UsageError(
                "web.confirm_site_removal",
                pages=summary.pages,
                urls=summary.urls,
                site=scope.site,
            )
        return removal.remove(scope)

    @router.post(f"{REMOVED_PATH}/undo", responses=CHANGE_PROBLEMS)
    def restore(request: RestorePagesRequest) -> RestorePagesResponse:
        """Restore pages or a site: the next crawl fetches them, if they are in its scope."""
        scope = parse_removal(request.urls, request.site)
        summary = removal.remove(scope, undo=True)
        return RestorePagesResponse(
            urls=summary.urls,
            pages=summary.pages,
            is_complete=summary.is_complete,
            crawl_refusals=[reason_for_api(one) for one in removal.crawl_refusals(scope)],
        )

    return router
