"""BM25F: field weights, term weights, length normalization and term saturation."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS
from byway.core.model.candidates import Candidates, Floats
from byway.core.model.query import ParsedQuery

FIELD_INDEX = {name: place for place, name in enumerate(FIELDS)}

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
"""Field weights: occurrences in the body that one occurrence in the field counts as."""
FIELD_WEIGHT_ARRAY = np.array([FIELD_WEIGHTS.get(name, 0.0) for name in FIELDS])
K1 = 1.3
"""Term saturation: a term with this frequency has half of its maximum score."""
B = 0.35
"""Length normalization: 0 ignores the length of the body, 1 divides by it."""
IDF_EXPONENT = 1.3
"""Above 1, rare terms count more: queries in natural language have many frequent words."""
STOP_WORD_WEIGHT = 0.3
"""Weight of a stop word relative to a content word."""


def term_weights(query: ParsedQuery, candidates: Candidates) -> Floats:
    """Weight of each query word: its IDF times how often it was typed."""
    times = np.array(query.term_counts, float)
    times *= [STOP_WORD_WEIGHT if word.is_stop_word else 1.0 for word in query.words]
    weights: Floats = np.maximum(candidates.idf, 0.0) ** IDF_EXPONENT * times
    return weights


def length_norm(candidates: Candidates) -> Floats:
    """Divisor of the term frequencies in each body: above 1 for long texts, below for short."""
    body = candidates.field_lengths[:, FIELD_INDEX["body"]]
    return np.asarray(1 - B + B * body / candidates.average_text_length, float)


def saturate(frequency: NDArray[np.floating], k1: float) -> NDArray[np.floating]:
    """Term frequency mapped to 0 .. 1; `k1` is mapped to 0.5."""
    return frequency / (frequency + k1)


def bm25_score(candidates: Candidates, weight_shares: Floats, norm: Floats) -> Floats:
    """BM25F score of each candidate, from 0 to 1; `weight_shares` of the words add up to 1."""
    counts = candidates.term_counts * FIELD_WEIGHT_ARRAY[None, :, None]
    other_fields = counts.sum(axis=1) - counts[:, FIELD_INDEX["body"]]
    frequency = counts[:, FIELD_INDEX["body"]] / norm[:, None] + other_fields
    return np.asarray(saturate(frequency, K1) @ weight_shares, float)
