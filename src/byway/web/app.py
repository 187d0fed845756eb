"""How do the pages become one site? Each module here with `routes(site)` is found and added.

make_app(search, status, settings) -> FastAPI
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from os import PathLike, stat_result
from pathlib import Path
from pkgutil import iter_modules

from fastapi import APIRouter, FastAPI
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from byway import __version__
from byway.model import Query, Results, Status
from byway.settings import ServeSettings
from byway.web.failure import add_failures
from byway.web.guard import Guard
from byway.web.site import STATIC, Site, Suggest
from byway.web.spoken import Spoken


def make_app(
    search: Callable[[Query], Results],
    status: Callable[[], Status],
    settings: ServeSettings,
    suggest: Suggest = lambda typed, most: [],
) -> FastAPI:
    """The whole site. `search` and `status` are called from several threads at once."""
    site = Site(search, status, settings, suggest)
    app = FastAPI(
        title=settings.title,
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        # The documentation pages load scripts from elsewhere, which we never do.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # What people ask is nobody's business: no traces, no metrics, whatever the environment.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.add_middleware(Spoken)
    app.add_middleware(Guard)
    add_failures(app, site)
    app.mount("/static", KeptFiles(directory=STATIC))
    for routes in _pages():
        app.include_router(routes(site))
    return app


def _pages() -> Iterator[Callable[[Site], APIRouter]]:
    """What each page's module has to offer, in the order of their names."""
    for module in iter_modules([str(Path(__file__).parent)]):
        page = import_module(f"{__package__}.{module.name}")
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
