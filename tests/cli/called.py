"""The command line, run in this process: each process of its own would cost half a second."""

from dataclasses import dataclass

from typer.testing import CliRunner

from byway.cli import make_app


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


def byway(*arguments: object, **environ: str) -> Ran:
    """Run `byway` with these arguments and variables."""
    typed = [str(argument) for argument in arguments]
    result = CliRunner().invoke(make_app(typed[:1]), typed, env={"BYWAY_DATA": None, **environ})
    return Ran(result.exit_code, result.stdout, result.stderr)


def refused(*arguments: object, code: int, **environ: str) -> str:
    """The one line that a command ends with which cannot do what it is told."""
    ran = byway(*arguments, **environ)
    assert (ran.code, ran.out) == (code, ""), ran
    assert ran.err.startswith("byway: ") and ran.err.count("\n") == 1, ran.err
    return ran.err.removeprefix("byway: ").strip()
