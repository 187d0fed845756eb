"""Shoe sizes in four systems, and letter sizes."""

import pytest

from byway.products.sizes import (
    MAX_CONTINENTAL_SIZE,
    MAX_SIZES,
    format_sizes,
    parse_sizes,
    size_filters,
)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("36, 37, 38", ("36", "37", "38")), ("36 RUS", ("36 RU",)), ("EU 38,5", ("38.5 EU",)),
     ("UK 4½", ("4.5 UK",)), ("36-38", ("36", "37", "38")), ("размер 42", ("42",)),
     ("US 8 / 9", ("8 US", "9 US")), ("7", ()), ("1999", ()), ("XL", ("XL",)), ("xl", ()),
     ("S, M, 2XL / XXXL", ("S", "M", "XXL", "XXXL")), ("8 M US", ("8 US",)), ("XM", ()), ("", ())],
)  # fmt: skip
def test_sizes_are_parsed_in_many_notations(text: str, sizes: tuple[str, ...]) -> None:
    assert format_sizes(parse_sizes(text)) == sizes


def test_a_size_is_converted_to_every_system() -> None:
    found = size_filters(parse_sizes("38 RUS"), ["women"])
    assert found == {"size": [38], "size_ru": [38], "size_eu": [39], "size_uk": [6], "size_us": [8]}
    assert size_filters(parse_sizes("8 US"), ["men"])["size"] == [41]


def test_a_number_without_a_system_is_russian_and_european() -> None:
    assert size_filters(parse_sizes("38"), ["women"]) == {
        "size": [38],
        "size_eu": [38],
        "size_ru": [38],
    }


def test_american_sizes_are_not_converted_without_a_gender() -> None:
    assert size_filters(parse_sizes("8 US")) == {"size_us": [8]}


def test_the_number_of_sizes_is_limited() -> None:
    assert len(parse_sizes("EU " + " ".join(map(str, range(10, 100))))) <= MAX_SIZES
    assert max(size.number for size in parse_sizes("15-52")) <= MAX_CONTINENTAL_SIZE
