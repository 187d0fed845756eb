"""How does somebody get in? Accounts made, sessions begun and ended, keys handed out.

Every secret is 256 random bits, given out once; what is kept is its hash.
"""

import hmac
import re
import secrets
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from byway.accounts.passwords import Passwords, validate_password
from byway.accounts.throttle import ACCOUNT_LIMIT, ADDRESS_LIMIT, AttemptLimit, Throttle
from byway.core.errors import RateLimitError, UsageError
from byway.core.model.account import Account, ApiKey, ApiKeyScope, Role, Secret, Session

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl does not need
    from byway.core.ports import AccountStore

NAME_PATTERN = re.compile(r"\w[\w.-]{1,39}")
INVITATION_LIFETIME_SECONDS = 7 * 86400.0
FIRST_ADMIN_INVITATION_SECONDS = 86400.0
LAST_SEEN_UPDATE_SECONDS = 60.0
API_KEY_PREFIX = "byway_"
LOGIN_FAILED_MESSAGE = "the name or the password is wrong"
NAME_TAKEN_MESSAGE = "this name is taken; choose another"
LAST_ADMIN_MESSAGE = "this is the last admin; make another one first"


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that has just begun, with the secret for its cookie."""

    secret: Secret
    account: Account
    lifetime_seconds: float
    """How long it lasts."""


class AccountService:
    """Everything about who is who. Threads may share it; times are in seconds since 1970."""

    def __init__(
        self,
        store: "AccountStore",
        session_days: float = 30.0,
        passwords: Passwords | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`session_days`: how long a session lasts."""
        self.store = store
        self._seconds = session_days * 86400
        self._passwords = passwords or Passwords()
        self._clock = clock
        self._throttle = Throttle(clock)

    # Accounts.

    def has_admin(self) -> bool:
        """Is there anybody who may do everything?"""
        return any(account.role is Role.ADMIN for account in self.store.accounts())

    def create(self, name: str, password: str, role: Role = Role.USER) -> Account:
        """A new account."""
        name = validate_name(name)
        hash = self._passwords.hash(validate_password(password, name))
        made = self.store.add(name, role, hash, self._clock())
        if made is None:
            raise UsageError(NAME_TAKEN_MESSAGE)
        return made

    def register(
        self, name: str, password: str, invitation: Secret | None, user_agent: str, address: str
    ) -> NewSession:
        """A new account by invitation, or without one, and a session for it."""
        self._try({f"register {address}": ADDRESS_LIMIT})
        if invitation is None:
            return self._begin(self.create(name, password), user_agent, address)
        name = validate_name(name)
        hash = self._passwords.hash(validate_password(password, name))
        made = self.store.accept_invitation(secret_hash(invitation), name, hash, self._clock())
        if made is None:
            raise UsageError(
                NAME_TAKEN_MESSAGE
                if self.invitation_role(invitation)
                else "this invitation is used up"
            )
        return self._begin(made, user_agent, address)

    def change_password(self, account: Account, old: str, new: str, session: Session) -> None:
        """Another password, for who knows the old one; all other sessions end."""
        self._prove(account, old)
        self.set_password(account, new)
        self.store.end_sessions(account.id, except_session=session.id)

    def set_password(self, account: Account, new: str) -> None:
        """Another password."""
        hash = self._passwords.hash(validate_password(new, account.name))
        self.store.set_password(account.id, hash)

    def delete(self, account: Account, password: str) -> None:
        """Forget the account with all its data, for who knows its password."""
        self._prove(account, password)
        self.remove(account)

    def remove(self, account: Account) -> None:
        """Forget an account with all its data."""
        if not self.store.remove(account.id):
            raise UsageError(LAST_ADMIN_MESSAGE)

    def set_role(self, account: Account, role: Role) -> None:
        """Change what somebody may do; they must log in anew."""
        if not self.store.set_role(account.id, role):
            raise UsageError(LAST_ADMIN_MESSAGE)
        self.store.end_sessions(account.id)

    def account_by_name(self, name: str) -> Account:
        """The account of that name."""
        found = self.store.account(normalize_name(name))
        if found is None:
            raise UsageError(f"nobody is called {name!r:.60}; `byway user list` lists everybody")
        return found[0]

    # Sessions.

    def log_in(self, name: str, password: str, user_agent: str, address: str) -> NewSession:
        """A new session, if name and password fit; else the same words, whatever was wrong."""
        name = normalize_name(name)
        keys = {f"account {name}": ACCOUNT_LIMIT, f"address {address}": ADDRESS_LIMIT}
        self._try(keys)
        found = self.store.account(name)
        if not self._passwords.verify(password, found[1] if found else None) or not found:
            raise UsageError(LOGIN_FAILED_MESSAGE)
        self._throttle.record_success(*keys)
        account, hash = found
        if self._passwords.needs_rehash(hash):
            self.store.set_password(account.id, self._passwords.hash(password))
        return self._begin(account, user_agent, address)

    def session(self, secret: str) -> tuple[Session, Account] | None:
        """Whose session this is, if anybody's."""
        now = self._clock()
        found = self.store.session(secret_hash(secret), now)
        if found and now - found[0].last_seen_at > LAST_SEEN_UPDATE_SECONDS:
            self.store.touch_session(found[0].id, now)
        return found

    def _begin(self, account: Account, agent: str, address: str) -> NewSession:
        secret, now = new_secret(), self._clock()
        ends = now + self._seconds
        session = Session(0, account.id, now, now, ends, agent[:200], address[:80])
        self.store.start_session(session, secret_hash(secret))
        return NewSession(secret, account, self._seconds)

    # Invitations and keys.

    def invite(self, role: Role = Role.USER) -> Secret:
        """An invitation for one account."""
        secret, now = new_secret(), self._clock()
        first = role is Role.ADMIN and not self.has_admin()
        self.store.add_invitation(
            role,
            secret_hash(secret),
            now,
            now + (FIRST_ADMIN_INVITATION_SECONDS if first else INVITATION_LIFETIME_SECONDS),
        )
        return secret

    def invitation_role(self, secret: str) -> Role | None:
        """What an invitation makes of who has it."""
        return self.store.invitation_role(secret_hash(secret), self._clock())

    def create_key(self, account: Account, name: str, scope: ApiKeyScope) -> Secret:
        """A key for a program; only an admin's opens more than search."""
        if scope is not ApiKeyScope.SEARCH and account.role is not Role.ADMIN:
            raise UsageError("only admins can make such a key; make one for search")
        name = " ".join(name.split())
        if not 0 < len(name) <= 60 or not name.isprintable():
            raise UsageError("give the key a name of up to 60 letters, to know it again")
        secret = Secret(API_KEY_PREFIX + new_secret())
        if not self.store.add_key(account.id, name, scope, secret_hash(secret), self._clock()):
            raise UsageError("you have too many keys; remove one first")
        return secret

    def key(self, secret: str) -> tuple[ApiKey, Account] | None:
        """Whose key this is, if anybody's; an admin's key is as good as its owner is now."""
        found = self.store.key(secret_hash(secret), self._clock())
        if found and found[0].scope is not ApiKeyScope.SEARCH and found[1].role is not Role.ADMIN:
            return None
        return found

    # What they did.

    def record_query(self, account: Account, query: str) -> None:
        """Write down a question."""
        self.store.record_query(account.id, query, self._clock())

    def record_click(self, account: Account, url: str, query: str = "") -> None:
        """Write down a result that was opened."""
        self.store.record_click(account.id, url, query, self._clock())

    def _prove(self, account: Account, password: str) -> None:
        """Is it really them, and not somebody at their open browser?"""
        key = f"account {account.name}"
        self._try({key: ACCOUNT_LIMIT})
        found = self.store.account(account.name)
        if not self._passwords.verify(password, found[1] if found else None):
            raise UsageError("that is not your password")
        self._throttle.record_success(key)

    def _try(self, keys: dict[str, AttemptLimit]) -> None:
        if wait := self._throttle.begin_attempt(keys):
            raise RateLimitError("accounts.too_many_attempts", retry_after=wait)


def new_secret() -> Secret:
    """256 random bits."""
    return Secret(secrets.token_urlsafe(32))


def secret_hash(secret: str) -> bytes:
    """What is kept of a secret. It is random, so one round is enough."""
    return sha256(secret.encode("utf-8", "replace")).digest()


def signature(secret: str, purpose: str) -> str:
    """What only who has the secret can make, for one purpose."""
    return hmac.new(secret.encode("utf-8", "replace"), purpose.encode(), "sha256").hexdigest()


def constant_time_equal(one: str, other: str) -> bool:
    """Are they equal? Takes as long whatever differs."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def normalize_name(name: str) -> str:
    """A name as it is compared."""
    return unicodedata.normalize("NFKC", name[:200]).strip().casefold()


def validate_name(name: str) -> str:
    """A new name, if it can be one."""
    name = normalize_name(name)
    if not NAME_PATTERN.fullmatch(name):
        raise UsageError("a name has 2 to 40 letters, digits, dots, - and _, as ada.lovelace")
    return name
