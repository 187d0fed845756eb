"""Language detection, and declared languages."""

import json
from collections import Counter

import pytest
from vectors import vector_path

from byway.extract.language import (
    MIN_TEXT_CHARS,
    detect_text_language,
    language_from_tag,
    language_of,
)

SENTENCES = {
    "en": "The quick brown fox jumps over the lazy dog and runs away from it",
    "de": "Der schnelle braune Fuchs springt über den faulen Hund und läuft weg",
    "fr": "Le renard brun et rapide saute par-dessus le chien paresseux dans le jardin",
    "ru": "Быстрая коричневая лиса прыгает через ленивую собаку и убегает от неё",
    "es": "El rápido zorro marrón salta sobre el perro perezoso y se va de allí",
    "uk": "Швидка руда лисиця перестрибує через ледачого пса і тікає від нього, бо її це тішить",
    "kk": "Жылдам қоңыр түлкі жалқау иттің үстінен секіріп, одан қашып кетеді де қайтып келмейді",
    "ja": "すばやい茶色の狐はのろまな犬を飛び越え、そこから逃げていきました",
    "zh": "敏捷的棕色狐狸跳过了懒惰的狗，然后从那里跑开了，再也没有回来",
    "is": "Snöggi brúni refurinn stekkur yfir lata hundinn og hleypur í burtu frá honum",
    "eu": "Azeri arre azkarra txakur alferraren gainetik joan da eta ihes egiten du, baina ez",
}


@pytest.mark.parametrize(
    ("tag", "language"),
    [("en", "en"), ("pt-BR", "pt"), ("EN_us", "en"), ("deu", "de"), ("de, en", "de")],
)
def test_tags_become_two_letter_codes(tag: str, language: str) -> None:
    assert language_from_tag(tag) == language


@pytest.mark.parametrize("tag", ["", "x", "english", "1a", "и1", "{{lang}}"])
def test_invalid_tags_are_ignored(tag: str) -> None:
    assert language_from_tag(tag) == ""


@pytest.mark.parametrize(("language", "text"), SENTENCES.items())
def test_the_language_of_a_paragraph_is_detected(language: str, text: str) -> None:
    assert detect_text_language(f"{text}. " * 5) == language


def test_the_language_of_a_word_is_not_detected() -> None:
    assert detect_text_language("hello") == ""
    assert detect_text_language("1234567890 " * 100) == ""
    assert detect_text_language("") == ""


def test_the_declared_language_is_used_if_it_is_possible() -> None:
    german = SENTENCES["de"] * 5
    assert language_of(["de-CH", "en"], german) == "de"
    assert language_of(["{{lang}}", "de"], german) == "de"
    assert language_of(["da"], "x = 1\n" * 3) == "da"
    assert language_of([], german) == "de"
    assert language_of([], "x = 1") == ""


@pytest.mark.parametrize("language", ["ru", "de", "fr", "ja", "uk"])
def test_a_clear_text_overrules_declared_english(language: str) -> None:
    assert language_of(["en"], SENTENCES[language] * 5) == language


def test_similar_and_undetectable_declared_languages_are_believed() -> None:
    norwegian = "Den raske brune reven hopper over den late hunden og løper bort fra ham i skogen. "
    assert language_of(["da"], norwegian * 3) == "da"
    assert (
        language_of(["mg"], "Ny amboahaolo volontsôkôlà dia mitsambikina ny alika kamo. " * 5)
        == "mg"
    )


def test_a_short_text_is_in_the_declared_language() -> None:
    assert language_of(["en"], SENTENCES["ru"][: MIN_TEXT_CHARS - 1]) == "en"


USES = """Uses of Class
com.example.imaging.border.BeadBorders.MenuBeadBorder
No usage of com.example.imaging.border.BeadBorders.MenuBeadBorder"""
HIERARCHY = """Hierarchy For Package com.example.net.relay
Package Hierarchies:
All Packages
Class Hierarchy
java.lang.Object
com.example.net.relay.RelayEntry (implements java.io.Serializable)
com.example.net.relay.RelayPermission (implements java.security.Guard)
com.example.net.relay.de.la.Relay"""
MEMBERS = "List of all members for Lantern, including inherited members.\n" + "\n".join(
    f"{name}(int row, int column, const Wick &wick = Wick()) const : int"
    for name in ("hasWicks", "wickCount", "burn", "dim", "lightMany", "rows", "glow", "parent")
)
TEMPLATE = """Class template flock
birds::flight::flock
Synopsis
// In header: <birds/flight/flock.hpp>
template<typename Bird>
class flock {
public:
// types
typedef flock<Bird> flock_t;
explicit flock(Bird);
~flock();
};"""
MODULES = "\n".join(f"pub mod {name};" for name in ("map", "set", "mem", "node", "split"))
CARDS = """5.1.3. Lantern cards list
Card name
USB IDs
Brillo Catamaran
2040:1700
Brillo Lumena-A
2040:1800
Lucerna Mini Rev 2
2040:2009"""
LETTERS = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z _\n" * 3
NAMES = """- h -
has_beads() : bead
hermite() : bead, bead::tr1
hexfloat() : bead
hyperbead() : __bead_cxx, bead::tr1
hypobeadf() : __bead_cxx
hyssop() : bead::literals::bead_literals"""


@pytest.mark.parametrize("page", [USES, MEMBERS, TEMPLATE])
def test_code_with_a_few_words_of_english_is_english(page: str) -> None:
    assert len(page) > MIN_TEXT_CHARS
    assert detect_text_language(page) == "en"


@pytest.mark.parametrize("page", [HIERARCHY, MODULES * 4, CARDS, LETTERS, NAMES])
def test_names_are_in_no_language_or_in_english(page: str) -> None:
    assert len(page) > MIN_TEXT_CHARS
    assert detect_text_language(page) in ("", "en")


@pytest.mark.parametrize("language", ["en", "de", "vi", "ja"])
@pytest.mark.parametrize("page", [USES, HIERARCHY, MODULES * 4, CARDS, LETTERS, NAMES])
def test_names_do_not_contradict_the_declared_language(page: str, language: str) -> None:
    assert language_of([language], page) == language


@pytest.mark.parametrize("language", ["de", "fr", "es", "ja", "zh"])
def test_a_translation_with_english_quotes_has_the_language_of_its_start(language: str) -> None:
    quoted = f"{SENTENCES['en']}. " * 40
    translated = f"{SENTENCES[language]}. " * 20
    assert detect_text_language(translated + quoted) == language


def test_cjk_text_with_english_sentences_is_not_english() -> None:
    mixed = f"{SENTENCES['zh']}. {SENTENCES['en']}. " * 10
    assert detect_text_language(mixed) == "zh"
    assert language_of(["en"], mixed) == "zh"


PARAGRAPHS = {
    "en": "You should read what the author has written before you begin, for it is all there, and "
    "then ask those who have done this with the same machine if it was not clear to you.",
    "de": "Bevor Sie damit beginnen, sollten Sie lesen, was der Autor geschrieben hat, denn es "
    "ist alles da, und dann die fragen, die es auf der gleichen Maschine schon gemacht haben.",
    "fr": "Avant de commencer, il faut lire ce que l'auteur a écrit, car tout est dans son texte, "
    "et puis demander à ceux qui ont fait la même chose sur une machine comme la vôtre.",
    "nb": "Før du begynner bør du lese det som forfatteren har skrevet, for alt er der, og så kan "
    "du spørre dem som har gjort det på den samme maskinen hvis det ikke var klart for deg.",
    "ru": "Подсистема ядра загружает драйверы устройств и создаёт соответствующие файлы, а также "
    "сообщает программам, какое оборудование подключено, чтобы пользователи не искали его.",
    "ar": "قبل أن تبدأ يجب أن تقرأ ما كتبه المؤلف لأن كل شيء موجود هناك، ثم اسأل من قام بذلك "
    "من قبل على نفس الجهاز إذا لم يكن الأمر واضحا لك في هذا النص الطويل.",
}


def paragraphs(*languages: str) -> str:
    return "\n".join(map(PARAGRAPHS.__getitem__, languages))


def test_one_word_of_code_is_no_second_language() -> None:
    members = "\n".join(
        f"wick{number}() const (defined in Lantern< int >)\nLantern< int >\nstatic unsigned int"
        for number in range(25)
    )
    assert (
        detect_text_language(f"This is the list of all members, including inherited.\n{members}")
        == "en"
    )


def test_an_english_line_that_quotes_russian_is_english() -> None:
    russian = "Прежде чем начать, надо было прочитать то, что он написал, потому что там есть всё. "
    english = f"{PARAGRAPHS['en']} "
    assert detect_text_language(english * 2 + russian * 6 + english * 6) == "en"


def test_a_text_that_begins_with_names_is_classified_by_its_middle() -> None:
    assert detect_text_language(NAMES * 4 + f"{SENTENCES['de']}. " * 60) == "de"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("vi", "Con cáo nâu nhanh nhẹn nhảy qua con chó lười biếng rồi chạy ra khỏi khu vườn ấy"),
        ("la", "Vulpes fusca velox super canem pigrum salit atque ab eo per hortum currens fugit"),
        ("sk", "Rýchla hnedá líška skáče cez lenivého psa a potom uteká preč zo záhrady do lesa"),
    ],
)
def test_prose_is_classified_without_known_function_words(language: str, text: str) -> None:
    assert detect_text_language(f"{text}. " * 4) == language
    assert language_of(["en"], f"{text}. " * 4) == language


def test_the_start_of_encyclopedia_pages_is_classified() -> None:
    lines = (vector_path("wikipedia") / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    outcomes: Counter[bool] = Counter()
    for article in map(json.loads, lines):
        outcomes[
            detect_text_language(" ".join((article["lead"], *article["must"]))) == article["lang"]
        ] += 1
    assert outcomes[True] >= 281


@pytest.mark.parametrize("language", ["de", "en", "ru"])
def test_paragraphs_are_classified_and_wrong_tags_are_detected(language: str) -> None:
    lines = (vector_path("relevance") / f"xquad-{language}" / "docs.jsonl").read_text(
        encoding="utf-8"
    )
    texts = [json.loads(line)["text"] for line in lines.splitlines()]
    assert sum(detect_text_language(text) == language for text in texts) / len(texts) >= 0.98
    assert sum(language_of(["it"], text) == language for text in texts) / len(texts) >= 0.98
    assert {language_of([language], text) for text in texts} == {language}
