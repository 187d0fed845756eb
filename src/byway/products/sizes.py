"""Which sizes are those? Numbers in the systems of Russia, Europe, Britain and America, or letters.

>>> shown(read("36 RUS, 37,5 RUS")), shown(read("UK 4½")), shown(read("36-38"))
(('36 RU', '37.5 RU'), ('4.5 UK',), ('36', '37', '38'))
>>> shown(read("S, M, 2XL"))
('S', 'M', 'XXL')
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
"""Continental sizes, from a first shoe to the largest coat."""

LETTER_SIZE_PATTERN = re.compile(
    r"(?<![^\W_])(?:(?P<times>[2-6])X|X{0,4})(?:[SL]|(?<!X)M)(?![^\W_])"
)
SIZE_PATTERN = re.compile(
    r"(?P<from>\d{2})\s?[-–—]\s?(?P<to>\d{2})(?![\d.,]\d)"
    r"|(?P<number>\d{1,2}(?:[.,]5|½)?)(?![\d])|(?P<word>[^\W\d_]+)"
)


class Size(NamedTuple):
    """A size, and the system it is in, where that is said."""

    number: float
    system: str = ""
    letters: str = ""
    """As XL, for a size that has no number."""

    def __str__(self) -> str:
        return self.letters or f"{self.number:g} {self.system}".rstrip()


def parse_sizes(text: str) -> tuple[Size, ...]:
    """The sizes in a text, each once; a system stands before or behind what it is for.

    Letters count only where there are no numbers: of `8 M US` the letter is the foot's width.
    """
    sizes: list[Size] = []
    before = ""
    for piece in SIZE_PATTERN.finditer(text[:MAX_SIZES_CHARS]):
        if piece["word"]:
            system = size_system(piece["word"])
            if system and sizes and not before and not sizes[-1].system:
                sizes = [Size(size.number, size.system or system) for size in sizes]
            before = system or before
        else:
            sizes += [Size(number, before) for number in _numbers(piece)]
    likely = (
        size
        for size in sizes
        if size.system or MIN_CONTINENTAL_SIZE <= size.number <= MAX_CONTINENTAL_SIZE
    )
    found = tuple(dict.fromkeys(likely))
    return (found or _lettered(text[:MAX_SIZES_CHARS]))[:MAX_SIZES]


def parse_letter_size(text: str, start: int = 0) -> tuple[str, int] | None:
    """The size in letters that begins here, whatever its case, and where it ends."""
    found = LETTER_SIZE_PATTERN.match(text.upper(), start)
    return (_spelt(found), found.end()) if found else None


def format_sizes(sizes: Iterable[Size]) -> tuple[str, ...]:
    """Sizes as people write them."""
    return tuple(map(str, sizes))


def size_system(word: str) -> str:
    """The system that a word names."""
    return _told()[0].get(" ".join(tokenize(word)), "")


def size_filters(
    sizes: Sequence[Size], genders: Iterable[str] = ()
) -> dict[str, list[float | str]]:
    """The numbers or letters by which sizes are found: as shown, and in each system we know of.

    A number without a system is what a shop in Russia or Europe shows, and counts in both.
    """
    spelt: list[float | str] = [size.letters for size in sizes if size.letters]
    if spelt:
        return {"size": spelt}
    found: dict[str, dict[float, None]] = {}
    for size in sizes:
        for name, number in _names(size, tuple(genders)):
            found.setdefault(name, {})[float(number)] = None
    return {name: sorted(each) for name, each in found.items()}


def _names(size: Size, genders: tuple[str, ...]) -> Iterable[tuple[str, float]]:
    if not size.system:
        return [(name, size.number) for name in ("size", "size_eu", "size_ru")]
    feet = [
        foot
        for gender in genders
        for foot in _told()[1].get(gender, ())
        if foot[size.system] == size.number
    ]
    here = [(f"size_{size.system.lower()}", size.number)]
    here += [(f"size_{system.lower()}", number) for foot in feet for system, number in foot.items()]
    if size.system in ("RU", "EU"):
        return [("size", size.number), *here]
    return [*here, *(("size", foot["EU"]) for foot in feet)]


def _lettered(text: str) -> tuple[Size, ...]:
    spelt = dict.fromkeys(_spelt(found) for found in LETTER_SIZE_PATTERN.finditer(text))
    return tuple(Size(0.0, "", one) for one in spelt)


def _spelt(found: re.Match[str]) -> str:
    """2XL and XXL are one size."""
    return "X" * int(found["times"]) + found.group()[2:] if found["times"] else found.group()


def _numbers(piece: re.Match[str]) -> Iterable[float]:
    if piece["from"]:
        first, last = int(piece["from"]), int(piece["to"])
        return map(float, range(first, last + 1) if 0 < last - first <= 20 else (first, last))
    return [float(piece["number"].replace("½", ".5").replace(",", "."))]


@cache
def _told() -> tuple[dict[str, str], dict[str, list[dict[str, float]]]]:
    """The systems by the words that name them, and the feet of each gender."""
    told: dict[str, Any] = tomllib.loads((get_data("byway.products", "sizes.toml") or b"").decode())
    systems = {
        " ".join(tokenize(word)): name for name, said in told["systems"].items() for word in said
    }
    return systems, told["feet"]
