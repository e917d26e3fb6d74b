"""A library whose manifest can't be read: the newest generation that is still whole is found again.

Each commit keeps a copy of its manifest beside those of the generations that are kept (`manifests/<number>.json`). A generation is
whole if its tables are there at their versions, and its words, and both have as many chunks.
"""

from __future__ import annotations

from pathlib import Path

from index.folders import KEYWORD
from index.lock import write_lock
from index.manifest import ANEW, FORMAT_VERSION, MANIFEST, Manifest, kept_manifests, read_manifest, replace_manifest
from ingest.errors import LibraryDamaged, LibraryIncompatible, LibraryNotFound, PinciteError


def mend_manifest(library: Path, *, timeout: float = 0) -> int | None:
    """The number of the generation that was found again; None where the manifest can be read (or there is no library).

    Raises LibraryDamaged where no generation is whole, LibraryLocked where another writes.
    """
    if _readable(library):
        return None
    with write_lock(library, timeout=timeout):
        for file in kept_manifests(library):
            manifest = _kept(file)
            if manifest is not None and _whole(library, manifest):
                replace_manifest(library, file.read_text(encoding="utf-8"))
                return manifest.generation.number
    raise LibraryDamaged(f"{library / MANIFEST} cannot be read, and no generation of the library is whole", next_step=ANEW)


def _readable(library: Path) -> bool:
    try:
        read_manifest(library)
    except LibraryDamaged:
        return False
    except LibraryNotFound:
        return not any(kept_manifests(library))
    except LibraryIncompatible:
        return True
    return True


def _kept(file: Path) -> Manifest | None:
    try:
        return read_manifest(file.parent, name=file.name, oldest=FORMAT_VERSION)
    except PinciteError:
        return None


def _whole(library: Path, manifest: Manifest) -> bool:
    from index.lance import LanceRows
    from index.tantivy_index import TantivyKeywords

    try:
        rows = LanceRows(library / manifest.rows, manifest.tables)
        for name in manifest.tables:
            rows.row_count(name)
        return rows.chunk_count() == TantivyKeywords(library / KEYWORD / manifest.keyword).chunk_count()
    except PinciteError:
        return False
