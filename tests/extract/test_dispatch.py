"""Decoding, format detection and failures of extraction; plain text."""

import gzip

from extract.page_factory import MAX_BYTES, SETTINGS, document, extract_page, page

from byway.core.messages import Reason
from byway.extract.dispatch import detect_format, extract


def test_a_compressed_page_is_decoded_first() -> None:
    packed = gzip.compress(b"<title>Packed</title><p>words")
    assert document(packed, Content_Encoding="gzip").title == "Packed"


def test_a_decompression_bomb_is_a_failure() -> None:
    bomb = gzip.compress(b"<p>" + b"a" * 1_000_000)
    failure = extract(page(bomb, Content_Encoding="gzip"), SETTINGS, 10_000).failure
    assert failure == Reason("decompressed_too_large", max_bytes=10_000)


def test_the_format_of_an_untyped_page_is_detected_from_its_bytes() -> None:
    assert detect_format(page(b"", content_type=""), b"  <!DOCTYPE html><p>") == "html"
    assert detect_format(page(b"", content_type=""), b"%PDF-1.7 ...") == "pdf"
    assert detect_format(page(b"", content_type=""), b"just words") == "text"
    assert detect_format(page(b"", content_type=""), b"\x7fELF\0\0") == ""


def test_bytes_overrule_a_wrong_content_type() -> None:
    assert detect_format(page(b""), b"%PDF-1.4") == "pdf"
    assert detect_format(page(b"", content_type="application/pdf"), b"<html><p>Not found") == "html"
    assert detect_format(page(b"", content_type="text/plain"), b"\0\1\2") == ""


def test_an_unsupported_format_is_a_failure() -> None:
    failure = extract_page(b"GIF89a", content_type="image/gif").failure
    assert failure == Reason("unreadable_type", media_type="image/gif")


def test_an_empty_page_is_an_empty_document() -> None:
    assert document("").text == ""
    assert document("", content_type="text/plain").title == ""


def test_plain_text_has_its_first_line_as_title() -> None:
    found = document("\n  The Title \n\nSome words.\n", content_type="text/plain")
    assert found.title == "The Title"
    assert found.text == "The Title\nSome words."
    assert found.content_type == "text/plain"


def test_plain_text_is_decoded_by_bom_header_or_detection() -> None:
    words = "Съешь ещё этих мягких французских булок, да выпей чаю"
    plain = "text/plain"
    assert document(words.encode("utf-16"), content_type=plain).text == words
    header = f"{plain}; charset=koi8-r"
    assert document(words.encode("koi8-r"), content_type=header).text == words
    assert document(words.encode("cp1251"), content_type=plain).text == words


def test_utf_7_is_never_decoded() -> None:
    attack = b"+ADw-script+AD4-"
    for header in ("text/plain; charset=utf-7", "text/html; charset=utf-7"):
        assert "+ADw-script" in document(attack, content_type=header).text


def test_text_is_cut_at_max_text_chars() -> None:
    from dataclasses import replace

    short = replace(SETTINGS, max_text_chars=10)
    for kind in ("text/plain", "text/html"):
        extracted = extract(page("word " * 100, content_type=kind), short, MAX_BYTES)
        assert extracted.document is not None
        assert len(extracted.document.text) == 10
