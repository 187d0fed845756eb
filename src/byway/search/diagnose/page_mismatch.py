"""What of a question does one page not have? Words, and what it must be like."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

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
from byway.core.ports import SearchIndex
from byway.core.text import analyze_word_by_language
from byway.core.url import host_of
from byway.search.diagnose.no_hits import format_date_range, format_day
from byway.search.understand.spelling import SpellingCorrections

OPERATOR_BY_FILTER = {"language": "lang", "type": "filetype"}
"""How filters are typed that are called otherwise here."""
FIELD_DESCRIPTIONS = {"anywhere": "", "title": " in its title", "url": " in its URL"}
PartTest = Callable[[Clause], bool]


@dataclass(frozen=True, slots=True)
class PageMismatch:
    """What keeps a page from a better place, or from any, and what was read as something else."""

    missing_parts: tuple[TermClause | Filter | Not, ...] = ()
    spelling_matches: tuple[tuple[str, str], ...] = field(default=())
    """Words as they were typed, and as the page has them."""

    def sentences(self, page: Document | None) -> list[str]:
        """The same for people; `page` is the one that is meant."""
        days = [one for one in self.missing_parts if isinstance(one, Filter) and one.name == "day"]
        told = [_of_days(days, page)] if days else []
        told += [_said(one, page) for one in self.missing_parts if one not in days]
        told += [f"{typed} is read as {meant}" for typed, meant in self.spelling_matches]
        return list(dict.fromkeys(told))


def find_mismatch(
    query: ParsedQuery, corrections: SpellingCorrections, index: SearchIndex, id: UrlId
) -> PageMismatch:
    """What the page with this number lacks; `corrections` are the likelier spellings of words."""
    itself = Filter("id", str(id))

    def has(part: Clause) -> bool:
        return bool(len(index.top_ids(ParsedQuery((itself, part)), 1)))

    parts = tuple(one for part in query.clauses for one in _lacked(part, has))
    meant = (_meant(word, corrections.get(word.text, ()), index, has) for word in query.words)
    read = ((word.text, one) for word, one in zip(query.words, meant, strict=True) if one)
    return PageMismatch(parts, tuple(read))


def _lacked(part: Clause, has: PartTest) -> Iterator[TermClause | Filter | Not]:
    if has(part):
        return
    if isinstance(part, AnyOf | AllOf):
        for one in part.clauses:
            yield from _lacked(one, has)
    else:
        yield part


def _meant(word: TermClause, likely: Sequence[str], index: SearchIndex, has: PartTest) -> str:
    """The spelling in which a page has a word that it has not as it was typed."""

    def spelt(text: str) -> bool:
        return has(
            word.with_analyses(
                tuple(map(TermAnalysis, analyze_word_by_language(text, index.languages())))
            )
        )

    if not likely or word.prefix or spelt(word.text):
        return ""
    return next((one for one in likely if not one.endswith("*") and spelt(one)), "")


def _said(part: TermClause | Filter | Not, page: Document | None) -> str:
    if isinstance(part, Not):
        return f"{_typed(part)} leaves it out"
    if isinstance(part, TermClause):
        return f"it has no {_typed(part)}{FIELD_DESCRIPTIONS[part.field]}"
    return f"{_typed(part)} leaves it out{_instead(part.name, page)}"


def _instead(name: str, page: Document | None) -> str:
    """What a page is that it should not be."""
    if page is None:
        return ""
    if name == "language":
        return f": it is in {page.language}" if page.language else ": its language is not known"
    is_so = {"type": f"of type {page.document_type}", "site": f"of {host_of(page.url)}"}.get(name)
    return f": it is {is_so}" if is_so else ""


def _of_days(days: Sequence[Filter], page: Document | None) -> str:
    day = page.epoch_day if page else 0
    its = f"it is of {format_day(day)}" if day else "it has no date"
    return f"the time {format_date_range(days)} leaves it out: {its}"


def _typed(part: Clause) -> str:
    """About what was typed for this."""
    if isinstance(part, TermClause):
        return f'"{part.text}"' if part.exact else part.text
    if isinstance(part, Filter):
        between = "" if part.value else f"{part.minimum:g}..{part.maximum:g}".replace("inf", "")
        operator = OPERATOR_BY_FILTER.get(part.name, part.name)
        return f"{operator}:{part.value or between.replace('-', '')}"
    if isinstance(part, Not):
        return f"-{_typed(part.clause)}"
    return f"({(' OR ' if isinstance(part, AnyOf) else ' ').join(map(_typed, part.clauses))})"
