"""Looking after a library: doctor, remove and purge, rebuild, leases, disks that are full, keys that are pressed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from conftest import WordCounter
from test_incremental import CountingEmbedder, assert_like_a_fresh_build, library

from index.doctor import Check
from index.leases import leased
from index.manifest import MANIFEST
from index.memory import HashingEmbedder
from index.purge import Trace, scan, trace_of
from index.remembering import Occurrence, known_since
from index.store import LibraryStore
from ingest.errors import LibraryError, LibraryIncompatible, NotFound, UsageError
from pincite.library import Library

pytestmark = pytest.mark.real
OLD = sorted((Path(__file__).parent / "data").glob("library-format-*.zip"))


@pytest.fixture
def lib(tmp_path: Path, docs: Path) -> Library:
    made = library(tmp_path / "library")
    made.ingest(docs)
    return made


def trace(lib: Library, name: str) -> Trace:
    reader = lib._reader()
    return trace_of(reader, [i for i, d in reader.documents.items() if d.source_document == name])


def wrong(checks: list[Check]) -> dict[str, list[str]]:
    return {c.name: c.problems for c in checks if not c.passed}


# purge


def test_the_scan_finds_a_live_document_and_one_that_was_only_removed_and_nothing_of_a_purged_one(tmp_path, lib):
    walrus, fees = trace(lib, "terns.txt"), trace(lib, "fees.md")
    assert "The peregrination of the walrus is long." in walrus.sentences
    assert {"walrus", "tern"} <= set(walrus.terms)
    live = scan(tmp_path / "library", walrus)
    assert {f.partition("/")[0] for f in live.found} == {"rows", "keyword"}
    lib.remove("terns.txt")
    assert any(f.startswith("rows/") for f in scan(tmp_path / "library", walrus).found)
    lib.ingest(tmp_path / "docs")
    walrus_again = trace(lib, "terns.txt")
    done = lib.purge("terns.txt")
    assert [d.source_document for d in done.documents] == ["terns.txt"]
    for gone in (walrus, walrus_again):
        after = scan(tmp_path / "library", gone)
        assert after.found == ()
        assert after.files > 5
        assert after.texts > 5
        assert after.segments == 1
    assert scan(tmp_path / "library", fees).found
    assert [d.source_document for d in lib.documents()] == ["fees.md"]
    assert len(lib.search("accrue", mode="keyword")) == 1
    assert not wrong(lib.doctor())


def test_a_purge_keeps_all_other_documents_as_they_were(tmp_path, docs, lib):
    before = [c for c in lib.chunks() if c.source_document == "fees.md"]
    lib.purge("terns.txt")
    assert list(lib.chunks()) == before
    (docs / "terns.txt").unlink()
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")
    (docs / "new.txt").write_text("Puffins.")
    lib.ingest(docs)
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def test_a_reader_of_a_purged_generation_is_told_and_the_next_call_works(lib, tmp_path):
    other = LibraryStore(tmp_path / "library")
    old = other.reader()
    lib.purge("terns.txt")
    with pytest.raises(LibraryError, match="purged") as told:
        list(old.rows.texts())
    assert "Ask again" in told.value.next_step
    assert len(list(other.reader().rows.texts())) == 1


def test_a_purge_of_what_is_not_there_changes_nothing(lib):
    before = lib.status().index_generation
    with pytest.raises(NotFound):
        lib.purge("nothing.md")
    assert lib.status().index_generation == before


# doctor


def test_a_sound_library_passes_every_check_and_says_how_much_was_looked_at(lib):
    checks = {c.name: c for c in lib.doctor(deep=True)}
    assert all(c.passed for c in checks.values()), wrong(list(checks.values()))
    exact = checks["chunks exact (the text at their offset)"]
    assert exact.good == exact.total == 3
    assert checks["sources read again with the same text and chunks"].total == 2


def test_doctor_names_sources_that_changed_or_are_gone(docs, lib):
    (docs / "fees.md").write_text("Other.")
    (docs / "terns.txt").unlink()
    (problems,) = wrong(lib.doctor(deep=True)).values()
    assert len(problems) == 2
    assert "changed since" in problems[0]
    assert "terns.txt" in problems[1]


def test_doctor_finds_lost_words_and_what_was_left_behind_and_repairs_them(tmp_path, lib):
    folder = tmp_path / "library"
    words = folder / "keyword" / json.loads((folder / MANIFEST).read_text())["keyword"]
    empty = library(tmp_path / "other")
    (tmp_path / "nothing").mkdir()
    empty.ingest(tmp_path / "nothing")
    shutil.rmtree(words)
    shutil.copytree(tmp_path / "other/keyword/1", words)
    (folder / "keyword/new").mkdir()
    (folder / "rows-9").mkdir()
    other = library(folder)
    assert len(wrong(other.doctor())) == 2
    assert not wrong(other.doctor(repair=True))
    assert len(other.search("accrue", mode="keyword")) == 1


def test_doctor_finds_a_text_that_is_not_that_of_its_chunks(tmp_path, lib):
    import lancedb

    folder = tmp_path / "library"
    table = lancedb.connect(folder / "rows").open_table("texts")
    table.update(where="text LIKE '%walrus%'", values={"text": "Another text."})
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["tables"]["texts"] = table.version
    (folder / MANIFEST).write_text(json.dumps(manifest))
    problems = wrong(library(folder).doctor())
    assert "docs:terns.txt @0" in problems["chunks exact (the text at their offset)"]


# rebuild, old formats


@pytest.fixture(params=OLD, ids=lambda path: path.stem)
def old(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    with zipfile.ZipFile(request.param) as stored:
        stored.extractall(tmp_path)
    return tmp_path / "library"


def test_a_library_of_an_older_format_is_refused_with_what_to_do(old):
    with pytest.raises(LibraryIncompatible, match="pincite rebuild"):
        Library.open(old)


def test_a_rebuild_brings_an_old_library_to_this_format_and_keeps_ids_and_times(tmp_path, old):
    before = LibraryStore(old).history()
    ids = {d.source_document: (d.document_id, d.entity_id, d.remembered_at, d.namespace) for d in before.documents.values()}
    chunks = {c.chunk_id: c.remembered_at for i in before.documents for c in before.rows.chunks(i)}
    lib = library(old)
    assert lib.rebuild().counts["unchanged"] == 2
    after = lib.documents()
    assert {d.source_document: (d.document_id, d.entity_id, d.remembered_at, d.namespace) for d in after} == ids
    assert {c.chunk_id: c.remembered_at for c in lib.chunks()} == chunks
    assert lib.status().index_generation.number == before.generation.number + 1
    assert_like_a_fresh_build(lib, tmp_path / "docs", tmp_path / "fresh")
    assert not wrong(lib.doctor(deep=True))


def test_a_rebuild_and_a_reparse_keep_since_when_each_sentence_is_known(docs, lib):
    def known() -> set[tuple[Occurrence, datetime]]:
        return {pair for d in lib.documents() for pair in known_since(lib._reader().rows.chunks(d.document_id)).items()}

    (docs / "fees.md").write_text(
        "# Fees\n\nLate fees accrue at two per cent a month. They are capped.\n\n# Grace\n\nTen days of grace.\n"
    )
    lib.ingest(docs)
    (mixed,) = (c for c in lib.chunks("fees.md") if "capped" in c.content)
    assert len(set(mixed.units_remembered_at)) == 2
    assert mixed.remembered_at == max(mixed.units_remembered_at)
    before = known()
    lib.rebuild()
    assert known() == before
    lib.ingest(docs, reparse=True)
    assert known() == before
    (docs / "fees.md").rename(docs / "charges.md")
    assert lib.ingest(docs).counts["moved"] == 1
    assert known() == before
    (hit,) = lib.search("capped", mode="keyword")
    assert hit.remembered_at == mixed.remembered_at


def test_a_rebuild_takes_another_model(tmp_path, docs, lib):
    other = HashingEmbedder(dimension=32)
    again = library(tmp_path / "library", other)
    (docs / "new.txt").write_text("Puffins.")
    with pytest.raises(LibraryIncompatible, match="pincite rebuild"):
        again.ingest(docs)
    again.rebuild()
    assert again.status().settings == other.settings
    assert len(again.search("terns nest on gravel", mode="semantic", top_k=1)) == 1


def test_what_reads_and_embeds_nothing_works_with_another_model(tmp_path, docs, lib):
    other = library(tmp_path / "library", HashingEmbedder(dimension=32))
    assert other.status().settings == HashingEmbedder().settings
    assert len(other.documents()) == 2
    assert other.cite("Ten days of grace.").status == "exact"
    assert len(other.search("walrus", mode="keyword")) == 1
    semantic = other.search("walrus", mode="semantic")
    assert (len(semantic), semantic.status) == (0, "degraded")
    assert "pincite rebuild" in (semantic.legs[0].reason or "")
    (docs / "terns.txt").rename(docs / "birds.txt")
    assert other.ingest(docs).counts["moved"] == 1
    other.remove("birds.txt")
    other.purge("fees.md")
    assert other.documents() == []
    assert other.status().settings == HashingEmbedder().settings
    with pytest.raises(LibraryIncompatible, match="pincite rebuild"):
        other.ingest(docs)


def test_a_rebuild_finds_documents_whose_folder_or_library_has_moved(tmp_path, docs, lib):
    before = {d.source_document: (d.document_id, d.entity_id, d.remembered_at) for d in lib.documents()}
    times = {c.chunk_id: c.remembered_at for c in lib.chunks()}
    (tmp_path / "far/away").mkdir(parents=True)
    (tmp_path / "library").rename(tmp_path / "far/away/library")
    moved = library(tmp_path / "far/away/library")
    assert moved.rebuild().counts["unchanged"] == 2
    docs.rename(tmp_path / "papers")
    with pytest.raises(LibraryError, match="would be lost") as told:
        moved.rebuild()
    assert "--root NAME=FOLDER" in told.value.next_step
    with pytest.raises(UsageError, match="paper"):
        moved.rebuild(roots={"paper": tmp_path / "papers"})
    assert moved.rebuild(roots={"docs": tmp_path / "papers"}).counts["unchanged"] == 2
    assert {d.source_document: (d.document_id, d.entity_id, d.remembered_at) for d in moved.documents()} == before
    assert {c.chunk_id: c.remembered_at for c in moved.chunks()} == times
    assert dict(moved.status().roots) == {"docs": str(tmp_path / "papers")}
    assert moved.ingest(tmp_path / "papers").counts["unchanged"] == 2


def test_a_rebuild_with_the_same_model_embeds_nothing(tmp_path, lib):
    embedder = CountingEmbedder()
    assert library(tmp_path / "library", embedder).rebuild().counts["embedded"] == 0
    assert embedder.read == []


def test_a_rebuild_that_would_lose_a_document_stops_before_it_does(tmp_path, docs, lib):
    generation = lib.status().index_generation
    (docs / "terns.txt").unlink()
    with pytest.raises(LibraryError, match=r"terns\.txt"):
        lib.rebuild()
    assert lib.status().index_generation == generation
    assert len(lib.search("walrus")) == 1
    assert lib.rebuild(drop_missing=True).counts["error"] == 1
    assert [d.source_document for d in lib.documents()] == ["fees.md"]


def test_reparse_reads_unchanged_files_again_and_embeds_nothing(docs, lib):
    before = [(d.document_id, d.ingested_at) for d in lib.documents()]
    report = lib.ingest(docs, reparse=True)
    assert (report.counts["updated"], report.counts["embedded"]) == (2, 0)
    after = [(d.document_id, d.ingested_at) for d in lib.documents()]
    assert [i for i, _ in after] == [i for i, _ in before]
    assert all(now > then for (_, now), (_, then) in zip(after, before, strict=True))


# leases


def test_a_generation_that_a_reader_holds_is_never_removed(tmp_path, docs, lib):
    held = LibraryStore(tmp_path / "library").reader()
    for n in range(6):
        (docs / "new.txt").write_text(f"Number {n}.")
        lib.ingest(docs)
    assert held.generation.number in leased(tmp_path / "library")
    assert held.keyword.chunk_count() == held.rows.chunk_count() == len([c for i in held.documents for c in held.rows.chunks(i)])
    del held
    (docs / "new.txt").write_text("The last.")
    lib.ingest(docs)
    kept = sorted(int(f.name) for f in (tmp_path / "library/keyword").iterdir())
    assert kept == [6, 7, 8]


def test_the_lease_of_a_dead_reader_is_dropped_and_that_of_another_host_counts_for_a_day(tmp_path, lib):
    leases = tmp_path / "library/leases"
    code = "import sys, os, json; print(os.getpid())"
    pid = int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    here = socket.gethostname()
    for number, host in ((71, here), (72, "elsewhere"), (73, "elsewhere")):
        (leases / f"{number}-{pid}-x.json").write_text(json.dumps({"pid": pid, "host": host, "generation": number}))
    os.utime(leases / f"73-{pid}-x.json", (1, 1))
    assert {71, 72, 73} & leased(tmp_path / "library") == {72}
    assert not (leases / f"71-{pid}-x.json").exists()


def test_a_reader_that_ends_takes_its_lease_away(tmp_path, lib):
    before = set((tmp_path / "library/leases").iterdir())
    reader = LibraryStore(tmp_path / "library").reader()
    assert len(set((tmp_path / "library/leases").iterdir()) - before) == 1
    del reader
    assert set((tmp_path / "library/leases").iterdir()) == before


def test_where_nothing_can_be_written_reading_needs_no_lease(tmp_path, lib):
    shutil.rmtree(tmp_path / "library/leases")
    assert LibraryStore(tmp_path / "library").reader().rows.chunk_count() == 3


# what can go wrong


def test_what_was_committed_before_an_interruption_stays(tmp_path, docs, monkeypatch):
    from index import pipeline

    monkeypatch.setattr(pipeline, "EMBED_BATCH", 1)
    monkeypatch.setattr(pipeline, "COMMIT_CHUNKS", 1)
    commits = []

    def interrupt(step: str) -> None:
        commits.append(step)
        if commits.count("pruned") == 1 and step == "added":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library(tmp_path / "library", on_step=interrupt).ingest(docs, jobs=1)
    lib = Library(LibraryStore(tmp_path / "library"), embedder=HashingEmbedder(), counter=WordCounter())
    assert len(lib.documents()) == 1
    report = lib.ingest(docs)
    assert (report.counts["unchanged"], report.counts["added"]) == (1, 1)
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def test_a_writer_that_waits_gets_its_turn(tmp_path, docs, lib):
    import threading

    started = threading.Event()

    def hold() -> None:
        with LibraryStore(tmp_path / "library").writer(HashingEmbedder().settings, chunking=lib._store.reader().manifest.chunking):
            started.set()
            threading.Event().wait(0.3)

    holder = threading.Thread(target=hold)
    holder.start()
    started.wait()
    (docs / "new.txt").write_text("Puffins.")
    assert lib.ingest(docs, wait=30).counts["added"] == 1
    holder.join()
