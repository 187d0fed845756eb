"""`byway user`: manage user accounts."""

import sys
from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table

from byway.app.accounts import AccountService, open_accounts
from byway.cli.support import options
from byway.cli.support.options import settings_from_options
from byway.cli.support.output import out, print_json, print_notice, sanitize
from byway.core.errors import UsageError
from byway.core.messages import t
from byway.core.model.account import Role
from byway.core.number_format import format_timestamp

PANEL = "Manage"
ORDER = 2


class UserAction(StrEnum):
    """Actions of `byway user`."""

    LIST = "list"
    ADD = "add"
    PASSWORD = "password"
    REMOVE = "remove"


ActionArgument = Annotated[UserAction, typer.Argument(help="What to do.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the user.")]
AdminOption = Annotated[bool, typer.Option("--admin", help="With add: make the user an admin.")]


def command(
    action: ActionArgument,
    name: NameArgument = "",
    admin: AdminOption = False,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Manage user accounts.

    Lists the users, adds one, changes a password, or removes a user with all their data. Prompts
    for the password; without a terminal, reads it from the first line of stdin.
    """
    with open_accounts(data, settings_from_options(data, set)) as accounts:
        if action is UserAction.LIST:
            _list(accounts, json)
            return
        if not name:
            raise UsageError("cli.no_user_name", action=action)
        print_notice(sanitize(_run(accounts, action, name, admin)))


def _run(accounts: AccountService, action: UserAction, name: str, admin: bool) -> str:
    """Change an account; return the notice to print."""
    if action is UserAction.ADD:
        role = Role.ADMIN if admin else Role.USER
        created = accounts.create(name, _password(), role)
        return t("cli.user.admin_added" if admin else "cli.user.added", name=created.name)
    account = accounts.account_by_name(name)
    if action is UserAction.PASSWORD:
        accounts.set_password(account, _password())
        accounts.store.end_sessions(account.id)
        return t("cli.user.password_changed", name=account.name)
    accounts.remove(account)
    return t("cli.user.removed", name=account.name)


def _list(accounts: AccountService, json: bool) -> None:
    users = accounts.store.accounts()
    if json:
        print_json([{"name": user.name, "role": user.role} for user in users])
        return
    table = Table(box=None, pad_edge=False)
    for column in ("name", "role", "created"):
        table.add_column(t(f"cli.user.head_{column}"))
    for user in users:
        table.add_row(sanitize(user.name), user.role, format_timestamp(user.created_at))
    out.print(table if users else t("cli.user.none"), markup=False)


def _password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(t("cli.user.password"), hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")
