"""Quantized term impacts (Anh and Moffat): what a term is worth to a page, from the page alone.

An impact is the score that the signals give a page for a query of this one term, as far as they add
up by term, without any statistics of the collection. It is indexed with the term as one of
`IMPACT_LEVELS` levels, so candidates are the same however the collection is divided into shards.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np

from byway.core.model.candidates import FIELDS, PIECE_BREAK_CODE, Codes

FIELD_WEIGHTS: Mapping[str, float] = {
    "body": 1.0,
    "title": 4.0,
    "h1": 1.0,
    "h2": 1.0,
    "h4": 1.0,
    "url": 1.0,
    "anchor": 1.0,
    "names": 3.0,
    "starts": 1.0,
    "meta": 0.5,
    "emphasis": 2.0,
    "categories": 1.0,
}
"""Field weights: one occurrence in the field counts as this many in the body."""
FIELD_WEIGHT_ARRAY = np.array([FIELD_WEIGHTS.get(name, 0.0) for name in FIELDS])
BODY_WEIGHT = FIELD_WEIGHTS["body"]
K1 = 1.3
"""Term saturation: a term with this frequency gets half of its maximum score."""
B = 0.35
"""Length normalization: 0 ignores the length of the body, 1 divides by it."""
ANCHOR_TEXT_WEIGHT, URL_COVERAGE_WEIGHT, HOST_NAME_WEIGHT = 0.1, 0.05, 0.3
"""The default weights of the signals that add up by term, besides BM25."""

IMPACT_LEVELS = 8
LEVEL_STEP = 0.2
"""The range of impacts of one level; the last level has no upper limit."""
LEVEL_LETTERS = "ABCDEFGH"
"""The letter after an indexed term that tells its level; terms have no capital letters."""
PIVOT_BODY_TERMS = 600.0
"""Length of a body whose terms count in full; fixed, since the mean length is the collection's."""
ROUNDING_MARGIN = 1e-9
BODY_FIELD, URL_FIELD = FIELDS.index("body"), FIELDS.index("url")
IN_ANCHOR, IN_URL, IN_HOST = 1, 2, 4
FIELD_FLAGS = np.array(
    [
        {"anchor": IN_ANCHOR, "url": IN_URL, "host": IN_URL | IN_HOST}.get(name, 0)
        for name in FIELDS
    ],
    np.uint8,
)
"""The flags of a term that occurs in each field."""
LEVEL_IMPACTS = tuple((level + 0.5) * LEVEL_STEP for level in range(IMPACT_LEVELS))
"""The impact that stands for each level."""


def impacts_digest() -> int:
    """A 32-bit hash of everything that impacts depend on, besides the code."""
    weights = [ANCHOR_TEXT_WEIGHT, URL_COVERAGE_WEIGHT, HOST_NAME_WEIGHT]
    levels = [IMPACT_LEVELS, LEVEL_STEP, PIVOT_BODY_TERMS]
    return crc32(repr((FIELD_WEIGHT_ARRAY.tolist(), K1, B, weights, levels)).encode())


def impact_level(
    body_count: int, weighted_count: float, flags: int, body_terms: int, path_terms: int
) -> int:
    """The level of a term. Plain arithmetic, so that compiled code gives the same result.

    `weighted_count` is the sum of the field weights of its occurrences outside the body, `flags`
    tells in which fields it occurs.
    """
    length_norm = 1.0 - B + B * body_terms / PIVOT_BODY_TERMS
    frequency = body_count * BODY_WEIGHT / length_norm + weighted_count
    impact = frequency / (frequency + K1)
    if flags & IN_ANCHOR:
        impact += ANCHOR_TEXT_WEIGHT
    if flags & IN_URL:
        impact += URL_COVERAGE_WEIGHT
    if flags & IN_HOST:
        impact += HOST_NAME_WEIGHT / (1 + path_terms)
    level = int(impact / LEVEL_STEP + ROUNDING_MARGIN)
    return min(level, IMPACT_LEVELS - 1)


def impact_levels(codes: Codes, lengths: Sequence[int]) -> dict[int, int]:
    """The level of each term code of a document; `lengths` holds the length of each field."""
    bodies: Counter[int] = Counter()
    weights: defaultdict[int, float] = defaultdict(float)
    flags: Counter[int] = Counter()
    ends = np.cumsum(lengths).tolist()
    for field, (start, end) in enumerate(pairwise([0, *ends])):
        found = codes[start:end].tolist()
        if field == BODY_FIELD:
            bodies.update(found)
            continue
        weight, flag = float(FIELD_WEIGHT_ARRAY[field]), int(FIELD_FLAGS[field])
        for code in found:
            weights[code] += weight
            flags[code] |= flag
    sizes = lengths[BODY_FIELD], lengths[URL_FIELD]
    return {
        code: impact_level(bodies[code], weights[code], flags[code], *sizes)
        for code in bodies.keys() | weights.keys()
        if code != PIECE_BREAK_CODE
    }
