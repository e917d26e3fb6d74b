"""A writer that is killed, and readers that look on: never a mixture, nothing lost, nothing doubled."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from conftest import WordCounter
from test_incremental import assert_like_a_fresh_build, content, library

from index.lock import HOLDER, write_lock
from index.manifest import MANIFEST
from index.memory import HashingEmbedder
from index.store import LibraryStore
from ingest.errors import LibraryLocked, LibraryNotFound
from pincite.library import Library

pytestmark = pytest.mark.real
HERE = Path(__file__).parent
STEPS = ("added", "deleted", "rows committed", "words committed", "words in place", "committed", "pruned")

WRITER = """
import os, sys
from pathlib import Path
sys.path[:0] = [{here!r}, str(Path({here!r}).parent)]
from index import pipeline
from conftest import WordCounter
from index.memory import HashingEmbedder
from index.store import LibraryStore
from pincite.library import Library
library, docs, step = sys.argv[1:]
def at(name):
    if name == step:
        os.kill(os.getpid(), 9)
pipeline.COMMIT_CHUNKS = pipeline.EMBED_BATCH = 100   # many commits, so that there is something to hit
print("ready", flush=True)
lib = Library(LibraryStore(Path(library), on_step=at), embedder=HashingEmbedder(), counter=WordCounter(), create=True)
lib.ingest(docs, prune=True, jobs=1)
"""

REAL_WRITER = """
import sys
from index import pipeline
from pincite.library import Library
pipeline.COMMIT_CHUNKS = pipeline.EMBED_BATCH = 4
with Library.open(sys.argv[1], create=True) as lib:
    lib._embedder.embed_query("The model is loaded.")
    print("ready", flush=True)
    lib.ingest(sys.argv[2], prune=True, jobs=1)
"""

COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # however the tests were started: jobs in the background ignore it
from index import pipeline
from pincite.cli.app import main
pipeline.COMMIT_CHUNKS = pipeline.EMBED_BATCH = 4
main()
"""

READER = """
import sys, time
from pathlib import Path
sys.path[:0] = [{here!r}, str(Path({here!r}).parent)]
from conftest import WordCounter
from index.memory import HashingEmbedder
from index.store import LibraryStore
from ingest.errors import LibraryNotFound
from pincite.library import Library
library, stop = sys.argv[1:]
lib = Library(LibraryStore(Path(library)), embedder=HashingEmbedder(), counter=WordCounter())
checked = bad = 0
while not checked or not Path(stop).exists():
    try:
        reader = lib._reader()
    except LibraryNotFound:
        time.sleep(0.01)
        continue
    bad += reader.rows.chunk_count() != reader.keyword.chunk_count()
    bad += reader.rows.chunk_count() != sum(d.chunk_count for d in reader.documents.values())
    for hit in lib.search("tern fee clause", top_k=20, min_similarity=0):
        if hit.index_generation == reader.generation:
            text = reader.rows.text(hit.document_id).text
            bad += text[hit.source_offset : hit.source_offset + len(hit.content)] != hit.content
            checked += 1
print(checked, bad)
"""


def write_docs(docs: Path, seed: int, *, files: int = 200) -> None:
    """Files, of which another seed has most, but not all, in common."""
    docs.mkdir(exist_ok=True)
    for old in docs.iterdir():
        old.unlink()
    for n in range(files):
        version = seed if n % 5 == 0 else 0
        name = f"{n}-{seed}.md" if n % 20 == 1 else f"{n}.md"
        (docs / name).write_text(f"# Tern {n}\n\nThe fee of clause {n} is {version}.\n\n# Grace\n\n{'and so on ' * 30}{version}.\n")


def start(code: str, *arguments: object, **how: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code.format(here=str(HERE)), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE.parent, **how)


def assert_whole(folder: Path) -> None:
    """Nothing lost, nothing doubled: rows, words and records of one generation agree."""
    try:
        reader = LibraryStore.open(folder).reader()
    except LibraryNotFound:
        return
    chunks = [c for i in reader.documents for c in reader.rows.chunks(i)]
    assert len(chunks) == len({c.chunk_id for c in chunks}) == reader.rows.chunk_count() == reader.keyword.chunk_count()
    texts = {i: reader.rows.text(i).text for i in reader.documents}
    assert all(c.span.slice(texts[c.document_id]) == c.content for c in chunks)
    assert {d.document_id: d.chunk_count for d in reader.documents.values()} == {
        i: sum(c.document_id == i for c in chunks) for i in reader.documents
    }


@pytest.mark.parametrize("step", STEPS)
def test_a_writer_killed_at_any_step_leaves_a_whole_library(tmp_path: Path, step: str) -> None:
    docs, folder = tmp_path / "docs", tmp_path / "library"
    write_docs(docs, 1, files=50)
    lib = library(folder)
    lib.ingest(docs)
    write_docs(docs, 2, files=50)
    with start(WRITER, folder, docs, step) as writer:
        assert writer.wait() == -signal.SIGKILL
    assert_whole(folder)
    lib.ingest(docs, prune=True)
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")
    assert sorted(f.name for f in folder.iterdir()) == ["keyword", "leases", "lock", "manifest.json", "manifests", "rows"]


def test_readers_never_see_a_mixture_while_writers_are_killed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    kills = int(request.config.getoption("--kills"))
    docs, folder, stop = tmp_path / "docs", tmp_path / "library", tmp_path / "stop"
    dice = random.Random(7)
    write_docs(docs, 0, files=20)
    library(folder).ingest(docs)  # so that there is something to read, however slow the machine
    readers = [start(READER, folder, stop) for _ in range(2)]
    killed = 0
    try:
        for n in range(kills):
            write_docs(docs, n)
            with start(WRITER, folder, docs, "never") as writer:
                assert writer.stdout is not None
                writer.stdout.readline()
                time.sleep(dice.uniform(0, 4))
                writer.kill()
                killed += writer.wait() != 0
            assert_whole(folder)
    finally:
        stop.touch()
        seen = [tuple(map(int, (r.communicate()[0] or "0 1").split())) for r in readers]
    assert killed
    assert all(r.returncode == 0 for r in readers)
    assert all(bad == 0 for _, bad in seen), seen
    assert all(checked for checked, _ in seen)
    lib = library(folder)
    lib.ingest(docs, prune=True)
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def test_of_two_writers_one_wins_and_the_other_is_told_who(tmp_path: Path) -> None:
    docs, folder = tmp_path / "docs", tmp_path / "library"
    write_docs(docs, 1)
    with start(WRITER, folder, docs, "never") as writer:
        while not (folder / HOLDER).exists():
            assert writer.poll() is None
            time.sleep(0.01)
        with pytest.raises(LibraryLocked, match=f"process {writer.pid} on .+ since") as told:
            library(folder).ingest(docs)
        assert told.value.exit_code == 75
        assert writer.wait() == 0
    lib = Library(LibraryStore(folder), embedder=HashingEmbedder(), counter=WordCounter())
    assert len(lib.documents()) == 200
    assert_like_a_fresh_build(lib, docs, tmp_path / "fresh")


def near(lib: Library) -> dict[str, dict[tuple[str, int], float]]:
    """Similarity of every passage to some questions."""
    questions = ("the fee of the clause", "tern", "grace and so on")
    return {
        q: {(h.source_document, h.source_offset): h.similarity or 0 for h in lib.search(q, top_k=200, min_similarity=0)}
        for q in questions
    }


def test_a_writer_with_the_real_model_is_killed_and_the_next_makes_the_same_library(tmp_path: Path) -> None:
    docs, folder = tmp_path / "docs", tmp_path / "library"
    dice = random.Random(3)
    write_docs(docs, 0, files=24)
    killed = 0
    for n in range(3):
        with start(REAL_WRITER, folder, docs) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            time.sleep(dice.uniform(0, 1.5))
            writer.kill()
            killed += writer.wait() != 0
        assert_whole(folder)
        write_docs(docs, n + 1, files=24)
    assert killed
    with Library.open(folder, create=True) as lib, Library.open(tmp_path / "fresh", create=True) as fresh:
        lib.ingest(docs, prune=True)
        assert_whole(folder)
        fresh.ingest(docs)
        assert content(lib) == content(fresh)
        ours, theirs = near(lib), near(fresh)
        for question, found in ours.items():
            assert found == pytest.approx(theirs[question], abs=1e-3)


def test_an_interrupted_ingest_exits_with_130_and_keeps_what_was_committed(tmp_path: Path) -> None:
    docs, folder = tmp_path / "docs", tmp_path / "library"
    write_docs(docs, 0, files=150)
    with start(COMMAND, "ingest", docs, "--library", folder, "--jobs", 1, stderr=subprocess.PIPE) as writer:
        while not (folder / MANIFEST).exists():
            assert writer.poll() is None
            time.sleep(0.01)
        writer.send_signal(signal.SIGINT)
        _, told = writer.communicate()
    assert (writer.returncode, told.strip().splitlines()[-1:]) == (130, ["interrupted"])
    assert_whole(folder)
    with Library.open(folder) as lib:
        there = len(lib.documents())
        assert 0 < there < 150
        report = lib.ingest(docs)
    assert (report.counts["unchanged"], report.counts["added"]) == (there, 150 - there)


def test_the_command_line_stops_with_75_and_waits_if_told_to(tmp_path: Path) -> None:
    docs, folder = tmp_path / "docs", tmp_path / "library"
    write_docs(docs, 0, files=3)
    library(folder).ingest(docs)
    with write_lock(folder):
        with start(COMMAND, "remove", "0.md", "--library", folder, stderr=subprocess.PIPE) as refused:
            _, told = refused.communicate()
        waiting = start(COMMAND, "remove", "0.md", "--library", folder, "--wait", 60)
        time.sleep(1)
        assert waiting.poll() is None
    assert refused.returncode == 75
    assert f"is being written by process {os.getpid()} on {socket.gethostname()} since 2" in told
    with waiting:
        assert waiting.wait() == 0
    assert len(library(folder).documents()) == 2


def size(folder: Path) -> int:
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())


def test_killed_again_and_again_the_library_does_not_grow(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rounds = 4 * int(request.config.getoption("--kills"))
    docs, folder = tmp_path / "docs", tmp_path / "library"
    lib = library(folder)
    sizes = []
    for n, step in zip(range(rounds), cycle(STEPS), strict=False):
        write_docs(docs, n % 2, files=40)
        with start(WRITER, folder, docs, step) as writer:
            writer.wait()
        lib.ingest(docs, prune=True)
        sizes.append(size(folder))
    assert max(sizes[rounds // 2 :]) < 1.2 * max(sizes[: rounds // 2]), sizes
    assert all(c.passed for c in lib.doctor())
