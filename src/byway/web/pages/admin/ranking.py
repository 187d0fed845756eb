"""How much should each signal count? Weights tried side by side, and saved.

All that the page shows is in its URL: `q` and, for each weight that is tried, `weight.NAME`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.responses import Response

from byway.app.admin import Control
from byway.core.errors import BywayError, UsageError
from byway.web.context import Site
from byway.web.forms import Fields, Form
from byway.web.i18n import t
from byway.web.query_params import LONGEST, link
from byway.web.views.hit import clean, show

PATH = "/admin/ranking"
PREFIX = "weight."
HIGHEST = 100.0
MOST_FIELDS = 50
LONGEST_STATE = 16_000
"""Characters of a form's state: the longest query, each letter of which may take six, and weights.
"""


@dataclass(frozen=True, slots=True)
class Tried:
    """A query, and the weights that differ from those in use."""

    text: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def state(self) -> list[tuple[str, str | int]]:
        """The same as parameters of a URL."""
        return [("q", self.text), *((PREFIX + name, f"{w:g}") for name, w in self.weights.items())]

    @property
    def url(self) -> str:
        return link(PATH, self.state)


def routes(site: Site) -> APIRouter:
    """`/admin/ranking`"""
    router = APIRouter(include_in_schema=False)
    control = site.control
    if site.accounts is None or control is None:
        return router
    lab = control.lab

    @router.api_route(PATH, methods=["GET", "HEAD"])
    def ask(request: Request) -> Response:
        try:
            return page(site, control, read(request.query_params.multi_items(), control))
        except BywayError as error:
            text = clean(request.query_params.get("q", ""))[:LONGEST]
            return page(site, control, Tried(text), error)

    @router.post(PATH)
    def change(form: Form) -> Response:
        try:
            tried = of_form(form, control)
            if form.has("reset"):
                lab.reset()
                return page(site, control, Tried(tried.text), done="was_reset")
            if not form.has("save"):
                raise UsageError("say what to do with the weights: save or reset")
            lab.save(tried.weights)
            return page(site, control, Tried(tried.text), done="saved")
        except BywayError as error:
            return page(site, control, Tried(), error)

    return router


def page(
    site: Site, control: Control, tried: Tried, error: Exception | None = None, done: str = ""
) -> Response:
    """The page, with what is wrong or what was done."""
    text, lab = "" if error else tried.text, control.lab
    return site.form(
        "ranking.html",
        error,
        done=t(f"ranking_{done}") if done else "",
        tried=tried,
        weights=lab.weights(),
        preview=lab.preview(text, tried.weights) if text else None,
        grades=lab.judged.grades(tried.text) if text else {},
        judged=lab.judged.all() if not error else [],
        measuring=lab.measuring,
        highest=HIGHEST,
        shown=show,
    )


def read(pairs: Iterable[tuple[str, str]], control: Control) -> Tried:
    """What is tried, out of the parameters of a URL; weights that change nothing are left out."""
    now = {weight.name: weight.now for weight in control.lab.weights()}
    text, weights = "", {}
    for name, value in pairs:
        if name == "q":
            text = clean(value)
        elif name.startswith(PREFIX):
            signal = name.removeprefix(PREFIX)
            if signal not in now:
                raise UsageError(f"there is no signal {signal[:40]!r}")
            weights[signal] = _weight(signal, value)
    if len(text) > LONGEST:
        raise UsageError(f"q is longer than {LONGEST} characters; use fewer words")
    return Tried(text, {name: w for name, w in weights.items() if w != now[name]})


def of_form(form: Fields, control: Control) -> Tried:
    """What is tried on the page that a form is on, whose URL it brings along."""
    try:
        pairs = parse_qsl(form.text("state", LONGEST_STATE), max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise UsageError("the form is not one of ours") from error
    return read(pairs, control)


def _weight(name: str, typed: str) -> float:
    try:
        weight = float(typed.strip().replace(",", ".") or "nan")
    except ValueError:
        weight = math.nan
    if not abs(weight) <= HIGHEST:
        raise UsageError(f"{name} must be a number from −{HIGHEST:g} to {HIGHEST:g}")
    return weight
