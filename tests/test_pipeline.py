"""Ingest, step by step, without engines: the order of the work and what it leaves in the library."""

from __future__ import annotations

import gc
import os
import time
import tracemalloc
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from index.memory import HashingEmbedder
from index.pipeline import IngestOptions, dry_run, ingest
from index.report import IngestReport
from index.survey import survey
from index.workers import Limits, Reading, read_all
from ingest.discover import discover, plan_roots
from ingest.errors import SourceError
from ingest.models import SourceFile


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


class TrapCounter:
    """A token counter that does to its process what a hostile file does to a parser."""

    max_tokens = 256
    splits_at_spaces = True

    def count(self, texts: Sequence[str]) -> list[int]:
        for text in texts:
            if "HANG" in text:
                time.sleep(600)
            if "CRASH" in text:
                os._exit(11)
            if "BURST" in text:
                bytearray(64 * 2**30)
        return [len(t.split()) for t in texts]


class Watch:
    """Counts what it is told."""

    def __init__(self) -> None:
        self.expected = self.files = self.chunks = 0

    def start(self, *, files: int) -> None:
        self.expected = files

    def advance(self, *, files: int = 0, pages: int = 0, chunks: int = 0) -> None:
        self.files += files
        self.chunks += chunks


@pytest.fixture
def run(writer, counter):
    def go(*paths: Path, **options) -> IngestReport:
        return ingest(writer.reader, writer, HashingEmbedder(), counter, paths, IngestOptions(jobs=1, **options))

    return go


def changes(report: IngestReport) -> dict[str, str]:
    return {f.path: f.change for f in report.files}


def texts(writer) -> dict[str, str]:
    rows = writer.reader.rows
    return {d.source_document: rows.text(d.document_id).text for d in rows.documents()}


def test_a_folder_is_added_and_a_second_run_changes_nothing(tmp_path, writer, run):
    write(tmp_path / "a.txt", "Apples.\n\nPears.")
    write(tmp_path / "sub/b.txt", "Bread.")
    first = run(tmp_path)
    assert changes(first) == {"a.txt": "added", "sub/b.txt": "added"}
    assert texts(writer) == {"a.txt": "Apples.\n\nPears.", "sub/b.txt": "Bread."}
    second = run(tmp_path)
    assert changes(second) == {"a.txt": "unchanged", "sub/b.txt": "unchanged"}
    assert second.index_generation == first.index_generation
    assert writer.commits == 1


def test_every_chunk_is_a_slice_of_the_text_with_its_line(tmp_path, writer, run):
    write(
        tmp_path / "a.txt",
        "One.\r\n\r\nTwo, Grüße 🗒.\n\nThree.\n" + "\n\n".join(f"Paragraph {n} " + "word " * 90 for n in range(9)),
    )
    run(tmp_path)
    (document,) = writer.reader.rows.documents()
    text = writer.reader.rows.text(document.document_id).text
    chunks = list(writer.reader.rows.chunks(document.document_id))
    assert len(chunks) == document.chunk_count > 3
    for c in chunks:
        assert text[c.source_offset : c.source_offset + len(c.content)] == c.content
        assert c.line_from == text[: c.source_offset].count("\n") + 1
        assert c.page_starts == ()


def test_a_file_rewritten_with_the_same_size_and_time_is_noticed(tmp_path, writer, run):
    file = write(tmp_path / "a.txt", "The fig barrel.")
    run(tmp_path)
    before = file.stat()
    write(file, "The elm barrel.")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert changes(run(tmp_path)) == {"a.txt": "updated"}
    assert texts(writer) == {"a.txt": "The elm barrel."}


def test_an_updated_document_keeps_its_id_and_what_was_remembered_when(tmp_path, writer, run):
    kept = "word " * 150
    file = write(tmp_path / "a.txt", f"{kept}\n\n" + "other " * 150)
    run(tmp_path)
    (before,) = writer.reader.rows.documents()
    old = {c.chunk_id: c.remembered_at for c in writer.reader.rows.chunks(before.document_id)}
    write(file, f"{kept}\n\n" + "changed " * 150)
    run(tmp_path)
    (after,) = writer.reader.rows.documents()
    new = {c.chunk_id: c.remembered_at for c in writer.reader.rows.chunks(after.document_id)}
    assert (after.document_id, after.entity_id, after.remembered_at) == (before.document_id, before.entity_id, before.remembered_at)
    shared = old.keys() & new.keys()
    assert shared
    assert new.keys() - shared
    assert all(new[i] == old[i] for i in shared)
    assert all(new[i] > before.remembered_at for i in new.keys() - shared)


def test_a_touched_file_is_unchanged(tmp_path, run):
    file = write(tmp_path / "a.txt", "Elder.")
    run(tmp_path)
    os.utime(file, (1, 1))
    assert changes(run(tmp_path)) == {"a.txt": "unchanged"}


def test_a_move_keeps_the_document_and_its_chunks(tmp_path, writer, run):
    file = write(tmp_path / "a.txt", "Banana crate.")
    run(tmp_path)
    (before,) = writer.reader.rows.documents()
    (tmp_path / "sub").mkdir()
    file.rename(tmp_path / "sub/a.txt")
    assert changes(run(tmp_path)) == {"sub/a.txt": "moved"}
    (after,) = writer.reader.rows.documents()
    assert (after.document_id, after.source_document) == (before.document_id, "sub/a.txt")


def test_a_moved_file_whose_title_is_its_name_gets_the_new_title(tmp_path, writer, run):
    file = write(tmp_path / "apples.txt", "Words.")
    run(tmp_path)
    file.rename(tmp_path / "pears.txt")
    assert changes(run(tmp_path)) == {"pears.txt": "moved"}
    assert [d.title for d in writer.reader.rows.documents()] == ["pears"]


def test_two_new_files_with_the_bytes_of_one_gone_are_no_move(tmp_path, run):
    file = write(tmp_path / "a.txt", "Same.")
    run(tmp_path)
    file.unlink()
    write(tmp_path / "b.txt", "Same.")
    write(tmp_path / "c.txt", "Same.")
    assert changes(run(tmp_path, prune=True)) == {"a.txt": "removed", "b.txt": "added", "c.txt": "added"}


def test_files_that_trade_places_are_both_updated(tmp_path, writer, run):
    write(tmp_path / "a.txt", "First.")
    write(tmp_path / "b.txt", "Second.")
    run(tmp_path)
    write(tmp_path / "a.txt", "Second.")
    write(tmp_path / "b.txt", "First.")
    assert changes(run(tmp_path)) == {"a.txt": "updated", "b.txt": "updated"}
    assert texts(writer) == {"a.txt": "Second.", "b.txt": "First."}


def test_a_gone_file_stays_until_pruned_and_the_report_says_so(tmp_path, writer, run):
    write(tmp_path / "keep.txt", "x")
    file = write(tmp_path / "a.txt", "Cherry box.")
    run(tmp_path)
    file.unlink()
    report = {f.path: f for f in run(tmp_path).files}
    assert (report["a.txt"].change, report["a.txt"].status) == ("none", "warning")
    assert "gone" in (report["a.txt"].reason or "")
    assert "a.txt" in texts(writer)
    assert changes(run(tmp_path, prune=True))["a.txt"] == "removed"
    assert set(texts(writer)) == {"keep.txt"}


def test_prune_removes_only_below_the_path_given(tmp_path, writer, run):
    gone = [write(tmp_path / name, name) for name in ("x/a.txt", "y/a.txt")]
    write(tmp_path / "x/b.txt", "b")
    run(tmp_path)
    for file in gone:
        file.unlink()
    run(tmp_path / "x", prune=True)
    assert set(texts(writer)) == {"x/b.txt", "y/a.txt"}


def test_a_folder_that_is_not_there_removes_nothing(tmp_path, writer, run):
    write(tmp_path / "disk/a.txt", "x")
    run(tmp_path / "disk")
    (tmp_path / "disk").rename(tmp_path / "unplugged")
    report = run(tmp_path / "disk", prune=True)
    assert [f.status for f in report.files] == ["error"]
    assert report.nothing_went_in
    assert set(texts(writer)) == {"a.txt"}


def test_a_root_that_is_not_there_is_said_when_another_is_new(tmp_path, writer, run):
    write(tmp_path / "one/docs/a.txt", "x")
    write(tmp_path / "other/b.txt", "y")
    run(tmp_path / "one/docs")
    (tmp_path / "one").rename(tmp_path / "two")
    assert [f.status for f in run(tmp_path / "other").files] == ["warning", "ok"]
    report = {(f.root, f.path): f for f in run(tmp_path / "two/docs").files}
    assert "--root docs=FOLDER" in (report["docs", "."].reason or "")
    assert report["docs-2", "a.txt"].change == "added"
    assert [f.status for f in run(tmp_path / "other").files] == ["ok"]


def test_a_bad_file_is_named_and_the_others_go_in(tmp_path, writer, run):
    write(tmp_path / "bad.pdf", "<html>")
    write(tmp_path / "good.txt", "Good.")
    write(tmp_path / "photo.png", "x")
    report = run(tmp_path)
    status = {f.path: f.status for f in report.files}
    assert status == {"bad.pdf": "error", "good.txt": "ok", "photo.png": "ignored"}
    assert not report.nothing_went_in
    assert [f.source_document for f in writer.reader.rows.failures()] == ["bad.pdf"]
    assert "HTML" in writer.reader.rows.failures()[0].reason


def test_a_failure_is_tried_again_and_forgotten_when_it_is_mended(tmp_path, writer, run):
    file = write(tmp_path / "a.txt", "\x00\x01\x02" * 99)
    assert [f.status for f in run(tmp_path).files] == ["error"]
    commits = writer.commits
    assert [f.status for f in run(tmp_path).files] == ["error"]
    assert writer.commits == commits
    write(file, "Mended.")
    assert changes(run(tmp_path)) == {"a.txt": "added"}
    assert writer.reader.rows.failures() == []


def test_a_new_version_that_cannot_be_read_leaves_the_old_one_and_says_so(tmp_path, writer, run):
    file = write(tmp_path / "a.txt", "Good.")
    run(tmp_path)
    write(file, "\x00\x01\x02" * 99)
    (report,) = run(tmp_path, prune=True).files
    assert (report.change, report.status) == ("none", "error")
    assert "kept" in (report.reason or "")
    assert texts(writer) == {"a.txt": "Good."}


def test_an_outer_folder_takes_the_documents_of_an_inner_one_over(tmp_path, writer, run):
    write(tmp_path / "docs/in/a.txt", "x")
    run(tmp_path / "docs/in")
    (before,) = writer.reader.rows.documents()
    assert changes(run(tmp_path / "docs")) == {"in/a.txt": "unchanged"}
    (after,) = writer.reader.rows.documents()
    assert (after.document_id, after.root, after.source_document) == (before.document_id, "docs", "in/a.txt")
    assert dict(writer.reader.roots) == {"docs": str(tmp_path / "docs")}


def test_a_namespace_is_kept_until_another_is_given(tmp_path, writer, run):
    file = write(tmp_path / "a.txt", "x")
    run(tmp_path, namespace="law")
    write(file, "y")
    run(tmp_path)
    assert [d.namespace for d in writer.reader.rows.documents()] == ["law"]
    run(tmp_path, namespace="tax")
    assert [d.namespace for d in writer.reader.rows.documents()] == ["tax"]


def test_a_dry_run_says_what_would_be_done_and_does_nothing(tmp_path, writer, run):
    file = write(tmp_path / "a.txt", "x")
    write(tmp_path / "b.txt", "b")
    run(tmp_path)
    commits = writer.commits
    write(file, "y")
    write(tmp_path / "c.txt", "c")
    report = dry_run(writer.reader, [tmp_path], IngestOptions())
    assert changes(report) == {"a.txt": "updated", "b.txt": "unchanged", "c.txt": "added"}
    assert writer.commits == commits
    assert texts(writer)["a.txt"] == "x"


def test_progress_counts_every_file_that_is_read(tmp_path, writer, counter):
    write(tmp_path / "a.txt", "x")
    write(tmp_path / "b.txt", "\x00\x01\x02" * 99)
    watch = Watch()
    ingest(writer.reader, writer, HashingEmbedder(), counter, [tmp_path], IngestOptions(), progress=watch)
    assert (watch.expected, watch.files, watch.chunks) == (2, 2, 1)


def test_counts_sum_up_the_report(tmp_path, run):
    write(tmp_path / "a.txt", "x")
    write(tmp_path / "b.png", "x")
    counts = run(tmp_path).counts
    assert (counts["files"], counts["added"], counts["ok"], counts["ignored"], counts["chunks"]) == (2, 1, 1, 1, 1)


def test_a_name_that_is_no_utf8_keeps_its_bytes(tmp_path, writer, run):
    raw = os.fsencode(tmp_path) + b"/d/bad-\xff.txt"
    (tmp_path / "d").mkdir()
    Path(os.fsdecode(raw)).write_text("x")
    run(tmp_path)
    (document,) = writer.reader.rows.documents()
    assert (document.source_document, document.raw_path) == ("d/bad-%FF.txt", b"d/bad-\xff.txt")


# workers


def sources(folder: Path) -> list[SourceFile]:
    (scope,) = plan_roots([folder], {}).scopes
    return [s for s in discover(scope) if isinstance(s, SourceFile)]


def big(word: str) -> str:
    """Too big to be read in this process, though there is little in it."""
    return f"{word} here." + "\n" * 400_000


def results(folder: Path, **limits) -> dict[str, Reading | SourceError]:
    found = sources(folder)
    read = read_all(found, TrapCounter(), jobs=2, limits=Limits(**limits))
    return {s.path: r for s, r in zip(found, read, strict=True)}


def test_workers_give_results_in_the_order_of_the_files(tmp_path):
    for n in range(6):
        write(tmp_path / f"{n}.txt", big(f"Number {n}"))
    read = list(read_all(sources(tmp_path), TrapCounter(), jobs=2))
    assert [r.source.path for r in read if isinstance(r, Reading)] == [f"{n}.txt" for n in range(6)]


def test_a_file_that_crashes_the_parser_is_named_and_the_others_are_read(tmp_path):
    for name, word in (("a", "Fine"), ("b", "CRASH"), ("c", "Fine"), ("d", "Fine")):
        write(tmp_path / f"{name}.txt", big(word))
    read = results(tmp_path)
    assert [name for name, r in read.items() if isinstance(r, SourceError)] == ["b.txt"]
    assert "crashed" in str(read["b.txt"])


def test_a_file_that_hangs_the_parser_is_ended_and_named(tmp_path):
    for name, word in (("a", "Fine"), ("b", "HANG"), ("c", "Fine")):
        write(tmp_path / f"{name}.txt", big(word))
    read = results(tmp_path, seconds=3, seconds_per_mib=0)
    assert [name for name, r in read.items() if isinstance(r, SourceError)] == ["b.txt"]
    assert "not read within 3 seconds" in str(read["b.txt"])


def test_a_file_that_needs_too_much_memory_is_named(tmp_path):
    write(tmp_path / "a.txt", big("BURST"))
    write(tmp_path / "b.txt", big("Fine"))
    read = results(tmp_path)
    assert "memory" in str(read["a.txt"])
    assert isinstance(read["b.txt"], Reading)


def test_what_is_planned_of_each_file_does_not_stay_in_memory(tmp_path, writer):
    for number in range(1_500):
        (tmp_path / f"{number}.txt").touch()
    options = {"namespace": None, "entity": None, "prune": False, "skip": lambda path: None, "now": datetime.now(UTC)}
    survey(writer.reader, [write(tmp_path / "first" / "a.txt", "")], draft=writer.records, **options)  # what is imported late
    tracemalloc.start()
    try:
        plan = survey(writer.reader, [tmp_path], draft=writer.records, **options).plan
        gc.collect()  # empties Python's lists of free objects
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(plan.jobs) == 1_501
    assert kept < 1_500 * 100


def test_files_are_taken_from_a_long_list_as_they_are_read(tmp_path, counter):
    file = write(tmp_path / "a.txt", "Apples.")
    taken = []

    def many():
        for number in range(10_000):
            taken.append(number)
            yield SourceFile(file=file, root="docs", path="a.txt", size=2**20, mtime_ns=0)

    results = read_all(many(), counter, jobs=1)
    assert [isinstance(next(results), Reading) for _ in range(3)] == [True] * 3
    assert len(taken) <= 4
