"""Printed lines are joined to paragraphs."""

import pytest
from pace import run_within

from byway.extract.formats.pdf.paragraphs import paragraphs

FULL = "The keeper of the lighthouse at the cape went up"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([FULL, "every evening."], [f"{FULL} every evening."]),
        (
            [FULL, "to the lamp and", "then he slept."],
            [f"{FULL} to the lamp and", "then he slept."],
        ),
        ([f"{FULL} with", "Anna, and"], [f"{FULL} with Anna, and"]),
        ([f"{FULL}.", "Anna did not."], [f"{FULL}.", "Anna did not."]),
        ([f"{FULL}.", "anna did not."], [f"{FULL}.", "anna did not."]),
        ([FULL, "", "every evening."], [FULL, "every evening."]),
        (["The lighthouse", FULL], ["The lighthouse", FULL]),
        ([FULL, "12 lamps"], [FULL, "12 lamps"]),
        (["lamp", "oil", "wick"], ["lamp", "oil", "wick"]),
        (["no sea taki-", "mata"], ["no sea takimata"]),
        (["der Haupt-", "und Nebensatz"], ["der Haupt-", "und Nebensatz"]),
        ([f"{FULL} zum Haupt-", "und Nebensatz"], [f"{FULL} zum Haupt- und Nebensatz"]),
        ([f"{FULL} at Soekarno-", "Hatta"], [f"{FULL} at Soekarno-Hatta"]),
        (["a co\u00ad", "worker"], ["a coworker"]),
        (["- - -", "-", "a-"], ["- - -", "-", "a-"]),
        (["  ", "\t"], []),
        ([], []),
    ],
)
def test_lines_are_joined_where_a_sentence_continues(lines: list[str], expected: list[str]) -> None:
    assert paragraphs(lines) == expected


@pytest.mark.alone
def test_many_lines_take_little_time() -> None:
    lines = [f"{FULL} and"] + [f"he {FULL.lower()}-"] * 100_000
    (whole,) = run_within(5, lambda: paragraphs(lines))
    assert len(whole) > 5_000_000
