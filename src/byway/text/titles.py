"""What is it called? Titles without the numbers of chapters, which nobody types."""

import re

NUMBER = re.compile(
    r"(?:[^\W\d_]+\s+\d+(?:\.\d+)*[.,]|(?:[A-Z]\.)?\d+(?:\.\d+)*\.)\s+(?=\S*[^\W\d_])"
)
"""`25.1. Routine Vacuuming`, `A.3. Linux Mint`, `Chapter 8. Data Types`, but not `Python 3.11`."""


def unnumbered(title: str) -> str:
    """The title without the number of its chapter or section."""
    return title[found.end() :] if (found := NUMBER.match(title)) else title
