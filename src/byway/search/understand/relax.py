"""What if no page has all the words? Then those that have some of them are better than nothing."""

from collections.abc import Iterator

from byway.core.model.query import AnyOf, Question, Word, enough


def loosened(question: Question) -> Iterator[Question]:
    """The question itself, and one that asks for any of its words, if it asks for several.

    What was put in quotes, what must not be there and all filters still hold.
    """
    yield question
    loose = [part for part in question.parts if isinstance(part, Word) and part.loose]
    if enough(loose) > 1:
        some = AnyOf(tuple(word for word in loose if not word.common))
        yield Question((some, *(part for part in question.parts if part not in loose)))
