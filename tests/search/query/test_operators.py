"""The table of query operators."""

import re
from pathlib import Path

import pytest

from byway.core.messages import catalogue, languages
from byway.core.model.query import Filter, TermClause
from byway.core.operators import OPERATORS, Operator
from byway.search.query.parser import parse

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"

each_operator = pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))


@each_operator
def test_the_example_of_an_operator_is_parsed_as_its_filter_or_field(operator: Operator) -> None:
    (clause,) = parse(operator.example).clauses
    if operator.filter:
        assert isinstance(clause, Filter) and clause.name == operator.filter
    else:
        assert isinstance(clause, TermClause) and clause.field == operator.field


def diagnosis_keys(operator: Operator) -> set[str]:
    """The keys of the diagnoses whose codes follow from the entry of an operator."""
    codes = set()
    if operator.facet:
        codes |= {f"no_page_{operator.diagnosis}", f"no_match_{operator.diagnosis}"}
    if operator.single_valued:
        codes.add(f"excluded_by_{operator.filter}")
    if operator.filter == "language":
        codes.add("excluded_by_unknown_language")
    if operator.field_parts:
        codes |= {f"not_in_{operator.field}", f"not_in_{operator.field}_elsewhere"}
        codes.add(f"lacks_word_in_{operator.field}")
    return {f"diagnosis.{code}" for code in codes}


@each_operator
def test_an_operator_has_its_texts_in_every_language(operator: Operator) -> None:
    keys = {operator.description_key, *diagnosis_keys(operator)}
    keys |= {f"web.filter.{param.name}" for param in operator.params}
    keys |= {f"web.facet.{operator.facet.name}"} if operator.facet else set()
    for language in languages():
        assert keys <= catalogue(language).keys()


@each_operator
def test_an_operator_is_described_in_the_reference(operator: Operator) -> None:
    assert f"`{operator.example}`" in (REFERENCE / "queries.md").read_text(encoding="utf-8")
    api = (REFERENCE / "api.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \|", api.partition("\n## GET /api/v1/products")[0], re.MULTILINE)
    assert {f"`{param.name}`" for param in operator.params} <= set(", ".join(rows).split(", "))
