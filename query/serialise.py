"""Records to JSON values: the field names as they are, times as ISO 8601, tuples as arrays."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from index.models import ChunkRecord
from query.names import json_name

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

CHUNK_INTERNALS = frozenset({"silent", "page_starts"})
"""Fields of a chunk that are not in its JSON."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def json_object(record: Any, *, without: Collection[str] = ()) -> dict[str, Json]:
    """A dataclass, Struct or named tuple as a JSON object, but for the fields named in `without`."""
    return {
        json_name(type(record), name): json_value(getattr(record, name))
        for name in field_names(type(record))
        if name not in without
    }


def field_names(record: type) -> tuple[str, ...]:
    """The fields of a dataclass, Struct or named tuple, in order; none of another type."""
    if dataclasses.is_dataclass(record):
        return tuple(field.name for field in dataclasses.fields(record))
    return record.__struct_fields__ if issubclass(record, Struct) else getattr(record, "_fields", ())


def json_value(value: Any) -> Json:
    """Any value that our records hold as a JSON value. Raises TypeError for others."""
    match value:
        case None | bool() | int() | float() | str():
            out: Json = value
        case datetime():
            out = value.isoformat()
        case bytes():
            out = value.decode("ascii", "backslashreplace")
        case Mapping():
            out = {str(name): json_value(item) for name, item in value.items()}
        case _ if field_names(type(value)):
            out = json_object(value)
        case Sequence() | frozenset():
            out = [json_value(item) for item in value]
        case _:
            raise TypeError(f"no JSON form for {type(value).__name__}")
    return out


def chunk_object(chunk: ChunkRecord) -> dict[str, Json]:
    """A chunk's JSON form: its fields, the joined section and the pages."""
    return json_object(chunk, without=CHUNK_INTERNALS) | {
        "section": chunk.section,
        "page_from": chunk.page_from,
        "page_to": chunk.page_to,
    }


def json_text(value: Json, *, indent: int | None = None) -> str:
    """JSON as readable Unicode that any UTF-8 encoder takes: lone surrogates (from a query) are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return _SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
