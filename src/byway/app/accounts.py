"""Opening of the accounts of a collection.

Separate from `admin`, which loads ten times as much: `byway up` needs the accounts only.
"""

from typing import TYPE_CHECKING

from byway.accounts.service import AccountService
from byway.core.settings.schema import Settings

if TYPE_CHECKING:  # ports import numpy, which `byway up` does not need
    from byway.core.ports import Storage


def open_accounts(storage: "Storage", settings: Settings) -> AccountService:
    """The accounts of a collection."""
    return AccountService(storage.accounts(), settings.serve.session_days)
