"""What language is a text in? What the page declares if that may be, else what its words tell."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from turbohtml.detect import detect_language

from byway.core.languages import all_languages
from byway.core.text import STOP_WORDS
from byway.extract.language.bilingual import SAMPLE_CHARS, dominant_language_lines, non_latin_words
from byway.extract.language.function_words import (
    bare_words,
    distinct_function_words,
    folded_words,
    function_word_counts,
    function_word_share,
)

FIRST_LOOK_CHARS = 600
"""Characters looked at first, as they are: most pages are in the language that they declare."""

MIN_TEXT_CHARS = 100
"""Shorter texts are guesses."""

MIN_LETTER_SHARE = 0.003
"""The share of a text that letters of one language alone have in it: ў is 1 % of Belarusian."""

MIN_FUNCTION_WORD_SHARE = 0.16
"""The share of a language's function words in a text of it: of .12, .16 and .2 the best."""

MIN_DECLARED_SHARE = 0.04
"""The share of them that is enough for a language that is declared, where no other has more."""

MIN_FUNCTION_WORDS = 8
"""Function words that a text has at least which tells its language by them."""

CLEAR_LEAD_RATIO = 1.3
"""How many times the function words of any other language are those of a text that needs no
further look: of 2,900 paragraphs, pages and middles of pages in 20 languages, none was told wrong.
That takes a fifth of the time of the detector, which tells the others."""

MIN_LEAD_RATIO = 1.1
"""How many more of them a language needs that is not the one guessed; 1 and 1.25 were worse."""

UNDETECTABLE_LANGUAGES = tuple(
    language.code for language in all_languages().values() if not language.detection.in_detector
)
"""Languages the detector never returns, so that its guess does not count against them."""

FUNCTION_WORD_ONLY_LANGUAGES = tuple(code for code in UNDETECTABLE_LANGUAGES if code in STOP_WORDS)
"""Languages the detector never returns, but that have a list of function words."""

MIN_DISTINCT_FUNCTION_WORDS = 4
"""How many different ones speak for a guess; by 3 English was Spanish, 5 lost short texts."""

FEW_DISTINCT_FUNCTION_WORDS = 3
"""How many are enough where they are many, or against what is declared; 2 are in lists of names."""

MIN_LOWERCASE_SHARE = 0.5
"""The share of words in small letters, in sentences; .6 and .7 told fewer messages of programs."""

ACCENTED_LETTER_PATTERN = re.compile("[À-ɏḀ-ỿ]")
MIN_ACCENTED_SHARE = 0.015
"""The share of such letters that names do not make; .01 and .02 told a text or two less."""

CJK_PATTERNS = {
    language.code: re.compile(f"[{language.detection.characters}]")
    for language in all_languages().values()
    if language.detection.characters
}
CJK_LEAD_BYTES = bytes(range(0xE3, 0xEE))
"""The first bytes of signs in UTF-8."""
MIN_CJK_SHARE = 0.1
"""The share of signs that makes a text Chinese, Japanese or Korean, though names be in Latin."""
CLEAR_CJK_SHARE = 0.2
"""The share that does so though there be whole sentences in Latin: a sign is half a word."""


def language_of(tags: Iterable[str], text: str) -> str:
    """The language of a page: the first it declares, unless its text is plainly in another."""
    claim = next(filter(None, map(language_from_tag, tags)), "")
    if claim and (len(text) < MIN_TEXT_CHARS or _is_plainly(claim, text)):
        return claim
    words = folded_words(text[:SAMPLE_CHARS]) if claim else []
    if function_word_share(claim, words) >= MIN_FUNCTION_WORD_SHARE and not _by_signs(
        text[:SAMPLE_CHARS], CLEAR_CJK_SHARE
    ):
        return claim
    seen = detect_text_language(text)
    if not claim or (seen not in ("", claim) and _speaks_against(seen, claim, words, text)):
        return seen
    return claim


def _is_plainly(claim: str, text: str) -> bool:
    """Is it in the language that it declares, by a short look at its start and its middle?"""
    middle = len(text) // 2
    looks = text[:FIRST_LOOK_CHARS], text[middle : middle + FIRST_LOOK_CHARS]
    words: list[str] = []
    for look in looks:
        found = look.lower().split()
        if function_word_share(claim, found) >= MIN_FUNCTION_WORD_SHARE:
            return not _by_signs(text[:SAMPLE_CHARS], CLEAR_CJK_SHARE)
        words += found
    # Commands and tables have few function words; those that there are tell, if all is in Latin.
    counts = function_word_counts(words)
    enough = max(MIN_DECLARED_SHARE * len(words), 3)
    return enough <= counts[claim] == max(counts.values()) and all(map(str.isascii, looks))


def language_from_tag(tag: str) -> str:
    """The language of a tag like `pt-BR`: its two letters, or nothing."""
    primary = tag.strip().split(",")[0].replace("_", "-").partition("-")[0].lower()
    if len(primary) == 3:
        return _codes_by_iso639_3().get(primary, "")
    return primary if len(primary) == 2 and primary.isascii() and primary.isalpha() else ""


def detect_text_language(text: str) -> str:
    """The language a text is written in; nothing when it does not tell."""
    if len(text) < MIN_TEXT_CHARS:
        return ""
    if not text.isascii():
        text = non_latin_words(text) or text
    words, counts = _heard(text[:SAMPLE_CHARS])
    if len(text) > SAMPLE_CHARS and (lines := dominant_language_lines(text, words, counts)):
        text = lines
        words, counts = _heard(text[:SAMPLE_CHARS])
    sample = text[:SAMPLE_CHARS]
    told = (
        _by_signs(sample, CLEAR_CJK_SHARE)
        or _plainly(words, counts)
        or _by_signs(sample, MIN_CJK_SHARE)
    )
    told = told or _in_the_middle(text, words, counts) or _by_letters(sample)
    if told:
        return told
    match = detect_language(sample)
    guess = _codes_by_iso639_3().get(match.language or "", "")
    if match.script == "Latin":
        return _by_words(sample, guess)
    # The detector takes much Russian for its neighbours, which do not have these letters.
    if guess in ("bg", "mk", "sr", "uk") and sample.count("ы") + sample.count("э") > 2:
        return "ru"
    return guess


def _heard(sample: str) -> tuple[list[str], Counter[str]]:
    """The words of a text, and how many of them are function words of each language."""
    words = sample.lower().split()
    return words, function_word_counts(words)


def _plainly(words: Sequence[str], counts: Counter[str]) -> str:
    """The language whose function words are many of a text's, and far more than any other's are."""
    second, most = sorted((0, 0, *counts.values()))[-2:]
    best = max(counts, key=counts.__getitem__, default="")
    enough = max(MIN_FUNCTION_WORD_SHARE * len(words), MIN_FUNCTION_WORDS)
    plain = (
        most >= enough
        and most > CLEAR_LEAD_RATIO * second
        and distinct_function_words(best, words) >= FEW_DISTINCT_FUNCTION_WORDS
    )
    return best if plain else ""


def _in_the_middle(text: str, words: Sequence[str], counts: Counter[str]) -> str:
    """What the middle plainly is in, unless the start has the function words of another."""
    middle = _middle(text)
    told = _plainly(*_heard(middle)) if len(middle) == SAMPLE_CHARS else ""
    if not told:
        return ""
    best = max(counts, key=counts.__getitem__, default=told)
    return (
        "" if counts[best] > max(MIN_FUNCTION_WORD_SHARE * len(words), 2 * counts[told]) else told
    )


def _middle(text: str) -> str:
    return text[len(text) // 2 :][:SAMPLE_CHARS]


def _by_signs(sample: str, enough: float) -> str:
    """Chinese, Japanese or Korean, though there be names and commands in Latin letters."""
    if sample.isascii() or _signs(sample) <= enough * len(sample):
        return ""
    for language, signs in CJK_PATTERNS.items():
        if len(signs.findall(sample)) > enough * len(sample):
            return language
    return ""


def _signs(sample: str) -> int:
    """How many signs there are, or somewhat more; in a tenth of the time that patterns take."""
    encoded = sample.encode("utf-8", "ignore")
    return len(encoded) - len(encoded.translate(None, CJK_LEAD_BYTES))


def _by_letters(sample: str) -> str:
    found = (
        Counter[str]()
        if sample.isascii()
        else Counter(_distinctive_letter_pattern().findall(sample.lower()))
    )
    if not found:
        return ""
    for language, letters in _distinctive_letters().items():
        if sum(found[letter] for letter in letters) > MIN_LETTER_SHARE * len(sample):
            return language
    return ""


def _by_words(sample: str, guess: str) -> str:
    """What was guessed, where something speaks for it; English, where its words alone do.

    To a detector that knows letters only, code and lists of names may be in any language.
    """
    words = folded_words(sample)
    counts = function_word_counts(words)
    best = max((*FUNCTION_WORD_ONLY_LANGUAGES, guess), key=counts.__getitem__)
    if counts[best] <= max(MIN_FUNCTION_WORD_SHARE * len(words), MIN_LEAD_RATIO * counts[guess]):
        best = guess
    # Without their accents, many words of Vietnamese are English.
    plain = words if sample.isascii() else bare_words(sample.lower())
    english = distinct_function_words("en", plain)
    if distinct_function_words(best, words) >= max(MIN_DISTINCT_FUNCTION_WORDS, english):
        return best
    if function_word_share("en", plain) < MIN_FUNCTION_WORD_SHARE:
        if _is_accented(sample):
            return best
        if guess not in STOP_WORDS and _is_prose(sample):
            return guess
    return "en" if english and counts["en"] >= counts[guess] else ""


def _is_accented(sample: str) -> bool:
    return not sample.isascii() and len(
        ACCENTED_LETTER_PATTERN.findall(sample)
    ) > MIN_ACCENTED_SHARE * len(sample)


def _is_prose(sample: str) -> bool:
    """Is it in sentences, whatever the language? Most of their words are in small letters."""
    words = sample.split()
    small = sum(word.islower() and word.rstrip(",.;:").isalpha() for word in words)
    return small >= MIN_LOWERCASE_SHARE * len(words)


def _speaks_against(seen: str, claim: str, words: Sequence[str], text: str) -> bool:
    """Is a text so plainly in the language that is seen that it cannot be in the one claimed?"""
    if claim not in _codes_by_iso639_3().values() or claim in UNDETECTABLE_LANGUAGES:
        return False
    if _are_similar(claim, seen):
        return False
    if claim in CJK_PATTERNS and _by_signs(_middle(text), MIN_CJK_SHARE) == claim:
        return False
    if seen not in STOP_WORDS:
        return True
    # Where all is ASCII, letters and script say nothing.
    enough = (
        not text[:SAMPLE_CHARS].isascii()
        or distinct_function_words(seen, words) >= FEW_DISTINCT_FUNCTION_WORDS
    )
    return enough and function_word_share(seen, words) > MIN_LEAD_RATIO * function_word_share(
        claim, words
    )


def _are_similar(one: str, other: str) -> bool:
    """Whether two languages are so alike that the detector confuses them."""
    known = all_languages()
    return any(
        second in known[first].detection.similar_to
        for first, second in ((one, other), (other, one))
        if first in known
    )


@cache
def _distinctive_letters() -> dict[str, str]:
    """The letters of each language that its neighbours lack, in the order of testing."""
    hints = {code: language.detection for code, language in all_languages().items()}
    codes = sorted(hints, key=lambda code: hints[code].letters_order)
    return {code: hints[code].letters for code in codes if hints[code].letters}


@cache
def _distinctive_letter_pattern() -> re.Pattern[str]:
    return re.compile(f"[{''.join(_distinctive_letters().values())}]")


@cache
def _codes_by_iso639_3() -> dict[str, str]:
    """Two-letter codes (ISO 639-1) by three-letter codes (ISO 639-3)."""
    return {
        three_letters: language.code
        for language in all_languages().values()
        for three_letters in language.iso639_3
    }
