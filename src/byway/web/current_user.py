"""The user of the current request, in a context variable."""

from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlencode

from byway.core.model.account import Account, ApiKeyScope, Role, Session
from byway.core.secret_tokens import signature

MAX_URL_CHARS = 2048


@dataclass(frozen=True, slots=True)
class CurrentUser:
    """A visitor, a user with a session, or a program with an API key."""

    account: Account | None = None
    session: Session | None = None
    key_scope: ApiKeyScope | None = None
    """The scope of the API key, for a program."""
    secret: str = ""
    """The content of the session cookie."""
    private: bool = False
    """This request stays out of the history (`private=1`)."""
    has_unknown_key: bool = False
    """The request has an unknown API key."""

    @property
    def role(self) -> Role:
        if self.key_scope is not None:
            return Role.ADMIN if self.key_scope is ApiKeyScope.ADMIN else Role.USER
        return self.account.role if self.account else Role.VISITOR

    @property
    def csrf_token(self) -> str:
        """The CSRF token for the user's forms; pages of other sites cannot know it."""
        return signature(self.secret, "form")

    @property
    def keeps_history(self) -> bool:
        """True if queries and clicks are recorded."""
        return bool(
            self.session and self.account and self.account.records_history and not self.private
        )


ANONYMOUS_USER = CurrentUser()
CURRENT_USER: ContextVar[CurrentUser] = ContextVar("user", default=ANONYMOUS_USER)


def result_link(url: str, query: str = "") -> str:
    """The link of a result: through `/open` where clicks are recorded, else direct."""
    user = CURRENT_USER.get()
    if not user.keeps_history or not url or len(url) > MAX_URL_CHARS:
        return url
    return "/open?" + urlencode({"url": url, "q": query, "signature": open_signature(user, url)})


def open_signature(user: CurrentUser, url: str) -> str:
    """A signature that proves that this server gave the user the link to this URL."""
    return signature(user.secret, f"open {url}")
