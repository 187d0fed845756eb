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
def test_chapter_numbers_are_stripped(title: str, name: str) -> None:
    assert strip_chapter_number(title) == name


@pytest.mark.parametrize("name", ["Chapter 43", "Section 4.2.13", "Anhang IV", "Глава 7", "13."])
def test_numbered_parts_are_generic_titles(name: str) -> None:
    assert is_generic_title(normalize_phrase(name))


@pytest.mark.parametrize("name", ["Python 3", "Section", "Chapter 43. Locks", "Part of speech"])
def test_titles_with_words_are_not_generic(name: str) -> None:
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
def test_the_heading_names_the_page_if_the_title_only_adds_the_site(
    title: str, headings: list[str], names: list[str]
) -> None:
    assert page_names(title, headings) == names
