"""Users page: accounts, roles and invitations."""

from fastapi import Request
from fastapi.responses import Response

from byway.core.errors import UsageError
from byway.core.messages import t
from byway.core.model.account import Role
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.pages.account import current_account
from byway.web.pages.admin import MenuEntry
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

ROLES = (Role.USER, Role.ADMIN)
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN)
MENU = (MenuEntry(10, "/admin/users", "web.admin.users"),)


def routes(site: WebContext) -> PageRouter:
    """The routes of `/admin/users`."""
    router = PageRouter(POLICY)
    accounts = site.accounts
    if accounts is None or site.admin is None:
        return router

    def page(error: Exception | None = None, done: str = "", invitation_link: str = "") -> Response:
        return site.render_form(
            "admin/users.html",
            error,
            done=done,
            invitation_link=invitation_link,
            accounts=accounts.store.accounts(),
            invitations=accounts.store.invitations(current_account()[1].last_seen_at),
            registration=site.settings.registration,
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
                    raise UsageError("web.registration_setting")
                secret = accounts.invite(_role(form))
                link = f"{request.base_url}register?invitation={secret}"
                return page(invitation_link=link)
            return page(done=apply(form))
        except UsageError as error:
            return page(error)

    def apply(form: FormFields) -> str:
        if form.has("revoke_invitation"):
            number = form.number("revoke_invitation", 2**62)
            open_invitations = accounts.store.invitations(current_account()[1].last_seen_at)
            if number not in [invitation.id for invitation in open_invitations]:
                raise UsageError("web.no_such_invitation")
            accounts.store.revoke_invitation(number)
            return t("web.users.revoked")
        if form.has("create"):
            created = accounts.create(form.text("name"), form.secret("password"), _role(form))
            return t("web.users.created_user", name=created.name)
        account = accounts.account_by_name(form.text("name"))
        if account.id == current_account()[0].id:
            raise UsageError("web.own_account")
        if form.has("remove"):
            accounts.remove(account)
            return t("web.users.removed_user", name=account.name)
        role = _role(form)
        accounts.set_role(account, role)
        return t("web.users.changed_role", name=account.name, role=t(f"web.role.{role}"))

    return router


def _role(form: FormFields) -> Role:
    role = form.text("role", 10)
    if role not in ROLES:
        raise UsageError("web.bad_role", roles=ROLES)
    return Role(role)
