"""What is the stem of a Russian word? Snowball's, made one for forms of a word that it parts.

A form without an ending (журнал, систем) often ends as if it had one (писал, зонтам), and Snowball
cuts it shorter than журнала and система. So what it leaves of those is stemmed once more: all forms
are cut alike. A vowel that comes and goes (рынок, рынка; отец, отца) goes everywhere.

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
"""Letters that a second cut leaves: of fewer, many different words would be one."""
MIN_STEM_CHARS = 3

_snowball = Stemmer.Stemmer("russian", 0)


def stem(word: str) -> str:
    """The stem of a folded word."""
    found: str = _snowball.stemWord(word)
    # What ends in a vowel has lost its ending: материа, which would become one with матери. On
    # danetqa-ru and xquad-ru that, and cutting once, beat cutting until nothing more goes.
    if found and found[-1] not in VOWELS:
        shorter: str = _snowball.stemWord(found)
        found = shorter if len(shorter) >= MIN_RESTEMMED_CHARS else found
    return _settled(found)


def _settled(found: str) -> str:
    """Without the vowel before a last к or ц (палец, пальца), which after a vowel is й (китаец)."""
    settled = VOWEL_AFTER_VOWEL_PATTERN.sub("й", FLEETING_VOWEL_PATTERN.sub("", found))
    return settled if len(settled) >= MIN_STEM_CHARS else found
