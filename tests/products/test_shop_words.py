"""What shops call things, unified by data files."""

import pytest

from byway.errors import SettingsError
from byway.products.vocabulary import built, ours
from byway.text import terms

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
    assert ours().attribute(said) == ours_is


@pytest.mark.parametrize("said", ["женская обувь", "для женщин", "Женские", "women", "Women's"])
def test_all_that_means_women_is_one_value(said: str) -> None:
    assert ours().values("gender", said) == ("women",)


def test_a_shade_belongs_to_its_family_and_not_the_other_way_round() -> None:
    assert ours().values("colour", "бордовый") == ("burgundy", "red")
    assert ours().values("colour", "красный") == ("red",)
    assert ours().values("gender", "унисекс") == ("unisex", "women", "men")


def test_artificial_leather_is_no_leather() -> None:
    assert ours().values("material", "искусственная кожа") == ("artificial leather",)
    assert "leather" in ours().values("material", "лаковая кожа")


def test_the_longest_phrase_is_what_is_meant() -> None:
    (one,) = ours().mentions(terms("rubber boots"))
    assert (one.attribute, one.value) == ("kind", "rubber boots")


def test_closed_toe_and_wedge_are_different_things() -> None:
    closed, wedge = (
        [(one.attribute, one.value) for one in ours().mentions(terms(text))]
        for text in ("туфли с закрытым носом", "туфли на танкетке")
    )
    assert closed == [("kind", "shoes"), ("toe", "closed")]
    assert wedge == [("kind", "shoes"), ("heel", "wedge")]


def test_every_value_can_be_named_by_its_own_words() -> None:
    for attribute in ours().attributes.values():
        for value in attribute.values.values():
            named = ours().spellings(attribute.name).values()
            assert value.name in named, f"{attribute.name} {value.name}"
            assert value.ru, f"{attribute.name} {value.name} has no Russian name"


def test_a_file_more_adds_to_what_is_known() -> None:
    more = '[colour.values]\ncoral = { in = "red", words = ["коралловый"] }'
    vocabulary = built({"a.toml": COLOURS, "b.toml": more})
    assert vocabulary.values("colour", "коралловый") == ("coral", "red")
    assert vocabulary.values("colour", "марсала") == ("wine", "red")
    assert vocabulary.attributes["colour"].query == "filter"


@pytest.mark.parametrize(
    ("text", "told"),
    [("[colour", "not TOML"), ("[colour]\nquerry = 'x'", r"\[colour\] may have"),
     ("[colour]\nquery = 'x'", "query is filter or title"),
     ("[colour.values]\nred = ['red']", "colour.values.red: write"),
     ("[colour.values]\nred = { in = 'blood', words = ['red'] }", "'blood', which is no value"),
     ("[a.values]\nx = { words = ['red'] }\n[b.values]\ny = { words = ['Red'] }",
      "both x a and y b")],
)  # fmt: skip
def test_a_mistake_in_a_file_is_told_with_its_cure(text: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        built({"mine.toml": text})
