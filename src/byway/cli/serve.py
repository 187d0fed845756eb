"""`byway serve`: serve the search page and the API."""

from byway.app.admin import AdminService
from byway.app.pages import PageArchive
from byway.app.search import search_session
from byway.app.storage import open_storage
from byway.cli.support.account_setup import has_admin, open_accounts_or_warn, print_search_url
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    PortOption,
    SetOption,
    VerboseOption,
    settings_from_options,
)
from byway.web.app import make_app
from byway.web.server import run

PANEL = "Search"
ORDER = 2


def command(
    port: PortOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Serve the search page and the API.

    Ctrl-C stops it. Other machines can connect only if there is an admin account.
    """
    settings = settings_from_options(data, set, {"serve.port": port})
    storage = open_storage(data, settings)
    with (
        search_session(storage, settings) as session,
        open_accounts_or_warn(storage, settings) as accounts,
    ):
        admin = AdminService(storage, settings, session)
        app = make_app(
            session.search,
            session.status,
            settings.serve,
            accounts,
            admin,
            session.suggest,
            PageArchive(storage, settings, session),
            session.index_status,
        )
        run(
            app,
            settings.serve.host,
            settings.serve.port,
            lambda url: print_search_url(accounts, url),
            allow_remote=has_admin(accounts),
        )
