"""What was asked? Words, "exact phrases", OR, AND, -not, parentheses, begin*, and name:value.

    both    = either { [ "AND" ] either } beside AND, words must be there; of others, most
    either  = one { "OR" one }            binds more tightly than standing side by side
    one     = [ "-" | "NOT" ] [ name ":" ] ( "(" both ")" | '"' phrase '"' | word [ "*" ] )

Whatever a person types has a meaning; nothing is an error. What cannot be meant as it stands (a
lone OR, a parenthesis that nothing closes, a day that is none) is read as words or as nothing.
Limits keep a hostile query cheap.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from byway.core.model.query import (
    AllOf,
    AnyOf,
    Clause,
    ClauseField,
    Filter,
    Not,
    ParsedQuery,
    TermAnalysis,
    TermClause,
)
from byway.core.text import (
    analyze_exact,
    analyze_word_by_language,
    fold_text,
    normalize_phrase,
    stop_words_in,
    storable_text,
    terms,
)
from byway.search.query.filters import FILTER_PARSERS, is_invalid_date, parse_filter

MAX_QUERY_CHARS = 2048
MAX_QUERY_TERMS = 32
MAX_NESTING_DEPTH = 8
MIN_PREFIX_CHARS = 3
MIN_NARROWED_PREFIX_CHARS = 2
"""Letters before a `*`, and behind a word that narrows it down."""
MAX_STOP_WORD_LANGUAGES = 8
"""Languages whose common words say little: `die` is nobody's question in German alone."""

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
HYPHENATED_WORD_PATTERN = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]{2,})+\W*")
LETTERS_PATTERN = re.compile(r"[^\W\d_]+")
WWW_PREFIX_PATTERN = re.compile(r"www\.(?=[^.]+\.)", re.IGNORECASE)
"""What hosts may do without, so that www.example.org is asked for as example.org."""
MIN_HYPHEN_PART_CHARS = 3
HYPHEN_PART_WEIGHT = 0.5
QUOTE_TRANSLATION = str.maketrans(dict.fromkeys("“”„‟«»‹›「」『』〝〞〟＂", '"'))
QUOTED_PATTERN = re.compile(r'("[^"]*")|[^"]+')
"""A phrase in our quotes, in which others are none: "he said „yes“"; or what stands outside."""
FIELD_OPERATORS: dict[str, ClauseField] = {"intitle": "title", "inurl": "url"}
SINGLE_VALUED_FILTERS = frozenset({"site", "language", "type"})
"""A page has one of these, so that several of them side by side can only mean any of them."""


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """What the collection is like, as far as it decides what words mean."""

    languages: tuple[str, ...] = ()
    attributes: Collection[str] = field(default_factory=frozenset)


def parse(
    text: str, filters: Iterable[str] = (), collection: CollectionInfo | None = None
) -> ParsedQuery:
    """The question in what was typed, and in filters that were chosen beside it."""
    collection = collection or CollectionInfo()
    typed = _Parser(text, collection).parse_group(0)
    chosen = [part for one in filters for part in _Parser(one, collection).parse_filters()]
    return ParsedQuery(_joined((*typed, *_either_of(chosen))))


def strip_quotes(text: str) -> str:
    """The same words, none of them in quotes."""
    return text.translate(QUOTE_TRANSLATION).replace('"', " ")


def tokenize_query(text: str) -> list[re.Match[str]]:
    """What a query is made of, in its order."""
    text = storable_text(text[:MAX_QUERY_CHARS])
    if not text.isascii():
        text = QUOTED_PATTERN.sub(_with_our_quotes, text)
    return list(TOKEN_PATTERN.finditer(text))


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str, collected: CollectionInfo) -> None:
        self._tokens = _between(tokenize_query(text))
        typed = [token["word"] for token in self._tokens if token["word"] and not token["name"]]
        self._common = stop_words_in(typed, collected.languages[:MAX_STOP_WORD_LANGUAGES])
        self._collected = collected
        self._here = 0
        self._left = self._filters_left = MAX_QUERY_TERMS
        # One is enough: `the-co*` takes half a second in 100,000 pages.
        self._has_beginning_behind = False
        self._of = ""  # the name before the parenthesis that is being read

    def parse_filters(self) -> list[Clause]:
        """Only the filters of the text, wherever they stand."""
        found = (self._filter(token) for token in self._tokens[:MAX_QUERY_TERMS])
        return [part for part in found if part is not None]

    def parse_group(self, depth: int) -> tuple[Clause, ...]:
        """What stands side by side, up to the end or to the parenthesis that closes it."""
        parts: list[Clause] = []
        beside = False  # is AND before this?
        while (token := self._peek()) is not None:
            if token["close"]:
                if depth:
                    break
                self._here += 1  # it closes nothing
                continue
            if token["both"]:
                self._here += 1
                beside = True
                continue
            found = self._either(depth)
            following = self._peek()
            beside = beside or bool(following and following["both"])
            parts += map(_needed, found) if beside else found
            beside = False
        return _joined(tuple(parts))

    def _either(self, depth: int) -> list[Clause]:
        """One thing, or several with OR between them."""
        sides = [self._one(depth)]
        while sides[-1] and self._is_either(0) and self._starts_something(1):
            self._here += 1
            sides.append(self._one(depth))
        # "shoes OR -red" would be nearly every page there is, which nobody asks for.
        wanted = [side for side in sides if any(not isinstance(part, Not) for part in side)]
        if len(wanted) < 2:
            return wanted[0] if wanted else sides[0]
        return [AnyOf(tuple(one for side in wanted for one in _alternatives(side)))]

    def _one(self, depth: int) -> list[Clause]:
        token = self._peek()
        if token is None:
            return []
        self._here += 1
        if token["open"]:
            return self._parenthesis(token, depth)
        value = token["phrase"] or token["word"]
        if value and is_invalid_date((token["name"] or "").lower(), value):
            return []  # who typed it is told, and gets the rest
        part = self._filter(token)
        if part is not None:
            self._filters_left -= 1
        elif (part := self._word(token)) is None:
            return []
        if self._filters_left < 0:
            return []
        return [Not(_as_typed(part)) if token["minus"] else part]

    def _parenthesis(self, token: re.Match[str], depth: int) -> list[Clause]:
        if depth >= MAX_NESTING_DEPTH:
            return []  # as if it were not there: what it holds is read in the group around it
        name = (token["of"] or "").lower()
        before, self._of = self._of, name if self._is_name(name) else self._of
        parts = self.parse_group(depth + 1)
        self._of = before
        if name and not self._is_name(name):
            parts = (*self._plain(name), *parts)  # note:(this) is two words
        if self._peek() is not None:
            self._here += 1
        if not parts:
            return []
        if not token["open"].startswith(("-", "NOT")):
            return list(parts)  # (Time Sharing System) asks for no more than without parentheses
        inside = _as_typed(_together(parts))
        return [inside.clause if isinstance(inside, Not) else Not(inside)]

    def _is_name(self, name: str) -> bool:
        return (
            name in FIELD_OPERATORS or name in FILTER_PARSERS or name in self._collected.attributes
        )

    def _plain(self, text: str) -> tuple[Clause, ...]:
        meant = self._readings(text, False, "anywhere")
        self._left -= len(meant[0].tokens) if meant else 0
        return (TermClause(text, meant),) if meant else ()

    def _filter(self, token: re.Match[str]) -> Clause | None:
        name, value = (token["name"] or self._of).lower(), token["phrase"] or token["word"]
        if not name or not value:
            return None
        found = parse_filter(name, value, self._collected.attributes)
        if found is None or found.name != "site":
            return found
        path = (value.partition("://")[2] or value).partition("/")[2].partition("#")[0]
        meant = self._readings(path, False, "url")
        if not meant:
            return found
        self._left -= len(meant[0].tokens)
        return AllOf((found, TermClause(value, meant, "url")))

    def _word(self, token: re.Match[str]) -> TermClause | None:
        """A word, or several that belong together: `path_hooks` and "path hooks" are the same."""
        name, phrase = token["name"] or "", token["phrase"]
        text = token["word"] or phrase or (token[0] if token["either"] else "")
        where = FIELD_OPERATORS.get((name or self._of).lower(), "anywhere")
        if name and where == "anywhere":
            text, phrase = f"{name}:{text}", None
        if phrase is None:
            text = (
                WWW_PREFIX_PATTERN.sub("", text, count=1)
                if WWW_PREFIX_PATTERN.match(text)
                else text
            )
        if phrase is None and text.endswith("*"):
            found = self._prefix(text, where)
            if found:
                return found
        meant = self._readings(text, phrase is not None, where)
        if not meant:
            return None
        self._left -= len(meant[0].tokens)
        common = phrase is None and where == "anywhere" and text in self._common
        return TermClause(text, meant, where, exact=phrase is not None, is_stop_word=common)

    def _prefix(self, text: str, where: ClauseField) -> TermClause | None:
        beginning = fold_text(text.rstrip("*"))
        if len(terms(beginning)) != 1:
            beginning = normalize_phrase(
                beginning
            )  # sql-create* is sql, and behind it what begins so
        *before, last = ["", *beginning.split()]
        behind = any(before)
        shortest = MIN_NARROWED_PREFIX_CHARS if behind else MIN_PREFIX_CHARS
        if len(last) < shortest or len(terms(last)) != 1 or self._left < 1:
            return None
        if behind and self._has_beginning_behind:
            return None
        self._has_beginning_behind |= behind
        self._left -= 1 + len(before[1:])
        return TermClause(text, (), where, prefix=beginning)

    def _readings(self, text: str, exact: bool, where: ClauseField) -> tuple[TermAnalysis, ...]:
        each = (analyze_exact if exact else analyze_word_by_language)(
            text, self._collected.languages
        )
        left = max(0, self._left)
        cut: dict[tuple[str, ...], int] = {}
        for way, languages in each.items():
            cut[way[:left]] = cut.get(way[:left], 0) | languages
        cut.pop((), None)
        if len(cut) == 1:
            found: tuple[TermAnalysis, ...] = (TermAnalysis(next(iter(cut))),)
        else:
            found = tuple([TermAnalysis(way, 1.0, languages) for way, languages in cut.items()])
        whole = exact or where != "anywhere"  # inurl:sql-create is meant as it stands
        return found if whole else (*found, *self._halves(text, found))

    def _halves(self, text: str, known: Sequence[TermAnalysis]) -> Iterator[TermAnalysis]:
        """`low-speed` is also low, or speed, though for less: its pages may say "lower speeds".

        `UN-Sekretär` is UN or Sekretär, but `wi-fi` is neither wi nor fi.
        """
        if HYPHENATED_WORD_PATTERN.fullmatch(text) and known:
            said = {reading.tokens for reading in known}
            for piece in LETTERS_PATTERN.findall(text):
                long = len(piece) >= MIN_HYPHEN_PART_CHARS or piece.isupper()
                each = analyze_word_by_language(piece, self._collected.languages) if long else {}
                for one, languages in each.items():
                    if len(one) == 1 and one not in said:
                        yield TermAnalysis(one, HYPHEN_PART_WEIGHT, languages)

    def _peek(self, ahead: int = 0) -> re.Match[str] | None:
        here = self._here + ahead
        return self._tokens[here] if here < len(self._tokens) else None

    def _is_either(self, ahead: int) -> bool:
        token = self._peek(ahead)
        return token is not None and bool(token["either"])

    def _starts_something(self, ahead: int) -> bool:
        token = self._peek(ahead)
        return token is not None and not token["close"] and not token["either"]


def _with_our_quotes(found: re.Match[str]) -> str:
    return found[1] or found[0].translate(QUOTE_TRANSLATION)


def _either_of(chosen: Iterable[Clause]) -> Iterator[Clause]:
    """Filters that were chosen: of values of one name any will do, but every range must hold."""
    same: dict[str, list[Clause]] = {}
    for part in chosen:
        if isinstance(part, Filter) and part.value:
            same.setdefault(part.name, []).append(part)
        else:
            yield part
    for parts in same.values():
        yield parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _between(tokens: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """The same without each AND that has not something on both of its sides."""
    kept: list[re.Match[str]] = []
    for token in tokens:
        ends = token["both"] or token["either"] or token["close"]
        if ends and kept and kept[-1]["both"]:
            kept.pop()
        if not token["both"] or (kept and not kept[-1]["either"] and not kept[-1]["open"]):
            kept.append(token)
    return kept[:-1] if kept and kept[-1]["both"] else kept


def _name_of(part: Clause) -> str:
    """What a filter is called; `site:a.org/path` is one of a site."""
    first = part.clauses[0] if isinstance(part, AllOf) else part
    return first.name if isinstance(first, Filter) else ""


def _needed(part: Clause) -> Clause:
    return replace(part, required=True) if isinstance(part, TermClause) else part


def _as_typed(part: Clause) -> Clause:
    """What must not be there: `-low-speed` says nothing of pages with a speed."""
    if isinstance(part, TermClause):
        return part.with_analyses(part.typed_analyses)
    if isinstance(part, AnyOf | AllOf):
        return replace(part, clauses=tuple(map(_as_typed, part.clauses)))
    return part


def _together(parts: Sequence[Clause]) -> Clause:
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _alternatives(side: Sequence[Clause]) -> Sequence[Clause]:
    """What one side of an OR adds: an OR of its own is part of the one around it."""
    alone = _together(side)
    return alone.clauses if isinstance(alone, AnyOf) else [alone]


def _joined(parts: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Parts with `site:a.org site:b.org` made one: any of them."""
    if all(isinstance(part, TermClause) for part in parts):
        return parts
    same: dict[str, list[Clause]] = {}
    rest: list[Clause] = []
    for part in parts:
        inside = part.clauses if isinstance(part, AnyOf) else (part,)
        names = set(map(_name_of, inside))
        name = names.pop() if len(names) == 1 else ""
        if name in SINGLE_VALUED_FILTERS:
            known = same.setdefault(name, [])
            known += [one for one in inside if one not in known]
        else:
            rest.append(part)
    alike = (found[0] if len(found) == 1 else AnyOf(tuple(found)) for found in same.values())
    return (*rest, *alike)
