"""A database of one run: for what is gathered of each file, so that memory need not grow with their number.

It has no name, lies in the system's folder for temporary files as soon as it outgrows some megabytes of memory, and is gone with
its connection, however the process ends.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ingest.errors import LibraryError


class Scratch:
    """An SQLite database that nobody else sees. Safe for threads that take turns. Raises LibraryError where the disk is full."""

    def __init__(self, schema: str) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._database.close)
        # nothing is taken back, nothing outlives the process
        self._database.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {schema}; BEGIN")

    def run(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Executes a statement; how many rows it changed."""
        try:
            return self._database.execute(statement, values).rowcount
        except sqlite3.Error as error:
            raise _full(error) from error

    def fill(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Executes a statement for each row of values."""
        try:
            self._database.executemany(statement, rows)
        except sqlite3.Error as error:
            raise _full(error) from error

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query, streamed."""
        try:
            yield from self._database.execute(query, values)
        except sqlite3.Error as error:
            raise _full(error) from error

    def row(self, query: str, values: Sequence[Any] = ()) -> Any:
        """The first row of a query, or None."""
        try:
            return self._database.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise _full(error) from error


def _full(error: sqlite3.Error) -> LibraryError:
    return LibraryError(
        f"what a run gathers cannot be kept in a temporary file: {error}",
        next_step="Make room in the system's folder for temporary files, or name another one in SQLITE_TMPDIR.",
    )
