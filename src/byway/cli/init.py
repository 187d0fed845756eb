"""`byway init`: create a data folder with a settings file."""

from byway.cli.support import options
from byway.cli.support.crawl_session import open_engine
from byway.cli.support.output import print_notice
from byway.core.errors import DataError
from byway.core.messages import t
from byway.core.settings.load import to_toml

PANEL = "Manage"
ORDER = 1


def command(
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    verbose: options.VerboseOption = False,
) -> None:
    """Create a data folder with a commented byway.toml."""
    engine = open_engine(data, set)
    path = engine.storage.settings_file
    if path.exists():
        raise DataError("cli.settings_file_exists", path=path)
    engine.create()
    path.write_text(to_toml(engine.settings), encoding="utf-8")
    print_notice(t("cli.init.written", path=path, data=data))
