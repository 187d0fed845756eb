"""Page titles: strips chapter numbers, and detects generic titles such as `Contents`."""

import re
from collections.abc import Iterable
from functools import cache

from byway.core.languages import all_languages
from byway.core.text.tokenizer import normalize_phrase

CHAPTER_NUMBER_PATTERN = re.compile(
    r"(?:[^\W\d_]+\s+\d+(?:\.\d+)*[.,]|(?:[A-Z]\.)?\d+(?:\.\d+)*\.)\s+(?=\S*[^\W\d_])"
)
"""`25.1. Routine Vacuuming`, `A.3. Linux Mint`, `Chapter 8. Data Types`, but not `Python 3.11`."""

NUMERAL_PATTERN = re.compile(r"[ivx]{2,}|\d+(?: \d+)*")
"""A chapter number as a normalized phrase: `4 2 13`, `xiv`."""


def strip_chapter_number(title: str) -> str:
    """The title without its chapter or section number."""
    return title[match.end() :] if (match := CHAPTER_NUMBER_PATTERN.match(title)) else title


def page_names(title: str, main_headings: Iterable[str]) -> list[str]:
    """The names of a page as people would type them: `csv`, not `csv — The Documentation`.

    If the title contains the first main heading, the rest is just the site name.
    """
    heading = next(iter(main_headings), "")
    title, heading = (strip_chapter_number(" ".join(text.split())) for text in (title, heading))
    names = [heading] if heading and heading in title else [title, heading]
    return [name for name in dict.fromkeys(names) if name]


def is_generic_title(name: str) -> bool:
    """Whether a normalized title does not describe the page: `contents`, `chapter 8`."""
    kind, _, number = name.partition(" ")
    return (
        name in _generic_titles()
        or not any(map(str.isalpha, name))
        or (NUMERAL_PATTERN.fullmatch(number) is not None and kind in _numbered_parts())
    )


@cache
def _generic_titles() -> frozenset[str]:
    languages = all_languages().values()
    return frozenset(
        normalize_phrase(title) for language in languages for title in language.generic_titles
    )


@cache
def _numbered_parts() -> frozenset[str]:
    languages = all_languages().values()
    return frozenset(
        normalize_phrase(name) for language in languages for name in language.numbered_parts
    )
