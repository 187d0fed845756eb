"""Documents as bytes, small."""

from math import inf, nan

import pytest

from byway.core.model import Document, Heading, Image, Url
from byway.core.model.document import pack, unpack

HERE = Url("http://a.example/")


def test_a_document_survives_packing() -> None:
    document = Document(
        HERE,
        title="Ёлки",
        text="One.\nTwo.",
        headings=(Heading(2, "Two", "two"),),
        images=(Image(Url("http://a.example/i.png"), "a tree"),),
        emphasis=("One",),
        attributes={"price": 3.5, "sizes": [40, 41], "digits": 10**30, "of": {"name": "x"}},
    )
    assert unpack(pack(document)) == document


@pytest.mark.parametrize("number", [nan, inf, -inf])
def test_nan_and_infinity_become_null(number: float) -> None:
    document = Document(HERE, attributes={"price": number, "rating": 4})
    assert unpack(pack(document)).attributes == {"price": None, "rating": 4}


def test_a_field_of_the_wrong_type_is_a_value_error() -> None:
    whole = pack(Document(HERE, title="a"))
    with pytest.raises(ValueError, match="headings"):
        unpack(pack(Document(HERE, headings=(Heading("two", "Two"),))))  # type: ignore[arg-type]
    assert unpack(whole).title == "a"
