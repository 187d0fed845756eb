"""Ranking page: signal weights compared side by side, and saved.

Its state is in its URL: `q` and, for each trial weight, `weight.NAME`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.responses import Response

from byway.app.admin import AdminService
from byway.core.display import sanitize
from byway.core.errors import BywayError, UsageError
from byway.core.messages import t
from byway.web.context import WebContext
from byway.web.forms import Form, FormFields
from byway.web.pages.admin import MenuEntry
from byway.web.query_params import MAX_QUERY_CHARS, local_url
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy
from byway.web.views.hit import hit_view

RANKING_PATH = "/admin/ranking"
WEIGHT_PARAM_PREFIX = "weight."
MAX_WEIGHT = 100.0
MAX_STATE_FIELDS = 50
MAX_STATE_CHARS = 32_000
"""Maximum length of the state: the longest query, percent-encoded, and the weights."""
POLICY = RoutePolicy(Access.ADMIN, RequestClass.ADMIN)
MENU = (MenuEntry(9, RANKING_PATH, "web.admin.ranking"),)


@dataclass(frozen=True, slots=True)
class WeightTrial:
    """A query, and the weights that differ from the current ones."""

    text: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def state(self) -> list[tuple[str, str | int]]:
        """The trial as URL parameters."""
        return [
            ("q", self.text),
            *((WEIGHT_PARAM_PREFIX + name, f"{w:g}") for name, w in self.weights.items()),
        ]

    @property
    def url(self) -> str:
        return local_url(RANKING_PATH, self.state)


def routes(site: WebContext) -> PageRouter:
    """The routes of `/admin/ranking`."""
    router = PageRouter(POLICY)
    admin = site.admin
    if site.accounts is None or admin is None:
        return router
    lab = admin.weight_lab

    @router.api_route(RANKING_PATH, methods=["GET", "HEAD"])
    def show(request: Request) -> Response:
        try:
            trial = parse_trial(request.query_params.multi_items(), admin)
            return ranking_page(site, admin, trial)
        except BywayError as error:
            text = sanitize(request.query_params.get("q", ""))[:MAX_QUERY_CHARS]
            return ranking_page(site, admin, WeightTrial(text), error)

    @router.post(RANKING_PATH)
    def change(form: Form) -> Response:
        try:
            trial = trial_from_form(form, admin)
            if form.has("reset"):
                lab.reset()
                return ranking_page(site, admin, WeightTrial(trial.text), done="reset")
            if not form.has("save"):
                raise UsageError("web.weights_action")
            lab.save(trial.weights)
            return ranking_page(site, admin, WeightTrial(trial.text), done="saved")
        except BywayError as error:
            return ranking_page(site, admin, WeightTrial(), error)

    return router


def ranking_page(
    site: WebContext,
    admin: AdminService,
    trial: WeightTrial,
    error: Exception | None = None,
    done: str = "",
) -> Response:
    """The page, with the error or the result of the last action."""
    text, lab = "" if error else trial.text, admin.weight_lab
    return site.render_form(
        "admin/ranking.html",
        error,
        done=t(f"web.ranking.done_{done}") if done else "",
        trial=trial,
        weights=lab.weights(),
        preview=lab.preview(text, trial.weights) if text else None,
        grades=lab.judged_queries.grades(trial.text) if text else {},
        judged=lab.judged_queries.all() if not error else [],
        measurement=lab.measurement(),
        max_weight=MAX_WEIGHT,
        hit_view=hit_view,
    )


def parse_trial(pairs: Iterable[tuple[str, str]], admin: AdminService) -> WeightTrial:
    """The trial in a URL; weights equal to the current ones are left out."""
    current = {weight.name: weight.current for weight in admin.weight_lab.weights()}
    text, weights = "", {}
    for name, value in pairs:
        if name == "q":
            text = sanitize(value)
        elif name.startswith(WEIGHT_PARAM_PREFIX):
            signal = name.removeprefix(WEIGHT_PARAM_PREFIX)
            if signal not in current:
                raise UsageError("web.unknown_signal", name=signal[:40])
            weights[signal] = _weight(signal, value)
    if len(text) > MAX_QUERY_CHARS:
        raise UsageError("web.query_too_long", max_chars=MAX_QUERY_CHARS)
    return WeightTrial(text, {name: w for name, w in weights.items() if w != current[name]})


def trial_from_form(form: FormFields, admin: AdminService) -> WeightTrial:
    """The trial of the page that contains a form; the form carries its state."""
    try:
        pairs = parse_qsl(form.text("state", MAX_STATE_CHARS), max_num_fields=MAX_STATE_FIELDS)
    except ValueError as error:
        raise UsageError("web.bad_state") from error
    return parse_trial(pairs, admin)


def _weight(name: str, typed: str) -> float:
    try:
        weight = float(typed.strip().replace(",", ".") or "nan")
    except ValueError:
        weight = math.nan
    if not abs(weight) <= MAX_WEIGHT:
        raise UsageError("web.bad_weight", name=name, maximum=MAX_WEIGHT)
    return weight
