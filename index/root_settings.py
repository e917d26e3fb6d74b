"""`pincite.toml` in an ingested folder: what its files belong to.

    namespace = "legal"                       # of all files, unless a group or --namespace says otherwise
    searchable = ["author"]                   # front-matter and metadata fields that are found by search

    [types]
    Contract = "Contract {number}"            # how a record of that type is called

    [[groups]]
    files = ["contracts/MSA-2024-11*"]        # globs over paths below this folder
    entity = "MSA-2024-11"                    # makes the files one record; left out: each is its own
    type = "Contract"
    properties = { number = "MSA-2024-11" }   # and `namespace`, `searchable`, as above

Of several groups that fit a file, the first that says something is right.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from pathlib import Path
from typing import Any

from index.label_templates import check_template
from ingest.errors import UsageError

SETTINGS = "pincite.toml"
_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said of a file, or of the files that `files` fit."""

    files: tuple[re.Pattern[str], ...] = ()
    entity: str | None = None
    type: str | None = None
    namespace: str | None = None
    searchable: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RootSettings:
    """`everything` is said of all files, `groups` of some; `templates` are label templates by type."""

    everything: Said = field(default_factory=Said)
    groups: tuple[Said, ...] = ()
    templates: Mapping[str, str] = field(default_factory=dict)

    def of(self, path: str) -> Said:
        """What is said of one file."""
        fitting = [*(g for g in self.groups if any(p.match(path) for p in g.files)), self.everything]
        if len(fitting) == 1:
            return self.everything
        properties: dict[str, str] = {}
        for said in reversed(fitting):
            properties |= dict(said.properties)
        return Said(
            entity=next((s.entity for s in fitting if s.entity), None),
            type=next((s.type for s in fitting if s.type), None),
            namespace=next((s.namespace for s in fitting if s.namespace), None),
            searchable=tuple(dict.fromkeys(name for s in fitting for name in s.searchable)),
            properties=tuple(properties.items()),
        )


def read_settings(folder: Path) -> RootSettings:
    """The settings in a folder; none, if there is no such file. Raises UsageError for what makes no sense."""
    file = folder / SETTINGS
    try:
        with file.open("rb") as stream:
            raw = tomllib.loads(stream.read(_MAX_BYTES).decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return RootSettings()
    except (OSError, ValueError) as error:  # TOML and UTF-8 errors are ValueErrors
        raise UsageError(f"{file} cannot be read: {error}") from error
    try:
        groups = _take(raw, "groups", list, [])
        templates = _take(raw, "types", dict, {})
        if not all(isinstance(g, dict) for g in groups) or not all(isinstance(t, str) for t in templates.values()):
            raise _Wrong("groups are tables, types are strings")
        for template in templates.values():
            check_template(template)
        return RootSettings(everything=_said(raw), groups=tuple(_group(g) for g in groups), templates=templates)
    except (_Wrong, UsageError) as error:
        raise UsageError(f"{file}: {error}") from None


class _Wrong(Exception):
    """What is wrong with the settings."""


def _group(raw: dict[str, Any]) -> Said:
    files = _strings(raw, "files")
    if not files:
        raise _Wrong("a group needs files")
    entity = _text(raw, "entity")
    return _said(raw, entity, tuple(re.compile(translate(glob)) for glob in files))


def _said(raw: dict[str, Any], entity: str | None = None, files: tuple[re.Pattern[str], ...] = ()) -> Said:
    properties = _take(raw, "properties", dict, {})
    if not all(isinstance(v, str | int | float) for v in properties.values()):
        raise _Wrong("properties are texts and numbers")
    said = Said(
        files=files,
        entity=entity,
        type=_text(raw, "type"),
        namespace=_text(raw, "namespace"),
        searchable=_strings(raw, "searchable"),
        properties=tuple((name, str(value)) for name, value in properties.items()),
    )
    if raw:
        raise _Wrong(f"nothing is known of “{next(iter(raw))}”")
    return said


def _take(raw: dict[str, Any], name: str, kind: type, default: Any) -> Any:
    value = raw.pop(name, default)
    if not isinstance(value, kind):
        raise _Wrong(f"{name} is no {'text' if kind is str else 'table' if kind is dict else 'list'}")
    return value


def _text(raw: dict[str, Any], name: str) -> str | None:
    return _take(raw, name, str, "").strip() or None


def _strings(raw: dict[str, Any], name: str) -> tuple[str, ...]:
    value = raw.pop(name, [])
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(i, str) for i in items):
        raise _Wrong(f"{name} is a list of texts")
    return tuple(items)
