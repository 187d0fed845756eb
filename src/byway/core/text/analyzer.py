"""Analyzer: turns a text into index terms, stemmed in its language."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from zlib import crc32

import Stemmer

from byway.core.languages import stemmers, word_lists
from byway.core.text import characters, stemmer_ru
from byway.core.text.characters import HYPHEN, MAX_TOKEN_CHARS, SCRIPTS
from byway.core.text.tokenizer import (
    WORD_PATTERN,
    bigrams,
    fold_accents,
    fold_text,
    split_word,
    surface_form,
    surface_forms,
    tokenize,
)

LANGUAGES = {code: (stemmer.snowball, stemmer.script) for code, stemmer in stemmers().items()}
"""Languages with their own stemmer: its Snowball name and the script it stems."""

TURKISH = "tr"
"""The language with its own lowercase rules: I and ı, İ and i."""


def analysis_digest() -> int:
    """A 32-bit hash of the tokenizer table and the stemmers, on which the terms depend."""
    table = {
        name: value
        for name, value in vars(characters).items()
        if name.isupper() and not isinstance(value, frozenset)  # which has no fixed order
    }
    return crc32(repr((table, LANGUAGES)).encode())


def terms(text: str, language: str = "") -> list[str]:
    """The index terms of a text, in order."""
    analyzer = _analyzer_for(language if language in LANGUAGES else "")
    return list(chain.from_iterable(map(analyzer.__getitem__, WORD_PATTERN.findall(text))))


def terms_per_language(text: str, languages: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The distinct analyses of a text: without a language, and in each of these languages."""
    if text.isalnum() and text.isascii():  # like most typed words
        word = text.lower()[:MAX_TOKEN_CHARS]
        return [
            analyzer[text] if analyzer.is_turkish else (analyzer.ascii_term(word),)
            for analyzer in _ascii_analyzers(languages)
        ]
    words = WORD_PATTERN.findall(text)
    analyzers = _ascii_analyzers(languages) if text.isascii() else _analyzers(languages)
    return [tuple(chain.from_iterable(map(analyzer.__getitem__, words))) for analyzer in analyzers]


def terms_of_words(words: Sequence[str], languages: tuple[str, ...]) -> Iterable[str]:
    """The terms of lowercase ASCII words, without a language and in each of these languages."""
    return chain.from_iterable(
        analyzer.ascii_terms(words) for analyzer in _ascii_analyzers(languages)
    )


def terms_of_lowercase_words(words: Sequence[str], language: str = "") -> list[str]:
    """The term of each of these lowercase words; faster than `terms`."""
    return _analyzer_for(language if language in LANGUAGES else "").lowercase_terms(words)


def terms_and_words(text: str, language: str = "") -> tuple[list[str], list[str]]:
    """The results of `terms` and `surface_forms` for a short text, in one pass.

    Nothing is cached, except for Turkish.
    """
    if language == TURKISH:
        return terms(text, language), surface_forms(text)
    analyzer = _analyzer_for(language if language in LANGUAGES else "")
    if text.isascii() and text.isalnum():  # nearly always
        word = text.lower()[:MAX_TOKEN_CHARS]
        return [analyzer.term(word)], [word]
    word_terms: list[str] = []
    forms: list[str] = []
    for written in WORD_PATTERN.findall(text):
        if written.isascii() and written.isalnum():
            forms.append(written.lower()[:MAX_TOKEN_CHARS])
            word_terms.append(analyzer.term(forms[-1]))
        elif pairs := bigrams(written):
            word_terms += pairs
            forms += pairs
        else:
            for part, _, _ in split_word(written):
                word_terms.append(analyzer.term(part))
                forms.append(surface_form(written, part))
    return word_terms, forms


def terms_by_word(language: str = "") -> Mapping[str, tuple[str, ...]]:
    """A lookup table with the terms of each written word, for callers with many words."""
    return _analyzer_for(language if language in LANGUAGES else "")


def term_spans(
    text: str, language: str = "", first: int = 0, last: int = 2**62
) -> list[tuple[str, int, int]]:
    """Each term of the words that start from `first` to `last`, with its start and end."""
    terms_of = terms_by_word(language)
    spans: list[tuple[str, int, int]] = []
    for match in WORD_PATTERN.finditer(text, first):
        start, end = match.span()
        if start >= last:
            break
        word_terms = terms_of[written := match.group()]
        if len(word_terms) == 1:
            spans.append((word_terms[0], start, end))
        else:
            inner_spans = zip(word_terms, _term_spans(written, word_terms, terms_of), strict=True)
            spans += [(term, start + a, start + b) for term, (a, b) in inner_spans]
    return spans


def _term_spans(
    written: str, word_terms: tuple[str, ...], terms_of: Mapping[str, tuple[str, ...]]
) -> list[tuple[int, int]]:
    """The spans of several terms, or none, within one match of WORD_PATTERN."""
    spans = [(start, end) for _, start, end in split_word(written)] if word_terms else []
    # Ligatures and combining marks change the length of the text and shift the spans.
    if all(
        terms_of[written[a:b]] == (term,) for term, (a, b) in zip(word_terms, spans, strict=True)
    ):
        return spans
    return [(0, len(written))] * len(word_terms)


class _Analyzer(dict[str, tuple[str, ...]]):
    """Caches the terms of each written word. Pages repeat words, so nearly all lookups hit.

    A written word usually has one term; ½ has two, and some letters have none.
    """

    def __init__(self, language: str) -> None:
        self._max_words = 50_000 if language else 500_000
        self.is_turkish = language == TURKISH
        self.english_stemmer = Stemmer.Stemmer("english", 0)
        self._stemmer = None
        if language:
            name, script = LANGUAGES[language]
            self._stemmer = Stemmer.Stemmer(name, 0)
            self._script_pattern = re.compile(SCRIPTS[script])
        self.latin_stemmer_name, self._latin_stemmer = "english", self.english_stemmer
        """The stemmer for ASCII words, and its name."""
        if self._stemmer is not None and self._script_pattern.match("a"):
            self.latin_stemmer_name, self._latin_stemmer = name, self._stemmer

    def __missing__(self, written: str) -> tuple[str, ...]:
        if written.isascii() and written.isalnum() and not self.is_turkish:  # nearly always
            word_terms: tuple[str, ...] = (self.term(written.lower()[:MAX_TOKEN_CHARS]),)
        elif pairs := bigrams(written):
            word_terms = tuple(pairs)
        else:
            if self.is_turkish:
                written = written.replace("İ", "i").replace("I", "ı")
            word_terms = tuple([self.term(part) for part, _, _ in split_word(written)])
        # Longer words and Chinese sentences rarely repeat and would only fill the cache.
        if len(written) <= MAX_TOKEN_CHARS and len(word_terms) < 4:
            if len(self) >= self._max_words:
                self.clear()
            self[written] = word_terms
        return word_terms

    def ascii_term(self, word: str) -> str:
        """The term of a lowercase ASCII word."""
        stem: str = (self.english_stemmer if word[0] < "a" else self._latin_stemmer).stemWord(word)
        return (stem if stem.isascii() else fold_accents(stem)) or word

    def ascii_terms(self, words: Sequence[str]) -> Iterable[str]:
        """The terms of lowercase ASCII words, in one call."""
        if self.is_turkish:
            return chain.from_iterable(map(self.__getitem__, words))
        return map(fold_accents, self._latin_stemmer.stemWords(words))

    def term(self, part: str) -> str:
        """The term of a lowercase word."""
        if part[0] > "\u2fff":  # East Asian bigrams have neither accents nor endings
            return part[:MAX_TOKEN_CHARS]
        if self._stemmer is not None and self._script_pattern.match(part):
            # Stem before folding: accents distinguish endings from parts of the word.
            stem: str = self._stemmer.stemWord(part)
            return fold_accents(stem or part)[:MAX_TOKEN_CHARS]
        word = fold_accents(part)[:MAX_TOKEN_CHARS]
        stemmed = (
            stemmer_ru.stem(word) if "а" <= word[0] <= "я" else self.english_stemmer.stemWord(word)
        )
        return stemmed or word

    def lowercase_terms(self, words: Sequence[str]) -> list[str]:
        """The terms of lowercase words, stemmed in one call."""
        short = [word[:MAX_TOKEN_CHARS] for word in words]
        if self._stemmer is None:
            english_stems: list[str] = self.english_stemmer.stemWords(short)
            return [
                stem if stem and word.isascii() else self.term(word)
                for word, stem in zip(short, english_stems, strict=True)
            ]
        stems: list[str] = self._stemmer.stemWords(short)
        in_script = self._script_pattern.match
        return [
            fold_accents(stem)[:MAX_TOKEN_CHARS] if stem and in_script(word) else self.term(word)
            for word, stem in zip(short, stems, strict=True)
        ]


@lru_cache(maxsize=64)
def _analyzers(languages: tuple[str, ...]) -> tuple[_Analyzer, ...]:
    """The analyzer without a language, and the analyzer of each of these languages."""
    known = dict.fromkeys(language for language in languages if language in LANGUAGES)
    return (_analyzer_for(""), *map(_analyzer_for, known))


@lru_cache(maxsize=64)
def _ascii_analyzers(languages: tuple[str, ...]) -> tuple[_Analyzer, ...]:
    """The analyzers whose results differ for ASCII words."""
    found: dict[str, _Analyzer] = {}
    for analyzer in _analyzers(languages):
        found.setdefault(analyzer.latin_stemmer_name, analyzer)
    return tuple(found.values())


@cache
def _analyzer_for(language: str) -> _Analyzer:
    return _Analyzer(language)


MAX_SHORT_NUMBER_DIGITS = 3
"""Maximum digits of numbers that are always indexed: chapters, versions, sizes."""


def is_indexable_term(term: str) -> bool:
    """Whether a term is a word, a short number, or a possible year (1000 to 2999).

    Prices, article numbers and counters would bloat the index and are rarely searched for.

    >>> [t for t in ("room", "42", "2024", "9000", "31415926", "x86") if is_indexable_term(t)]
    ['room', '42', '2024', 'x86']
    """
    return (
        not term.isdigit()
        or len(term) <= MAX_SHORT_NUMBER_DIGITS
        or (len(term) == 4 and term[0] in "12")
    )


Terms = tuple[str, ...]
PLAIN_WORD_PATTERN = re.compile("[a-z]{1,60}")
INNER_HYPHEN_PATTERN = re.compile(rf"(?<=[^\W\d_])[{HYPHEN.signs}](?=[^\W\d_])")


def analyze_word(word: str, languages: Collection[str] = ()) -> tuple[Terms, ...]:
    """The analyses of a typed word, without a language and in each of these languages.

    An analysis is one term, or several adjacent ones for a compound.
    """
    return _analyze_word(word, tuple(languages))


@lru_cache(maxsize=20_000)
def _analyze_word(word: str, languages: tuple[str, ...]) -> tuple[Terms, ...]:
    found = terms_per_language(word, languages)
    if word.isascii() and word.lower().endswith(_plain_endings(languages)):
        accented = _with_accented_endings(word, languages)
        found += [tuple(terms(spelling, language)) for language, spelling in accented]
    joined = word if word.isalnum() else INNER_HYPHEN_PATTERN.sub("", word)
    if joined != word:  # wi-fi matches wifi
        found += terms_per_language(joined, languages)
    return _distinct(found)


def analyze_words(words: Sequence[str], languages: tuple[str, ...]) -> tuple[Terms, ...]:
    """All analyses of these folded words."""
    endings = _plain_endings(languages)
    plain = [
        word for word in words if PLAIN_WORD_PATTERN.fullmatch(word) and not word.endswith(endings)
    ]
    found = [(term,) for term in terms_of_words(plain, languages)]
    others = (one for word in {*words}.difference(plain) for one in _analyze_word(word, languages))
    return _distinct((*found, *others))


def analyze_exact(text: str, languages: tuple[str, ...]) -> tuple[Terms, ...]:
    """The analyses of quoted text, which must match as typed."""
    return _exact_word(text, languages) if text.isalnum() else _exact_text(text, languages)


def _exact_text(text: str, languages: tuple[str, ...]) -> tuple[Terms, ...]:
    return _distinct(terms_per_language(text, languages))


_exact_word = lru_cache(maxsize=20_000)(_exact_text)
"""Caches single words only: longer texts are rarely searched for again."""


def _distinct(analyses: Iterable[Terms]) -> tuple[Terms, ...]:
    """Each non-empty analysis once."""
    return tuple(dict.fromkeys(filter(None, analyses)))


def _with_accented_endings(word: str, languages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Restore the accents that change the stem of a word typed without them, by language."""
    lowercase = word.lower()
    for language, plain, accented in _endings(languages):
        if lowercase.endswith(plain):
            yield language, word[: -len(plain)] + accented


@lru_cache(maxsize=64)
def _plain_endings(languages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple({plain for _, plain, _ in _endings(languages)})


@lru_cache(maxsize=64)
def _endings(languages: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Accented endings of these languages: (language, ending without accents, ending)."""
    lists = word_lists("accented_endings")
    return tuple(
        (language, fold_accents(ending), ending)
        for language in languages
        for ending in lists.get(language, "").split()
    )


STOP_WORD_LISTS = word_lists("stop_words")


def _folded_words(field: str) -> Mapping[str, frozenset[str]]:
    return {
        language: frozenset(fold_text(words).split())
        for language, words in word_lists(field).items()
    }


STOP_WORDS = _folded_words("stop_words")
"""The folded stop words of each language that has a list, by two-letter code."""
QUESTION_WORDS = _folded_words("question_words")
NEGATIONS = _folded_words("negations")


def stop_words_in(typed: Sequence[str], languages: Collection[str]) -> frozenset[str]:
    """The stop words of a query, in the language with the most of them.

    Empty if the query has no other words.
    """
    in_any_language = _query_stop_words_of(tuple(languages))
    tokenized = ((word, tokenize(word)) for word in typed)
    candidates = {
        word: tokens for word, tokens in tokenized if tokens and in_any_language.issuperset(tokens)
    }
    best: frozenset[str] = frozenset()
    for language in (*languages, "") if candidates else ():
        stop_words = _query_stop_words(language if language in STOP_WORDS else "")
        words = frozenset(
            word for word, tokens in candidates.items() if stop_words.issuperset(tokens)
        )
        best = words if len(words) > len(best) else best
    return best if len(best) < len({*typed}) else frozenset()


@lru_cache(maxsize=64)
def _query_stop_words_of(languages: tuple[str, ...]) -> frozenset[str]:
    """The query stop words of all these languages."""
    listed = (language if language in STOP_WORDS else "" for language in (*languages, ""))
    return frozenset[str]().union(*map(_query_stop_words, listed))


@cache
def _query_stop_words(language: str) -> frozenset[str]:
    """The query stop words of a language; English and Russian ones if there is no language."""
    words: set[str] = set(_text_stop_words(language))
    for code in (language,) if language else ("en", "ru"):
        words |= QUESTION_WORDS.get(code, frozenset())
        words -= NEGATIONS.get(code, frozenset())
    return frozenset(words)


def is_stop_word(word: str, language: str = "") -> bool:
    """Whether a word, or its term, is a stop word of the language.

    Languages without a list use the English and Russian ones.
    """
    return word in _text_stop_words(language if language in STOP_WORDS else "")


@cache
def _text_stop_words(language: str) -> frozenset[str]:
    """The folded stop words of a language, and their stems."""
    words: set[str] = set()
    for code in (language,) if language else ("en", "ru"):
        words |= STOP_WORDS[code].union(terms(STOP_WORD_LISTS[code], code))
    return frozenset(words)
