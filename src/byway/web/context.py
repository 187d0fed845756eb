"""The context of a page: services, settings, the user's boosts and template rendering."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined

from byway.app.accounts import AccountService
from byway.app.admin import AdminService
from byway.app.pages import ArchivedPage, PageArchive
from byway.app.processes.worker_memory import WorkerMemory
from byway.core.errors import RateLimitError
from byway.core.messages import LANGUAGE
from byway.core.model import Hit, Query, Results, Status
from byway.core.secret_tokens import signature
from byway.core.settings.schema import ServeSettings
from byway.core.verticals import Vertical
from byway.web.api.metrics import Metrics
from byway.web.i18n import TEMPLATE_GLOBALS
from byway.web.middleware.auth import CURRENT_USER, CurrentUser
from byway.web.pages.admin import admin_menu
from byway.web.query_params import QueryParams, local_url, private_params

Suggester = Callable[[str, int], list[str]]

WEB_FOLDER = Path(__file__).parent
STATIC_FOLDER = WEB_FOLDER / "static"
MAX_URL_CHARS = 2048


def make_templates(verticals: Sequence[Vertical] = ()) -> Environment:
    """The template environment: values are escaped, and an unknown variable is an error.

    The templates of a vertical have its name as prefix: `products/hit.html`.
    """
    folders = {each.name: Path(each.folder) / "templates" for each in verticals}
    own = PrefixLoader({name: FileSystemLoader(folder) for name, folder in folders.items()})
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(WEB_FOLDER / "templates"), own]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals |= TEMPLATE_GLOBALS
    environment.globals |= {
        "admin_menu": admin_menu,
        "result_link": result_link,
        "local_url": local_url,
        "private_params": private_params,
        "static_url": static_url,
        "stylesheet_url": stylesheet_url,
    }
    return environment


@dataclass(frozen=True, slots=True)
class WebContext:
    """The services for pages. `search` and `status` are called from several threads at once."""

    search: Callable[[Query], Results]
    status: Callable[[], Status]
    settings: ServeSettings
    accounts: AccountService | None = None
    """The account service; None if there is no login."""
    admin: AdminService | None = None
    """The admin service; None if there are no admin pages."""
    suggest: Suggester = lambda prefix, limit: []
    """Returns query completions for a prefix."""
    archive: PageArchive | None = None
    """The page archive; None if there are no cached pages."""
    templates: Environment = field(default_factory=make_templates)
    workers: WorkerMemory = field(default_factory=WorkerMemory)
    """The memory that is shared with the other web workers."""
    metrics: Metrics = field(default_factory=Metrics)
    verticals: Sequence[Vertical] = ()
    index_status: Callable[[], Status] | None = None
    """Returns the status without crawl figures; None if `status` is just as fast."""

    def search_status(self) -> Status:
        """The status for a result page, which must not read the crawler's tables."""
        return (self.index_status or self.status)()

    def personalized_query(self, params: QueryParams) -> Query:
        """The query with the host boosts of the current user; unchanged for a visitor."""
        account = CURRENT_USER.get().account
        if not (self.accounts and account and account.boost_strength):
            return params.query
        if params.personalize == "off":
            return params.query
        boosts = self.accounts.personal_boosts(account)
        if params.personalize == "all":
            boosts = {host: boost for host, boost in boosts.items() if boost.factor > 0}
        return replace(params.query, boosts=boosts)

    def badges(self, hit: Hit) -> tuple[str, ...]:
        """A short summary of each record of a hit."""
        found = (
            each.presenter.summary(hit.records[each.noun], short=True)
            for each in self.verticals
            if each.noun in hit.records
        )
        return tuple(filter(None, found))

    def find_page(self, url: str) -> ArchivedPage | None:
        """The stored page at a typed URL; None if it is not stored."""
        return self.archive.find(url) if self.archive else None

    def has_icon(self, host: str) -> bool:
        """True if a favicon of the host is stored."""
        return self.archive is not None and self.archive.icons.has_image(host)

    def render(self, template: str, status_code: int = 200, **values: Any) -> HTMLResponse:
        """The rendered template."""
        text = self.templates.get_template(template).render(
            name=self.settings.title,
            user=CURRENT_USER.get(),
            has_accounts=self.accounts is not None,
            **values,
        )
        # A lone surrogate in a title must not break the page.
        headers = {"Content-Language": LANGUAGE.get()}
        return HTMLResponse(text.encode("utf-8", "replace"), status_code, headers)

    def render_error(self, status: int, detail: str = "") -> HTMLResponse:
        """The error page for a status, with a default text if `detail` is empty."""
        return self.render("pages/error.html", status, status=status, detail=detail)

    def render_form(
        self, template: str, error: Exception | None = None, **values: Any
    ) -> HTMLResponse:
        """A page with forms, and the error of the last one submitted.

        It is not cached, and the browser sends the origin with its forms.
        """
        status = 429 if isinstance(error, RateLimitError) else 400 if error else 200
        response = self.render(template, status, error=str(error or ""), **values)
        if isinstance(error, RateLimitError):
            response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
        # With no-referrer a browser sends `Origin: null` even to the same site.
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
        return response


@cache
def static_url(name: str, path: Path | None = None) -> str:
    """The URL of a static file with a hash of its content, so that it can be cached forever."""
    content = (path or STATIC_FOLDER / name).read_bytes()
    return f"/static/{name}?v={blake2b(content, digest_size=6).hexdigest()}"


def stylesheet_url(vertical: Vertical) -> str:
    """The URL of the style sheet of a vertical; empty if it has none."""
    path = Path(vertical.folder) / "static" / "style.css"
    return static_url(f"{vertical.name}/style.css", path) if path.is_file() else ""


def result_link(url: str, query: str = "") -> str:
    """The link of a result: through `/open` if clicks are recorded, otherwise direct."""
    user = CURRENT_USER.get()
    if not user.keeps_history or not url or len(url) > MAX_URL_CHARS:
        return url
    return "/open?" + urlencode({"url": url, "q": query, "signature": open_signature(user, url)})


def open_signature(user: CurrentUser, url: str) -> str:
    """A signature that proves that this server gave the user the link to this URL."""
    return signature(user.secret, f"open {url}")
