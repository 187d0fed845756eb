"""How might this go on? Phrases of the collection that begin as somebody has begun to type."""

import re
from collections.abc import Iterable, Iterator

from byway.ports import SearchIndex
from byway.text import clean, storable

LONGEST = 200
"""Characters that are looked at."""

SHORTEST = 4
"""Letters from which a slip in an unfinished word is forgiven."""
MOST_PHRASES = 50
"""Phrases that begin so, of which those are chosen that have the last word whole."""
MOST_WORDS = 6
"""Words tried for an unfinished one."""
QUOTES = re.compile(r'["“”„‟«»‹›「」『』]')


def suggestions(index: SearchIndex, typed: str, most: int) -> list[str]:
    """Up to `most` ways to go on, the likeliest first; nothing where nothing is known."""
    typed = storable(typed[:LONGEST])
    ended = typed[-1:].isspace()
    typed = " ".join(typed.split())
    # Who has typed a space has finished the word before it.
    likely = _finished if ended else _likely
    found: dict[str, str] = {}
    for phrase in likely(index, typed, most) if typed else ():
        found.setdefault(_key(phrase), phrase)
        if len(found) >= most:
            break
    return list(found.values())


def _key(phrase: str) -> str:
    """What is the same for phrases that differ in how they are written."""
    return " ".join(QUOTES.sub(" ", clean(phrase)).split())


def _once(phrases: Iterable[str]) -> list[str]:
    """Each phrase once, without quotes if it is written so somewhere: they ask for less."""
    found: dict[str, str] = {}
    for phrase in phrases:
        known = found.setdefault(_key(phrase), phrase)
        if QUOTES.search(known) and not QUOTES.search(phrase):
            found[_key(phrase)] = phrase
    return list(found.values())


def _finished(index: SearchIndex, typed: str, most: int) -> Iterator[str]:
    begun = f" {clean(typed)} "
    phrases = index.phrases(typed, MOST_PHRASES)
    yield from _once(one for one in phrases if begun in f" {_key(one)} ")[:most]


def _likely(index: SearchIndex, typed: str, most: int) -> Iterator[str]:
    yield from _once(index.phrases(typed, 2 * most))[:most]
    before, _, last = typed.rpartition(" ")
    last = clean(last)
    if not last.isalnum():
        return
    # A word may go on by itself, whatever stands before it.
    words = index.beginning(last, MOST_WORDS) if len(last) > 1 else []
    yield from (f"{before} {word}".strip() for word in words if word != last)
    if words or len(last) < SHORTEST:
        return
    for word in index.beginning_nearly(last, MOST_WORDS):
        begun = f"{before} {word}".strip()
        phrases = index.phrases(begun, most)
        yield from phrases or [begun]
