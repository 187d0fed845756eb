"""Access rules: every route, every role, every method. The list comes from the routes."""

import sys
from collections.abc import Iterable, Iterator
from email.message import Message
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import pytest
from starlette.routing import BaseRoute, Mount, Route
from web.account_site import ServedSite, UserBrowser, served_site
from web.fake_site import HttpReply

import byway.web.pages
from byway.core.messages import t
from byway.core.model.account import INCLUDED_ROLES, ApiKeyScope, Role
from byway.web.middleware.auth import safe_redirect_target
from byway.web.router import Access, RoutePolicies

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
KEY_PATHS = ("/api/", "/metrics")
"""Paths at which programs authenticate with an API key."""


def app_routes(found: Iterable[BaseRoute]) -> Iterator[tuple[str, str]]:
    """The methods and paths of an application; a HEAD goes with its GET."""
    for route in found:
        if inner := getattr(route, "original_router", None):
            yield from app_routes(inner.routes)
        elif isinstance(route, Mount):
            assert route.path.startswith("/static")
        else:
            assert isinstance(route, Route)
            yield from ((method, route.path) for method in route.methods or () if method != "HEAD")


def all_routes() -> tuple[list[tuple[str, str]], RoutePolicies]:
    """The routes of a whole site and their policies, for test parameters."""
    with TemporaryDirectory() as folder, served_site(Path(folder)) as here:
        return sorted(app_routes(here.app.routes)), here.app.state.policies


ROUTES, POLICIES = all_routes()
PATHS = sorted({path for _, path in ROUTES})
FORMS = [path for method, path in ROUTES if method == "POST" and not path.startswith("/api/")]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    with served_site(tmp_path_factory.mktemp("routes")) as here:
        yield here


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    with served_site(tmp_path_factory.mktemp("private"), require_login=True) as here:
        yield here


def request(person: UserBrowser, method: str, path: str, token: str = "") -> HttpReply:
    """A GET as it is, or a POST with a good token and no other field."""
    if method == "POST":
        return person.send(path, {"token": token})
    if "live" in path:  # an event stream does not end
        return HttpReply(person.browser.head(path, person.cookies), Message(), b"")
    return person.get(path)


def is_rejected(reply: HttpReply, path: str) -> bool:
    """True for the responses of the access rules, as opposed to those of the page itself."""
    if reply.status == 303:
        return reply.headers.get("Location", "/login?next=").startswith("/login?next=")
    if path.startswith(KEY_PATHS):
        return reply.status in (401, 403)
    texts = (t("error.web.admins_only"), t("error.web.login_required"))
    return reply.status == 403 and (not reply.body or any(text in reply.text for text in texts))


def expected_rejection(method: str, path: str, role: Role) -> int:
    """The status for a role without access."""
    if path.startswith(KEY_PATHS):
        return 401 if role is Role.VISITOR or method == "POST" else 403
    return 303 if role is Role.VISITOR and method == "GET" else 403


def test_access_follows_the_area_of_the_site() -> None:
    found = {
        access: {path for path in PATHS if POLICIES.find(path).access is access}
        for access in Access
    }
    assert found[Access.PUBLIC] == {
        "/embed.js",
        "/healthz",
        "/login",
        "/opensearch.xml",
        "/register",
    }
    admin_areas = ("/admin", "/metrics", "/api/v1/crawl", "/api/v1/removed")
    assert found[Access.ADMIN] == {path for path in PATHS if path.startswith(admin_areas)}
    user_areas = ("/account", "/logout", "/open")
    users = {path for path in PATHS if path.startswith(user_areas)} - {"/opensearch.xml"}
    assert found[Access.USER] == users
    assert len(found[Access.SEARCH]) >= 18


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_role_gets_what_its_access_allows(here: ServedSite, method: str, path: str) -> None:
    required = POLICIES.find(path).access.required_role(require_login=False)
    for role in Role:
        person = here.new_browser(role)
        token = person.csrf_token("/login" if role is Role.VISITOR else "/account")
        reply = request(person, method, path, token)
        # To change anything a program needs a key; a session is not enough.
        if required not in INCLUDED_ROLES[role] or (method == "POST" and path.startswith("/api/")):
            assert reply.status == expected_rejection(method, path, role), role
            assert is_rejected(reply, path)
        else:
            assert reply.status < 500, role
            assert not is_rejected(reply, path), role


@pytest.mark.parametrize("path", PATHS)
def test_no_other_method_is_allowed(here: ServedSite, path: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    known = {method for method, listed in ROUTES if listed == path} | {"HEAD"}
    for method in set(METHODS) - known:
        cookies = {"Cookie": f"byway={admin.cookies['byway']}"}
        reply = admin.browser.request(path, method, cookies)
        assert reply.status in (401, 405), method


def scopes_with_access(path: str) -> set[ApiKeyScope]:
    """The scopes of API keys that open a route."""
    policy = POLICIES.find(path)
    scopes = {ApiKeyScope.ADMIN}
    if policy.access is not Access.ADMIN:
        scopes.add(ApiKeyScope.SEARCH)
    return scopes | ({policy.key_scope} if policy.key_scope else set())


@pytest.mark.parametrize(
    ("method", "path"), [route for route in ROUTES if route[1].startswith(KEY_PATHS)]
)
def test_a_key_opens_the_routes_of_its_scope_only(here: ServedSite, method: str, path: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    account = next(each for each in here.accounts.store.accounts() if each.role is Role.ADMIN)
    for scope in ApiKeyScope:
        key = here.accounts.create_key(account, "key", scope)
        headers = {"Authorization": f"Bearer {key}"}
        status = admin.browser.request(path, method, headers).status
        assert (status != 403) == (scope in scopes_with_access(path)), scope
        assert status not in (401, 500)
        here.accounts.store.remove_key(account.id, here.accounts.store.keys(account.id)[-1].id)
        assert admin.browser.request(path, method, headers).status == 401


@pytest.mark.parametrize(("path", "status"), [("/admin", 303), ("/account", 303), ("/", 200)])
def test_a_key_does_not_open_pages(here: ServedSite, path: str, status: int) -> None:
    visitor = here.new_browser()
    here.new_browser(Role.ADMIN)
    account = next(each for each in here.accounts.store.accounts() if each.role is Role.ADMIN)
    key = here.accounts.create_key(account, "key", ApiKeyScope.ADMIN)
    assert visitor.get(path, {"Authorization": f"Bearer {key}"}).status == status


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_with_require_login_visitors_reach_public_routes_only(
    private: ServedSite, method: str, path: str
) -> None:
    visitor = private.new_browser()
    reply = request(visitor, method, path, visitor.csrf_token("/login"))
    is_public = POLICIES.find(path).access is Access.PUBLIC
    assert is_rejected(reply, path) != is_public
    if not is_public:
        assert reply.status == expected_rejection(method, path, Role.VISITOR)


TINY_PAGE = """
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

POLICY = RoutePolicy(
    Access.USER, RequestClass.LIVE, cache_control="private, max-age=60", compressed=True
)


def routes(site):
    router = PageRouter(POLICY)

    @router.get("/tiny")
    def tiny():
        return site.render_error(200, "tiny " * 500)

    return router
"""


def test_a_page_is_one_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Access, caching, compression and load class come with the module; there is no list."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "tiny_page.py").write_text(TINY_PAGE)
    monkeypatch.setattr(byway.web.pages, "__path__", [*byway.web.pages.__path__, str(folder)])
    monkeypatch.delitem(sys.modules, "byway.web.pages.tiny_page", raising=False)
    with served_site(tmp_path / "data") as here:
        assert here.new_browser().get("/tiny").headers["Location"] == "/login?next=/tiny"
        user = here.new_browser(Role.USER)
        reply = user.get("/tiny", {"Accept-Encoding": "gzip"})
        assert reply.status == 200
        assert reply.headers["Cache-Control"] == "private, max-age=60"
        assert reply.headers["Content-Encoding"] == "gzip"
        metrics = here.new_browser(Role.ADMIN).get("/metrics").text
        assert 'byway_requests_total{request_class="live",status="200"} 1' in metrics
    monkeypatch.delitem(sys.modules, "byway.web.pages.tiny_page")


def test_with_require_login_users_can_search(private: ServedSite) -> None:
    user = private.new_browser(Role.USER)
    assert "First steps" in user.get("/search?q=first").text
    assert user.get("/api/v1/search?q=first").json["total"] == 2


def test_unknown_paths_under_admin_need_an_admin(here: ServedSite) -> None:
    assert here.new_browser().get("/admin/no-such-page").status == 303
    assert here.new_browser(Role.USER).get("/admin/no-such-page").status == 403
    assert here.new_browser(Role.ADMIN).get("/admin/no-such-page").status == 404


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize(
    "forged",
    [
        {"token": ""},
        {"token": "0" * 64},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "multipart/form-data; boundary=x"},
    ],
    ids=str,
)
def test_a_forged_form_is_rejected(here: ServedSite, path: str, forged: dict[str, str]) -> None:
    admin = ADMIN.get(here.url) or here.new_browser(Role.ADMIN)
    ADMIN[here.url] = admin
    fields = {"token": forged.get("token", admin.csrf_token())}
    headers = {name: value for name, value in forged.items() if name != "token"}
    reply = admin.send(path, fields, headers)
    assert reply.status == (415 if "Content-Type" in forged else 403)
    assert admin.get("/account").status == 200


ADMIN: dict[str, UserBrowser] = {}
"""One admin for all cases, who stays logged in through them."""


@pytest.mark.parametrize("path", FORMS)
def test_the_token_of_another_user_is_rejected(here: ServedSite, path: str) -> None:
    eve, admin = here.new_browser(Role.USER), here.new_browser(Role.ADMIN)
    assert admin.send(path, {"token": eve.csrf_token()}).status == 403


@pytest.mark.parametrize("path", FORMS)
def test_a_form_has_a_maximum_size(here: ServedSite, path: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    token = admin.csrf_token()
    assert admin.send(path, {"token": token, "name": "x" * 70_000}).status == 413
    assert admin.send(path, {"token": token} | {f"f{n}": "" for n in range(40)}).status == 413


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "evil.example",
        "/\t/evil.example",
        "/ /evil.example",
        "/%0d%0aSet-Cookie:x",
        "",
        "\x00",
    ],
)
def test_the_login_redirects_to_this_server_only(here: ServedSite, target: str) -> None:
    here.new_browser(Role.USER)
    name = here.accounts.store.accounts()[-1].name
    reader, visitor = here.new_browser(), here.new_browser()
    assert (
        f'name="next" value="{safe_redirect_target(target)}"'
        in reader.get(f"/login?{urlencode({'next': target})}").text
    )
    reply = visitor.log_in(name, next=target)
    assert reply.status == 303
    assert reply.headers["Location"] == safe_redirect_target(target)
    assert safe_redirect_target(target) in ("/", "/%0d%0aSet-Cookie:x")


def test_the_login_redirects_to_the_requested_page(here: ServedSite) -> None:
    here.accounts.create("nxt", "a good long phrase")
    visitor = here.new_browser()
    sent = visitor.get("/account/history?a=1&b=2")
    assert sent.headers["Location"] == "/login?next=/account/history%3Fa%3D1%26b%3D2"
    assert (
        'name="next" value="/account/history?a=1&amp;b=2"'
        in visitor.get(sent.headers["Location"]).text
    )
    reply = visitor.log_in("nxt", "a good long phrase", next="/account/history?a=1&b=2")
    assert reply.headers["Location"] == "/account/history?a=1&b=2"


def test_a_slow_body_times_out(here: ServedSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("byway.web.middleware.auth.BODY_TIMEOUT_SECONDS", 0.3)
    admin = here.new_browser(Role.ADMIN)
    head = (
        "POST /account/keys HTTP/1.1\r\nHost: localhost\r\n"
        f"Cookie: byway={admin.cookies['byway']}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 999\r\n\r\ntok"
    )
    assert admin.browser.raw(head.encode()).startswith(b"HTTP/1.1 408")
