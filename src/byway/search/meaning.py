"""What does a query mean, over this collection? Words, filters, goods, and likelier spellings."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from byway.model import Chip, Query, Url, UrlId
from byway.ports import DocumentStore, SearchIndex
from byway.products.understand import Understood, understand
from byway.products.vocabulary import Vocabulary
from byway.question import Filter, Question
from byway.search.goods import questions_of
from byway.search.loosened import loosened
from byway.search.personal import blocked_of, only, without
from byway.search.query import Collected, parse
from byway.search.related import page_at, resolved
from byway.search.spelling import widened

MOST_LANGUAGES = 8
"""Languages in which a word is read: each that differs costs another look-up."""

NumberOf = Callable[[Url], UrlId | None]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query means."""

    questions: tuple[Question, ...]
    """The first that has an answer counts; each asks less than the last."""
    likely: dict[str, str]
    """Likelier spellings of its words."""
    chips: tuple[Chip, ...] = ()


class Meaning:
    """Reads queries as those who know one index."""

    def __init__(
        self,
        index: SearchIndex,
        documents: DocumentStore,
        number_of: NumberOf,
        vocabulary: Callable[[], Vocabulary],
        slips: bool,
    ) -> None:
        """`vocabulary`: asked late, as who looks for no goods need not wait for its files."""
        self._index = index
        self._documents = documents
        self._number_of = number_of
        self._vocabulary = vocabulary
        self._slips = slips

    def of(self, query: Query) -> Asked:
        """What is asked for, and what else could be."""
        languages = self._index.languages()[:MOST_LANGUAGES]
        collected = Collected(languages, self._index.attributes())
        told = Understood((), query.text)
        if query.products:
            told = understand(query.text, self._vocabulary())
        question = parse(told.rest, query.filters, collected)
        question = resolved(question, self._index, self._documents, self._number_of)
        likely: dict[str, str] = {}
        if self._slips:
            question, likely = widened(question, self._index, languages)
        each = list(loosened(question))
        if (page := page_at(query.text, self._number_of)) and self._documents.get(page):
            only_it = parse("", query.filters, collected).parts
            each.insert(0, Question((Filter("id", str(page)), *only_it)))
        if query.products:
            each = list(questions_of(told.chips, question, languages))
        if blocked := blocked_of(query.boosts):
            each = [without(one, blocked) for one in each]
        return Asked(tuple(each), likely, told.chips)

    def of_blocked(self, query: Query) -> Question | None:
        """The same question about the sites alone that are worth nothing to who asks."""
        blocked = blocked_of(query.boosts)
        return only(self.of(replace(query, boosts={})).questions[0], blocked) if blocked else None
