"""What does a page need? The questions it may ask, and a way to be shown."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from byway.accounts.service import AccountService
from byway.app.admin import AdminService
from byway.app.pages import PageArchive
from byway.core.errors import RateLimitError
from byway.core.model import Query, Results, Status
from byway.core.number_format import format_timestamp
from byway.core.settings.schema import ServeSettings
from byway.web.api.metrics import Metrics
from byway.web.current_user import CURRENT_USER, result_link
from byway.web.i18n import REQUEST_LOCALE, TEMPLATE_GLOBALS
from byway.web.query_params import local_url, private_params

Suggester = Callable[[str, int], list[str]]

WEB_FOLDER = Path(__file__).parent
STATIC_FOLDER = WEB_FOLDER / "static"


def _templates() -> Environment:
    """Everything shown is escaped, and a name that is not there is an error, not a blank."""
    made = Environment(
        loader=FileSystemLoader(WEB_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    ours = {
        "opened": result_link,
        "moment": format_timestamp,
        "way": local_url,
        "private": private_params,
        "static": static_url,
    }
    made.globals |= {**TEMPLATE_GLOBALS, **ours}
    return made


@dataclass(frozen=True, slots=True)
class WebContext:
    """What every page is given. Both functions are called by several threads at once."""

    search: Callable[[Query], Results]
    status: Callable[[], Status]
    settings: ServeSettings
    accounts: AccountService | None = None
    """None: nobody can log in."""
    admin: AdminService | None = None
    """None: there is nothing to be an admin of."""
    suggest: Suggester = lambda typed, most: []
    """How what somebody has begun to type might go on."""
    archive: PageArchive | None = None
    """None: no page can be shown as it was kept."""
    templates: Environment = field(default_factory=_templates)
    metrics: Metrics = field(default_factory=Metrics)

    def has_icon(self, host: str) -> bool:
        """Is there a favicon of that host?"""
        return self.archive is not None and self.archive.has_icon(host)

    def render(self, template: str, status_code: int = 200, **values: Any) -> HTMLResponse:
        """The template, filled in."""
        text = self.templates.get_template(template).render(
            name=self.settings.title,
            who=CURRENT_USER.get(),
            doors=self.accounts is not None,
            **values,
        )
        # Half a surrogate pair in some title must not cost the whole page.
        headers = {"Content-Language": REQUEST_LOCALE.get().language}
        return HTMLResponse(text.encode("utf-8", "replace"), status_code, headers)

    def render_form(
        self, template: str, error: Exception | None = None, **values: Any
    ) -> HTMLResponse:
        """A page with forms on it, which says what was `wrong` with one.

        Nobody keeps it, and its browser says where a form came from.
        """
        status = 429 if isinstance(error, RateLimitError) else 400 if error else 200
        response = self.render(template, status, wrong=str(error or ""), **values)
        if isinstance(error, RateLimitError):
            response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
        # Under no-referrer a browser says `Origin: null` even to ourselves.
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
        return response


@cache
def static_url(name: str) -> str:
    """Where a static file is; its content is in the name, so browsers may keep it for good."""
    digest = blake2b((STATIC_FOLDER / name).read_bytes(), digest_size=6).hexdigest()
    return f"/static/{name}?v={digest}"
