"""How much should each signal count? Weights tried side by side, and saved.

All that the page shows is in its URL: `q` and, for each weight that is tried, `weight.NAME`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.responses import Response

from byway.app.admin import AdminService
from byway.core.errors import BywayError, UsageError
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.i18n import t
from byway.web.query_params import MAX_QUERY_CHARS, local_url
from byway.web.views.hit import hit_view, sanitize

RANKING_PATH = "/admin/ranking"
WEIGHT_PARAM_PREFIX = "weight."
MAX_WEIGHT = 100.0
MAX_STATE_FIELDS = 50
MAX_STATE_CHARS = 16_000
"""Characters of a form's state: the longest query, each letter of which may take six, and weights.
"""


@dataclass(frozen=True, slots=True)
class WeightTrial:
    """A query, and the weights that differ from those in use."""

    text: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def state(self) -> list[tuple[str, str | int]]:
        """The same as parameters of a URL."""
        return [
            ("q", self.text),
            *((WEIGHT_PARAM_PREFIX + name, f"{w:g}") for name, w in self.weights.items()),
        ]

    @property
    def url(self) -> str:
        return local_url(RANKING_PATH, self.state)


def routes(site: WebContext) -> APIRouter:
    """`/admin/ranking`"""
    router = APIRouter(include_in_schema=False)
    control = site.admin
    if site.accounts is None or control is None:
        return router
    lab = control.weight_lab

    @router.api_route(RANKING_PATH, methods=["GET", "HEAD"])
    def ask(request: Request) -> Response:
        try:
            return ranking_page(
                site, control, parse_trial(request.query_params.multi_items(), control)
            )
        except BywayError as error:
            text = sanitize(request.query_params.get("q", ""))[:MAX_QUERY_CHARS]
            return ranking_page(site, control, WeightTrial(text), error)

    @router.post(RANKING_PATH)
    def change(form: Form) -> Response:
        try:
            tried = trial_from_form(form, control)
            if form.has("reset"):
                lab.reset()
                return ranking_page(site, control, WeightTrial(tried.text), done="was_reset")
            if not form.has("save"):
                raise UsageError("say what to do with the weights: save or reset")
            lab.save(tried.weights)
            return ranking_page(site, control, WeightTrial(tried.text), done="saved")
        except BywayError as error:
            return ranking_page(site, control, WeightTrial(), error)

    return router


def ranking_page(
    site: WebContext,
    admin: AdminService,
    trial: WeightTrial,
    error: Exception | None = None,
    done: str = "",
) -> Response:
    """The page, with what is wrong or what was done."""
    text, lab = "" if error else trial.text, admin.weight_lab
    return site.render_form(
        "ranking.html",
        error,
        done=t(f"ranking_{done}") if done else "",
        tried=trial,
        weights=lab.weights(),
        preview=lab.preview(text, trial.weights) if text else None,
        grades=lab.judged_queries.grades(trial.text) if text else {},
        judged=lab.judged_queries.all() if not error else [],
        measuring=lab.measurement,
        highest=MAX_WEIGHT,
        shown=hit_view,
    )


def parse_trial(pairs: Iterable[tuple[str, str]], admin: AdminService) -> WeightTrial:
    """What is tried, out of the parameters of a URL; weights that change nothing are left out."""
    now = {weight.name: weight.current for weight in admin.weight_lab.weights()}
    text, weights = "", {}
    for name, value in pairs:
        if name == "q":
            text = sanitize(value)
        elif name.startswith(WEIGHT_PARAM_PREFIX):
            signal = name.removeprefix(WEIGHT_PARAM_PREFIX)
            if signal not in now:
                raise UsageError(f"there is no signal {signal[:40]!r}")
            weights[signal] = _weight(signal, value)
    if len(text) > MAX_QUERY_CHARS:
        raise UsageError(f"q is longer than {MAX_QUERY_CHARS} characters; use fewer words")
    return WeightTrial(text, {name: w for name, w in weights.items() if w != now[name]})


def trial_from_form(form: FormFields, admin: AdminService) -> WeightTrial:
    """What is tried on the page that a form is on, whose URL it brings along."""
    try:
        pairs = parse_qsl(form.text("state", MAX_STATE_CHARS), max_num_fields=MAX_STATE_FIELDS)
    except ValueError as error:
        raise UsageError("the form is not one of ours") from error
    return parse_trial(pairs, admin)


def _weight(name: str, typed: str) -> float:
    try:
        weight = float(typed.strip().replace(",", ".") or "nan")
    except ValueError:
        weight = math.nan
    if not abs(weight) <= MAX_WEIGHT:
        raise UsageError(f"{name} must be a number from −{MAX_WEIGHT:g} to {MAX_WEIGHT:g}")
    return weight
