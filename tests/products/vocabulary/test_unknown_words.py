"""What is not known is written down as a file that can be used as it is."""

import tomllib

from byway.products.coverage import Unknown
from byway.products.vocabulary.lookup import ours, with_own
from byway.products.vocabulary.unknown_words import as_toml

UNKNOWN = (
    Unknown("оттенок", "", 30, "пунцовый", "colour"),
    Unknown("colour", "пунцовый", 12, "Пунцовый", "colour red"),
    Unknown("colour", "алопунцовый", 3, "Ало\nпунцовый", "colour red"),
    Unknown("colour", 'мой "цвет"', 2, "Мой", ""),
    Unknown("colour", "синева", 2, "синева", "colour dark blue"),
    Unknown("3d-режим", "", 1, "да"),
)


def test_a_word_that_may_be_another_holds_as_it_is() -> None:
    assert ours().values("colour", "пунцовый") == ()
    mine = with_own({"mine.toml": as_toml(UNKNOWN)})
    assert mine.attribute("Оттенок") == "colour"
    assert mine.values("colour", "пунцовый") == ("red",)
    assert mine.values("colour", "синева") == ("dark blue", "blue")


def test_what_nobody_can_guess_is_a_comment() -> None:
    text = as_toml(UNKNOWN)
    assert set(tomllib.loads(text)) == {"colour"}
    assert '# ["a_3d_режим"]' in text
    assert r'# "мой \"цвет\""' in text


def test_a_comment_that_is_finished_is_a_line_like_others() -> None:
    lines = as_toml(UNKNOWN).splitlines()
    finished = "\n".join(line.removeprefix("# ") for line in lines if not line.startswith("# L"))
    body = finished[finished.index('["a_3d') :]
    assert with_own({"mine.toml": body}).attribute("3d-режим") == "a_3d_режим"
