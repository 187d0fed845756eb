"""Dates in many notations."""

import pytest
from extract.page_factory import FETCHED_AT

from byway.extract.dates import plausible_date


@pytest.mark.parametrize(
    "text",
    ["2024-05-31", "2024-05-31T23:00:00+02:00", "20240531", "Fri, 31 May 2024 12:45:26 GMT",
     "31 May 2024", "May 31st, 2024", "31.05.2024", "31/05/2024", "31. Mai 2024",
     "31 de mayo de 2024", "2024年5月31日", "2024. május 31.", "31 мая 2024 г.", "le 31 mai 2024",
     "Last changed on 31 May 2024, at 10:12 (UTC)"],
)  # fmt: skip
def test_dates_are_parsed_in_many_notations(text: str) -> None:
    assert plausible_date(text, FETCHED_AT) == "2024-05-31"


@pytest.mark.parametrize("text", ["05/06/2024", "31 Foo 2024", "12345678", "1.2.3", "May 2024"])
def test_ambiguous_and_invalid_dates_are_ignored(text: str) -> None:
    assert plausible_date(text, FETCHED_AT) == ""
