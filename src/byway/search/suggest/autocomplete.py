"""How might this go on? Phrases of the collection that begin as somebody has begun to type."""

import re
from collections.abc import Iterable, Iterator, Sequence

from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import SearchIndex
from byway.core.text import (
    analyze_word,
    is_stop_word,
    is_word_char,
    normalize_phrase,
    storable_text,
    surface_forms,
)
from byway.search.understand.spelling_candidates import is_one_edit

MAX_PREFIX_CHARS = 200
"""Characters that are looked at."""

MIN_TYPO_CHARS = 4
"""Letters from which a slip is forgiven."""
MIN_OPEN_TYPO_CHARS = 6
"""Letters from which much may follow behind a slip: `nexus` is no `neustart`."""
MAX_PREFIX_PHRASES = 50
"""Phrases that begin so, of which those are chosen that have the last word whole."""
MAX_COMPLETION_WORDS = 6
"""Words tried for an unfinished one."""
MIN_COMPLETION_PAGES = 20
"""Pages from which on a word alone is worth asking for, before most that begins with it."""
MAX_CORRECTIONS = 3
"""Spellings tried for a finished word that no page has."""
MIN_FREQUENCY_RATIO = 0.01
"""Words that so few pages have, beside the most frequent one that begins alike, are not offered."""
MAX_ADJACENCY_PAGES = 5000
"""Pages with a word, from which on it takes too long to look what stands behind it."""
MAX_LANGUAGES = 2
MAX_PLURAL_SUFFIX_CHARS = 2
"""Letters by which two words may differ that are one thing and several."""
LAST_WORD_PATTERN = re.compile(r"[^\W_]+$")
TRAILING_PLUS_PATTERN = re.compile(r"(?<=[^\W\d_])\+$")


def suggestions(index: SearchIndex, typed: str, limit: int) -> list[str]:
    """Up to `limit` ways to go on, the likeliest first; nothing where nothing is known."""
    typed = storable_text(typed[:MAX_PREFIX_CHARS])
    # Who has typed a space, or a colon, has finished the word before it.
    likely = _finished if typed and not is_word_char(typed[-1]) else _likely
    typed = TRAILING_PLUS_PATTERN.sub(
        "++", " ".join(typed.split())
    )  # `c+` will hardly be anything else
    return (
        _once(likely(index, typed, limit), limit, _spoken(index)) if normalize_phrase(typed) else []
    )


def _finished(index: SearchIndex, typed: str, most: int) -> Iterator[str]:
    begun = f" {normalize_phrase(typed)} "
    yield from (
        one
        for one in index.complete_title(typed, MAX_PREFIX_PHRASES)
        if begun in f" {normalize_phrase(one)} "
    )


def _likely(index: SearchIndex, typed: str, most: int) -> Iterator[str]:
    phrases = index.complete_title(typed, 2 * most)
    yield from phrases[:1]
    last = LAST_WORD_PATTERN.search(typed)
    if last is None:
        yield from phrases
        return
    before, begun = typed[: last.start()], normalize_phrase(last.group())
    words = _words(index, begun, *surface_forms(last.group()))
    if not before and words and _pages(index, words[0]) >= MIN_COMPLETION_PAGES:
        yield words[0]
    yield from phrases
    # A word may go on by itself, beside one that it stands beside somewhere.
    beside = _said(index, before, words)
    yield from beside
    if not (phrases or beside) and len(normalize_phrase(typed)) >= MIN_TYPO_CHARS:
        yield from _slipped(index, typed, before, words)


def _slipped(index: SearchIndex, typed: str, before: str, words: Sequence[str]) -> Iterator[str]:
    """Ways to go on where nothing goes on as it was typed."""
    begun = normalize_phrase(typed[len(before) :])
    phrases = index.fuzzy_complete_title(typed, 2 * MAX_COMPLETION_WORDS)
    if phrases := [one for one in phrases if _is_near(normalize_phrase(typed), one)]:
        yield from phrases
        return
    mended = [*_mended(index, before)] or [before]
    if words:
        beside = (_said(index, one, words) for one in mended if one != before)
        # Whatever stands before it.
        yield from next(filter(None, beside), [f"{mended[0]}{word}" for word in words])
        return
    for word in (
        index.fuzzy_prefix_matches(begun, MAX_COMPLETION_WORDS)
        if len(begun) >= MIN_TYPO_CHARS
        else ()
    ):
        if not _is_near(begun, word):
            continue
        more = f"{mended[0]}{index.surface_form(word)}"
        yield from index.complete_title(more, MAX_COMPLETION_WORDS) or [more]


def _is_near(begun: str, phrase: str) -> bool:
    """Is this long enough to go on with a slip in it, or nearly a whole word of the phrase?"""
    return len(begun) >= MIN_OPEN_TYPO_CHARS or any(
        is_one_edit(begun, word[:place])
        for word in normalize_phrase(phrase).split()
        for place in range(max(len(word) - MAX_PLURAL_SUFFIX_CHARS, len(begun) - 1), len(begun) + 2)
    )


def _mended(index: SearchIndex, before: str) -> Iterator[str]:
    """What was typed before the last word, its own last word spelt as some are here."""
    found = LAST_WORD_PATTERN.search(before.rstrip())
    if found and len(found.group()) >= MIN_TYPO_CHARS and not _pages(index, found.group()):
        for word, _, _ in index.fuzzy_matches(found.group(), 1)[:MAX_CORRECTIONS]:
            spelling = index.surface_form(word)
            yield f"{before[: found.start()]}{spelling}{before[found.end() :]}"


def _words(index: SearchIndex, begun: str, typed: str = "", *_: str) -> list[str]:
    """The words that go on so and are not far rarer than the most frequent of them.

    As pages write them; if they were typed with accents, those that have the same.
    """
    if len(begun) < 2 or is_stop_word(begun):
        return []
    found = [word for word in index.prefix_matches(begun, MAX_COMPLETION_WORDS) if word != begun]
    pages = [_pages(index, word) for word in found]
    least = MIN_FREQUENCY_RATIO * max(pages, default=0)
    kept = [word for word, count in zip(found, pages, strict=True) if count >= least]
    written = [index.surface_form(word) for word in kept]
    same = [word for word in written if word.startswith(typed)] if typed != begun else []
    return same or written


def _said(index: SearchIndex, before: str, words: Sequence[str]) -> list[str]:
    """What was typed before with each of these words that stands behind it on any page."""
    *_, last = ["", *normalize_phrase(before).split()]
    if last and (
        len(last) < MIN_TYPO_CHARS - 1
        or is_stop_word(last)
        or _pages(index, last) > MAX_ADJACENCY_PAGES
    ):
        return []  # it stands before anything
    return [f"{before}{word}" for word in words if not last or _stands(index, last, word)]


def _stands(index: SearchIndex, last: str, word: str) -> bool:
    both = tuple(map(TermAnalysis, analyze_word(f"{last} {word}", _spoken(index))))
    return bool(len(index.top_ids(ParsedQuery((TermClause(word, both),)), 1)))


def _pages(index: SearchIndex, word: str) -> int:
    return max(map(index.document_frequency, analyze_word(word, _spoken(index))), default=0)


def _spoken(index: SearchIndex) -> tuple[str, ...]:
    return index.languages()[:MAX_LANGUAGES]


def _once(phrases: Iterable[str], most: int, languages: Sequence[str]) -> list[str]:
    """Each phrase once, the first of those that say one thing or several of it."""
    found: dict[str, list[str]] = {}
    for phrase in phrases:
        each = normalize_phrase(phrase).split()
        if not any(_alike(each, other, languages) for other in found.values()):
            found[phrase] = each
        if len(found) >= most:
            break
    return list(found)


def _alike(one: Sequence[str], other: Sequence[str], languages: Sequence[str]) -> bool:
    """Are these the same words, or some of them the plural of the others?"""
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(
        a == b
        or (
            _extends(a, b)
            and not {*analyze_word(a, languages)}.isdisjoint(analyze_word(b, languages))
        )
        for a, b in pairs
    )


def _extends(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > MAX_PLURAL_SUFFIX_CHARS:
        return False
    return longer.startswith(shorter) or (longer[-3:] == "ies" and longer[:-3] == shorter[:-1])
