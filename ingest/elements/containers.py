"""Zipped and OLE files before they are parsed: are they what their suffix says, whole, open, and of bounded size?"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping

from ingest.errors import EncryptedSource, UnreadableSource, WrongFormat
from ingest.models import Format

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAX_EXPANDED = 2 * 2**30
"""Bytes that a zipped file may come to when it is unpacked."""
MAX_RATIO = 200
"""Times that a part may grow when it is unpacked, if it is larger than `_SMALL_PART` then. Office files grow 5 to 50 times."""
_SMALL_PART = 32 * 2**20
_MAX_PARTS = 50_000

_NAMES: Mapping[Format, str] = {
    "docx": "a Word document",
    "pptx": "a PowerPoint presentation",
    "xlsx": "an Excel workbook",
    "epub": "an EPUB book",
    "odt": "an OpenDocument text",
}
_CONTENT_TYPES: tuple[tuple[bytes, Format], ...] = (
    (b"wordprocessingml.document.main+xml", "docx"),
    (b"presentationml.presentation.main+xml", "pptx"),
    (b"presentationml.slideshow.main+xml", "pptx"),
    (b"spreadsheetml.sheet.main+xml", "xlsx"),
    (b"ms-excel.sheet.macroEnabled.main+xml", "xlsx"),
)
_MIME_TYPES: Mapping[bytes, Format] = {
    b"application/epub+zip": "epub",
    b"application/vnd.oasis.opendocument.text": "odt",
}
_ENTITY = re.compile(b"|".join(re.escape("<!ENTITY".encode(e)) for e in ("ascii", "utf-16-le", "utf-16-be")))
_MARK_LENGTH = 16
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
"""The stream that holds a password-protected Office file ([MS-OFFCRYPTO] 2.3.4.4)."""


def checked_zip(raw: bytes, kind: Format, shown: str) -> zipfile.ZipFile:
    """The open archive of a file of that kind.

    Raises EncryptedSource, WrongFormat (another kind of document), UnreadableSource (damaged, or made to grow without end).
    """
    if raw.startswith(OLE):
        if _ENCRYPTED_PACKAGE in raw:
            raise EncryptedSource(shown, "needs a password to be opened", next_step="Save a copy without password and ingest that.")
        raise WrongFormat(shown, f"not {_NAMES[kind]} but an old Office document", next_step="Save it in the new format.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
        _bounded(archive, shown)
        found = _kind(archive)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, KeyError, ValueError, RuntimeError) as error:
        raise damaged(shown, kind, error) from error
    if found != kind:
        what = _NAMES[found] if found else "another ZIP archive"
        raise WrongFormat(shown, f"not {_NAMES[kind]} but {what}", next_step="Give it its right suffix.")
    if any(entry.flag_bits & 1 for entry in archive.infolist()):
        raise EncryptedSource(shown, "needs a password to be opened", next_step="Save a copy without password and ingest that.")
    return archive


def damaged(shown: str, kind: Format, error: BaseException) -> UnreadableSource:
    """What a broken file is called; `error` is what the engine says."""
    why = " ".join(str(error).split())[:120] or type(error).__name__
    return UnreadableSource(shown, f"damaged: {_NAMES.get(kind, kind)} that can't be read ({why})")


def no_entities(archive: zipfile.ZipFile, shown: str) -> None:
    """Raises UnreadableSource where a part declares entities, which no Office program writes: they hide bombs and outside files."""
    for entry in archive.infolist():
        if entry.filename.endswith((".xml", ".rels")) and _declares_entity(archive, entry):
            raise UnreadableSource(
                shown, f"refused: {entry.filename} declares XML entities", next_step="Save it anew and ingest that."
            )


def _declares_entity(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    """Looks through all of the part: what stands before its root element may be long."""
    with archive.open(entry) as part:
        before = b""
        while piece := part.read(2**20):
            if _ENTITY.search(before + piece):
                return True
            before = piece[-_MARK_LENGTH:]
    return False


def _bounded(archive: zipfile.ZipFile, shown: str) -> None:
    entries = archive.infolist()
    grown = [e for e in entries if e.file_size > max(_SMALL_PART, MAX_RATIO * max(e.compress_size, 1))]
    if grown or sum(e.file_size for e in entries) > MAX_EXPANDED or len(entries) > _MAX_PARTS:
        raise UnreadableSource(shown, "refused: it would grow beyond all bounds when unpacked (a ZIP bomb)")


def _kind(archive: zipfile.ZipFile) -> Format | None:
    names = set(archive.namelist())
    if "[Content_Types].xml" in names:
        types = archive.read("[Content_Types].xml")
        return next((kind for mark, kind in _CONTENT_TYPES if mark in types), None)
    if "mimetype" in names:
        return _MIME_TYPES.get(archive.read("mimetype").strip())
    return None
