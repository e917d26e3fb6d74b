"""The whole way on the sample documents, with the real engines: questions with known answers, offsets, moves, exports."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pincite import Library
from pincite.sources import source_file

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[1]
QUESTIONS = json.loads((ROOT / "sample_docs/.build/questions.json").read_text(encoding="utf-8"))


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def library(sample_library):
    with Library.open(sample_library) as opened:
        yield opened


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda q: q["question"][:40])
def test_the_passage_that_answers_is_one_of_five_hits(library, asked):
    hits = library.search(asked["question"])
    answers = [h for h in hits if words(asked["quote"]) in words(h.content)]
    assert answers, [h.content for h in hits]
    assert answers[0].source_document == asked["document"]
    assert (answers[0].section_path or ("",))[-1] == (asked["section"] or "")


def test_of_the_sentences_that_answer_most_are_marked(library):
    marked = [any(words(asked["quote"]) in words(h.quote_text) for h in library.search(asked["question"])) for asked in QUESTIONS]
    assert sum(marked) >= 0.8 * len(marked)


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda q: q["question"][:40])
def test_every_known_answer_can_be_cited(library, asked):
    match = library.cite(asked["quote"], document=asked["document"])
    assert match.status in ("exact", "normalized")
    assert words(asked["quote"]) == words(match.places[0].quote_text)


def test_a_heading_that_runs_into_its_clause_is_never_the_whole_match(library):
    hits = [h for h in library.search("late payment interest") if "amendment" in h.source_document]
    assert "0.8% per month" in hits[0].quote  # not "4.2 Late payment." alone


def test_every_chunk_and_every_hit_is_a_slice_of_the_canonical_text(library):
    for record in library.documents():
        name = f"{record.root}:{record.source_document}"
        text = library.text(name)
        chunks = list(library.chunks(name))
        assert len(chunks) == record.chunk_count
        covered = 0
        for c in chunks:
            assert text[covered : c.source_offset].strip() == ""
            assert text[c.source_offset : c.source_offset + len(c.content)] == c.content
            covered = c.source_offset + len(c.content)
        assert text[covered:].strip() == ""
    for mode in ("hybrid", "semantic", "keyword"):
        for hit in library.search("interest on late invoices", mode=mode, top_k=20):
            text = library.text(f"{hit.root}:{hit.source_document}")
            start = hit.source_offset + hit.match.start
            assert text[start : start + len(hit.quote)] == hit.quote


@pytest.mark.parametrize(
    "query", ["", "   ", "don't", "C++", "(open", "AND", "title:x", "-x", "*", '"', "word " * 2000, "\x00\udcff", "你好 🗒"]
)
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "strict", "semantic"])
def test_no_query_raises(library, query, mode):
    library.search(query, mode=mode)


def test_a_second_ingest_changes_nothing_and_an_edit_one_document(samples, tmp_path):
    folder = tmp_path / "docs"
    shutil.copytree(samples / "notes", folder)
    with Library.open(tmp_path / "library", create=True) as library:
        first = library.ingest(folder)
        again = library.ingest(folder)
        assert {f.change for f in again.files} == {"unchanged"}
        assert again.index_generation == first.index_generation
        edited = min(folder.iterdir())
        edited.write_text("# New\n\nThe herons have moved to the north pier.\n", encoding="utf-8")
        assert sorted(f.change for f in library.ingest(folder).files) == ["unchanged", "updated"]
        assert library.search("herons", mode="keyword")[0].section_path == ("New",)
        (record,) = library.remove(edited.name)
        assert record.source_document == edited.name
        assert not library.search("herons", mode="keyword")


def test_an_open_library_sees_what_another_has_committed(samples, tmp_path):
    with Library.open(tmp_path / "library", create=True) as reader, Library.open(tmp_path / "library", create=True) as other:
        assert reader.documents() == []
        other.ingest(samples / "logs")
        assert len(reader.documents()) == 1


def test_an_annotated_copy_of_our_own_is_ignored(library, tmp_path):
    (copy,) = library.export(library.search("late payment interest", top_k=1), to="pdf", out=tmp_path / "out")
    with Library.open(tmp_path / "library", create=True) as other:
        (report,) = other.ingest(copy).files
    assert (report.status, report.change) == ("ignored", "none")
    assert "pincite" in (report.reason or "")


def test_libraries_inside_the_folder_are_left_out(samples, tmp_path):
    folder = tmp_path / "docs"
    shutil.copytree(samples / "logs", folder)
    for library in (folder / "one", folder / "two"):
        with Library.open(library, create=True) as opened:
            report = opened.ingest(folder)
    ignored = {f.path: f.reason for f in report.files if f.status == "ignored"}
    assert ignored == {"one": "a pincite library", "two": "the library itself"}


def test_the_file_of_each_document_is_found_again(library, samples):
    reader = library._reader()
    for record in library.documents():
        assert source_file(reader, record) == samples / record.source_document


@pytest.mark.parametrize("mode", ["keyword", "strict"])
def test_searching_for_words_never_loads_the_model(sample_library, mode):
    code = (
        f"import sys; from pincite import Library; lib = Library.open({str(sample_library)!r}); "
        f"lib.search('late payment interest', mode={mode!r}); lib.cite('late payment interest'); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
