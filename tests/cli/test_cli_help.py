"""`byway --help` and wrong calls of commands."""

import pytest
from cli.runner import byway

from byway import __version__
from byway.cli import PANELS, command_modules

COMMANDS = [module.__name__.rpartition(".")[2] for module in command_modules()]


def test_every_command_is_listed_in_its_panel_with_a_short_sentence() -> None:
    shown = byway("--help").stdout
    for name in COMMANDS:
        assert f"\n  {name} " in shown
    assert [line[:-1] for line in shown.splitlines() if line.endswith(":")][1:] == list(PANELS)
    assert "..." not in shown.partition("Options:")[2]  # no sentence is cut
    for module in command_modules():
        assert len(module.command.__doc__.splitlines()[0]) <= 60, module.__name__


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    ran = byway(command, "--help")
    assert (ran.exit_code, ran.stderr) == (0, "")
    for option in ("--data <path>", "-v, --verbose"):
        assert option in ran.stdout


def test_byway_alone_shows_the_help() -> None:
    assert "Usage: byway" in byway().stderr + byway().stdout


def test_the_version_is_shown() -> None:
    ran = byway("--version")
    assert (ran.exit_code, ran.stdout) == (0, f"byway {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serach", "shoes"], "No such command 'serach'"),
        (["search", "--lmit", "5", "shoes"], "No such option: --lmit"),
        (["search"], "Missing argument 'QUERY"),
        (["explain", "shoes"], "Missing argument 'URL"),
        (["search", "--limit", "0", "shoes"], "Invalid value for '--limit'"),
        (["search", "--limit", "many", "shoes"], "Invalid value for '--limit'"),
        (["search", "--page", "0", "shoes"], "Invalid value for '--page'"),
    ],
)
def test_a_wrong_call_is_explained(arguments: list[str], message: str) -> None:
    ran = byway(*arguments)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
