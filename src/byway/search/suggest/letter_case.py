"""Letter case of suggested words, as pages write them within a sentence: Apfelkuchen, SQL, pear."""

import re
from collections import Counter
from collections.abc import Sequence

WORD_PATTERN = re.compile(r"[^\W\d_]+\*?")
QUERY_KEYWORDS = frozenset({"AND", "OR", "NOT"})
"""All-caps words that are query syntax."""
LETTER_CASE_SCAN_CHARS = 20_000
"""Maximum characters scanned per page."""


def restore_letter_case(text: str, typed: str, pages: Sequence[str]) -> str:
    """The text in the letter case of these pages; typed words stay as they are."""

    typed_words = frozenset(WORD_PATTERN.findall(typed))

    def restore(match: re.Match[str]) -> str:
        word = match[0]
        return word if word in typed_words else _most_frequent_case(word, pages)

    return WORD_PATTERN.sub(restore, text)


def _most_frequent_case(word: str, pages: Sequence[str]) -> str:
    """The word, or the prefix before a `*`, in its most frequent case inside sentences."""
    letters = word.rstrip("*")
    end = "" if word.endswith("*") else r"(?!\w)"
    inside_sentence = re.compile(rf"(?<=[^\W_] |[,;:] )(?:{letters}){end}", re.IGNORECASE)
    forms = Counter(
        form for page in pages for form in inside_sentence.findall(page[:LETTER_CASE_SCAN_CHARS])
    )
    form, count = next(iter(forms.most_common(1)), (letters, 0))
    is_majority = 2 * count > forms.total() and form not in QUERY_KEYWORDS
    return word.replace(letters, form) if is_majority else word
