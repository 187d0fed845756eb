"""Write the settings file."""

from byway.cli.support.crawl_session import opened
from byway.cli.support.options import HERE, Data, Set, Verbose
from byway.cli.support.output import say
from byway.core.errors import DataError
from byway.core.settings.load import to_toml

ORDER = 20


def command(data: Data = HERE, set: Set = None, verbose: Verbose = False) -> None:
    """Make a data folder with a settings file that explains itself."""
    engine = opened(data, set)
    path = engine.folder.settings
    if path.exists():
        raise DataError(f"{path} is there already; change it with an editor, or delete it first")
    engine.create()
    path.write_text(to_toml(engine.settings), encoding="utf-8")
    say(f"wrote {path}; next: byway up --data {data} https://example.org/")
