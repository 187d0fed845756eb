"""Relevance judgments made by clicking, and the evaluation of ranking weights on them."""

from fastapi.responses import JSONResponse, RedirectResponse, Response

from byway.app.admin import AdminService
from byway.core.display import http_url
from byway.core.errors import BywayError, UsageError
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.pages.admin.ranking import WeightTrial, ranking_page, trial_from_form
from byway.web.query_params import MAX_QUERY_CHARS
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy

GRADES = ("0", "1", "2")
NO_GRADE = "–"
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN)


def routes(site: WebContext) -> PageRouter:
    """The routes of `/admin/judge` and `/admin/measure`."""
    router = PageRouter(POLICY)
    admin = site.admin
    if site.accounts is None or admin is None:
        return router
    lab = admin.weight_lab

    @router.post("/admin/judge")
    def judge(form: Form) -> Response:
        try:
            trial = trial_from_form(form, admin)
            return RedirectResponse(f"{trial.url}#{_judge(form, trial, admin)}", 303)
        except BywayError as error:
            return ranking_page(site, admin, WeightTrial(), error)

    @router.post("/admin/measure")
    def measure(form: Form) -> Response:
        try:
            trial = trial_from_form(form, admin)
            if form.has("stop"):
                lab.stop_measurement()
            else:
                lab.measure(trial.weights)
            return RedirectResponse(f"{trial.url}#evaluation", 303)
        except BywayError as error:
            return ranking_page(site, admin, WeightTrial(), error)

    @router.get("/admin/measure")
    def progress() -> Response:
        """The progress of an evaluation, for the script of the page."""
        current = lab.measurement()
        done, total = (current.done, current.total) if current else (0, 0)
        running = bool(current and current.running)
        return JSONResponse({"done": done, "total": total, "running": running})

    return router


def _judge(form: FormFields, trial: WeightTrial, admin: AdminService) -> str:
    """Store or delete a judgment; returns the fragment of the page that shows it."""
    if form.has("forget"):
        admin.weight_lab.judged_queries.forget(form.text("forget", MAX_QUERY_CHARS))
        return "judged"
    grade, _, url = form.text("grade", 2100).partition(" ")
    if not http_url(url):
        raise UsageError("web.judgement_url")
    if grade not in (*GRADES, NO_GRADE):
        raise UsageError("web.bad_grade", grades=GRADES, no_grade=NO_GRADE)
    admin.weight_lab.judged_queries.judge(
        trial.text, url, None if grade == NO_GRADE else int(grade)
    )
    return "comparison"
