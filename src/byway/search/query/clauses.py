"""Clause combination: alternatives of one filter, negation, OR groups."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from byway.core.model.query import AllOf, AnyOf, Clause, Filter, Not, TermClause
from byway.search.query.operators import SINGLE_VALUED_FILTERS


def selected_filters(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Separately selected filters: values of one filter are alternatives, ranges must all match."""
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
        if name in SINGLE_VALUED_FILTERS:
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
    """The alternatives that an operand of OR adds: a nested OR is flattened."""
    clause = all_of(operand)
    return clause.clauses if isinstance(clause, AnyOf) else [clause]


def require(clause: Clause) -> Clause:
    """The clause as an operand of AND: a word becomes required."""
    return replace(clause, required=True) if isinstance(clause, TermClause) else clause


def map_words(
    clauses: tuple[Clause, ...],
    change: Callable[[TermClause], Clause],
    include_excluded: bool = False,
) -> tuple[Clause, ...]:
    """The clauses with each word changed; exclusions only if `include_excluded`."""
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
