"""Product queries built from chips, from strict to relaxed.

At first a page must match all chips and words. If none does, other words become optional, and pages
that lack an attribute (heel, size, colour) also match. If there is still no match, any one chip is
enough. A page with another size, price or colour never matches.
"""

from collections.abc import Iterable, Iterator, Sequence

from byway.core.model import Chip
from byway.core.model.query import AnyOf, Clause, Filter, ParsedQuery, TermAnalysis, TermClause
from byway.core.text import terms, tokenize
from byway.core.verticals import chip_filter

IS_PRODUCT_FILTER = Filter("is", "product")
STRICT_ATTRIBUTES = ("colour",)
"""Attributes that are never relaxed, besides numeric ones."""
REQUIRED_ATTRIBUTE = "kind"
"""The attribute that a page must match even in relaxed queries: boots must be boots."""


def product_queries(
    chips: Sequence[Chip], remaining_query: ParsedQuery, languages: Sequence[str]
) -> Iterator[ParsedQuery]:
    """The queries to try in turn: all chips and words, relaxed ones, then any one chip.

    Without chips there is only the first.
    """
    strict = _all_clauses(chips, languages, relaxed=False)
    yield ParsedQuery((*map(_or_brand, remaining_query.clauses), *strict, IS_PRODUCT_FILTER))
    if not chips:
        return
    others = tuple(map(_optional, remaining_query.clauses))
    relaxed = _all_clauses(chips, languages, relaxed=True)
    yield ParsedQuery((*others, *relaxed, IS_PRODUCT_FILTER))
    loose_chips = [chip for chip in chips if not is_strict(chip)]
    if len(loose_chips) > 1:
        required = _all_clauses(filter(is_strict, chips), languages, relaxed=True)
        any_chip = AnyOf(tuple(chip_filter(chip) for chip in loose_chips))
        words = [_optional(_term_clause(chip, languages)) for chip in loose_chips]
        yield ParsedQuery((*others, *required, any_chip, *words, IS_PRODUCT_FILTER))


def is_strict(chip: Chip) -> bool:
    """Whether the chip rules out pages with another value."""
    return chip.is_numeric or chip.attribute in STRICT_ATTRIBUTES


def _all_clauses(chips: Iterable[Chip], languages: Sequence[str], relaxed: bool) -> list[Clause]:
    return [clause for chip in chips for clause in _clauses(chip, languages, relaxed)]


def _clauses(chip: Chip, languages: Sequence[str], relaxed: bool) -> list[Clause]:
    """The clauses of a chip; if `relaxed`, they also match pages that lack its attribute."""
    value_filter, words = chip_filter(chip), _term_clause(chip, languages)
    lacks_filter = Filter("lacks", chip.attribute.partition("_")[0])
    if chip.allow_title_match:
        in_title = TermClause(words.text, words.analyses, "title")
        alternatives: tuple[Clause, ...] = (value_filter, in_title)
        if relaxed and chip.attribute != REQUIRED_ATTRIBUTE:
            alternatives = (*alternatives, lacks_filter)
        return [AnyOf(alternatives), _optional(words)]
    clauses: list[Clause] = [AnyOf((value_filter, lacks_filter)) if relaxed else value_filter]
    if chip.unit and not (relaxed and chip.unit_assumed):
        clauses.append(Filter("currency", chip.unit.lower()))
    return clauses if chip.is_numeric else [*clauses, _optional(words)]


def _optional(clause: Clause) -> Clause:
    """Make a clause optional: it only raises the score of pages that match it."""
    return AnyOf((clause, IS_PRODUCT_FILTER)) if isinstance(clause, TermClause) else clause


def _or_brand(clause: Clause) -> Clause:
    """A clause that matches the given clause or a brand with that name."""
    if not isinstance(clause, TermClause) or not clause.is_optional:
        return clause
    return AnyOf((clause, Filter("brand", " ".join(tokenize(clause.text)))))


def _term_clause(chip: Chip, languages: Sequence[str]) -> TermClause:
    """The typed words of a chip as a phrase, analyzed in each language."""
    analyses = [terms(chip.typed_text, language) for language in languages or ("",)]
    distinct = dict.fromkeys(map(tuple, analyses))
    return TermClause(chip.typed_text, tuple(TermAnalysis(each) for each in distinct if each))
