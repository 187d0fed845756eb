"""Words by language, from a file beside this one: a line for each, `de: der die das`."""

from collections.abc import Mapping
from pkgutil import get_data


def listed(name: str) -> Mapping[str, str]:
    """The line of each language."""
    data = get_data("byway.text", name) or b""
    lines = (line.partition(": ") for line in data.decode().splitlines() if line[:1] != "#")
    found = {language: words for language, _, words in lines}
    norwegian = {"nb": found["no"], "nn": found["no"]} if "no" in found else {}
    return found | norwegian
