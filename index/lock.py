"""The lock that a library's only writer holds: the operating system's, so that a dead writer leaves none behind."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ingest.errors import LibraryLocked

LOCK = "lock"
HOLDER = "lock.json"


@contextmanager
def write_lock(library: Path, *, timeout: float = 0) -> Iterator[None]:
    """Holds the lock, in a folder that is made if it isn't there; waits for it `timeout` seconds. Raises LibraryLocked, which names
    the holder."""
    from filelock import FileLock, Timeout

    library.mkdir(parents=True, exist_ok=True)
    lock = FileLock(library / LOCK)
    try:
        lock.acquire(timeout=timeout)
    except Timeout:
        raise LibraryLocked(f"{library} is being written by {_holder(library)}", next_step="try again when it has ended") from None
    try:
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
        (library / HOLDER).write_text(json.dumps(holder), encoding="utf-8")
        yield
    finally:
        (library / HOLDER).unlink(missing_ok=True)
        lock.release()


def _holder(library: Path) -> str:
    try:
        holder = json.loads((library / HOLDER).read_text(encoding="utf-8"))
        return f"process {holder['pid']} on {holder['host']} since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
