"""The words of a document that the term dictionary counts: those of its title and first lines."""

from zlib import crc32

from byway.core.model import Document
from byway.core.text import surface_forms
from byway.index.dictionary.edit_distance import MAX_WORD_CHARS
from byway.index.dictionary.surface_forms import SURFACE_FORM_SEPARATOR, dictionary_keys

MIN_WORD_CHARS = 3
COUNTED_TEXT_CHARS = 4000
"""Number of leading characters of a text in which words are counted: key words occur early."""
MAX_CACHED_CHUNKS = 500_000


class _WordCache(dict[str, tuple[str, ...]]):
    """Maps each chunk between white space to its dictionary keys; a cache, as pages repeat chunks.

    Words with digits have no dictionary keys, because they have no correct spelling.
    """

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        keys = (key for word in surface_forms(chunk) for key in dictionary_keys(word))
        cached_keys = tuple(filter(is_dictionary_key, keys))
        if len(chunk) <= 2 * MAX_WORD_CHARS:
            if len(self) >= MAX_CACHED_CHUNKS:
                self.clear()
            self[chunk] = cached_keys
        return cached_keys


_word_cache = _WordCache()


def document_words(document: Document) -> set[str]:
    """The distinct dictionary keys of a document."""
    chunks = {*document.title.split(), *counted_text(document.text).split()}
    return {key for chunk in chunks for key in _word_cache[chunk]}


def counted_text(text: str) -> str:
    """The first lines of a text, up to white space: no word is cut."""
    if len(text) <= COUNTED_TEXT_CHARS:
        return text
    start = text[:COUNTED_TEXT_CHARS]
    return start[: max(start.rfind(" "), start.rfind("\n")) + 1]


def word_code(key: str) -> int:
    """The code under which the forward index knows a dictionary key."""
    return crc32(key.encode())


def is_dictionary_key(key: str) -> bool:
    """Whether the key is a word that is counted, or the surface form of one."""
    if key.isalpha():
        return MIN_WORD_CHARS <= len(key) <= MAX_WORD_CHARS
    if key[:1] != SURFACE_FORM_SEPARATOR:
        return False
    _, word, form = key.split(SURFACE_FORM_SEPARATOR)
    return MIN_WORD_CHARS <= len(word) <= MAX_WORD_CHARS and word.isalpha() and form.isalpha()
