"""Names: one thing a name, in the field's nouns, few enough entries to see at a glance."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "byway"
MODULES = sorted(PACKAGE.rglob("*.py"))

MAX_ROOT_ENTRIES = 18
MAX_FILES_PER_FOLDER = 30
MANY_FILES_ALLOWED = {"cli", "core/languages"}
"""One module per command; one data file per language."""
SAMPLE_SITES = PACKAGE / "village" / "sites"
"""Sample web pages, which are data."""

#: Words that say nothing about what a module contains.
VAGUE_MODULE_NAMES = {
    *("about", "absent", "again", "alike", "alone", "apart", "around", "asked", "begun"),
    *("beginnings", "beside", "built", "chosen", "common", "counted", "deeds", "described"),
    *("doors", "errands", "found", "given", "goods", "helpers", "instead", "kept", "known"),
    *("lacking", "likeness", "listed", "look", "lost", "manners", "marked", "meaning", "meant"),
    *("misc", "misread", "naming", "others", "owners", "people", "places", "said", "same", "seen"),
    *("shelf", "shown", "signs", "since", "slips", "small", "spoken", "stretches", "suspicion"),
    *("table", "taste", "together", "told", "tongues", "turned", "unfit", "unfound", "utils"),
    *("wanted", "wares", "watch", "who", "written"),
}
#: Words in -ing and -ed that are terms of the field.
FIELD_TERMS = {"content_encoding", "load_shedding", "ranking", "spelling"}

#: Folders that mirror each other, so that a module name may occur in each.
MIRRORS = (
    {"web/pages", "web/pages/admin", "web/api"},
    {"storage", "storage/memory", "storage/sqlite", "storage/sqlite/crawl_db", "storage/warc"},
)

#: A constant needs a noun: these words alone, or after one another, name none.
NO_NOUNS = {
    *("MOST", "LEAST", "LONGEST", "SHORTEST", "FEW", "FEWEST", "MANY", "ENOUGH", "MAX", "MIN"),
    *("LOOKED", "AT", "SURELY", "NEAR", "FAR", "LITTLE", "MUCH", "SMALL", "LARGE", "LARGEST"),
    *("SMALLEST", "ONCE", "SOON", "LATE", "LATER", "KNOWN", "SEEN", "SAID", "ASKED", "WANTED"),
    *("FOUND", "GIVEN", "KEPT", "TOLD", "MARKED", "ONLY", "ALL", "ANY", "SOME", "NONE", "OUR"),
    *("OURS", "THEIRS", "IT", "WHO", "WHAT", "WHERE", "WHEN", "WHY", "HOW", "BESIDE", "ALIKE"),
    *("SAME", "OTHER", "OTHERS", "FIRST", "LAST", "NEXT", "LONG", "SHORT", "EVERY", "OFTEN"),
    *("SELDOM", "RARE", "COMMON", "GONE", "OPEN", "CLOSED", "DONE", "READ", "WRITTEN", "SPOKEN"),
    *("IN", "A", "THE", "OF", "TO", "FOR", "AND", "OR", "NOT", "BE", "IS", "UP", "ON", "OFF"),
    *("BIG", "BIGGEST", "TOO", "AS", "BY", "WITH", "FROM", "PATIENCE", "GIVE", "LOOK"),
}
#: Nouns that end like a participle, a superlative or an adverb.
NOUNS_LIKE_VERBS = {
    *("ENCODING", "HEADING", "RANKING", "SETTING", "SPELLING", "STRING", "FEED", "SEED", "SPEED"),
    *("DIGEST", "MANIFEST", "REQUEST", "TEST", "FAMILY", "DAMPING", "MAPPING", "NESTING", "RATING"),
}


def _folder(path: Path) -> str:
    return path.parent.relative_to(PACKAGE).as_posix()


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in MODULES:
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def test_no_class_name_is_used_for_two_things() -> None:
    places = defaultdict(list)
    for path, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(PACKAGE).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_name_is_used_twice_in_a_top_level_folder() -> None:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in MODULES:
        top = path.relative_to(PACKAGE).parts[0]
        if not path.stem.startswith("__"):
            places[top, path.stem].append(_folder(path))
    twice = {key: folders for key, folders in places.items() if len(folders) > 1}
    assert {key: folders for key, folders in twice.items() if not _mirrored(folders)} == {}


def _mirrored(folders: list[str]) -> bool:
    return any(set(folders) <= mirror for mirror in MIRRORS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_name_is_a_noun_of_the_field(path: Path) -> None:
    name = path.stem
    assert name not in VAGUE_MODULE_NAMES
    assert name in FIELD_TERMS or not re.search(r"(ing|ed)$", name)


def test_the_root_can_be_seen_at_a_glance() -> None:
    entries = [path for path in PACKAGE.iterdir() if path.name != "__pycache__"]
    assert len(entries) <= MAX_ROOT_ENTRIES


def test_no_folder_has_too_many_files() -> None:
    counts = {
        folder.relative_to(PACKAGE).as_posix(): sum(path.is_file() for path in folder.iterdir())
        for folder in PACKAGE.rglob("*")
        if folder.is_dir() and folder.name != "__pycache__" and SAMPLE_SITES not in folder.parents
    }
    large = {name: count for name, count in counts.items() if count > MAX_FILES_PER_FOLDER}
    assert large.keys() <= MANY_FILES_ALLOWED


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_constant_has_a_noun(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [name for name in _constants(tree) if not any(map(_is_noun, name.split("_")))] == []


def _is_noun(word: str) -> bool:
    if not word or word in NO_NOUNS:
        return False
    return word in NOUNS_LIKE_VERBS or not re.search(r"(ED|EST|LY|ING)$", word)


def _constants(tree: ast.Module) -> Iterator[str]:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bodies = [tree.body, *(node.body for node in classes if not _is_enum(node))]
    for body in bodies:
        for node in body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
            for target in targets:
                if isinstance(target, ast.Name) and target.id.isupper():
                    yield target.id


def _is_enum(node: ast.ClassDef) -> bool:
    """Members of an enum are values, such as the states of a URL: `UrlState.QUEUED`."""
    return any(isinstance(base, ast.Name) and base.id.endswith("Enum") for base in node.bases)
