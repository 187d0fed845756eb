"""Words in capitals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import run_within

from byway.extract.formats.html.capitals import ALL_CAPS_WORD_PATTERN, capitals

PIECES = st.sampled_from(
    [
        *("HTTP", "NASA,", "(RFC)", "_MAX_PATH_", "X-RAY", "U.S.", "A", "C++", "42", "??", "B2B"),
        *(
            "the",
            "Word",
            "HTTPServer",
            "foo.BAR",
            "IT'S",
            "ВАЖНО",
            "важно",
            "ÉTÉ",
            "ß",
            "名",
            "IPv6",
        ),
        *(" ", " ", "\n", "\t", "\u2003", "\x1c", "—", "“", "\ud800", "𝐀𝐁"),
    ]
)


def plain_capitals(text: str) -> tuple[str, ...]:
    """A slow reference implementation that splits the whole text."""
    chunks = [chunk for chunk in text.split() if chunk.isupper()]
    return tuple(
        dict.fromkeys(word for chunk in chunks for word in ALL_CAPS_WORD_PATTERN.findall(chunk))
    )


def test_all_caps_words_are_found_in_any_script() -> None:
    assert capitals("This is VERY important, ВАЖНО (NASA), A I x86 X-RAY IT'S U.S. É 42") == (
        "VERY",
        "ВАЖНО",
        "NASA",
        "RAY",
        "IT",
    )


@given(st.lists(PIECES, max_size=40).map("".join), st.integers(0, 200))
def test_all_caps_words_are_found_next_to_any_character(text: str, more: int) -> None:
    whole = text + " plain words" * more
    assert capitals(whole) == plain_capitals(whole)


@pytest.mark.alone
def test_a_long_run_of_capitals_takes_linear_time() -> None:
    assert run_within(1, lambda: capitals("A1" * 500_000 + "a")) == ()
