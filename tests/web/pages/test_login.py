"""Coming in and going out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from web.account_site import PASSWORD, ServedSite, served_site
from web.fake_site import served_fake_site

from byway.core.messages import t
from byway.core.model.account import Role


@pytest.fixture
def here(tmp_path: Path) -> Iterator[ServedSite]:
    with served_site(tmp_path) as here:
        yield here


def test_the_session_cookie_is_http_only_and_same_site(here: ServedSite) -> None:
    here.accounts.create("ada", PASSWORD)
    given = here.new_browser().log_in("ada").headers["Set-Cookie"]
    assert given.startswith("byway=")
    assert "; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000" in given
    assert "Secure" not in given


def test_behind_https_the_cookie_is_secure(tmp_path: Path) -> None:
    with served_site(
        tmp_path, trusted_proxies=("127.0.0.1",), allowed_hosts=("search.example.org",)
    ) as here:
        here.accounts.create("ada", PASSWORD)
        person = here.new_browser()
        over = {"X-Forwarded-Proto": "https", "Host": "search.example.org"}
        over |= {"Origin": "https://search.example.org", "X-Forwarded-For": "203.0.113.9"}
        page = person.get("/login", over)
        token = page.text.partition('name="token" value="')[2].partition('"')[0]
        fields = {"token": token, "name": "ada", "password": PASSWORD}
        reply = person.send("/login", fields, over)
        assert reply.status == 303
        assert reply.headers["Set-Cookie"].startswith("__Host-byway=")
        assert "; Secure" in reply.headers["Set-Cookie"]
        (session,) = here.accounts.store.sessions(here.accounts.account_by_name("ada").id, 0)
        assert session.address == "203.0.113.9"


def test_forwarded_headers_of_untrusted_clients_are_ignored(here: ServedSite) -> None:
    here.accounts.create("ada", PASSWORD)
    person = here.new_browser()
    fields = {"token": person.csrf_token("/login"), "name": "ada", "password": PASSWORD}
    person.send("/login", fields, {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"})
    (session,) = here.accounts.store.sessions(here.accounts.account_by_name("ada").id, 0)
    assert session.address == "127.0.0.1"


def test_a_planted_cookie_does_not_become_the_session(here: ServedSite) -> None:
    here.accounts.create("ada", PASSWORD)
    victim = here.new_browser()
    victim.cookies["byway"] = planted = "x" * 43
    victim.log_in("ada")
    assert victim.cookies["byway"] != planted
    attacker = here.new_browser()
    attacker.cookies["byway"] = planted
    assert attacker.get("/account").status == 303


def test_a_new_login_ends_the_previous_session(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    here.accounts.create("eve", PASSWORD)
    before = ada.cookies["byway"]
    token = ada.csrf_token("/account")
    ada.send("/login", {"token": token, "name": "eve", "password": PASSWORD})
    assert ada.cookies["byway"] != before
    assert here.accounts.session(before) is None


def test_logging_out_ends_the_session_on_the_server(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    secret = ada.cookies["byway"]
    assert ada.post("/logout").status == 303
    ada.cookies["byway"] = secret
    assert ada.get("/account").status == 303


def test_a_wrong_password_and_a_wrong_name_get_the_same_page(here: ServedSite) -> None:
    here.accounts.create("ada", PASSWORD)
    pages = []
    for name in ("ada", "eve"):
        reply = here.new_browser().log_in(name, "wrong")
        assert reply.status == 400
        text = reply.text.replace(f'value="{name}"', "")
        pages.append(text.partition('name="token"')[0] + text.partition('name="next"')[2])
    assert pages[0] == pages[1]
    assert t("error.accounts.login_failed") in pages[0]


def test_too_many_attempts_are_rate_limited(here: ServedSite) -> None:
    person = here.new_browser()
    replies = [person.log_in("eve", "wrong") for _ in range(7)]
    assert [reply.status for reply in replies[:6]] == [400] * 6
    assert replies[6].status == 429
    assert int(replies[6].headers["Retry-After"]) >= 1


def test_an_invitation_creates_an_account(tmp_path: Path) -> None:
    with served_site(tmp_path, registration="invitation") as here:
        admin, guest = here.new_browser(Role.ADMIN), here.new_browser()
        assert guest.get("/register").status == 400
        page = admin.post("/admin/users", invite="1", role="user").text
        secret = page.partition("register?invitation=")[2].partition("<")[0]
        link = f"/register?invitation={secret}"
        assert "Create an account" in guest.get(link).text
        fields = {
            "name": "bob",
            "password": PASSWORD,
            "password_repeat": PASSWORD,
            "invitation": secret,
        }
        assert guest.post("/register", form_page=link, **fields).headers["Location"] == "/account"
        assert guest.get("/account").status == 200
        assert here.new_browser().get(link).status == 400
        assert guest.get("/admin").status == 403


def test_open_registration_needs_no_invitation(tmp_path: Path) -> None:
    with served_site(tmp_path, registration="open") as here:
        guest = here.new_browser()
        assert "Create an account" in guest.get("/login").text
        fields = {"name": "bob", "password": PASSWORD, "password_repeat": "something else"}
        differ = guest.post("/register", form_page="/register", **fields)
        assert (differ.status, t("error.web.passwords_differ") in differ.text) == (400, True)
        fields["password_repeat"] = PASSWORD
        assert guest.post("/register", form_page="/register", **fields).status == 303
        assert here.accounts.account_by_name("bob").role is Role.USER


def test_closed_registration_takes_only_the_first_admin(here: ServedSite) -> None:
    secret = here.accounts.invite(Role.ADMIN)
    link = f"/register?invitation={secret}"
    guest = here.new_browser()
    assert "Create the admin account" in guest.get(link).text
    fields = {
        "name": "ada",
        "password": PASSWORD,
        "password_repeat": PASSWORD,
        "invitation": secret,
    }
    assert guest.post("/register", form_page=link, **fields).headers["Location"] == "/admin"
    assert guest.get("/admin").status == 200
    invited = here.accounts.invite(Role.USER)
    assert here.new_browser().get(f"/register?invitation={invited}").status == 400
    used = here.new_browser().get(link)
    assert (used.status, t("error.web.invitation_expired") in used.text) == (400, True)


def test_changing_the_password_ends_other_sessions(here: ServedSite) -> None:
    here.accounts.create("ada", PASSWORD)
    one, other = here.new_browser(), here.new_browser()
    one.log_in("ada")
    other.log_in("ada")
    new = "quite another phrase"
    fields = {"current_password": PASSWORD, "password": new, "password_repeat": new}
    assert t("web.account.password_changed") in one.post("/account/password", **fields).text
    assert (one.get("/account").status, other.get("/account").status) == (200, 303)
    assert other.log_in("ada", new).status == 303


def test_deleting_an_account_needs_its_password(here: ServedSite) -> None:
    ada = here.new_browser(Role.USER)
    assert ada.post("/account/delete", password="wrong").status == 400
    assert ada.post("/account/delete", password=PASSWORD).status == 303
    assert here.accounts.store.accounts() == []
    assert ada.get("/account").status == 303


def test_sessions_are_listed_and_can_be_ended(here: ServedSite) -> None:
    here.accounts.create("ada", PASSWORD)
    one, other = here.new_browser(), here.new_browser()
    one.log_in("ada")
    other.log_in("ada")
    one.post("/account/sessions", end_others="1")
    assert (one.get("/account").status, other.get("/account").status) == (200, 303)


def test_only_own_sessions_can_be_ended(here: ServedSite) -> None:
    here.accounts.create("ada", PASSWORD)
    one, other, eve = here.new_browser(), here.new_browser(), here.new_browser(Role.USER)
    one.log_in("ada")
    other.log_in("ada")
    mine = here.accounts.store.sessions(here.accounts.account_by_name("ada").id, 0)
    theirs = here.accounts.store.sessions(here.accounts.store.accounts()[-1].id, 0)
    numbers = {each.id for each in (*mine, *theirs)}
    for wrong in ("", "x", "-1", str(max(numbers) + 1), str(theirs[0].id)):
        reply = one.post("/account/sessions", session=wrong)
        assert (reply.status, 'role="alert"' in reply.text) == (400, True), wrong
    assert (
        t("web.account.session_ended")
        in one.post("/account/sessions", session=str(mine[1].id)).text
    )
    assert [each.get("/account").status for each in (one, other, eve)].count(200) == 2
    assert eve.get("/account").status == 200


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {
            "current_password": PASSWORD,
            "password": "quite another phrase",
            "password_repeat": "quite another one",
        },
        {
            "current_password": "wrong",
            "password": "quite another phrase",
            "password_repeat": "quite another phrase",
        },
        {"current_password": PASSWORD, "password": "short", "password_repeat": "short"},
        {"current_password": PASSWORD, "password": "x" * 1001, "password_repeat": "x" * 1001},
    ],
    ids=["nothing", "differs", "wrong", "short", "long"],
)
def test_an_invalid_form_does_not_change_the_password(
    here: ServedSite, fields: dict[str, str]
) -> None:
    user = here.new_browser(Role.USER)
    reply = user.post("/account/password", **fields)
    assert (reply.status, 'role="alert"' in reply.text) == (400, True)
    assert here.new_browser().log_in("user-0").status == 303


def test_unknown_keys_and_invitations_cannot_be_removed(here: ServedSite) -> None:
    admin = here.new_browser(Role.ADMIN)
    for path, fields in (
        ("/account/keys", {"remove": "99"}),
        ("/admin/users", {"revoke_invitation": "99"}),
    ):
        reply = admin.post(path, **fields)
        assert (reply.status, "There is no such" in reply.text) == (400, True), path


def test_pages_show_the_user(here: ServedSite) -> None:
    assert ">Log in</a>" in here.new_browser().get("/").text
    assert ">user-0</bdi>" in here.new_browser(Role.USER).get("/search?q=first").text
    with served_fake_site() as browser:  # without accounts there is no door
        assert "Log in" not in browser.get("/").text
        assert browser.get("/login").status == 404


def test_pages_with_forms_are_not_cached(here: ServedSite) -> None:
    for reply in (here.new_browser().get("/login"), here.new_browser(Role.USER).get("/account")):
        assert reply.headers["Cache-Control"] == "no-store"
        # Or the browser would say `Origin: null` of our own forms.
        assert reply.headers["Referrer-Policy"] == "same-origin"


def test_admins_can_change_others_but_not_themselves(here: ServedSite) -> None:
    admin = here.new_browser(Role.ADMIN)
    here.accounts.create("bob", PASSWORD)
    assert admin.post("/admin/users", name="bob", role="admin").status == 200
    assert here.accounts.account_by_name("bob").role is Role.ADMIN
    assert admin.post("/admin/users", name="bob", remove="1").status == 200
    assert t("error.web.own_account") in admin.post("/admin/users", name="admin-0", remove="1").text
    made = {"create": "1", "name": "eve", "password": PASSWORD, "role": "user"}
    assert "eve can now log in" in admin.post("/admin/users", **made).text
    assert [each.name for each in here.accounts.store.accounts()] == ["admin-0", "eve"]
