"""What was asked? Words, "exact phrases", -without and site:example.org.

Whatever a person types has a meaning; nothing is an error. Limits keep a hostile query cheap.
"""

import re

from byway.model import Phrase, Question, Word
from byway.text import storable, terms

LONGEST = 2048
MOST_TERMS = 32

PIECE = re.compile(
    r'(?P<minus>-?)(?:"(?P<phrase>[^"]*)"?|(?P<name>site):(?P<value>\S+)|(?P<word>\S+))'
)


def parse(text: str) -> Question:
    """The question in what was typed."""
    words: list[Word] = []
    phrases: list[Phrase] = []
    without: list[Word | Phrase] = []
    hosts: list[str] = []
    left = MOST_TERMS
    for piece in PIECE.finditer(storable(text)[:LONGEST].replace("“", '"').replace("”", '"')):
        if piece["name"]:
            hosts.append(_host(piece["value"]))
            continue
        clause = _clause(piece["phrase"] or piece["word"] or "", left)
        if clause is None:
            continue
        left -= len(clause.terms) if isinstance(clause, Phrase) else 1
        if piece["minus"]:
            without.append(clause)
        elif isinstance(clause, Phrase):
            phrases.append(clause)
        else:
            words.append(clause)
    return Question(tuple(words), tuple(phrases), tuple(without), tuple(filter(None, hosts)))


def _clause(text: str, most: int) -> Word | Phrase | None:
    """One word, or several that belong together: `path_hooks` and "path hooks" are the same."""
    found = terms(text)[: max(0, most)]
    if not found:
        return None
    return Word(text, found[0]) if len(found) == 1 else Phrase(text, tuple(found))


def _host(value: str) -> str:
    """`https://Example.org/path` and `example.org` name the same host."""
    return value.lower().partition("://")[2].partition("/")[0] or value.lower().partition("/")[0]
