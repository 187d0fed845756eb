"""Account names: normalization and validation."""

import re
import unicodedata

from byway.core.errors import UsageError

NAME_PATTERN = re.compile(r"\w[\w.-]{1,39}")


def normalize_name(name: str) -> str:
    """A name as it is stored and compared: NFKC, stripped, case-folded."""
    return unicodedata.normalize("NFKC", name[:200]).strip().casefold()


def validate_name(name: str) -> str:
    """The normalized name, if it is valid for a new account."""
    name = normalize_name(name)
    if not NAME_PATTERN.fullmatch(name):
        raise UsageError("accounts.bad_name")
    return name
