"""Account store port: accounts, sessions, invitations, API keys and search history."""

from typing import Protocol

from byway.core.model.account import (
    Account,
    AccountId,
    ApiKey,
    ApiKeyScope,
    History,
    HostPreference,
    Invitation,
    Preferences,
    Role,
    Session,
)


class AccountStore(Protocol):
    """Who may log in, and what is theirs. Secrets come in as hashes and never leave."""

    def close(self) -> None:
        """Give back what it holds."""

    def add(self, name: str, role: Role, password: str, now: float) -> Account | None:
        """Make an account; None if the name is taken. `password` is its hash."""

    def account(self, name: str) -> tuple[Account, str] | None:
        """The account of that name, and the hash of its password."""

    def accounts(self) -> list[Account]:
        """Everybody, by name."""

    def set_password(self, id: AccountId, password: str) -> None:
        """Replace the hash of a password."""

    def set_role(self, id: AccountId, role: Role) -> bool:
        """Change what somebody may do; False if no admin would be left."""

    def set_records_history(self, id: AccountId, records_history: bool) -> None:
        """Whether what somebody does is written down from now on."""

    def remove(self, id: AccountId) -> bool:
        """Forget an account and all that is its; False if no admin would be left."""

    def start_session(self, session: Session, hash: bytes) -> None:
        """Remember a session; its own `id` is not looked at."""

    def session(self, hash: bytes, now: float) -> tuple[Session, Account] | None:
        """Whose session this is, unless it is over."""

    def touch_session(self, session: int, now: float) -> None:
        """The session was used."""

    def sessions(self, id: AccountId, now: float) -> list[Session]:
        """Where somebody is logged in, the latest first."""

    def end_sessions(
        self, id: AccountId, session: int | None = None, except_session: int | None = None
    ) -> None:
        """End one of somebody's sessions, or all, or all but one."""

    def add_invitation(self, role: Role, hash: bytes, now: float, expires_at: float) -> None:
        """Remember an invitation; there is at most one that makes a first admin."""

    def invitation_role(self, hash: bytes, now: float) -> Role | None:
        """What an invitation makes of who has it; None if it is used up or too old."""

    def accept_invitation(
        self, hash: bytes, name: str, password: str, now: float
    ) -> Account | None:
        """Make an account by invitation and use that up, both or neither; None if one is taken."""

    def invitations(self, now: float) -> list[Invitation]:
        """Those that can still be used."""

    def revoke_invitation(self, id: int) -> None:
        """Take an invitation back."""

    def add_key(
        self, id: AccountId, name: str, scope: ApiKeyScope, hash: bytes, now: float
    ) -> bool:
        """Remember a key; False when somebody has too many."""

    def key(self, hash: bytes, now: float) -> tuple[ApiKey, Account] | None:
        """Whose key this is."""

    def keys(self, id: AccountId) -> list[ApiKey]:
        """Somebody's keys."""

    def remove_key(self, id: AccountId, key: int) -> None:
        """The key opens nothing any more."""

    def record_query(self, id: AccountId, text: str, now: float) -> None:
        """Write down a question."""

    def record_click(self, id: AccountId, url: str, query: str, now: float) -> None:
        """Write down a result that was opened."""

    def set_host_preference(
        self, id: AccountId, host: str, preference: HostPreference | None
    ) -> bool:
        """What somebody wants of a host, or nothing special; False when there are too many."""

    def history(self, id: AccountId) -> History:
        """What somebody did and wants."""

    def recent_queries(self, id: AccountId, limit: int) -> list[str]:
        """What somebody asked, each question once, the latest first; quickly."""

    def preferences(self, id: AccountId) -> Preferences:
        """What somebody's results depend on; quickly, for every search of theirs needs it."""

    def set_boost_strength(self, id: AccountId, strength: float) -> None:
        """How much somebody's habits count."""

    def delete_history(self, id: AccountId, entry_id: int | None = None) -> None:
        """Delete what somebody asked and opened, or one of these; wishes stay."""
