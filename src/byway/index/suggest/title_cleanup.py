"""What are pages called, as one would type it? Without the name of the site, each name once."""

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
"""`ThreadInfo (Java SE 17)` ends with what all the others end with, too."""
QUOTE_PATTERN = re.compile(r'["“”„‟«»‹›「」『』]')
LEADING_NUMBER_PATTERN = re.compile(r"\d+ (?=.*[^\W\d])")
SITE_NAME_MIN_TITLES = 3
SITE_NAME_MIN_SHARE = 0.1
"""Titles of a host that begin or end alike, and their share: then it is the name of the site."""
SITE_NAME_SURE_TITLES = 50
"""Titles of a host from which on what they end with is a part of the site, however large it is."""
SITE_NAME_MIN_COLON_SHARE = 0.5
"""The same for what has a colon behind it, which is mostly what a page is about."""
MAX_NAME_PARTS = 100_000
"""Beginnings and ends of the titles of one host that are counted at a time: of more, the rarest are
forgotten, which are no name of a site."""
NAME_OVERSAMPLING_FACTOR = 1.5
"""Times as many names as are wanted that are looked at before the least likely are forgotten."""
CHARS_PER_FREQUENCY_DOUBLING = 4
"""Letters that a name may be longer than another for each time that twice as many have its rarest
word, and still come first: `Installing the tools` before `Instalace`, in an English collection."""
MANY_PAGES = -1
"""In place of the last of its pages, if a phrase has more than are remembered."""
MAX_PAGES_PER_NAME = 3

SiteNames = Collection[tuple[int, str]]
"""Hosts, each with how its titles begin or end."""


class HostTitle(NamedTuple):
    """What pages of one host are called, how many links that counts as, and some of the pages."""

    text: str
    host: int
    link_weight: int
    page_count: int
    first_page_id: int
    last_page_id: int


@dataclass(slots=True)
class PageName:
    """What pages are called, in one of several spellings. There are many of them: it is small."""

    score: float = 0.0
    last_host: int = -1
    last_host_score: float = 0.0
    """Of the host that was taken in last, what was counted."""
    spelling: str = ""
    page_count: int = 0
    """As it was first spelt, and how many pages spell it so."""
    other_spellings: dict[str, int] | None = None
    """Other spellings, if there are any."""
    page_ids: tuple[int, ...] = ()

    def add_title(self, text: str, title: HostTitle) -> None:
        """Count what pages of a host are called; those of one host come one after the other."""
        worth = log2(1 + title.link_weight)
        before = self.last_host_score if title.host == self.last_host else 0.0
        self.score += max(0.0, worth - before)
        self.last_host, self.last_host_score = title.host, max(before, worth)
        self._spell(text, title.page_count)
        self.add_pages(
            (MANY_PAGES,) if title.page_count > 2 else (title.first_page_id, title.last_page_id)
        )

    def add_pages(self, page_ids: tuple[int, ...]) -> None:
        """These pages are called so, too."""
        known = tuple(dict.fromkeys(self.page_ids + page_ids))
        self.page_ids = (
            (MANY_PAGES,) if MANY_PAGES in known or len(known) > MAX_PAGES_PER_NAME else known
        )

    def _spell(self, text: str, pages: int) -> None:
        if text == (self.spelling or text):
            self.spelling, self.page_count = text, self.page_count + pages
            return
        self.other_spellings = self.other_spellings or {}
        self.other_spellings[text] = self.other_spellings.get(text, 0) + pages

    @property
    def text(self) -> str:
        """As it is mostly written; without quotes if it is so anywhere, as they ask for less."""
        if self.other_spellings is None:
            return self.spelling
        spellings = {self.spelling: self.page_count} | self.other_spellings
        plainly = [item for item in spellings.items() if not QUOTE_PATTERN.search(item[0])]
        return max(plainly or spellings.items(), key=itemgetter(1))[0]

    def padded_page_ids(self) -> list[int]:
        """The numbers of its pages, 0 where it has fewer; or that there are many."""
        if MANY_PAGES in self.page_ids:
            return [0] * (MAX_PAGES_PER_NAME - 1) + [MANY_PAGES]
        return [*self.page_ids, *[0] * (MAX_PAGES_PER_NAME - len(self.page_ids))]


def site_names(titles: Iterable[tuple[int, str]]) -> SiteNames:
    """The names of sites, which their titles begin or end with: hosts with titles, host by host."""
    return {
        (host, piece)
        for host, some in groupby(titles, key=itemgetter(0))
        for piece in _shared(title for _, title in some)
    }


def best_names(rows: Iterable[HostTitle], sites: SiteNames, limit: int) -> dict[str, PageName]:
    """The names that most hosts and links have, the likeliest first, by their plain words.

    `rows`: those of one host one after the other; `sites`: what is left out of them. A title that a
    thousand pages of one host share says no more than that of one.
    """
    found: dict[str, PageName] = {}
    for row in rows:
        text = strip_site_name(row.text, row.host, sites)
        if is_generic_title(key := normalize_phrase(text)):
            continue
        if key not in found:
            if len(found) >= NAME_OVERSAMPLING_FACTOR * limit:
                found = _likeliest(found, limit)
            found[key] = PageName()
        found[key].add_title(text, row)
    return _likeliest(found, limit)


def _likeliest(found: dict[str, PageName], most: int) -> dict[str, PageName]:
    _unnumber(found)
    said = Counter(word for key in found for word in key.split())

    def place(key: str) -> tuple[float, float, str]:
        rarest = min(said[word] for word in key.split())
        return (
            -round(found[key].score, 3),
            len(key) - CHARS_PER_FREQUENCY_DOUBLING * log2(rarest),
            key,
        )

    return {key: found[key] for key in sorted(found, key=place)[:most]}


def _unnumber(found: dict[str, PageName]) -> None:
    """Have `3 Lists` counted as Lists, where another is called so."""
    for key in [key for key in found if key[0].isdigit()]:
        number = LEADING_NUMBER_PATTERN.match(key)
        if number and key[number.end() :] in found:
            numbered, name = found.pop(key), found[key[number.end() :]]
            name.score += numbered.score
            name.add_pages(numbered.page_ids)


def _shared(titles: Iterable[str]) -> list[str]:
    """How so many titles of a host begin or end that it is the name of the site."""
    pieces: Counter[str] = Counter()
    many = 0
    for title in titles:
        many += 1
        pieces.update(_ends(title))
        if len(pieces) > MAX_NAME_PARTS:
            pieces = Counter(dict(pieces.most_common(MAX_NAME_PARTS // 2)))
    return [
        one
        for one, count in pieces.items()
        if count >= max(SITE_NAME_MIN_TITLES, _needed(one, many))
    ]


def _needed(piece: str, titles: int) -> float:
    if piece[-2:] == ": ":
        return titles * SITE_NAME_MIN_COLON_SHARE
    ends = piece[0].isspace() and piece[-1] != ")"
    return (
        min(titles * SITE_NAME_MIN_SHARE, SITE_NAME_SURE_TITLES)
        if ends
        else titles * SITE_NAME_MIN_SHARE
    )


def strip_site_name(text: str, host: int, names: SiteNames) -> str:
    """The title without the name of its site."""
    for piece in _ends(text):
        if (host, piece) in names and len(piece) < len(text):
            text = text.removesuffix(piece) if piece[0].isspace() else text.removeprefix(piece)
    return text.rstrip(" :-–—|")


def _ends(text: str) -> Iterator[str]:
    """What stands behind the last separator, which it begins with, and before the first one."""
    if text[-1:] == ")" and (behind := PARENTHESIS_SUFFIX_PATTERN.search(text)):
        yield behind.group()
    if not SEPARATOR_CHAR_PATTERN.search(text):
        return
    places = list(SEPARATOR_PATTERN.finditer(text))
    if places and text[places[-1].start()].isspace():
        yield text[places[-1].start() :]
    if places:
        yield text[: places[0].end()]
