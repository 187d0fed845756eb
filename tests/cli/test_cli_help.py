"""What can byway do, and how is it called?"""

import pytest
from cli.called import byway

from byway import __version__
from byway.cli import modules

COMMANDS = [module.__name__.rpartition(".")[2] for module in modules()]


def test_every_command_is_listed_with_a_sentence() -> None:
    shown = byway("--help").out
    for name in COMMANDS:
        assert f"\n  {name} " in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    ran = byway(command, "--help")
    assert (ran.code, ran.err) == (0, "")
    for option in ("--data <path>", "-v, --verbose"):
        assert option in ran.out


def test_byway_alone_shows_the_help() -> None:
    assert "Usage: byway" in byway().err + byway().out


def test_the_version_is_shown() -> None:
    ran = byway("--version")
    assert (ran.code, ran.out) == (0, f"byway {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["serach", "shoes"], "No such command 'serach'"),
        (["search", "--lmit", "5", "shoes"], "No such option: --lmit"),
        (["search"], "Missing argument 'WORDS"),
        (["explain", "shoes"], "Missing argument 'URL"),
        (["search", "--limit", "0", "shoes"], "Invalid value for '--limit'"),
        (["search", "--limit", "many", "shoes"], "Invalid value for '--limit'"),
        (["search", "--page", "0", "shoes"], "Invalid value for '--page'"),
    ],
)
def test_a_command_that_is_called_wrongly_says_how(arguments: list[str], says: str) -> None:
    ran = byway(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert "Traceback" not in ran.err
