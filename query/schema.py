"""JSON Schemas (draft 2020-12) of what pincite writes, made from the records' own type hints."""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Collection, Mapping
from datetime import datetime
from importlib.resources import files
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from index.models import ChunkRecord
from ingest.errors import UsageError
from query.descriptions import DESCRIPTIONS
from query.matches import PLACE_INTERNALS, Candidate, Place, QuoteMatch
from query.models import HIT_INTERNALS, SCHEMA_VERSION, SearchHit, SearchResponse
from query.names import json_name
from query.record import Bundle, CitationRecord
from query.serialise import CHUNK_INTERNALS, Json, field_names
from query.showing import PART_INTERNALS, Part, Shown

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SIMPLE: Mapping[object, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """How a record differs in JSON: fields left out, values added (name -> type hint)."""

    record: type
    without: Collection[str] = ()
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)


_VERSION: Mapping[str, Any] = {"schema_version": Literal[1]}
_SHAPES: Mapping[str, _Shape] = {
    "hit": _Shape(record=SearchHit, without=HIT_INTERNALS, extra={"id": str, "quote_text": str, "citation": str, **_VERSION}),
    "response": _Shape(record=SearchResponse, extra=_VERSION),
    "chunk": _Shape(
        record=ChunkRecord, without=CHUNK_INTERNALS, extra={"section": str | None, "page_from": int | None, "page_to": int | None}
    ),
    "candidate": _Shape(record=Candidate),
    "quote-match": _Shape(record=QuoteMatch, extra=_VERSION),
    "part": _Shape(record=Part, without=PART_INTERNALS),
    "shown": _Shape(record=Shown, extra=_VERSION),
    "record": _Shape(record=CitationRecord),
    "bundle": _Shape(record=Bundle),
    "place": _Shape(record=Place, without=PLACE_INTERNALS, extra={"id": str, "citation": str, **_VERSION}),
}
NAMES = tuple(_SHAPES)
FILES: Mapping[str, str] = {"w3c": "annotation-collection.schema.json", "w3c-context": "annotation-context.jsonld"}
"""What isn't made from records, by name: the schema of `w3c` exports, and their JSON-LD context (the terms that they use of the
vocabulary, for who reads them without a network)."""


def schema(name: str) -> dict[str, Json]:
    """The schema of one of `NAMES`, or one of `FILES`. Raises UsageError for another name."""
    if name in FILES:
        stored: dict[str, Json] = json.loads((files("query.export") / FILES[name]).read_text(encoding="utf-8"))
        return stored
    if name not in _SHAPES:
        raise UsageError(f"no such schema: {name}", next_step=f"Schemas: {', '.join((*NAMES, *FILES))}.")
    definitions: dict[str, Json] = {}
    body = _object(_SHAPES[name], definitions)
    head: dict[str, Json] = {"$schema": _DIALECT, "title": f"pincite {name}, schema version {SCHEMA_VERSION}"}
    return head | body | ({"$defs": definitions} if definitions else {})


def _object(shape: _Shape, definitions: dict[str, Json]) -> dict[str, Json]:
    hints = get_type_hints(shape.record)
    names = [name for name in field_names(shape.record) if name not in shape.without]
    fields = {json_name(shape.record, name): hints[name] for name in names} | dict(shape.extra)
    properties: dict[str, Json] = {name: _described(name, _type(hint, definitions)) for name, hint in fields.items()}
    return {
        "description": " ".join((shape.record.__doc__ or "").split()),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _described(name: str, kind: dict[str, Json]) -> dict[str, Json]:
    return kind | ({"description": DESCRIPTIONS[name]} if name in DESCRIPTIONS else {})


def _type(hint: Any, definitions: dict[str, Json]) -> dict[str, Json]:
    origin = get_origin(hint)
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    if hint is datetime:
        return {"type": "string", "format": "date-time"}
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin in (Union, types.UnionType):
        return _union([_type(arg, definitions) for arg in get_args(hint)])
    if origin is tuple:
        return {"type": "array", "items": _type(get_args(hint)[0], definitions)}
    return _reference(hint, definitions)


def _union(kinds: list[dict[str, Json]]) -> dict[str, Json]:
    """ "string or null" is one type of two names; anything richer is an `anyOf`."""
    if all(set(kind) == {"type"} for kind in kinds):
        return {"type": [kind["type"] for kind in kinds]}
    return {"anyOf": list(kinds)}


def _reference(record: type, definitions: dict[str, Json]) -> dict[str, Json]:
    name = record.__name__
    if name not in definitions:
        definitions[name] = {}  # holds the place, should a record ever refer to itself
        shape = next((s for s in _SHAPES.values() if s.record is record), _Shape(record=record))
        definitions[name] = _object(shape, definitions)
    return {"$ref": f"#/$defs/{name}"}
