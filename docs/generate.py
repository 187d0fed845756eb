"""Generator of the reference pages; `make docs` writes them, and a test compares.

settings.md comes from the settings' own annotations, commands.md from each command's --help.
"""

from collections.abc import Mapping
from pathlib import Path

import typer
from msgspec import Meta
from typer.core import TyperCommand, TyperGroup

from byway.cli import make_app
from byway.core.messages import text
from byway.core.settings.load import ENV_PREFIX, Setting, describe_settings
from byway.core.settings.validators import Check

DOCS_FOLDER = Path(__file__).parent
HELP_WIDTH_CHARS = 90

SETTINGS_INTRO = """\
# Settings

Each setting has a name, a type and a default. There are three places to set it; later ones override
earlier ones:

1. `byway.toml` in the data folder; `byway init` writes one with every setting,
2. environment variables: `BYWAY_CRAWL__DELAY=2`,
3. the command line: `--set crawl.delay=2`, or an option such as `--delay`.

Write a list as `["a", "b"]` in the file and as `a,b` elsewhere. Write a table as
`{ freshness = 3 }` in the file. Elsewhere, set one value with
`BYWAY_SEARCH__WEIGHTS__FRESHNESS=3` or `--set search.weights.freshness=3`, or all values as
`{"freshness": 3}`. An unknown name is an error; the message says where it is and suggests a similar
name.
"""

COMMANDS_INTRO = """\
# Commands

The output of `byway COMMAND --help` for every command. Data goes to stdout, everything else to
stderr. Exit codes: 0 for success, 1 for a failure (for example, a crawl that kept no page), 2 for a
usage error, 130 if the command was interrupted. Ctrl-C is the normal way to end `byway up`, `byway
serve` and a serving `byway demo`; they then exit with 0.

Options apply to one run. Repeat them in the next run, or put them into `byway.toml`.
"""

GENERATED_NOTE = (
    "\n<!-- Written by docs/generate.py; run `make docs` instead of changing it here. -->\n"
)


def generated_pages() -> dict[Path, str]:
    """The path and the text of every generated page."""
    reference = DOCS_FOLDER / "reference"
    return {reference / "settings.md": settings_page(), reference / "commands.md": commands_page()}


def settings_page() -> str:
    """The reference of all settings."""
    sections = [
        f"\n## {section}\n\n{sentence}\n" + "".join(map(_setting, settings))
        for section, sentence, settings in describe_settings()
    ]
    return SETTINGS_INTRO + GENERATED_NOTE + "".join(sections)


def commands_page() -> str:
    """The reference of all commands."""
    group = typer.main.get_command(make_app())
    assert isinstance(group, TyperGroup)
    helps = [("byway", _help(group, "byway"))]
    helps += [(f"byway {name}", _help(each, f"byway {name}")) for name, each in _commands(group)]
    return (
        COMMANDS_INTRO
        + GENERATED_NOTE
        + "".join(f"\n## {name}\n\n```text\n{text}\n```\n" for name, text in helps)
    )


def _setting(setting: Setting) -> str:
    kind = ", ".join([text(setting.type_message), *_limits(setting.constraint)])
    kind = kind[:1].upper() + kind[1:]
    variable = ENV_PREFIX + setting.name.replace(".", "__").upper()
    if isinstance(setting.default, Mapping):
        variable = f"{variable}__NAME=3` for one value, or `{variable}"
    about = f"{kind}, default `{setting.default_toml}`. Environment variable: `{variable}`."
    return f"\n### `{setting.name}`\n\n{setting.help}\n\n{about}\n"


def _limits(limits: Meta | Check) -> list[str]:
    if isinstance(limits, Check):
        return [limits.description]
    if limits.le is not None:
        return [f"from {limits.ge:g} to {limits.le:g}"]
    below = f" and below {limits.lt:g}" if limits.lt is not None else ""
    return [] if limits.ge is None else [f"at least {limits.ge:g}{below}"]


def _commands(group: TyperGroup) -> list[tuple[str, TyperCommand]]:
    return [(name, each) for name, each in group.commands.items() if isinstance(each, TyperCommand)]


def _help(command: TyperGroup | TyperCommand, name: str) -> str:
    """The text of --help at a fixed width."""
    context = command.make_context(
        name,
        [],
        resilient_parsing=True,
        terminal_width=HELP_WIDTH_CHARS,
        max_content_width=HELP_WIDTH_CHARS,
    )
    return command.get_help(context).strip()


def main() -> None:
    """Write the pages."""
    for path, page in generated_pages().items():
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
