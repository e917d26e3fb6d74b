"""A disk that takes no more, a folder that may not be written: it is said, and the last generation stays."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_crash import write_docs
from test_incremental import assert_like_a_fresh_build, library

from index.disk import refusal_behind, writing
from index.leases import leased
from ingest.errors import EngineError, LibraryError

pytestmark = pytest.mark.real
HERE = Path(__file__).parent
COMMAND = "from pincite.cli.app import main; main()"
ENGINE_BY_STEP = {"added": "LanceDB", "deleted": "Tantivy", "rows committed": "Tantivy", "words in place": "the manifest"}
"""A step of a commit, and who writes next."""

WRITER = """
import os, resource, sys
from pathlib import Path
sys.path[:0] = [{here!r}, str(Path({here!r}).parent)]
from test_incremental import library
from ingest.errors import LibraryError
folder, docs, step, filler = sys.argv[1:]
def at(name):
    if name != step:
        return
    if filler == "quota":  # of zero bytes a file: every write is refused, whoever writes
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        return
    try:
        with open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
    except OSError:
        pass
try:
    library(Path(folder), on_step=at).ingest(docs, prune=True)
except LibraryError as error:
    os.write(2, str(error).encode())
    sys.exit(error.exit_code)
"""


def write(folder: Path, docs: Path, step: str, filler: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WRITER.format(here=str(HERE)), str(folder), str(docs), step, filler]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    write_docs(tmp_path / "docs", 1, files=30)
    return tmp_path / "docs"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 6 MB, where this process may make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        not sys.platform.startswith("linux")
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk], check=False, capture_output=True).returncode
    ):
        pytest.skip("this process may not mount a disk")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def check_refused(folder: Path, docs: Path, step: str, filler: str, reason: str, scratch: Path) -> None:
    before = library(folder)
    before.ingest(docs)
    chunks, generation = list(before.chunks()), before.status().index_generation
    write_docs(docs, 2, files=30)
    done = write(folder, docs, step, filler)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith(f"{folder} cannot be written: {reason}\n")
    assert "as it was" in done.stderr
    for seen in (before, library(folder)):
        assert list(seen.chunks()) == chunks
        assert seen.status().index_generation == generation
        assert len(seen.search("tern", mode="keyword", top_k=100)) == len(chunks)
    if filler != "quota":
        Path(filler).unlink()
    before.ingest(docs, prune=True)
    assert_like_a_fresh_build(before, docs, scratch)
    assert all(c.passed for c in before.doctor())


@pytest.mark.parametrize("step", ENGINE_BY_STEP, ids=ENGINE_BY_STEP.values())
def test_a_full_disk_is_said_whoever_fills_it(tmp_path: Path, small_disk: Path, docs: Path, step: str) -> None:
    check_refused(small_disk / "library", docs, step, str(small_disk / "filler"), "no space left on device", tmp_path / "fresh")


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files there")
@pytest.mark.parametrize("step", ENGINE_BY_STEP, ids=ENGINE_BY_STEP.values())
def test_a_limit_on_files_is_said_whoever_meets_it(tmp_path: Path, docs: Path, step: str) -> None:
    check_refused(tmp_path / "library", docs, step, "quota", "file too large", tmp_path / "fresh")


UNPRIVILEGED = """
import ctypes, os, sys
for capability in (1, 2, 3):  # what lets root write where the permissions forbid it
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def as_anybody(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Python, without root's right to ignore permissions."""
    command = [sys.executable, "-c", UNPRIVILEGED, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parent)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter there")
def test_a_folder_that_may_not_be_written_is_said_and_can_be_read(tmp_path: Path, docs: Path) -> None:
    folder = tmp_path / "library"
    library(folder).ingest(docs)
    write_docs(docs, 2, files=30)
    everything = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in everything}
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        if as_anybody("-c", "import sys; open(sys.argv[1], 'w')", folder / "probe").returncode == 0:
            pytest.skip("permissions are not enforced here")
        done = write_unprivileged(folder, docs)
        assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"{folder} cannot be written: permission denied")
        read = as_anybody("-c", COMMAND, "search", "clause", "--mode", "keyword", "--library", folder)
        assert (read.returncode, read.stderr) == (0, ""), read.stderr
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert leased(folder) == set()


def write_unprivileged(folder: Path, docs: Path) -> subprocess.CompletedProcess[str]:
    return as_anybody("-c", WRITER.format(here=str(HERE)), folder, docs, "never", "")


def test_what_the_system_says_is_found_behind_an_engines_error(tmp_path: Path) -> None:
    full = EngineError("LanceDB", "rows cannot be committed: No space left on device (os error 28), writer.rs:258")
    assert (refusal_behind(full) or OSError()).errno == errno.ENOSPC
    assert refusal_behind(EngineError("LanceDB", "data.lance not found: No such file (os error 2)")) is None
    with pytest.raises(EngineError), writing(tmp_path):
        raise EngineError("LanceDB", "something else")
    with pytest.raises(LibraryError, match=r"/elsewhere/tmp: no such file"), writing(tmp_path):
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), "/elsewhere/tmp")
    with pytest.raises(LibraryError, match=r"/elsewhere/tmp cannot be written: no space left"), writing(tmp_path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/elsewhere/tmp")
