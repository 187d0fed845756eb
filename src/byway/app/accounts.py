"""Who may come in? The accounts of a data folder, opened.

Apart from what an admin can do, which loads ten times as much: `byway up` needs the one alone.
"""

from byway.accounts.service import Accounts
from byway.core.settings.schema import Settings
from byway.storage.data_folder import Folder
from byway.storage.sqlite.accounts import SqliteAccounts


def open_accounts(folder: Folder, settings: Settings) -> Accounts:
    """The accounts of a data folder."""
    return Accounts(SqliteAccounts(folder.accounts_db), settings.serve.session_days)
