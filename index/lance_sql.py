"""What reading and writing LanceDB share: its errors turned into ours, conditions in SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from ingest.errors import EngineError, PinciteError

_WRAPPINGS = re.compile(r",? \S+\.rs:\d+(:\d+)?|lance error: |LanceError\(\w+\): |Wrapped error: |Generic N/A error: ")

ENGINE = "LanceDB"


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turns the engine's errors into EngineError, which says what was being done."""
    try:
        yield
    except PinciteError:
        raise
    except Exception as error:  # LanceDB raises ValueError, RuntimeError, OSError and Arrow's own
        raise EngineError(ENGINE, f"{doing}: {told(error)}") from error


def told(error: Exception) -> str:
    """What the engine says, without its wrappings and the places in its own sources."""
    return _WRAPPINGS.sub("", " ".join(str(error).split()))


def quoted(value: str) -> str:
    """A string in SQL."""
    return "'" + value.replace("'", "''") + "'"


def instant(time: datetime) -> str:
    """A time in SQL, as it is stored: UTC, without a zone."""
    return f"timestamp '{time.astimezone(UTC).replace(tzinfo=None).isoformat(sep=' ', timespec='microseconds')}'"


def among(column: str, values: Iterable[str]) -> str:
    """A condition in SQL; `values` must not be empty."""
    return f"{column} IN ({', '.join(map(quoted, sorted(values)))})"
