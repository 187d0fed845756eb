"""Is it the same thing in another shop? Keys that pages of one product have in common.

>>> from byway.products.vocabulary.lookup import ours
>>> keys_of("Кроссовки Nimbus 9", "Halm", "", "4006381333931", {"kind": ["sneakers"]}, ours())
['gtin 04006381333931', 'name halm 9 nimbus sneakers']

The number of a bar code is sure. A number of the maker's counts together with the brand, and so
does the name of a model, if kind and colour are the same: what is left of a name without the words
that say what a thing is like.
"""

import re
from collections.abc import Mapping, Sequence

from byway.core.text import terms, tokenize
from byway.products.vocabulary.lookup import ProductVocabulary

GTIN_LENGTHS = (8, 12, 13, 14)
"""Digits of a GTIN."""
MIN_SKU_CHARS = 4
MAX_NAME_CHARS = 200
#: What stands in quotes, or has a digit or a capital in it: such are names of models.
MODEL_NAME_PATTERN = re.compile(r"[«\"“]([^»\"”]+)[»\"”]|(?<!^)\b(\w*[\dA-ZА-ЯЁ]\w*)\b")
LEADING_MODEL_PATTERN = re.compile(r"^\W*(\d\w*|\w+[\dA-Z]\w*)\b")


def identity_keys(
    name: str,
    brand: str,
    sku: str,
    gtin: str,
    filters: Mapping[str, Sequence[str]],
    vocabulary: ProductVocabulary,
) -> list[str]:
    """The keys of a product; pages that share one are about the same thing."""
    number = normalize_gtin(gtin)
    keys = [f"gtin {number}"] if number else []
    maker = " ".join(tokenize(brand[:60]))
    if not maker:
        return keys
    plain = "".join(tokenize(sku[:40]))
    if len(plain) >= MIN_SKU_CHARS and any(map(str.isdigit, plain)):
        keys.append(f"sku {maker} {plain}")
    if model := sorted(_model(name[:MAX_NAME_CHARS], maker, vocabulary)):
        kind, colours = filters.get("kind", ())[:1], sorted(filters.get("colour", ()))
        keys.append(" ".join(["name", maker, *model, *kind, *colours]))
    return keys


def normalize_gtin(text: str) -> str:
    """The number in 14 digits, if its last digit is right; else nothing."""
    digits = re.sub(r"[\s-]", "", text)
    if len(digits) not in GTIN_LENGTHS or not digits.isdecimal() or not digits.isascii():
        return ""
    whole = digits.zfill(14)
    weighed = sum(int(digit) * (3 if n % 2 == 0 else 1) for n, digit in enumerate(whole[:13]))
    return whole if (weighed + int(whole[13])) % 10 == 0 and int(whole) else ""


def _model(name: str, maker: str, vocabulary: ProductVocabulary) -> set[str]:
    """The words of a name that name this very thing."""
    pieces = [
        one or other for one, other in MODEL_NAME_PATTERN.findall(name)
    ] + LEADING_MODEL_PATTERN.findall(name)
    found = {word for piece in pieces for word in tokenize(piece)}
    here = terms(name)
    told = {term for one in vocabulary.mentions(here) for term in here[one.start : one.end]}
    known = {word for word in found if set(terms(word)) <= told}
    return {
        word for word in found - known - set(tokenize(maker)) if len(word) > 1 or word.isdigit()
    }
