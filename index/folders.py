"""The folders below a library in which its generations lie: the words' get their numbers, and those that nobody holds go."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path

from index.manifest import MANIFEST, kept_manifests, rows_number, sync, sync_new

ROWS = "rows"
KEYWORD = "keyword"


def place_words(library: Path, new_words: Path, number: int) -> Path:
    """Gives the new words, made durable, their name."""
    folder = library / KEYWORD / str(number)
    sync_new(new_words, set())
    shutil.rmtree(folder, ignore_errors=True)
    new_words.rename(folder)
    sync(folder.parent)
    return folder


def prune_folders(library: Path, held: Collection[int], *, newest: int, rows: Path, purging: bool) -> None:
    """Removes what belongs to generations that are neither `held` nor the `newest`, whose tables are in `rows`; when `purging`, all
    older tables. What can't be removed now goes the next time."""
    kept = {*held, newest}
    (library / f"{MANIFEST}.new").unlink(missing_ok=True)
    for folder in (library / KEYWORD).iterdir():
        if folder.name not in {str(n) for n in kept}:
            shutil.rmtree(folder, ignore_errors=True)
    for copy in kept_manifests(library):
        if int(copy.stem) not in kept:
            copy.unlink(missing_ok=True)
    if purging or min(held) >= rows_number(rows.name):
        for folder in library.glob(f"{ROWS}*"):
            if folder != rows:
                shutil.rmtree(folder, ignore_errors=True)
