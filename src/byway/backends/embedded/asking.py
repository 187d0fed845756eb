"""How is a question put to tantivy? As query objects; its parser sees only numbers of ours."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import isfinite, ulp
from operator import or_

import tantivy
from tantivy import FieldType, Occur, Query

from byway.backends.embedded.marking import marked
from byway.model import UrlId
from byway.question import ANY, AllOf, AnyOf, Filter, Not, Part, Reading, Word, enough, wholes
from byway.text import BITS, OTHERS, bit_of, worth_finding

TERMS = {"site": "host", "language": "language", "type": "type"}
NAME = re.compile(r"[a-z0-9_]+")
HAIR = 1e-8
LAST_DAY = 4_000_000
STEMMED = sum(BITS.values())
SEVERAL = 1000
"""Sets of languages whose names are remembered."""
LAST_LETTER = "\U0010ffff"
Clauses = list[tuple[Occur, Query]]


@dataclass(frozen=True, slots=True)
class Tongues:
    """What is known of the languages of the pages."""

    languages: Sequence[str] = ()
    """Their names, that of most pages first."""
    unmarked: Sequence[str] = ()
    """Those with pages that are not marked."""
    spoken: Callable[[Sequence[str]], int] = lambda terms: ANY
    """Bits for all languages, and maybe more, whose pages have some terms."""


class Asking:
    """Makes tantivy's queries for one index."""

    def __init__(
        self,
        index: tantivy.Index,
        schema: tantivy.Schema,
        tongues: Tongues,
        all_numbers: bool = True,
    ) -> None:
        self._index = index
        self._schema = schema
        self._all_numbers = all_numbers
        self._tongues = tongues
        self._main = bit_of(tongues.languages[0] if tongues.languages else "")
        self._stemmed = [(name, BITS[name]) for name in tongues.languages if name in BITS]
        self._names = lru_cache(SEVERAL)(self._named)
        self._unmarked = reduce(or_, (BITS[name] for name in tongues.unmarked), OTHERS)

    def is_for(self, index: tantivy.Index, languages: Sequence[str]) -> bool:
        """Are its queries for this index, and pages in these languages?"""
        return self._index is index and self._tongues.languages is languages

    def query(self, parts: tuple[Part, ...], only: UrlId | None = None) -> Query:
        """All these parts together, for all pages or one."""
        if len(parts) == 1 and only is None and not isinstance(parts[0], Not):
            return self._part(parts[0])
        clauses = self._clauses(parts)
        if only is not None:
            clauses.append((Occur.Must, _silent(self._term("id", only))))
        return _all(clauses)

    def _clauses(self, parts: tuple[Part, ...]) -> Clauses:
        loose: list[Word] = []
        must: list[Word] = []
        clauses: Clauses = []
        for part in parts:
            if isinstance(part, Word):
                (loose if part.loose else must).append(part)
            elif isinstance(part, Not):
                clauses.append((Occur.MustNot, self._part(part.exactly)))
            else:
                clauses.append((Occur.Must, self._part(part)))
        if loose:
            words = [word for word in loose if not word.common] or loose
            least = enough(loose)
            if least == len(words):
                must = [*words, *must]
            else:
                clauses.insert(0, (Occur.Must, self._some(words, least)))
            common = [word for word in loose if word not in words] if words is not loose else ()
            clauses[:0] = [(Occur.Should, self._word(word)) for word in common]
        return [*self._together(must), *clauses]

    def _some(self, words: Sequence[Word], least: int) -> Query:
        """As many of these words."""
        if least == 1:
            return _any([query for word in words for query in self._ways(word)])
        each = [(Occur.Should, self._word(word)) for word in words]
        return Query.boolean_query(each, minimum_number_should_match=least)

    def _together(self, words: Sequence[Word]) -> Clauses:
        """All of these words, in one language where they can be."""
        if len(words) > 1 and any(len(word.readings) > 1 for word in words):
            whole = [word for word in words if not word.prefix]
            each = [[(one.languages, (word.field, one)) for one in word.readings] for word in whole]
            if ways := wholes(each):
                begun = [(Occur.Must, self._word(word)) for word in words if word.prefix]
                everywhere = self._everywhere(any(word.exact for word in whole))
                return _any_way([self._way(*one, everywhere) for one in ways]) + begun
        return [(Occur.Must, self._word(word)) for word in words]

    def _way(self, bits: int, chosen: Sequence[tuple[str, Reading]], everywhere: int) -> Clauses:
        """All of these, in pages in these languages."""
        must = Occur.Must
        single = [not bits & self._unmarked and _is_single(*one) for one in chosen]
        if not bits & everywhere and any(single) and len(self._names(bits)) == 1:
            both = zip(single, chosen, strict=True)
            return [
                (must, self._marked(one[1], bits)[0] if alone else self._called(*one))
                for alone, one in both
            ]
        each = [(must, self._called(*one)) for one in chosen]
        return each if bits & everywhere else each + self._speaking(bits)

    def _speaking(self, bits: int) -> Clauses:
        """What only pages in these languages have.

        The main language and English are quoted by pages in any other, so whatever is read in them
        may stand anywhere. But `one`, which is `on` in Polish, is not in English pages with an on.
        In a German collection, English readings find `Teslas` where Tesla is (xquad-de: nDCG@10
        .9513, against .9503 without); but not where the word is meant as it is spelt.
        """
        if bits & OTHERS:
            return [(Occur.MustNot, self._term("language", name)) for name in self._names(~bits)]
        these = [self._term("language", name) for name in self._names(bits)]
        return [(Occur.Must, _silent(_any(these)))]

    def _named(self, bits: int) -> list[str]:
        """Those of the pages' languages with a stemmer of their own that have these bits."""
        return [name for name, bit in self._stemmed if bit & bits]

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
            [(Occur.Must, _silent(Query.all_query())), (Occur.MustNot, self._part(part.exactly))]
        )

    def _ways(self, part: Part) -> list[Query]:
        """What is enough for a part: a word is there in any of its readings."""
        if isinstance(part, Word) and _are_plain(part.readings):
            return self._readings(part)
        return [self._part(part)]

    def _word(self, word: Word) -> Query:
        if len(word.readings) == 1 and word.readings[0].languages == ANY and not word.prefix:
            return self._called(word.field, word.readings[0])
        return _best(self._readings(word), _are_plain(word.readings))

    def _readings(self, word: Word) -> list[Query]:
        field, everywhere = word.field, self._everywhere(word.exact)
        each: list[Query] = []
        for one in word.readings:
            languages = one.languages
            if languages & everywhere:
                each.append(self._called(field, one))
            elif languages & self._unmarked or not _is_single(field, one):
                every = [(Occur.Must, self._called(field, one)), *self._speaking(languages)]
                each.append(Query.boolean_query(every))
            else:
                each += self._marked(one, languages)
        if word.prefix:
            each.append(self._beginning(field, word.prefix))
        return each

    def _beginning(self, field: str, prefix: str) -> Query:
        """Whatever begins so. As a range, since to make a regex takes longer than to search."""
        if prefix.isalnum():
            return self._index.parse_query(f"{field}:[{prefix} TO {prefix}{LAST_LETTER}]", [field])
        return Query.regex_query(self._schema, field, re.escape(prefix) + ".*")

    def _everywhere(self, exact: bool) -> int:
        """The bits of languages whose words may stand in any page."""
        return self._main if exact else self._main | OTHERS

    def _marked(self, reading: Reading, languages: int) -> list[Query]:
        """What pages in each of these languages have, or in any if no others have it."""
        schema, term, weight = self._schema, reading.terms[0], reading.weight
        names: Sequence[str] = self._names(languages)
        if len(names) > 1 and not self._tongues.spoken((term,)) & STEMMED & ~languages:
            names = ("",)
        each = [Query.term_query(schema, "by_language", marked(term, name)) for name in names]
        return each if weight == 1 else [Query.boost_query(one, weight) for one in each]

    def _called(self, field: str, reading: Reading) -> Query:
        terms, weight, _ = reading
        if not self._all_numbers:
            terms = tuple(filter(worth_finding, terms))
        if len(terms) == 1:
            query = Query.term_query(self._schema, field, terms[0])
        elif terms:
            query = Query.phrase_query(self._schema, field, [*terms])
        else:
            return _silent(Query.all_query())  # a number that the index does not have
        return query if weight == 1 else Query.boost_query(query, weight)

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


def _any_way(ways: Sequence[Clauses]) -> Clauses:
    """What one of these says, all of it."""
    if len(ways) == 1:
        return ways[0]
    return [(Occur.Must, _best([Query.boolean_query(way) for way in ways]))]


def _any(queries: Sequence[Query]) -> Query:
    """Any of these, side by side: to ask for the best of some first takes tantivy twice as long."""
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _is_single(field: str, reading: Reading) -> bool:
    """Is it something that pages may have once more with a mark?"""
    return field == "anywhere" and len(reading.terms) == 1


def _are_plain(readings: Sequence[Reading]) -> bool:
    """Is each the word itself in one language? A page, which is in one, hardly has two of those."""
    for terms, weight, _ in readings:  # noqa: SIM110, which takes twice as long
        if weight != 1 or len(terms) != 1:
            return False
    return True


def _best(readings: Sequence[Query], plain: bool = False) -> Query:
    """The best of several: a page that has two readings of a word has the word once."""
    if not readings:
        return Query.empty_query()
    if len(readings) == 1:
        return readings[0]
    return _any(readings) if plain else Query.disjunction_max_query(readings)


def _silent(query: Query) -> Query:
    """The same pages, but nothing for their score."""
    return Query.boost_query(query, 0.0)
