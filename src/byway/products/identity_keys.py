"""Identity keys: keys that pages about the same product share across shops.

>>> from byway.products.vocabulary.lookup import default_vocabulary
>>> identity_keys(
...     name="Кроссовки Nimbus 9",
...     brand="Halm",
...     sku="",
...     gtin="4006381333931",
...     filters={"kind": ["sneakers"]},
...     vocabulary=default_vocabulary(),
... )
['gtin 04006381333931', 'name halm 9 nimbus sneakers']

A GTIN (bar code) identifies a product by itself. A manufacturer's SKU does so together with the
brand, and so does the model name if kind and colour are the same. The model name is the product
name without vocabulary words.
"""

import re
from collections.abc import Mapping, Sequence

from byway.core.text import terms, tokenize
from byway.products.vocabulary.lookup import ProductVocabulary

GTIN_LENGTHS = (8, 12, 13, 14)
"""Valid lengths of a GTIN in digits."""
MIN_SKU_CHARS = 4
MAX_NAME_CHARS = 200
#: Likely model names: words in quotes, or with a digit or a capital.
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
    """The keys of a product; pages that share one are about the same product."""
    number = normalize_gtin(gtin)
    keys = [f"gtin {number}"] if number else []
    maker = " ".join(tokenize(brand[:60]))
    if not maker:
        return keys
    bare_sku = "".join(tokenize(sku[:40]))
    if len(bare_sku) >= MIN_SKU_CHARS and any(map(str.isdigit, bare_sku)):
        keys.append(f"sku {maker} {bare_sku}")
    if model := sorted(_model(name[:MAX_NAME_CHARS], maker, vocabulary)):
        kind, colours = filters.get("kind", ())[:1], sorted(filters.get("colour", ()))
        keys.append(" ".join(["name", maker, *model, *kind, *colours]))
    return keys


def normalize_gtin(text: str) -> str:
    """The GTIN padded to 14 digits; empty if its check digit is wrong."""
    digits = re.sub(r"[\s-]", "", text)
    if len(digits) not in GTIN_LENGTHS or not digits.isdecimal() or not digits.isascii():
        return ""
    padded = digits.zfill(14)
    checksum = sum(int(digit) * (3 if n % 2 == 0 else 1) for n, digit in enumerate(padded[:13]))
    return padded if (checksum + int(padded[13])) % 10 == 0 and int(padded) else ""


def _model(name: str, maker: str, vocabulary: ProductVocabulary) -> set[str]:
    """The words of a product name that make up the model name."""
    pieces = [quoted or word for quoted, word in MODEL_NAME_PATTERN.findall(name)]
    pieces += LEADING_MODEL_PATTERN.findall(name)
    words = {word for piece in pieces for word in tokenize(piece)}
    name_terms = terms(name)
    known_terms = {
        term
        for mention in vocabulary.mentions(name_terms)
        for term in name_terms[mention.start : mention.end]
    }
    known_words = {word for word in words if set(terms(word)) <= known_terms}
    return {
        word
        for word in words - known_words - set(tokenize(maker))
        if len(word) > 1 or word.isdigit()
    }
