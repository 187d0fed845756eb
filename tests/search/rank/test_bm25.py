"""BM25F: saturation and field weights."""

import numpy as np
import pytest

from byway.core.impacts import FIELD_WEIGHTS, K1
from byway.core.model.candidates import FIELDS
from byway.search.rank.signals import saturate


def test_a_term_frequency_of_k1_has_half_of_the_maximum() -> None:
    frequencies = np.array([0, K1, 1e9])
    assert saturate(frequencies, K1).tolist() == pytest.approx([0, 0.5, 1])


def test_field_weights_name_index_fields() -> None:
    assert FIELD_WEIGHTS.keys() <= set(FIELDS)
