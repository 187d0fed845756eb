"""Who gets in? What commands that serve say and do about accounts."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from byway.accounts.service import AccountService
from byway.app.accounts import open_accounts
from byway.cli.support.output import err, print_notice
from byway.core.errors import DataError
from byway.core.model.account import Role
from byway.core.settings.schema import Settings
from byway.storage.data_folder import DataFolder


@contextmanager
def open_accounts_or_warn(
    folder: DataFolder, settings: Settings
) -> Iterator[AccountService | None]:
    """The accounts of a folder; None, and a word about it, where they cannot be kept."""
    try:
        accounts = open_accounts(folder, settings)
    except DataError as error:
        print_notice(f"nobody can log in: {error}")
        yield None
        return
    with closing(accounts.store):
        yield accounts


def has_admin(accounts: AccountService | None) -> bool:
    """Is there an admin, so that others may be let near?"""
    return accounts is not None and accounts.has_admin()


def print_search_url(accounts: AccountService | None, url: str) -> None:
    """Say where the search page is, and how to become its first admin if there is none."""
    print_notice(f"search at {url} (Ctrl-C stops)")
    if accounts and not accounts.has_admin():
        secret = accounts.invite(Role.ADMIN)
        err.print(f"no admin yet; become it at {url}register?invitation={secret}", markup=False)
