"""Accounts, login, sessions, invitations and API keys."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from web.account_site import FAST_HASHER, PASSWORD

from byway.accounts.passwords import Passwords, validate_password
from byway.app.accounts import AccountService
from byway.core.errors import DataError, RateLimitError, UsageError
from byway.core.model.account import ApiKeyScope, HostPreference, Preferences, Role
from byway.core.secret_tokens import secret_hash
from byway.storage.sqlite.accounts import MAX_API_KEYS, MAX_HISTORY_ENTRIES, SqliteAccountStore

DAY = 86400.0


class Clock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounts(tmp_path: Path, clock: Clock) -> Iterator[AccountService]:
    with closing(SqliteAccountStore(tmp_path / "accounts.db")) as store:
        yield AccountService(store, 30, Passwords(FAST_HASHER), clock)


@contextmanager
def raises_code(code: str) -> Iterator[None]:
    """Expects a usage error with this code."""
    with pytest.raises(UsageError) as caught:
        yield
    assert caught.value.code == code


def test_the_right_password_starts_a_session(accounts: AccountService) -> None:
    accounts.create("Ada", PASSWORD)
    begun = accounts.log_in("  ADA ", PASSWORD, "a browser", "10.0.0.1")
    found = accounts.session(begun.secret)
    assert found is not None
    session, account = found
    assert (account.name, account.role) == ("ada", Role.USER)
    assert (session.user_agent, session.address) == ("a browser", "10.0.0.1")


@pytest.mark.parametrize(("name", "password"), [("ada", "not the password"), ("eve", PASSWORD)])
def test_a_wrong_name_and_a_wrong_password_give_the_same_error(
    accounts: AccountService, name: str, password: str
) -> None:
    accounts.create("ada", PASSWORD)
    with raises_code("accounts.login_failed"):
        accounts.log_in(name, password, "", "")


@pytest.mark.alone
def test_login_takes_as_long_for_an_unknown_name(tmp_path: Path) -> None:
    with closing(SqliteAccountStore(tmp_path / "accounts.db")) as store:
        accounts = AccountService(store, clock=Clock())  # with passwords at their real cost
        accounts.create("ada", PASSWORD)
        # In turn, and the quickest of each: what else this machine does then makes no difference.
        took = [(_seconds(accounts, "ada"), _seconds(accounts, "eve")) for _ in range(4)]
    ada, eve = map(min, zip(*took, strict=True))
    assert 0.5 < ada / eve < 2


def _seconds(accounts: AccountService, name: str) -> float:
    """Of processor time, for a wrong password."""
    start = time.process_time()
    with pytest.raises(UsageError):
        accounts.log_in(name, "wrong", "", "")
    return time.process_time() - start


def test_only_hashes_of_secrets_are_stored(accounts: AccountService, tmp_path: Path) -> None:
    ada = accounts.create("ada", PASSWORD, Role.ADMIN)
    secrets = [
        PASSWORD,
        accounts.log_in("ada", PASSWORD, "", "").secret,
        accounts.invite(),
        accounts.create_key(ada, "a key", ApiKeyScope.SEARCH),
    ]
    accounts.store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"$argon2id$" in kept
    assert not [secret for secret in secrets if secret.encode() in kept]
    assert secret_hash(secrets[1]) in kept


def test_only_the_owner_can_read_the_database_file(
    accounts: AccountService, tmp_path: Path
) -> None:
    assert (tmp_path / "accounts.db").stat().st_mode & 0o077 == 0


def test_a_session_expires(accounts: AccountService, clock: Clock) -> None:
    accounts.create("ada", PASSWORD)
    secret = accounts.log_in("ada", PASSWORD, "", "").secret
    clock.now += 29 * DAY
    assert accounts.session(secret)
    clock.now += 2 * DAY
    assert accounts.session(secret) is None


def test_sessions_are_listed_and_ended(accounts: AccountService, clock: Clock) -> None:
    ada = accounts.create("ada", PASSWORD)
    first, second = (accounts.log_in("ada", PASSWORD, agent, "").secret for agent in "ab")
    listed = accounts.store.sessions(ada.id, clock.now)
    assert {session.user_agent for session in listed} == {"a", "b"}
    accounts.store.end_sessions(ada.id, next(each.id for each in listed if each.user_agent == "a"))
    assert accounts.session(first) is None
    assert accounts.session(second)


def test_an_account_cannot_end_the_session_of_another(accounts: AccountService) -> None:
    eve, _ = accounts.create("eve", PASSWORD), accounts.create("ada", PASSWORD)
    secret = accounts.log_in("ada", PASSWORD, "", "").secret
    found = accounts.session(secret)
    assert found
    accounts.store.end_sessions(eve.id, found[0].id)
    assert accounts.session(secret)


def test_a_new_password_ends_all_other_sessions(accounts: AccountService) -> None:
    ada = accounts.create("ada", PASSWORD)
    here, there = (accounts.log_in("ada", PASSWORD, "", "").secret for _ in range(2))
    session = accounts.session(here)
    assert session
    with raises_code("accounts.wrong_password"):
        accounts.change_password(ada, "wrong", "another good phrase", session[0])
    accounts.change_password(ada, PASSWORD, "another good phrase", session[0])
    assert accounts.session(here)
    assert accounts.session(there) is None
    assert accounts.log_in("ada", "another good phrase", "", "")


def test_waits_grow_after_a_few_failed_logins(accounts: AccountService, clock: Clock) -> None:
    accounts.create("ada", PASSWORD)
    waits = []
    for _ in range(12):
        try:
            accounts.log_in("ada", "wrong", "", "10.0.0.1")
        except RateLimitError as refused:
            waits.append(refused.retry_after)
            clock.now += refused.retry_after
        except UsageError:
            pass
    assert waits[:3] == [2, 4, 8]
    assert waits == sorted(waits)
    clock.now += 60
    assert accounts.log_in("ada", PASSWORD, "", "10.0.0.1")


def test_an_unknown_name_is_throttled_too(accounts: AccountService) -> None:
    for _ in range(6):
        with pytest.raises(UsageError):
            accounts.log_in("eve", "wrong", "", "10.0.0.1")
    with pytest.raises(RateLimitError) as caught:
        accounts.log_in("eve", "wrong", "", "10.0.0.2")
    assert caught.value.retry_after == 2


def test_an_address_that_tries_many_names_is_throttled(accounts: AccountService) -> None:
    for number in range(21):
        with pytest.raises(UsageError):
            accounts.log_in(f"name{number}", "wrong", "", "10.0.0.1")
    with pytest.raises(RateLimitError):
        accounts.log_in("another", "wrong", "", "10.0.0.1")
    with raises_code("accounts.login_failed"):
        accounts.log_in("another", "wrong", "", "10.0.0.2")


def test_failed_logins_count_in_all_processes(
    accounts: AccountService, tmp_path: Path, clock: Clock
) -> None:
    with closing(SqliteAccountStore(tmp_path / "accounts.db")) as store:
        other = AccountService(store, 30, Passwords(FAST_HASHER), clock)
        accounts.create("ada", PASSWORD)
        for number in range(6):
            with raises_code("accounts.login_failed"):
                (accounts, other)[number % 2].log_in("ada", "wrong", "", f"10.0.0.{number}")
        for service in (accounts, other):
            with pytest.raises(RateLimitError):
                service.log_in("ada", PASSWORD, "", "10.0.0.9")
        clock.now += 60
        assert other.log_in("ada", PASSWORD, "", "10.0.0.9")
        assert accounts.log_in("ada", PASSWORD, "", "10.0.0.9")


def test_an_invitation_creates_one_account(accounts: AccountService) -> None:
    secret = accounts.invite()
    assert accounts.register("ada", PASSWORD, secret, "", "").account.role is Role.USER
    with raises_code("accounts.invitation_used"):
        accounts.register("eve", PASSWORD, secret, "", "")


def test_a_taken_name_does_not_use_up_the_invitation(accounts: AccountService) -> None:
    accounts.create("ada", PASSWORD)
    secret = accounts.invite()
    with raises_code("accounts.name_taken"):
        accounts.register("ada", PASSWORD, secret, "", "")
    assert accounts.register("eve", PASSWORD, secret, "", "")


def test_an_invitation_expires(accounts: AccountService, clock: Clock) -> None:
    secret = accounts.invite()
    clock.now += 8 * DAY
    assert accounts.invitation_role(secret) is None
    with raises_code("accounts.invitation_used"):
        accounts.register("ada", PASSWORD, secret, "", "")


def test_only_the_latest_first_admin_invitation_is_valid(accounts: AccountService) -> None:
    before, now = accounts.invite(Role.ADMIN), accounts.invite(Role.ADMIN)
    assert accounts.invitation_role(before) is None
    assert accounts.register("ada", PASSWORD, now, "", "").account.role is Role.ADMIN
    assert accounts.has_admin()


def test_the_last_admin_cannot_be_removed_or_demoted(accounts: AccountService) -> None:
    ada = accounts.create("ada", PASSWORD, Role.ADMIN)
    for act in (accounts.remove, lambda who: accounts.set_role(who, Role.USER)):
        with raises_code("accounts.last_admin"):
            act(ada)
    accounts.create("eve", PASSWORD, Role.ADMIN)
    accounts.remove(ada)
    assert [account.name for account in accounts.store.accounts()] == ["eve"]


def test_deleting_an_account_deletes_all_its_data(accounts: AccountService, tmp_path: Path) -> None:
    ada = accounts.create("ada", PASSWORD)
    secret = accounts.log_in("ada", PASSWORD, "", "").secret
    key = accounts.create_key(ada, "a key", ApiKeyScope.SEARCH)
    accounts.record_query(ada, "how to hide from eve")
    accounts.store.set_host_preference(ada.id, "eve.example", HostPreference.BLOCKED)
    with raises_code("accounts.wrong_password"):
        accounts.delete(ada, "wrong")
    accounts.delete(ada, PASSWORD)
    assert accounts.session(secret) is None
    assert accounts.key(key) is None
    assert accounts.store.history(ada.id).queries == ()
    accounts.store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"hide from eve" not in kept and b"eve.example" not in kept


def test_a_key_has_its_scope(accounts: AccountService) -> None:
    admin, user = accounts.create("ada", PASSWORD, Role.ADMIN), accounts.create("eve", PASSWORD)
    found = accounts.key(accounts.create_key(admin, "cron", ApiKeyScope.ADMIN))
    assert found and (found[0].scope, found[1].name) == (ApiKeyScope.ADMIN, "ada")
    with raises_code("accounts.key_needs_admin"):
        accounts.create_key(user, "cron", ApiKeyScope.ADMIN)
    assert accounts.key("byway_made-up") is None


def test_the_admin_key_of_a_former_admin_is_invalid(accounts: AccountService) -> None:
    ada, _ = (
        accounts.create("ada", PASSWORD, Role.ADMIN),
        accounts.create("eve", PASSWORD, Role.ADMIN),
    )
    key = accounts.create_key(ada, "cron", ApiKeyScope.ADMIN)
    accounts.set_role(ada, Role.USER)
    assert accounts.key(key) is None


def test_the_number_of_keys_is_limited(accounts: AccountService) -> None:
    ada = accounts.create("ada", PASSWORD)
    for _ in range(MAX_API_KEYS):
        accounts.create_key(ada, "key", ApiKeyScope.SEARCH)
    with raises_code("accounts.too_many_keys"):
        accounts.create_key(ada, "key", ApiKeyScope.SEARCH)


def test_the_length_of_the_history_is_limited(
    accounts: AccountService, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_HISTORY_ENTRIES == 10_000
    monkeypatch.setattr("byway.storage.sqlite.accounts.MAX_HISTORY_ENTRIES", 5)
    ada, eve = accounts.create("ada", PASSWORD), accounts.create("eve", PASSWORD)
    accounts.record_query(eve, "mine")
    for number in range(9):
        accounts.record_query(ada, f"question {number}")
    asked = [each.text for each in accounts.store.history(ada.id).queries]
    assert asked == [f"question {number}" for number in range(8, 3, -1)]
    assert len(accounts.store.history(eve.id).queries) == 1


@pytest.mark.parametrize("name", ["", "a", "a b", "../etc", "x" * 41, "<b>", "-a", "a\u202eb"])
def test_an_invalid_name_is_rejected(accounts: AccountService, name: str) -> None:
    with raises_code("accounts.bad_name"):
        accounts.create(name, PASSWORD)


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("short", "password_too_short"),
        ("aaaaaaaaaaaa", "password_too_easy"),
        ("ada-lovelace", "password_too_easy"),
        ("x" * 300, "password_too_long"),
    ],
)
def test_a_weak_password_is_rejected(password: str, code: str) -> None:
    with raises_code(f"accounts.{code}"):
        validate_password(password, "ada-lovelace")


def test_names_are_compared_after_unicode_normalization(accounts: AccountService) -> None:
    accounts.create("ａｄａ", PASSWORD)  # full-width letters
    with raises_code("accounts.name_taken"):
        accounts.create("Ada", PASSWORD)


def test_a_cheap_hash_is_replaced_at_the_next_login(tmp_path: Path) -> None:
    with closing(SqliteAccountStore(tmp_path / "accounts.db")) as store:
        AccountService(store, passwords=Passwords(FAST_HASHER)).create("ada", PASSWORD)
        dear = AccountService(store)
        dear.log_in("ada", PASSWORD, "", "")
        found = store.account("ada")
    assert found and "m=65536" in found[1]


def test_an_unwritable_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Cannot write to"):
        SqliteAccountStore(tmp_path / "nowhere" / "accounts.db")


def test_accounts_of_another_version_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "accounts.db"
    SqliteAccountStore(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma user_version = 1")
    with pytest.raises(DataError) as caught:
        SqliteAccountStore(path)
    assert caught.value.code == "storage.other_version_accounts"


def test_opened_pages_are_counted_once_each_by_host(tmp_path: Path) -> None:
    with closing(SqliteAccountStore(tmp_path / "accounts.db")) as store:
        ada = store.add("ada", Role.USER, "hash", 1.0)
        assert ada
        for url in (
            "https://a.org/1",
            "https://a.org/1",
            "http://a.org/2?x=/y",
            "https://b.org:8/",
        ):
            store.record_click(ada.id, url, "", 1.0)
        store.record_query(ada.id, "https://c.org/", 1.0)
        store.set_host_preference(ada.id, "d.org", HostPreference.LESS)
        store.set_boost_strength(ada.id, 0.5)
        assert store.preferences(ada.id) == Preferences(
            {"a.org": 2, "b.org:8": 1}, {"d.org": HostPreference.LESS}, 0.5
        )
