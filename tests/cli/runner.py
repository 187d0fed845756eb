"""The command line, run in this process: each process of its own would cost half a second."""

from dataclasses import dataclass

from typer.testing import CliRunner

from byway.cli import make_app


@dataclass(frozen=True, slots=True)
class CliResult:
    """How a command ended."""

    exit_code: int
    stdout: str
    stderr: str


def byway(*arguments: object, **environ: str) -> CliResult:
    """Run `byway` with these arguments and variables."""
    typed = [str(argument) for argument in arguments]
    result = CliRunner().invoke(make_app(typed[:1]), typed, env={"BYWAY_DATA": None, **environ})
    return CliResult(result.exit_code, result.stdout, result.stderr)


def error_line(*arguments: object, exit_code: int, **environ: str) -> str:
    """The one line that a command ends with which cannot do what it is told."""
    ran = byway(*arguments, **environ)
    assert (ran.exit_code, ran.stdout) == (exit_code, ""), ran
    assert ran.stderr.startswith("byway: ") and ran.stderr.count("\n") == 1, ran.stderr
    return ran.stderr.removeprefix("byway: ").strip()
