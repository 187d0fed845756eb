"""Page argument of a command: a URL to fetch, a file, or a page stored in the data folder."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from byway.app.preview.page_preview import fetch_page, page_from_file
from byway.cli.support import options
from byway.cli.support.options import open_search_session
from byway.cli.support.output import sanitize
from byway.cli.support.stop_signals import run_until_interrupted
from byway.core.errors import DataError, UsageError
from byway.core.model import Page, Url
from byway.core.settings.schema import Settings
from byway.core.url import WEB_SCHEMES, normalize, parse_typed_url

BaseUrlOption = Annotated[
    str,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="Original URL of a file, for resolving links and matching site rules.",
    ),
]
PLACEHOLDER_URL = "https://example.org/"
MAX_SHOWN_CHARS = 80


def load_page(source: str, settings: Settings, base_url: str = "") -> Page:
    """The page at a URL or in a file."""
    if not source.strip():
        raise UsageError("cli.no_source")
    if base_url and _is_url(source):
        raise UsageError("cli.base_url_of_url", url=source[:MAX_SHOWN_CHARS])
    if _is_url(source):
        return run_until_interrupted(fetch_page(normalize(source), settings))
    path = Path(source)
    url = (
        parse_typed_url(base_url)
        if base_url
        else normalize(path.name or "page", Url(PLACEHOLDER_URL))
    )
    return page_from_file(path, url, settings.crawl.max_bytes)


def load_stored_page(source: str, data: Path, overrides: list[str] | None) -> Page:
    """The stored version of a page."""
    url = parse_typed_url(source)
    with open_search_session(data, overrides) as session:
        page = session.page(url)
    if page is None:
        is_file = Path(source).is_file()
        raise DataError(
            "cli.not_stored_file" if is_file else "cli.not_stored_url", url=url, data=data
        )
    return page


def data_option(data: Path) -> str:
    """The `--data` option to append to a command; empty for the default folder."""
    return "" if data == options.DEFAULT_DATA_DIR else f" --data {shlex.quote(sanitize(str(data)))}"


def _is_url(source: str) -> bool:
    """True for a URL, even with a scheme that byway does not fetch."""
    return source.lower().startswith(WEB_SCHEMES) or ("://" in source and not Path(source).exists())
