"""Where in a document does each word stand?"""

from byway.core.fields import TABLES_ATTRIBUTE, document_terms, field_terms, indexed_attributes
from byway.core.model import Document, Image, Url


def test_table_cells_are_in_the_body_and_no_attribute() -> None:
    told = {TABLES_ATTRIBUTE: ["Length", "6650 km"], "categories": ["Rivers"]}
    document = Document(Url("http://a.org/nile"), text="The Nile is long.", attributes=told)
    assert field_terms(document)["body"][1:] == [["length"], ["6650", "km"]]
    assert set(indexed_attributes(document)[0]) == {"categories"}


def test_alternative_texts_are_indexed_without_formulas_and_file_names() -> None:
    urls = [Url(f"http://a.org/{n}.png") for n in range(5)]
    said = ("Red tulips", "", "{\\displaystyle x}", "../images/tulip.PNG", "Red tulips")
    images = tuple(map(Image, urls, said))
    document = Document(Url("http://a.org/"), description="A garden", images=images)
    assert field_terms(document)["meta"] == [["a", "garden"], ["red", "tulip"]]


def test_anchor_texts_are_among_the_terms_of_a_page() -> None:
    document = Document(Url("http://a.org/nile"), text="It is long.")
    told = {one.term: one.positions for one in document_terms(document, [("The Nile", 1)])}
    assert told["nile"] == {"url": (0,), "anchor": (1,)}
    assert told["long"] == {"body": (2,)}
