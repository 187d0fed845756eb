"""Runs the command line in this process; a process for each command would cost half a second."""

from dataclasses import dataclass

from typer.testing import CliRunner

from byway.cli import make_app
from byway.core.messages import language_of, speaking


@dataclass(frozen=True, slots=True)
class CliResult:
    """How a command ended."""

    exit_code: int
    stdout: str
    stderr: str


def byway(*arguments: object, **environ: str) -> CliResult:
    """Run `byway` with these arguments and environment variables, in the language of LANG."""
    typed = [str(argument) for argument in arguments]
    with speaking(language_of(environ)):
        result = CliRunner().invoke(make_app(typed[:1]), typed, env={"BYWAY_DATA": None, **environ})
    return CliResult(result.exit_code, result.stdout, result.stderr)


def error_line(*arguments: object, exit_code: int, **environ: str) -> str:
    """The error line of a command that fails."""
    ran = byway(*arguments, **environ)
    assert (ran.exit_code, ran.stdout) == (exit_code, ""), ran
    assert ran.stderr.startswith("byway: ") and ran.stderr.count("\n") == 1, ran.stderr
    return ran.stderr.removeprefix("byway: ").strip()
