"""byway …: the command line. Every module here that has a `command` is one; its name is theirs.

Errors that byway expects are one line and an exit code: 1 when something went wrong, 2 when the
command was called in a way it cannot be, 130 when it was interrupted. `-v` shows more.
"""

import functools
import importlib
import logging
import pkgutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from typer.exceptions import TyperException

from byway import __version__
from byway.core.errors import BywayError

EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the command that was typed."""
    typed = sys.argv[1:] or ["--help"]
    # Word to end a crawl: it waits until there is one, and ends nothing else.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    if isinstance(sys.stdout, TextIOWrapper):  # a letter that a terminal lacks ends nothing
        sys.stdout.reconfigure(errors="replace")
    try:
        sys.exit(make_app(typed[:1])(args=typed, prog_name="byway", standalone_mode=False))
    except KeyboardInterrupt:  # while we were still getting ready
        sys.exit(EXIT_INTERRUPTED)
    except TyperException as error:
        _say(_of_typing(error))
        sys.exit(getattr(error, "exit_code", 2))


def _of_typing(error: TyperException) -> str:
    """What is wrong with what was typed, in one line that names the way out."""
    if not hasattr(error, "format_message"):
        return str(error)
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "byway"
    if errors := getattr(error.__cause__, "errors", None):
        error.message = _of_value(errors()[0])
    return f"{error.format_message().rstrip('.')}{_minus(error)}; see `{command} --help`"


def _minus(error: TyperException) -> str:
    """What whoever typed -word meant, which a shell's custom takes for options."""
    context, option = getattr(error, "ctx", None), getattr(error, "option_name", "")
    if context is None or not option.startswith("-") or option.startswith("--"):
        return ""
    if not any(one.name == "words" and one.nargs == -1 for one in context.command.params):
        return ""
    return f"; to leave out a word, put -- before the words: {context.command_path} -- red -blue"


def _of_value(wrong: Mapping[str, Any]) -> str:
    """What is wrong with a value, with the value, which pydantic leaves out."""
    value, limits = wrong["input"], wrong.get("ctx", {})
    match wrong["type"]:
        case "value_error":
            return str(limits["error"])  # names it already
        case "int_parsing" | "int_from_float" | "int_parsing_size":
            return f"{value!r:.80} is not a whole number"
        case "float_parsing":
            return f"{value!r:.80} is not a number"
        case "greater_than_equal":
            return f"{value} is too small; the least is {limits['ge']}"
        case "less_than_equal":
            return f"{value} is too large; the most is {limits['le']}"
    return f"{value!r:.80}: {wrong['msg']}"


def make_app(command_names: list[str] | None = None) -> typer.Typer:
    """The program with all its commands, or with the one that was typed, which loads faster."""
    app = typer.Typer(
        name="byway",
        help="A search engine of your own: point it at sites, and search them.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_version)
    for module in command_modules(command_names):
        name = module.__name__.rpartition(".")[2]
        app.command(name, rich_help_panel=None)(_guarded(module.command))
    return app


def command_modules(command_names: list[str] | None = None) -> list[ModuleType]:
    """The modules that are commands, in the order `--help` lists them."""
    names = [info.name for info in pkgutil.iter_modules(__path__)]
    wanted = [name for name in names if name in (command_names or ())] or names
    found = [importlib.import_module(f"{__name__}.{name}") for name in wanted]
    if not any(hasattr(module, "command") for module in found):
        return command_modules()
    commands = [module for module in found if hasattr(module, "command")]
    return sorted(commands, key=lambda module: module.ORDER)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"byway {__version__}")
        raise typer.Exit


def _version(
    version: bool = typer.Option(
        False, "--version", help="Show the version.", is_eager=True, callback=_show_version
    ),
) -> None:
    pass


def _guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, with what goes wrong in it said in one line."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            sys.stderr.close()  # whoever read our output has seen enough
            raise typer.Exit(1) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            _say(_in_words(error, kwargs.get("data")))
            raise typer.Exit(getattr(error, "exit_code", 1)) from None

    return run


def _in_words(error: Exception, data: Path | None) -> str:
    """What went wrong, and what to do about it."""
    if isinstance(error, BywayError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror or error}"
    if isinstance(error, sqlite3.OperationalError):
        return f"a database in {data} cannot be used just now: {error}"
    if isinstance(error, sqlite3.DatabaseError):
        return f"a database in {data} is damaged: {error}; restore it, or name another with --data"
    kind = type(error).__name__
    return f"this should not happen: {kind}: {error}; -v shows where, for the report of it"


def _say(message: str) -> None:
    if logging.getLogger("byway").isEnabledFor(logging.DEBUG):
        traceback.print_exc()
    print(f"byway: {' '.join(message.split())}", file=sys.stderr)
