"""Unknown words as a vocabulary file that is valid as it is."""

import tomllib

from byway.products.coverage import UnknownWord
from byway.products.vocabulary.lookup import default_vocabulary, vocabulary_with_overrides
from byway.products.vocabulary.unknown_words import as_toml

UNKNOWN = (
    UnknownWord("оттенок", "", 30, "пунцовый", "colour"),
    UnknownWord("colour", "пунцовый", 12, "Пунцовый", "colour red"),
    UnknownWord("colour", "алопунцовый", 3, "Ало\nпунцовый", "colour red"),
    UnknownWord("colour", 'мой "цвет"', 2, "Мой", ""),
    UnknownWord("colour", "синева", 2, "синева", "colour dark blue"),
    UnknownWord("3d-режим", "", 1, "да"),
)


def test_a_word_with_a_suggestion_is_a_valid_line() -> None:
    assert default_vocabulary().find_values("colour", "пунцовый") == ()
    mine = vocabulary_with_overrides({"mine.toml": as_toml(UNKNOWN)})
    assert mine.find_attribute("Оттенок") == "colour"
    assert mine.find_values("colour", "пунцовый") == ("red",)
    assert mine.find_values("colour", "синева") == ("dark blue", "blue")


def test_a_word_without_a_suggestion_is_a_comment() -> None:
    text = as_toml(UNKNOWN)
    assert set(tomllib.loads(text)) == {"colour"}
    assert '# ["a_3d_режим"]' in text
    assert r'# "мой \"цвет\""' in text


def test_a_completed_comment_is_a_valid_line() -> None:
    lines = as_toml(UNKNOWN).splitlines()
    finished = "\n".join(line.removeprefix("# ") for line in lines if not line.startswith("# L"))
    body = finished[finished.index('["a_3d') :]
    assert vocabulary_with_overrides({"mine.toml": body}).find_attribute("3d-режим") == "a_3d_режим"
