"""What does a page need? The questions it may ask, and a way to be shown."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from byway.model import Query, Results, Status
from byway.settings import ServeSettings
from byway.web.asked import link
from byway.web.spoken import GLOBALS, READER

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
    made.globals |= {**GLOBALS, "link": link, "static": static}
    return made


@dataclass(frozen=True, slots=True)
class Site:
    """What every page is given. Both functions are called by several threads at once."""

    search: Callable[[Query], Results]
    status: Callable[[], Status]
    settings: ServeSettings
    suggest: Suggest = lambda typed, most: []
    templates: Environment = field(default_factory=_templates)

    def page(self, template: str, status_code: int = 200, **values: Any) -> HTMLResponse:
        """The template, filled in."""
        text = self.templates.get_template(template).render(name=self.settings.title, **values)
        # Half a surrogate pair in some title must not cost the whole page.
        headers = {"Content-Language": READER.get().language}
        return HTMLResponse(text.encode("utf-8", "replace"), status_code, headers)


@cache
def static(name: str) -> str:
    """Where a static file is; its content is in the name, so browsers may keep it for good."""
    digest = blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()
    return f"/static/{name}?v={digest}"
