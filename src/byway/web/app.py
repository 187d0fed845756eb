"""How do the pages become one site? Each module here with `routes(site)` is found and added.

make_app(search, status, settings, accounts, control) -> FastAPI
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from os import PathLike, stat_result
from pathlib import Path
from pkgutil import walk_packages

from fastapi import APIRouter, Depends, FastAPI
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from byway import __version__
from byway.accounts.service import AccountService
from byway.app.admin import SAMPLE_INTERVAL_SECONDS, AdminService
from byway.app.pages import PageArchive
from byway.core.model import Query, Results, Status
from byway.core.settings.schema import ServeSettings
from byway.web.api.openapi import extend_openapi
from byway.web.api.params import reject_unknown_params
from byway.web.context import STATIC_FOLDER, Suggester, WebContext
from byway.web.errors import add_error_handlers
from byway.web.i18n import LocaleMiddleware
from byway.web.middleware.auth import AuthMiddleware
from byway.web.middleware.compression import CompressionMiddleware
from byway.web.middleware.cors import ApiCorsMiddleware
from byway.web.middleware.load_shedding import LoadSheddingMiddleware
from byway.web.middleware.search_history import SearchHistoryMiddleware
from byway.web.middleware.security import SecurityMiddleware

WILDCARD_ADDRESSES = ("0.0.0.0", "::", "[::]")
"""Addresses to listen on that are nobody's name."""


def make_app(
    search: Callable[[Query], Results],
    status: Callable[[], Status],
    settings: ServeSettings,
    accounts: AccountService | None = None,
    admin: AdminService | None = None,
    suggest: Suggester = lambda typed, most: [],
    archive: PageArchive | None = None,
) -> FastAPI:
    """The whole site. `search` and `status` are called from several threads at once.

    Without `accounts` nobody can log in; without `admin` there is no admin page.
    """
    site = WebContext(search, status, settings, accounts, admin, suggest, archive)
    app = FastAPI(
        title=settings.title,
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        # The documentation pages load scripts from elsewhere, which we never do.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(reject_unknown_params)],
        # What people ask is nobody's business: no traces, no metrics, whatever the environment.
        lifespan=partial(_watching, admin),
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.stopping = False
    app.state.proxies = settings.trusted_proxies
    # Each is put around those before it.
    app.add_middleware(SearchHistoryMiddleware, site=site)
    app.add_middleware(AuthMiddleware, site=site)
    app.add_middleware(ApiCorsMiddleware, origins=settings.cors_origins)
    app.add_middleware(LoadSheddingMiddleware, site=site)
    app.add_middleware(LocaleMiddleware)
    app.add_middleware(CompressionMiddleware)
    own = () if settings.host in WILDCARD_ADDRESSES else (settings.host,)
    app.add_middleware(SecurityMiddleware, names=(*settings.allowed_hosts, *own))
    add_error_handlers(app, site)
    app.mount("/static", CachedStaticFiles(directory=STATIC_FOLDER))
    for routes in _pages():
        app.include_router(routes(site))
    extend_openapi(app, settings.require_login)
    return app


@asynccontextmanager
async def _watching(control: AdminService | None, app: FastAPI) -> AsyncIterator[None]:
    """While the site is served, note how the crawl comes along."""

    async def watch(control: AdminService) -> None:
        while True:
            with suppress(Exception):  # a folder that cannot be read just now is no reason to stop
                await asyncio.to_thread(control.sample)
            await asyncio.sleep(SAMPLE_INTERVAL_SECONDS)

    task = asyncio.create_task(watch(control)) if control else None
    yield
    if task:
        task.cancel()


def _pages() -> Iterator[Callable[[WebContext], APIRouter]]:
    """What each page's module has to offer, in the order of their names."""
    for module in walk_packages([str(Path(__file__).parent)], f"{__package__}."):
        page = import_module(module.name)
        if hasattr(page, "routes"):
            yield page.routes


class CachedStaticFiles(StaticFiles):
    """Files that browsers may keep: for good when the URL names the content, else an hour."""

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        named = "v" in QueryParams(scope["query_string"])
        kept = "public, max-age=31536000, immutable" if named else "public, max-age=3600"
        response.headers["Cache-Control"] = kept
        return response
