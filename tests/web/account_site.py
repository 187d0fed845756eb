"""The site with accounts and an empty data folder behind it, and people who come with cookies."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode

from argon2 import PasswordHasher
from fastapi import FastAPI
from web.fake_site import READY_STATUS, HttpBrowser, HttpReply, fake_search

from byway.accounts.passwords import Passwords
from byway.app.accounts import AccountService
from byway.app.admin import AdminService
from byway.app.engine import Engine
from byway.core.model import Document
from byway.core.model.account import Role
from byway.core.model.document import pack
from byway.core.settings.schema import Settings
from byway.index.indexer import index_new
from byway.index.sharded_index import ShardedIndex
from byway.search.rank.position_features import position_features
from byway.storage.sqlite.accounts import SqliteAccountStore
from byway.storage.sqlite.documents import open_documents_to_write
from byway.storage.sqlite.storage import SqliteStorage
from byway.web.app import make_app
from byway.web.server import serve_in_thread

FAST_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""As real as any other, and a thousand times faster."""
PASSWORD = "correct horse battery"


@dataclass(frozen=True, slots=True)
class ServedSite:
    """A site that is served, and what stands behind it."""

    url: str
    app: FastAPI
    accounts: AccountService
    engine: Engine

    def new_browser(self, role: Role = Role.VISITOR) -> "UserBrowser":
        """A new browser; of a visitor, or of who has just logged in."""
        person = UserBrowser(HttpBrowser(self.url))
        if role is not Role.VISITOR:
            name = f"{role}-{len(self.accounts.store.accounts())}"
            self.accounts.create(name, PASSWORD, role)
            assert person.log_in(name).status == 303
        return person


@dataclass(slots=True)
class UserBrowser:
    """A browser with its cookies, which fills in forms as they are."""

    browser: HttpBrowser
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, target: str, headers: Mapping[str, str] | None = None) -> HttpReply:
        return self._ask(target, "GET", None, headers or {})

    def log_in(self, name: str, password: str = PASSWORD, next: str = "/") -> HttpReply:
        return self.post("/login", form_page="/login", name=name, password=password, next=next)

    def register(self, invitation: str, name: str = "ada", password: str = PASSWORD) -> None:
        """Create an account by the path of an invitation."""
        fields = {"password": password, "password_repeat": password}
        secret = invitation.partition("=")[2]
        reply = self.post("/register", form_page=invitation, name=name, invitation=secret, **fields)
        assert reply.status == 303

    def post(self, target: str, form_page: str = "/account", **fields: str) -> HttpReply:
        """Send a form with the token that the page `form_page` has."""
        return self.send(target, {"token": self.csrf_token(form_page), **fields})

    def post_and_follow(self, target: str, **fields: str) -> HttpReply:
        """Send a form, and see the page that it leads to."""
        reply = self.post(target, **fields)
        assert reply.status == 303
        return self.get(reply.headers["Location"])

    def csrf_token(self, form_page: str = "/account") -> str:
        found = re.search(r'name="token" value="(\w+)"', self.get(form_page).text)
        return found.group(1) if found else ""

    def send(
        self, target: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> HttpReply:
        """Send exactly this form."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._ask(target, "POST", urlencode(fields), kind | dict(headers or {}))

    def _ask(
        self, target: str, method: str, body: str | None, headers: Mapping[str, str]
    ) -> HttpReply:
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        reply = self.browser.request(target, method, {**sent, **headers}, body)
        for given in reply.headers.get_all("Set-Cookie", []):
            name, _, value = given.partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply


@contextmanager
def served_site(
    path: Path, settings: Settings | None = None, pages: Sequence[Document] = (), **serve: object
) -> Iterator[ServedSite]:
    """The real site on a real port, with accounts that are nobody's yet.

    Searches find these pages, or those of the folder; without any, they have the answers of
    `web.fake_site`.
    """
    settings = settings or Settings()
    settings = replace(settings, serve=replace(settings.serve, **serve))  # type: ignore[arg-type]
    engine = Engine(path, settings)
    engine.create()
    fill(engine, pages)
    with (
        closing(SqliteAccountStore(SqliteStorage(engine.storage.path).accounts_db)) as store,
        engine.search_session() as reading,
    ):
        accounts = AccountService(store, passwords=Passwords(FAST_HASHER))
        control = AdminService(engine.storage, settings, reading)
        answers = reading.search if reading.status().indexed else fake_search
        app = make_app(answers, lambda: READY_STATUS, settings.serve, accounts, control)
        with serve_in_thread(app, "127.0.0.1", 0) as url:
            yield ServedSite(url, app, accounts, engine)


def fill(engine: Engine, pages: Sequence[Document]) -> None:
    """Have these pages in the data folder, as a crawl would have put them there."""
    with (
        closing(
            open_documents_to_write(SqliteStorage(engine.storage.path).documents_db)
        ) as documents,
        closing(
            ShardedIndex(
                SqliteStorage(engine.storage.path).index, engine.settings.index, position_features
            )
        ) as index,
    ):
        documents.put((page.id, page.id, pack(page)) for page in pages)
        list(index_new(documents, index, 1000))
