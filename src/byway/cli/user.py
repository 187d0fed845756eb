"""User: who may log in?"""

import sys
from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table

from byway.accounts.service import Accounts
from byway.cli.support.account_setup import accounts_of
from byway.cli.support.options import HERE, Data, Json, Set, Verbose, settings_of
from byway.cli.support.output import out, plain, print_json, say
from byway.core.errors import DataError, UsageError
from byway.core.model.account import Role
from byway.core.number_format import moment
from byway.storage.data_folder import Folder

ORDER = 30


class What(StrEnum):
    """What to do."""

    LIST = "list"
    ADD = "add"
    PASSWORD = "password"
    REMOVE = "remove"


Action = Annotated[What, typer.Argument(help="What to do.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Whom to do it to.")]
Admin = Annotated[bool, typer.Option("--admin", help="With add: may do everything.")]


def command(
    action: Action,
    name: Name = "",
    admin: Admin = False,
    data: Data = HERE,
    set: Set = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """List who may log in, add somebody, change a password, or remove somebody and their data.

    A password is asked for; where there is no terminal, it is the first line of stdin.
    """
    folder = Folder(data)
    folder.require()
    with accounts_of(folder, settings_of(data, set)) as accounts:
        if accounts is None:
            raise DataError(f"{folder.accounts_db} cannot be used")
        if action is What.LIST:
            _list(accounts, json)
            return
        if not name:
            raise UsageError(f"whom? say `byway user {action} NAME`")
        say(plain(_do(accounts, action, name, admin)))


def _do(accounts: Accounts, action: What, name: str, admin: bool) -> str:
    """Do it; what was done, in words."""
    if action is What.ADD:
        role = Role.ADMIN if admin else Role.USER
        made = accounts.make(name, _password(), role)
        return f"{made.name} can log in now, as {role}"
    account = accounts.named(name)
    if action is What.PASSWORD:
        accounts.set_password(account, _password())
        accounts.store.end(account.id)
        return f"{account.name} has a new password and must log in again"
    accounts.remove(account)
    return f"{account.name} is forgotten, with all that was theirs"


def _list(accounts: Accounts, json: bool) -> None:
    found = accounts.store.accounts()
    if json:
        print_json([{"name": each.name, "role": each.role} for each in found])
        return
    table = Table(box=None, pad_edge=False)
    for column in ("name", "role", "since"):
        table.add_column(column)
    for each in found:
        table.add_row(plain(each.name), each.role, moment(each.made_at))
    out.print(table if found else "Nobody.", markup=False)


def _password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")
