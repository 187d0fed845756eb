"""Where in a document does each word stand?"""

from byway.fields import TABLES, attributes_of, fields_of
from byway.model import Document, Url


def test_what_tables_say_is_found_like_the_text_and_is_no_filter() -> None:
    told = {TABLES: ["Length", "6650 km"], "categories": ["Rivers"]}
    document = Document(Url("http://a.org/nile"), text="The Nile is long.", attributes=told)
    assert fields_of(document)["body"][1:] == [["length"], ["6650", "km"]]
    assert set(attributes_of(document)[0]) == {"categories"}
