"""Which pages are good answers? Judgements made by clicks, and the weights measured by them."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, RedirectResponse, Response

from byway.app.admin import Control
from byway.core.errors import BywayError, UsageError
from byway.web.context import Site
from byway.web.forms import Fields, Form
from byway.web.pages.admin.ranking import Tried, of_form, page
from byway.web.query_params import LONGEST
from byway.web.views.hit import web_address

GRADES = ("0", "1", "2")
TAKEN_BACK = "–"


def routes(site: Site) -> APIRouter:
    """`/admin/judge` and `/admin/measure`"""
    router = APIRouter(include_in_schema=False)
    control = site.control
    if site.accounts is None or control is None:
        return router
    lab = control.lab

    @router.post("/admin/judge")
    def judge(form: Form) -> Response:
        try:
            tried = of_form(form, control)
            return RedirectResponse(f"{tried.url}#{_judge(form, tried, control)}", 303)
        except BywayError as error:
            return page(site, control, Tried(), error)

    @router.post("/admin/measure")
    def measure(form: Form) -> Response:
        try:
            tried = of_form(form, control)
            if form.has("stop") and lab.measuring:
                lab.measuring.stop()
            elif not form.has("stop"):
                lab.measure(tried.weights)
            return RedirectResponse(f"{tried.url}#measured", 303)
        except BywayError as error:
            return page(site, control, Tried(), error)

    @router.get("/admin/measure")
    def progress() -> Response:
        """How far a measurement is, for a script that waits for it."""
        under_way = lab.measuring
        done, total = (under_way.done, under_way.total) if under_way else (0, 0)
        running = bool(under_way and under_way.running)
        return JSONResponse({"done": done, "total": total, "running": running})

    return router


def _judge(form: Fields, tried: Tried, control: Control) -> str:
    """Keep or forget a judgement; gives the part of the page that then shows it."""
    if form.has("forget"):
        control.lab.judged.forget(form.text("forget", LONGEST))
        return "judged"
    grade, _, url = form.text("grade", 2100).partition(" ")
    if not web_address(url):
        raise UsageError("a judgement is of a page, which has a URL")
    if grade not in (*GRADES, TAKEN_BACK):
        raise UsageError(f"a grade is one of {', '.join(GRADES)}, or {TAKEN_BACK} to take it back")
    control.lab.judged.judge(tried.text, url, None if grade == TAKEN_BACK else int(grade))
    return "compared"
