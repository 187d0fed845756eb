"""Account store port: accounts, sessions, invitations, API keys and search history."""

from collections.abc import Sequence
from typing import Protocol

from byway.core.model.account import (
    Account,
    AccountId,
    ApiKey,
    ApiKeyScope,
    FailureUpdate,
    History,
    HostPreference,
    Invitation,
    Preferences,
    Role,
    Session,
)


class AccountStore(Protocol):
    """Accounts and their data. Secrets are passed as hashes and never returned."""

    def close(self) -> None:
        """Close the store."""

    def add(self, name: str, role: Role, password: str, now: float) -> Account | None:
        """Create an account; None if the name is taken. `password` is a hash."""

    def account(self, name: str) -> tuple[Account, str] | None:
        """The account with this name and its password hash."""

    def accounts(self) -> list[Account]:
        """All accounts, by name."""

    def set_password(self, id: AccountId, password: str) -> None:
        """Replace the password hash."""

    def set_role(self, id: AccountId, role: Role) -> bool:
        """Change the role; False if no admin would be left."""

    def set_records_history(self, id: AccountId, records_history: bool) -> None:
        """Turn history recording on or off."""

    def remove(self, id: AccountId) -> bool:
        """Delete an account and its data; False if no admin would be left."""

    def start_session(self, session: Session, hash: bytes) -> None:
        """Store a session; its `id` is ignored."""

    def session(self, hash: bytes, now: float) -> tuple[Session, Account] | None:
        """The session with this hash and its account; None if unknown or expired."""

    def touch_session(self, session: int, now: float) -> None:
        """Update the time of the session's last use."""

    def sessions(self, id: AccountId, now: float) -> list[Session]:
        """The active sessions of an account, latest first."""

    def end_sessions(
        self, id: AccountId, session: int | None = None, except_session: int | None = None
    ) -> None:
        """End one session of an account, all, or all but one."""

    def add_invitation(self, role: Role, hash: bytes, now: float, expires_at: float) -> None:
        """Store an invitation; at most one can exist for the first admin."""

    def invitation_role(self, hash: bytes, now: float) -> Role | None:
        """The role an invitation grants; None if it is used or expired."""

    def accept_invitation(
        self, hash: bytes, name: str, password: str, now: float
    ) -> Account | None:
        """Create an account and use up the invitation, or do neither and return None."""

    def invitations(self, now: float) -> list[Invitation]:
        """The invitations that are still valid."""

    def revoke_invitation(self, id: int) -> None:
        """Delete an invitation."""

    def add_key(
        self, id: AccountId, name: str, scope: ApiKeyScope, hash: bytes, now: float
    ) -> bool:
        """Store an API key; False if the account has too many."""

    def key(self, hash: bytes, now: float) -> tuple[ApiKey, Account] | None:
        """The API key with this hash and its account; None if unknown."""

    def keys(self, id: AccountId) -> list[ApiKey]:
        """The API keys of an account."""

    def remove_key(self, id: AccountId, key: int) -> None:
        """Delete an API key."""

    def update_failures(
        self, keys: Sequence[bytes], update: FailureUpdate, expired_before: float
    ) -> None:
        """Replace the failed attempts under these keys in one transaction, and delete old ones."""

    def record_query(self, id: AccountId, text: str, now: float) -> None:
        """Record a query."""

    def record_click(self, id: AccountId, url: str, query: str, now: float) -> None:
        """Record an opened result."""

    def set_host_preference(
        self, id: AccountId, host: str, preference: HostPreference | None
    ) -> bool:
        """Set or remove the preference for a host; False if there are too many."""

    def history(self, id: AccountId) -> History:
        """The history and host preferences of an account."""

    def recent_queries(self, id: AccountId, limit: int) -> list[str]:
        """The distinct past queries, latest first; fast enough for autocomplete."""

    def preferences(self, id: AccountId) -> Preferences:
        """The data for personal boosts; fast, because every search of the account needs it."""

    def set_boost_strength(self, id: AccountId, strength: float) -> None:
        """Set the weight of personal boosts."""

    def delete_history(self, id: AccountId, entry_id: int | None = None) -> None:
        """Delete the history, or one entry of it; keep host preferences."""
