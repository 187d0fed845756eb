"""Autocomplete: titles and words of the collection that continue a typed prefix."""

import re
from collections.abc import Iterable, Iterator, Sequence

from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import IndexPorts
from byway.core.text import (
    analyze_word,
    is_stop_word,
    is_word_char,
    normalize_phrase,
    storable_text,
    surface_forms,
)
from byway.search.understand.spelling import is_one_edit, page_count, surface_form

MAX_PREFIX_CHARS = 200
"""Maximum characters of the typed text that are used."""

MIN_TYPO_CHARS = 4
"""Minimum letters for tolerating one typo."""
MIN_OPEN_TYPO_CHARS = 6
"""Minimum letters of a mistyped prefix for any completion: `nexus` is not `neustart`."""
MAX_PREFIX_TITLES = 50
"""Maximum titles looked up by prefix; those with the last word complete are selected."""
MAX_COMPLETION_WORDS = 6
"""Maximum completions tried for the last word."""
MIN_COMPLETION_PAGES = 20
"""Minimum document frequency for suggesting a single word before most titles."""
MAX_CORRECTIONS = 3
"""Maximum corrections tried for a complete, unknown word."""
MIN_FREQUENCY_RATIO = 0.01
"""Words below this share of the most frequent completion are not suggested."""
MAX_ADJACENCY_PAGES = 5000
"""Maximum document frequency of a word for checking which words follow it."""
MAX_LANGUAGES = 2
MAX_PLURAL_SUFFIX_CHARS = 2
"""Maximum letters by which a singular and its plural differ."""
LAST_WORD_PATTERN = re.compile(r"[^\W_]+$")
TRAILING_PLUS_PATTERN = re.compile(r"(?<=[^\W\d_])\+$")


def suggestions(ports: IndexPorts, typed: str, limit: int) -> list[str]:
    """Up to `limit` completions, the likeliest first."""
    typed = storable_text(typed[:MAX_PREFIX_CHARS])
    # A space or a colon completes the word before it.
    complete = _after_complete_word if typed and not is_word_char(typed[-1]) else _completions
    # `c+` is nearly always the start of `c++`.
    typed = TRAILING_PLUS_PATTERN.sub("++", " ".join(typed.split()))
    if not normalize_phrase(typed):
        return []
    return _deduplicate(complete(ports, typed, limit), limit, _languages(ports))


def _titles(ports: IndexPorts, prefix: str, limit: int) -> list[str]:
    return [one.text for one in ports.suggestions.complete(prefix, limit)]


def _after_complete_word(ports: IndexPorts, typed: str, limit: int) -> Iterator[str]:
    words = f" {normalize_phrase(typed)} "
    yield from (
        title
        for title in _titles(ports, typed, MAX_PREFIX_TITLES)
        if words in f" {normalize_phrase(title)} "
    )


def _completions(ports: IndexPorts, typed: str, limit: int) -> Iterator[str]:
    titles = _titles(ports, typed, 2 * limit)
    yield from titles[:1]
    last = LAST_WORD_PATTERN.search(typed)
    if last is None:
        yield from titles
        return
    before, prefix = typed[: last.start()], normalize_phrase(last.group())
    words = _completed_words(ports, prefix, *surface_forms(last.group()))
    if not before and words and _page_count(ports, words[0]) >= MIN_COMPLETION_PAGES:
        yield words[0]
    yield from titles
    # The completed word, if it directly follows the previous word on some page.
    continued = _with_following_word(ports, before, words)
    yield from continued
    if not (titles or continued) and len(normalize_phrase(typed)) >= MIN_TYPO_CHARS:
        yield from _corrected_completions(ports, typed, before, words)


def _corrected_completions(
    ports: IndexPorts, typed: str, before: str, words: Sequence[str]
) -> Iterator[str]:
    """Completions of the corrected text, used if the typed text has none."""
    prefix = normalize_phrase(typed[len(before) :])
    found = ports.suggestions.fuzzy_complete(typed, 2 * MAX_COMPLETION_WORDS)
    if titles := [one.text for one in found if _is_likely_typo(normalize_phrase(typed), one.text)]:
        yield from titles
        return
    corrected = [*_corrected_before(ports, before)] or [before]
    if words:
        continued = (_with_following_word(ports, one, words) for one in corrected if one != before)
        # Suggest the words even if no page has them side by side.
        yield from next(filter(None, continued), [f"{corrected[0]}{word}" for word in words])
        return
    if len(prefix) < MIN_TYPO_CHARS:
        return
    for word in ports.dictionary.fuzzy_prefix(prefix, MAX_COMPLETION_WORDS):
        if not _is_likely_typo(prefix, word):
            continue
        completed = f"{corrected[0]}{surface_form(word, ports.dictionary)}"
        yield from _titles(ports, completed, MAX_COMPLETION_WORDS) or [completed]


def _is_likely_typo(prefix: str, phrase: str) -> bool:
    """Whether the prefix is long, or one edit away from nearly all of a word in the phrase."""
    return len(prefix) >= MIN_OPEN_TYPO_CHARS or any(
        is_one_edit(prefix, word[:length])
        for word in normalize_phrase(phrase).split()
        for length in range(
            max(len(word) - MAX_PLURAL_SUFFIX_CHARS, len(prefix) - 1), len(prefix) + 2
        )
    )


def _corrected_before(ports: IndexPorts, before: str) -> Iterator[str]:
    """Variants of the text before the last word, with its own last word corrected."""
    match = LAST_WORD_PATTERN.search(before.rstrip())
    if match and len(match.group()) >= MIN_TYPO_CHARS and not _page_count(ports, match.group()):
        for word, _, _ in ports.dictionary.fuzzy(match.group(), 1)[:MAX_CORRECTIONS]:
            spelling = surface_form(word, ports.dictionary)
            yield f"{before[: match.start()]}{spelling}{before[match.end() :]}"


def _completed_words(ports: IndexPorts, prefix: str, typed: str = "", *_: str) -> list[str]:
    """The surface forms of the frequent words with this prefix.

    If accents were typed, words with the same accents are preferred.
    """
    if len(prefix) < 2 or is_stop_word(prefix):
        return []
    found = ports.dictionary.prefix(prefix, MAX_COMPLETION_WORDS)
    matches = [word for word in found if word != prefix]
    page_counts = [_page_count(ports, word) for word in matches]
    min_pages = MIN_FREQUENCY_RATIO * max(page_counts, default=0)
    frequent = [word for word, n in zip(matches, page_counts, strict=True) if n >= min_pages]
    forms = [surface_form(word, ports.dictionary) for word in frequent]
    same_accents = [form for form in forms if form.startswith(typed)] if typed != prefix else []
    return same_accents or forms


def _with_following_word(ports: IndexPorts, before: str, words: Sequence[str]) -> list[str]:
    """`before` plus each of these words that follows its last word on some page."""
    *_, last = ["", *normalize_phrase(before).split()]
    if last and (
        len(last) < MIN_TYPO_CHARS - 1
        or is_stop_word(last)
        or _page_count(ports, last) > MAX_ADJACENCY_PAGES
    ):
        return []  # nearly any word follows such a word
    return [f"{before}{word}" for word in words if not last or _is_adjacent(ports, last, word)]


def _is_adjacent(ports: IndexPorts, last: str, word: str) -> bool:
    phrase = tuple(map(TermAnalysis, analyze_word(f"{last} {word}", _languages(ports))))
    return bool(ports.index.matches(ParsedQuery((TermClause(word, phrase),)), 1).total)


def _page_count(ports: IndexPorts, word: str) -> int:
    return page_count(analyze_word(word, _languages(ports)), ports.index)


def _languages(ports: IndexPorts) -> tuple[str, ...]:
    return ports.index.statistics().frequent_languages[:MAX_LANGUAGES]


def _deduplicate(phrases: Iterable[str], limit: int, languages: Sequence[str]) -> list[str]:
    """The phrases, minus singular or plural repeats of earlier ones."""
    words_by_phrase: dict[str, list[str]] = {}
    for phrase in phrases:
        words = normalize_phrase(phrase).split()
        if not any(_are_equivalent(words, other, languages) for other in words_by_phrase.values()):
            words_by_phrase[phrase] = words
        if len(words_by_phrase) >= limit:
            break
    return list(words_by_phrase)


def _are_equivalent(words: Sequence[str], others: Sequence[str], languages: Sequence[str]) -> bool:
    """Whether the words are the same, or differ only in singular and plural."""
    pairs = zip(words, others, strict=False)
    return len(words) == len(others) and all(
        a == b
        or (
            _has_plural_form(a, b)
            and not {*analyze_word(a, languages)}.isdisjoint(analyze_word(b, languages))
        )
        for a, b in pairs
    )


def _has_plural_form(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    if len(longer) - len(shorter) > MAX_PLURAL_SUFFIX_CHARS:
        return False
    return longer.startswith(shorter) or (longer[-3:] == "ies" and longer[:-3] == shorter[:-1])
