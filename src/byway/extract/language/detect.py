"""What language is a text in? What the page declares if that may be, else what its words tell."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from turbohtml.detect import detect_language

from byway.core.text import STOP_WORDS
from byway.extract.language.bilingual import SAMPLE, in_one_of_two, in_other_letters
from byway.extract.language.function_words import bare, folded, kinds, share, spoken

LOOK = 600
"""Characters looked at first, as they are: most pages are in the language that they declare."""

LEAST = 100
"""Shorter texts are guesses."""

LETTERS = 0.003
"""The share of a text that letters of one language alone have in it: ў is 1 % of Belarusian."""

COMMON = 0.16
"""The share of a language's function words in a text of it: of .12, .16 and .2 the best."""

FEW = 0.04
"""The share of them that is enough for a language that is declared, where no other has more."""

FEWEST = 8
"""Function words that a text has at least which tells its language by them."""

PLAINLY = 1.3
"""How many times the function words of any other language are those of a text that needs no
further look: of 2,900 paragraphs, pages and middles of pages in 20 languages, none was told wrong.
That takes a fifth of the time of the detector, which tells the others."""

RATIO = 1.1
"""How many more of them a language needs that is not the one guessed; 1 and 1.25 were worse."""

UNKNOWN = ("br", "eu", "ga", "gd", "gl", "is", "oc", "sq")
"""Languages it never names, but that have a list of function words."""

UNTOLD = "br eu ga gd gl ha ht ig is kk ku ky mg mn ny oc om ps rn rw so sq ss sw tg ug xh yo"
"""Languages the detector never names, so that it cannot speak against them."""

CLOSE = ("no nb nn da", "hr sr bs sl", "id ms", "cs sk", "gl pt es oc ca", "bg mk", "hi mr ne")
"""Languages that are taken for one another: what a page declares is believed."""

KINDS = 4
"""How many different ones speak for a guess; by 3 English was Spanish, 5 lost short texts."""

FEW_KINDS = 3
"""How many are enough where they are many, or against what is declared; 2 are in lists of names."""

PROSE = 0.5
"""The share of words in small letters, in sentences; .6 and .7 told fewer messages of programs."""

ACCENTED = re.compile("[À-ɏḀ-ỿ]")
ACCENTS = 0.015
"""The share of such letters that names do not make; .01 and .02 told a text or two less."""

EAST = {"ja": re.compile(r"[\u3041-\u30ff]"), "ko": re.compile(r"[\uac00-\ud7a3]")}
EAST["zh"] = re.compile(r"[\u4e00-\u9fff]")
LEADS = bytes(range(0xE3, 0xEE))
"""The first bytes of signs in UTF-8."""
FEW_SIGNS = 0.1
"""The share of signs that makes a text Chinese, Japanese or Korean, though names be in Latin."""
MANY_SIGNS = 0.2
"""The share that does so though there be whole sentences in Latin: a sign is half a word."""


def language_of(tags: Iterable[str], text: str) -> str:
    """The language of a page: the first it declares, unless its text is plainly in another."""
    claim = next(filter(None, map(declared, tags)), "")
    if claim and (len(text) < LEAST or _is_plainly(claim, text)):
        return claim
    words = folded(text[:SAMPLE]) if claim else []
    if share(claim, words) >= COMMON and not _by_signs(text[:SAMPLE], MANY_SIGNS):
        return claim
    seen = detected(text)
    if not claim or (seen not in ("", claim) and _speaks_against(seen, claim, words, text)):
        return seen
    return claim


def _is_plainly(claim: str, text: str) -> bool:
    """Is it in the language that it declares, by a short look at its start and its middle?"""
    middle = len(text) // 2
    looks = text[:LOOK], text[middle : middle + LOOK]
    words: list[str] = []
    for look in looks:
        found = look.lower().split()
        if share(claim, found) >= COMMON:
            return not _by_signs(text[:SAMPLE], MANY_SIGNS)
        words += found
    # Commands and tables have few function words; those that there are tell, if all is in Latin.
    counts = spoken(words)
    enough = max(FEW * len(words), 3)
    return enough <= counts[claim] == max(counts.values()) and all(map(str.isascii, looks))


def declared(tag: str) -> str:
    """The language of a tag like `pt-BR`: its two letters, or nothing."""
    primary = tag.strip().split(",")[0].replace("_", "-").partition("-")[0].lower()
    if len(primary) == 3:
        return _two_letters().get(primary, "")
    return primary if len(primary) == 2 and primary.isascii() and primary.isalpha() else ""


def detected(text: str) -> str:
    """The language a text is written in; nothing when it does not tell."""
    if len(text) < LEAST:
        return ""
    if not text.isascii():
        text = in_other_letters(text) or text
    words, counts = _heard(text[:SAMPLE])
    if len(text) > SAMPLE and (lines := in_one_of_two(text, words, counts)):
        text = lines
        words, counts = _heard(text[:SAMPLE])
    sample = text[:SAMPLE]
    told = _by_signs(sample, MANY_SIGNS) or _plainly(words, counts) or _by_signs(sample, FEW_SIGNS)
    told = told or _in_the_middle(text, words, counts) or _by_letters(sample)
    if told:
        return told
    match = detect_language(sample)
    guess = _two_letters().get(match.language or "", "")
    if match.script == "Latin":
        return _by_words(sample, guess)
    # The detector takes much Russian for its neighbours, which do not have these letters.
    if guess in ("bg", "mk", "sr", "uk") and sample.count("ы") + sample.count("э") > 2:
        return "ru"
    return guess


def _heard(sample: str) -> tuple[list[str], Counter[str]]:
    """The words of a text, and how many of them are function words of each language."""
    words = sample.lower().split()
    return words, spoken(words)


def _plainly(words: Sequence[str], counts: Counter[str]) -> str:
    """The language whose function words are many of a text's, and far more than any other's are."""
    second, most = sorted((0, 0, *counts.values()))[-2:]
    best = max(counts, key=counts.__getitem__, default="")
    enough = max(COMMON * len(words), FEWEST)
    plain = most >= enough and most > PLAINLY * second and kinds(best, words) >= FEW_KINDS
    return best if plain else ""


def _in_the_middle(text: str, words: Sequence[str], counts: Counter[str]) -> str:
    """What the middle plainly is in, unless the start has the function words of another."""
    middle = _middle(text)
    told = _plainly(*_heard(middle)) if len(middle) == SAMPLE else ""
    if not told:
        return ""
    best = max(counts, key=counts.__getitem__, default=told)
    return "" if counts[best] > max(COMMON * len(words), 2 * counts[told]) else told


def _middle(text: str) -> str:
    return text[len(text) // 2 :][:SAMPLE]


def _by_signs(sample: str, enough: float) -> str:
    """Chinese, Japanese or Korean, though there be names and commands in Latin letters."""
    if sample.isascii() or _signs(sample) <= enough * len(sample):
        return ""
    for language, signs in EAST.items():
        if len(signs.findall(sample)) > enough * len(sample):
            return language
    return ""


def _signs(sample: str) -> int:
    """How many signs there are, or somewhat more; in a tenth of the time that patterns take."""
    encoded = sample.encode("utf-8", "ignore")
    return len(encoded) - len(encoded.translate(None, LEADS))


def _by_letters(sample: str) -> str:
    found = Counter[str]() if sample.isascii() else Counter(_telling().findall(sample.lower()))
    if not found:
        return ""
    for language, letters in _letters().items():
        if sum(found[letter] for letter in letters) > LETTERS * len(sample):
            return language
    return ""


def _by_words(sample: str, guess: str) -> str:
    """What was guessed, where something speaks for it; English, where its words alone do.

    To a detector that knows letters only, code and lists of names may be in any language.
    """
    words = folded(sample)
    counts = spoken(words)
    best = max((*UNKNOWN, guess), key=counts.__getitem__)
    if counts[best] <= max(COMMON * len(words), RATIO * counts[guess]):
        best = guess
    # Without their accents, many words of Vietnamese are English.
    plain = words if sample.isascii() else bare(sample.lower())
    english = kinds("en", plain)
    if kinds(best, words) >= max(KINDS, english):
        return best
    if share("en", plain) < COMMON:
        if _is_accented(sample):
            return best
        if guess not in STOP_WORDS and _is_prose(sample):
            return guess
    return "en" if english and counts["en"] >= counts[guess] else ""


def _is_accented(sample: str) -> bool:
    return not sample.isascii() and len(ACCENTED.findall(sample)) > ACCENTS * len(sample)


def _is_prose(sample: str) -> bool:
    """Is it in sentences, whatever the language? Most of their words are in small letters."""
    words = sample.split()
    small = sum(word.islower() and word.rstrip(",.;:").isalpha() for word in words)
    return small >= PROSE * len(words)


def _speaks_against(seen: str, claim: str, words: Sequence[str], text: str) -> bool:
    """Is a text so plainly in the language that is seen that it cannot be in the one claimed?"""
    if claim not in _two_letters().values() or claim in UNTOLD.split():
        return False
    if any({claim, seen} <= set(close.split()) for close in CLOSE):
        return False
    if claim in EAST and _by_signs(_middle(text), FEW_SIGNS) == claim:
        return False
    if seen not in STOP_WORDS:
        return True
    # Where all is ASCII, letters and script say nothing.
    enough = not text[:SAMPLE].isascii() or kinds(seen, words) >= FEW_KINDS
    return enough and share(seen, words) > RATIO * share(claim, words)


@cache
def _letters() -> dict[str, str]:
    return dict(map(str.split, _lines("letters.txt")))


@cache
def _telling() -> re.Pattern[str]:
    return re.compile(f"[{''.join(_letters().values())}]")


@cache
def _two_letters() -> dict[str, str]:
    """ISO 639-3 codes and the two letters of ISO 639-1 for the same languages."""
    return dict(map(str.split, _lines("languages.txt")))


def _lines(name: str) -> list[str]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
