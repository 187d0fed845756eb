"""User: who may log in?"""

import sys
from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table

from byway.accounts.service import AccountService
from byway.cli.support.account_setup import open_accounts_or_warn
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    settings_from_options,
)
from byway.cli.support.output import out, print_json, print_notice, sanitize
from byway.core.errors import DataError, UsageError
from byway.core.model.account import Role
from byway.core.number_format import format_timestamp
from byway.storage.data_folder import DataFolder

ORDER = 30


class UserAction(StrEnum):
    """What to do."""

    LIST = "list"
    ADD = "add"
    PASSWORD = "password"
    REMOVE = "remove"


ActionArgument = Annotated[UserAction, typer.Argument(help="What to do.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Whom to do it to.")]
AdminOption = Annotated[bool, typer.Option("--admin", help="With add: may do everything.")]


def command(
    action: ActionArgument,
    name: NameArgument = "",
    admin: AdminOption = False,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """List who may log in, add somebody, change a password, or remove somebody and their data.

    A password is asked for; where there is no terminal, it is the first line of stdin.
    """
    folder = DataFolder(data)
    folder.require_data()
    with open_accounts_or_warn(folder, settings_from_options(data, set)) as accounts:
        if accounts is None:
            raise DataError(f"{folder.accounts_db} cannot be used")
        if action is UserAction.LIST:
            _list(accounts, json)
            return
        if not name:
            raise UsageError(f"whom? say `byway user {action} NAME`")
        print_notice(sanitize(_do(accounts, action, name, admin)))


def _do(accounts: AccountService, action: UserAction, name: str, admin: bool) -> str:
    """Do it; what was done, in words."""
    if action is UserAction.ADD:
        role = Role.ADMIN if admin else Role.USER
        made = accounts.create(name, _password(), role)
        return f"{made.name} can log in now, as {role}"
    account = accounts.account_by_name(name)
    if action is UserAction.PASSWORD:
        accounts.set_password(account, _password())
        accounts.store.end_sessions(account.id)
        return f"{account.name} has a new password and must log in again"
    accounts.remove(account)
    return f"{account.name} is forgotten, with all that was theirs"


def _list(accounts: AccountService, json: bool) -> None:
    found = accounts.store.accounts()
    if json:
        print_json([{"name": each.name, "role": each.role} for each in found])
        return
    table = Table(box=None, pad_edge=False)
    for column in ("name", "role", "since"):
        table.add_column(column)
    for each in found:
        table.add_row(sanitize(each.name), each.role, format_timestamp(each.created_at))
    out.print(table if found else "Nobody.", markup=False)


def _password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")
