"""What if no page has all the words? Then those that have some of them are better than nothing."""

from collections.abc import Iterator

from byway.core.model.query import AnyOf, ParsedQuery, TermClause, min_should_match


def relaxations(query: ParsedQuery) -> Iterator[ParsedQuery]:
    """The question itself, and one that asks for any of its words, if it asks for several.

    What was put in quotes, what must not be there and all filters still hold.
    """
    yield query
    loose = [part for part in query.clauses if isinstance(part, TermClause) and part.is_optional]
    if min_should_match(loose) > 1:
        some = AnyOf(tuple(word for word in loose if not word.is_stop_word))
        yield ParsedQuery((some, *(part for part in query.clauses if part not in loose)))
