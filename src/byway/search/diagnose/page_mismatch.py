"""What of a question does one page not have? Words, and what it must be like."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from byway.core.model import Document, UrlId
from byway.core.model.query import AllOf, AnyOf, Filter, Not, Part, Question, Reading, Word
from byway.core.ports import SearchIndex
from byway.core.text import spoken
from byway.core.url import host_of
from byway.search.diagnose.no_hits import day_called, time_of
from byway.search.understand.spelling import Likely

OPERATORS = {"language": "lang", "type": "filetype"}
"""How filters are typed that are called otherwise here."""
WHERE = {"anywhere": "", "title": " in its title", "url": " in its URL"}
Has = Callable[[Part], bool]


@dataclass(frozen=True, slots=True)
class Lacking:
    """What keeps a page from a better place, or from any, and what was read as something else."""

    parts: tuple[Word | Filter | Not, ...] = ()
    read: tuple[tuple[str, str], ...] = field(default=())
    """Words as they were typed, and as the page has them."""

    def sentences(self, page: Document | None) -> list[str]:
        """The same for people; `page` is the one that is meant."""
        days = [one for one in self.parts if isinstance(one, Filter) and one.name == "day"]
        told = [_of_days(days, page)] if days else []
        told += [_said(one, page) for one in self.parts if one not in days]
        told += [f"{typed} is read as {meant}" for typed, meant in self.read]
        return list(dict.fromkeys(told))


def lacking(question: Question, likely: Likely, index: SearchIndex, id: UrlId) -> Lacking:
    """What the page with this number lacks; `likely` are the likelier spellings of words."""
    itself = Filter("id", str(id))

    def has(part: Part) -> bool:
        return bool(len(index.numbers(Question((itself, part)), 1)))

    parts = tuple(one for part in question.parts for one in _lacked(part, has))
    meant = (_meant(word, likely.get(word.text, ()), index, has) for word in question.words)
    read = ((word.text, one) for word, one in zip(question.words, meant, strict=True) if one)
    return Lacking(parts, tuple(read))


def _lacked(part: Part, has: Has) -> Iterator[Word | Filter | Not]:
    if has(part):
        return
    if isinstance(part, AnyOf | AllOf):
        for one in part.parts:
            yield from _lacked(one, has)
    else:
        yield part


def _meant(word: Word, likely: Sequence[str], index: SearchIndex, has: Has) -> str:
    """The spelling in which a page has a word that it has not as it was typed."""

    def spelt(text: str) -> bool:
        return has(word.read_as(tuple(map(Reading, spoken(text, index.languages())))))

    if not likely or word.prefix or spelt(word.text):
        return ""
    return next((one for one in likely if not one.endswith("*") and spelt(one)), "")


def _said(part: Word | Filter | Not, page: Document | None) -> str:
    if isinstance(part, Not):
        return f"{_typed(part)} leaves it out"
    if isinstance(part, Word):
        return f"it has no {_typed(part)}{WHERE[part.field]}"
    return f"{_typed(part)} leaves it out{_instead(part.name, page)}"


def _instead(name: str, page: Document | None) -> str:
    """What a page is that it should not be."""
    if page is None:
        return ""
    if name == "language":
        return f": it is in {page.language}" if page.language else ": its language is not known"
    is_so = {"type": f"of type {page.kind}", "site": f"of {host_of(page.url)}"}.get(name)
    return f": it is {is_so}" if is_so else ""


def _of_days(days: Sequence[Filter], page: Document | None) -> str:
    day = page.day if page else 0
    its = f"it is of {day_called(day)}" if day else "it has no date"
    return f"the time {time_of(days)} leaves it out: {its}"


def _typed(part: Part) -> str:
    """About what was typed for this."""
    if isinstance(part, Word):
        return f'"{part.text}"' if part.exact else part.text
    if isinstance(part, Filter):
        between = "" if part.value else f"{part.least:g}..{part.most:g}".replace("inf", "")
        return f"{OPERATORS.get(part.name, part.name)}:{part.value or between.replace('-', '')}"
    if isinstance(part, Not):
        return f"-{_typed(part.part)}"
    return f"({(' OR ' if isinstance(part, AnyOf) else ' ').join(map(_typed, part.parts))})"
