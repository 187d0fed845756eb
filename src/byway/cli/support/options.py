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
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings
from byway.storage.data_folder import DataFolder

if TYPE_CHECKING:
    from byway.app.search import SearchSession


def _set_up_log(verbose: bool) -> bool:
    level = logging.DEBUG if verbose else logging.WARNING
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(message)s"
    )
    logging.getLogger("byway").setLevel(level)
    return verbose


DataOption = Annotated[
    Path, typer.Option("--data", envvar="BYWAY_DATA", help="The data folder.", show_default=True)
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting, as crawl.delay=2."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Say more, and how it came to errors.", callback=_set_up_log
    ),
]

JobOption = Annotated[
    str, typer.Option("--job", metavar="NAME", help="Only this job; `byway jobs` lists them.")
]

DEFAULT_DATA_DIR = Path("byway-data")

PortOption = Annotated[
    int | None, typer.Option("--port", help="The port to listen on; 0 takes any free one.")
]


def settings_from_options(
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
        return load_settings(data / "byway.toml", os.environ, options, check_signal_weights)
    except SettingsError as error:
        for name in (each.partition("=")[0] for each in given):
            if error.code != "core.bad_source" and error.params.get("setting") == name:
                raise SettingsError(
                    "core.bad_source", source=option_for(name), error=error.message, setting=name
                ) from error
        raise


def check_signal_weights(settings: Settings) -> None:
    """Refuse a weight of a signal that does not exist."""
    if settings.search.weights:
        # Late, since most settings have no weights, and a crawl needs no signals.
        from byway.app.evaluation import signal_weights

        signal_weights(settings)


def option_for(setting: str) -> str:
    """The option that stands for a setting: `--pages` for `crawl.max_pages`."""
    name = setting.rpartition(".")[2].removeprefix("max_").removesuffix("_pattern")
    return f"--{name.replace('_', '-')}"


def open_search_session(
    data: Path, overrides: Sequence[str] | None
) -> "AbstractContextManager[SearchSession]":
    """A data folder to ask, and never to write."""
    # Late, since a crawl that is named its seeds has no question and needs none of it.
    from byway.app.search import search_session

    return search_session(DataFolder(data), settings_from_options(data, overrides))


# Can the files that somebody named be used? Said before the work, not when all is worked out.


def require_file(path: Path, hint: str) -> None:
    """Say at once that there is nothing to read, with what could be named instead."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; {hint}")
    if not path.exists():
        raise UsageError(f"no such file: {path}; {hint}")


def require_writable(*paths: Path | None) -> None:
    """Say at once which of the files cannot be written."""
    for path in paths:
        if path and not path.parent.is_dir():
            raise UsageError(f"{path} cannot be written: there is no folder {path.parent}")
        if path and path.is_dir():
            raise UsageError(f"{path} cannot be written: it is a folder; name a file")


def read_lines(path: Path, hint: str) -> list[str]:
    """The lines of a text."""
    require_file(path, hint)
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
