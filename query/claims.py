"""What a file claims: quotes and where they are said to stand, read from any of the forms that they are passed on in.

JSON (a bundle, a record, an array of records) and JSON Lines of records; the JSON of a search (a response, hits) and of `cite` (a
match, matches, places); and W3C Web Annotations with quote selectors, ours or not.
A bundle comes from outside: everything in it is data, and what isn't there stays unknown.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from ingest.errors import UnreadableSource, UsageError
from ingest.models import Span
from query.record import AROUND

_MAX_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A quote to check. None (or "") is what the bundle doesn't say."""

    id: str
    quote: str
    source_document: str
    root: str = ""
    prefix: str = ""
    suffix: str = ""
    offset: int | None = None
    page_from: int | None = None
    source_sha256: str | None = None
    text_sha256: str | None = None
    query: str | None = None


def read_claims(path: Path) -> list[Claim]:
    """The claims of a file, in its order; `-` is standard input. Raises UnreadableSource, UsageError (no form that is known, no
    quotes)."""
    text = _text_of(path)
    try:
        claims = [_claim(item, number) for number, item in enumerate(_items(text), start=1)]
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: no bundle of quotes ({error})", next_step=_NEXT) from error
    if not claims:
        raise UsageError(f"{path}: there are no quotes in it", next_step=_NEXT)
    return claims


def _text_of(path: Path) -> str:
    try:
        if str(path) == "-":
            return sys.stdin.read()
        if path.stat().st_size > _MAX_BYTES:
            raise UnreadableSource(str(path), f"larger than {_MAX_BYTES >> 20} MiB")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableSource(str(path), f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UnreadableSource(str(path), "not UTF-8, so no bundle of quotes") from error


_NEXT = "Give what `pincite export --to json`, `jsonl` or `w3c`, or `search` or `cite` with `--format json`, has written."


def _items(text: str) -> Iterator[Mapping[str, Any]]:
    """Records and annotations, one by one. Raises ValueError."""
    try:
        value = json.loads(text)
    except ValueError:
        value = [json.loads(line) for line in text.splitlines() if line.strip()]
    yield from _flat(value)


def _flat(value: Any) -> Iterator[Mapping[str, Any]]:
    match value:
        case list():
            for item in value:
                yield from _flat(item)
        case {"status": "exact" | "normalized", "places": list() as items}:
            yield from _flat(items)
        case (
            {"hits": list() as items}
            | {"quotes": list() as items}
            | {"items": list() as items}
            | {"first": {"items": list() as items}}
        ):
            yield from _flat(items)
        case {"quote": str()} | {"target": _}:
            yield value
        case {"content": str() as content, "source_offset": int() as offset, "match_mode": _}:
            yield _hit(value, content, offset)
        case _:
            raise ValueError("neither a citation record nor a Web Annotation")


def _hit(hit: Mapping[str, Any], content: str, offset: int) -> Mapping[str, Any]:
    """A hit of a search as a record; one that is no place in a file's text has no file to check it with."""
    first, length = _number(hit.get("match_offset")), _number(hit.get("match_length"))
    match = Span(0, len(content)) if first is None or length is None else Span(first, first + length)
    if hit.get("kind") == "property":
        return {"id": hit.get("id"), "quote": match.slice(content)}
    return {**hit, "quote": match.slice(content), "offset": offset + match.start, "page_from": hit.get("match_page_from")} | {
        "prefix": content[: match.start][-AROUND:],
        "suffix": content[match.end :][:AROUND],
    }


def _claim(item: Mapping[str, Any], number: int) -> Claim:
    if "target" in item:
        return _annotation(item, number)
    return Claim(
        id=_text(item.get("id")) or f"quote {number}",
        quote=_words(item["quote"]),
        source_document=_text(item.get("source_document")),
        root=_text(item.get("root")),
        prefix=_text(item.get("prefix")),
        suffix=_text(item.get("suffix")),
        offset=_number(item.get("offset")),
        page_from=_number(item.get("page_from")),
        source_sha256=_text(item.get("source_sha256")) or None,
        text_sha256=_text(item.get("text_sha256")) or None,
        query=_text(item.get("query")) or None,
    )


def _annotation(item: Mapping[str, Any], number: int) -> Claim:
    """Of a Web Annotation (https://www.w3.org/TR/annotation-model/): the first target that has a TextQuoteSelector."""
    for target in _many(item["target"]):
        if not isinstance(target, Mapping):
            continue
        selectors = list(_selectors(target.get("selector")))
        quoted = next((s for s in selectors if s.get("type") == "TextQuoteSelector"), None)
        if quoted is None:
            continue
        position: Mapping[str, Any] = next((s for s in selectors if s.get("type") == "TextPositionSelector"), {})
        fragment: Mapping[str, Any] = next((s for s in selectors if s.get("type") == "FragmentSelector"), {})
        source = target.get("source")
        about: Mapping[str, Any] = source if isinstance(source, Mapping) else {}
        return Claim(
            id=_text(item.get("id")).removeprefix("urn:pincite:") or f"quote {number}",
            quote=_words(quoted.get("exact")),
            source_document=_path_of(_text(about.get("id") if about else source)),
            root=_text(about.get("pincite:root")),
            prefix=_text(quoted.get("prefix")),
            suffix=_text(quoted.get("suffix")),
            offset=_number(position.get("start")),
            page_from=_page_of(_text(fragment.get("value"))),
            source_sha256=_text(about.get("pincite:sha256")) or None,
            text_sha256=_text(about.get("pincite:textSha256")) or None,
            query=_text(item.get("pincite:query")) or None,
        )
    raise ValueError(f"annotation {number} has no target with a TextQuoteSelector")


def _selectors(value: Any) -> Iterator[Mapping[str, Any]]:
    """Selectors, and those that refine them."""
    for selector in _many(value):
        if isinstance(selector, Mapping):
            yield selector
            yield from _selectors(selector.get("refinedBy"))


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _path_of(address: str) -> str:
    """The path that an IRI names; of an address elsewhere, the file's name."""
    parts = urlsplit(address)
    path = unquote(parts.path)
    return PurePosixPath(path).name if parts.scheme or parts.netloc else path


def _page_of(fragment: str) -> int | None:
    """Of a PDF fragment identifier (RFC 8118): `page=12`."""
    for part in fragment.split("&"):
        name, _, value = part.partition("=")
        if name == "page" and value.isdecimal():
            return int(value)
    return None


def _words(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a quote without words")
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
