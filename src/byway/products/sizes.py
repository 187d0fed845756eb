"""Parser for sizes: numbers in Russian, European, British and American systems, or letters.

>>> format_sizes(parse_sizes("36 RUS, 37,5 RUS")), format_sizes(parse_sizes("UK 4½"))
(('36 RU', '37.5 RU'), ('4.5 UK',))
>>> format_sizes(parse_sizes("36-38")), format_sizes(parse_sizes("S, M, 2XL"))
(('36', '37', '38'), ('S', 'M', 'XXL'))
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from byway.core.text import tokenize

MAX_SIZES_CHARS = 1000
MAX_SIZES = 60
MIN_CONTINENTAL_SIZE, MAX_CONTINENTAL_SIZE = 15, 74
"""Range of continental sizes, from a first shoe to the largest coat."""

LETTER_SIZE_PATTERN = re.compile(
    r"(?<![^\W_])(?:(?P<times>[2-6])X|X{0,4})(?:[SL]|(?<!X)M)(?![^\W_])"
)
SIZE_PATTERN = re.compile(
    r"(?P<from>\d{2})\s?[-–—]\s?(?P<to>\d{2})(?![\d.,]\d)"
    r"|(?P<number>\d{1,2}(?:[.,]5|½)?)(?![\d])|(?P<word>[^\W\d_]+)"
)


class Size(NamedTuple):
    """A size, and its system if it is known."""

    number: float
    system: str = ""
    letters: str = ""
    """A letter size such as XL; if set, there is no number."""

    def __str__(self) -> str:
        return self.letters or f"{self.number:g} {self.system}".rstrip()


def parse_sizes(text: str) -> tuple[Size, ...]:
    """The distinct sizes in a text; a system may be named before or after its sizes.

    Letters count only if there are no numbers: in `8 M US` the letter is the width.
    """
    sizes: list[Size] = []
    current_system = ""
    for piece in SIZE_PATTERN.finditer(text[:MAX_SIZES_CHARS]):
        if piece["word"]:
            system = size_system(piece["word"])
            if system and sizes and not current_system and not sizes[-1].system:
                sizes = [Size(size.number, size.system or system) for size in sizes]
            current_system = system or current_system
        else:
            sizes += [Size(number, current_system) for number in _numbers(piece)]
    likely = (
        size
        for size in sizes
        if size.system or MIN_CONTINENTAL_SIZE <= size.number <= MAX_CONTINENTAL_SIZE
    )
    distinct = tuple(dict.fromkeys(likely))
    return (distinct or _letter_sizes(text[:MAX_SIZES_CHARS]))[:MAX_SIZES]


def parse_letter_size(text: str, start: int = 0) -> tuple[str, int] | None:
    """The letter size at `start`, in any case, and its end; None if there is none."""
    match = LETTER_SIZE_PATTERN.match(text.upper(), start)
    return (_letters(match), match.end()) if match else None


def format_sizes(sizes: Iterable[Size]) -> tuple[str, ...]:
    """Sizes as strings: `38 RU`, `XL`."""
    return tuple(map(str, sizes))


def size_system(word: str) -> str:
    """The size system a word names: RU, EU, UK or US; empty if none."""
    return _size_tables()[0].get(" ".join(tokenize(word)), "")


def size_filters(
    sizes: Sequence[Size], genders: Iterable[str] = ()
) -> dict[str, list[float | str]]:
    """Filter values of sizes: as shown, and converted to each known system.

    A number without a system is Russian or European, and counts in both.
    """
    letters: list[float | str] = [size.letters for size in sizes if size.letters]
    if letters:
        return {"size": letters}
    numbers_by_name: dict[str, dict[float, None]] = {}
    for size in sizes:
        for name, number in _convert(size, tuple(genders)):
            numbers_by_name.setdefault(name, {})[float(number)] = None
    return {name: sorted(numbers) for name, numbers in numbers_by_name.items()}


def _convert(size: Size, genders: tuple[str, ...]) -> Iterable[tuple[str, float]]:
    """Filter names and numbers of a size in all systems."""
    if not size.system:
        return [(name, size.number) for name in ("size", "size_eu", "size_ru")]
    feet = [
        foot
        for gender in genders
        for foot in _size_tables()[1].get(gender, ())
        if foot[size.system] == size.number
    ]
    filters = [(f"size_{size.system.lower()}", size.number)]
    filters += [
        (f"size_{system.lower()}", number) for foot in feet for system, number in foot.items()
    ]
    if size.system in ("RU", "EU"):
        return [("size", size.number), *filters]
    return [*filters, *(("size", foot["EU"]) for foot in feet)]


def _letter_sizes(text: str) -> tuple[Size, ...]:
    letters = dict.fromkeys(_letters(match) for match in LETTER_SIZE_PATTERN.finditer(text))
    return tuple(Size(0.0, "", size) for size in letters)


def _letters(match: re.Match[str]) -> str:
    """The letters of a size, normalized: 2XL becomes XXL."""
    return "X" * int(match["times"]) + match.group()[2:] if match["times"] else match.group()


def _numbers(piece: re.Match[str]) -> Iterable[float]:
    if piece["from"]:
        first, last = int(piece["from"]), int(piece["to"])
        return map(float, range(first, last + 1) if 0 < last - first <= 20 else (first, last))
    return [float(piece["number"].replace("½", ".5").replace(",", "."))]


@cache
def _size_tables() -> tuple[dict[str, str], dict[str, list[dict[str, float]]]]:
    """Size systems by word, and the conversion table of each gender."""
    source = (get_data("byway.products", "sizes.toml") or b"").decode()
    tables: dict[str, Any] = tomllib.loads(source)
    systems = {
        " ".join(tokenize(word)): name
        for name, words in tables["systems"].items()
        for word in words
    }
    return systems, tables["feet"]
