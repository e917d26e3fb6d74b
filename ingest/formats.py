"""Which parser reads a file, and the reading of it: the bytes that are hashed are the bytes that are parsed.

The suffix chooses, and the content must agree. A PDF under another name is read as a PDF.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

from ingest import source_code
from ingest.conversion import refuse_if_convertible
from ingest.errors import SourceError, UnreadableSource, WrongFormat
from ingest.models import Format, Notice, ParsedDocument, SourceFile

SUFFIXES: Mapping[str, Format] = {
    ".pdf": "pdf",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".log": "text",
    ".vtt": "subtitles",
    ".srt": "subtitles",
    **dict.fromkeys(source_code.SUFFIXES, "code"),
    ".docx": "docx",
    ".pptx": "pptx",
    ".ppsx": "pptx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".csv": "csv",
    ".tsv": "csv",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".eml": "email",
    ".msg": "email",
    ".epub": "epub",
    ".odt": "odt",
    ".rtf": "rtf",
    ".rst": "rst",
}

ZIPPED: frozenset[Format] = frozenset({"docx", "pptx", "xlsx", "epub", "odt"})
"""The formats that are ZIP archives inside."""

MAX_TEXT_BYTES = 256 * 2**20
"""A text file is held in memory whole, several times over; a larger one is refused."""

_HEAD_BYTES = 1024  # as far as PDF readers look for the header
_PDF_HEADER = re.compile(rb"%PDF-\d")
_PDF_AT_ONCE = re.compile(rb"(?:\xef\xbb\xbf)?%PDF-\d\.\d[ \t]*[\r\n]")  # strict, so that a text about PDFs stays a text

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive or Office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"AT&TFORM", "a DjVu document"),
)
_ALSO_TEXT = (b"{\\rtf", b"%!PS", b"BZh", b"MZ", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
"""Letters a text may well begin with: they tell what a false `.pdf` is, but never refuse a text file."""
_PACKED = (b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_XML = re.compile(rb"\s*<\?xml\b")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """A file as it was read: `sha256` (64 hex digits) is of the very bytes that gave `document`."""

    document: ParsedDocument
    sha256: str


def describe(head: bytes) -> str:
    """What a file seems to be, by its first bytes."""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if _HTML.match(head):
        return "an HTML page"
    if _XML.match(head):
        return "an XML file"
    if _CONTROL.search(head):
        return "binary data of no known format"
    try:
        head.decode()
    except UnicodeDecodeError as e:
        if e.start < len(head) - 4:
            return "binary data of no known format"
    return "plain text"


def format_of(source: SourceFile) -> Format | None:
    """Which parser reads the file, None for a format that none reads.

    Raises UnreadableSource where it can't be opened or is an empty `.pdf`, WrongFormat where content and suffix disagree.
    """
    by_name = SUFFIXES.get(source.file.suffix.lower())
    head = _head(source)
    if by_name == "pdf":
        if not head:
            raise UnreadableSource(source.path, "empty (0 bytes)")
        if _PDF_HEADER.search(head):
            return "pdf"
        raise WrongFormat(
            source.path, f"not a PDF: {describe(head)} (no PDF header; damaged, or misnamed)", next_step="Give it its right suffix."
        )
    if _PDF_AT_ONCE.match(head):
        return "pdf"
    if by_name == "code" and _is_binary(head):
        return None
    if by_name in ZIPPED or source.file.suffix.lower() == ".msg":
        return _packed(source, by_name, head)
    refuse_if_convertible(source.file.suffix.lower(), source.path)
    if by_name and not head.startswith(_ALSO_TEXT) and (name := next((n for m, n in _MAGIC if head.startswith(m)), None)):
        raise WrongFormat(source.path, f"not text but binary: {name}")
    return by_name


def _is_binary(head: bytes) -> bool:
    """Suffixes of source code are also those of other things (.ts is a video): not UTF-16, and control characters."""
    return not head.startswith((b"\xff\xfe", b"\xfe\xff")) and _CONTROL.search(head) is not None


def _packed(source: SourceFile, kind: Format | None, head: bytes) -> Format | None:
    """The format of a file that must be a ZIP or OLE archive (a ZIP's password puts it into an OLE one)."""
    if not head:
        raise UnreadableSource(source.path, "empty (0 bytes)")
    if head.startswith(_PACKED):
        return kind
    suffix = source.file.suffix.lower()
    raise WrongFormat(source.path, f"not what {suffix} says: {describe(head)}", next_step="Give it its right suffix.")


def _head(source: SourceFile) -> bytes:
    try:
        with source.file.open("rb") as f:
            return f.read(_HEAD_BYTES)
    except OSError as e:
        raise _unreadable(source, e) from e


def _unreadable(source: SourceFile, error: OSError) -> UnreadableSource:
    return UnreadableSource(source.path, f"cannot be read ({(error.strerror or type(error).__name__).lower()})")


def hash_file(source: SourceFile) -> str:
    """SHA-256 of the file's bytes. Raises UnreadableSource."""
    try:
        with source.file.open("rb") as f:
            return hashlib.file_digest(f, "sha256").hexdigest()
    except OSError as e:
        raise _unreadable(source, e) from e


def read_source(source: SourceFile, passwords: Sequence[str] = ()) -> ReadSource:
    """Parses a file; `passwords` are tried where it is encrypted.

    Raises SourceError (and its kinds) that names the file and the reason.
    """
    kind = format_of(source)
    if kind is None:
        raise WrongFormat(source.path, "no parser reads this format")
    return _READERS[kind](source, passwords)


def _read_pdf(source: SourceFile, passwords: Sequence[str]) -> ReadSource:
    """PyMuPDF opens the path itself, so the bytes are known by hashing before and after; a file that changes is read once more."""
    from ingest.pdf.parser import parse_pdf

    before = hash_file(source)
    for _ in range(2):
        document = parse_pdf(source.file, shown=source.path, passwords=passwords)
        after = hash_file(source)
        if after == before:
            return ReadSource(document=document, sha256=after)
        before = after
    raise SourceError(source.path, "changes while it is read", next_step="Ingest it again when it is written.")


def _read_markdown(source: SourceFile, _passwords: Sequence[str]) -> ReadSource:
    from ingest.markdown import parse_markdown

    return _read_text(source, parse_markdown)


def _read_plain(source: SourceFile, _passwords: Sequence[str]) -> ReadSource:
    from ingest.plaintext import parse_text

    return _read_text(source, parse_text)


def _read_subtitles(source: SourceFile, _passwords: Sequence[str]) -> ReadSource:
    from ingest.subtitles import parse_subtitles

    return _read_text(source, parse_subtitles)


def _read_code(source: SourceFile, _passwords: Sequence[str]) -> ReadSource:
    return _read_text(source, source_code.parse_code)


def _read_text(source: SourceFile, parse: Callable[..., ParsedDocument]) -> ReadSource:
    from ingest.decode import decode

    raw = _bytes(source)
    decoded = decode(raw, source.path)
    document = parse(decoded.text, encoding=decoded.encoding)
    if not document.text.strip():
        document = replace(document, warnings=(*document.warnings, Notice(reason="empty: no text in it")))
    return ReadSource(document=document, sha256=hashlib.sha256(raw).hexdigest())


def _read_office(source: SourceFile, _passwords: Sequence[str]) -> ReadSource:
    from ingest.elements.parser import parse_office

    raw = _bytes(source)
    kind = format_of(source)
    if kind is None:
        raise WrongFormat(source.path, "no parser reads this format")
    return ReadSource(document=parse_office(raw, kind, source.path), sha256=hashlib.sha256(raw).hexdigest())


def _bytes(source: SourceFile) -> bytes:
    """The file's bytes, if there are not too many."""
    try:
        with source.file.open("rb") as f:
            raw = f.read(MAX_TEXT_BYTES + 1)
    except OSError as e:
        raise _unreadable(source, e) from e
    if len(raw) > MAX_TEXT_BYTES:
        raise UnreadableSource(source.path, f"larger than {MAX_TEXT_BYTES >> 20} MiB", next_step="Split the file.")
    return raw


_READERS: Mapping[Format, Callable[[SourceFile, Sequence[str]], ReadSource]] = {
    **dict.fromkeys(SUFFIXES.values(), _read_office),
    "pdf": _read_pdf,
    "markdown": _read_markdown,
    "text": _read_plain,
    "subtitles": _read_subtitles,
    "code": _read_code,
}


_THROUGH_UNSTRUCTURED: tuple[Format, ...] = ("docx", "pptx", "html", "email", "epub", "odt", "rtf", "rst")
_ENGINES: Mapping[Format, tuple[str, str]] = {
    "pdf": ("PyMuPDF", "pymupdf"),
    "markdown": ("markdown-it-py", "markdown-it-py"),
    "xlsx": ("openpyxl", "openpyxl"),
    **dict.fromkeys(_THROUGH_UNSTRUCTURED, ("unstructured", "unstructured")),
}
"""Name and distribution of the engine that a document's `parser` begins with; plain text has none."""


def is_current_parser(kind: Format, parser: str) -> bool:
    """Whether a document was read by the engine that is installed now. No engine is loaded to find out."""
    if kind not in _ENGINES:
        return True
    name, distribution = _ENGINES[kind]
    return f"{parser} ".startswith(f"{name} {version(distribution)} ")


def is_text(source: SourceFile) -> bool:
    """Whether the suffix promises a text format (cheap to read, without an engine)."""
    return SUFFIXES.get(source.file.suffix.lower()) in ("markdown", "text", "subtitles", "code")
