"""The index version must change with the tantivy schema and the analysis."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import tantivy

from byway.core.impacts import impacts_digest
from byway.core.model import Document, Heading, UrlId
from byway.core.text import analysis_digest
from byway.core.url import normalize
from byway.index.analysis.document_analyzer import analyze_uncompiled
from byway.index.schema import FORMAT_VERSION, INDEX_VERSION, build_schema

SAMPLES = [
    Document(
        normalize("http://shop.example.org/running/e-mail_notes.html"),
        UrlId(1),
        title=f"Title {language}",
        text="The running Häuser ЁЛКИ cafés, C++ and node.js 3.11\nсловами 日本語 l'avion don't",
        language=language,
        headings=(Heading(1, "Main heading"), Heading(2, "Second")),
    )
    for language in ("", "en", "de", "ru", "fr", "tr")
]


def digest(schema_json: str) -> str:
    """A hash of the schema and of the analysis of some documents."""
    hashed = hashlib.sha256(schema_json.encode())
    for document in SAMPLES:
        analyzed = analyze_uncompiled(document, [("anchor text", 3)])
        hashed.update(json.dumps(analyzed.terms_by_field, sort_keys=True).encode())
        hashed.update(analyzed.impacts.encode())
        hashed.update(analyzed.codes.tobytes())
        hashed.update(str(analyzed.duplicate_hash).encode())
    return hashed.hexdigest()[:16]


def test_the_index_version_is_raised_with_the_schema_and_the_analysis(tmp_path: Path) -> None:
    tantivy.Index(build_schema(), str(tmp_path))
    schema = json.loads((tmp_path / "meta.json").read_text())["schema"]
    found = (FORMAT_VERSION, digest(json.dumps(schema, sort_keys=True)))
    assert found == (27, "37554c70f36f54c0"), "raise FORMAT_VERSION, then put the new digest here"


def test_the_index_version_contains_the_analysis_digest() -> None:
    digest = analysis_digest() ^ impacts_digest()
    assert divmod(INDEX_VERSION, 1 << 32) == (FORMAT_VERSION, digest)


def test_the_analysis_digest_is_the_same_in_every_process() -> None:
    script = "from byway.core.text import analysis_digest; print(analysis_digest())"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(ran.stdout) == analysis_digest()
