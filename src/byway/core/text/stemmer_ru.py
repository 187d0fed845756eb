"""Russian stemmer: Snowball, extended to conflate more forms of a word.

A form without an ending (журнал, систем) often looks as if it had one (писал, зонтам), so Snowball
cuts it shorter than журнала and система. Stemming a second time gives all forms the same stem.
Fleeting vowels (рынок, рынка; отец, отца) are always removed.

>>> [stem(word) for word in ("журнал", "журнала", "систем", "система", "рынок", "рынка")]
['журна', 'журна', 'сист', 'сист', 'рынк', 'рынк']
"""

import re

import Stemmer

VOWELS = "аеиоуыэюя"
FLEETING_VOWEL_PATTERN = re.compile(
    f"(?<=[^{VOWELS}])[ое](?=к$)|(?<=[^{VOWELS}])е(?=ц$)|ь(?=[кц]$)"
)
VOWEL_AFTER_VOWEL_PATTERN = re.compile(f"(?<=[{VOWELS}])е(?=[кц]$)")
MIN_RESTEMMED_CHARS = 4
"""Minimum length after the second cut: with fewer letters, different words would merge."""
MIN_STEM_CHARS = 3

_snowball = Stemmer.Stemmer("russian", 0)


def stem(word: str) -> str:
    """The stem of a folded word."""
    snowball_stem: str = _snowball.stemWord(word)
    # A stem that ends in a vowel has lost its ending: материа would merge with матери. On
    # danetqa-ru and xquad-ru, this rule with a single second cut beat repeated cuts.
    if snowball_stem and snowball_stem[-1] not in VOWELS:
        shorter: str = _snowball.stemWord(snowball_stem)
        snowball_stem = shorter if len(shorter) >= MIN_RESTEMMED_CHARS else snowball_stem
    return _without_fleeting_vowel(snowball_stem)


def _without_fleeting_vowel(word_stem: str) -> str:
    """The stem without the vowel before a final к or ц; after a vowel it becomes й (китаец)."""
    changed = VOWEL_AFTER_VOWEL_PATTERN.sub("й", FLEETING_VOWEL_PATTERN.sub("", word_stem))
    return changed if len(changed) >= MIN_STEM_CHARS else word_stem
