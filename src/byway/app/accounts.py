"""Opens the accounts of a data folder.

Separate from `admin`, which loads ten times as much: `byway up` needs only the accounts.
"""

from byway.accounts.service import AccountService
from byway.core.settings.schema import Settings
from byway.storage.data_folder import DataFolder
from byway.storage.sqlite.accounts import SqliteAccountStore


def open_accounts(folder: DataFolder, settings: Settings) -> AccountService:
    """The accounts of a data folder."""
    return AccountService(SqliteAccountStore(folder.accounts_db), settings.serve.session_days)
