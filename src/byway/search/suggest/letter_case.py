"""How do pages write a word? As most of them do within a sentence: Apfelkuchen, SQL, pear."""

import re
from collections import Counter
from collections.abc import Sequence

WORD_PATTERN = re.compile(r"[^\W\d_]+\*?")
OPERATORS = frozenset({"AND", "OR", "NOT"})
"""What a question has in capitals is no word."""
LETTER_CASE_SCAN_CHARS = 20_000
"""Characters of a page that are looked at."""


def restore_letter_case(text: str, typed: str, pages: Sequence[str]) -> str:
    """The text with capitals as these pages have them, in all words that were not typed."""

    def cased(found: re.Match[str]) -> str:
        word = found[0]
        return word if word in known else _cased(word, pages)

    known = frozenset(WORD_PATTERN.findall(typed))
    return WORD_PATTERN.sub(cased, text)


def _cased(word: str, pages: Sequence[str]) -> str:
    """A word, or with `*` how one begins; the first of a sentence says nothing of its capitals."""
    letters = word.rstrip("*")
    end = "" if word.endswith("*") else r"(?!\w)"
    within = re.compile(rf"(?<=[^\W_] |[,;:] )(?:{letters}){end}", re.IGNORECASE)
    forms = Counter(
        form for page in pages for form in within.findall(page[:LETTER_CASE_SCAN_CHARS])
    )
    most, times = next(iter(forms.most_common(1)), (letters, 0))
    clear = 2 * times > forms.total() and most not in OPERATORS
    return word.replace(letters, most) if clear else word
