"""Where in a text do the wanted terms stand? Found without analysing all of it.

What begins like none of them is not looked at. A word of plain letters that stands by itself is its
own stretch; what is tied to an apostrophe, or has other letters, is analysed with all that stands
around it up to the next spaces.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple
from unicodedata import category

from byway.core.languages import stemmers
from byway.core.text import APOSTROPHES, fold_text, term_spans, terms_by_word

SNIPPET_SCAN_CHARS = 20_000
"""Characters of a text that are looked at, as most answers stand there ..."""
SNIPPET_DEEP_SCAN_CHARS = 200_000
"""... and so many where the words do not stand together there: a thousand letters take some
microseconds."""
MAX_WORD_CHARS = 100
"""Letters that are read twice, so that no word is torn."""
MAX_MATCHES = 1000
"""Who has seen a word so often need not look for it any further."""

STABLE_PREFIX_CHARS = 3
"""Letters at the beginning of a term that no stemmer changes; of as short a one, one less: `using`
is `use`."""
PREFIX_STRIPPING_LANGUAGES = frozenset(
    code for code, stemmer in stemmers().items() if stemmer.strips_prefixes
)
"""Languages in Latin script whose stemmers remove letters from the beginning of words, too."""
STEM_CHANGING_LANGUAGES = frozenset(
    code for code, stemmer in stemmers().items() if stemmer.changes_first_letters
)
"""Languages whose stemmers change the first letters: the whole text is analyzed."""
UMLAUT_PATTERN = re.compile("(?<=[aou])")
"""Where German may have an e that its stemmer takes for one."""

DENSE_NON_ASCII_CHARS = 50
"""Letters of which one is not plain, from which on each word is looked at only once."""

PUNCTUATION_REPLACEMENTS = (("’", "'"), *((sign, '"') for sign in "“”‘—–…«»→¶©•\u00a0"))
"""Signs that most texts have which are not plain, and plain ones that part words as they do."""
IN_WORD_PUNCTUATION = f"{APOSTROPHES}·\u2010\u2011"
"""Signs within words: the two hyphens stand in e-mail as the plain one does."""
IN_WORD_CATEGORIES = frozenset({"Mn", "Mc", "Me", "Cf"})
ASCII_ALPHANUMERICS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
WORD_REST_PATTERN = re.compile(r"[a-z0-9]*")
NON_ASCII_PATTERN = re.compile(r"\?\?*")
APOSTROPHE_PATTERN = re.compile(r"'(?<=[a-z0-9]')(?=[a-z0-9])(?!(?:[stdm]|ll|re|ve)(?![a-z0-9']))")
"""One that may stand within the first letters of a word: o'clock, but neither it's nor don't."""
SEPARATORS = frozenset({"", *(sign for sign in map(chr, range(128)) if not sign.isalnum())})
SEPARATORS_BEFORE = SEPARATORS - {"'", "-", ".", "?"}
SEPARATORS_AFTER = SEPARATORS - {"'", "-", "+", "#", "?"}
"""Signs that never make one word of what stands on both sides of them; ? may be any letter."""

TermMatch = tuple[str, int, int]
"""A term, and where it begins and ends."""
TermMatches = list[TermMatch]
MATCH_SORT_KEY = itemgetter(1, 2, 0)


def scanned_text(text: str, max_chars: int = SNIPPET_SCAN_CHARS) -> str:
    """As much of a text as is looked at."""
    return text[:max_chars].strip()


def find_terms_beyond(
    text: str, wanted_terms: frozenset[str], language: str
) -> Iterator[TermMatches]:
    """Where the wanted terms stand behind the part that is always looked at, bit by bit."""
    start, seen = SNIPPET_SCAN_CHARS, 0
    while start < len(text) and seen < MAX_MATCHES:
        start = text.rfind(" ", start - MAX_WORD_CHARS, start) + 1 or start
        end = start + SNIPPET_SCAN_CHARS
        found = find_terms(text[start:end], wanted_terms, language)
        seen += len(found)
        yield [(term, start + here, start + stop) for term, here, stop in found]
        start = end


def find_terms(text: str, wanted_terms: frozenset[str], language: str) -> TermMatches:
    """Where the wanted terms stand, in order. To analyse the whole text takes ten times as long."""
    if not wanted_terms:
        return []
    if language in STEM_CHANGING_LANGUAGES:
        return sorted(
            {one for one in term_spans(text, language) if one[0] in wanted_terms},
            key=MATCH_SORT_KEY,
        )
    low = _low(text)
    found: TermMatches = []
    begun: Callable[[str], object] = _begins(wanted_terms).any_in
    if language in PREFIX_STRIPPING_LANGUAGES:
        pattern = _pattern(wanted_terms, language == "de")
        begun = pattern.search
        stretches = {_stretch(text, *one.span()) for one in pattern.finditer(low)}
    else:
        found, stretches = _plain(text, low, wanted_terms, language)
    inside: dict[str, TermMatches] = {}
    for chunk in _not_plain(text, low, begun):
        inside[chunk] = _wanted(chunk, wanted_terms, language)
        if inside[chunk]:
            stretches.update(_all(text, chunk))
    for here, end in stretches:
        chunk = text[here:end]
        if chunk not in inside:
            inside[chunk] = _wanted(chunk, wanted_terms, language)
        found += [(term, here + start, here + stop) for term, start, stop in inside[chunk]]
    return sorted(set(found) if stretches else found, key=MATCH_SORT_KEY)


def _low(text: str) -> str:
    """A text in small letters, each where it was, with ? for all that is not plain."""
    if not text.isascii():
        for sign, plain in PUNCTUATION_REPLACEMENTS:
            text = text.replace(sign, plain)
    return text.encode("ascii", "replace").lower().decode("ascii")


def _wanted(chunk: str, wanted: frozenset[str], language: str) -> TermMatches:
    return [one for one in term_spans(chunk, language) if one[0] in wanted]


class _TermPrefixes(NamedTuple):
    """How the wanted terms begin."""

    prefixes: tuple[str, ...]
    """What begins with e may be written e-, too."""
    ascii_prefixes: tuple[str, ...]
    """Those of plain letters."""

    def any_in(self, letters: str) -> bool:
        """Is any of them anywhere in these letters?"""
        return any(map(letters.__contains__, self.prefixes))


@lru_cache(maxsize=64)
def _begins(wanted: frozenset[str]) -> _TermPrefixes:
    each = {
        term[: max(min(STABLE_PREFIX_CHARS, len(term) - 1), len(term) - 2, 1)] for term in wanted
    }
    each |= {
        f"{term[0]}y" for term in wanted if len(term) == STABLE_PREFIX_CHARS and term[1:] == "ie"
    }  # dying
    found: list[str] = []
    for begin in sorted(each):
        if not found or not begin.startswith(found[-1]):  # which is found with the other one
            found.append(begin)
    found += [f"e-{begin[1:]}" for begin in found if begin[0] == "e" and begin[1:]]
    return _TermPrefixes(tuple(found), tuple(begin for begin in found if begin.isascii()))


@lru_cache(maxsize=64)
def _pattern(wanted: frozenset[str], german: bool) -> re.Pattern[str]:
    """The beginnings wherever they stand, for who must look within words."""
    each = map(re.escape, _begins(wanted).prefixes)
    return re.compile(
        "|".join(UMLAUT_PATTERN.sub("e?", begin) if german else begin for begin in each)
    )


def _plain(
    text: str, low: str, wanted: frozenset[str], language: str
) -> tuple[TermMatches, set[tuple[int, int]]]:
    """The wanted words of plain letters, and stretches in which there may be more."""
    known = terms_by_word(language)
    found: TermMatches = []
    stretches: set[tuple[int, int]] = set()
    for begin in _begins(wanted).ascii_prefixes:
        length = len(begin)
        start = low.find(begin)
        while start >= 0:
            end = start + length
            before = low[start - 1 : start]
            if before not in ASCII_ALPHANUMERICS:  # else it is within another word
                end = WORD_REST_PATTERN.match(low, end).end()  # type: ignore[union-attr]
                after = low[end : end + 1]
                alone = (before in SEPARATORS_BEFORE and after in SEPARATORS_AFTER) or _alone(
                    low, start, end
                )
                if alone and len(here := known[text[start:end]]) == 1:
                    if here[0] in wanted:
                        found.append((here[0], start, end))
                else:
                    stretches.add(_stretch(text, start, end))
            start = low.find(begin, end)
    return found, stretches


def _alone(low: str, start: int, end: int) -> bool:
    """Is this a whole word, though a sign stands beside it that may be part of one?"""
    before, after = low[start - 1 : start], low[end : end + 1]
    if before not in SEPARATORS_BEFORE and not (
        (before == "." and low[start:end] != "net")
        or (before == "-" and low[max(0, start - 2) : start] != "e-")
    ):
        return False
    return after in SEPARATORS_AFTER or (after == "-" and low[start:end] != "e")


def _stretch(text: str, start: int, end: int) -> tuple[int, int]:
    """From the space before a place to the one behind it; what else parts words is inside."""
    here = text.rfind(" ", 0, start) + 1
    stop = text.find(" ", end)
    stop = stop if stop >= 0 else len(text)
    # The end of a line is looked for between the spaces alone: many a text has but few.
    line = text.find("\n", end, stop)
    return max(here, text.rfind("\n", here, start) + 1), line if line >= 0 else stop


def _not_plain(text: str, low: str, begun: Callable[[str], object]) -> list[str]:
    """What stands between two spaces, has more than plain letters in it and may be wanted.

    `begun`: does anything in these letters begin like what is wanted?
    """
    others = 0 if text.isascii() else low.count("?") - text.count("?")
    if others * DENSE_NON_ASCII_CHARS < len(text):
        signs = [one.span() for one in APOSTROPHE_PATTERN.finditer(low)] if "'" in low else []
        signs += [one.span() for one in NON_ASCII_PATTERN.finditer(low)] if others else []
        if not signs:
            return []
        places = {_stretch(text, a, b) for a, b in signs if _is_within(text[a:b])}
        each = list({chunk for start, end in places for chunk in text[start:end].split()})
    else:
        each = [chunk for chunk in set(text.split()) if not chunk.isascii() or "'" in chunk]
    # One for each, and at once, which is ten times as fast as one after the other.
    letters = fold_text("\n".join(each)).replace("'", "").replace("·", "")
    if not begun(letters):  # as a rule
        return []
    return [one for one, own in zip(each, letters.split("\n"), strict=True) if begun(own)]


@lru_cache(maxsize=10_000)
def _is_within(signs: str) -> bool:
    """Is any of these a part of words, or unseen in them? Most quotes and dashes are not."""
    return any(
        one.isalnum() or one in IN_WORD_PUNCTUATION or category(one) in IN_WORD_CATEGORIES
        for one in signs
    )


def _all(text: str, chunk: str) -> Iterator[tuple[int, int]]:
    """Wherever a chunk stands between two spaces."""
    here = text.find(chunk)
    while here >= 0:
        end = here + len(chunk)
        if not text[max(0, here - 1) : here].strip() and not text[end : end + 1].strip():
            yield here, end
        here = text.find(chunk, end)
