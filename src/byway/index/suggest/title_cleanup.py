"""What are pages called, as one would type it? Without the name of the site, each name once."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import log2
from operator import itemgetter
from typing import NamedTuple

from byway.core.text import is_nameless, plain

SEPARATOR = re.compile(r"\s+(?:[-–—|·•»›/]+|::)\s+|:\s+")
SIGN = re.compile(r"[-–—|·•»›/:]\s")
BEHIND = re.compile(r"\s+\([^()]*\)$")
"""`ThreadInfo (Java SE 17)` ends with what all the others end with, too."""
QUOTES = re.compile(r'["“”„‟«»‹›「」『』]')
NUMBERED = re.compile(r"\d+ (?=.*[^\W\d])")
LEAST = 3
SHARE = 0.1
"""Titles of a host that begin or end alike, and their share: then it is the name of the site."""
SURELY = 50
"""Titles of a host from which on what they end with is a part of the site, however large it is."""
COLON_SHARE = 0.5
"""The same for what has a colon behind it, which is mostly what a page is about."""
MOST_PIECES = 100_000
"""Beginnings and ends of the titles of one host that are counted at a time: of more, the rarest are
forgotten, which are no name of a site."""
SPARE = 1.5
"""Times as many names as are wanted that are looked at before the least likely are forgotten."""
USUAL = 4
"""Letters that a name may be longer than another for each time that twice as many have its rarest
word, and still come first: `Installing the tools` before `Instalace`, in an English collection."""
MANY = -1
"""In place of the last of its pages, if a phrase has more than are remembered."""
OWNERS = 3

SiteNames = Collection[tuple[int, str]]
"""Hosts, each with how its titles begin or end."""


class Called(NamedTuple):
    """What pages of one host are called, how many links that counts as, and some of the pages."""

    text: str
    host: int
    links: int
    pages: int
    first: int
    last: int


@dataclass(slots=True)
class Name:
    """What pages are called, in one of several spellings. There are many of them: it is small."""

    worth: float = 0.0
    host: int = -1
    counted: float = 0.0
    """Of the host that was taken in last, what was counted."""
    spelling: str = ""
    pages: int = 0
    """As it was first spelt, and how many pages spell it so."""
    others: dict[str, int] | None = None
    """Other spellings, if there are any."""
    owners: tuple[int, ...] = ()

    def take(self, text: str, called: Called) -> None:
        """Count what pages of a host are called; those of one host come one after the other."""
        worth = log2(1 + called.links)
        before = self.counted if called.host == self.host else 0.0
        self.worth += max(0.0, worth - before)
        self.host, self.counted = called.host, max(before, worth)
        self._spell(text, called.pages)
        self.own((MANY,) if called.pages > 2 else (called.first, called.last))

    def own(self, pages: tuple[int, ...]) -> None:
        """These pages are called so, too."""
        known = tuple(dict.fromkeys(self.owners + pages))
        self.owners = (MANY,) if MANY in known or len(known) > OWNERS else known

    def _spell(self, text: str, pages: int) -> None:
        if text == (self.spelling or text):
            self.spelling, self.pages = text, self.pages + pages
            return
        self.others = self.others or {}
        self.others[text] = self.others.get(text, 0) + pages

    @property
    def text(self) -> str:
        """As it is mostly written; without quotes if it is so anywhere, as they ask for less."""
        if self.others is None:
            return self.spelling
        spellings = {self.spelling: self.pages} | self.others
        plainly = [item for item in spellings.items() if not QUOTES.search(item[0])]
        return max(plainly or spellings.items(), key=itemgetter(1))[0]

    def kept_owners(self) -> list[int]:
        """The numbers of its pages, 0 where it has fewer; or that there are many."""
        if MANY in self.owners:
            return [0] * (OWNERS - 1) + [MANY]
        return [*self.owners, *[0] * (OWNERS - len(self.owners))]


def site_names(titles: Iterable[tuple[int, str]]) -> SiteNames:
    """The names of sites, which their titles begin or end with: hosts with titles, host by host."""
    return {
        (host, piece)
        for host, some in groupby(titles, key=itemgetter(0))
        for piece in _shared(title for _, title in some)
    }


def best_of(rows: Iterable[Called], sites: SiteNames, most: int) -> dict[str, Name]:
    """The names that most hosts and links have, the likeliest first, by their plain words.

    `rows`: those of one host one after the other; `sites`: what is left out of them. A title that a
    thousand pages of one host share says no more than that of one.
    """
    found: dict[str, Name] = {}
    for row in rows:
        text = without_site(row.text, row.host, sites)
        if is_nameless(key := plain(text)):
            continue
        if key not in found:
            if len(found) >= SPARE * most:
                found = _likeliest(found, most)
            found[key] = Name()
        found[key].take(text, row)
    return _likeliest(found, most)


def _likeliest(found: dict[str, Name], most: int) -> dict[str, Name]:
    _unnumber(found)
    said = Counter(word for key in found for word in key.split())

    def place(key: str) -> tuple[float, float, str]:
        rarest = min(said[word] for word in key.split())
        return -round(found[key].worth, 3), len(key) - USUAL * log2(rarest), key

    return {key: found[key] for key in sorted(found, key=place)[:most]}


def _unnumber(found: dict[str, Name]) -> None:
    """Have `3 Lists` counted as Lists, where another is called so."""
    for key in [key for key in found if key[0].isdigit()]:
        number = NUMBERED.match(key)
        if number and key[number.end() :] in found:
            numbered, name = found.pop(key), found[key[number.end() :]]
            name.worth += numbered.worth
            name.own(numbered.owners)


def _shared(titles: Iterable[str]) -> list[str]:
    """How so many titles of a host begin or end that it is the name of the site."""
    pieces: Counter[str] = Counter()
    many = 0
    for title in titles:
        many += 1
        pieces.update(_ends(title))
        if len(pieces) > MOST_PIECES:
            pieces = Counter(dict(pieces.most_common(MOST_PIECES // 2)))
    return [one for one, count in pieces.items() if count >= max(LEAST, _needed(one, many))]


def _needed(piece: str, titles: int) -> float:
    if piece[-2:] == ": ":
        return titles * COLON_SHARE
    ends = piece[0].isspace() and piece[-1] != ")"
    return min(titles * SHARE, SURELY) if ends else titles * SHARE


def without_site(text: str, host: int, names: SiteNames) -> str:
    """The title without the name of its site."""
    for piece in _ends(text):
        if (host, piece) in names and len(piece) < len(text):
            text = text.removesuffix(piece) if piece[0].isspace() else text.removeprefix(piece)
    return text.rstrip(" :-–—|")


def _ends(text: str) -> Iterator[str]:
    """What stands behind the last separator, which it begins with, and before the first one."""
    if text[-1:] == ")" and (behind := BEHIND.search(text)):
        yield behind.group()
    if not SIGN.search(text):
        return
    places = list(SEPARATOR.finditer(text))
    if places and text[places[-1].start()].isspace():
        yield text[places[-1].start() :]
    if places:
        yield text[: places[0].end()]
