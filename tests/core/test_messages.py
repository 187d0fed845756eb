"""The message catalogue: complete in every language, filled in and put into plural forms."""

import pickle
import re

import pytest

from byway.core.messages import (
    PLURAL_FORMS,
    Diagnosis,
    Message,
    Reason,
    catalogue,
    duration,
    language_of,
    languages,
    plural_form,
    size,
    speaking,
    state_label,
    t,
    text,
)
from byway.core.model import UrlState

PLACEHOLDER = re.compile(r"\{(\w+)")


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else list(value.values())  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", languages()[1:])
def test_every_language_has_the_same_keys(language: str) -> None:
    assert catalogue(language).keys() ^ catalogue("en").keys() == set()


@pytest.mark.parametrize("language", languages())
def test_a_text_with_plural_forms_has_all_of_its_language(language: str) -> None:
    expected = {plural_form(language, count) for count in range(200)}
    tables = {k: v.keys() for k, v in catalogue(language).items() if not isinstance(v, str)}
    assert {key: forms for key, forms in tables.items() if forms != expected} == {}


@pytest.mark.parametrize("language", languages()[1:])
def test_every_language_fills_in_the_same_placeholders(language: str) -> None:
    for key, english in catalogue("en").items():
        expected = set().union(*(PLACEHOLDER.findall(one) for one in _texts(english)))
        for one in _texts(catalogue(language)[key]):
            assert set(PLACEHOLDER.findall(one)) <= expected, key


def test_messages_are_values() -> None:
    reason = Reason("redirect", to="http://a.example/", cause=Reason("timeout", seconds=3))
    assert Reason.load(reason.code, reason.dump_params()) == reason
    assert pickle.loads(pickle.dumps(reason)) == reason
    assert len({reason, Reason.load(reason.code, reason.dump_params())}) == 1
    assert reason.params["to"] == "http://a.example/"
    assert (reason.key, Diagnosis("x").key) == ("reason.redirect", "diagnosis.x")
    assert not Reason()
    assert text(Reason()) == ""


def test_numbers_have_units_and_plural_forms() -> None:
    assert (duration(1), duration(120), duration(0.5)) == ("1 second", "2 minutes", "0.5 seconds")
    assert size(1_234_567) == "1.23 MB"
    with speaking("ru"):
        assert (duration(60), duration(180), duration(300)) == ("1 минута", "3 минуты", "5 минут")
        assert t("units.days", count=12_345) == "12\u202f345 дней"
        assert text(Message("units.days", count=21)) == "21 день"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "xx"}, "en"),
        ({"LC_MESSAGES": "ru", "LANG": "en_US"}, "ru"),
    ],
)
def test_the_terminal_follows_the_locale(environment: dict[str, str], language: str) -> None:
    assert language_of(environment) == language


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("state", UrlState)
def test_every_state_has_a_label_and_a_meaning(state: UrlState, language: str) -> None:
    with speaking(language):
        assert "_" not in state_label(state)
        assert t(f"state.{state}")


def test_an_unknown_state_is_its_own_label() -> None:
    assert state_label("from_the_future") == "from_the_future"


def test_a_state_in_a_message_is_shown_by_its_label() -> None:
    note = Reason("note.seed_failed", url="http://a.org/", state="out_of_scope", cause=Reason())
    assert text(note).startswith("http://a.org/: out of scope: ")


def test_only_plural_forms_make_a_plural_table() -> None:
    assert {"one", "few", "many", "other"} == PLURAL_FORMS
