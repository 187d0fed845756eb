"""The table of query operators."""

from pathlib import Path

import pytest

from byway.core.messages import catalogue, languages
from byway.core.model.query import Filter, TermClause
from byway.search.query.operators import OPERATORS, Operator
from byway.search.query.parser import parse

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "queries.md"

each_operator = pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))


@each_operator
def test_the_example_of_an_operator_is_parsed_as_its_filter_or_field(operator: Operator) -> None:
    (clause,) = parse(operator.example).clauses
    if operator.filter:
        assert isinstance(clause, Filter) and clause.name == operator.filter
    else:
        assert isinstance(clause, TermClause) and clause.field == operator.field


@each_operator
def test_an_operator_is_described_in_every_language_and_in_the_reference(
    operator: Operator,
) -> None:
    assert all(catalogue(language)[operator.description_key] for language in languages())
    assert f"`{operator.example}`" in REFERENCE.read_text(encoding="utf-8")
