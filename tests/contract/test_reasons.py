"""Reasons, redirect targets and removals come back as they were recorded, in every backend."""

import pytest
from contract.backends import Backend
from hypothesis import given
from hypothesis import strategies as st

from byway.core.messages import NO_REASON, Reason
from byway.core.model import DiscoveredUrl, Outcome, Url, UrlState, Visit
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.schema import load_reason, reason_columns

HOME = normalize("http://a.org/")
TARGET = normalize("http://b.org/new page")

REASONS = (
    NO_REASON,
    Reason("noindex"),
    Reason("http_status", status=404, phrase="Not Found"),
    Reason("too_slow", bytes=12, seconds=0.5),
    Reason("not_refreshed", cause=Reason("robots_unavailable", cause=Reason("no_answer"))),
    Reason("path_mismatch", pattern='^/"quoted"/é/\\d'),
    Reason("end.job_limit", jobs=("a", "b")),
)

SCALARS = st.text() | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False)
NAMES = st.text("abcdefgh_", min_size=1)
VALUES = st.recursive(
    SCALARS | st.lists(SCALARS).map(tuple),
    lambda inner: st.builds(
        lambda code, params: Reason(code, **params), NAMES, st.dictionaries(NAMES, inner)
    ),
    max_leaves=5,
)


def leased(backend: Backend, url: Url = HOME) -> Visit:
    backend.frontier.add([DiscoveredUrl(url)])
    (visit,) = backend.frontier.lease(1, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    return visit


@pytest.mark.parametrize("reason", REASONS, ids=str)
def test_the_reason_of_an_outcome_comes_back(backend: Backend, reason: Reason) -> None:
    backend.frontier.finish([Outcome(leased(backend), UrlState.UNREACHABLE, reason)])
    record = backend.frontier.find_url(HOME)
    assert record and record.reason == reason
    assert (record.redirect_target, record.removed_site) == (None, None)
    assert backend.graph.url_records([record.id])[record.id].reason == reason


@pytest.mark.parametrize("reason", REASONS, ids=str)
def test_the_reason_of_a_discovered_url_comes_back(backend: Backend, reason: Reason) -> None:
    backend.frontier.add([DiscoveredUrl(HOME, state=UrlState.OUT_OF_SCOPE, reason=reason)])
    record = backend.frontier.find_url(HOME)
    assert record and record.reason == reason


@pytest.mark.parametrize("code", ["redirect", "moved_permanently"])
def test_a_redirect_has_its_code_and_its_target(backend: Backend, code: str) -> None:
    reason = Reason(code, to=TARGET)
    ended = Outcome(leased(backend), UrlState.REDIRECTED, reason, redirect_target=TARGET)
    backend.frontier.finish([ended])
    record = backend.frontier.find_url(HOME)
    assert record and (record.reason, record.redirect_target) == (reason, TARGET)


@pytest.mark.parametrize(("code", "again"), [("redirect", 1), ("moved_permanently", 0)])
def test_only_a_seed_that_redirects_for_now_is_asked_again(
    backend: Backend, code: str, again: int
) -> None:
    backend.frontier.add([DiscoveredUrl(HOME, seed=True)])
    (visit,) = backend.frontier.lease(1, now=1.0)
    backend.frontier.release(visit, free_at=1.0)
    reason = Reason(code, to=TARGET)
    backend.frontier.finish([Outcome(visit, UrlState.REDIRECTED, reason, redirect_target=TARGET)])
    assert backend.frontier.requeue_redirecting_seeds() == again
    record = backend.frontier.find_url(HOME)
    assert record and (record.redirect_target is None) == bool(again)


@given(NAMES, st.dictionaries(NAMES, VALUES), st.none() | st.just(TARGET))
def test_any_reason_survives_its_columns(
    code: str, params: dict[str, object], target: Url | None
) -> None:
    reason = Reason(code, **params)
    stored = reason_columns(reason, target)
    expected = Reason(code, to=target) if target and not params else reason
    assert load_reason(*stored) == expected
