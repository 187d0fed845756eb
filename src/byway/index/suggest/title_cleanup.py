"""Title cleanup: page names without the site name, deduplicated and ranked."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import log2
from operator import itemgetter
from typing import NamedTuple

from byway.core.text import is_generic_title, normalize_phrase

SEPARATOR_PATTERN = re.compile(r"\s+(?:[-–—|·•»›/]+|::)\s+|:\s+")
SEPARATOR_CHAR_PATTERN = re.compile(r"[-–—|·•»›/:]\s")
PARENTHESIS_SUFFIX_PATTERN = re.compile(r"\s+\([^()]*\)$")
"""`ThreadInfo (Java SE 17)`: a suffix that all titles of the site share."""
QUOTE_PATTERN = re.compile(r'["“”„‟«»‹›「」『』]')
LEADING_NUMBER_PATTERN = re.compile(r"\d+ (?=.*[^\W\d])")
SITE_NAME_MIN_TITLES = 3
SITE_NAME_MIN_SHARE = 0.1
"""A prefix or suffix shared by this many titles of a host, and by this share, is the site name."""
SITE_NAME_SURE_TITLES = 50
"""A suffix shared by this many titles is a site name, regardless of its share."""
SITE_NAME_MIN_COLON_SHARE = 0.5
"""The minimum share for a prefix before a colon, which is usually the topic of the page."""
MAX_NAME_PARTS = 100_000
"""Maximum prefixes and suffixes of one host counted at a time. Beyond this, the rarest are dropped:
they are not site names."""
NAME_OVERSAMPLING_FACTOR = 1.5
"""Names collected before the worst are dropped, as a multiple of the limit."""
CHARS_PER_FREQUENCY_DOUBLING = 4
"""When names are ordered, doubling the frequency of a name's rarest word outweighs this many
letters: `Installing the tools` comes before `Instalace` in an English collection."""
MANY_PAGES = -1
"""The placeholder for the page ids of a name with too many pages."""
MAX_PAGES_PER_NAME = 3

SiteNames = Collection[tuple[int, str]]
"""Hosts, each with a prefix or suffix of its titles."""


class HostTitle(NamedTuple):
    """A title used by pages of one host, its weight in links, and two of the pages."""

    text: str
    host: int
    link_weight: int
    page_count: int
    first_page_id: int
    last_page_id: int


@dataclass(slots=True)
class PageName:
    """A page name in one or more spellings. Mutable and small, because there are many names."""

    score: float = 0.0
    last_host: int = -1
    last_host_score: float = 0.0
    """The score from the last host added."""
    spelling: str = ""
    page_count: int = 0
    """The number of pages with the first spelling."""
    other_spellings: dict[str, int] | None = None
    """The number of pages with each other spelling."""
    page_ids: tuple[int, ...] = ()

    def add_title(self, text: str, title: HostTitle) -> None:
        """Count a title; titles must be grouped by host."""
        score = log2(1 + title.link_weight)
        previous = self.last_host_score if title.host == self.last_host else 0.0
        self.score += max(0.0, score - previous)
        self.last_host, self.last_host_score = title.host, max(previous, score)
        self._add_spelling(text, title.page_count)
        self.add_pages(
            (MANY_PAGES,) if title.page_count > 2 else (title.first_page_id, title.last_page_id)
        )

    def add_pages(self, page_ids: tuple[int, ...]) -> None:
        """Add pages with this name."""
        all_ids = tuple(dict.fromkeys(self.page_ids + page_ids))
        self.page_ids = (
            (MANY_PAGES,) if MANY_PAGES in all_ids or len(all_ids) > MAX_PAGES_PER_NAME else all_ids
        )

    def _add_spelling(self, text: str, pages: int) -> None:
        if text == (self.spelling or text):
            self.spelling, self.page_count = text, self.page_count + pages
            return
        self.other_spellings = self.other_spellings or {}
        self.other_spellings[text] = self.other_spellings.get(text, 0) + pages

    @property
    def text(self) -> str:
        """The most frequent spelling, preferably without quotes, which would narrow a query."""
        if self.other_spellings is None:
            return self.spelling
        spellings = {self.spelling: self.page_count} | self.other_spellings
        unquoted = [item for item in spellings.items() if not QUOTE_PATTERN.search(item[0])]
        return max(unquoted or spellings.items(), key=itemgetter(1))[0]

    def padded_page_ids(self) -> list[int]:
        """The ids of its pages, padded with 0; zeros and `MANY_PAGES` if there are too many."""
        if MANY_PAGES in self.page_ids:
            return [0] * (MAX_PAGES_PER_NAME - 1) + [MANY_PAGES]
        return [*self.page_ids, *[0] * (MAX_PAGES_PER_NAME - len(self.page_ids))]


def site_names(titles: Iterable[tuple[int, str]]) -> SiteNames:
    """The site names that titles begin or end with; `titles` are sorted by host."""
    return {
        (host, part)
        for host, of_host in groupby(titles, key=itemgetter(0))
        for part in _shared_parts(title for _, title in of_host)
    }


def best_names(rows: Iterable[HostTitle], sites: SiteNames, limit: int) -> dict[str, PageName]:
    """The names with the most hosts and links, by normalized words, best first.

    `rows` are sorted by host; `sites` are the site names to strip. A title shared by a thousand
    pages of one host counts no more than the title of one page.
    """
    names: dict[str, PageName] = {}
    for row in rows:
        text = strip_site_name(row.text, row.host, sites)
        if is_generic_title(key := normalize_phrase(text)):
            continue
        if key not in names:
            if len(names) >= NAME_OVERSAMPLING_FACTOR * limit:
                names = _best(names, limit)
            names[key] = PageName()
        names[key].add_title(text, row)
    return _best(names, limit)


def _best(names: dict[str, PageName], limit: int) -> dict[str, PageName]:
    _merge_numbered(names)
    frequencies = Counter(word for key in names for word in key.split())

    def sort_key(key: str) -> tuple[float, float, str]:
        rarest = min(frequencies[word] for word in key.split())
        return (
            -round(names[key].score, 3),
            len(key) - CHARS_PER_FREQUENCY_DOUBLING * log2(rarest),
            key,
        )

    return {key: names[key] for key in sorted(names, key=sort_key)[:limit]}


def _merge_numbered(names: dict[str, PageName]) -> None:
    """Count `3 Lists` as `Lists` if that name exists."""
    for key in [key for key in names if key[0].isdigit()]:
        number = LEADING_NUMBER_PATTERN.match(key)
        if number and key[number.end() :] in names:
            numbered, name = names.pop(key), names[key[number.end() :]]
            name.score += numbered.score
            name.add_pages(numbered.page_ids)


def _shared_parts(titles: Iterable[str]) -> list[str]:
    """The prefixes and suffixes shared by enough titles of a host to be the site name."""
    parts: Counter[str] = Counter()
    title_count = 0
    for title in titles:
        title_count += 1
        parts.update(_title_parts(title))
        if len(parts) > MAX_NAME_PARTS:
            parts = Counter(dict(parts.most_common(MAX_NAME_PARTS // 2)))
    return [
        part
        for part, count in parts.items()
        if count >= max(SITE_NAME_MIN_TITLES, _min_titles(part, title_count))
    ]


def _min_titles(part: str, titles: int) -> float:
    if part[-2:] == ": ":
        return titles * SITE_NAME_MIN_COLON_SHARE
    is_suffix = part[0].isspace() and part[-1] != ")"
    return (
        min(titles * SITE_NAME_MIN_SHARE, SITE_NAME_SURE_TITLES)
        if is_suffix
        else titles * SITE_NAME_MIN_SHARE
    )


def strip_site_name(text: str, host: int, names: SiteNames) -> str:
    """The title without the site name."""
    for part in _title_parts(text):
        if (host, part) in names and len(part) < len(text):
            text = text.removesuffix(part) if part[0].isspace() else text.removeprefix(part)
    return text.rstrip(" :-–—|")


def _title_parts(text: str) -> Iterator[str]:
    """The part after the last separator, and the part before the first one, separators included."""
    if text[-1:] == ")" and (suffix := PARENTHESIS_SUFFIX_PATTERN.search(text)):
        yield suffix.group()
    if not SEPARATOR_CHAR_PATTERN.search(text):
        return
    separators = list(SEPARATOR_PATTERN.finditer(text))
    if separators and text[separators[-1].start()].isspace():
        yield text[separators[-1].start() :]
    if separators:
        yield text[: separators[0].end()]
