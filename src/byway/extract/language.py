"""Language detection: the declared language if it is plausible, else the detected one.

A function word is a stop word of a language. Code, names and tables have few, and only by chance:
`int` is Breton, `mod` is Danish. Shares are of a text's words or characters.
"""

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, repeat

from turbohtml.detect import detect_language

from byway.core.languages import all_languages
from byway.core.text import STOP_WORDS, fold_text

# Sample lengths, in characters.

MIN_TEXT_CHARS = 100
"""Minimum length of a text to classify; for shorter ones, the result would be a guess."""

FIRST_LOOK_CHARS = 600
"""Sample length for checking the declared language, which is right for most pages."""

SAMPLE_CHARS = 1000
"""Sample length for classification: the most accurate of 600, 1000 and 1500 in 26 languages."""

# Function words.

MIN_FUNCTION_WORD_SHARE = 0.16
"""Minimum share of function words in a text of that language: the best of .12, .16 and .2."""

MIN_FUNCTION_WORDS = 8
"""Minimum number of function words to classify a text by them alone."""

MIN_DECLARED_SHARE = 0.04
"""Minimum share that confirms a declared language if no other language has more."""

MIN_DECLARED_FUNCTION_WORDS = 3
"""Minimum number of function words that confirms a declared language."""

MIN_DISTINCT_FUNCTION_WORDS = 4
"""Distinct function words that confirm a guess; 3 mistook English for Spanish, 5 is too strict."""

FEW_DISTINCT_FUNCTION_WORDS = 3
"""Distinct function words that suffice if there are many in total, or that contradict a declared
language; lists of names may have 2."""

CLEAR_LEAD_RATIO = 1.3
"""Lead over all other languages at which the detector is not asked: no error in 2,900 paragraphs,
pages and middles of pages in 20 languages, in a fifth of the detector's time."""

MIN_LEAD_RATIO = 1.1
"""Lead over the guessed language that overrules the guess; 1 and 1.25 were worse."""

MIN_MIDDLE_RATIO = 2
"""A text's start overrules its middle if it has more than this many times the function words."""

# Scripts and letters.

MIN_LETTER_SHARE = 0.003
"""Minimum share of letters unique to one language: ў is 1 % of Belarusian."""

MIN_CJK_SHARE = 0.1
"""Minimum share of Chinese, Japanese or Korean characters in a CJK text with Latin names."""

CLEAR_CJK_SHARE = 0.2
"""Minimum share in a CJK text with whole sentences in Latin script: a character is half a word."""

MIN_ACCENTED_SHARE = 0.015
"""Minimum share of accented letters in a language with accents; names have fewer. With .01 and .02
one or two fewer texts were classified."""

MIN_LOWERCASE_SHARE = 0.5
"""Minimum share of lower-case words in prose; with .6 and .7 fewer program messages were found."""

MIN_RUSSIAN_LETTERS = 3
"""Minimum count of ы and э that makes a text Russian if the detector guesses a similar language."""


UNDETECTABLE_LANGUAGES = tuple(
    language.code for language in all_languages().values() if not language.detection.in_detector
)
"""Languages the detector does not know, so it cannot contradict them."""

FUNCTION_WORD_ONLY_LANGUAGES = tuple(code for code in UNDETECTABLE_LANGUAGES if code in STOP_WORDS)
"""Languages with a function word list that the detector does not know."""

RUSSIAN_NEIGHBORS = ("bg", "mk", "sr", "uk")
"""Languages the detector mistakes Russian for; they lack the letters ы and э."""

ACCENTED_LETTER_PATTERN = re.compile("[À-ɏḀ-ỿ]")
CJK_PATTERNS = {
    language.code: re.compile(f"[{language.detection.characters}]")
    for language in all_languages().values()
    if language.detection.characters
}
CJK_LEAD_BYTES = bytes(range(0xE3, 0xEE))
"""The first bytes of Chinese, Japanese and Korean characters in UTF-8."""
WORD_EDGE_CHARS = string.punctuation + "“”„«»…–—،।"
"""Punctuation stripped from the edges of words."""


def language_of(tags: Iterable[str], text: str) -> str:
    """The language of a page: the first declared one, unless the text is clearly in another."""
    declared = next(filter(None, map(language_from_tag, tags)), "")
    if declared and (len(text) < MIN_TEXT_CHARS or _confirms(text, declared)):
        return declared
    words = folded_words(text[:SAMPLE_CHARS]) if declared else []
    if function_word_share(declared, words) >= MIN_FUNCTION_WORD_SHARE and not _cjk_language(
        text[:SAMPLE_CHARS], CLEAR_CJK_SHARE
    ):
        return declared
    detected = detect_text_language(text)
    if not declared or (
        detected not in ("", declared) and _contradicts(detected, declared, words, text)
    ):
        return detected
    return declared


def _confirms(text: str, declared: str) -> bool:
    """Whether a short sample of a text's start and middle confirms the declared language."""
    middle = len(text) // 2
    samples = text[:FIRST_LOOK_CHARS], text[middle : middle + FIRST_LOOK_CHARS]
    words: list[str] = []
    for sample in samples:
        sample_words = sample.lower().split()
        if function_word_share(declared, sample_words) >= MIN_FUNCTION_WORD_SHARE:
            return not _cjk_language(text[:SAMPLE_CHARS], CLEAR_CJK_SHARE)
        words += sample_words
    # Commands and tables have few function words; in ASCII texts, those few decide.
    counts = function_word_counts(words)
    min_count = max(MIN_DECLARED_SHARE * len(words), MIN_DECLARED_FUNCTION_WORDS)
    has_most = min_count <= counts[declared] == max(counts.values())
    return has_most and all(map(str.isascii, samples))


def language_from_tag(tag: str) -> str:
    """The two-letter code of a language tag such as `pt-BR`; empty if it has none."""
    primary = tag.strip().split(",")[0].replace("_", "-").partition("-")[0].lower()
    if len(primary) == 3:
        return _codes_by_iso639_3().get(primary, "")
    return primary if len(primary) == 2 and primary.isascii() and primary.isalpha() else ""


def detect_text_language(text: str) -> str:
    """The language of a text; empty if it cannot be detected."""
    if len(text) < MIN_TEXT_CHARS:
        return ""
    sample = text[:SAMPLE_CHARS]
    words, counts = _words_and_counts(sample)
    language = (
        _cjk_language(sample, CLEAR_CJK_SHARE)
        or _clear_language(words, counts)
        or _cjk_language(sample, MIN_CJK_SHARE)
    )
    language = language or _language_of_middle(text, words, counts) or _by_letters(sample)
    if language:
        return language
    match = detect_language(sample)
    guess = _codes_by_iso639_3().get(match.language or "", "")
    if match.script == "Latin":
        return _confirmed_guess(sample, guess)
    russian_letters = sample.count("ы") + sample.count("э")
    if guess in RUSSIAN_NEIGHBORS and russian_letters >= MIN_RUSSIAN_LETTERS:
        return "ru"
    return guess


def _words_and_counts(sample: str) -> tuple[list[str], Counter[str]]:
    """The words of a text, and the number of function words in each language."""
    words = sample.lower().split()
    return words, function_word_counts(words)


def _clear_language(words: Sequence[str], counts: Counter[str]) -> str:
    """The language with many function words and a clear lead over all others; else empty."""
    second, most = sorted((0, 0, *counts.values()))[-2:]
    best = max(counts, key=counts.__getitem__, default="")
    min_count = max(MIN_FUNCTION_WORD_SHARE * len(words), MIN_FUNCTION_WORDS)
    is_clear = (
        most >= min_count
        and most > CLEAR_LEAD_RATIO * second
        and distinct_function_words(best, words) >= FEW_DISTINCT_FUNCTION_WORDS
    )
    return best if is_clear else ""


def _language_of_middle(text: str, words: Sequence[str], counts: Counter[str]) -> str:
    """The clear language of the middle of a text, unless its start is in another language."""
    middle = _middle(text)
    language = _clear_language(*_words_and_counts(middle)) if len(middle) == SAMPLE_CHARS else ""
    if not language:
        return ""
    best = max(counts, key=counts.__getitem__, default=language)
    max_count = max(MIN_FUNCTION_WORD_SHARE * len(words), MIN_MIDDLE_RATIO * counts[language])
    return "" if counts[best] > max_count else language


def _middle(text: str) -> str:
    return text[len(text) // 2 :][:SAMPLE_CHARS]


def _cjk_language(sample: str, min_share: float) -> str:
    """Chinese, Japanese or Korean, if enough of the characters belong to it."""
    min_count = min_share * len(sample)
    if sample.isascii() or _count_cjk(sample) <= min_count:
        return ""
    for language, pattern in CJK_PATTERNS.items():
        if len(pattern.findall(sample)) > min_count:
            return language
    return ""


def _count_cjk(sample: str) -> int:
    """An upper bound on the number of CJK characters; ten times as fast as a regex."""
    encoded = sample.encode("utf-8", "ignore")
    return len(encoded) - len(encoded.translate(None, CJK_LEAD_BYTES))


def _by_letters(sample: str) -> str:
    """The first language whose distinctive letters occur in a sample; empty if there is none."""
    if sample.isascii():
        return ""
    counts = Counter(_distinctive_letter_pattern().findall(sample.lower()))
    if not counts:
        return ""
    for language, letters in _distinctive_letters().items():
        if sum(counts[letter] for letter in letters) > MIN_LETTER_SHARE * len(sample):
            return language
    return ""


def _confirmed_guess(sample: str, guess: str) -> str:
    """The detector's guess if function words or accents confirm it; else English if its words do.

    The detector uses only letters, so it also finds a language in code and lists of names.
    """
    words = folded_words(sample)
    counts = function_word_counts(words)
    best = max((*FUNCTION_WORD_ONLY_LANGUAGES, guess), key=counts.__getitem__)
    if counts[best] <= max(MIN_FUNCTION_WORD_SHARE * len(words), MIN_LEAD_RATIO * counts[guess]):
        best = guess
    # Without accents, many Vietnamese words are English words.
    accented_words = words if sample.isascii() else bare_words(sample.lower())
    english = distinct_function_words("en", accented_words)
    if distinct_function_words(best, words) >= max(MIN_DISTINCT_FUNCTION_WORDS, english):
        return best
    if function_word_share("en", accented_words) < MIN_FUNCTION_WORD_SHARE:
        if _is_accented(sample):
            return best
        if guess not in STOP_WORDS and _is_prose(sample):
            return guess
    return "en" if english and counts["en"] >= counts[guess] else ""


def _is_accented(sample: str) -> bool:
    if sample.isascii():
        return False
    return len(ACCENTED_LETTER_PATTERN.findall(sample)) > MIN_ACCENTED_SHARE * len(sample)


def _is_prose(sample: str) -> bool:
    """Whether a text is prose: most of its words are in lower case."""
    words = sample.split()
    lowercase = sum(word.islower() and word.rstrip(",.;:").isalpha() for word in words)
    return lowercase >= MIN_LOWERCASE_SHARE * len(words)


def _contradicts(detected: str, declared: str, words: Sequence[str], text: str) -> bool:
    """Whether the detected language is so clear that the declared one must be wrong."""
    if (
        declared not in _codes_by_iso639_3().values()
        or declared in UNDETECTABLE_LANGUAGES
        or _are_similar(declared, detected)
    ):
        return False
    if declared in CJK_PATTERNS and _cjk_language(_middle(text), MIN_CJK_SHARE) == declared:
        return False
    if detected not in STOP_WORDS:
        return True
    # In ASCII texts, letters and script are no evidence.
    is_proven = (
        not text[:SAMPLE_CHARS].isascii()
        or distinct_function_words(detected, words) >= FEW_DISTINCT_FUNCTION_WORDS
    )
    declared_share = function_word_share(declared, words)
    return is_proven and function_word_share(detected, words) > MIN_LEAD_RATIO * declared_share


def _are_similar(first: str, second: str) -> bool:
    """Whether the detector confuses two languages."""
    languages = all_languages()
    return any(
        other in languages[code].detection.similar_to
        for code, other in ((first, second), (second, first))
        if code in languages
    )


@cache
def _distinctive_letters() -> dict[str, str]:
    """The letters of each language that its neighbors lack, in test order."""
    hints = {code: language.detection for code, language in all_languages().items()}
    codes = sorted(hints, key=lambda code: hints[code].letters_order)
    return {code: hints[code].letters for code in codes if hints[code].letters}


@cache
def _distinctive_letter_pattern() -> re.Pattern[str]:
    return re.compile(f"[{''.join(_distinctive_letters().values())}]")


@cache
def _codes_by_iso639_3() -> dict[str, str]:
    """Two-letter codes (ISO 639-1) by three-letter code (ISO 639-3)."""
    return {
        three_letters: language.code
        for language in all_languages().values()
        for three_letters in language.iso639_3
    }


def bare_words(text: str) -> list[str]:
    """Words without the punctuation around them; javax.net.ssl is one word."""
    return [word.strip(WORD_EDGE_CHARS) for word in text.split()]


def folded_words(text: str) -> list[str]:
    """Words folded as in the stop word lists: lower case, without accents."""
    return bare_words(fold_text(text))


def function_word_counts(words: Iterable[str]) -> Counter[str]:
    """The number of function words in each language."""
    return Counter(chain.from_iterable(map(_languages_by_word().get, words, repeat(()))))


def function_word_share(language: str, words: Sequence[str]) -> float:
    """The share of words that are function words in a language."""
    function_words = STOP_WORDS.get(language, frozenset())
    return sum(map(function_words.__contains__, words)) / (len(words) or 1)


def distinct_function_words(language: str, words: Iterable[str]) -> int:
    """The number of distinct function words of a language; single letters are too ambiguous."""
    function_words = STOP_WORDS.get(language, frozenset())
    return sum(len(word) > 1 for word in function_words.intersection(words))


@cache
def _languages_by_word() -> dict[str, tuple[str, ...]]:
    """The languages of each function word."""
    words = set[str]().union(*STOP_WORDS.values())
    return {word: tuple(name for name in STOP_WORDS if word in STOP_WORDS[name]) for word in words}
