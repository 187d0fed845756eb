"""What is it called?"""

import pytest

from byway.core.text import is_generic_title, normalize_phrase, page_names, strip_chapter_number


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("25.1. Routine Vacuuming", "Routine Vacuuming"),
        ("5. Data Structures", "Data Structures"),
        ("A.3. Linux Mint", "Linux Mint"),
        ("Chapter 8. Data Types", "Data Types"),
        ("Глава 4, Установка", "Установка"),
        ("Python 3.11 release", "Python 3.11 release"),
        ("3.11 and later", "3.11 and later"),
        ("1984", "1984"),
        ("7. 8. 9.", "7. 8. 9."),
        ("", ""),
    ],
)
def test_the_number_of_a_chapter_is_no_part_of_its_name(title: str, name: str) -> None:
    assert strip_chapter_number(title) == name


@pytest.mark.parametrize("name", ["Chapter 43", "Section 4.2.13", "Anhang IV", "Глава 7", "13."])
def test_a_number_is_no_name(name: str) -> None:
    assert is_generic_title(normalize_phrase(name))


@pytest.mark.parametrize("name", ["Python 3", "Section", "Chapter 43. Locks", "Part of speech"])
def test_what_is_more_than_a_number_is_a_name(name: str) -> None:
    assert not is_generic_title(normalize_phrase(name))


@pytest.mark.parametrize(
    ("title", "headings", "names"),
    [
        ("csv — The Documentation", ["csv", "Another"], ["csv"]),
        ("3.5. Window Functions", ["3.5. Window Functions"], ["Window Functions"]),
        ("Shop", ["Red\n shoes"], ["Shop", "Red shoes"]),
        ("Shop", [], ["Shop"]),
        ("", ["Shoes"], ["Shoes"]),
        ("", [], []),
    ],
)
def test_a_page_is_called_by_its_heading_where_the_title_only_adds_the_site(
    title: str, headings: list[str], names: list[str]
) -> None:
    assert page_names(title, headings) == names
