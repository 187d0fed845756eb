"""What every account store must do."""

from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from byway.core.model.account import (
    Account,
    AccountId,
    ApiKeyScope,
    FailureCount,
    HostPreference,
    Preferences,
    Role,
    Session,
)
from byway.core.ports import AccountStore, Storage

NOW = 1_000_000.0
DAY = 86400.0
NOBODY = AccountId(999)


@pytest.fixture
def store(storage: Storage) -> Iterator[AccountStore]:
    with closing(storage.accounts()) as store:
        yield store


def added(store: AccountStore, name: str, role: Role = Role.USER) -> Account:
    account = store.add(name, role, f"hash of {name}", NOW)
    assert account is not None
    return account


def start_session(store: AccountStore, account: Account, hash: bytes, at: float = NOW) -> Session:
    store.start_session(Session(0, account.id, at, at, NOW + DAY, "a browser", "10.0.0.1"), hash)
    found = store.session(hash, at)
    assert found is not None
    return found[0]


def test_an_account_is_found_by_its_name(store: AccountStore) -> None:
    ada = added(store, "ada", Role.ADMIN)
    assert (ada.name, ada.role, ada.created_at) == ("ada", Role.ADMIN, NOW)
    assert (ada.records_history, ada.boost_strength) == (True, 1.0)
    assert store.account("ada") == (ada, "hash of ada")
    assert store.account("eve") is None


def test_a_name_belongs_to_one_account(store: AccountStore) -> None:
    ada = added(store, "ada")
    assert store.add("ada", Role.ADMIN, "another hash", NOW) is None
    assert store.account("ada") == (ada, "hash of ada")


def test_accounts_are_listed_by_name_and_ids_are_never_reused(store: AccountStore) -> None:
    bob, ada = added(store, "bob"), added(store, "ada")
    assert store.accounts() == [ada, bob]
    assert store.remove(ada.id)
    assert added(store, "carl").id not in (ada.id, bob.id)


def test_settings_of_an_account_are_changed(store: AccountStore) -> None:
    ada, bob = added(store, "ada"), added(store, "bob")
    store.set_password(ada.id, "new hash")
    store.set_records_history(ada.id, False)
    store.set_boost_strength(ada.id, 0.5)
    found = store.account("ada")
    assert found is not None
    assert (found[0].records_history, found[0].boost_strength, found[1]) == (False, 0.5, "new hash")
    assert store.account("bob") == (bob, "hash of bob")


def test_one_admin_always_stays(store: AccountStore) -> None:
    ada, bob = added(store, "ada", Role.ADMIN), added(store, "bob")
    assert not store.set_role(ada.id, Role.USER) and not store.remove(ada.id)
    assert store.accounts() == [ada, bob]
    assert store.set_role(bob.id, Role.ADMIN)
    assert store.set_role(ada.id, Role.USER) and store.remove(ada.id)
    assert [(one.name, one.role) for one in store.accounts()] == [("bob", Role.ADMIN)]


def test_removing_an_account_removes_all_its_data(store: AccountStore) -> None:
    ada = added(store, "ada")
    start_session(store, ada, b"session")
    store.add_key(ada.id, "a key", ApiKeyScope.SEARCH, b"key", NOW)
    store.record_query(ada.id, "apples", NOW)
    store.set_host_preference(ada.id, "a.org", HostPreference.LESS)
    assert store.remove(ada.id)
    assert store.session(b"session", NOW) is None and store.sessions(ada.id, NOW) == []
    assert store.key(b"key", NOW) is None and store.keys(ada.id) == []
    history = store.history(ada.id)
    assert (history.queries, history.clicks, history.host_preferences) == ((), (), {})


def test_a_session_is_found_until_it_expires(store: AccountStore) -> None:
    ada = added(store, "ada")
    session = start_session(store, ada, b"one")
    assert session == Session(session.id, ada.id, NOW, NOW, NOW + DAY, "a browser", "10.0.0.1")
    assert store.session(b"one", NOW + DAY - 1) == (session, ada)
    assert store.session(b"one", NOW + DAY) is None
    assert store.session(b"two", NOW) is None


def test_sessions_are_listed_by_their_last_use(store: AccountStore) -> None:
    ada, bob = added(store, "ada"), added(store, "bob")
    first, second = start_session(store, ada, b"1"), start_session(store, ada, b"2", NOW + 1)
    start_session(store, bob, b"3")
    assert [one.id for one in store.sessions(ada.id, NOW + 2)] == [second.id, first.id]
    store.touch_session(first.id, NOW + 5)
    sessions = store.sessions(ada.id, NOW + 6)
    assert [(one.id, one.last_seen_at) for one in sessions] == [
        (first.id, NOW + 5),
        (second.id, NOW + 1),
    ]
    assert store.sessions(ada.id, NOW + DAY) == []


def test_one_all_or_all_other_sessions_end(store: AccountStore) -> None:
    ada, bob = added(store, "ada"), added(store, "bob")
    sessions = [start_session(store, ada, bytes([number])) for number in range(4)]
    other = start_session(store, bob, b"other")
    store.end_sessions(ada.id, session=sessions[0].id)
    store.end_sessions(ada.id, session=other.id)
    assert len(store.sessions(ada.id, NOW)) == 3
    store.end_sessions(ada.id, except_session=sessions[1].id)
    assert store.sessions(ada.id, NOW) == [sessions[1]]
    store.end_sessions(ada.id)
    assert store.sessions(ada.id, NOW) == [] and store.sessions(bob.id, NOW) == [other]


def test_the_oldest_of_too_many_sessions_end(store: AccountStore) -> None:
    ada = added(store, "ada")
    for number in range(60):
        start_session(store, ada, bytes([number]), NOW + number)
    left = store.sessions(ada.id, NOW + 60)
    assert 1 < len(left) < 60 and left[0].created_at == NOW + 59
    assert store.session(bytes([0]), NOW + 60) is None


def test_an_invitation_makes_one_account(store: AccountStore) -> None:
    store.add_invitation(Role.USER, b"secret", NOW, NOW + DAY)
    assert store.invitation_role(b"secret", NOW) is Role.USER
    ada = store.accept_invitation(b"secret", "ada", "a hash", NOW)
    assert ada is not None and store.account("ada") == (ada, "a hash")
    assert store.invitation_role(b"secret", NOW) is None
    assert store.accept_invitation(b"secret", "eve", "a hash", NOW) is None
    assert store.accounts() == [ada]


def test_a_taken_name_leaves_the_invitation_valid(store: AccountStore) -> None:
    added(store, "ada")
    store.add_invitation(Role.USER, b"secret", NOW, NOW + DAY)
    assert store.accept_invitation(b"secret", "ada", "a hash", NOW) is None
    assert store.accept_invitation(b"secret", "eve", "a hash", NOW) is not None


def test_an_invitation_expires_or_is_revoked(store: AccountStore) -> None:
    store.add_invitation(Role.USER, b"one", NOW, NOW + DAY)
    store.add_invitation(Role.USER, b"two", NOW + 1, NOW + 2 * DAY)
    first, second = store.invitations(NOW)
    assert (first.role, first.created_at, first.expires_at) == (Role.USER, NOW, NOW + DAY)
    assert store.invitation_role(b"one", NOW + DAY) is None
    assert store.invitations(NOW + DAY) == [second]
    store.revoke_invitation(second.id)
    assert store.accept_invitation(b"two", "ada", "a hash", NOW) is None
    assert store.invitations(NOW) == [first]


def test_only_the_last_invitation_of_a_first_admin_is_valid(store: AccountStore) -> None:
    store.add_invitation(Role.ADMIN, b"one", NOW, NOW + DAY)
    store.add_invitation(Role.ADMIN, b"two", NOW, NOW + DAY)
    assert store.invitation_role(b"one", NOW) is None
    assert store.accept_invitation(b"two", "ada", "a hash", NOW) is not None
    for secret in (b"three", b"four"):
        store.add_invitation(Role.ADMIN, secret, NOW, NOW + DAY)
    assert len(store.invitations(NOW)) == 2


def test_a_key_is_found_by_its_hash(store: AccountStore) -> None:
    ada, bob = added(store, "ada"), added(store, "bob")
    assert store.add_key(ada.id, "cron", ApiKeyScope.METRICS, b"key", NOW)
    found = store.key(b"key", NOW + 5)
    assert found is not None and found[1] == ada
    assert (found[0].name, found[0].scope, found[0].created_at) == (
        "cron",
        ApiKeyScope.METRICS,
        NOW,
    )
    (key,) = store.keys(ada.id)
    assert key.last_used_at == NOW + 5
    store.remove_key(bob.id, key.id)
    assert store.key(b"key", NOW) is not None
    store.remove_key(ada.id, key.id)
    assert store.key(b"key", NOW) is None and store.keys(ada.id) == []


def test_an_account_has_a_limited_number_of_keys(store: AccountStore) -> None:
    ada, bob = added(store, "ada"), added(store, "bob")
    count = 0
    while store.add_key(ada.id, "key", ApiKeyScope.SEARCH, f"key {count}".encode(), NOW):
        count += 1
    assert 10 <= count < 1000 and len(store.keys(ada.id)) == count
    assert store.add_key(bob.id, "key", ApiKeyScope.SEARCH, b"another", NOW)


def test_the_history_of_an_account_is_its_own_latest_first(store: AccountStore) -> None:
    ada, bob = added(store, "ada"), added(store, "bob")
    store.record_query(ada.id, "apples", NOW)
    store.record_click(ada.id, "http://a.org/1", "apples", NOW + 1)
    store.record_query(ada.id, "pears", NOW + 2)
    store.record_query(bob.id, "plums", NOW + 3)
    history = store.history(ada.id)
    assert [(one.text, one.at) for one in history.queries] == [("pears", NOW + 2), ("apples", NOW)]
    assert [(one.url, one.query, one.at) for one in history.clicks] == [
        ("http://a.org/1", "apples", NOW + 1)
    ]


def test_one_entry_or_the_whole_history_is_deleted(store: AccountStore) -> None:
    ada, bob = added(store, "ada"), added(store, "bob")
    for account in (ada, bob):
        store.record_query(account.id, "apples", NOW)
        store.record_query(account.id, "pears", NOW)
    store.set_host_preference(ada.id, "a.org", HostPreference.MORE)
    entry = store.history(ada.id).queries[0]
    store.delete_history(bob.id, entry.id)
    store.delete_history(ada.id, entry.id)
    assert [one.text for one in store.history(ada.id).queries] == ["apples"]
    store.delete_history(ada.id)
    assert store.history(ada.id).queries == ()
    assert store.history(ada.id).host_preferences == {"a.org": HostPreference.MORE}
    assert len(store.history(bob.id).queries) == 2


def test_recent_queries_are_distinct_and_latest_first(store: AccountStore) -> None:
    ada = added(store, "ada")
    for text in ("apples", "pears", "plums", "apples"):
        store.record_query(ada.id, text, NOW)
    store.record_click(ada.id, "http://a.org/", "cherries", NOW)
    assert store.recent_queries(ada.id, 10) == ["apples", "plums", "pears"]
    assert store.recent_queries(ada.id, 2) == ["apples", "plums"]
    assert store.recent_queries(NOBODY, 10) == []


def test_preferences_count_each_opened_page_once_by_host(store: AccountStore) -> None:
    ada = added(store, "ada")
    for url in ("http://a.org/1", "http://a.org/1", "https://a.org/2", "http://b.org:8000/"):
        store.record_click(ada.id, url, "apples", NOW)
    store.set_host_preference(ada.id, "c.org", HostPreference.BLOCKED)
    store.set_boost_strength(ada.id, 2.0)
    assert store.preferences(ada.id) == Preferences(
        {"a.org": 2, "b.org:8000": 1}, {"c.org": HostPreference.BLOCKED}, 2.0
    )
    assert store.preferences(NOBODY) == Preferences({}, {}, 0.0)


def test_a_host_preference_is_replaced_or_removed(store: AccountStore) -> None:
    ada = added(store, "ada")
    assert store.set_host_preference(ada.id, "a.org", HostPreference.MORE)
    assert store.set_host_preference(ada.id, "a.org", HostPreference.LESS)
    assert store.history(ada.id).host_preferences == {"a.org": HostPreference.LESS}
    assert store.set_host_preference(ada.id, "a.org", None)
    assert store.history(ada.id).host_preferences == {}


def test_failed_attempts_are_counted_by_key_until_they_expire(store: AccountStore) -> None:
    def count(found: Sequence[FailureCount]) -> Sequence[FailureCount]:
        seen.append(list(found))
        return [FailureCount(each.failures + 1, NOW) for each in found]

    seen: list[list[FailureCount]] = []
    store.update_failures([b"ada", b"10.0.0.1"], count, expired_before=0)
    store.update_failures([b"ada", b"10.0.0.2"], count, expired_before=0)
    once, never = FailureCount(1, NOW), FailureCount(0, 0.0)
    assert seen == [[never, never], [once, never]]
    store.update_failures([b"10.0.0.1"], lambda found: [never], expired_before=0)
    store.update_failures([b"ada", b"10.0.0.1"], count, expired_before=NOW + 1)
    assert seen[-1] == [FailureCount(2, NOW), never]
    store.update_failures([b"ada"], count, expired_before=0)
    assert seen[-1] == [never]


def test_a_failing_update_of_failed_attempts_changes_nothing(store: AccountStore) -> None:
    with pytest.raises(ZeroDivisionError):
        store.update_failures([b"ada"], lambda found: [FailureCount(1 // 0, NOW)], 0)
    store.update_failures([b"ada"], lambda found: [FailureCount(found[0].failures + 1, NOW)], 0)
