"""Account setup for commands that start a server: the store, and the first admin's invitation."""

from contextlib import AbstractContextManager
from pathlib import Path

from byway.app.accounts import AccountService, open_accounts_if_readable
from byway.cli.support.output import print_notice
from byway.core.messages import t
from byway.core.model.account import Role
from byway.core.settings.schema import Settings


def open_accounts_or_warn(
    data: Path, settings: Settings
) -> AbstractContextManager[AccountService | None]:
    """The accounts of a data folder; None, with a warning, if they cannot be opened."""
    return open_accounts_if_readable(
        data, settings, lambda error: print_notice(t("cli.serve.no_login", problem=error))
    )


def has_admin(accounts: AccountService | None) -> bool:
    """True if there is an admin account, which is required before other machines may connect."""
    return accounts is not None and accounts.has_admin()


def print_search_url(accounts: AccountService | None, url: str) -> None:
    """Print the URL of the search page and, until there is an admin, an invitation for one."""
    print_notice(t("cli.serve.started", url=url))
    if accounts and not accounts.has_admin():
        secret = accounts.invite(Role.ADMIN)
        print_notice(t("cli.serve.no_admin", url=f"{url}register?invitation={secret}"))
