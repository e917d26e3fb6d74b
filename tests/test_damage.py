"""A library that was damaged from outside: each kind is named, with the way out; what can be mended is."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from test_incremental import assert_like_a_fresh_build, library

from index.manifest import MANIFEST
from index.salvage import mend_manifest
from ingest.errors import LibraryDamaged
from pincite.library import Library

pytestmark = pytest.mark.real


@pytest.fixture
def lib(tmp_path: Path, docs: Path) -> Library:
    made = library(tmp_path / "library")
    made.ingest(docs)
    (docs / "new.txt").write_text("Puffins.")
    made.ingest(docs)
    return made


@pytest.fixture
def again(tmp_path: Path, lib: Library) -> Callable[[], Library]:
    return lambda: library(tmp_path / "library")


def wrong(lib: Library, **how: bool) -> str:
    return " ".join(f"{c.name}: {p}" for c in lib.doctor(**how) if not c.passed for p in c.problems)


def without_data(folder: Path, table: str) -> None:
    for file in (folder / f"rows/{table}.lance/data").iterdir():
        file.unlink()


@pytest.mark.parametrize("text", ["", "{", '{"format_version": 4}', "[]"])
def test_a_broken_manifest_is_mended_from_the_copy_of_the_newest_whole_generation(tmp_path, docs, lib, again, text):
    folder, before = tmp_path / "library", (tmp_path / "library" / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text)
    with pytest.raises(LibraryDamaged, match="doctor --repair"):
        Library.open(folder)
    assert mend_manifest(folder) == 2
    assert (folder / MANIFEST).read_text() == before
    assert mend_manifest(folder) is None
    assert wrong(again(), deep=True) == ""
    assert_like_a_fresh_build(again(), docs, tmp_path / "fresh")


def test_a_manifest_that_is_gone_is_mended_too(tmp_path, lib):
    (tmp_path / "library" / MANIFEST).unlink()
    with Library.open(tmp_path / "library", repair=True) as mended:
        assert mended.status().index_generation.number == 2


def test_where_no_generation_is_whole_the_way_out_is_said(tmp_path, lib):
    folder = tmp_path / "library"
    (folder / MANIFEST).write_text("{")
    shutil.rmtree(folder / "rows")
    with pytest.raises(LibraryDamaged, match="ingest the documents again"):
        Library.open(folder, repair=True)


def test_an_older_generation_is_found_where_the_newest_is_not_whole(tmp_path, docs, lib, again):
    folder = tmp_path / "library"
    (folder / MANIFEST).write_text("{")
    shutil.rmtree(folder / "keyword" / "2")
    assert mend_manifest(folder) == 1
    assert len(again().documents()) == 2
    assert again().ingest(docs).counts["added"] == 1
    assert_like_a_fresh_build(again(), docs, tmp_path / "fresh")


def test_words_that_are_gone_are_found_missing_and_made_anew_by_a_repair_or_the_next_change(tmp_path, docs, lib, again):
    folder = tmp_path / "library"
    shutil.rmtree(folder / "keyword")
    assert "keyword index cannot be read" in wrong(again())
    assert wrong(again(), repair=True) == ""
    shutil.rmtree(folder / "keyword")
    (docs / "more.txt").write_text("Guillemots.")
    again().ingest(docs)
    assert wrong(again()) == ""
    assert_like_a_fresh_build(again(), docs, tmp_path / "fresh")


@pytest.mark.parametrize("table", ["texts", "pages", "chunks"])
def test_a_table_without_its_data_is_named_and_a_rebuild_makes_it_anew(tmp_path, docs, lib, again, table):
    ids = {d.document_id for d in lib.documents()}
    shutil.rmtree(tmp_path / f"library/rows/{table}.lance")
    assert f"table {table}" in wrong(again())
    with pytest.raises(LibraryDamaged, match="pincite rebuild"):
        again().doctor(repair=True)
    again().rebuild(drop_history=table == "chunks")
    assert wrong(again(), deep=True) == ""
    assert {d.document_id for d in again().documents()} == ids
    assert_like_a_fresh_build(again(), docs, tmp_path / "fresh")


def test_a_rebuild_over_damaged_chunks_would_lose_history_and_says_so_first(tmp_path, lib, again):
    without_data(tmp_path / "library", "chunks")
    with pytest.raises(LibraryDamaged, match="--drop-history") as told:
        again().rebuild()
    assert ".rs:" not in str(told.value)
    assert again().rebuild(drop_history=True).counts["unchanged"] == 3
    assert wrong(again()) == ""


def test_without_the_table_of_documents_only_ingesting_again_helps(tmp_path, lib, again):
    without_data(tmp_path / "library", "documents")
    with pytest.raises(LibraryDamaged, match="ingest the documents again"):
        again().rebuild()
    assert "documents cannot be read" in wrong(again())


def test_a_library_without_tables_is_damage_not_a_purge(tmp_path, lib, again):
    shutil.rmtree(tmp_path / "library/rows")
    with pytest.raises(LibraryDamaged, match="no tables any more"):
        again().status()
    with pytest.raises(LibraryDamaged, match="no tables any more"):
        again().rebuild()


def test_garbled_bytes_are_an_error_of_ours(tmp_path, lib, again):
    for file in (tmp_path / "library/rows/chunks.lance/data").iterdir():
        file.write_bytes(os.urandom(file.stat().st_size))
    assert "cannot be read" in wrong(again())
    with pytest.raises(LibraryDamaged):
        again().search("puffins", mode="keyword")


def test_a_copy_taken_while_the_library_is_open_is_a_library(tmp_path, docs, lib):
    reader = lib._reader()
    shutil.copytree(tmp_path / "library", tmp_path / "copy")
    copy = library(tmp_path / "copy")
    assert wrong(copy) == ""
    (docs / "more.txt").write_text("Guillemots.")
    copy.ingest(docs)
    assert (len(copy.documents()), len(reader.documents)) == (4, 3)
    assert json.loads((tmp_path / "library" / MANIFEST).read_text())["generation"]["number"] == 2
