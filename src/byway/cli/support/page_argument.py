"""What commands that look at single pages share: where a page comes from."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from byway.app.page_preview import fetched, from_file
from byway.cli.support.options import reading_of
from byway.core.errors import DataError, UsageError
from byway.core.model import Page, Url
from byway.core.settings.schema import Settings
from byway.core.url import WEB, guess, normalise
from byway.products.vocabulary.lookup import Vocabulary, with_own
from byway.storage.data_folder import Folder

Address = Annotated[
    str,
    typer.Option("--url", metavar="URL", help="Where a file came from, for its links and rules."),
]
NOWHERE = "https://example.org/"


def page_of(source: str, settings: Settings, address: str = "") -> Page:
    """The page at a URL or in a file."""
    if not source.strip():
        raise UsageError("there is nothing to read; name a file or a URL")
    if address and _is_url(source):
        raise UsageError(f"--url is for files, and {source:.80} has its URL; leave --url out")
    if _is_url(source):
        return asyncio.run(fetched(normalise(source), settings))
    path = Path(source)
    url = guess(address) if address else normalise(path.name or "page", Url(NOWHERE))
    return from_file(path, url, settings.crawl.max_bytes)


def stored_page(source: str, data: Path, overrides: list[str] | None) -> Page:
    """A page as the data folder has it."""
    url = guess(source)
    with reading_of(data, overrides) as reading:
        page = reading.page(url)
    if page is None:
        here = Path(source).is_file()
        cure = "the file of that name is read" if here else "it is fetched"
        raise DataError(f"{url} is not kept in {data}; without --stored {cure}")
    return page


def rules_of(data: Path) -> Path | None:
    """The folder of the user's rules for sites, if there is one."""
    sites = Folder(data).sites
    return sites if sites.is_dir() else None


def words_of(data: Path) -> Vocabulary:
    """What goods are called: in our files, and in the user's, if there are any."""
    return with_own(Folder(data).words())


def _is_url(source: str) -> bool:
    """Is it one, if only of a kind that cannot be visited?"""
    return source.lower().startswith(WEB) or ("://" in source and not Path(source).exists())
