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
    """The script it stems, one of `text.analyzer.SCRIPT_PATTERNS`; other words are stemmed as
    English or Russian."""
    strips_prefixes: bool = False
    """Whether it also removes letters from the beginning of words."""
    changes_first_letters: bool = False
    """Whether it changes the first letters of a stem (Dutch boten becomes boot). The stemmers of
    Arabic, Persian and Turkish do so in few words, which are ignored."""


class DetectionHints(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hints for language detection, in addition to function words."""

    in_detector: bool = True
    """False where the statistical detector does not know the language, so that its guess does not
    count against a page that declares it."""
    letters: str = ""
    """Letters that its neighbours do not have."""
    letters_order: int = 0
    """Languages are tested by their letters in this order: Kazakh ғ and қ are Tajik letters, too,
    so Tajik is tested first."""
    characters: str = ""
    """A range of characters, as in a regular expression, for languages without spaces."""
    similar_to: tuple[str, ...] = ()
    """Languages that are easily confused with it: among them, the declared one is used."""


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The data of one language."""

    code: str = ""
    """ISO 639-1, from the file's name."""
    names: tuple[str, ...] = ()
    """Its names for the `lang:` operator, in English and in itself."""
    iso639_3: tuple[str, ...] = ()
    """Its three-letter codes; pages declare some, and the detector returns them."""
    has_compounds: bool = False
    """Whether the language forms compounds, so that unknown words are split."""
    word_lists_of: str = ""
    """The language whose stop words and endings it shares."""
    stop_words: str = ""
    """Function words: articles, pronouns, prepositions, conjunctions, forms of to be."""
    question_words: str = ""
    """Further stop words of queries: interrogatives and inflected function words."""
    negations: str = ""
    """Function words that change the meaning of a query and are not stop words in it: boots without
    heels, boots for women."""
    accented_endings: str = ""
    """Accented endings that matter to the stemmer and that people type without the accent. Chosen
    as the most frequent causes of missed matches: in Snowball's vocabularies for es, fr, it and
    pt, in the messages of free programs for the others."""
    generic_titles: tuple[str, ...] = ()
    """Titles and main headings that do not describe a page."""
    numbered_parts: tuple[str, ...] = ()
    """Parts of a text that have a number and maybe no name: chapter, figure."""
    months: tuple[str, ...] = ()
    """The twelve months, each with all its forms; no form means two months in any language."""
    stemmer: SnowballStemmer | None = None
    """English and Russian have none here: words are stemmed as one of them by their script."""
    detection: DetectionHints = DetectionHints()


@cache
def all_languages() -> Mapping[str, Language]:
    """Every language with a file, by its code, in alphabetical order."""
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

    Languages that share another's lists come last: in a tie, detection prefers the first language.
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
