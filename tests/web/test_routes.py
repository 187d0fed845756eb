"""Every route, for everybody, by every method. A new route fails here until it is listed."""

from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

import pytest
from starlette.routing import BaseRoute, Mount, Route
from web.people import ServedSite, UserBrowser, served_site

from byway.core.model.account import ApiKeyScope, Role
from byway.web.middleware.auth import safe_redirect_target

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

#: What a visitor, a user and an admin get: a GET as it is, a POST with a good token and no more.
PAGES = {
    ("GET", "/"): (200, 200, 200),
    ("GET", "/search"): (200, 200, 200),
    ("GET", "/live"): (200, 200, 200),
    ("GET", "/images"): (200, 200, 200),
    ("GET", "/products"): (200, 200, 200),
    ("GET", "/products/history"): (404, 404, 404),
    ("GET", "/cached"): (404, 404, 404),
    ("GET", "/icon"): (404, 404, 404),
    ("GET", "/cached/original"): (404, 404, 404),
    ("GET", "/suggest"): (200, 200, 200),
    ("GET", "/opensearch.xml"): (200, 200, 200),
    ("GET", "/feed"): (400, 400, 400),
    ("GET", "/embed.js"): (200, 200, 200),
    ("GET", "/login"): (200, 303, 303),
    ("POST", "/login"): (400, 400, 400),
    ("GET", "/register"): (400, 400, 400),
    ("POST", "/register"): (400, 400, 400),
    ("POST", "/logout"): (403, 303, 303),
    ("GET", "/account"): (303, 200, 200),
    ("POST", "/account/password"): (403, 400, 400),
    ("POST", "/account/sessions"): (403, 400, 400),
    ("POST", "/account/keys"): (403, 400, 400),
    ("POST", "/account/delete"): (403, 400, 400),
    ("GET", "/account/history"): (303, 200, 200),
    ("POST", "/account/history"): (403, 400, 400),
    ("GET", "/account/export"): (303, 200, 200),
    ("GET", "/open"): (303, 403, 403),
    ("POST", "/open"): (403, 403, 403),
    ("GET", "/admin"): (303, 403, 200),
    ("GET", "/admin/live"): (303, 403, 200),
    ("GET", "/admin/crawl"): (303, 403, 200),
    ("POST", "/admin/crawl"): (403, 403, 400),
    ("POST", "/admin/preview"): (403, 403, 400),
    ("POST", "/admin/pause"): (403, 403, 303),
    ("POST", "/admin/resume"): (403, 403, 303),
    ("POST", "/admin/stop"): (403, 403, 400),
    ("GET", "/admin/hosts"): (303, 403, 200),
    ("GET", "/admin/errors"): (303, 403, 200),
    ("GET", "/admin/traps"): (303, 403, 200),
    ("POST", "/admin/traps"): (403, 403, 400),
    ("GET", "/admin/removed"): (303, 403, 200),
    ("POST", "/admin/removed"): (403, 403, 400),
    ("GET", "/admin/rules"): (303, 403, 200),
    ("POST", "/admin/rules"): (403, 403, 400),
    ("GET", "/admin/inspect"): (303, 403, 200),
    ("POST", "/admin/inspect"): (403, 403, 400),
    ("GET", "/admin/ranking"): (303, 403, 200),
    ("POST", "/admin/ranking"): (403, 403, 400),
    ("POST", "/admin/judge"): (403, 403, 400),
    ("GET", "/admin/measure"): (303, 403, 200),
    ("POST", "/admin/measure"): (403, 403, 400),
    ("GET", "/admin/users"): (303, 403, 200),
    ("POST", "/admin/users"): (403, 403, 400),
    ("GET", "/metrics"): (401, 403, 200),
    ("GET", "/healthz"): (200, 200, 200),
    ("GET", "/api/v1/openapi.json"): (200, 200, 200),
    ("GET", "/api/v1/search"): (400, 400, 400),
    ("GET", "/api/v1/status"): (200, 200, 200),
    ("GET", "/api/v1/stats"): (200, 200, 200),
    ("GET", "/api/v1/suggest"): (200, 200, 200),
    ("GET", "/api/v1/similar"): (422, 422, 422),
    ("GET", "/api/v1/products"): (200, 200, 200),
    ("GET", "/api/v1/products/history"): (422, 422, 422),
    ("GET", "/api/v1/page"): (422, 422, 422),
    ("GET", "/api/v1/crawl"): (401, 403, 200),
    ("GET", "/api/v1/removed"): (401, 403, 200),
    # To change anything a program needs a key; a cookie is not enough.
    ("POST", "/api/v1/crawl"): (401, 401, 401),
    ("POST", "/api/v1/crawl/pause"): (401, 401, 401),
    ("POST", "/api/v1/crawl/resume"): (401, 401, 401),
    ("POST", "/api/v1/crawl/stop"): (401, 401, 401),
    ("POST", "/api/v1/removed"): (401, 401, 401),
    ("POST", "/api/v1/removed/undo"): (401, 401, 401),
}
#: What a key for searching, for metrics and for everything opens, where that is not what it is
#: to a visitor.
BY_KEY = {
    ("GET", "/metrics"): (403, 200, 200),
    ("GET", "/api/v1/openapi.json"): (200, 403, 200),
    ("GET", "/api/v1/search"): (400, 403, 400),
    ("GET", "/api/v1/products"): (200, 403, 200),
    ("GET", "/api/v1/products/history"): (422, 403, 422),
    ("GET", "/api/v1/status"): (200, 403, 200),
    ("GET", "/api/v1/stats"): (200, 403, 200),
    ("GET", "/api/v1/suggest"): (200, 403, 200),
    ("GET", "/api/v1/similar"): (422, 403, 422),
    ("GET", "/api/v1/page"): (422, 403, 422),
    ("GET", "/api/v1/crawl"): (403, 403, 200),
    ("POST", "/api/v1/crawl"): (403, 403, 422),
    ("POST", "/api/v1/crawl/pause"): (403, 403, 200),
    ("POST", "/api/v1/crawl/resume"): (403, 403, 200),
    ("POST", "/api/v1/crawl/stop"): (403, 403, 400),
    ("GET", "/api/v1/removed"): (403, 403, 200),
    ("POST", "/api/v1/removed"): (403, 403, 422),
    ("POST", "/api/v1/removed/undo"): (403, 403, 422),
}
#: What a visitor gets where only who is logged in may search.
WHEN_PRIVATE = {
    ("GET", "/"): 303,
    ("GET", "/search"): 303,
    ("GET", "/live"): 303,
    ("GET", "/images"): 303,
    ("GET", "/products"): 303,
    ("GET", "/products/history"): 303,
    ("GET", "/cached"): 303,
    ("GET", "/icon"): 303,
    ("GET", "/cached/original"): 303,
    ("GET", "/suggest"): 303,
    ("GET", "/feed"): 303,
    ("GET", "/api/v1/stats"): 401,
    ("GET", "/api/v1/suggest"): 401,
    ("GET", "/api/v1/similar"): 401,
    ("GET", "/api/v1/products"): 401,
    ("GET", "/api/v1/products/history"): 401,
    ("GET", "/api/v1/page"): 401,
    ("GET", "/api/v1/openapi.json"): 401,
    ("GET", "/api/v1/search"): 401,
    ("GET", "/api/v1/status"): 401,
}
POSTS = [path for method, path in PAGES if method == "POST"]
FORMS = [path for path in POSTS if not path.startswith("/api/")]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    with served_site(tmp_path_factory.mktemp("routes")) as here:
        yield here


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    with served_site(tmp_path_factory.mktemp("private"), private=True) as here:
        yield here


def asked(person: UserBrowser, method: str, path: str, token: str = "") -> int:
    """The status alone; a stream is not read to its end."""
    if method == "POST":
        return person.send(path, {"token": token}).status
    return person.browser.head(path, person.cookies) if "live" in path else person.get(path).status


def routes(found: Iterable[BaseRoute]) -> Iterator[tuple[str, str]]:
    """The methods and paths that the site itself says it has; a HEAD goes with its GET."""
    for route in found:
        if inner := getattr(route, "original_router", None):
            yield from routes(inner.routes)
        elif isinstance(route, Mount):
            assert route.path == "/static"
        else:
            assert isinstance(route, Route)
            yield from ((method, route.path) for method in route.methods or () if method != "HEAD")


def test_every_route_is_listed_here(here: ServedSite) -> None:
    assert set(routes(here.app.routes)) == set(PAGES)


@pytest.mark.parametrize(("method", "path"), PAGES)
def test_every_role_gets_what_is_its_own(here: ServedSite, method: str, path: str) -> None:
    got = []
    for role in Role:
        person = here.new_browser(role)
        token = person.csrf_token("/login" if role is Role.VISITOR else "/account")
        got.append(asked(person, method, path, token))
    assert tuple(got) == PAGES[method, path]


@pytest.mark.parametrize("path", sorted({path for _, path in PAGES}))
def test_no_other_method_is_taken(here: ServedSite, path: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    known = {method for method, listed in PAGES if listed == path} | {"HEAD"}
    for method in set(METHODS) - known:
        cookies = {"Cookie": f"byway={admin.cookies['byway']}"}
        reply = admin.browser.request(path, method, cookies)
        assert reply.status in (401, 405), method


@pytest.mark.parametrize(("method", "path"), BY_KEY)
def test_a_key_opens_what_it_is_for_and_nothing_else(
    here: ServedSite, method: str, path: str
) -> None:
    admin = here.new_browser(Role.ADMIN)
    account = next(each for each in here.accounts.store.accounts() if each.role is Role.ADMIN)
    got = []
    for use in ApiKeyScope:
        key = here.accounts.create_key(account, "key", use)
        headers = {"Authorization": f"Bearer {key}"}
        got.append(admin.browser.request(path, method, headers).status)
        here.accounts.store.remove_key(account.id, here.accounts.store.keys(account.id)[-1].id)
        assert admin.browser.request(path, method, headers).status == 401
    assert tuple(got) == BY_KEY[method, path]


@pytest.mark.parametrize("path", ["/admin", "/account", "/"])
def test_a_key_is_no_way_into_the_pages(here: ServedSite, path: str) -> None:
    visitor = here.new_browser()
    here.new_browser(Role.ADMIN)
    account = next(each for each in here.accounts.store.accounts() if each.role is Role.ADMIN)
    key = here.accounts.create_key(account, "key", ApiKeyScope.ADMIN)
    reply = visitor.get(path, {"Authorization": f"Bearer {key}"})
    assert reply.status == PAGES["GET", path][0]


@pytest.mark.parametrize(("method", "path"), PAGES)
def test_a_private_byway_shows_visitors_the_door(
    private: ServedSite, method: str, path: str
) -> None:
    visitor = private.new_browser()
    expected = WHEN_PRIVATE.get((method, path), PAGES[method, path][0])
    assert asked(visitor, method, path, visitor.csrf_token("/login")) == expected


def test_a_private_byway_answers_who_is_logged_in(private: ServedSite) -> None:
    user = private.new_browser(Role.USER)
    assert "First steps" in user.get("/search?q=first").text
    assert user.get("/api/v1/search?q=first").json["total"] == 2


def test_unknown_places_under_admin_are_the_admins(here: ServedSite) -> None:
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
def test_a_form_that_is_not_from_our_own_page_does_nothing(
    here: ServedSite, path: str, forged: dict[str, str]
) -> None:
    admin = ADMIN.get(here.url) or here.new_browser(Role.ADMIN)
    ADMIN[here.url] = admin
    fields = {"token": forged.get("token", admin.csrf_token())}
    headers = {name: value for name, value in forged.items() if name != "token"}
    reply = admin.send(path, fields, headers)
    assert reply.status == (415 if "Content-Type" in forged else 403)
    assert admin.get("/account").status == 200


ADMIN: dict[str, UserBrowser] = {}
"""An admin for the many cases above, who comes through all of them logged in."""


@pytest.mark.parametrize("path", FORMS)
def test_the_token_of_another_is_no_good(here: ServedSite, path: str) -> None:
    eve, admin = here.new_browser(Role.USER), here.new_browser(Role.ADMIN)
    assert admin.send(path, {"token": eve.csrf_token()}).status == 403


@pytest.mark.parametrize("path", FORMS)
def test_a_form_has_a_largest_size(here: ServedSite, path: str) -> None:
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
def test_nobody_is_sent_elsewhere_after_logging_in(here: ServedSite, target: str) -> None:
    here.new_browser(Role.USER)
    name = here.accounts.store.accounts()[-1].name
    asking, entering = here.new_browser(), here.new_browser()
    assert (
        f'name="next" value="{safe_redirect_target(target)}"'
        in asking.get(f"/login?{urlencode({'next': target})}").text
    )
    reply = entering.log_in(name, next=target)
    assert reply.status == 303
    assert reply.headers["Location"] == safe_redirect_target(target)
    assert safe_redirect_target(target) in ("/", "/%0d%0aSet-Cookie:x")


def test_who_logs_in_comes_to_the_page_they_wanted(here: ServedSite) -> None:
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


def test_what_is_sent_drop_by_drop_is_not_waited_for(
    here: ServedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("byway.web.middleware.auth.BODY_TIMEOUT_SECONDS", 0.3)
    admin = here.new_browser(Role.ADMIN)
    head = (
        "POST /account/keys HTTP/1.1\r\nHost: localhost\r\n"
        f"Cookie: byway={admin.cookies['byway']}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 999\r\n\r\ntok"
    )
    assert admin.browser.raw(head.encode()).startswith(b"HTTP/1.1 408")
