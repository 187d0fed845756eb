"""Term locator: where a text has the wanted terms, exactly as tokenizer and analyzer find them.

The text is folded character by character, so that positions stay the same, with a blank for
everything that never joins letters. One pattern then finds the words that begin like a wanted
term, and only those are analyzed. Words whose letters do not fold one by one (with combining
marks, ligatures, soft hyphens) or that have an inner apostrophe are found by these signs.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from byway.core.languages import stemmers
from byway.core.text import fold_text, is_word_char, term_spans, terms_by_word
from byway.core.text.characters import (
    FIRST_LETTER_SUFFIXES,
    JOINERS,
    LETTER_CLASS,
    PREFIXED_WORDS,
    SUFFIXES,
    UNSPACED_LETTERS,
    free_joiner_signs,
)

TermMatch = tuple[str, int, int]
"""A term with its start and end."""
TermMatches = list[TermMatch]
MATCH_SORT_KEY = itemgetter(1, 2, 0)

BLANK, APOSTROPHE, IRREGULAR = " ", "'", "\x01"
"""Folded characters: a separator of words; a sign that joins any letters; a character that is part
of words but does not fold to one letter."""
FIRST_LETTER_JOINERS = tuple(joiner for joiner in JOINERS if joiner.after_first_letter)
FIRST_LETTER_JOINER_SIGNS = "".join(joiner.signs for joiner in FIRST_LETTER_JOINERS)
LEADING_SIGNS = frozenset(chain(FIRST_LETTER_JOINER_SIGNS, PREFIXED_WORDS))
TRAILING_SIGNS = frozenset(chain(FIRST_LETTER_JOINER_SIGNS, *SUFFIXES, FIRST_LETTER_SUFFIXES))
"""Signs that are rarely part of the word next to them: they are folded to blanks, and words beside
them are tokenized in their context."""

SEPARATING_SIGNS = LEADING_SIGNS | TRAILING_SIGNS
JOINING_SIGNS = frozenset(free_joiner_signs())
LETTER_PATTERN = re.compile(LETTER_CLASS)
HANGUL_LETTERS = frozenset(map(chr, range(0x1100, 0x1200)))
"""Letters that normalization composes to syllables."""
FIRST_UNSPACED_LETTER = ord(UNSPACED_LETTERS[0])
MAX_FOLDED_CODE = 0xFFFF
"""This and all characters above are irregular."""
DENSE_IRREGULAR_CHARS = 50
"""With more than one irregular character in this many, the whole text is analyzed."""

STABLE_PREFIX_CHARS = {
    code: stemmer.stable_prefix_chars
    for code, stemmer in stemmers().items()
    if stemmer.stable_prefix_chars is not None
}
UMLAUT_LANGUAGE, UMLAUT_PATTERN = "de", re.compile("(?<=[aou])")
"""The language whose stemmer reads ae, oe and ue as umlauts, and the place of that e."""
MAX_CONTRACTION_CHARS = 2
MAX_NEEDLES = 8
"""With more first letters than this, one pattern is faster than looking for each."""
FIRST_LETTERS_PATTERN = re.compile(f"^(?!{LETTER_CLASS}).|(?<={LETTER_CLASS})(?!{LETTER_CLASS}).*")
ANY_LETTER_PATTERN = "[^ ]"
LAST_STEMMED_CHAR = "\u2fff"
CONTRACTIONS = "(?:[stdm]|ll|re|ve)"
"""Endings after an apostrophe that never hide the first letters of a word before them."""
IRREGULAR_PATTERN = re.compile(IRREGULAR)


class _CandidatePatterns(NamedTuple):
    """Patterns of folded words that may have one of some terms."""

    word: re.Pattern[str]
    """A blank and a word that begins like one of the terms."""
    needles: tuple[str, ...]
    """The same as plain strings, which are found several times as fast; none if that cannot be."""
    inside: re.Pattern[str]
    """The first letters of one of the terms anywhere."""
    apostrophe: re.Pattern[str]
    """An apostrophe in a word that the first pattern does not find: o'clock, l'avion, 'quoted'."""


class TermLocator:
    """Finds terms in one text."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self._terms_of = terms_by_word(language)
        folded = _fold(text)
        # The blank before a word has the position of the word in the text.
        self._folded = f" {folded.text} "
        self._has_unspaced_letters = folded.has_unspaced_letters
        self._has_irregular_chars = folded.irregular_count > 0
        self._is_analyzed_whole = STABLE_PREFIX_CHARS.get(
            language
        ) == 0 or folded.irregular_count * DENSE_IRREGULAR_CHARS > len(text)

    def find(
        self, wanted_terms: frozenset[str], start: int = 0, end: int | None = None
    ) -> TermMatches:
        """The matches of these terms in the words that start between two positions, in order."""
        if not wanted_terms:
            return []
        start = self._folded.find(BLANK, start)
        last = len(self.text)
        end = self._folded.find(BLANK, last if end is None else min(end, last))
        if self._is_analyzed_whole:
            spans = term_spans(self.text, self.language, start, end)
            matches = [match for match in spans if match[0] in wanted_terms]
            return sorted(set(matches), key=MATCH_SORT_KEY)
        # What is left of l's is s, and other stemmers may change that.
        has_short_term = min(map(len, wanted_terms)) <= MAX_CONTRACTION_CHARS
        patterns = _candidate_patterns(
            _term_prefixes(wanted_terms, self.language),
            has_short_term or self.language in STABLE_PREFIX_CHARS,
        )
        matches, runs = [], []
        if self._has_unspaced_letters:
            runs = list(self._runs_around(patterns.inside, start, end))
        else:
            matches, runs = self._word_matches(patterns, wanted_terms, start, end)
        if APOSTROPHE in self._folded:
            runs += self._joined_runs(patterns, start, end)
        if self._has_irregular_chars:
            runs += self._runs_around(IRREGULAR_PATTERN, start, end)
        if runs:
            matches += chain.from_iterable(
                self._run_matches(begin, stop, wanted_terms) for begin, stop in set(runs)
            )
            matches = sorted(set(matches), key=MATCH_SORT_KEY)
        return matches

    def _word_matches(
        self, patterns: _CandidatePatterns, wanted_terms: frozenset[str], start: int, end: int
    ) -> tuple[TermMatches, list[tuple[int, int]]]:
        """Matches of plain words, and the spans of others that begin like a wanted term."""
        text, terms_of = self.text, self._terms_of
        matches: TermMatches = []
        runs: list[tuple[int, int]] = []
        for begin, stop in self._word_spans(patterns, start, end):
            written = text[begin:stop]
            if (
                written.isalnum()
                and text[begin - 1 : begin] not in LEADING_SIGNS
                and text[stop : stop + 1] not in TRAILING_SIGNS
                and len(terms := terms_of[written]) == 1
            ):
                if terms[0] in wanted_terms:
                    matches.append((terms[0], begin, stop))
            else:
                runs.append((begin, stop))
        return matches, runs

    def _word_spans(
        self, patterns: _CandidatePatterns, start: int, end: int
    ) -> list[tuple[int, int]]:
        """The spans of words that begin like one of the terms, in order."""
        folded = self._folded
        if not patterns.needles:
            found = patterns.word.finditer(folded, start, end)
            return [(match.start(), match.end() - 1) for match in found]
        spans = []
        for needle in patterns.needles:
            begin = folded.find(needle, start, end)
            while begin >= 0:
                stop = folded.find(BLANK, begin + 1)
                spans.append((begin, stop - 1))
                begin = folded.find(needle, stop, end)
        return sorted(spans) if len(patterns.needles) > 1 else spans

    def _runs_around(
        self, pattern: re.Pattern[str], start: int, end: int
    ) -> Iterator[tuple[int, int]]:
        """The spans between blanks in which the pattern is found."""
        folded = self._folded
        found = pattern.search(folded, start, end)
        while found:
            begin = folded.rfind(BLANK, 0, found.start() + 1)
            stop = folded.find(BLANK, found.end()) - 1
            yield begin, stop
            found = pattern.search(folded, stop + 1, end)

    def _joined_runs(
        self, patterns: _CandidatePatterns, start: int, end: int
    ) -> list[tuple[int, int]]:
        """The spans of words whose apostrophe hides the first letters of a wanted term."""
        runs = list(self._runs_around(patterns.apostrophe, start, end))
        written = BLANK.join([self._folded[begin + 1 : stop + 1] for begin, stop in runs])
        letters = written.replace(APOSTROPHE, "")
        if not patterns.inside.search(letters):  # the usual case
            return []
        each = zip(runs, letters.split(BLANK), strict=True)
        return [run for run, run_letters in each if patterns.inside.search(run_letters)]

    def _run_matches(
        self, begin: int, stop: int, wanted_terms: frozenset[str]
    ) -> Iterator[TermMatch]:
        """The matches in a span between blanks, tokenized in its context."""
        first, sign = begin, self.text[max(0, begin - 1) : begin]
        if sign in PREFIXED_WORDS:
            first = begin - 1
        elif sign in LEADING_SIGNS:  # it may join the word before
            first = self._folded.rfind(BLANK, 0, begin)
        for match in term_spans(self.text, self.language, first, stop):
            if match[0] in wanted_terms and match[2] > begin:
                yield match


@lru_cache(maxsize=256)
def _term_prefixes(wanted_terms: frozenset[str], language: str) -> tuple[str, ...]:
    """Patterns of the first letters that words with these terms surely have, none redundant."""
    max_chars = STABLE_PREFIX_CHARS.get(language)
    prefixes: list[str] = []
    for prefix in sorted({*chain(*(_prefixes(term, max_chars) for term in wanted_terms))}):
        if not prefixes or not prefix.startswith(prefixes[-1]):  # a shorter prefix covers it
            prefixes.append(prefix or ANY_LETTER_PATTERN)
    if language == UMLAUT_LANGUAGE:
        prefixes = [UMLAUT_PATTERN.sub("e?", prefix) for prefix in prefixes]
    for joiner in FIRST_LETTER_JOINERS:
        prefixes = [
            f"{prefix[0]} ?{prefix[1:]}" if re.match(joiner.before, prefix) else prefix
            for prefix in prefixes
        ]
    return tuple(prefixes)


def _prefixes(term: str, max_chars: int | None) -> Iterator[str]:
    """The first letters of all words with a term, as far as stemmers leave them unchanged."""
    letters = FIRST_LETTERS_PATTERN.sub("", term)
    if letters[:1] > LAST_STEMMED_CHAR:
        yield letters
    elif max_chars is not None:
        yield letters[: min(max_chars, len(letters) - 1)]
    else:
        yield letters[: max(len(letters) - 2, min(2, len(letters) - 1), 1)]
        if len(letters) == 3 and letters.endswith("ie"):  # dying
            yield f"{letters[0]}y"


@lru_cache(maxsize=256)
def _candidate_patterns(prefixes: tuple[str, ...], with_contractions: bool) -> _CandidatePatterns:
    any_prefix = "|".join(prefixes)
    ending = "" if with_contractions else f"{CONTRACTIONS}?"
    # Quotation marks before the letters would slow down the first pattern: it tries every blank.
    is_plain = len(prefixes) <= MAX_NEEDLES and all(map(str.isalnum, prefixes))
    return _CandidatePatterns(
        re.compile(f" (?:{any_prefix})[^ ]*"),
        tuple(f" {prefix}" for prefix in prefixes) if is_plain else (),
        re.compile(any_prefix),
        re.compile(f"'(?:(?<=[^ ']')(?!{ending}'* )|(?<=[ ']')(?={any_prefix}))"),
    )


class _FoldedText(NamedTuple):
    """A folded text."""

    text: str
    irregular_count: int = 0
    has_unspaced_letters: bool = False
    """Whether it may have letters of scripts without spaces."""


def _fold(text: str) -> _FoldedText:
    """Fold the characters of a text one by one."""
    if text.isascii():
        return _FoldedText(text.encode().translate(ASCII_TABLE).decode())
    encoded = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    codes = FOLDING_TABLE.take(encoded, mode="clip")
    if codes.min() == UNKNOWN_CODE:
        for code in {*encoded[codes == UNKNOWN_CODE].tolist()}:
            FOLDING_TABLE[code] = ord(_fold_char(chr(code)))
        codes = FOLDING_TABLE.take(encoded, mode="clip")
    folded = codes.tobytes().decode("utf-16-le")
    has_unspaced_letters = bool(codes.max() >= FIRST_UNSPACED_LETTER)
    return _FoldedText(folded, folded.count(IRREGULAR), has_unspaced_letters)


def _fold_char(char: str) -> str:
    """The folded form of a character: always one character."""
    if not is_word_char(char) or char in SEPARATING_SIGNS:
        return BLANK
    if char in JOINING_SIGNS:
        return APOSTROPHE
    folded = fold_text(char)
    is_regular = (
        LETTER_PATTERN.match(char)
        and len(folded) == 1
        and folded.isalnum()
        and folded not in HANGUL_LETTERS
    )
    return folded if is_regular else IRREGULAR


ASCII_TABLE = "".join(map(_fold_char, map(chr, range(128)))).encode().ljust(256)
UNKNOWN_CODE = 0
FOLDING_TABLE = np.zeros(MAX_FOLDED_CODE + 1, np.uint16)
FOLDING_TABLE[MAX_FOLDED_CODE] = ord(IRREGULAR)
"""The folded form of each character; filled in when a character is first seen."""
