"""Tokens of a query: words, phrases, operators, parentheses, AND, OR and NOT."""

import re
from collections.abc import Sequence

from byway.core.text import storable_text

MAX_QUERY_CHARS = 4096
TOKEN_PATTERN = re.compile(
    r"""
    (?P<open>(?:-|(?!\A)NOT\s+)?(?:(?P<of>[^\W\d][\w.-]{0,39}):)?\() | (?P<close>\))
    | (?P<either>\|+ | OR(?=[\s()]|$)) | (?P<both>AND(?=[\s()]|$))
    | (?P<minus>-(?<![")]-)(?=[^\s)]) | (?!\A)NOT\s+(?=[^\s()|-])(?![A-Z]+(?:[\s()]|$)))?
      (?: (?P<name>[^\W\d][\w.-]{0,39}) : (?=[^\s()]) )?
      (?: "(?P<phrase>[^"]*)"? | (?P<word>[^\s()"]+) )
    """,
    re.VERBOSE,
)
QUOTE_TRANSLATION = str.maketrans(dict.fromkeys("“”„‟«»‹›「」『』〝〞〟＂", '"'))
QUOTED_PATTERN = re.compile(r'("[^"]*")|[^"]+')
"""A phrase in ASCII quotes, in which other quotes are literal ("he said „yes“"), or other text."""

Token = re.Match[str]


def tokenize_query(text: str) -> list[Token]:
    """The tokens of a query in order."""
    text = storable_text(text[:MAX_QUERY_CHARS])
    if not text.isascii():
        text = QUOTED_PATTERN.sub(_with_ascii_quotes, text)
    return list(TOKEN_PATTERN.finditer(text))


def without_dangling_and(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without each AND that lacks an operand on one side."""
    result: list[Token] = []
    for token in tokens:
        ends_operand = token["both"] or token["either"] or token["close"]
        if ends_operand and result and result[-1]["both"]:
            result.pop()
        if not token["both"] or (result and not result[-1]["either"] and not result[-1]["open"]):
            result.append(token)
    return result[:-1] if result and result[-1]["both"] else result


def strip_quotes(text: str) -> str:
    """The query without quotation marks."""
    return text.translate(QUOTE_TRANSLATION).replace('"', " ")


def _with_ascii_quotes(match: Token) -> str:
    return match[1] or match[0].translate(QUOTE_TRANSLATION)
