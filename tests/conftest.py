"""What tests of several parts share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from index.memory import HashingEmbedder, MemoryLibrary
from index.models import DocumentRecord, Failure, Generation, NewDocument
from index.record_draft import RecordDraft

SAMPLES = Path(__file__).parents[1] / "sample_docs"


class WordCounter:
    """TokenCounter without a model: one token a word."""

    max_tokens = 256
    splits_at_spaces = True

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(t.split()) for t in texts]


class MemoryWriter:
    """LibraryWriter over a MemoryLibrary; `commits` counts what was made durable."""

    def __init__(self, library: MemoryLibrary) -> None:
        self.reader = library  # for tests to look at
        self.commits = 0
        self._failures: Sequence[Failure] = ()
        self._roots: Mapping[str, str] = {}
        self.records = RecordDraft.of(library)

    def set_roots(self, roots: Mapping[str, str]) -> None:
        self._roots = dict(roots)

    def expect_documents(self) -> None: ...

    def delete(self, document_ids: Iterable[str]) -> None:
        ids = list(document_ids)
        self.reader.rows.delete(ids)
        self.reader.keyword.delete(ids)

    def add(self, documents: Sequence[NewDocument]) -> None:
        self.reader.rows.add(documents)
        for d in documents:
            self.reader.keyword.add(d.record.title, d.chunks)

    def update(self, records: Sequence[DocumentRecord]) -> None:
        self.reader.rows.update(records)

    def set_failures(self, failures: Sequence[Failure]) -> None:
        self._failures = failures

    def commit(self) -> Generation:
        self.commits += 1
        self.reader.roots = self._roots or self.reader.roots
        self.reader.rows.set_entities(list(self.records.entities.values()))
        self.reader.rows.set_links(list(self.records.links.values()))
        return self.reader.commit(failures=self._failures)


@pytest.fixture(scope="session")
def new_writer() -> Callable[[], MemoryWriter]:
    return lambda: MemoryWriter(MemoryLibrary(settings=HashingEmbedder().settings))


@pytest.fixture
def writer(new_writer) -> MemoryWriter:
    return new_writer()


@pytest.fixture(scope="session")
def counter() -> WordCounter:
    return WordCounter()


@pytest.fixture(scope="session")
def counter_class() -> type[WordCounter]:
    return WordCounter


@pytest.fixture(scope="session")
def samples(tmp_path_factory) -> Path:
    """A copy of the sample documents, without the script that builds them."""
    folder = tmp_path_factory.mktemp("samples") / "sample_docs"
    shutil.copytree(SAMPLES, folder, ignore=shutil.ignore_patterns(".*"))
    return folder


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of two small documents, to be changed."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "fees.md").write_text("# Fees\n\nLate fees accrue at two per cent a month.\n\n# Grace\n\nTen days of grace.\n")
    (folder / "terns.txt").write_text("The peregrination of the walrus is long.\n\nTerns nest on gravel.\n")
    return folder


@pytest.fixture(scope="session")
def sample_library(samples, tmp_path_factory) -> Path:
    """A library of the sample documents, made with the real engines. Tests that use it only read it."""
    from pincite import Library

    folder = tmp_path_factory.mktemp("library") / "library"
    with Library.open(folder, create=True) as library:
        report = library.ingest(samples)
        assert not report.failed
    return folder


@pytest.fixture(scope="session", autouse=True)
def _a_state_folder_of_our_own(tmp_path_factory):
    """So that no test writes into the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", default="3", help="at how many random moments the crash test kills a writer")
