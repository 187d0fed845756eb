"""Account service: registration, login, sessions, invitations and API keys.

Every secret is 256 random bits and shown once; only its hash is stored.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from byway.accounts.account_names import normalize_name, validate_name
from byway.accounts.passwords import Passwords, validate_password
from byway.accounts.personal_boosts import personal_boosts
from byway.accounts.throttle import ACCOUNT_LIMIT, ADDRESS_LIMIT, AttemptLimit, Throttle
from byway.app.storage import open_storage
from byway.core.errors import DataError, RateLimitError, UsageError
from byway.core.model import Boost
from byway.core.model.account import Account, ApiKey, ApiKeyScope, Role, Secret, Session
from byway.core.secret_tokens import new_secret, secret_hash
from byway.core.settings.schema import Settings

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import AccountStore

INVITATION_LIFETIME_SECONDS = 7 * 86400.0
FIRST_ADMIN_INVITATION_SECONDS = 86400.0
LAST_SEEN_UPDATE_SECONDS = 60.0
API_KEY_PREFIX = "byway_"
MAX_KEY_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class NewSession:
    """A new session with the secret for its cookie."""

    secret: Secret
    account: Account
    lifetime_seconds: float


class AccountService:
    """Accounts and authentication. Thread-safe; times are Unix seconds."""

    def __init__(
        self,
        store: "AccountStore",
        session_days: float = 30.0,
        passwords: Passwords | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self._session_seconds = session_days * 86400
        self._passwords = passwords or Passwords()
        self._clock = clock
        self._throttle = Throttle(store, clock)

    # Accounts.

    def has_admin(self) -> bool:
        """Whether an admin account exists."""
        return any(account.role is Role.ADMIN for account in self.store.accounts())

    def create(self, name: str, password: str, role: Role = Role.USER) -> Account:
        """Create an account."""
        name = validate_name(name)
        hash = self._passwords.hash(validate_password(password, name))
        account = self.store.add(name, role, hash, self._clock())
        if account is None:
            raise UsageError("accounts.name_taken")
        return account

    def register(
        self, name: str, password: str, invitation: Secret | None, user_agent: str, address: str
    ) -> NewSession:
        """Create an account, by invitation or without one, and start a session for it."""
        self._check_throttle({f"register {address}": ADDRESS_LIMIT})
        if invitation is None:
            return self._start_session(self.create(name, password), user_agent, address)
        name = validate_name(name)
        hash = self._passwords.hash(validate_password(password, name))
        account = self.store.accept_invitation(secret_hash(invitation), name, hash, self._clock())
        if account is None:
            is_valid = self.invitation_role(invitation) is not None
            raise UsageError("accounts.name_taken" if is_valid else "accounts.invitation_used")
        return self._start_session(account, user_agent, address)

    def change_password(self, account: Account, old: str, new: str, session: Session) -> None:
        """Change the password after checking the old one; end all other sessions."""
        self._check_password(account, old)
        self.set_password(account, new)
        self.store.end_sessions(account.id, except_session=session.id)

    def set_password(self, account: Account, new: str) -> None:
        """Change the password."""
        hash = self._passwords.hash(validate_password(new, account.name))
        self.store.set_password(account.id, hash)

    def delete(self, account: Account, password: str) -> None:
        """Delete an account and its data after checking its password."""
        self._check_password(account, password)
        self.remove(account)

    def remove(self, account: Account) -> None:
        """Delete an account and its data."""
        if not self.store.remove(account.id):
            raise UsageError("accounts.last_admin")

    def set_role(self, account: Account, role: Role) -> None:
        """Change the role of an account and end its sessions."""
        if not self.store.set_role(account.id, role):
            raise UsageError("accounts.last_admin")
        self.store.end_sessions(account.id)

    def account_by_name(self, name: str) -> Account:
        """The account with that name."""
        found = self.store.account(normalize_name(name))
        if found is None:
            raise UsageError("accounts.unknown_name", name=name)
        return found[0]

    # Sessions.

    def log_in(self, name: str, password: str, user_agent: str, address: str) -> NewSession:
        """Start a session; a wrong name and a wrong password give the same error."""
        name = normalize_name(name)
        keys = {f"account {name}": ACCOUNT_LIMIT, f"address {address}": ADDRESS_LIMIT}
        self._check_throttle(keys)
        found = self.store.account(name)
        if not self._passwords.verify(password, found[1] if found else None) or not found:
            raise UsageError("accounts.login_failed")
        self._throttle.record_success(*keys)
        account, hash = found
        if self._passwords.needs_rehash(hash):
            self.store.set_password(account.id, self._passwords.hash(password))
        return self._start_session(account, user_agent, address)

    def session(self, secret: str) -> tuple[Session, Account] | None:
        """The session with that secret, and its account; None if there is none."""
        now = self._clock()
        found = self.store.session(secret_hash(secret), now)
        if found and now - found[0].last_seen_at > LAST_SEEN_UPDATE_SECONDS:
            self.store.touch_session(found[0].id, now)
        return found

    def _start_session(self, account: Account, user_agent: str, address: str) -> NewSession:
        secret, now = new_secret(), self._clock()
        session = Session(
            id=0,
            account_id=account.id,
            created_at=now,
            last_seen_at=now,
            expires_at=now + self._session_seconds,
            user_agent=user_agent[:200],
            address=address[:80],
        )
        self.store.start_session(session, secret_hash(secret))
        return NewSession(secret, account, self._session_seconds)

    # Invitations and keys.

    def invite(self, role: Role = Role.USER) -> Secret:
        """Create an invitation for one account."""
        secret, now = new_secret(), self._clock()
        is_first_admin = role is Role.ADMIN and not self.has_admin()
        lifetime = FIRST_ADMIN_INVITATION_SECONDS if is_first_admin else INVITATION_LIFETIME_SECONDS
        self.store.add_invitation(role, secret_hash(secret), now, now + lifetime)
        return secret

    def invitation_role(self, secret: str) -> Role | None:
        """The role an invitation grants; None if it is used or expired."""
        return self.store.invitation_role(secret_hash(secret), self._clock())

    def create_key(self, account: Account, name: str, scope: ApiKeyScope) -> Secret:
        """Create an API key; only admins may have one for more than search."""
        if scope is not ApiKeyScope.SEARCH and account.role is not Role.ADMIN:
            raise UsageError("accounts.key_needs_admin")
        name = " ".join(name.split())
        if not 0 < len(name) <= MAX_KEY_NAME_CHARS or not name.isprintable():
            raise UsageError("accounts.bad_key_name", max_chars=MAX_KEY_NAME_CHARS)
        secret = Secret(API_KEY_PREFIX + new_secret())
        if not self.store.add_key(account.id, name, scope, secret_hash(secret), self._clock()):
            raise UsageError("accounts.too_many_keys")
        return secret

    def key(self, secret: str) -> tuple[ApiKey, Account] | None:
        """The key with that secret, and its account; None if its owner is no longer an admin."""
        found = self.store.key(secret_hash(secret), self._clock())
        if found and found[0].scope is not ApiKeyScope.SEARCH and found[1].role is not Role.ADMIN:
            return None
        return found

    # History.

    def record_query(self, account: Account, query: str) -> None:
        """Record a query in the history."""
        self.store.record_query(account.id, query, self._clock())

    def record_click(self, account: Account, url: str, query: str = "") -> None:
        """Record an opened result in the history."""
        self.store.record_click(account.id, url, query, self._clock())

    def personal_boosts(self, account: Account) -> Mapping[str, Boost]:
        """The score factors of hosts in an account's results."""
        return personal_boosts(self.store.preferences(account.id))

    def _check_password(self, account: Account, password: str) -> None:
        """Verify the password again, in case someone else is using a logged-in browser."""
        key = f"account {account.name}"
        self._check_throttle({key: ACCOUNT_LIMIT})
        found = self.store.account(account.name)
        if not self._passwords.verify(password, found[1] if found else None):
            raise UsageError("accounts.wrong_password")
        self._throttle.record_success(key)

    def _check_throttle(self, keys: dict[str, AttemptLimit]) -> None:
        if wait := self._throttle.begin_attempt(keys):
            raise RateLimitError("accounts.too_many_attempts", retry_after=wait)


@contextmanager
def open_accounts(path: Path, settings: Settings, workers: int = 1) -> Iterator[AccountService]:
    """The accounts of a data folder, in one of these workers."""
    folder = open_storage(path, settings)
    folder.require_data()
    with closing(folder.accounts()) as store:
        yield AccountService(store, settings.serve.session_days, Passwords(workers=workers))


@contextmanager
def open_accounts_if_readable(
    path: Path,
    settings: Settings,
    on_error: Callable[[DataError], None] = lambda error: None,
    workers: int = 1,
) -> Iterator[AccountService | None]:
    """The accounts of a data folder; None if they cannot be opened."""
    accounts = None
    with ExitStack() as opened:
        try:
            accounts = opened.enter_context(open_accounts(path, settings, workers))
        except DataError as error:
            on_error(error)
        yield accounts
