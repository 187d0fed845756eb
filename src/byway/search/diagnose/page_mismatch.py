"""Page mismatch: the words and filters of a query that a page does not match."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from byway.core.messages import Diagnosis
from byway.core.model import Document, UrlId
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
from byway.core.operators import operator_of
from byway.core.ports import PageLinks, SearchIndex
from byway.core.text import analyze_word
from byway.search.diagnose.no_hits import format_date_range, format_day
from byway.search.understand.spelling import SpellingCorrections

ClauseTest = Callable[[Clause], bool]


@dataclass(frozen=True, slots=True)
class PageMismatch:
    """The clauses a page does not match, and the words it spells differently."""

    missing_clauses: tuple[TermClause | Filter | Not, ...] = ()
    spelling_matches: tuple[tuple[str, str], ...] = ()
    """Words as typed, and as spelled on the page."""

    def diagnoses(self, page: Document | None) -> tuple[Diagnosis, ...]:
        """The mismatch as messages; `page` is the page that does not match."""
        days = [
            one for one in self.missing_clauses if isinstance(one, Filter) and one.name == "day"
        ]
        messages = [_date_mismatch(days, page)] if days else []
        messages += [_mismatch(one, page) for one in self.missing_clauses if one not in days]
        messages += [
            Diagnosis("read_as", typed=typed, correction=correction)
            for typed, correction in self.spelling_matches
        ]
        return tuple(dict.fromkeys(messages))


def find_mismatch(
    query: ParsedQuery, corrections: SpellingCorrections, index: SearchIndex, id: UrlId
) -> PageMismatch:
    """The mismatch of the page with this id; `corrections` are the query's spelling corrections."""
    page_filter = Filter("id", str(id))

    def matches(clause: Clause) -> bool:
        return bool(index.matches(ParsedQuery((page_filter, clause)), 1).total)

    missing = tuple(one for part in query.clauses for one in _missing_clauses(part, matches))
    spellings = (
        (word.text, _matching_spelling(word, corrections.get(word.text, ()), index, matches))
        for word in query.words
    )
    return PageMismatch(missing, tuple(one for one in spellings if one[1]))


def _missing_clauses(clause: Clause, matches: ClauseTest) -> Iterator[TermClause | Filter | Not]:
    if matches(clause):
        return
    if isinstance(clause, AnyOf | AllOf):
        for one in clause.clauses:
            yield from _missing_clauses(one, matches)
    else:
        yield clause


def _matching_spelling(
    word: TermClause, corrections: Sequence[str], index: SearchIndex, matches: ClauseTest
) -> str:
    """The correction that the page contains; empty if it contains the word as typed."""

    def has_spelling(text: str) -> bool:
        analyses = analyze_word(text, [*index.statistics().languages])
        return matches(word.with_analyses(tuple(map(TermAnalysis, analyses))))

    if not corrections or word.prefix or has_spelling(word.text):
        return ""
    return next((one for one in corrections if not one.endswith("*") and has_spelling(one)), "")


def _mismatch(clause: TermClause | Filter | Not, page: Document | None) -> Diagnosis:
    typed = _as_typed(clause)
    if isinstance(clause, TermClause):
        field = "" if clause.field == "anywhere" else f"_in_{clause.field}"
        return Diagnosis(f"lacks_word{field}", word=typed)
    operator = operator_of(clause.name) if isinstance(clause, Filter) else None
    if page is None or operator is None or operator.column is None or not operator.single_valued:
        return Diagnosis("excluded_by_clause", clause=typed)
    values = operator.column.values(page, PageLinks())
    if not values:
        return Diagnosis(f"excluded_by_unknown_{operator.filter}", clause=typed)
    return Diagnosis(f"excluded_by_{operator.filter}", clause=typed, value=values[0])


def _date_mismatch(days: Sequence[Filter], page: Document | None) -> Diagnosis:
    period = format_date_range(days)
    if page is not None and page.epoch_day:
        return Diagnosis("excluded_by_date", period=period, date=format_day(page.epoch_day))
    return Diagnosis("excluded_without_date", period=period)


def _as_typed(clause: Clause) -> str:
    """The clause in query syntax."""
    if isinstance(clause, TermClause):
        return f'"{clause.text}"' if clause.exact else clause.text
    if isinstance(clause, Filter):
        ends = f"{clause.minimum:g}..{clause.maximum:g}".replace("inf", "").replace("-", "")
        operator = operator_of(clause.name)
        return f"{operator.name if operator else clause.name}:{clause.value or ends}"
    if isinstance(clause, Not):
        return f"-{_as_typed(clause.clause)}"
    separator = " OR " if isinstance(clause, AnyOf) else " "
    return f"({separator.join(map(_as_typed, clause.clauses))})"
