"""Where in a document does each word stand?"""

from byway.core.fields import TABLES_ATTRIBUTE, document_terms, field_terms, indexed_attributes
from byway.core.model import Document, Image, Url


def test_what_tables_say_is_found_like_the_text_and_is_no_filter() -> None:
    told = {TABLES_ATTRIBUTE: ["Length", "6650 km"], "categories": ["Rivers"]}
    document = Document(Url("http://a.org/nile"), text="The Nile is long.", attributes=told)
    assert field_terms(document)["body"][1:] == [["length"], ["6650", "km"]]
    assert set(indexed_attributes(document)[0]) == {"categories"}


def test_what_is_said_of_pictures_is_found_but_neither_formulas_nor_files() -> None:
    urls = [Url(f"http://a.org/{n}.png") for n in range(5)]
    said = ("Red tulips", "", "{\\displaystyle x}", "../images/tulip.PNG", "Red tulips")
    images = tuple(map(Image, urls, said))
    document = Document(Url("http://a.org/"), description="A garden", images=images)
    assert field_terms(document)["meta"] == [["a", "garden"], ["red", "tulip"]]


def test_what_links_call_a_page_is_among_its_words() -> None:
    document = Document(Url("http://a.org/nile"), text="It is long.")
    told = {one.term: one.positions for one in document_terms(document, [("The Nile", 1)])}
    assert told["nile"] == {"url": (0,), "anchor": (1,)}
    assert told["long"] == {"body": (2,)}
