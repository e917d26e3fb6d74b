"""Folders as they are found: strange names, files that turn into folders or links while they are read, clocks that go back."""

from __future__ import annotations

import os
import shutil
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from test_incremental import assert_like_a_fresh_build, library

from index import pipeline
from ingest.errors import PinciteError
from pincite.library import Library

pytestmark = pytest.mark.real
NAMES = (
    "a\nb.txt",
    "😀.md",
    "-rf.txt",
    "quote'; DROP TABLE chunks --.txt",
    "tab\there.md",
    "\u202ertl.txt",
    "%FF.txt",
    "[glob]*?.md",
)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


def test_files_of_any_name_go_in_and_can_be_asked_for_removed_and_purged(tmp_path: Path, docs: Path) -> None:
    for n, name in enumerate(NAMES):
        (docs / name).write_text(f"# Number {n}\n\nWords of the file of number {n}.")
    if sys.platform == "linux":
        Path(os.fsdecode(os.fsencode(docs) + b"/bad-\xff\xfe.txt")).write_text("Words of no UTF-8.")
    lib = library(tmp_path / "library")
    assert lib.ingest(docs).counts["added"] == len(list(docs.iterdir()))
    for document in lib.documents():
        assert lib.text(f"{document.root}:{document.source_document}")
    assert all(c.passed for c in lib.doctor(deep=True))
    for name in NAMES[:4]:
        assert [d.source_document for d in lib.purge(name).documents] == [name]
    lib.ingest(docs)
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def test_a_file_that_becomes_a_folder_and_a_file_again_is_followed(tmp_path: Path, docs: Path) -> None:
    lib = library(tmp_path / "library")
    (docs / "a.md").write_text("A file.")
    lib.ingest(docs)
    (docs / "a.md").unlink()
    (docs / "a.md").mkdir()
    (docs / "a.md/in.md").write_text("Inside.")
    assert lib.ingest(docs, prune=True).counts["removed"] == 1
    assert [d.source_document for d in lib.documents()] == ["a.md/in.md"]
    shutil.rmtree(docs / "a.md")
    (docs / "a.md").write_text("A file again.")
    lib.ingest(docs, prune=True)
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def test_a_library_inside_the_folder_is_none_of_its_documents(tmp_path: Path, docs: Path) -> None:
    (docs / "a.md").write_text("A file.")
    inner, outer = library(docs / "inner"), library(tmp_path / "library")
    for _ in range(2):
        inner.ingest(docs)
        outer.ingest(docs)
    assert [d.source_document for d in inner.documents()] == [d.source_document for d in outer.documents()] == ["a.md"]


def test_a_folder_that_is_swapped_for_a_link_during_the_run_is_not_followed(tmp_path: Path, docs: Path, monkeypatch) -> None:
    monkeypatch.setattr(pipeline, "EMBED_BATCH", 1)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/x.md").write_text("A secret.")
    (docs / "sub").mkdir()
    (docs / "sub/x.md").write_text("No secret.")
    (docs / "0.md").write_text("The first.")

    def swap(step: str) -> None:
        if step == "added" and not (docs / "sub").is_symlink():
            shutil.rmtree(docs / "sub")
            (docs / "sub").symlink_to(tmp_path / "elsewhere")

    lib = library(tmp_path / "library", on_step=swap)
    report = {f.path: f for f in lib.ingest(docs, jobs=1).files}
    assert report["sub/x.md"].status == "error"
    assert "replaced by a link" in (report["sub/x.md"].reason or "")
    assert [d.source_document for d in lib.documents()] == ["0.md"]


def test_a_file_that_vanishes_during_the_run_is_named(tmp_path: Path, docs: Path, monkeypatch) -> None:
    monkeypatch.setattr(pipeline, "EMBED_BATCH", 1)
    for name in ("a.md", "z.md"):
        (docs / name).write_text(name)
    lib = library(tmp_path / "library", on_step=lambda step: (docs / "z.md").unlink(missing_ok=True))
    report = {f.path: f.status for f in lib.ingest(docs, jobs=1).files}
    assert report == {"a.md": "ok", "z.md": "error"}


def test_a_clock_that_goes_back_changes_nothing_but_times(tmp_path: Path, docs: Path, monkeypatch) -> None:
    class LastYear(datetime):
        @classmethod
        def now(cls, tz=None):  # type: ignore[no-untyped-def]
            return datetime.now(tz) - timedelta(days=365)

    lib = library(tmp_path / "library")
    (docs / "a.md").write_text("The first.")
    lib.ingest(docs)
    monkeypatch.setattr(pipeline, "datetime", LastYear)
    (docs / "a.md").write_text("The first. The second.")
    lib.ingest(docs)
    (chunk,) = lib.chunks()
    assert chunk.remembered_at == max(chunk.units_remembered_at)
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_library_where_a_file_is_is_refused(tmp_path: Path, docs: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(PinciteError, match="file"):
        Library.open(tmp_path / place, create=True).ingest(docs)
    assert (tmp_path / "file").read_text() == "mine"
