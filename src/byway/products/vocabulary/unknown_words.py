"""How is an unknown word written down? As lines of TOML that only have to be looked through.

What has a suggestion is a line that holds as it is; all else is a comment to be finished.
"""

import json
import re
from collections.abc import Iterable, Iterator

from byway.products.coverage import UnknownWord
from byway.products.vocabulary.parse import ATTRIBUTE_NAME_PATTERN

FILE_HEADER = """\
# Look through these lines, and keep what is right. Put the file into the folder vocabulary of your
# data folder, and run `byway index --rebuild`.
"""
BARE_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(unknown: Iterable[UnknownWord]) -> str:
    """A file of the vocabulary with all that is not known."""
    names: dict[str, list[UnknownWord]] = {}
    values: dict[str, list[UnknownWord]] = {}
    others: list[UnknownWord] = []
    for one in unknown:
        if one.value:
            values.setdefault(one.name, []).append(one)
        elif one.suggestion:
            names.setdefault(one.suggestion, []).append(one)
        else:
            others.append(one)
    known = dict.fromkeys([*names, *values])
    blocks = ["\n".join(_attribute(each, names, values)) for each in known]
    return "\n".join([FILE_HEADER, *(f"{block}\n" for block in [*map(_other, others), *blocks])])


def _attribute(
    attribute: str, names: dict[str, list[UnknownWord]], values: dict[str, list[UnknownWord]]
) -> Iterator[str]:
    said = names.get(attribute, [])
    if said:
        yield f"[{_key(attribute)}]"
        yield "names = ["
        yield from (f"    {_quoted(one.name)},  # {_times(one)}" for one in said)
        yield "]"
    if attribute not in values:
        return
    yield f"[{_key(attribute)}.values]"
    same: dict[str, list[UnknownWord]] = {}
    for one in values[attribute]:
        same.setdefault(one.suggestion.removeprefix(attribute).strip(), []).append(one)
    for value, those in same.items():
        if value:
            words = ", ".join(_quoted(one.value) for one in those)
            yield f"{_key(value)} = {{ words = [{words}] }}  # {_times(*those)}"
    for one in same.get("", []):
        yield f"# {_quoted(one.value)} = {{ words = [{_quoted(one.value)}] }}  # {_times(one)}"


def _other(one: UnknownWord) -> str:
    name = "_".join(re.findall(r"\w+", one.name)) or "name"
    name = name if ATTRIBUTE_NAME_PATTERN.fullmatch(name) else f"a_{name}"
    lines = [f"# [{_key(name)}]  # {_times(one)}", f"# names = [{_quoted(one.name)}]"]
    return "\n".join(lines)


def _times(*those: UnknownWord) -> str:
    count = sum(one.count for one in those)
    example = " ".join(those[0].example.split())[:40]
    return f"{count:,} times, as in {example!r}"


def _key(name: str) -> str:
    return name if BARE_KEY_PATTERN.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """As TOML writes a text: its escapes are those of JSON."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False).replace("\x7f", "\\u007f")
