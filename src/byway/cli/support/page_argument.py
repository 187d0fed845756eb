"""What commands that look at single pages share: where a page comes from."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from byway.app.page_preview import fetch_page, page_from_file
from byway.cli.support.options import open_search_session
from byway.core.errors import DataError, UsageError
from byway.core.model import Page, Url
from byway.core.settings.schema import Settings
from byway.core.url import WEB_SCHEMES, normalize, parse_typed_url
from byway.products.vocabulary.lookup import ProductVocabulary, vocabulary_with_overrides
from byway.storage.data_folder import DataFolder

UrlOption = Annotated[
    str,
    typer.Option("--url", metavar="URL", help="Where a file came from, for its links and rules."),
]
PLACEHOLDER_URL = "https://example.org/"


def load_page(source: str, settings: Settings, source_url: str = "") -> Page:
    """The page at a URL or in a file."""
    if not source.strip():
        raise UsageError("there is nothing to read; name a file or a URL")
    if source_url and _is_url(source):
        raise UsageError(f"--url is for files, and {source:.80} has its URL; leave --url out")
    if _is_url(source):
        return asyncio.run(fetch_page(normalize(source), settings))
    path = Path(source)
    url = (
        parse_typed_url(source_url)
        if source_url
        else normalize(path.name or "page", Url(PLACEHOLDER_URL))
    )
    return page_from_file(path, url, settings.crawl.max_bytes)


def load_stored_page(source: str, data: Path, overrides: list[str] | None) -> Page:
    """A page as the data folder has it."""
    url = parse_typed_url(source)
    with open_search_session(data, overrides) as reading:
        page = reading.page(url)
    if page is None:
        here = Path(source).is_file()
        cure = "the file of that name is read" if here else "it is fetched"
        raise DataError(f"{url} is not kept in {data}; without --stored {cure}")
    return page


def site_rules_folder(data: Path) -> Path | None:
    """The folder of the user's rules for sites, if there is one."""
    sites = DataFolder(data).site_rules
    return sites if sites.is_dir() else None


def load_vocabulary(data: Path) -> ProductVocabulary:
    """What goods are called: in our files, and in the user's, if there are any."""
    return vocabulary_with_overrides(DataFolder(data).read_vocabulary())


def _is_url(source: str) -> bool:
    """Is it one, if only of a kind that cannot be visited?"""
    return source.lower().startswith(WEB_SCHEMES) or ("://" in source and not Path(source).exists())
