"""Who may come in? The admin's list of people."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from byway.accounts.service import normalize_name
from byway.core.errors import UsageError
from byway.core.model.account import Role
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.i18n import gettext
from byway.web.pages.account import current_account

ROLES = (Role.USER, Role.ADMIN)


def routes(site: WebContext) -> APIRouter:
    """`/admin/users`"""
    router = APIRouter(include_in_schema=False)
    accounts = site.accounts
    if accounts is None or site.admin is None:
        return router

    def page(error: Exception | None = None, done: str = "", link: str = "") -> Response:
        return site.render_form(
            "users.html",
            error,
            done=done,
            link=link,
            accounts=accounts.store.accounts(),
            invitations=accounts.store.invitations(current_account()[1].last_seen_at),
            how=site.settings.registration,
            roles=ROLES,
        )

    @router.api_route("/admin/users", methods=["GET", "HEAD"])
    def show() -> Response:
        return page()

    @router.post("/admin/users")
    def change(request: Request, form: Form) -> Response:
        try:
            if form.has("invite"):
                if site.settings.registration == "closed":
                    raise UsageError("nobody can register: serve.registration is closed")
                secret = accounts.invite(_role(form))
                return page(link=f"{request.base_url}register?invitation={secret}")
            return page(done=act(form))
        except UsageError as error:
            return page(error)

    def act(form: FormFields) -> str:
        if form.has("uninvite"):
            number = form.number("uninvite", 2**62)
            if number not in [
                one.id for one in accounts.store.invitations(current_account()[1].last_seen_at)
            ]:
                raise UsageError("there is no such invitation; the list has those there are")
            accounts.store.revoke_invitation(number)
            return gettext("The invitation is taken back.")
        if form.has("make"):
            made = accounts.create(form.text("name"), form.secret("password"), _role(form))
            return gettext("{name} can log in now.", name=made.name)
        account = accounts.account_by_name(form.text("name"))
        if account.name == normalize_name(current_account()[0].name):
            raise UsageError("that is you; change yourself on your own page")
        if form.has("remove"):
            accounts.remove(account)
            return gettext("{name} is forgotten, with all that was theirs.", name=account.name)
        role = _role(form)
        accounts.set_role(account, role)
        told = "{name} is {role} now, and must log in again."
        return gettext(told, name=account.name, role=gettext(role))

    return router


def _role(form: FormFields) -> Role:
    role = form.text("role", 10)
    if role not in ROLES:
        raise UsageError(f"role must be one of {', '.join(ROLES)}")
    return Role(role)
