"""Who may come in? The accounts of a data folder, opened.

Apart from what an admin can do, which loads ten times as much: `byway up` needs the one alone.
"""

from byway.accounts.accounts import Accounts
from byway.backends.embedded.accounts import SqliteAccounts
from byway.backends.embedded.folder import Folder
from byway.settings import Settings


def open_accounts(folder: Folder, settings: Settings) -> Accounts:
    """The accounts of a data folder."""
    return Accounts(SqliteAccounts(folder.accounts_db), settings.serve.session_days)
