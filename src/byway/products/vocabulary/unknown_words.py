"""Unknown words of products as a vocabulary file (TOML) to review.

A word with a suggestion becomes a valid line; the rest become comments to fill in.
"""

import json
import re
from collections.abc import Iterable, Iterator

from byway.core.messages import t
from byway.products.coverage import UnknownWord
from byway.products.vocabulary.parse import ATTRIBUTE_NAME_PATTERN

BARE_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(unknown: Iterable[UnknownWord]) -> str:
    """A vocabulary file with all unknown words."""
    names: dict[str, list[UnknownWord]] = {}
    values: dict[str, list[UnknownWord]] = {}
    others: list[UnknownWord] = []
    for word in unknown:
        if word.value:
            values.setdefault(word.name, []).append(word)
        elif word.suggestion:
            names.setdefault(word.suggestion, []).append(word)
        else:
            others.append(word)
    attributes = dict.fromkeys([*names, *values])
    blocks = [*map(_new_attribute, others)]
    blocks += ["\n".join(_known_attribute(each, names, values)) for each in attributes]
    return "\n".join([t("products.unknown_words.header"), *(f"{block}\n" for block in blocks)])


def _known_attribute(
    attribute: str, names: dict[str, list[UnknownWord]], values: dict[str, list[UnknownWord]]
) -> Iterator[str]:
    """The lines for new names and values of a known attribute."""
    if attribute in names:
        yield f"[{_key(attribute)}]"
        yield "names = ["
        yield from (f"    {_quoted(word.name)},  # {_example(word)}" for word in names[attribute])
        yield "]"
    if attribute not in values:
        return
    yield f"[{_key(attribute)}.values]"
    by_value: dict[str, list[UnknownWord]] = {}
    for word in values[attribute]:
        by_value.setdefault(word.suggestion.removeprefix(attribute).strip(), []).append(word)
    for value, words in by_value.items():
        if value:
            spellings = ", ".join(_quoted(word.value) for word in words)
            yield f"{_key(value)} = {{ words = [{spellings}] }}  # {_example(*words)}"
    for word in by_value.get("", []):
        spelling = _quoted(word.value)
        yield f"# {spelling} = {{ words = [{spelling}] }}  # {_example(word)}"


def _new_attribute(word: UnknownWord) -> str:
    """The commented lines for an attribute that is not in the vocabulary."""
    name = "_".join(re.findall(r"\w+", word.name)) or "name"
    name = name if ATTRIBUTE_NAME_PATTERN.fullmatch(name) else f"a_{name}"
    lines = [f"# [{_key(name)}]  # {_example(word)}", f"# names = [{_quoted(word.name)}]"]
    return "\n".join(lines)


def _example(*words: UnknownWord) -> str:
    """The comment after a line: the number of occurrences and an example."""
    example = " ".join(words[0].example.split())[:40]
    count = sum(word.count for word in words)
    return t("products.unknown_words.example", count=count, example=example)


def _key(name: str) -> str:
    return name if BARE_KEY_PATTERN.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """A TOML string, which has the same escapes as JSON."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False).replace("\x7f", "\\u007f")
