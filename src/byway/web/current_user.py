"""Who is asking? Known to every page while it is made, and to nothing else."""

from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlencode

from byway.accounts.service import signature
from byway.core.model.account import Account, ApiKeyScope, Role, Session

MAX_URL_CHARS = 2048


@dataclass(frozen=True, slots=True)
class CurrentUser:
    """Somebody at a browser, or a program with a key."""

    account: Account | None = None
    session: Session | None = None
    key_scope: ApiKeyScope | None = None
    """What the key opens, for a program."""
    secret: str = ""
    """What is in the cookie."""
    private: bool = False
    """Asks not to be remembered this once."""
    has_unknown_key: bool = False
    """Has brought a key that nobody knows."""

    @property
    def role(self) -> Role:
        if self.key_scope is not None:
            return Role.ADMIN if self.key_scope is ApiKeyScope.ADMIN else Role.USER
        return self.account.role if self.account else Role.VISITOR

    @property
    def csrf_token(self) -> str:
        """What every form of theirs must carry; a foreign page cannot know it."""
        return signature(self.secret, "form")

    @property
    def keeps_history(self) -> bool:
        """Is what they do written down?"""
        return bool(
            self.session and self.account and self.account.records_history and not self.private
        )


ANONYMOUS_USER = CurrentUser()
CURRENT_USER: ContextVar[CurrentUser] = ContextVar("who", default=ANONYMOUS_USER)


def result_link(url: str, query: str = "") -> str:
    """Where a result's link leads: by way of us for who wants to be remembered, else straight."""
    who = CURRENT_USER.get()
    if not who.keeps_history or not url or len(url) > MAX_URL_CHARS:
        return url
    signed = open_signature(who, url)
    return "/open?" + urlencode({"url": url, "q": query, "signed": signed})


def open_signature(user: CurrentUser, url: str) -> str:
    """What shows that it was we who gave them the link to this page."""
    return signature(user.secret, f"open {url}")
