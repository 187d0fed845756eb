"""Query parser: words, "phrases", OR, AND, -not, parentheses, prefix*, operator:value.

    group   = either { [ "AND" ] either } AND operands must match; other words may be missing
    either  = operand { "OR" operand }    binds more tightly than juxtaposition
    operand = [ "-" | "NOT" ] [ name ":" ] ( "(" group ")" | '"' phrase '"' | word [ "*" ] )

Every text is a valid query. A lone OR, an unclosed parenthesis or an invalid date is read as words
or ignored. Limits keep a hostile query cheap."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from byway.core.model.query import (
    AllOf,
    AnyOf,
    Clause,
    Filter,
    Not,
    ParsedQuery,
    TermAnalysis,
    TermClause,
)
from byway.core.operators import OPERATORS, is_invalid_date, operator_of, parse_filter
from byway.core.text import (
    analyze_exact,
    analyze_word,
    fold_text,
    normalize_phrase,
    stop_words_in,
    storable_text,
    terms,
)

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
    """The tokens without any AND that lacks an operand on either side."""
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


def selected_filters(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Separately selected filters: values of one name are alternatives, ranges must all match."""
    by_name: dict[str, list[Clause]] = {}
    for clause in clauses:
        if isinstance(clause, Filter) and clause.value:
            by_name.setdefault(clause.name, []).append(clause)
        else:
            yield clause
    for same_name in by_name.values():
        yield any_of(same_name)


def merge_single_valued(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """The clauses with `site:a.org site:b.org` merged into an OR."""
    if all(isinstance(clause, TermClause) for clause in clauses):
        return clauses
    by_name: dict[str, list[Clause]] = {}
    others: list[Clause] = []
    for clause in clauses:
        alternatives = clause.clauses if isinstance(clause, AnyOf) else (clause,)
        names = set(map(_filter_name, alternatives))
        name = names.pop() if len(names) == 1 else ""
        operator = operator_of(name)
        if operator and operator.single_valued:
            merged = by_name.setdefault(name, [])
            merged += [one for one in alternatives if one not in merged]
        else:
            others.append(clause)
    return (*others, *map(any_of, by_name.values()))


def any_of(clauses: Sequence[Clause]) -> Clause:
    """An OR of these clauses; the clause itself if there is only one."""
    return clauses[0] if len(clauses) == 1 else AnyOf(tuple(clauses))


def all_of(clauses: Sequence[Clause]) -> Clause:
    """An AND of these clauses; the clause itself if there is only one."""
    return clauses[0] if len(clauses) == 1 else AllOf(tuple(clauses))


def alternatives_of(operand: Sequence[Clause]) -> Sequence[Clause]:
    """The alternatives that an OR operand adds: a nested OR is flattened."""
    clause = all_of(operand)
    return clause.clauses if isinstance(clause, AnyOf) else [clause]


def require(clause: Clause) -> Clause:
    """The clause as an AND operand: a word becomes required."""
    return replace(clause, required=True) if isinstance(clause, TermClause) else clause


def map_words(
    clauses: tuple[Clause, ...],
    change: Callable[[TermClause], Clause],
    include_excluded: bool = False,
) -> tuple[Clause, ...]:
    """The clauses with each word mapped; excluded words only if `include_excluded`."""
    changed: list[Clause] = []
    for clause in clauses:
        if isinstance(clause, TermClause):
            changed.append(change(clause))
        elif isinstance(clause, AnyOf | AllOf):
            inner = map_words(clause.clauses, change, include_excluded)
            changed.append(replace(clause, clauses=inner))
        elif isinstance(clause, Not) and include_excluded:
            changed.append(Not(*map_words((clause.clause,), change, include_excluded)))
        else:
            changed.append(clause)
    return tuple(changed)


def _filter_name(clause: Clause) -> str:
    """The name of a filter; `site:a.org/path` is a site filter."""
    first = clause.clauses[0] if isinstance(clause, AllOf) else clause
    return first.name if isinstance(first, Filter) else ""


MAX_QUERY_TERMS = 400
"""Maximum terms in a query. With 32, nDCG@10 on cisi was .38 instead of .40 for long queries."""
MAX_FILTERS = 32
MAX_NESTING_DEPTH = 8
MIN_PREFIX_CHARS = 3
MIN_NARROWED_PREFIX_CHARS = 2
"""Minimum letters before a `*`; fewer suffice after another word, which narrows the search."""
WWW_PREFIX_PATTERN = re.compile(r"www\.(?=[^.]+\.)", re.IGNORECASE)
"""A prefix that is dropped from words, so that www.example.org also matches example.org."""


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """The collection's languages and attributes, which determine how words are interpreted."""

    languages: tuple[str, ...] = ()
    """The languages in which words are analyzed, and whose stop words count."""
    attributes: Collection[str] = field(default_factory=frozenset)


def parse(
    text: str, filters: Iterable[Filter] = (), collection: CollectionInfo | None = None
) -> ParsedQuery:
    """The query parsed from a text and separately selected filters."""
    collection = collection or CollectionInfo()
    typed = _Parser(text, collection).parse_group(0)
    known = [one for one in filters if operator_of(one.name) or one.name in collection.attributes]
    selected = map(_Parser("", collection).with_path, known[:MAX_FILTERS]) if known else ()
    return ParsedQuery(merge_single_valued((*typed, *selected_filters(selected))))


class _Parser:
    """Recursive-descent parser for one text."""

    def __init__(self, text: str, collection: CollectionInfo) -> None:
        self._tokens = without_dangling_and(tokenize_query(text))
        words = [token["word"] for token in self._tokens if token["word"] and not token["name"]]
        self._stop_words = stop_words_in(words, collection.languages)
        self._collection = collection
        self._position = 0
        self._terms_left, self._filters_left = MAX_QUERY_TERMS, MAX_FILTERS
        # One is enough: `the-co*` takes half a second over 100,000 pages.
        self._has_narrowed_prefix = False
        self._group_name = ""  # the operator before the parenthesis that is being parsed

    def parse_group(self, depth: int) -> tuple[Clause, ...]:
        """The clauses up to the end or the closing parenthesis."""
        clauses: list[Clause] = []
        after_and = False
        while (token := self._peek()) is not None:
            if token["close"]:
                if depth:
                    break
                self._position += 1  # an unmatched parenthesis
                continue
            if token["both"]:
                self._position += 1
                after_and = True
                continue
            parsed = self._either(depth)
            following = self._peek()
            required = after_and or bool(following and following["both"])
            clauses += map(require, parsed) if required else parsed
            after_and = False
        return merge_single_valued(tuple(clauses))

    def _either(self, depth: int) -> list[Clause]:
        """One operand, or several joined by OR."""
        operands = [self._operand(depth)]
        while operands[-1] and self._is_or(0) and self._starts_operand(1):
            self._position += 1
            operands.append(self._operand(depth))
        # "shoes OR -red" would match nearly every page.
        positive = [one for one in operands if any(not isinstance(part, Not) for part in one)]
        if len(positive) < 2:
            return positive[0] if positive else operands[0]
        return [AnyOf(tuple(part for operand in positive for part in alternatives_of(operand)))]

    def _operand(self, depth: int) -> list[Clause]:
        token = self._peek()
        if token is None:
            return []
        self._position += 1
        if token["open"]:
            return self._parenthesis(token, depth)
        value = token["phrase"] or token["word"]
        if value and token["name"] and is_invalid_date(token["name"].lower(), value):
            return []  # `find_query_warnings` reports it
        clause = self._filter(token)
        if clause is not None:
            self._filters_left -= 1
        elif (clause := self._word(token)) is None:
            return []
        if self._filters_left < 0:
            return []
        return [Not(clause) if token["minus"] else clause]

    def _parenthesis(self, token: Token, depth: int) -> list[Clause]:
        if depth >= MAX_NESTING_DEPTH:
            return []  # ignored: its content belongs to the enclosing group
        name = (token["of"] or "").lower()
        outer_name = self._group_name
        self._group_name = name if self._is_name(name) else outer_name
        clauses = self.parse_group(depth + 1)
        self._group_name = outer_name
        if name and not self._is_name(name):
            clauses = (*self._plain_word(name), *clauses)  # note:(this) is two words
        if self._peek() is not None:
            self._position += 1
        if not clauses:
            return []
        if not token["open"].startswith(("-", "NOT")):
            return list(clauses)  # (Time Sharing System) means the same without parentheses
        inside = all_of(clauses)
        return [inside.clause if isinstance(inside, Not) else Not(inside)]

    def _is_name(self, name: str) -> bool:
        return name in OPERATORS or name in self._collection.attributes

    def _plain_word(self, text: str) -> tuple[Clause, ...]:
        analyses = self._analyses(text, False)
        self._terms_left -= len(analyses[0].tokens) if analyses else 0
        return (TermClause(text, analyses),) if analyses else ()

    def _filter(self, token: Token) -> Clause | None:
        name, value = (token["name"] or self._group_name).lower(), token["phrase"] or token["word"]
        if not name or not value:
            return None
        parsed = parse_filter(name, value, self._collection.attributes)
        return None if parsed is None else self.with_path(parsed)

    def with_path(self, filter: Filter) -> Clause:
        """The filter, and the words of its path (`site:a.org/path`) in a field."""
        operator = operator_of(filter.name)
        host, _, path = filter.value.partition("/")
        if operator is None or not operator.path_field or not path:
            return filter
        on_host = replace(filter, value=host)
        analyses = self._analyses(path, False)
        if not analyses:
            return on_host
        self._terms_left -= len(analyses[0].tokens)
        return AllOf((on_host, TermClause(filter.value, analyses, operator.path_field)))

    def _word(self, token: Token) -> TermClause | None:
        """A word or phrase: `path_hooks` and "path hooks" are the same."""
        name, phrase = token["name"] or "", token["phrase"]
        text = token["word"] or phrase or (token[0] if token["either"] else "")
        operator = OPERATORS.get((name or self._group_name).lower())
        field = operator.field if operator else "anywhere"
        if name and field == "anywhere":
            text, phrase = f"{name}:{text}", None
        is_phrase = phrase is not None
        if not is_phrase:
            www = WWW_PREFIX_PATTERN.match(text)
            text = text[www.end() :] if www else text
        if not is_phrase and text.endswith("*"):
            prefix = self._prefix(text, field)
            if prefix:
                return prefix
        analyses = self._analyses(text, is_phrase)
        if not analyses:
            return None
        self._terms_left -= len(analyses[0].tokens)
        is_stop_word = not is_phrase and field == "anywhere" and text in self._stop_words
        return TermClause(text, analyses, field, exact=is_phrase, is_stop_word=is_stop_word)

    def _prefix(self, text: str, field: str) -> TermClause | None:
        prefix = fold_text(text.rstrip("*"))
        if len(terms(prefix)) != 1:
            # sql-create* is the word sql, followed by a word with the prefix create.
            prefix = normalize_phrase(prefix)
        *words_before, last = ["", *prefix.split()]
        is_narrowed = any(words_before)
        min_chars = MIN_NARROWED_PREFIX_CHARS if is_narrowed else MIN_PREFIX_CHARS
        if len(last) < min_chars or len(terms(last)) != 1 or self._terms_left < 1:
            return None
        if is_narrowed and self._has_narrowed_prefix:
            return None
        self._has_narrowed_prefix |= is_narrowed
        self._terms_left -= 1 + len(words_before[1:])
        before = " ".join(filter(None, words_before))
        context = tuple(analyze_word(before, self._collection.languages)) if before else ()
        return TermClause(text, (), field, prefix=prefix, prefix_context=context)

    def _analyses(self, text: str, exact: bool) -> tuple[TermAnalysis, ...]:
        analyze = analyze_exact if exact else analyze_word
        max_tokens = max(0, self._terms_left)
        found = (tokens[:max_tokens] for tokens in analyze(text, self._collection.languages))
        return tuple(map(TermAnalysis, dict.fromkeys(filter(None, found))))

    def _peek(self, ahead: int = 0) -> Token | None:
        position = self._position + ahead
        return self._tokens[position] if position < len(self._tokens) else None

    def _is_or(self, ahead: int) -> bool:
        token = self._peek(ahead)
        return token is not None and bool(token["either"])

    def _starts_operand(self, ahead: int) -> bool:
        token = self._peek(ahead)
        return token is not None and not token["close"] and not token["either"]
