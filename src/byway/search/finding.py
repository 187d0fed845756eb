"""Where in a text do the wanted terms stand? Found without analysing all of it.

What begins like none of them is not looked at. A word of plain letters that stands by itself is its
own stretch; what is tied to an apostrophe, or has other letters, is analysed with all that stands
around it up to the next spaces.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import itemgetter
from unicodedata import category

from byway.text import APOSTROPHES, clean, known_words, spans

LOOKED_AT = 20_000
"""Characters of a text that are looked at, as most answers stand there ..."""
FURTHER = 200_000
"""... and so many where the words do not stand together there: a thousand letters take some
microseconds."""
LONGEST_WORD = 100
"""Letters that are read twice, so that no word is torn."""
MOST_PLACES = 1000
"""Who has seen a word so often need not look for it any further."""

STEM = 3
"""Letters at the beginning of a term that no stemmer changes; of as short a one, one less: `using`
is `use`."""
WITHIN = frozenset({"de", "id", "st"})
"""Languages of plain letters whose stemmers take letters from the beginnings of words, too."""
CHANGED = frozenset({"ga", "nl", "sr"})
"""Languages whose stemmers change those letters: boten is boot. All of a text is analysed then."""
UMLAUT = re.compile("(?<=[aou])")
"""Where German may have an e that its stemmer takes for one."""

DENSE = 50
"""Letters of which one is not plain, from which on each word is looked at only once."""

IN_WORDS = frozenset({"Mn", "Mc", "Me", "Cf"})
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
REST = re.compile(r"[a-z0-9]*")
NOT_PLAIN = re.compile(r"\?\?*")
APOSTROPHE = re.compile(r"'(?<=[a-z0-9]')(?=[a-z0-9])(?!(?:[stdm]|ll|re|ve)(?![a-z0-9']))")
"""One that may stand within the first letters of a word: o'clock, but neither it's nor don't."""
APART = frozenset({"", *(sign for sign in map(chr, range(128)) if not sign.isalnum())})
BEFORE = APART - {"'", "-", ".", "?"}
AFTER = APART - {"'", "-", "+", "#", "?"}
"""Signs that never make one word of what stands on both sides of them; ? may be any letter."""

Place = tuple[str, int, int]
"""A term, and where it begins and ends."""
Found = list[Place]
ORDER = itemgetter(1, 2, 0)


def looked_at(text: str, most: int = LOOKED_AT) -> str:
    """As much of a text as is looked at."""
    return text[:most].strip()


def further(text: str, wanted: frozenset[str], language: str) -> Iterator[Found]:
    """Where the wanted terms stand behind the part that is always looked at, bit by bit."""
    start, seen = LOOKED_AT, 0
    while start < len(text) and seen < MOST_PLACES:
        start = text.rfind(" ", start - LONGEST_WORD, start) + 1 or start
        end = start + LOOKED_AT
        found = places(text[start:end], wanted, language)
        seen += len(found)
        yield [(term, start + here, start + stop) for term, here, stop in found]
        start = end


def places(text: str, wanted: frozenset[str], language: str) -> Found:
    """Where the wanted terms stand, in order. To analyse the whole text takes ten times as long."""
    if not wanted:
        return []
    if language in CHANGED:
        return sorted({one for one in spans(text, language) if one[0] in wanted}, key=ORDER)
    begins = _begins(wanted, language == "de")
    low = text.encode("ascii", "replace").lower().decode("ascii")  # ? for all that is not plain
    found: set[Place] = set()
    if language in WITHIN:
        stretches = {_stretch(text, *one.span()) for one in begins.any.finditer(low)}
    else:
        found, stretches = _plain(text, low, begins, wanted, language)

    @cache
    def inside(chunk: str) -> Found:
        return [one for one in spans(chunk, language) if one[0] in wanted]

    for chunk in filter(inside, _not_plain(text, low, begins.any)):
        stretches.update(_all(text, chunk))
    for here, end in stretches:
        each = inside(text[here:end])
        found.update((term, here + start, here + stop) for term, start, stop in each)
    return sorted(found, key=ORDER)


@dataclass(frozen=True, slots=True)
class _Begins:
    """How the wanted terms begin."""

    plain: tuple[str, ...]
    """As they are written in plain letters; what begins with e may be written e-, too."""
    any: re.Pattern[str]
    """All of them, wherever they stand, e- among them."""


@lru_cache(maxsize=64)
def _begins(wanted: frozenset[str], german: bool) -> _Begins:
    each = {term[: max(min(STEM, len(term) - 1), len(term) - 2, 1)] for term in wanted}
    each |= {f"{term[0]}y" for term in wanted if len(term) == STEM and term[1:] == "ie"}  # dying
    found: list[str] = []
    for begin in sorted(each):
        if not found or not begin.startswith(found[-1]):  # which is found with the other one
            found.append(begin)
    plain = [begin for begin in found if begin.isascii()]
    plain += [f"e-{begin[1:]}" for begin in plain if begin[:1] == "e" and begin[1:]]
    spelt = [UMLAUT.sub("e?", re.escape(begin)) if german else re.escape(begin) for begin in found]
    spelt = [f"e-?{begin[1:]}" if begin[0] == "e" else begin for begin in spelt]
    return _Begins(tuple(plain), re.compile("|".join(spelt)))


def _plain(
    text: str, low: str, begins: _Begins, wanted: frozenset[str], language: str
) -> tuple[set[Place], set[tuple[int, int]]]:
    """The wanted words of plain letters, and stretches in which there may be more."""
    known = known_words(language)
    found: set[Place] = set()
    stretches: set[tuple[int, int]] = set()
    for begin in begins.plain:
        start = low.find(begin)
        while start >= 0:
            end = REST.match(low, start + len(begin)).end()  # type: ignore[union-attr]
            if start and low[start - 1] in PLAIN:
                pass  # within another word
            elif _alone(low, start, end) and len(here := known[text[start:end]]) == 1:
                if here[0] in wanted:
                    found.add((here[0], start, end))
            else:
                stretches.add(_stretch(text, start, end))
            start = low.find(begin, end)
    return found, stretches


def _alone(low: str, start: int, end: int) -> bool:
    """Is this a whole word, whatever stands before and behind it?"""
    before, after = low[start - 1 : start] if start else "", low[end : end + 1]
    if before not in BEFORE and not (
        (before == "." and low[start:end] != "net")
        or (before == "-" and low[max(0, start - 2) : start] != "e-")
    ):
        return False
    return after in AFTER or (after == "-" and low[start:end] != "e")


def _stretch(text: str, start: int, end: int) -> tuple[int, int]:
    """From the space before a place to the one behind it; what else parts words is inside."""
    here = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    ends = (text.find(" ", end), text.find("\n", end))
    return here, min((one for one in ends if one >= 0), default=len(text))


def _not_plain(text: str, low: str, begins: re.Pattern[str]) -> list[str]:
    """What stands between two spaces, has more than plain letters in it and may be wanted."""
    plain = text.isascii()
    if plain or (low.count("?") - text.count("?")) * DENSE < len(text):
        signs = [one.span() for one in APOSTROPHE.finditer(low)] if "'" in low else []
        signs += [] if plain else [one.span() for one in NOT_PLAIN.finditer(low)]
        if not signs:
            return []
        places = {_stretch(text, a, b) for a, b in signs if _is_within(text[a:b])}
        each = list({chunk for start, end in places for chunk in text[start:end].split()})
    else:
        each = [chunk for chunk in set(text.split()) if not chunk.isascii() or "'" in chunk]
    # One for each, and at once, which is ten times as fast as one after the other.
    folded = clean("\n".join(each)).replace("'", "").split("\n")
    both = zip(each, folded, strict=True) if each else ()
    return [one for one, letters in both if begins.search(letters)]


@lru_cache(maxsize=10_000)
def _is_within(signs: str) -> bool:
    """Is any of these a part of words, or unseen in them? Most quotes and dashes are not."""
    return any(one.isalnum() or one in APOSTROPHES or category(one) in IN_WORDS for one in signs)


def _all(text: str, chunk: str) -> Iterator[tuple[int, int]]:
    """Wherever a chunk stands between two spaces."""
    here = text.find(chunk)
    while here >= 0:
        end = here + len(chunk)
        if not text[max(0, here - 1) : here].strip() and not text[end : end + 1].strip():
            yield here, end
        here = text.find(chunk, end)
