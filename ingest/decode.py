"""Bytes of a text file -> its characters, and the name of the encoding that gave them.

Nothing is added, removed or normalised: line ends stay as they are; a byte order mark is no part of the text. `decode_with` gives
the same text again from the bytes and the recorded name, so a quote can be checked without guessing twice.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import NamedTuple

from ingest.errors import UnreadableSource

_CONTROLS = bytes({*range(0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F})
"""Control characters that text files don't hold: all of ASCII's but tab, line ends, page ends and escape (coloured logs)."""
_CONTROL = re.compile("[" + re.escape(_CONTROLS.decode("ascii")) + "]")
_MOST_CONTROLS = 0.01  # of all characters; above that it is no text
_LEAST_ZEROS = 0.1  # of the high bytes: spaces and line ends are that frequent in any alphabet
_C1 = re.compile(rb"[\x80-\x9f]")
_LATIN_1_ONLY = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # the bytes that code page 1252 leaves open


class _Mark(NamedTuple):
    encoding: str
    mark: bytes


_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    _Mark("utf-32-le", codecs.BOM_UTF32_LE),
    _Mark("utf-32-be", codecs.BOM_UTF32_BE),
    _Mark("utf-8", codecs.BOM_UTF8),
    _Mark("utf-16-le", codecs.BOM_UTF16_LE),
    _Mark("utf-16-be", codecs.BOM_UTF16_BE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """`text` without the byte order mark; `encoding` is a name `decode_with` knows."""

    text: str
    encoding: str
    has_bom: bool


def decode(raw: bytes, path: str) -> DecodedText:
    """By byte order mark; UTF-16 by its zero bytes; UTF-8; else Latin-1, or code page 1252 where C1 bytes occur.

    An empty file gives an empty text. Raises UnreadableSource for binary content and for bytes that are not what their byte order
    mark says.
    """
    for encoding, mark in _MARKS:
        if raw.startswith(mark):
            return _marked(raw, encoding, path)
    encoding = _utf16_by_zeros(raw) or _eight_bit(raw)
    if not encoding.startswith("utf-16") and _is_binary(raw, encoding):
        raise _binary(path)
    return DecodedText(text=decode_with(raw, encoding), encoding=encoding, has_bom=False)


def decode_with(raw: bytes, encoding: str) -> str:
    """The text of `raw` in an encoding that `decode` named, without a byte order mark. Raises UnicodeError where it doesn't fit.

    "cp1252" is read as the WHATWG Encoding Standard does: its five open bytes stand for the C1 characters of the same number.
    """
    for name, mark in _MARKS:
        if name == encoding and raw.startswith(mark):
            raw = raw[len(mark) :]
            break
    if encoding != "cp1252":
        return raw.decode(encoding)
    parts, at = [], 0
    for gap in _LATIN_1_ONLY.finditer(raw):
        parts += [raw[at : gap.start()].decode("cp1252"), gap.group().decode("latin-1")]
        at = gap.end()
    return "".join((*parts, raw[at:].decode("cp1252")))


def _marked(raw: bytes, encoding: str, path: str) -> DecodedText:
    try:
        text = decode_with(raw, encoding)
    except UnicodeError as error:
        if encoding == "utf-32-le":  # the same four bytes begin a UTF-16 text whose first character is NUL
            return _marked(raw, "utf-16-le", path)
        raise UnreadableSource(
            path,
            f"its byte order mark says {encoding.upper()}, but it cannot be decoded as that ({error})",
            next_step="Save it again as UTF-8.",
        ) from error
    if _has_many_controls(text):
        raise _binary(path)
    return DecodedText(text=text, encoding=encoding, has_bom=True)


def _utf16_by_zeros(raw: bytes) -> str | None:
    """UTF-16 without a mark: every second byte of frequent characters is zero, the others almost never."""
    units = len(raw) // 2
    if not units or len(raw) % 2:
        return None
    first, second = raw[0::2].count(0), raw[1::2].count(0)
    high, low, encoding = (second, first, "utf-16-le") if second > first else (first, second, "utf-16-be")
    if high < units * _LEAST_ZEROS or low > units * _MOST_CONTROLS:
        return None
    try:
        text = raw.decode(encoding)
    except UnicodeError:
        return None
    return None if _has_many_controls(text) else encoding


def _eight_bit(raw: bytes) -> str:
    try:
        raw.decode("utf-8")
    except UnicodeError:
        return "cp1252" if _C1.search(raw) else "latin-1"
    return "utf-8"


def _is_binary(raw: bytes, encoding: str) -> bool:
    """Legacy text holds no NUL; UTF-8 may, rarely."""
    if encoding != "utf-8" and b"\0" in raw:
        return True
    return len(raw) - len(raw.translate(None, _CONTROLS)) > len(raw) * _MOST_CONTROLS


def _has_many_controls(text: str) -> bool:
    return len(_CONTROL.findall(text)) > len(text) * _MOST_CONTROLS


def _binary(path: str) -> UnreadableSource:
    return UnreadableSource(path, "binary, not text", next_step="Convert it to Markdown, plain text or PDF, or leave it out.")
