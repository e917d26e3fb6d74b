"""The one error tree. Every error a user can meet is one of these; each engine's own errors are turned into one at its adapter.

PinciteError                     exit code 2
├── UsageError                   an argument makes no sense
├── SourceError                  one file; names it
│   ├── UnreadableSource         cannot be opened, read or decoded; damaged; empty
│   ├── WrongFormat              the content is not what the suffix says
│   ├── EncryptedSource          needs a password
│   ├── OwnExport                an annotated copy that pincite wrote: left out, no failure
│   ├── SourceChanged            the file is no longer the one that was ingested
│   └── SourceMissing            the file is gone
├── LibraryError                 the library folder
│   ├── LibraryNotFound
│   ├── LibraryLocked            exit code 75; another writer holds it
│   ├── LibraryIncompatible      other format version, model or chunking
│   └── LibraryDamaged           tables, index and manifest disagree
├── EngineError                  LanceDB, Tantivy, PyMuPDF or the model failed; names the engine
├── NotFound                     exit code 1; no such document, chunk, page
└── ExportError                  nothing to write, or the target exists
"""

from __future__ import annotations


class PinciteError(Exception):
    """Root of all errors: a message for people, and what to do next.

    `message` is one sentence that names the thing and the reason; `next_step` (may be empty) says what to do.
    """

    exit_code = 2

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message}\n{self.next_step}" if self.next_step else self.message


class UsageError(PinciteError):
    """An argument makes no sense."""


class SourceError(PinciteError):
    """One source file; `path` is as the user knows it, `reason` has no path in it.

    `pages` are the 1-based pages the reason speaks of, empty where it speaks of the whole file.
    """

    def __init__(self, path: str, reason: str, *, next_step: str = "", pages: tuple[int, ...] = ()) -> None:
        super().__init__(f"{path}: {reason}", next_step=next_step)
        self.path = path
        self.reason = reason
        self.pages = pages

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross the border of worker processes; keyword arguments need help there."""
        return _rebuild, (type(self), self.path, self.reason, self.next_step, self.pages)


def _rebuild(kind: type[SourceError], path: str, reason: str, next_step: str, pages: tuple[int, ...]) -> SourceError:
    return kind(path, reason, next_step=next_step, pages=pages)


class UnreadableSource(SourceError):
    """The file cannot be opened, read or decoded, is damaged or empty."""


class WrongFormat(SourceError):
    """The content is not what the suffix says."""


class EncryptedSource(SourceError):
    """The file needs a password."""


class OwnExport(SourceError):
    """An annotated copy that pincite wrote: left out of an ingest, which is no failure."""


class SourceChanged(SourceError):
    """The file is no longer the one that was ingested (its SHA-256 differs)."""


class SourceMissing(SourceError):
    """The file is gone from its place."""


class LibraryError(PinciteError):
    """Something about the library folder."""


class LibraryNotFound(LibraryError):
    """There is no library at that place."""


class LibraryLocked(LibraryError):
    """Another writer holds the library."""

    exit_code = 75


class LibraryIncompatible(LibraryError):
    """The library was made with another format version, model or chunking."""


class LibraryDamaged(LibraryError):
    """Tables, keyword index and manifest disagree, or one of them cannot be read."""


class EngineError(PinciteError):
    """An engine failed; `engine` names it ("LanceDB", "Tantivy", "PyMuPDF", "embedding model")."""

    def __init__(self, engine: str, message: str, *, next_step: str = "") -> None:
        super().__init__(f"{engine}: {message}", next_step=next_step)
        self.engine = engine


class NotFound(PinciteError):
    """No such document, chunk or page in the library."""

    exit_code = 1


class ExportError(PinciteError):
    """Nothing to write, or the target exists and may not be overwritten."""
