"""Who is asking? Known to every page while it is made, and to nothing else."""

from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlencode

from byway.accounts.service import signature
from byway.core.model.account import Account, Role, Session, Use

LONGEST_URL = 2048


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody at a browser, or a program with a key."""

    account: Account | None = None
    session: Session | None = None
    use: Use | None = None
    """What the key opens, for a program."""
    secret: str = ""
    """What is in the cookie."""
    private: bool = False
    """Asks not to be remembered this once."""
    stranger: bool = False
    """Has brought a key that nobody knows."""

    @property
    def role(self) -> Role:
        if self.use is not None:
            return Role.ADMIN if self.use is Use.ADMIN else Role.USER
        return self.account.role if self.account else Role.VISITOR

    @property
    def token(self) -> str:
        """What every form of theirs must carry; a foreign page cannot know it."""
        return signature(self.secret, "form")

    @property
    def remembers(self) -> bool:
        """Is what they do written down?"""
        return bool(self.session and self.account and self.account.remembers and not self.private)


NOBODY = Who()
WHO: ContextVar[Who] = ContextVar("who", default=NOBODY)


def opened(url: str, question: str = "") -> str:
    """Where a result's link leads: by way of us for who wants to be remembered, else straight."""
    who = WHO.get()
    if not who.remembers or not url or len(url) > LONGEST_URL:
        return url
    signed = open_signature(who, url)
    return "/open?" + urlencode({"url": url, "q": question, "signed": signed})


def open_signature(who: Who, url: str) -> str:
    """What shows that it was we who gave them the link to this page."""
    return signature(who.secret, f"open {url}")
