"""Whatever happened to a library, it ends as a fresh build of the same folder would: a state machine over the real stores."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import WordCounter
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import index.next_words
from index.analysis import keyword_query
from index.memory import HashingEmbedder
from index.models import ChunkFilter, ChunkVectors
from index.report import IngestReport
from index.store import LibraryStore
from index.tantivy_index import deleted_share
from ingest.models import Passage
from pincite.library import Library

NAMES = ("a.md", "b.md", "c.txt", "sub/a.md", "sub/d.txt")
WORDS = ("tern", "gravel", "fee", "grace", "month", "clause", "notice", "interest")
UNREADABLE = b"\x00\x01\x02" * 99
SENTENCES = [f"{w} of the {v} {'and ' * n}{w}s." for w in WORDS for v in WORDS[:3] for n in (1, 40)]
PARAGRAPHS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6)
QUESTIONS = ("tern gravel", "late fees", "the interest of the clause", '"grace of the fee"')


class CountingEmbedder(HashingEmbedder):
    """Remembers what it had to read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def embed_passages(self, passages: Sequence[Passage]) -> list[ChunkVectors]:
        self.read += [p.text for p in passages]
        return super().embed_passages(passages)


def library(folder: Path, embedder: HashingEmbedder | None = None, **store) -> Library:
    return Library(LibraryStore(folder, **store), embedder=embedder or CountingEmbedder(), counter=WordCounter(), create=True)


def content(lib: Library) -> list[tuple]:
    """All that must equal a fresh build: no ids, no times."""
    return [
        (
            c.root,
            c.source_document,
            c.section_path,
            c.source_offset,
            c.content,
            c.role,
            c.units,
            c.context,
            c.page_starts,
            c.line_from,
        )
        for c in lib.chunks()
    ]


def answers(lib: Library) -> list[list[tuple]]:
    """Hits in their order; equal scores have no order between two libraries, since ids break ties."""
    found = []
    for question in QUESTIONS:
        hits = lib.search(question, top_k=1000, min_similarity=0)
        found.append(sorted((-round(h.score, 4), h.source_document, h.source_offset, round(h.similarity or 0, 4)) for h in hits))
    return found


def legs(lib: Library) -> list[list[tuple]]:
    """What the legs find, with their scores: cheap, for many documents."""
    reader, embedder = lib._reader(), HashingEmbedder()
    found = []
    for question in QUESTIONS:
        words = reader.keyword.search(keyword_query(question), 10_000, ChunkFilter())
        near = reader.rows.nearest(embedder.embed_query(question), 10_000, ChunkFilter())
        chunks = reader.rows.by_ids([h.chunk_id for h in (*words, *near)])
        places = {i: (c.source_document, c.source_offset) for i, c in chunks.items()}
        found += [sorted((-round(h.native_score, 4), *places[h.chunk_id]) for h in leg) for leg in (words, near)]
    return found


def assert_like_a_fresh_build(lib: Library, docs: Path, scratch: Path) -> None:
    shutil.rmtree(scratch, ignore_errors=True)
    fresh = library(scratch)
    fresh.ingest(docs)
    assert content(lib) == content(fresh)
    assert {d.title for d in lib.documents()} == {d.title for d in fresh.documents()}
    assert lib.status().index_generation.fingerprint == fresh.status().index_generation.fingerprint
    assert lib.status().chunks == fresh.status().chunks == len(content(lib))
    assert legs(lib) == legs(fresh)
    if len(lib.documents()) < 10:
        assert answers(lib) == answers(fresh)


class Killed(BaseException):
    """Stands for the end of the process."""


def copy_if_there(source: str, target: str) -> str:
    """Tantivy's own threads make and remove files meanwhile; a kill would leave the one or the other."""
    with suppress(FileNotFoundError):
        shutil.copy2(source, target)
    return target


class Folder(RuleBasedStateMachine):
    """A folder that people change, and a library that follows it."""

    @initialize()
    def begin(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="pincite-test-"))
        self.docs, self.folder = self.base / "docs", self.base / "library"
        self.docs.mkdir()
        self.wanted = ""
        self.snapshot = self.base / "snapshot"
        self.lib = library(self.folder, on_step=self.at_step)
        self.put("a.md", ["tern of the tern."])
        self.lib.ingest(self.docs)

    def teardown(self) -> None:
        if hasattr(self, "base"):
            self.follow()
            shutil.rmtree(self.base)

    def at_step(self, step: str) -> None:
        """What a kill at this moment would leave is what lies on the disk now."""
        if step == self.wanted:
            shutil.copytree(self.folder, self.snapshot, copy_function=copy_if_there)
            raise Killed

    def put(self, name: str, paragraphs: list[str]) -> None:
        file = self.docs / name
        file.parent.mkdir(exist_ok=True)
        heads = [f"# {p.split()[0]} {n % 2}\n\n{p}" if name.endswith(".md") else p for n, p in enumerate(paragraphs)]
        file.write_text("\n\n".join(heads) + "\n", encoding="utf-8")

    def files(self) -> list[Path]:
        return sorted(f for f in self.docs.rglob("*") if f.is_file())

    @rule(name=st.sampled_from(NAMES), paragraphs=PARAGRAPHS)
    def write(self, name: str, paragraphs: list[str]) -> None:
        self.put(name, paragraphs)

    @precondition(lambda self: self.files())
    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def move(self, data: st.DataObject, name: str) -> None:
        (self.docs / name).parent.mkdir(exist_ok=True)
        data.draw(st.sampled_from(self.files())).replace(self.docs / name)

    @precondition(lambda self: self.files())
    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def twin(self, data: st.DataObject, name: str) -> None:
        (self.docs / name).parent.mkdir(exist_ok=True)
        raw = data.draw(st.sampled_from(self.files())).read_bytes()
        (self.docs / name).write_bytes(raw)

    @precondition(lambda self: len(self.files()) > 1)
    @rule(data=st.data())
    def swap(self, data: st.DataObject) -> None:
        one, other = data.draw(st.permutations(self.files()))[:2]
        first, second = one.read_bytes(), other.read_bytes()
        one.write_bytes(second)
        other.write_bytes(first)

    @precondition(lambda self: self.files())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from(self.files())).unlink()

    @precondition(lambda self: self.files())
    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        os.utime(data.draw(st.sampled_from(self.files())), (1, 1))

    @rule(name=st.sampled_from(NAMES))
    def fail(self, name: str) -> None:
        """A file that can't be read, ingested, and taken away: what was known of it must go with it."""
        (self.docs / name).parent.mkdir(exist_ok=True)
        (self.docs / name).write_bytes(UNREADABLE)
        report = self.lib.ingest(self.docs)
        assert [f.source_document for f in self.lib.status().failures] == [f.path for f in report.failed] == [name]
        (self.docs / name).unlink()
        self.follow()

    @rule(step=st.sampled_from(["added", "deleted", "rows committed", "words committed", "words in place", "committed", "pruned"]))
    def kill(self, step: str) -> None:
        self.wanted = step
        try:
            self.lib.ingest(self.docs, prune=True)
        except Killed:
            shutil.rmtree(self.folder)
            self.snapshot.rename(self.folder)
            self.lib = library(self.folder, on_step=self.at_step)
        self.wanted = ""
        assert len(list(self.lib.chunks())) == self.lib.status().chunks

    @rule()
    def follow(self) -> None:
        self.lib.ingest(self.docs, prune=True)
        assert_like_a_fresh_build(self.lib, self.docs, self.base / "fresh")
        again = self.lib.ingest(self.docs, prune=True)
        assert set(again.counts) & {"added", "updated", "moved", "removed"} == set()


Folder.TestCase.settings = settings(
    max_examples=12, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
TestAnyHistory = pytest.mark.real(Folder.TestCase)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


def long_text(changed: int | None = None) -> str:
    sections = []
    for n in range(60):
        words = " ".join(f"word{n} and {k}" for k in range(60))
        sections.append(f"# Section {n}\n\n{words}{' changed' if n == changed else ''}.\n")
    return "\n".join(sections)


def test_only_what_changed_in_a_document_is_embedded(tmp_path, docs):
    embedder = CountingEmbedder()
    lib = library(tmp_path / "library", embedder)
    (docs / "a.md").write_text(long_text())
    first = lib.ingest(docs)
    assert first.counts["embedded"] == first.counts["chunks"] == len(embedder.read) >= 60
    embedder.read.clear()
    (docs / "a.md").write_text(long_text(changed=30))
    report: IngestReport = lib.ingest(docs)
    assert report.counts["embedded"] == len(embedder.read) == 1
    assert "changed" in embedder.read[0]
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def test_equal_passages_are_embedded_once(tmp_path, docs):
    embedder = CountingEmbedder()
    lib = library(tmp_path / "library", embedder)
    for name in "ab":
        (docs / f"{name}.txt").write_text("Terns nest on gravel.")
    lib.ingest(docs)
    (docs / "c.txt").write_text("Terns nest on gravel.")
    lib.ingest(docs)
    assert embedder.read == ["Terns nest on gravel."]
    assert len(lib.search("terns", mode="semantic")) == 3


def test_a_move_and_a_touch_embed_nothing(tmp_path, docs):
    embedder = CountingEmbedder()
    lib = library(tmp_path / "library", embedder)
    (docs / "a.txt").write_text("Terns nest on gravel.")
    lib.ingest(docs)
    embedder.read.clear()
    (docs / "a.txt").rename(docs / "b.txt")
    assert lib.ingest(docs).counts["moved"] == 1
    os.utime(docs / "b.txt", (1, 1))
    assert lib.ingest(docs).counts["unchanged"] == 1
    assert embedder.read == []
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def test_a_move_to_the_name_of_another_format_is_read_by_the_other_parser(tmp_path, docs):
    lib = library(tmp_path / "library")
    (docs / "a.md").write_text("# Terns\n\nThey nest on gravel.\n")
    lib.ingest(docs)
    (before,) = lib.documents()
    (docs / "a.md").rename(docs / "a.txt")
    assert lib.ingest(docs).counts["moved"] == 1
    (after,) = lib.documents()
    assert (after.document_id, after.remembered_at, after.format) == (before.document_id, before.remembered_at, "text")
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def test_a_title_that_only_looks_like_the_name_stays_when_the_file_is_moved(tmp_path, docs):
    lib = library(tmp_path / "library")
    (docs / "terns.md").write_text("# terns\n\nThey nest on gravel.\n")
    lib.ingest(docs)
    (docs / "terns.md").rename(docs / "birds.md")
    lib.ingest(docs)
    assert [d.title for d in lib.documents()] == ["terns"]
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def words_of(lib: Library) -> Path:
    reader = lib._store.reader()
    return lib._store.folder / "keyword" / reader.manifest.keyword


@pytest.mark.real
def test_a_library_too_large_for_new_words_each_time_scores_like_a_fresh_one_when_they_are_merged(tmp_path, docs, monkeypatch):
    monkeypatch.setattr(index.next_words, "REBUILT_BELOW", 0)
    lib = library(tmp_path / "library")
    for n in range(60):
        (docs / f"{n}.md").write_text(f"# Clause {n}\n\nThe fee of tern {n} is a grace.\n\n# Notice\n\nInterest {n} months.\n")
    lib.ingest(docs)
    for n in range(3):
        (docs / f"{n}.md").write_text("# Terns\n\nGravel and gravel, a month of it.\n")
    lib.ingest(docs)
    assert 0 < deleted_share(words_of(lib)) < 0.1
    with lib._writer() as writer:
        writer.make_words_anew()
        writer.commit()
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")
    for n in range(20):
        (docs / f"{n}.md").write_text(f"# Terns\n\nLate fees of the clause {n}.\n")
    lib.ingest(docs)
    assert deleted_share(words_of(lib)) == 0
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


UNCHANGED = """
import sys
from pincite import Library
counts = Library.open(sys.argv[1]).ingest(sys.argv[2]).counts
assert counts["unchanged"] == counts["files"] and not counts["embedded"], counts
print(*sorted({"pymupdf", "markdown_it", "torch", "transformers", "sentence_transformers", "tokenizers"} & set(sys.modules)))
"""


@pytest.mark.real
def test_where_nothing_changed_no_parser_and_no_model_is_loaded(sample_library, samples):
    command = [sys.executable, "-c", UNCHANGED, str(sample_library), str(samples)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1])
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
