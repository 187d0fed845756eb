"""Serve: the search page."""

from byway.app.admin import Control
from byway.app.pages import Kept
from byway.app.search import reading
from byway.cli.support.account_setup import accounts_of, is_guarded, tell
from byway.cli.support.options import HERE, Data, Port, Set, Verbose, settings_of
from byway.storage.data_folder import Folder
from byway.web.app import make_app
from byway.web.server import run

ORDER = 11


def command(
    port: Port = None, data: Data = HERE, set: Set = None, verbose: Verbose = False
) -> None:
    """Serve the search page until Ctrl-C; on this machine only, unless there is an admin."""
    settings, folder = settings_of(data, set, {"serve.port": port}), Folder(data)
    with reading(folder, settings) as opened, accounts_of(folder, settings) as accounts:
        control = Control(folder, settings, opened)
        app = make_app(
            opened.search,
            opened.status,
            settings.serve,
            accounts,
            control,
            opened.suggest,
            Kept(folder, settings, opened),
        )
        run(
            app,
            settings.serve.host,
            settings.serve.port,
            lambda url: tell(accounts, url),
            guarded=is_guarded(accounts),
        )
