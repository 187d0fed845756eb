"""Errors travel between processes as JSON."""

import json
from pathlib import Path

import pytest

from byway.core.errors import (
    BywayError,
    DataLockedError,
    FetchError,
    RateLimitError,
    SettingsError,
    error_from_plain,
    error_to_plain,
)
from byway.core.messages import Message, Reason


@pytest.mark.parametrize(
    "error",
    [
        DataLockedError("storage.crawl_locked", path=Path("data"), pid=12),
        FetchError("page_forbidden", url="http://a.org/", cause=Reason("redirect", to="y")),
        SettingsError("core.bad_source", source="byway.toml", error=Message("error.app.no_seeds")),
        RateLimitError("accounts.too_many_attempts", retry_after=3.0),
    ],
)
def test_an_error_has_the_same_kind_code_and_text_after_its_way_through_json(
    error: BywayError,
) -> None:
    again = error_from_plain(json.loads(json.dumps(error_to_plain(error))))
    assert (type(again), again.code, str(again)) == (type(error), error.code, str(error))


def test_an_error_of_an_unknown_kind_keeps_its_code() -> None:
    again = error_from_plain({"kind": "NewerError", "code": "app.no_seeds", "params": {}})
    assert (type(again), again.code) == (BywayError, "app.no_seeds")
