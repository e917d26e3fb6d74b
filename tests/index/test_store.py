"""A library folder: whole generations, one writer, and what a dead writer leaves."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from index.analysis import keyword_query
from index.keys import digest
from index.lock import write_lock
from index.manifest import MANIFEST, fingerprint, kept_root, root_folder
from index.memory import HashingEmbedder
from index.models import ChunkFilter, Failure, Generation, NewDocument
from index.ports import LibraryReader
from index.store import LibraryStore
from index.writer import LibraryWriter
from ingest.errors import LibraryDamaged, LibraryIncompatible, LibraryLocked, LibraryNotFound, UsageError

MakeDocument = Callable[..., NewDocument]
REPOSITORY = Path(__file__).parents[2]
SETTINGS = HashingEmbedder().settings
CHUNKING: dict[str, int | str] = {"max_tokens": 200, "version": 1}
EVERYTHING = ChunkFilter(without_roles=frozenset())


@pytest.fixture
def store(tmp_path: Path) -> LibraryStore:
    return LibraryStore.open(tmp_path / "library", create=True)


def change(store: LibraryStore, *add: NewDocument, delete: tuple[str, ...] = ()) -> Generation:
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        writer.delete(delete)
        writer.add(add)
        return writer.commit()


def contents(reader: LibraryReader) -> set[str]:
    return {c.content for i in reader.documents for c in reader.rows.chunks(i)}


def found(reader: LibraryReader, question: str) -> list[tuple[str, float]]:
    """Contents and scores: ids differ between libraries, these must not."""
    hits = reader.keyword.search(keyword_query(question), 10, EVERYTHING)
    chunks = reader.rows.by_ids([h.chunk_id for h in hits])
    return [(chunks[h.chunk_id].content, round(h.native_score, 5)) for h in hits]


def test_rows_and_words_of_a_generation_belong_together(store: LibraryStore, new_document: MakeDocument) -> None:
    generation = change(store, new_document("d1", "late fee"), new_document("d2", "terns nest"))
    reader = store.reader()
    assert reader.generation == generation
    assert generation.number == 1
    assert reader.settings == SETTINGS
    assert list(reader.documents) == ["d1", "d2"]
    assert reader.rows.chunk_count() == reader.keyword.chunk_count() == 2
    assert [c for c, _ in found(reader, "fees")] == ["late fee"]


def test_the_number_rises_by_one_at_each_commit(store: LibraryStore, new_document: MakeDocument) -> None:
    numbers = [change(store, new_document(f"d{i}", f"text {i}")).number for i in range(6)]
    assert numbers == [1, 2, 3, 4, 5, 6]
    assert store.reader().keyword.chunk_count() == 6


def test_a_writer_may_commit_again_and_again(store: LibraryStore, new_document: MakeDocument) -> None:
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        writer.add([new_document("d1", "late fee"), new_document("d2", "old words")])
        assert writer.commit().number == 1
        writer.delete(["d2"])
        writer.add([new_document("d3", "grace period")])
        assert contents(store.reader()) == {"late fee", "old words"}
        assert writer.commit().number == 2
        assert writer.commit().number == 2
    assert contents(store.reader()) == {"late fee", "grace period"}
    assert [c for c, _ in found(store.reader(), "grace")] == ["grace period"]
    assert found(store.reader(), "old") == []


def test_a_commit_without_changes_makes_no_generation(store: LibraryStore, new_document: MakeDocument) -> None:
    document = new_document("d1", "late fee")
    generation = change(store, document)
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        writer.delete(["unknown"])
        writer.update([document.record])
        writer.set_failures([])
        writer.set_roots({})
        assert writer.commit() == generation


def test_an_empty_library_is_a_generation_too(store: LibraryStore) -> None:
    assert change(store).number == 1
    assert dict(store.reader().documents) == {}
    assert found(store.reader(), "fee") == []


def test_a_reader_keeps_its_generation_and_the_next_question_sees_the_new_one(
    store: LibraryStore, new_document: MakeDocument
) -> None:
    change(store, new_document("d1", "old words"))
    before = store.reader()
    assert store.reader() is before
    change(store, new_document("d2", "new words"), delete=("d1",))
    assert contents(before) == {"old words"}
    assert [c for c, _ in found(before, "words")] == ["old words"]
    assert contents(store.reader()) == {"new words"}
    assert [c for c, _ in found(store.reader(), "words")] == ["new words"]


def test_another_process_commits_and_it_is_seen(store: LibraryStore, new_document: MakeDocument) -> None:
    change(store, new_document("d1", "old words"))
    assert store.reader().generation.number == 1
    change(LibraryStore.open(store.folder), new_document("d2", "new words"))
    assert store.reader().generation.number == 2


def test_readers_in_threads_see_whole_generations_while_one_writes(store: LibraryStore, new_document: MakeDocument) -> None:
    change(store, new_document("d0", "words 0"))
    seen: list[tuple[int, int, int]] = []
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            reader = LibraryStore.open(store.folder).reader()
            seen.append((reader.generation.number, reader.rows.chunk_count(), reader.keyword.chunk_count()))

    thread = threading.Thread(target=read)
    thread.start()
    for i in range(1, 8):
        change(store, new_document(f"d{i}", f"words {i}"))
    ended.set()
    thread.join()
    assert seen
    assert all(number == rows == words for number, rows, words in seen)


def test_a_document_with_the_same_id_takes_the_place_of_the_old_one(store: LibraryStore, new_document: MakeDocument) -> None:
    change(store, new_document("d1", "old words", "more"))
    change(store, new_document("d1", "new words"))
    assert contents(store.reader()) == {"new words"}
    assert store.reader().keyword.chunk_count() == 1


def test_a_renamed_document_is_found_by_its_new_title(store: LibraryStore, new_document: MakeDocument) -> None:
    document = new_document("d1", "interest", title="Agreement")
    change(store, document, new_document("d2", "interest", "terns"))
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        writer.update([replace(document.record, source_document="b.md", title="Covenant")])
        writer.commit()
    reader = store.reader()
    assert reader.documents["d1"].source_document == "b.md"
    assert [c for c, _ in found(reader, "covenant")] == ["interest"]
    assert found(reader, "agreement") == []
    assert reader.keyword.chunk_count() == 3


def test_failures_and_roots_are_kept(store: LibraryStore, tmp_path: Path) -> None:
    failure = Failure(root="docs", source_document="a.pdf", reason="damaged", failed_at=datetime(2031, 1, 1, tzinfo=UTC))
    with store.writer(SETTINGS, chunking=CHUNKING, parsers={"pdf": "PyMuPDF 2.0"}) as writer:
        writer.set_failures([failure])
        writer.set_roots({"docs": str(tmp_path / "docs")})
        writer.commit()
    reader = store.reader()
    assert reader.rows.failures() == [failure]
    assert dict(reader.roots) == {"docs": str(tmp_path / "docs")}
    assert dict(reader.manifest.parsers) == {"pdf": "PyMuPDF 2.0"}


def test_a_library_moved_together_with_its_documents_knows_them(store: LibraryStore, tmp_path: Path) -> None:
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        writer.set_roots({"docs": str(tmp_path / "docs")})
        writer.commit()
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    store.folder.rename(moved / "library")
    assert dict(LibraryStore.open(moved / "library").reader().roots) == {"docs": str(moved / "docs")}


def test_roots_outside_and_inside_come_back(tmp_path: Path) -> None:
    for root in (tmp_path, tmp_path / "a" / "b", Path("/"), tmp_path / "library" / "x"):
        assert root_folder(tmp_path / "library", kept_root(tmp_path / "library", str(root))) == str(root)


def test_a_library_moved_alone_knows_where_its_documents_are(store: LibraryStore, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        writer.set_roots({"docs": str(tmp_path / "docs")})
        writer.commit()
    (tmp_path / "far" / "away").mkdir(parents=True)
    store.folder.rename(tmp_path / "far" / "away" / "library")
    assert dict(LibraryStore.open(tmp_path / "far/away/library").reader().roots) == {"docs": str(tmp_path / "docs")}


def test_what_is_not_committed_is_dropped(store: LibraryStore, new_document: MakeDocument) -> None:
    change(store, new_document("d1", "old words"))
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        writer.delete(["d1"])
        writer.add([new_document("d2", "lost words")])
    assert contents(store.reader()) == {"old words"}
    assert change(store, new_document("d3", "new words")).number == 2
    assert contents(store.reader()) == {"old words", "new words"}
    assert store.reader().keyword.chunk_count() == 2


def test_a_second_writer_is_told_who_holds_the_lock(store: LibraryStore, new_document: MakeDocument) -> None:
    with (
        store.writer(SETTINGS, chunking=CHUNKING),
        pytest.raises(LibraryLocked, match=r"process \d+ on .+ since \d{4}-"),
        LibraryStore.open(store.folder, create=True).writer(SETTINGS, chunking=CHUNKING),
    ):
        pass
    assert change(store, new_document("d1", "late fee")).number == 1


def test_readers_need_no_lock(store: LibraryStore, new_document: MakeDocument) -> None:
    change(store, new_document("d1", "late fee"))
    with write_lock(store.folder):
        assert contents(LibraryStore.open(store.folder).reader()) == {"late fee"}


def test_a_lock_with_a_broken_note_is_still_a_lock(store: LibraryStore) -> None:
    with store.writer(SETTINGS, chunking=CHUNKING):
        (store.folder / "lock.json").write_text("{")
        with pytest.raises(LibraryLocked, match="another process"), write_lock(store.folder):
            pass


def test_there_is_no_library_until_something_is_committed(tmp_path: Path) -> None:
    with pytest.raises(LibraryNotFound, match="pincite ingest"):
        LibraryStore.open(tmp_path / "nowhere")
    with pytest.raises(LibraryNotFound):
        LibraryStore.open(tmp_path / "nowhere", create=True).reader()
    assert not (tmp_path / "nowhere").exists()


def test_a_library_is_not_made_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        LibraryStore.open(tmp_path, create=True)
    with pytest.raises(UsageError):
        LibraryStore.open(tmp_path / "thesis.tex", create=True)


@pytest.mark.parametrize(
    ("version", "step"), [(99, "upgrade"), (1, "pincite rebuild"), (2, "pincite rebuild"), (3, "pincite rebuild")]
)
def test_another_format_is_refused_with_what_to_do(store: LibraryStore, version: int, step: str) -> None:
    change(store)
    manifest = json.loads((store.folder / MANIFEST).read_text())
    (store.folder / MANIFEST).write_text(json.dumps(manifest | {"format_version": version}))
    with pytest.raises(LibraryIncompatible, match=step):
        LibraryStore.open(store.folder)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format_version": 4}'])
def test_a_broken_manifest_is_damage(store: LibraryStore, text: str) -> None:
    change(store)
    (store.folder / MANIFEST).write_text(text)
    with pytest.raises(LibraryDamaged):
        LibraryStore.open(store.folder)


def test_another_model_or_chunking_is_refused_where_documents_come_in_and_another_dtype_is_not(
    store: LibraryStore, new_document: MakeDocument
) -> None:
    change(store)
    for settings, chunking in (
        (replace(SETTINGS, model="other"), CHUNKING),
        (replace(SETTINGS, weights_sha256="other"), CHUNKING),
        (SETTINGS, CHUNKING | {"max_tokens": 100}),
    ):
        with store.writer(settings, chunking=chunking) as writer:
            with pytest.raises(LibraryIncompatible, match="pincite rebuild"):
                writer.expect_documents()
            with pytest.raises(LibraryIncompatible):
                writer.add([new_document("d1", "late fee")])
            writer.set_roots({"docs": "/docs"})
            writer.commit()
        assert store.reader().settings == SETTINGS
        assert store.reader().manifest.chunking == CHUNKING
    with store.writer(replace(SETTINGS, dtype="bfloat16"), chunking=CHUNKING) as writer:
        writer.commit()


def test_the_fingerprint_is_of_content_and_settings_alone(tmp_path: Path, new_document: MakeDocument) -> None:
    a, b = new_document("1", "late fee", path="a.md"), new_document("2", "terns", path="b.md")
    one = change(LibraryStore.open(tmp_path / "one", create=True), a, b)
    other = LibraryStore.open(tmp_path / "other", create=True)
    change(other, new_document("x", "old words", path="b.md"))
    assert change(
        other, new_document("9", "terns", path="b.md"), new_document("8", "late fee", path="a.md"), delete=("x",)
    ) == Generation(number=2, fingerprint=one.fingerprint)
    first, second = ((d.root, d.source_document, d.source_sha256) for d in (a.record, b.record))
    records = [first, second]
    assert fingerprint(records, SETTINGS, CHUNKING) == one.fingerprint
    assert fingerprint(records, replace(SETTINGS, dtype="bfloat16"), CHUNKING) == one.fingerprint
    for different in (
        fingerprint([(*first[:2], digest("x")), second], SETTINGS, CHUNKING),
        fingerprint([("other", *first[1:]), second], SETTINGS, CHUNKING),
        fingerprint(records, replace(SETTINGS, weights_sha256="x"), CHUNKING),
        fingerprint(records, SETTINGS, {"max_tokens": 1}),
        fingerprint([first], SETTINGS, CHUNKING),
    ):
        assert different != one.fingerprint


def test_a_changed_library_scores_like_a_fresh_one(tmp_path: Path, new_document: MakeDocument) -> None:
    kept = [new_document("1", "late fee", "the fee of the fee", path="a.md"), new_document("2", "terns nest late", path="b.md")]
    fresh, changed = (LibraryStore.open(tmp_path / name, create=True) for name in ("fresh", "changed"))
    change(fresh, *kept)
    change(changed, new_document("3", *(f"late late fee number {i}" for i in range(30)), path="c.md"), kept[1])
    change(changed, kept[0], delete=("3",))
    for question in ("late fees", "terns", "fee"):
        assert found(changed.reader(), question) == found(fresh.reader(), question)


def test_old_words_are_pruned_and_the_last_few_kept(store: LibraryStore, new_document: MakeDocument) -> None:
    for i in range(6):
        change(store, new_document(f"d{i}", f"words {i}"))
    assert {f.name for f in (store.folder / "keyword").iterdir()} == {"4", "5", "6"}


DYING = """
import os, pickle, sys
from pathlib import Path
from index.memory import HashingEmbedder
from index.store import LibraryStore
documents = pickle.loads(Path(sys.argv[2]).read_bytes())
store = LibraryStore.open(sys.argv[1], create=True)
with store.writer(HashingEmbedder().settings, chunking={"max_tokens": 200, "version": 1}) as writer:
    writer.delete(["d1"])
    writer.add(documents)
    if sys.argv[3] != "added":
        writer._rows.commit()
    if sys.argv[3] == "words":
        writer._words._writer.commit()
        writer._words.folder.rename(store.folder / "keyword" / "2")
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("point", ["added", "rows", "words"])
def test_a_writer_killed_before_the_manifest_leaves_the_last_generation(
    store: LibraryStore, new_document: MakeDocument, tmp_path: Path, point: str
) -> None:
    import pickle

    change(store, new_document("d1", "old words"))
    (tmp_path / "documents").write_bytes(pickle.dumps([new_document("d2", "lost words")]))
    died = subprocess.run([sys.executable, "-c", DYING, store.folder, tmp_path / "documents", point], check=False, cwd=REPOSITORY)
    assert died.returncode < 0
    reader = LibraryStore.open(store.folder).reader()
    assert reader.generation.number == 1
    assert contents(reader) == {"old words"}
    assert [c for c, _ in found(reader, "words")] == ["old words"]
    assert change(store, new_document("d3", "new words")).number == 2
    assert contents(store.reader()) == {"old words", "new words"}
    assert {c for c, _ in found(store.reader(), "words")} == {"old words", "new words"}


def test_a_first_writer_that_died_leaves_room_for_the_next(store: LibraryStore, new_document: MakeDocument) -> None:
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        writer.add([new_document("d1", "lost words")])
    (store.folder / "manifests").mkdir()
    (store.folder / f"{MANIFEST}.new").write_text("{")
    again = LibraryStore.open(store.folder, create=True)
    change(again, new_document("d2", "new words"))
    assert contents(again.reader()) == {"new words"}


def test_text_stands_in_the_tables_alone(store: LibraryStore, new_document: MakeDocument) -> None:
    change(store, new_document("d1", "the peregrination of the walrus"))
    for file in store.folder.rglob("*"):
        if file.is_file() and "rows" not in file.relative_to(store.folder).parts:
            assert b"the peregrination of" not in file.read_bytes(), file


def test_the_writer_knows_what_will_be_there(store: LibraryStore, new_document: MakeDocument) -> None:
    change(store, new_document("d1", "a"), new_document("d2", "b"))
    with store.writer(SETTINGS, chunking=CHUNKING) as writer:
        assert isinstance(writer, LibraryWriter)
        writer.delete(["d1"])
        writer.add([new_document("d3", "c")])
        assert set(writer.documents) == {"d2", "d3"}
