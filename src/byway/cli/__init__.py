"""The command line. Every module here with a `command` function is a command of the same name.

An expected error prints one line on stderr and exits with 1 for a failure, 2 for wrong usage,
130 for an interrupt. `-v` shows the traceback. The terminal's language follows LANG.
"""

import functools
import importlib
import logging
import os
import pkgutil
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from byway import __version__
from byway.core.messages import LANGUAGE, language_of, t

EXIT_INTERRUPTED = 130
PANELS = ("Crawl", "Search", "Inspect", "Rank and evaluate", "Manage")
"""The groups of commands in `byway --help`, in order."""


def main() -> None:
    """Run the command on the command line."""
    LANGUAGE.set(language_of(os.environ))
    arguments = sys.argv[1:] or ["--help"]
    # `byway stop` sends SIGUSR1: it stays pending until a crawl listens, and ends nothing else.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    if isinstance(sys.stdout, TextIOWrapper):  # replace letters that the terminal cannot show
        sys.stdout.reconfigure(errors="replace")
    try:
        sys.exit(make_app(arguments[:1])(args=arguments, prog_name="byway", standalone_mode=False))
    except KeyboardInterrupt:  # during start-up
        sys.exit(EXIT_INTERRUPTED)
    except TyperException as error:
        _print_error(_usage_message(error))
        sys.exit(getattr(error, "exit_code", 2))


def _usage_message(error: TyperException) -> str:
    """One line about a wrong argument, with a pointer to the help."""
    if not hasattr(error, "format_message"):
        return str(error)
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "byway"
    if errors := getattr(error.__cause__, "errors", None):
        error.message = _value_message(errors()[0])
    key = "error.cli.excluded_word" if _is_excluded_word(error) else "error.cli.usage"
    return t(key, problem=error.format_message().rstrip("."), command=command)


def _is_excluded_word(error: TyperException) -> bool:
    """True if `-word` of a query was parsed as an option."""
    context, option = getattr(error, "ctx", None), getattr(error, "option_name", "")
    if context is None or not option.startswith("-") or option.startswith("--"):
        return False
    return any(
        parameter.name == "words" and parameter.nargs == -1 for parameter in context.command.params
    )


def _value_message(problem: Mapping[str, Any]) -> str:
    """The error for an invalid value; unlike pydantic's message, it quotes the value."""
    value, limits = problem["input"], problem.get("ctx", {})
    quoted = f"{value!r:.80}"
    match problem["type"]:
        case "value_error":
            return str(limits["error"])  # names the value already
        case "int_parsing" | "int_from_float" | "int_parsing_size":
            return t("error.cli.not_integer", value=quoted)
        case "float_parsing":
            return t("error.cli.not_number", value=quoted)
        case "greater_than_equal":
            return t("error.cli.too_small", value=value, minimum=limits["ge"])
        case "less_than_equal":
            return t("error.cli.too_large", value=value, maximum=limits["le"])
    return f"{quoted}: {problem['msg']}"


class CommandGroup(TyperGroup):
    """The group of all commands; its help lists them by panel."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel."""
        width = max(map(len, self.commands))
        for panel in PANELS:
            rows = [
                (f"{name:{width}}", command.get_short_help_str(formatter.width - 6 - width))
                for name, command in self.commands.items()
                if getattr(command, "rich_help_panel", None) == panel
            ]
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)


def make_app(command_names: list[str] | None = None) -> typer.Typer:
    """The program with all commands, or with only the given ones, which loads faster."""
    app = typer.Typer(
        name="byway",
        cls=CommandGroup,
        help="A self-hosted search engine: crawl sites, index them and search them.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_version)
    for module in command_modules(command_names):
        name = module.__name__.rpartition(".")[2]
        app.command(name, rich_help_panel=module.PANEL)(_guarded(module.command))
    return app


def command_modules(command_names: list[str] | None = None) -> list[ModuleType]:
    """The modules of the commands, in the order of `--help`; none of them for `--version`."""
    if command_names == ["--version"]:
        return []
    names = [info.name for info in pkgutil.iter_modules(__path__)]
    selected = [name for name in names if name in (command_names or ())] or names
    modules = [importlib.import_module(f"{__name__}.{name}") for name in selected]
    commands = [module for module in modules if hasattr(module, "command")]
    if not commands:
        return command_modules()
    return sorted(commands, key=lambda module: (PANELS.index(module.PANEL), module.ORDER))


def _show_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"byway {__version__}")
        raise typer.Exit


def _version(
    version: bool = typer.Option(
        False, "--version", help="Show the version.", is_eager=True, callback=_show_version
    ),
) -> None:
    pass


def _guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a command so that expected errors are printed as one line."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            sys.stderr.close()  # the reader of our output closed it, as `head` does
            raise typer.Exit(1) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            from byway.app.processes.unexpected_error import to_byway_error  # loads SQLite

            _print_error(str(to_byway_error(error, kwargs.get("data"))))
            raise typer.Exit(getattr(error, "exit_code", 1)) from None

    return run


def _print_error(message: str) -> None:
    if logging.getLogger("byway").isEnabledFor(logging.DEBUG):
        traceback.print_exc()
    print(f"byway: {' '.join(message.split())}", file=sys.stderr)
