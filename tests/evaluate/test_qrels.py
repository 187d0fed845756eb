"""Judgments are written in the format that `byway eval` reads."""

from pathlib import Path

import pytest

from byway.core.errors import UsageError
from byway.evaluate.collections import read_collection
from byway.evaluate.qrels import MAX_PAGES_PER_QUERY, JudgementStore

A, B = "https://a.example/", "https://b.example/?x=1#y"


def test_judgements_are_read_as_a_collection(tmp_path: Path) -> None:
    judged = JudgementStore(tmp_path / "judged")
    assert judged.all() == [] and judged.collection() is None
    judged.judge("  red   fox ", A, 2)
    judged.judge("red fox", B, 0)
    judged.judge("Лиса \x85 лиса", A, 1)
    found = read_collection(tmp_path / "judged")
    assert [(one.id, one.text) for one in found.queries] == [("1", "red fox"), ("2", "Лиса лиса")]
    assert found.judgements == {"1": {A: 2, B: 0}, "2": {A: 1}}


def test_a_judgement_is_changed_and_removed(tmp_path: Path) -> None:
    judged = JudgementStore(tmp_path / "judged")
    judged.judge("red fox", A, 2)
    judged.judge("red fox", A, 1)
    assert judged.grades("red  fox") == {A: 1}
    judged.judge("red fox", A, None)
    assert judged.all() == [] and judged.grades("red fox") == {}
    judged.judge("red fox", A, 2)
    judged.judge("hedgehog", B, 2)
    judged.forget("red fox")
    assert [one.text for one in judged.all()] == ["hedgehog"]


def test_judgements_written_by_hand_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "judged"
    folder.mkdir()
    (folder / "queries.jsonl").write_text('{"id": "hours", "text": "opening hours"}\n')
    (folder / "qrels.tsv").write_text(f"hours\t{A}\t2\n")
    JudgementStore(folder).judge("red fox", B, 1)
    found = read_collection(folder)
    assert found.judgements == {"hours": {A: 2}, "1": {B: 1}}


@pytest.mark.parametrize(("text", "url", "grade"), [("", A, 1), ("a", "", 1), ("a", "x\ty", 1)])
def test_an_incomplete_judgement_is_refused(
    tmp_path: Path, text: str, url: str, grade: int
) -> None:
    with pytest.raises(UsageError):
        JudgementStore(tmp_path / "judged").judge(text, url, grade)


def test_the_number_of_pages_of_a_query_is_limited(tmp_path: Path) -> None:
    folder = tmp_path / "judged"
    folder.mkdir()
    (folder / "queries.jsonl").write_text('{"id": "1", "text": "fox"}\n')
    (folder / "qrels.tsv").write_text(
        "".join(f"1\t{A}{n}\t1\n" for n in range(MAX_PAGES_PER_QUERY))
    )
    with pytest.raises(UsageError) as refused:
        JudgementStore(folder).judge("fox", A, 1)
    assert refused.value.code == "evaluate.too_many_judgements"
    JudgementStore(folder).judge("fox", f"{A}0", 2)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "judged"
    folder.mkdir()
    (folder / "queries.jsonl").write_text("no JSON\n")
    (folder / "qrels.tsv").write_text(f"1\t{A}\t1\n")
    with pytest.raises(UsageError, match=r"queries\.jsonl, line 1"):
        JudgementStore(folder).all()
