"""The web application: all pages, API routes and middleware.

make_app(search, status, settings, accounts, admin) -> FastAPI
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from os import PathLike, stat_result
from pathlib import Path
from pkgutil import walk_packages

from fastapi import Depends, FastAPI
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from byway import __version__
from byway.app.accounts import AccountService
from byway.app.admin import SAMPLE_INTERVAL_SECONDS, AdminService
from byway.app.pages import PageArchive
from byway.app.processes.worker_memory import WorkerMemory
from byway.app.verticals.vertical_folders import load_verticals
from byway.core.model import Query, Results, Status
from byway.core.settings.schema import ServeSettings
from byway.core.verticals import Vertical
from byway.web.api.metrics import Metrics
from byway.web.api.openapi import extend_openapi, reject_unknown_params
from byway.web.context import STATIC_FOLDER, Suggester, WebContext, make_templates
from byway.web.errors import add_error_handlers
from byway.web.i18n import LocaleMiddleware
from byway.web.middleware.auth import AuthMiddleware
from byway.web.middleware.cors import ApiCorsMiddleware
from byway.web.middleware.load_shedding import LoadSheddingMiddleware
from byway.web.middleware.response_headers import ResponseHeadersMiddleware
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicies, RoutePolicy

WILDCARD_ADDRESSES = ("0.0.0.0", "::", "[::]")
"""Listening addresses that are not host names of the server."""
PAGE_PACKAGES = ("pages", "api")
STATIC_POLICY = RoutePolicy(Access.PUBLIC, RequestClass.STATIC, compressed=True)


def make_app(
    search: Callable[[Query], Results],
    status: Callable[[], Status],
    settings: ServeSettings,
    accounts: AccountService | None = None,
    admin: AdminService | None = None,
    suggest: Suggester = lambda prefix, limit: [],
    archive: PageArchive | None = None,
    index_status: Callable[[], Status] | None = None,
    workers: WorkerMemory | None = None,
) -> FastAPI:
    """The whole application. `search` and `status` are called from several threads at once.

    Without `accounts` there is no login; without `admin` there are no admin pages. Without
    `archive` there are only the built-in verticals. Without `workers` there are no others.
    """
    workers = workers or WorkerMemory()
    verticals = archive.verticals if archive else load_verticals()
    site = WebContext(
        search=search,
        status=status,
        settings=settings,
        accounts=accounts,
        admin=admin,
        suggest=suggest,
        archive=archive,
        templates=make_templates(verticals),
        verticals=verticals,
        index_status=index_status,
        workers=workers,
        metrics=Metrics(workers),
    )
    app = FastAPI(
        title=settings.title,
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        # The documentation pages load third-party scripts, which we never do.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=partial(_sampling, admin),
        # Queries are private: no traces and no metrics, whatever the environment says.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.stopping = False
    app.state.workers = workers
    app.state.proxies = settings.trusted_proxies
    policies = app.state.policies = RoutePolicies({"/static": STATIC_POLICY})
    _add_middleware(app, site, policies)
    add_error_handlers(app, site)
    _mount_static_files(app, verticals)
    for routes in _page_modules():
        router = routes(site)
        is_described = router.include_in_schema
        app.include_router(
            router, dependencies=[Depends(reject_unknown_params)] if is_described else None
        )
        policies.add(router.policies)
    extend_openapi(app, settings.require_login, policies)
    return app


def _mount_static_files(app: FastAPI, verticals: Sequence[Vertical]) -> None:
    for vertical in verticals:
        if (folder := Path(vertical.folder) / "static").is_dir():
            app.mount(f"/static/{vertical.name}", CachedStaticFiles(directory=folder))
    app.mount("/static", CachedStaticFiles(directory=STATIC_FOLDER))


def _add_middleware(app: FastAPI, site: WebContext, policies: RoutePolicies) -> None:
    """Add all middleware; each wraps those added before it."""
    settings = site.settings
    app.add_middleware(AuthMiddleware, site=site, policies=policies)
    if settings.cors_origins:
        app.add_middleware(ApiCorsMiddleware, origins=settings.cors_origins)
    app.add_middleware(LoadSheddingMiddleware, site=site, policies=policies)
    app.add_middleware(LocaleMiddleware)
    own_host = () if settings.host in WILDCARD_ADDRESSES else (settings.host,)
    app.add_middleware(
        ResponseHeadersMiddleware, names=(*settings.allowed_hosts, *own_host), policies=policies
    )


@asynccontextmanager
async def _sampling(admin: AdminService | None, app: FastAPI) -> AsyncIterator[None]:
    """Sample the progress of the crawl while the server runs."""

    async def sample_forever(admin: AdminService) -> None:
        while True:
            with suppress(Exception):  # a data folder that cannot be read now may be later
                await asyncio.to_thread(admin.sample)
            await asyncio.sleep(SAMPLE_INTERVAL_SECONDS)

    task = asyncio.create_task(sample_forever(admin)) if admin else None
    yield
    if task:
        task.cancel()


def _page_modules() -> Iterator[Callable[[WebContext], PageRouter]]:
    """The `routes` function of every module in `pages/` and `api/`, in the order of their names."""
    for package in PAGE_PACKAGES:
        parent = import_module(f"{__package__}.{package}")
        for module in walk_packages(parent.__path__, f"{parent.__name__}."):
            page = import_module(module.name)
            if hasattr(page, "routes"):
                yield page.routes


class CachedStaticFiles(StaticFiles):
    """Static files with Cache-Control: immutable if the URL has a content hash, else one hour."""

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        has_hash = "v" in QueryParams(scope["query_string"])
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if has_hash else "public, max-age=3600"
        )
        return response
