"""Which pages are good answers? Judgements made by clicks, and the weights measured by them."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, RedirectResponse, Response

from byway.app.admin import AdminService
from byway.core.errors import BywayError, UsageError
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.pages.admin.ranking import WeightTrial, ranking_page, trial_from_form
from byway.web.query_params import MAX_QUERY_CHARS
from byway.web.views.hit import http_url

GRADES = ("0", "1", "2")
NO_GRADE = "–"


def routes(site: WebContext) -> APIRouter:
    """`/admin/judge` and `/admin/measure`"""
    router = APIRouter(include_in_schema=False)
    control = site.admin
    if site.accounts is None or control is None:
        return router
    lab = control.weight_lab

    @router.post("/admin/judge")
    def judge(form: Form) -> Response:
        try:
            tried = trial_from_form(form, control)
            return RedirectResponse(f"{tried.url}#{_judge(form, tried, control)}", 303)
        except BywayError as error:
            return ranking_page(site, control, WeightTrial(), error)

    @router.post("/admin/measure")
    def measure(form: Form) -> Response:
        try:
            tried = trial_from_form(form, control)
            if form.has("stop") and lab.measurement:
                lab.measurement.stop()
            elif not form.has("stop"):
                lab.measure(tried.weights)
            return RedirectResponse(f"{tried.url}#measured", 303)
        except BywayError as error:
            return ranking_page(site, control, WeightTrial(), error)

    @router.get("/admin/measure")
    def progress() -> Response:
        """How far a measurement is, for a script that waits for it."""
        under_way = lab.measurement
        done, total = (under_way.done, under_way.total) if under_way else (0, 0)
        running = bool(under_way and under_way.running)
        return JSONResponse({"done": done, "total": total, "running": running})

    return router


def _judge(form: FormFields, tried: WeightTrial, control: AdminService) -> str:
    """Keep or forget a judgement; gives the part of the page that then shows it."""
    if form.has("forget"):
        control.weight_lab.judged_queries.forget(form.text("forget", MAX_QUERY_CHARS))
        return "judged"
    grade, _, url = form.text("grade", 2100).partition(" ")
    if not http_url(url):
        raise UsageError("a judgement is of a page, which has a URL")
    if grade not in (*GRADES, NO_GRADE):
        raise UsageError(f"a grade is one of {', '.join(GRADES)}, or {NO_GRADE} to take it back")
    control.weight_lab.judged_queries.judge(
        tried.text, url, None if grade == NO_GRADE else int(grade)
    )
    return "compared"
