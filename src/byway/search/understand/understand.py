"""What does a query mean, over this collection? Words, filters, goods, and likelier spellings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from byway.core.model import Apart, Chip, Misread, Query
from byway.core.model.query import Filter, Question
from byway.core.ports import DocumentStore, SearchIndex
from byway.products.query.understand import understand
from byway.products.search.product_query import questions_of
from byway.products.vocabulary.lookup import Vocabulary
from byway.search.diagnose.operator_typos import misread
from byway.search.query.parser import Collected, parse
from byway.search.query.related_pages import NumberOf, page_at, resolved
from byway.search.rank.personal import blocked_of, only, without
from byway.search.understand.languages import shared
from byway.search.understand.relax import loosened
from byway.search.understand.spelling import Likely, Widened, begun, widened

MOST_LANGUAGES = 8
"""Languages in which words are read that nobody typed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query means."""

    questions: tuple[Question, ...]
    """The first that has an answer counts; each asks less than the last."""
    typed: Question
    """What was typed, with the URLs that it names."""
    likely: Likely
    """Likelier spellings of its words."""
    chips: tuple[Chip, ...] = ()
    whole: int = 1
    """How many of the questions, from the first on, leave out nothing that was typed."""
    apart: tuple[Apart, ...] = ()
    """Words that no page has, and that are looked for by their parts."""
    misread: tuple[Misread, ...] = ()

    def is_near(self, question: Question) -> bool:
        """Does this question only come near to what was typed?"""
        return question not in self.questions[: self.whole]


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
        every = self._index.languages()
        languages = every[:MOST_LANGUAGES]
        told = understand(query.text, self._vocabulary()) if query.products else None
        text = told.rest if told else query.text
        unread: tuple[Misread, ...] = ()
        if query.filters or ":" in text:
            collected = Collected(every, self._index.attributes())
            typed = parse(text, query.filters, collected)
            question = resolved(typed, self._index, self._documents, self._number_of)
            unread = misread(text, collected.attributes)
        else:
            typed = question = parse(text, (), Collected(every))
        if "*" in text:
            question = begun(question, self._index, languages)
        wide = Widened(question)
        if self._slips:
            wide = widened(question, self._index, languages)
            question = wide.question
        pages: tuple[Question, ...] = ()
        if told:
            each = tuple(questions_of(told.chips, question, languages))
        else:
            pages = tuple(self._named(query))
            whole, *looser = loosened(question)
            each = (*pages, shared(whole, self._index), *looser)
        if blocked := blocked_of(query.boosts):
            each = tuple(without(one, blocked) for one in each)
        chips = told.chips if told else ()
        return Asked(each, typed, wide.likely, chips, len(pages) + 1, wide.apart, unread)

    def _named(self, query: Query) -> Iterator[Question]:
        """The page whose URL was typed, if that is known."""
        page = page_at(query.text, self._number_of)
        if page and self._documents.get(page):
            collected = Collected(self._index.languages(), self._index.attributes())
            chosen = parse("", query.filters, collected).parts
            yield Question((Filter("id", str(page)), *chosen))

    def of_blocked(self, query: Query) -> Question | None:
        """The same question about the sites alone that are worth nothing to who asks."""
        blocked = blocked_of(query.boosts)
        return only(self.of(replace(query, boosts={})).questions[0], blocked) if blocked else None
