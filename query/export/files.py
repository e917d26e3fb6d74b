"""The files that exports write: names of our own making, never over something, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import unicodedata
from pathlib import Path

from ingest.errors import ExportError

_SLUG_CHARACTERS = 40
_HASH_DIGITS = 8
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def safe_name(source: str, key: str, suffix: str) -> str:
    """A file name for something made from `source` (a path or title, whatever is in it): "agreement-1f2e3d4c.pdf".

    Lower-case ASCII letters, digits and hyphens of the last part's stem, then the first digits of a hash of `key`: a name on every
    system (no separators, reserved names, leading or trailing dots) that differs where the key does. `suffix` has its dot.
    """
    stem = source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    slug = _NOT_SLUG.sub("-", plain).strip("-")[:_SLUG_CHARACTERS].rstrip("-") or "quotes"
    digits = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    return f"{slug}-{digits}{suffix}"


def write_new(path: Path, content: bytes, *, overwrite: bool) -> Path:
    """Writes the whole file or nothing; makes its folder.

    Raises ExportError where the file exists and may not be overwritten, or can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".pincite-", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            taken = not _put(Path(temporary), path, overwrite=overwrite)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror or error}") from error
    if taken:
        raise ExportError(f"{path} exists", next_step="Choose another folder, or allow overwriting (--force).")
    return path


def _put(temporary: Path, path: Path, *, overwrite: bool) -> bool:
    """False where the name is taken. A hard link fails there, so that two exports at once can't overwrite each other."""
    temporary.chmod(0o666 & ~_umask())
    if overwrite:
        temporary.replace(path)
        return True
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if path.exists():
            return False
        temporary.replace(path)
    return True


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
