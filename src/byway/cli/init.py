"""Write the settings file."""

from byway.cli.support.crawl_session import open_engine
from byway.cli.support.options import DEFAULT_DATA_DIR, DataOption, SetOption, VerboseOption
from byway.cli.support.output import print_notice
from byway.core.errors import DataError
from byway.core.settings.load import to_toml

ORDER = 20


def command(
    data: DataOption = DEFAULT_DATA_DIR, set: SetOption = None, verbose: VerboseOption = False
) -> None:
    """Make a data folder with a settings file that explains itself."""
    engine = open_engine(data, set)
    path = engine.folder.settings_file
    if path.exists():
        raise DataError(f"{path} is there already; change it with an editor, or delete it first")
    engine.create()
    path.write_text(to_toml(engine.settings), encoding="utf-8")
    print_notice(f"wrote {path}; next: byway up --data {data} https://example.org/")
