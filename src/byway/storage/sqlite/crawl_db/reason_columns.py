"""Reasons as columns of crawl.db: a code, its parameters as JSON, and the target of a redirect."""

from byway.core.model import Url
from byway.core.model.message import NO_REASON, Reason

ReasonColumns = tuple[str | None, str | None, str | None]
"""Values of `reason`, `reason_params` and `redirect_target`."""


def reason_columns(reason: Reason, redirect_target: Url | None = None) -> ReasonColumns:
    """The columns of a reason. The target of a redirect is stored once, in its own column."""
    params = {} if redirect_target is None else {"to": redirect_target}
    stored = "" if params and reason.params == params else reason.dump_params()
    return reason.code or None, stored or None, redirect_target


def load_reason(code: str | None, params: str | None, redirect_target: str | None) -> Reason:
    """The reason in these columns; empty if there is none."""
    if not code:
        return NO_REASON
    if redirect_target and not params:
        return Reason(code, to=redirect_target)
    return Reason.load(code, params or "")
