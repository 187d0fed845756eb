"""The options that commands share, and the settings they make."""

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byway.core.errors import SettingsError, UsageError
from byway.core.settings.load import load
from byway.core.settings.schema import Settings
from byway.storage.data_folder import Folder

if TYPE_CHECKING:
    from byway.app.search import Reading


def _set_up_log(verbose: bool) -> bool:
    level = logging.DEBUG if verbose else logging.WARNING
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s"
    )
    logging.getLogger("byway").setLevel(level)
    return verbose


Data = Annotated[
    Path, typer.Option("--data", envvar="BYWAY_DATA", help="The data folder.", show_default=True)
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting, as crawl.delay=2."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Say more, and how it came to errors.", callback=_set_up_log
    ),
]

JobName = Annotated[
    str, typer.Option("--job", metavar="NAME", help="Only this job; `byway jobs` lists them.")
]

HERE = Path("byway-data")

Port = Annotated[
    int | None, typer.Option("--port", help="The port to listen on; 0 takes any free one.")
]


def settings_of(
    data: Path, overrides: Sequence[str] | None = None, flags: Mapping[str, object] | None = None
) -> Settings:
    """The settings of a data folder: its byway.toml, the environment, --set and then flags."""
    given = [
        f"{name}={','.join(value) if isinstance(value, list) else value}"
        for name, value in (flags or {}).items()
        if value not in (None, [])
    ]
    try:
        options = [*(overrides or []), *given]
        return load(data / "byway.toml", os.environ, options, known_signals)
    except SettingsError as error:
        for name in (each.partition("=")[0] for each in given):
            if str(error).startswith((f"{name} ", f"{name}:")):
                raise SettingsError(f"{option_of(name)}: {error}") from error
        raise


def known_signals(settings: Settings) -> None:
    """Refuse a weight of a signal that does not exist."""
    if settings.search.weights:
        # Late, since most settings have no weights, and a crawl needs no signals.
        from byway.app.evaluation import default_weights

        default_weights(settings)


def option_of(setting: str) -> str:
    """The option that stands for a setting: `--pages` for `crawl.max_pages`."""
    name = setting.rpartition(".")[2].removeprefix("max_").removesuffix("_pattern")
    return f"--{name.replace('_', '-')}"


def reading_of(data: Path, overrides: Sequence[str] | None) -> "AbstractContextManager[Reading]":
    """A data folder to ask, and never to write."""
    # Late, since a crawl that is named its seeds has no question and needs none of it.
    from byway.app.search import reading

    return reading(Folder(data), settings_of(data, overrides))


# Can the files that somebody named be used? Said before the work, not when all is worked out.


def require_file(path: Path, cure: str) -> None:
    """Say at once that there is nothing to read, with what could be named instead."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; {cure}")
    if not path.exists():
        raise UsageError(f"no such file: {path}; {cure}")


def require_writable(*paths: Path | None) -> None:
    """Say at once which of the files cannot be written."""
    for path in paths:
        if path and not path.parent.is_dir():
            raise UsageError(f"{path} cannot be written: there is no folder {path.parent}")
        if path and path.is_dir():
            raise UsageError(f"{path} cannot be written: it is a folder; name a file")


def read_lines(path: Path, cure: str) -> list[str]:
    """The lines of a text."""
    require_file(path, cure)
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
