"""Where the files of a bundle may be on this machine, and reading them. Nothing outside the folders given is ever opened."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from index.models import DocumentText
from ingest.attachments import located
from ingest.cues import Cue, Remark
from ingest.errors import PinciteError, SourceError
from ingest.formats import SUFFIXES, hash_file, read_source
from ingest.models import Format, SourceFile
from query.claims import Claim
from query.forms import ReadText
from query.placing import cues_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file as it is now. `name` is its path below the folder it was found in, `/`-separated. `cues`: of one with a time line."""

    name: str
    file: Path
    sha256: str
    format: Format
    read: ReadText
    cues: Sequence[Cue | Remark] = ()


@dataclass(kw_only=True)
class Sources:
    """`root`: the folder that the bundle's paths are relative to; with it, nothing else is looked at. `roots`: folders by the name
    that a library gave them. `beside`: folders for bundles without either. `against`: the one file to check every quote with.
    `passwords` are tried on files that are encrypted. With `known`, no other files of `roots` are opened than those of these (root,
    path)."""

    root: Path | None = None
    roots: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[Path, ...] = ()
    against: Path | None = None
    passwords: tuple[str, ...] = field(default=(), repr=False)
    known: Collection[tuple[str, str]] | None = None
    _read: dict[Path, Source | PinciteError] = field(default_factory=dict)

    def of(self, claim: Claim) -> Source:
        """The file that the claim names. Raises SourceError (missing, unreadable, too far away)."""
        if self.against is not None:
            return self._source(self.against, self.against.name)
        for folder, name in self._places(claim):
            inside = _inside(folder, name)
            file = None if inside is None else located(inside)
            if file is not None and file.is_file():
                return self._source(file, name)
        raise SourceError(claim.source_document or "(no name)", "no such file", next_step="Say where the files are: --root DIR.")

    def renamed(self, claim: Claim) -> Source | None:
        """A file of the same bytes under another name, below the folder that the claim's file should be in."""
        if self.against is not None or claim.source_sha256 is None:
            return None
        folder = self.root or (Path(self.roots[claim.root]) if claim.root in self.roots else None)
        if folder is None:
            return None
        suffix = Path(claim.source_document).suffix.lower()
        for file in self._files.get((folder, suffix)) or self._listed(folder, suffix):
            name = file.relative_to(folder).as_posix()
            if self.root is None and not self._is_known(claim.root, name):
                continue
            if name != claim.source_document and _hash(file, name) == claim.source_sha256:
                return self._source(file, name)
        return None

    def _places(self, claim: Claim) -> list[tuple[Path, str]]:
        if self.root is not None:
            return [(self.root, claim.source_document), (self.root / Path(claim.root).name, claim.source_document)]
        there = claim.root in self.roots and self._is_known(claim.root, claim.source_document)
        known = [(Path(self.roots[claim.root]), claim.source_document)] if there else []
        return known + [(folder, claim.source_document) for folder in self.beside]

    def _is_known(self, root: str, name: str) -> bool:
        return self.known is None or (root, name) in self.known

    @cached_property
    def _files(self) -> dict[tuple[Path, str], list[Path]]:
        return {}

    def _listed(self, folder: Path, suffix: str) -> list[Path]:
        if suffix not in SUFFIXES:
            return []
        files = sorted(f for f in folder.rglob("*") if f.suffix.lower() == suffix and f.is_file() and not f.is_symlink())
        self._files[folder, suffix] = files
        return files

    def _source(self, file: Path, name: str) -> Source:
        """Each file is read once."""
        if file not in self._read:
            try:
                self._read[file] = _read(file, name, self.passwords)
            except PinciteError as error:
                self._read[file] = error
        found = self._read[file]
        if isinstance(found, PinciteError):
            raise found
        return found


def _inside(folder: Path, name: str) -> Path | None:
    """The file of that name below the folder; None for a name that leads out of it (a bundle comes from outside)."""
    if not name or "\0" in name:
        return None
    try:
        base = folder.resolve()
        file = (base / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    return file if file.is_relative_to(base) else None


def _hash(file: Path, name: str) -> str | None:
    try:
        return hash_file(_source_file(file, name))
    except SourceError:
        return None


def _read(file: Path, name: str, passwords: tuple[str, ...]) -> Source:
    source = read_source(_source_file(file, name), passwords)
    document = source.document
    text = DocumentText(document_id=name, text=document.text, silent=document.silent, page_map=document.page_map)
    cues = cues_of(document.format, lambda: text)
    return Source(name=name, file=file, sha256=source.sha256, format=document.format, read=ReadText(text), cues=cues)


def _source_file(file: Path, name: str) -> SourceFile:
    try:
        stat = file.stat()
    except OSError as error:
        raise SourceError(name, f"cannot be read: {error.strerror or error}") from error
    return SourceFile(file=file, root="", path=name, size=stat.st_size, mtime_ns=stat.st_mtime_ns)
