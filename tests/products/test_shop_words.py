"""What shops call things, unified by data files."""

import pytest

from byway.core.errors import SettingsError
from byway.core.text import terms
from byway.products.vocabulary.lookup import build_vocabulary, default_vocabulary

COLOURS = """
[colour]
names = ["цвет"]
query = "filter"
[colour.values]
red = { words = ["красный", "red"] }
wine = { in = "red", words = ["винный"], also = ["марсала"] }
"""


@pytest.mark.parametrize(
    ("said", "ours_is"),
    [("Страна", "country"), ("страна-производитель", "country"), ("Country of origin", "country"),
     ("ЦВЕТ", "colour"), ("Colours", "colour"), ("Материал верха", "material"), ("размеры", "size"),
     ("Цвет шнурков", ""), ("", "")],
)  # fmt: skip
def test_shops_call_one_attribute_by_many_names(said: str, ours_is: str) -> None:
    assert default_vocabulary().find_attribute(said) == ours_is


@pytest.mark.parametrize("said", ["женская обувь", "для женщин", "Женские", "women", "Women's"])
def test_all_that_means_women_is_one_value(said: str) -> None:
    assert default_vocabulary().find_values("gender", said) == ("women",)


def test_a_shade_belongs_to_its_family_and_not_the_other_way_round() -> None:
    assert default_vocabulary().find_values("colour", "бордовый") == ("burgundy", "red")
    assert default_vocabulary().find_values("colour", "красный") == ("red",)
    assert default_vocabulary().find_values("gender", "унисекс") == ("unisex", "women", "men")


def test_artificial_leather_is_no_leather() -> None:
    assert default_vocabulary().find_values("material", "искусственная кожа") == (
        "artificial leather",
    )
    assert "leather" in default_vocabulary().find_values("material", "лаковая кожа")


def test_the_longest_phrase_is_what_is_meant() -> None:
    (one,) = default_vocabulary().mentions(terms("rubber boots"))
    assert (one.attribute, one.value) == ("kind", "rubber boots")


def test_closed_toe_and_wedge_are_different_things() -> None:
    closed, wedge = (
        [(one.attribute, one.value) for one in default_vocabulary().mentions(terms(text))]
        for text in ("туфли с закрытым носом", "туфли на танкетке")
    )
    assert closed == [("kind", "shoes"), ("toe", "closed")]
    assert wedge == [("kind", "shoes"), ("heel", "wedge")]


def test_every_value_can_be_named_by_its_own_words() -> None:
    for attribute in default_vocabulary().attributes.values():
        for value in attribute.values.values():
            named = default_vocabulary().value_by_spelling(attribute.name).values()
            assert value.name in named, f"{attribute.name} {value.name}"
            assert value.russian_label, f"{attribute.name} {value.name} has no Russian name"


def test_a_file_more_adds_to_what_is_known() -> None:
    more = '[colour.values]\ncoral = { in = "red", words = ["коралловый"] }'
    vocabulary = build_vocabulary({"a.toml": COLOURS, "b.toml": more})
    assert vocabulary.find_values("colour", "коралловый") == ("coral", "red")
    assert vocabulary.find_values("colour", "марсала") == ("wine", "red")
    assert vocabulary.attributes["colour"].query_use == "filter"


def test_a_later_layer_has_the_last_word_and_loses_nothing() -> None:
    more = """
[colour]
names = ["оттенок"]
[colour.values]
red = { ru = "алый", words = ["пунцовый"] }
claret = { in = "wine", words = ["винный"] }
"""
    vocabulary = build_vocabulary({"a.toml": COLOURS}, {"mine.toml": more})
    assert vocabulary.find_attribute("Оттенок") == vocabulary.find_attribute("цвет") == "colour"
    assert vocabulary.find_values("colour", "красный пунцовый") == ("red",)
    assert vocabulary.find_values("colour", "винный") == ("claret", "wine", "red")
    assert vocabulary.value_label("colour", "red", "ru") == "алый"
    assert vocabulary.value_label("colour", "none", "ru") == "none"
    assert vocabulary.attribute_label("no_such") == "no such"


def test_a_strangers_shop_of_any_kind_has_words() -> None:
    wanted = {"платье миди": "dress", "рюкзак": "backpack", "наушники": "headphones",
              "учебник": "textbook", "hoodie": "hoodie", "suitcase": "suitcase",
              "laptop": "laptop", "audiobook": "audiobook"}  # fmt: skip
    for said, kind in wanted.items():
        assert kind in default_vocabulary().find_mentioned_values("kind", said), said
    assert default_vocabulary().find_attribute("Диагональ экрана") == "screen"
    assert default_vocabulary().find_attribute("Издательство") == "publisher"


@pytest.mark.parametrize(
    ("text", "told"),
    [("[a]\n[colour\n", "mine.toml: not TOML: .*line 2"),
     ("[colour]\nquerry = 'x'", r"mine.toml, line 2: \[colour\] has 'querry'; it may have ru"),
     ("colour = 'x'", r"line 1: \[colour\] must be a table"),
     ("[colour.values]\nred = { in = 'red', word = ['x'] }", "line 2: .*red has 'word'"),
     ("[colour]\nquery = 'x'", "line 1: .*query is filter or title"),
     ("[colour.values]\nred = ['red']", "line 2: colour.values.red: write"),
     ("[colour.values]\nred = { words = 'red' }", "line 2: .*words must be a list of texts"),
     ("[colour]\nru = 7", "ru must be a text in quotes"),
     ("[my-colour]\nru = 'x'", "line 1: .*must be one word"),
     ("[colour.values]\nred = { words = ['!'] }", "line 2: '!' has no word"),
     ("[colour.values]\nred = { in = 'blood', words = ['red'] }",
      "line 2: .*'blood', which is no value; add it"),
     ("[a.values]\nx = { words = ['red'] }\n[b.values]\ny = { words = ['Red'] }",
      "line 4: 'Red' would be both x a and y b; take it out")],
)  # fmt: skip
def test_a_mistake_in_a_file_is_told_with_its_line_and_cure(text: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        build_vocabulary({"mine.toml": text})
