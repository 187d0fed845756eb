"""What are pages called, as one would type it? Without the name of the site, each name once."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import log2
from operator import attrgetter, itemgetter
from typing import NamedTuple

from byway.text import is_nameless, plain

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
    """What pages are called, in one of several spellings."""

    worth: float = 0.0
    host: int = -1
    counted: float = 0.0
    """Of the host that was taken in last, what was counted."""
    spellings: dict[str, int] = field(default_factory=dict)
    owners: list[int] = field(default_factory=list)

    def take(self, text: str, called: Called) -> None:
        """Count what pages of a host are called; those of one host come one after the other."""
        worth = log2(1 + called.links)
        before = self.counted if called.host == self.host else 0.0
        self.worth += max(0.0, worth - before)
        self.host, self.counted = called.host, max(before, worth)
        self.spellings[text] = self.spellings.get(text, 0) + called.pages
        self.owners += [MANY] if called.pages > 2 else {called.first, called.last}

    @property
    def text(self) -> str:
        """As it is mostly written; without quotes if it is so anywhere, as they ask for less."""
        if len(self.spellings) == 1:
            return next(iter(self.spellings))
        plainly = [item for item in self.spellings.items() if not QUOTES.search(item[0])]
        return max(plainly or self.spellings.items(), key=itemgetter(1))[0]

    def kept_owners(self) -> list[int]:
        """The numbers of its pages, 0 where it has fewer; or that there are many."""
        if len(self.owners) == 1 and self.owners[0] != MANY:  # as nearly always
            return self.owners + [0] * (OWNERS - 1)
        known = list(dict.fromkeys(self.owners))
        if MANY in known or len(known) > OWNERS:
            return [0] * (OWNERS - 1) + [MANY]
        return known + [0] * (OWNERS - len(known))


def best_of(rows: Iterable[Called], most: int) -> tuple[dict[str, Name], SiteNames]:
    """The names that most hosts and links have, the likeliest first, by their plain words.

    And the names of the sites, which they are without. `rows`: those of one host one after the
    other. A title that a thousand pages of one host share says no more than that of one.
    """
    found: defaultdict[str, Name] = defaultdict(Name)
    names: set[tuple[int, str]] = set()
    for host, some in groupby(rows, key=attrgetter("host")):
        here = list(some)
        own = {(host, piece) for piece in _shared([one.text for one in here])}
        names |= own
        for row in here:
            text = without_site(row.text, host, own)
            if not is_nameless(key := plain(text)):
                found[key].take(text, row)
    _unnumber(found)
    said = Counter(word for key in found for word in key.split())

    def place(key: str) -> tuple[float, float, str]:
        rarest = min(said[word] for word in key.split())
        return -round(found[key].worth, 3), len(key) - USUAL * log2(rarest), key

    return {key: found[key] for key in sorted(found, key=place)[:most]}, names


def _unnumber(found: dict[str, Name]) -> None:
    """Have `3 Lists` counted as Lists, where another is called so."""
    for key in [key for key in found if key[0].isdigit()]:
        number = NUMBERED.match(key)
        if number and key[number.end() :] in found:
            numbered, name = found.pop(key), found[key[number.end() :]]
            name.worth += numbered.worth
            name.owners += numbered.owners


def _shared(titles: Sequence[str]) -> list[str]:
    """How so many titles of a host begin or end that it is the name of the site."""
    pieces = Counter(piece for title in titles for piece in _ends(title))
    many = len(titles)
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
