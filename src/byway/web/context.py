"""What does a page need? The questions it may ask, and a way to be shown."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from byway.accounts.service import Accounts
from byway.app.admin import Control
from byway.app.pages import Kept
from byway.core.errors import TooOften
from byway.core.model import Query, Results, Status
from byway.core.number_format import moment
from byway.core.settings.schema import ServeSettings
from byway.web.api.metrics import Metrics
from byway.web.current_user import WHO, opened
from byway.web.i18n import GLOBALS, READER
from byway.web.query_params import link, private

Suggest = Callable[[str, int], list[str]]

HERE = Path(__file__).parent
STATIC = HERE / "static"


def _templates() -> Environment:
    """Everything shown is escaped, and a name that is not there is an error, not a blank."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    ours = {"opened": opened, "moment": moment, "way": link, "private": private, "static": static}
    made.globals |= {**GLOBALS, **ours}
    return made


@dataclass(frozen=True, slots=True)
class Site:
    """What every page is given. Both functions are called by several threads at once."""

    search: Callable[[Query], Results]
    status: Callable[[], Status]
    settings: ServeSettings
    accounts: Accounts | None = None
    """None: nobody can log in."""
    control: Control | None = None
    """None: there is nothing to be an admin of."""
    suggest: Suggest = lambda typed, most: []
    """How what somebody has begun to type might go on."""
    kept: Kept | None = None
    """None: no page can be shown as it was kept."""
    templates: Environment = field(default_factory=_templates)
    metrics: Metrics = field(default_factory=Metrics)

    def has_icon(self, host: str) -> bool:
        """Is there a favicon of that host?"""
        return self.kept is not None and self.kept.has_icon(host)

    def page(self, template: str, status_code: int = 200, **values: Any) -> HTMLResponse:
        """The template, filled in."""
        text = self.templates.get_template(template).render(
            name=self.settings.title,
            who=WHO.get(),
            doors=self.accounts is not None,
            **values,
        )
        # Half a surrogate pair in some title must not cost the whole page.
        headers = {"Content-Language": READER.get().language}
        return HTMLResponse(text.encode("utf-8", "replace"), status_code, headers)

    def form(self, template: str, error: Exception | None = None, **values: Any) -> HTMLResponse:
        """A page with forms on it, which says what was `wrong` with one.

        Nobody keeps it, and its browser says where a form came from.
        """
        status = 429 if isinstance(error, TooOften) else 400 if error else 200
        response = self.page(template, status, wrong=str(error or ""), **values)
        if isinstance(error, TooOften):
            response.headers["Retry-After"] = str(max(1, round(error.wait)))
        # Under no-referrer a browser says `Origin: null` even to ourselves.
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
        return response


@cache
def static(name: str) -> str:
    """Where a static file is; its content is in the name, so browsers may keep it for good."""
    digest = blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()
    return f"/static/{name}?v={digest}"
