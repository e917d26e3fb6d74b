"""The manifest: one small JSON file that names everything a generation is made of. Replacing it is what commits a generation."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from index.keys import digest_of
from index.models import EmbeddingSettings, Generation
from ingest.errors import LibraryDamaged, LibraryIncompatible, LibraryNotFound

FORMAT_VERSION = 4
"""2: chunks have the key of what was embedded; the manifest names the folder of the tables. 3: chunks have the times of their
sentences, and the keyword index those of chunks; roots are kept in two ways; tables of entities, links and references; the manifest
has the templates of labels; units are flat lists of numbers. 4: a chunk's record is one column."""
OLDEST_VERSION = 1
"""The oldest format that `rebuild` reads."""
MANIFEST = "manifest.json"
MANIFESTS = "manifests"
"""The folder of the copies: of each generation that is kept, its manifest, in case the one that rules is damaged."""
DAMAGED = "pincite doctor says what is damaged; pincite rebuild reads all documents again (--drop-history where it says this too)."
ANEW = "Move the folder away, and ingest the documents again."
REBUILD = "pincite rebuild reads all documents again, and keeps their ids and history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """`rows`: folder of the tables; `tables`: version of each. `keyword`: folder in `keyword`. `chunking`: settings of the chunks.
    `roots`: where each root's folder may be (`kept_root`). `parsers`: engine and version by format.
    `templates`: of labels, by type of entity."""

    generation: Generation
    rows: str
    tables: Mapping[str, int]
    keyword: str
    settings: EmbeddingSettings
    chunking: Mapping[str, int | str]
    roots: Mapping[str, tuple[str, ...]]
    parsers: Mapping[str, str]
    created_at: datetime
    committed_at: datetime
    templates: Mapping[str, str] = field(default_factory=dict)


def fingerprint(files: Iterable[tuple[str, str, str]], settings: EmbeddingSettings, chunking: Mapping[str, int | str]) -> str:
    """The same on every machine for the same files, model, chunking and format. `files` are (root, source document, source SHA-256)
    of all documents, sorted."""
    made_with = (str(FORMAT_VERSION), settings.model, settings.weights_sha256, json.dumps(dict(chunking), sort_keys=True))
    return digest_of(chain(made_with, chain.from_iterable(files)))


def read_manifest(library: Path, *, name: str = MANIFEST, oldest: int = FORMAT_VERSION) -> Manifest:
    """Formats from `oldest` on are taken. Raises LibraryNotFound, LibraryIncompatible (another format), LibraryDamaged."""
    try:
        raw = json.loads((library / name).read_text(encoding="utf-8"))
        version = raw["format_version"]
        if isinstance(version, int) and oldest <= version <= FORMAT_VERSION:
            return _manifest(raw)
    except (FileNotFoundError, NotADirectoryError):
        raise LibraryNotFound(f"there is no library in {library}", next_step="pincite ingest PATH makes one") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LibraryDamaged(f"{library / name} cannot be read: {error}", next_step="pincite doctor --repair") from error
    raise LibraryIncompatible(
        f"the library in {library} has format {version}, this program reads {FORMAT_VERSION}",
        next_step="upgrade pincite" if isinstance(version, int) and version > FORMAT_VERSION else REBUILD,
    )


def write_manifest(library: Path, manifest: Manifest) -> None:
    """Durable and atomic: after it returns this is the library's generation, before that the old one is, never anything between.
    A copy is kept beside it."""
    text = json.dumps(
        {"format_version": FORMAT_VERSION, **asdict(manifest)}, default=datetime.isoformat, ensure_ascii=False, indent=1
    )
    copies = library / MANIFESTS
    copies.mkdir(exist_ok=True)
    _write_durably(copies / f"{manifest.generation.number}.json", text)
    sync(copies)
    replace_manifest(library, text)


def replace_manifest(library: Path, text: str) -> None:
    """Puts the manifest in its place at once."""
    new = library / f"{MANIFEST}.new"
    _write_durably(new, text)
    new.replace(library / MANIFEST)
    sync(library)


def _write_durably(file: Path, text: str) -> None:
    with file.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def kept_manifests(library: Path) -> list[Path]:
    """The copies of the manifests, the newest generation's first."""
    numbered = ((int(f.stem), f) for f in (library / MANIFESTS).glob("*.json") if f.stem.isdigit())
    return [file for _, file in sorted(numbered, reverse=True)]


def check_settings(library: EmbeddingSettings, ours: EmbeddingSettings) -> None:
    """Raises LibraryIncompatible where vectors of the two can't be compared. `dtype` may differ."""
    if same_vectors(library, ours):
        return
    if library.model == ours.model:
        message = f"the library was made with other weights or settings of the model {library.model}"
    else:
        message = f"the library was made with the model {library.model}, not {ours.model}"
    raise LibraryIncompatible(message, next_step=f"use the model {library.model}, or: {REBUILD}")


def check_chunking(library: Mapping[str, int | str], ours: Mapping[str, int | str]) -> None:
    """Raises LibraryIncompatible where chunks of the two would have other borders."""
    if dict(library) != dict(ours):
        raise LibraryIncompatible(
            f"the library was made with other settings of chunks: {dict(library)}, not {dict(ours)}", next_step=REBUILD
        )


def same_vectors(one: EmbeddingSettings, other: EmbeddingSettings) -> bool:
    """Whether vectors of the two can be compared."""
    return replace(one, dtype="") == replace(other, dtype="")


def kept_root(library: Path, folder: str) -> tuple[str, ...]:
    """How a root's folder is kept: relative to the library (but for another drive), so that both can move together, and absolute,
    so that the library can move alone. With `/`."""
    absolute = Path(folder).as_posix()
    try:
        return Path(os.path.relpath(folder, library)).as_posix(), absolute
    except ValueError:
        return (absolute,)


def root_folder(library: Path, kept: Sequence[str]) -> str:
    """The first folder that is there, of what `kept_root` kept; else the first."""
    folders = [os.path.normpath(library.absolute() / one) for one in kept]
    return next(filter(os.path.isdir, folders), folders[0])


def sync(path: Path) -> None:
    """Makes a file, or the names in a folder, durable; where the system can't (folders on Windows), nothing."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def rows_number(folder: str) -> int:
    """The first generation of a folder of tables: 0 for `rows`, n for `rows-n`."""
    number = folder.partition("-")[2]
    return int(number) if number.isdigit() else 0


def files_below(folder: Path) -> set[Path]:
    return {Path(where, name) for where, _, names in os.walk(folder) for name in names}


def sync_new(folder: Path, old: Collection[Path]) -> None:
    """Makes durable what was put below a folder since it held the files `old`. Files are written once, but for small notes beside
    them (`*.json`)."""
    new = {file for file in files_below(folder) if file not in old or file.suffix == ".json"}
    folders = {parent for file in new for parent in file.parents if parent.is_relative_to(folder)}
    for path in (*sorted(new), *sorted(folders, reverse=True), folder.parent):
        sync(path)


def _manifest(raw: dict[str, Any]) -> Manifest:
    return Manifest(
        generation=Generation(**raw["generation"]),
        rows=raw.get("rows", "rows"),
        tables=raw["tables"],
        keyword=raw["keyword"],
        settings=EmbeddingSettings(**raw["settings"]),
        chunking=raw["chunking"],
        roots={name: (kept,) if isinstance(kept, str) else tuple(kept) for name, kept in raw["roots"].items()},  # 2: relative
        parsers=raw["parsers"],
        created_at=datetime.fromisoformat(raw["created_at"]),
        committed_at=datetime.fromisoformat(raw["committed_at"]),
        templates=raw.get("templates", {}),
    )
