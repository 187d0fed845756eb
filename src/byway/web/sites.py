"""What do sites do to us? Hosts, errors, traps, rules, and one URL looked at closely."""

from collections.abc import Mapping

from fastapi import APIRouter
from fastapi.responses import Response

from byway.errors import BywayError, UsageError
from byway.url import guess
from byway.web.forms import Form
from byway.web.site import Site
from byway.web.spoken import t

SHOWN = 200
"""Rows of a table; who needs more asks `byway status --json`."""


def routes(site: Site) -> APIRouter:
    """`/admin/hosts`, `/admin/errors`, `/admin/traps`, `/admin/rules` and `/admin/inspect`"""
    router = APIRouter(include_in_schema=False)
    control = site.control
    if site.accounts is None or control is None:
        return router

    @router.api_route("/admin/hosts", methods=["GET", "HEAD"])
    def hosts() -> Response:
        found, all = control.hosts(SHOWN)
        return site.form("hosts.html", hosts=found, all=all)

    @router.api_route("/admin/errors", methods=["GET", "HEAD"])
    def errors() -> Response:
        found = control.causes()
        return site.form("errors.html", causes=found[:SHOWN], status=control.status())

    def trap_page(error: Exception | None = None, done: str = "") -> Response:
        status = 400 if error else 200
        traps = control.traps()[:SHOWN]
        return site.form("traps.html", status, traps=traps, wrong=str(error or ""), done=done)

    @router.api_route("/admin/traps", methods=["GET", "HEAD"])
    def traps() -> Response:
        return trap_page()

    @router.post("/admin/traps")
    def decide(form: Form) -> Response:
        host, pattern = form.text("host", 255), form.text("pattern", 2048)
        try:
            if not (form.has("resume") or form.has("drop")):
                raise UsageError("say what to do with it: resume or drop")
            queued = control.decide_trap(host, pattern, form.has("resume"))
        except BywayError as error:
            return trap_page(error)
        return trap_page(done=t("judged_again", count=queued))

    def rule_page(
        error: Exception | None = None, found: Mapping[str, object] | None = None, **typed: str
    ) -> Response:
        status = 400 if error else 200
        now = control.rules()
        return site.form(
            "rules.html", status, now=now, wrong=str(error or ""), found=found, typed=typed
        )

    @router.api_route("/admin/rules", methods=["GET", "HEAD"])
    def rules() -> Response:
        return rule_page()

    @router.post("/admin/rules")
    def try_rule(form: Form) -> Response:
        rule, typed = form.text("rule", 200), form.text("url", 2048)
        try:
            return rule_page(found=control.try_rule(rule, guess(typed)), rule=rule, url=typed)
        except BywayError as error:
            return rule_page(error, rule=rule, url=typed)

    def inspected(typed: str, error: Exception | None = None, **found: object) -> Response:
        blank: dict[str, object] = {"steps": None, "record": None, "url": ""}
        status = 400 if error else 200
        return site.form(
            "inspect.html", status, typed=typed, wrong=str(error or ""), **(blank | found)
        )

    @router.api_route("/admin/inspect", methods=["GET", "HEAD"])
    def ask() -> Response:
        return inspected("")

    @router.post("/admin/inspect")
    async def inspect(form: Form) -> Response:
        typed = form.text("url", 2048)
        try:
            url = guess(typed)
            steps = await control.trace(url)
            return inspected(typed, steps=steps, record=control.look_up(url), url=url)
        except BywayError as error:
            return inspected(typed, error)

    return router
