"""Languages: word lists, stemmers and detection hints, one TOML file each (`sv.toml`).

To add a language, add its file here and its name to the message files. Every field is optional.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec


class SnowballStemmer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The Snowball stemmer of a language, with the properties that highlighting needs."""

    snowball: str
    """Its name in PyStemmer."""
    script: str
    """The script it stems, one of `text.characters.SCRIPTS`; words in other scripts are
    stemmed as English or Russian."""
    stable_prefix_chars: int | None = None
    """How many first letters of a word are surely those of its stem, unless the stem has but one; 0
    if it may change or remove the first letter, as of Arabic articles and Indonesian prefixes.
    Unset, all letters of the stem but the last two, as for the words of Snowball's vocabularies
    and of translated messages of free software."""


class DetectionHints(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hints for language detection, in addition to function words."""

    in_detector: bool = True
    """False if the statistical detector does not know the language: its guess must not overrule a
    page that declares it."""
    letters: str = ""
    """Letters that related languages lack."""
    letters_order: int = 0
    """The order in which languages are tested by their letters: Kazakh ғ and қ are also Tajik
    letters, so Tajik comes first."""
    characters: str = ""
    """A range of characters, as in a regular expression, for languages without spaces."""
    similar_to: tuple[str, ...] = ()
    """Languages that are easily confused with it; the language that the page declares wins."""


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data of one language."""

    code: str = ""
    """ISO 639-1 code, from the file name."""
    names: tuple[str, ...] = ()
    """Its names for the `lang:` operator, in English and in the language itself."""
    iso639_3: tuple[str, ...] = ()
    """Its three-letter codes, which the detector returns and some pages declare."""
    has_compounds: bool = False
    """Whether the language forms compounds, so unknown words are split."""
    word_lists_of: str = ""
    """The language whose stop words and endings it shares."""
    stop_words: str = ""
    """Function words: articles, pronouns, prepositions, conjunctions, forms of to be."""
    question_words: str = ""
    """Additional query stop words: interrogatives and inflected function words."""
    negations: str = ""
    """Function words that change the meaning of a query and so are not query stop words, as in
    `boots without heels` or `boots for women`."""
    accented_endings: str = ""
    """Accented endings that the stemmer needs but people often type without the accent: those that
    cause the most missed matches in Snowball's vocabularies (es, fr, it and pt) or in the messages
    of free software (other languages)."""
    generic_titles: tuple[str, ...] = ()
    """Titles and main headings that do not describe a page."""
    numbered_parts: tuple[str, ...] = ()
    """Words for numbered parts of a text, such as chapter and figure."""
    months: tuple[str, ...] = ()
    """The names of the twelve months, each with all its forms; no form names two months."""
    stemmer: SnowballStemmer | None = None
    """Its stemmer; None for English and Russian, whose stemmers are chosen by script."""
    detection: DetectionHints = DetectionHints()


@cache
def all_languages() -> Mapping[str, Language]:
    """Every language with a file, by code, in alphabetical order."""
    tables = {
        file.name.removesuffix(".toml"): tomllib.loads(file.read_bytes().decode())
        for file in files(__package__).iterdir()
        if file.name.endswith(".toml")
    }
    return {
        code: msgspec.convert({**tables[code], "code": code}, Language) for code in sorted(tables)
    }


def word_lists(field: str) -> Mapping[str, str]:
    """The word list with this name, for every language that has one.

    Languages that share another's lists come last, because detection breaks ties by order.
    """
    languages = all_languages()
    codes = sorted(languages, key=lambda code: (bool(languages[code].word_lists_of), code))
    lists = {
        code: getattr(languages[languages[code].word_lists_of or code], field) for code in codes
    }
    return {code: words for code, words in lists.items() if words}


def stemmers() -> Mapping[str, SnowballStemmer]:
    """The stemmer of every language that has one."""
    return {code: each.stemmer for code, each in all_languages().items() if each.stemmer}
