"""The language files are consistent with each other and with the libraries they name."""

from collections import Counter

import Stemmer

from byway.core.languages import all_languages, stemmers, word_lists
from byway.core.text.characters import SCRIPTS

LANGUAGES = all_languages().values()


def test_every_stemmer_exists_and_has_a_known_script() -> None:
    for stemmer in stemmers().values():
        assert stemmer.snowball in Stemmer.algorithms()
        assert stemmer.script in SCRIPTS


def test_no_month_name_means_two_months() -> None:
    months = {
        (name.casefold(), number)
        for language in LANGUAGES
        for number, names in enumerate(language.months)
        for name in names.split()
    }
    assert not [name for name, times in Counter(name for name, _ in months).items() if times > 1]
    assert {len(language.months) for language in LANGUAGES} <= {0, 12}


def test_no_name_or_code_belongs_to_two_languages() -> None:
    for field in ("names", "iso639_3"):
        values = Counter(value for language in LANGUAGES for value in getattr(language, field))
        assert max(values.values()) == 1


def test_a_language_may_share_the_word_lists_of_another() -> None:
    stop_words = word_lists("stop_words")
    assert stop_words["nn"] == stop_words["nb"] == stop_words["no"]
    assert list(stop_words)[-2:] == ["nb", "nn"]


def test_distinctive_letters_are_tested_in_one_order() -> None:
    orders = [
        language.detection.letters_order for language in LANGUAGES if language.detection.letters
    ]
    assert len(set(orders)) == len(orders)
