"""What was asked? Words, "exact phrases", -without and site:example.org.

Whatever a person types has a meaning; nothing is an error. Limits keep a hostile query cheap.
"""

import re

from byway.errors import UrlError
from byway.model import Phrase, Question, Word
from byway.text import storable, terms
from byway.url import host_of, normalise

LONGEST = 2048
MOST_TERMS = 32

PIECE = re.compile(r'(?P<minus>-?)(?:"(?P<phrase>[^"]*)"?|(?i:site):(?P<site>\S+)|(?P<word>\S+))')
QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"'))


def parse(text: str) -> Question:
    """The question in what was typed."""
    words: list[Word] = []
    phrases: list[Phrase] = []
    without: list[Word | Phrase] = []
    hosts: list[str] = []
    left = MOST_TERMS
    for piece in PIECE.finditer(storable(text[:LONGEST]).translate(QUOTES)):
        if piece["site"] and not piece["minus"]:
            hosts.append(_host(piece["site"]))
            continue
        # -site:example.org leaves out pages that have example.org in their URL or their text.
        clause = _clause(piece["phrase"] or piece["site"] or piece["word"] or "", left)
        if clause is None:
            continue
        left -= len(clause.terms) if isinstance(clause, Phrase) else 1
        if piece["minus"]:
            without.append(clause)
        elif isinstance(clause, Phrase):
            phrases.append(clause)
        else:
            words.append(clause)
    named = dict.fromkeys(filter(None, hosts))
    return Question(tuple(words), tuple(phrases), tuple(without), tuple(named)[:MOST_TERMS])


def _clause(text: str, most: int) -> Word | Phrase | None:
    """One word, or several that belong together: `path_hooks` and "path hooks" are the same."""
    found = terms(text)[: max(0, most)]
    if not found:
        return None
    return Word(text, found[0]) if len(found) == 1 else Phrase(text, tuple(found))


def _host(value: str) -> str:
    """`https://Example.org/path`, `*.example.org` and `example.org` name the same host."""
    value = value.strip('"').partition("://")[2] or value.strip('"')
    try:
        return host_of(normalise(f"http://{value.lstrip('*.')}"))
    except UrlError:
        return value.lower()
