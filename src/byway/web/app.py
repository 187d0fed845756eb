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
from byway.accounts.service import Accounts
from byway.app.admin import EVERY, Control
from byway.app.pages import Kept
from byway.core.model import Query, Results, Status
from byway.core.settings.schema import ServeSettings
from byway.web.api.openapi import describe
from byway.web.api.params import only_known
from byway.web.context import STATIC, Site, Suggest
from byway.web.errors import add_failures
from byway.web.i18n import Spoken
from byway.web.middleware.auth import Gate
from byway.web.middleware.compression import Small
from byway.web.middleware.cors import ApiCors
from byway.web.middleware.load_shedding import Lanes
from byway.web.middleware.search_history import Remember
from byway.web.middleware.security import Guard

EVERYWHERE = ("0.0.0.0", "::", "[::]")
"""Addresses to listen on that are nobody's name."""


def make_app(
    search: Callable[[Query], Results],
    status: Callable[[], Status],
    settings: ServeSettings,
    accounts: Accounts | None = None,
    control: Control | None = None,
    suggest: Suggest = lambda typed, most: [],
    kept: Kept | None = None,
) -> FastAPI:
    """The whole site. `search` and `status` are called from several threads at once.

    Without `accounts` nobody can log in; without `control` there is no admin page.
    """
    site = Site(search, status, settings, accounts, control, suggest, kept)
    app = FastAPI(
        title=settings.title,
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        # The documentation pages load scripts from elsewhere, which we never do.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(only_known)],
        # What people ask is nobody's business: no traces, no metrics, whatever the environment.
        lifespan=partial(_watching, control),
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.stopping = False
    app.state.proxies = settings.proxies
    # Each is put around those before it.
    app.add_middleware(Remember, site=site)
    app.add_middleware(Gate, site=site)
    app.add_middleware(ApiCors, origins=settings.cors)
    app.add_middleware(Lanes, site=site)
    app.add_middleware(Spoken)
    app.add_middleware(Small)
    own = () if settings.host in EVERYWHERE else (settings.host,)
    app.add_middleware(Guard, names=(*settings.names, *own))
    add_failures(app, site)
    app.mount("/static", KeptFiles(directory=STATIC))
    for routes in _pages():
        app.include_router(routes(site))
    describe(app, settings.private)
    return app


@asynccontextmanager
async def _watching(control: Control | None, app: FastAPI) -> AsyncIterator[None]:
    """While the site is served, note how the crawl comes along."""

    async def watch(control: Control) -> None:
        while True:
            with suppress(Exception):  # a folder that cannot be read just now is no reason to stop
                await asyncio.to_thread(control.sample)
            await asyncio.sleep(EVERY)

    task = asyncio.create_task(watch(control)) if control else None
    yield
    if task:
        task.cancel()


def _pages() -> Iterator[Callable[[Site], APIRouter]]:
    """What each page's module has to offer, in the order of their names."""
    for module in walk_packages([str(Path(__file__).parent)], f"{__package__}."):
        page = import_module(module.name)
        if hasattr(page, "routes"):
            yield page.routes


class KeptFiles(StaticFiles):
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
