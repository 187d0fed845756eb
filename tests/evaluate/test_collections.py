"""Test collections and TREC runs."""

from pathlib import Path

import pytest

from byway.core.errors import UsageError
from byway.evaluate.collections import CollectionDocument, JudgedQuery, read_collection
from byway.evaluate.runs import Run, as_trec, from_trec


def collection(folder: Path, **files: str) -> Path:
    """A folder with these files; `docs_jsonl` is docs.jsonl."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


QUERIES = '{"id": 1, "text": "red shoes"}\n{"id": "2", "text": "hats"}\n'


def test_a_folder_of_json_lines_is_read(tmp_path: Path) -> None:
    folder = collection(
        tmp_path,
        docs_jsonl='{"id": "a", "title": "Shoes", "text": "red"}\n\n{"id": "b", "text": null}\n',
        queries_jsonl=QUERIES,
        qrels_tsv="query-id\tcorpus-id\tscore\n1\ta b\t2\n",
    )
    found = read_collection(folder)
    assert list(found.documents()) == [
        CollectionDocument("a", "Shoes", "red"),
        CollectionDocument("b", "", ""),
    ]
    assert found.queries == (JudgedQuery("1", "red shoes"),)  # hats has no judgment
    assert found.judgements == {"1": {"a b": 2}}


def test_trec_files_are_read(tmp_path: Path) -> None:
    folder = collection(
        tmp_path,
        docs_trec="<DOC>\n<DOCNO> FT-1 </DOCNO>\n<HEADLINE>Big</HEADLINE>\n"
        "<TEXT>\nOne <b>two</b>\n</TEXT>\n</DOC>\n<doc><docno>2</docno></doc>",
        topics_txt="<top>\n<num> Number: 051\n<title> Topic:  Airbus\n subsidies\n<desc> x\n</top>",
        qrels_txt="51 0 FT-1 1\n51 0 2 0\n",
    )
    found = read_collection(folder)
    assert list(found.documents()) == [
        CollectionDocument("FT-1", "Big", "One two"),
        CollectionDocument("2", "", ""),
    ]
    assert found.queries == (JudgedQuery("51", "Airbus subsidies"),)
    assert found.judgements == {"51": {"FT-1": 1, "2": 0}}


@pytest.mark.parametrize(
    ("files", "code", "place"),
    [
        ({}, "missing_file", {}),
        ({"qrels_tsv": "1\ta\tx\n", "queries_jsonl": QUERIES}, "bad_judgement", {"line": 1}),
        ({"qrels_tsv": "1\ta\n", "queries_jsonl": QUERIES}, "bad_judgement", {"line": 1}),
        ({"qrels_tsv": "1\t5\n", "queries_jsonl": QUERIES}, "bad_judgement", {"line": 1}),
        (
            {"qrels_tsv": "q\td\tgrade\n1\ta\tb\n", "queries_jsonl": QUERIES},
            "bad_judgement",
            {"line": 2},
        ),
        (
            {"qrels_tsv": "1\ta\t1\n", "queries_jsonl": QUERIES + QUERIES},
            "repeated_query_id",
            {"id": "1"},
        ),
        ({"qrels_tsv": "1\ta\t1\n", "queries_jsonl": "{\n"}, "bad_json", {"line": 1}),
        ({"qrels_tsv": "1\ta\t1\n", "queries_jsonl": '{"id": 1}'}, "bad_query", {"line": 1}),
        ({"qrels_tsv": "9\ta\t1\n", "queries_jsonl": QUERIES}, "no_judged_queries", {}),
    ],
)
def test_bad_files_are_refused_with_file_and_line(
    tmp_path: Path, files: dict[str, str], code: str, place: dict[str, object]
) -> None:
    with pytest.raises(UsageError) as refused:
        read_collection(collection(tmp_path, **files))
    assert refused.value.code == f"evaluate.{code}"
    assert place.items() <= refused.value.params.items()


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        read_collection(tmp_path / "nothing")


def test_a_run_is_written_and_read_back(tmp_path: Path) -> None:
    run = Run({"1": (("b", 2.5), ("a", 1.0)), "2": (("a", 0.5),)})
    lines = list(as_trec(run))
    assert lines[0] == "1 Q0 b 1 2.500000 byway"
    assert from_trec(lines).ranking("1") == ["b", "a"]
    with pytest.raises(UsageError, match="Line 1 is not a valid line of a TREC run"):
        from_trec(["1 Q0 b"])


def test_judgement_columns_are_separated_by_any_space(tmp_path: Path) -> None:
    folder = collection(
        tmp_path,
        queries_jsonl="\ufeff" + QUERIES,
        qrels_txt="\ufeff1 0\ta\t1\r\n1  0 \t b  -2\n\n 2\t0\tc\t3 \n2 Q0 d 0\n",
    )
    assert read_collection(folder).judgements == {"1": {"a": 1, "b": -2}, "2": {"c": 3, "d": 0}}


def test_leading_zeros_of_topic_numbers_do_not_matter(tmp_path: Path) -> None:
    topics = "<top>\n<num> Number: 051\n<title> Airbus\n</top>"
    folder = collection(tmp_path, topics_txt=topics, qrels_txt="051 0 a 1\n")
    assert read_collection(folder).judgements == {"51": {"a": 1}}


def test_scores_of_a_written_run_keep_the_order_of_its_ranking() -> None:
    same = [(f"d{n}", 0.5) for n in range(50)]
    crowded = [("a", 0.9), ("b", 0.9 - 1e-9), ("c", 0.2), ("d", 0.8), ("e", 0.8), ("f", -1.0)]
    run = Run({"1": same, "two words": crowded})
    again = from_trec(as_trec(run))
    assert again.ranking("1") == run.ranking("1")
    assert again.ranking("two_words") == run.ranking("two words")
