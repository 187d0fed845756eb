"""What is the stem of a Russian word? One for all its forms, as far as rules can tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors import vector_path

from byway.core.text import terms
from byway.core.text.stemmer_ru import stem


@pytest.mark.parametrize(
    "forms",
    [
        "книга книги книг книгу книгой",
        "город города городов городе городах",
        # Without an ending, these end as verbs or as nouns in other cases do.
        "журнал журнала журналы журналов",
        "материал материалы материалов",
        "канал каналы каналов",
        "роман романа романы",
        "океан океана океаны",
        "экзамен экзамена экзаменов",
        "автомобиль автомобиля автомобили",
        "система системы систем",
        "проблема проблемы проблем",
        "альбом альбома альбомы",
        "состав состава составы",
        "время времени времена времён",
        # A vowel that comes and goes.
        "рынок рынка рынки",
        "замок замка замки",
        "отец отца отцы отцов",
        "палец пальца пальцы",
        "китаец китайца китайцы",
        "девушка девушки девушек",
        "оценка оценки оценок",
        "копейка копейки копеек",
        "ботинок ботинки ботинка",
    ],
)
def test_all_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len(set(terms(forms))) == 1


@pytest.mark.parametrize(
    "different",
    [
        "материал матери",
        "остановить оставить установить",
        "роман рома римлянин",
        "канал канва конь",
        "кот код кит",
        "урок рок срок",
        "стол столица стул",
        "план плен плод",
        "замок замена замер",
        "закон заказ закат",
    ],
)
def test_different_words_have_different_stems(different: str) -> None:
    found = terms(different)
    assert len(set(found)) == len(found)


def test_words_that_snowball_unifies_stay_unified() -> None:
    folder = vector_path("text/snowball-data") / "russian"
    written = (folder / "voc.txt").read_text(encoding="utf-8").split()
    theirs = (folder / "output.txt").read_text(encoding="utf-8").split()
    ours = dict[str, set[str]]()
    for word, root in zip(written, theirs, strict=True):
        ours.setdefault(root.replace("ё", "е"), set()).update(terms(word))
    assert [root for root, found in ours.items() if len(found) > 1] == []
    # Neither as many stems as Snowball has, nor so few that words lose their meaning.
    assert 0.91 < len(set[str]().union(*ours.values())) / len(ours) < 0.95


@given(st.text("абейкльноцья", min_size=1, max_size=12))
def test_odd_words_have_stems_too(word: str) -> None:
    assert len(terms(word)) == 1
    assert len(stem(word)) <= len(word)
