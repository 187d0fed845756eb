"""PDF documents."""

from dataclasses import replace
from io import BytesIO

from extract.page_factory import FETCHED_AT, MAX_BYTES, SETTINGS, document, extract_page, page
from pypdf import PdfReader, PdfWriter

from byway.core.messages import Reason
from byway.extract.dispatch import extract
from byway.extract.formats.pdf.pdf_reader import read_pdf


def made(*sheets: str, title: str = "", password: str = "") -> bytes:
    """A PDF with these words on its sheets."""
    kids = " ".join(f"{number} 0 R" for number in range(4, 4 + 2 * len(sheets), 2))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Lang (en-US) >>",
        f"<< /Type /Pages /Count {len(sheets)} /Kids [{kids}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for place, words in enumerate(sheets):
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] "
            f"/Resources << /Font << /F 3 0 R >> >> /Contents {5 + 2 * place} 0 R >>"
        )
        drawing = f"BT /F 12 Tf 20 200 Td ({words}) Tj ET"
        objects.append(f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream")
    data, places = "%PDF-1.4\n", ""
    for number, each in enumerate(objects, 1):
        places += f"{len(data):010} 00000 n \n"
        data += f"{number} 0 obj\n{each}\nendobj\n"
    size, start = len(objects) + 1, len(data)
    data += f"xref\n0 {size}\n0000000000 65535 f \n{places}"
    data += f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    writer = PdfWriter(clone_from=PdfReader(BytesIO(data.encode())))
    if title:
        writer.add_metadata({"/Title": title, "/CreationDate": "D:20240531120000Z"})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_pdf_is_read_with_its_title_and_pages() -> None:
    found = document(made("First sheet", "Second"), content_type="application/pdf")
    assert found.title == "First sheet"
    assert found.text == "First sheet\nSecond"
    assert found.attributes == {"pages": 2}
    assert (found.content_type, found.language) == ("application/pdf", "en")
    named = document(made("Words", title="A Title"), content_type="application/pdf")
    assert (named.title, named.published) == ("A Title", "2024-05-31")


def test_lines_of_a_pdf_are_joined_to_paragraphs() -> None:
    printed = (
        "Lorem ipsum",
        "At vero eos et accusam et justo duo no sea taki-",
        "mata est.",
        "Two",
    )
    sheet = ") Tj 0 -14 Td (".join(printed)
    found = document(made(sheet), content_type="application/pdf")
    assert found.text.split("\n") == [
        "Lorem ipsum",
        "At vero eos et accusam et justo duo no sea takimata est.",
        "Two",
    ]


def test_a_locked_pdf_is_a_failure() -> None:
    failed = extract_page(made("Words", password="secret"), content_type="application/pdf").failure
    assert failed == Reason("pdf_password")


def test_a_damaged_pdf_is_a_failure() -> None:
    whole = made("Words")
    for broken in (b"%PDF-1.7", b"%PDF-1.7\n" + b"\xff" * 5000, whole[:100]):
        failure = extract_page(broken, content_type="application/pdf").failure
        assert failure.code == "pdf_damaged"


def test_a_long_pdf_is_read_until_the_deadline() -> None:
    times = iter([0.0, 1.0, 2.0, 99.0, 99.0])
    long = page(made("one", "two", "three", "four"), "application/pdf")
    found = read_pdf(long, long.body, SETTINGS, clock=lambda: next(times)).document
    assert found is not None
    assert (found.text, found.attributes["pages"]) == ("one\ntwo", 4)


def test_a_pdf_is_cut_at_max_text_chars() -> None:
    long = page(made("word " * 10, "word " * 10), "application/pdf")
    found = extract(long, replace(SETTINGS, max_text_chars=12), MAX_BYTES).document
    assert found is not None
    assert found.text == "word word wo"
    assert long.fetched_at == FETCHED_AT
