"""How is a question put to tantivy? As query objects; its parser sees only numbers of ours."""

from collections.abc import Sequence

import tantivy
from tantivy import Occur, Query

from byway.core.model import UrlId
from byway.core.model.query import AllOf, AnyOf, Filter, Not, Part, Word, enough
from byway.index.query.boolean import Clauses, all_of, any_of, silent
from byway.index.query.filters import Filtering
from byway.index.query.terms import Tongues, Wording


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
        self._languages = tongues.languages
        self._words = Wording(index, schema, tongues, all_numbers)
        self._filters = Filtering(index, schema)

    def is_for(self, index: tantivy.Index, languages: Sequence[str]) -> bool:
        """Are its queries for this index, and pages in these languages?"""
        return self._index is index and self._languages is languages

    def query(self, parts: tuple[Part, ...], only: UrlId | None = None) -> Query:
        """All these parts together, for all pages or one."""
        if len(parts) == 1 and only is None and not isinstance(parts[0], Not):
            return self._part(parts[0])
        clauses = self._clauses(parts)
        if only is not None:
            clauses.append((Occur.Must, silent(self._filters.term("id", only))))
        return all_of(clauses)

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
            clauses[:0] = [(Occur.Should, self._words.word(word)) for word in common]
        return [*self._words.together(must), *clauses]

    def _some(self, words: Sequence[Word], least: int) -> Query:
        """As many of these words."""
        if least == 1:
            return any_of([query for word in words for query in self._words.ways(word)])
        each = [(Occur.Should, self._words.word(word)) for word in words]
        return Query.boolean_query(each, minimum_number_should_match=least)

    def _part(self, part: Part) -> Query:
        if isinstance(part, Word):
            return self._words.word(part)
        if isinstance(part, Filter):
            return silent(self._filters.query(part))
        if isinstance(part, AnyOf):
            return any_of([query for one in part.parts for query in self._ways(one)])
        if isinstance(part, AllOf):
            return all_of(self._clauses(part.parts))
        return Query.boolean_query(
            [(Occur.Must, silent(Query.all_query())), (Occur.MustNot, self._part(part.exactly))]
        )

    def _ways(self, part: Part) -> list[Query]:
        """What is enough for a part: a word is there in any of its readings."""
        return self._words.ways(part) if isinstance(part, Word) else [self._part(part)]
