"""Command-line options that commands share, and the settings made from them."""

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byway.app.storage import open_storage
from byway.core.errors import SettingsError, UsageError
from byway.core.settings.load import load_settings
from byway.core.settings.schema import Settings

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
    Path, typer.Option("--data", envvar="BYWAY_DATA", help="Data folder.", show_default=True)
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Override a setting, e.g. crawl.delay=2."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Show details and error tracebacks.", callback=_set_up_log
    ),
]

JobOption = Annotated[
    str, typer.Option("--job", metavar="NAME", help="Apply to this job only; see `byway jobs`.")
]

DEFAULT_DATA_DIR = Path("byway-data")

PortOption = Annotated[
    int | None, typer.Option("--port", help="Port to listen on; 0 for any free port.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", help="Number of web server processes; 0 for one per core."),
]
SeedUrlsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="URL", help="Seed URLs or domains.")
]
DelayOption = Annotated[
    float | None, typer.Option("--delay", help="Seconds between requests to one host.")
]
MaxPagesOption = Annotated[
    int | None,
    typer.Option(
        "--pages",
        "-c",
        help="Stop when this many pages are kept in total (with --job: by that job).",
    ),
]
MaxDepthOption = Annotated[
    int | None, typer.Option("--depth", "-d", help="Maximum number of links away from a seed.")
]
ConcurrencyOption = Annotated[
    int | None, typer.Option("--concurrency", "-t", help="Maximum number of concurrent requests.")
]
ScopeOption = Annotated[
    str | None,
    typer.Option(
        "--scope",
        metavar="host|site|any",
        help="Follow links on the hosts of the seeds, on their sites, or anywhere.",
    ),
]
AllowPrivateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-private",
        metavar="NETWORK",
        help="Allow fetching from this private network, e.g. 10.0.0.0/8; may be repeated.",
    ),
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
        for name in (option.partition("=")[0] for option in given):
            if error.code != "core.bad_source" and error.params.get("setting") == name:
                raise SettingsError(
                    "core.bad_source", source=option_for(name), error=error.message, setting=name
                ) from error
        raise


def check_signal_weights(settings: Settings) -> None:
    """Reject a weight for an unknown signal."""
    if settings.search.weights:
        # Imported late: most settings have no weights, and a crawl needs no signals.
        from byway.app.evaluation import signal_weights

        signal_weights(settings)


def option_for(setting: str) -> str:
    """The command-line option that sets a setting: `--pages` for `crawl.max_pages`."""
    name = setting.rpartition(".")[2].removeprefix("max_").removesuffix("_pattern")
    return f"--{name.replace('_', '-')}"


def open_search_session(
    data: Path, overrides: Sequence[str] | None
) -> "AbstractContextManager[SearchSession]":
    """A read-only session on a data folder."""
    # Imported late: a crawl with seeds does not search.
    from byway.app.search import search_session

    settings = settings_from_options(data, overrides)
    return search_session(open_storage(data, settings), settings)


# Files are checked before the work, not when its result is ready to be written.


def require_file(path: Path, code: str) -> None:
    """Raise an error with this code unless the file exists."""
    if path.is_dir():
        raise UsageError(f"{code}_is_folder", path=path)
    if not path.exists():
        raise UsageError(f"{code}_not_found", path=path)


def require_writable(*paths: Path | None) -> None:
    """Raise an error for the first of these files that cannot be written."""
    for path in paths:
        if path and not path.parent.is_dir():
            raise UsageError("cli.output_folder_missing", path=path, folder=path.parent)
        if path and path.is_dir():
            raise UsageError("cli.output_is_folder", path=path)


def read_lines(path: Path, code: str) -> list[str]:
    """The lines of a UTF-8 text file; raises an error with this code if it does not exist."""
    require_file(path, code)
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError("cli.not_utf8", path=path, line=line) from error
