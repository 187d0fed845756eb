"""How is a question put to tantivy? As query objects; its parser sees only numbers of ours."""

import re
from collections.abc import Sequence
from itertools import product
from math import isfinite, prod, ulp

import tantivy
from tantivy import FieldType, Occur, Query

from byway.model import UrlId
from byway.question import AllOf, AnyOf, Filter, Not, Part, Reading, Word, enough
from byway.text import worth_finding

TERMS = {"site": "host", "language": "language", "type": "type"}
NAME = re.compile(r"[a-z0-9_]+")
HAIR = 1e-8
LAST_DAY = 4_000_000
LAST_LETTER = "\U0010ffff"
MOST_WHOLES = 8
"""Ways to choose a reading for each word that are asked for one by one."""
Clauses = list[tuple[Occur, Query]]


class Asking:
    """Makes tantivy's queries for one index."""

    def __init__(
        self, index: tantivy.Index, schema: tantivy.Schema, all_numbers: bool = True
    ) -> None:
        self._index = index
        self._searcher = index.searcher()
        self._schema = schema
        self._all_numbers = all_numbers

    def query(self, parts: tuple[Part, ...], only: UrlId | None = None) -> Query:
        """All these parts together, for all pages or one."""
        clauses = self._clauses(parts)
        if only is not None:
            clauses.append((Occur.Must, _silent(self._term("id", only))))
        return _all(clauses)

    def _clauses(self, parts: tuple[Part, ...]) -> Clauses:
        loose = [part for part in parts if isinstance(part, Word) and part.loose]
        must = [part for part in parts if isinstance(part, Word) and not part.loose]
        clauses: Clauses = []
        for part in parts:
            if isinstance(part, Not):
                clauses.append((Occur.MustNot, self._part(part.part)))
            elif not isinstance(part, Word):
                clauses.append((Occur.Must, self._part(part)))
        words = [word for word in loose if not word.common] or loose
        least = enough(loose)
        if loose and least == len(words):
            must = [*words, *must]
        elif loose:
            clauses.insert(0, (Occur.Must, self._some(words, least)))
        common = [word for word in loose if word not in words]
        clauses[:0] = [(Occur.Should, self._word(word)) for word in common]
        return [*self._together(must), *clauses]

    def _some(self, words: Sequence[Word], least: int) -> Query:
        """As many of these words."""
        if least == 1:
            return _any([query for word in words for query in self._ways(word)])
        each = [(Occur.Should, self._word(word)) for word in words]
        return Query.boolean_query(each, minimum_number_should_match=least)

    def _together(self, words: Sequence[Word]) -> Clauses:
        """All of these words.

        To ask for each whole of readings, and for the best of those, gives the same pages and
        scores as to ask for the best reading of each word, and takes two thirds of the time.
        """
        each = [self._readings(word) for word in words]
        if len(each) > 1 and 1 < prod(map(len, each)) <= MOST_WHOLES:
            wholes = [Query.boolean_query([(Occur.Must, one) for one in w]) for w in product(*each)]
            return [(Occur.Must, _best(wholes))]
        return [(Occur.Must, _best(readings)) for readings in each]

    def _part(self, part: Part) -> Query:
        if isinstance(part, Word):
            return self._word(part)
        if isinstance(part, Filter):
            return _silent(self._filter(part))
        if isinstance(part, AnyOf):
            return _any([query for one in part.parts for query in self._ways(one)])
        if isinstance(part, AllOf):
            return _all(self._clauses(part.parts))
        return Query.boolean_query(
            [(Occur.Must, _silent(Query.all_query())), (Occur.MustNot, self._part(part.part))]
        )

    def _ways(self, part: Part) -> list[Query]:
        """What is enough for a part: a word is there in any of its readings."""
        if isinstance(part, Word) and all(_is_plain(one) for one in part.readings):
            return self._readings(part)
        return [self._part(part)]

    def _word(self, word: Word) -> Query:
        return _best(self._readings(word))

    def _readings(self, word: Word) -> list[Query]:
        """Its readings, those that no page has left out."""
        each = [self._reading(word.field, reading) for reading in word.readings]
        if word.prefix:
            each.append(self._beginning(word.field, word.prefix))
        return [query for query in each if query is not None]

    def _beginning(self, field: str, prefix: str) -> Query:
        """Whatever begins so. As a range, since to make a regex takes longer than to search."""
        if prefix.isalnum():
            return self._index.parse_query(f"{field}:[{prefix} TO {prefix}{LAST_LETTER}]", [field])
        return Query.regex_query(self._schema, field, re.escape(prefix) + ".*")

    def _reading(self, field: str, reading: Reading) -> Query | None:
        terms: list[str | tuple[int, str]] = []
        for term in reading.terms:
            if self._all_numbers or worth_finding(term):
                if not self._searcher.doc_freq(field, term):
                    return None
                terms.append(term)
        if not terms:
            return _silent(Query.all_query())  # a number that the index does not have
        query = (
            self._term(field, str(terms[0]))
            if len(terms) == 1
            else Query.phrase_query(self._schema, field, terms)
        )
        return query if reading.weight == 1 else Query.boost_query(query, reading.weight)

    def _filter(self, part: Filter) -> Query:
        if part.name in TERMS:
            return self._term(TERMS[part.name], part.value)
        if part.name == "link":
            return self._term("target", int(part.value or 0))
        if part.name == "id":
            return self._term("id", int(part.value))
        if part.name == "day":
            least, most = max(1, part.least), min(part.most, LAST_DAY)
            return Query.range_query(self._schema, "day", FieldType.Integer, int(least), int(most))
        return self._attribute(part)

    def _attribute(self, part: Filter) -> Query:
        said = self._term("attribute", f"{part.name}={part.value}")
        if not (isfinite(part.least) or isfinite(part.most)) or not NAME.fullmatch(part.name):
            return said
        least, most = _beside(part.least, -1), _beside(part.most, 1)
        number = self._index.parse_query(f"numbers.{part.name}:[{least} TO {most}]", ["anywhere"])
        if not part.value:
            return number
        return Query.boolean_query([(Occur.Should, said), (Occur.Should, number)])

    def _term(self, field: str, term: str | int) -> Query:
        return Query.term_query(self._schema, field, term)


def _beside(number: float, way: int) -> str:
    """The end of a range, a hair further out: tantivy panics when only one of two ends is whole."""
    if not isfinite(number):
        return "*"
    text = "0"
    while float(text).is_integer():
        number += way * max(HAIR, ulp(number))
        text = f"{number:.9f}"
    return text


def _all(clauses: Clauses) -> Query:
    """What all of these say; tantivy takes longer for one thing that stands in another."""
    alone = len(clauses) == 1 and clauses[0][0] == Occur.Must
    return clauses[0][1] if alone else Query.boolean_query(clauses)


def _any(queries: Sequence[Query]) -> Query:
    """Any of these, side by side: to ask for the best of some first takes tantivy twice as long."""
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _is_plain(reading: Reading) -> bool:
    """Is it the word itself in one language? A page, which is in one, hardly has two of those."""
    return reading.weight == 1 and len(reading.terms) == 1


def _best(readings: Sequence[Query]) -> Query:
    """The best of several: a page that has two readings of a word has the word once."""
    if not readings:
        return Query.empty_query()
    return readings[0] if len(readings) == 1 else Query.disjunction_max_query(readings)


def _silent(query: Query) -> Query:
    """The same pages, but nothing for their score."""
    return Query.boost_query(query, 0.0)
