"""What is on the disk when the power goes: all of a generation is durable before the manifest names it.

A writer in a process of its own notes what it asks the system to make durable. A file or folder was made durable as it is if its
time of change is the one it had then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.real, pytest.mark.skipif(os.name == "nt", reason="folders can't be made durable there")]
HERE = Path(__file__).parent

WRITER = """
import json, os, sys
from pathlib import Path
sys.path[:0] = [{here!r}, str(Path({here!r}).parent)]
from test_incremental import library

docs, folder = map(Path, sys.argv[1:])
durable, missing, commits, after = {{}}, [], 0, []
fsync, replace = os.fsync, os.replace


def noting_fsync(descriptor):
    fsync(descriptor)
    info = os.fstat(descriptor)
    durable[info.st_ino] = info.st_mtime_ns
    if info.st_ino == folder.stat().st_ino:
        durable["names"] = sorted(os.listdir(folder))
        after.append(commits)


def noting_replace(source, target):
    global commits
    if Path(target).name == "manifest.json":
        generation = json.loads(Path(source).read_text())
        parts = [folder / generation["rows"], folder / "keyword" / generation["keyword"], folder / "manifests"]
        missing.extend(part.name for part in parts[:2] if not any(part.rglob("*")))
        missing.extend(n for n in (generation["rows"], "keyword") if n not in durable.get("names", ()))
        everything = [p for part in parts for p in (part, *part.rglob("*"))]
        for path in (*everything, folder / "keyword", Path(source)):
            if durable.get(path.stat().st_ino) != path.stat().st_mtime_ns:
                missing.append(path.relative_to(folder).as_posix())
        commits += 1
    replace(source, target)


os.fsync, os.replace = noting_fsync, noting_replace
lib = library(folder)
lib.ingest(docs)
(docs / "new.txt").write_text("Puffins.")
(docs / "fees.md").write_text("# Fees\\n\\nNone.\\n")
lib.ingest(docs)
lib.remove("new.txt")
lib.purge("fees.md")
lib.rebuild()
print(json.dumps([commits, missing, sorted(set(after))]))
"""


def test_all_of_a_generation_is_durable_before_the_manifest_names_it_and_the_manifest_after(tmp_path: Path, docs: Path) -> None:
    code = WRITER.format(here=str(HERE))
    done = subprocess.run(
        [sys.executable, "-c", code, docs, tmp_path / "library"], stdout=subprocess.PIPE, check=True, cwd=HERE.parent
    )
    commits, missing, after = json.loads(done.stdout.splitlines()[-1])
    assert commits == 5
    assert not missing
    assert set(after) >= {1, 2, 3, 4, 5}
