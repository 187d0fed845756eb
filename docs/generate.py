"""Which reference pages does the code write itself? `make docs` writes them; a test compares.

settings.md comes from the settings' own annotations, commands.md from each command's --help.
"""

from collections.abc import Mapping
from pathlib import Path

import typer
from typer.core import TyperCommand, TyperGroup

from byway.cli import make_app
from byway.core.settings.load import ENV_PREFIX, Setting, describe_settings

DOCS_FOLDER = Path(__file__).parent
HELP_WIDTH_CHARS = 90

SETTINGS_INTRO = """\
# Settings

Each setting has a name, a type and a default. A setting is looked for in three places, and the
last one that has it wins:

1. `byway.toml` in the data folder; `byway init` writes one with every setting in it,
2. the environment: `BYWAY_CRAWL__DELAY=2`,
3. the command line: `--set crawl.delay=2`, and options such as `--delay` that stand for a
   setting.

Lists are written `["a", "b"]` in the file and `a,b` elsewhere. A table is written
`{ freshness = 3 }` in the file; elsewhere one value of it is set by its name,
`BYWAY_SEARCH__WEIGHTS__FRESHNESS=3` or `--set search.weights.freshness=3`, or all of them as
`{"freshness": 3}`. A name that does not exist is an error that says where it stands, in the file or
in which variable, and which name was probably meant.
"""

COMMANDS_INTRO = """\
# Commands

What `byway COMMAND --help` says, for all commands. Data goes to stdout and everything else to
stderr. The exit code is 0 when all went well, 1 when something went wrong (as when a crawl has kept
nothing), 2 when the command was called in a way it cannot be, and 130 when it was interrupted.
Ctrl-C is how `byway up` and `byway serve` end, and `byway demo` once it serves: that is a 0.

Options hold for one run. Repeat them at the next, or write them into `byway.toml`.
"""

GENERATED_NOTE = (
    "\n<!-- Written by docs/generate.py; run `make docs` instead of changing it here. -->\n"
)


def generated_pages() -> dict[Path, str]:
    """Every generated page: where it is, and what it should say."""
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
    kind = ", ".join([setting.type_name, *(limit.description for limit in setting.constraints)])
    kind = kind[:1].upper() + kind[1:]
    variable = ENV_PREFIX + setting.name.replace(".", "__").upper()
    if isinstance(setting.default, Mapping):
        variable = f"{variable}__NAME=3` for one value, or `{variable}"
    about = f"{kind}, default `{setting.default_toml}`. In the environment: `{variable}`."
    return f"\n### `{setting.name}`\n\n{setting.help}\n\n{about}\n"


def _commands(group: TyperGroup) -> list[tuple[str, TyperCommand]]:
    return [(name, each) for name, each in group.commands.items() if isinstance(each, TyperCommand)]


def _help(command: TyperGroup | TyperCommand, name: str) -> str:
    """The text of --help, at one width whatever the terminal is."""
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
    for path, text in generated_pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
