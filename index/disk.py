"""What the system says of a folder that can't be written, be it behind an engine's error.

Engines wrap the system's errors in texts of their own; Rust's end with `(os error N)`. Some say nothing at all: then the folder
is tried.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.errors import EngineError, LibraryDamaged, LibraryError

REFUSALS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE}
)
"""Errors that say the disk or the folder takes no more. (A file that is missing is another matter: damage.)"""
TRIED_BYTES = 2**20
_RUST = re.compile(r"\(os error (\d+)\)")


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turns what the system says against writing below the library `folder` (read-only, full) into LibraryError."""
    try:
        yield
    except (OSError, EngineError, LibraryDamaged) as error:
        refusal = error if isinstance(error, OSError) else refusal_behind(error)
        if refusal is None:
            raise
        place, reason = _place(folder, refusal), (refusal.strerror or str(refusal)).lower()
        written = place == folder or refusal.errno in REFUSALS
        raise LibraryError(
            f"{place} cannot be written: {reason}" if written else f"{place}: {reason}",
            next_step="The last generation is as it was. Make room, or the folder writable.",
        ) from error


def refusal_behind(error: BaseException) -> OSError | None:
    """The system's refusal to write that an engine's error was made of."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in REFUSALS:
            return seen
        for number in map(int, _RUST.findall(str(seen))):
            if number in REFUSALS:
                return OSError(number, os.strerror(number))
        seen = seen.__cause__
    return None


def tried(folder: Path) -> OSError | None:
    """What the system says when a file is put into the folder now; None if it takes it."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(TRIED_BYTES))
            file.flush()
    except OSError as error:
        return error
    return None


def _place(folder: Path, refusal: OSError) -> Path:
    """What was being written: the library, unless the system names something elsewhere (a temporary folder)."""
    name = refusal.filename
    if not isinstance(name, str) or Path(name).is_relative_to(folder):
        return folder
    return Path(name)
