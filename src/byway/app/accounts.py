"""Opening of the accounts of a data folder.

Separate from `admin`, which loads ten times as much: `byway up` needs the accounts only.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from byway.accounts.service import AccountService
from byway.core.errors import DataError
from byway.core.settings.schema import Settings
from byway.storage.data_folder import DataFolder
from byway.storage.sqlite.accounts import SqliteAccountStore


def open_accounts(folder: DataFolder, settings: Settings) -> AccountService:
    """The accounts of a data folder."""
    return AccountService(SqliteAccountStore(folder.accounts_db), settings.serve.session_days)


@contextmanager
def open_accounts_if_readable(
    folder: DataFolder, settings: Settings
) -> Iterator[AccountService | None]:
    """The accounts of a data folder, closed in the end; None if they cannot be opened."""
    try:
        accounts = open_accounts(folder, settings)
    except DataError:
        yield None
        return
    with closing(accounts.store):
        yield accounts
