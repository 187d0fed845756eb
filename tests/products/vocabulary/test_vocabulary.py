"""The product vocabulary: its files, their errors, and the lookup of names and values."""

import pytest

from byway.core.errors import SettingsError
from byway.core.messages import languages
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
    ("name", "attribute"),
    [("Страна", "country"), ("страна-производитель", "country"), ("Country of origin", "country"),
     ("ЦВЕТ", "colour"), ("Colours", "colour"), ("Материал верха", "material"), ("размеры", "size"),
     ("Цвет шнурков", ""), ("", "")],
)  # fmt: skip
def test_an_attribute_has_many_names(name: str, attribute: str) -> None:
    assert default_vocabulary().find_attribute(name) == attribute


@pytest.mark.parametrize("text", ["женская обувь", "для женщин", "Женские", "women", "Women's"])
def test_spellings_of_women_are_one_value(text: str) -> None:
    assert default_vocabulary().find_values("gender", text) == ("women",)


def test_a_value_is_followed_by_its_ancestors() -> None:
    assert default_vocabulary().find_values("colour", "бордовый") == ("burgundy", "red")
    assert default_vocabulary().find_values("colour", "красный") == ("red",)
    assert default_vocabulary().find_values("gender", "унисекс") == ("unisex", "women", "men")


def test_artificial_leather_is_no_leather() -> None:
    assert default_vocabulary().find_values("material", "искусственная кожа") == (
        "artificial leather",
    )
    assert "leather" in default_vocabulary().find_values("material", "лаковая кожа")


def test_the_longest_phrase_counts() -> None:
    (mention,) = default_vocabulary().mentions(terms("rubber boots"))
    assert (mention.attribute, mention.value) == ("kind", "rubber boots")


def test_closed_toe_and_wedge_are_different_values() -> None:
    closed, wedge = (
        [(each.attribute, each.value) for each in default_vocabulary().mentions(terms(text))]
        for text in ("туфли с закрытым носом", "туфли на танкетке")
    )
    assert closed == [("kind", "shoes"), ("toe", "closed")]
    assert wedge == [("kind", "shoes"), ("heel", "wedge")]


def test_every_value_has_words_and_a_label_in_every_language() -> None:
    for attribute in default_vocabulary().attributes.values():
        for value in attribute.values.values():
            spelled = default_vocabulary().value_by_spelling(attribute.name).values()
            assert value.name in spelled, f"{attribute.name} {value.name}"
            assert value.labels.keys() == set(languages()) - {"en"}, (attribute.name, value.name)


def test_another_file_adds_values() -> None:
    more = '[colour.values]\ncoral = { in = "red", words = ["коралловый"] }'
    vocabulary = build_vocabulary({"a.toml": COLOURS, "b.toml": more})
    assert vocabulary.find_values("colour", "коралловый") == ("coral", "red")
    assert vocabulary.find_values("colour", "марсала") == ("wine", "red")
    assert vocabulary.attributes["colour"].query_use == "filter"


def test_a_later_layer_overrides_and_adds() -> None:
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


def test_the_vocabulary_covers_many_kinds_of_shops() -> None:
    expected = {"платье миди": "dress", "рюкзак": "backpack", "наушники": "headphones",
              "учебник": "textbook", "hoodie": "hoodie", "suitcase": "suitcase",
              "laptop": "laptop", "audiobook": "audiobook"}  # fmt: skip
    for text, kind in expected.items():
        assert kind in default_vocabulary().find_mentioned_values("kind", text), text
    assert default_vocabulary().find_attribute("Диагональ экрана") == "screen"
    assert default_vocabulary().find_attribute("Издательство") == "publisher"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [("[a]\n[colour\n", "vocabulary_not_toml", 0),
     ("[colour]\nquerry = 'x'", "unknown_key", 2),
     ("colour = 'x'", "not_a_table", 1),
     ("[colour.values]\nred = { in = 'red', word = ['x'] }", "unknown_key", 2),
     ("[colour]\nquery = 'x'", "bad_query_or_text", 1),
     ("[colour]\nvalues = 'x'", "values_not_a_table", 1),
     ("[colour.values]\nred = ['red']", "value_not_a_table", 2),
     ("[colour.values]\nred = { words = 'red' }", "not_a_list", 2),
     ("[colour]\nru = 7", "not_a_text", 1),
     ("[my-colour]\nru = 'x'", "bad_attribute_name", 1),
     ("[colour.values]\nred = { words = ['!'] }", "phrase_length", 2),
     ("[colour.values]\nred = { in = 'blood', words = ['red'] }", "unknown_parent", 2),
     ("[a.values]\nx = { words = ['red'] }\n[b.values]\ny = { words = ['Red'] }",
      "ambiguous_word", 4)],
)  # fmt: skip
def test_an_error_in_a_file_has_a_code_and_a_line(text: str, code: str, line: int) -> None:
    with pytest.raises(SettingsError) as caught:
        build_vocabulary({"mine.toml": text})
    assert caught.value.code == f"products.{code}"
    place = f"mine.toml, line {line}: " if line else "mine.toml: "
    assert str(caught.value).startswith(place)


def test_an_error_in_a_file_names_the_cure() -> None:
    text = "[a.values]\nx = { words = ['red'] }\n[b.values]\ny = { words = ['Red'] }"
    with pytest.raises(
        SettingsError, match="'Red' is ambiguous: both x a and y b list it; remove it"
    ):
        build_vocabulary({"mine.toml": text})
    with pytest.raises(SettingsError, match=r"line 2: colour.values.red: write \{ words = "):
        build_vocabulary({"mine.toml": "[colour.values]\nred = ['red']"})
