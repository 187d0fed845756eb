import pytest

from byway.extract.language import declared, detected


@pytest.mark.parametrize(
    ("tag", "language"),
    [("en", "en"), ("pt-BR", "pt"), ("EN_us", "en"), ("deu", "de"), ("de, en", "de")],
)
def test_tags_become_two_letters(tag: str, language: str) -> None:
    assert declared(tag) == language


@pytest.mark.parametrize("tag", ["", "x", "english", "1a", "и1", "{{lang}}"])
def test_what_is_no_tag_says_nothing(tag: str) -> None:
    assert declared(tag) == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The quick brown fox jumps over the lazy dog and runs away from it", "en"),
        ("Der schnelle braune Fuchs springt über den faulen Hund und läuft weg", "de"),
        ("Le renard brun et rapide saute par-dessus le chien paresseux dans le jardin", "fr"),
        ("Быстрая коричневая лиса прыгает через ленивую собаку и убегает от неё", "ru"),
        ("El rápido zorro marrón salta sobre el perro perezoso y se va de allí", "es"),
    ],
)
def test_a_paragraph_tells_its_language(text: str, language: str) -> None:
    assert detected(f"{text}. " * 5) == language


def test_a_word_does_not_tell() -> None:
    assert detected("hello") == ""
    assert detected("1234567890 " * 100) == ""
