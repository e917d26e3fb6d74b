"""Leases: how a writer knows which generations readers hold.

A reader that pins a generation leaves a small file in `leases/`, with its process, host and the number of the generation, and takes
it away when it lets go. A writer keeps every generation that is leased. A lease of a process that is no longer there is dropped; a
process on another host can't be asked, so its lease counts for a day. Where the library can't be written, nobody writes it and no
lease is needed.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import uuid
import weakref
from contextlib import suppress
from pathlib import Path

LEASES = "leases"
ELSEWHERE_SECONDS = 24 * 3600.0
"""How long a lease counts that no process on this host vouches for."""


def take_lease(library: Path, number: int, holder: object) -> None:
    """Holds the generation for as long as `holder` lives (and the process does)."""
    host = socket.gethostname()
    lease = library / LEASES / f"{number}-{os.getpid()}-{uuid.uuid4().hex}.json"
    with suppress(OSError):  # no folder yet, or a library on a read-only disk
        lease.write_text(json.dumps({"pid": os.getpid(), "host": host, "generation": number}), encoding="utf-8")
        weakref.finalize(holder, _drop, lease, os.getpid())


def leased(library: Path) -> set[int]:
    """The numbers of the generations that living readers hold. Leases of the dead are removed."""
    numbers = set()
    for file in (library / LEASES).glob("*.json"):
        try:
            lease = json.loads(file.read_text(encoding="utf-8"))
            number, alive = int(lease["generation"]), _alive(file, int(lease["pid"]), str(lease["host"]))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError):  # being written, or a writer's disk was full: its name says enough
            number, alive = int(file.name.partition("-")[0]), _young(file)
        if alive:
            numbers.add(number)
        else:
            with suppress(OSError):
                file.unlink()
    return numbers


def _drop(lease: Path, pid: int) -> None:
    if pid == os.getpid():  # a forked child has its parent's readers, not its leases
        with suppress(OSError):
            lease.unlink()


def _alive(file: Path, pid: int, host: str) -> bool:
    if host != socket.gethostname() or sys.platform == "win32":  # there, signal 0 would end the process
        return _young(file)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


def _young(file: Path) -> bool:
    try:
        return time.time() - file.stat().st_mtime < ELSEWHERE_SECONDS
    except OSError:
        return False
