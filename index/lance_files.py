"""What stands in the files of tables, decoded: rows of every version, deleted ones too. The files are compressed, so their bytes
say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from lance.file import LanceFileReader

from ingest.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Iterable

ROWS_AT_ONCE = 1_000


def texts_in(file: Path) -> Iterator[str]:
    """Every string in a data file, of lists and structures too."""
    try:
        for batch in LanceFileReader(str(file)).read_all(batch_size=ROWS_AT_ONCE).to_batches():
            for column in batch.columns:
                yield from _texts(column)
    except Exception as error:  # Lance raises ValueError, OSError and Arrow's own
        raise EngineError("LanceDB", f"{file} cannot be decoded: {error}") from error


def _texts(column: Any) -> Iterator[str]:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield from (text for text in column.to_pylist() if text)
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        yield from (raw.decode("utf-8", "surrogateescape") for raw in column.to_pylist() if raw)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _texts(column.flatten())
    elif pa.types.is_struct(kind):
        parts: Iterable[Any] = column.flatten()
        for part in parts:
            yield from _texts(part)
    elif pa.types.is_dictionary(kind):
        yield from _texts(column.dictionary)
