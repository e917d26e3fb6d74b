"""A file of an office format to its document: which reader reads which format, in a literal table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ingest.elements.assemble import MAX_CHARACTERS, TooMuchText, assemble
from ingest.elements.pieces import Content
from ingest.errors import UnreadableSource
from ingest.models import Format, ParsedDocument

Reader = Callable[[bytes, str], Content]


def parse_office(raw: bytes, kind: Format, shown: str) -> ParsedDocument:
    """Reads a file of one of the formats below. `shown` is the path as the user knows it.

    Raises SourceError: UnreadableSource (damaged, too much text), EncryptedSource, WrongFormat.
    """
    if not raw.strip():
        raise UnreadableSource(shown, "empty (0 bytes)" if not raw else "empty: nothing but white space")
    try:
        return assemble(_READERS[kind](raw, shown), kind)
    except TooMuchText:
        most = f"{MAX_CHARACTERS:,}"
        raise UnreadableSource(shown, f"more than {most} characters of text", next_step="Split the file.") from None


def _docx(raw: bytes, shown: str) -> Content:
    from ingest.elements.word import parse_docx

    return parse_docx(raw, shown)


def _pptx(raw: bytes, shown: str) -> Content:
    from ingest.elements.slides import parse_pptx

    return parse_pptx(raw, shown)


def _xlsx(raw: bytes, shown: str) -> Content:
    from ingest.elements.sheets import parse_xlsx

    return parse_xlsx(raw, shown)


def _csv(raw: bytes, shown: str) -> Content:
    from ingest.elements.sheets import parse_csv

    return parse_csv(raw, shown)


def _html(raw: bytes, shown: str) -> Content:
    from ingest.elements.html import parse_html

    return parse_html(raw, shown)


def _email(raw: bytes, shown: str) -> Content:
    from ingest.elements.containers import OLE
    from ingest.elements.mail import parse_eml, parse_msg

    return parse_msg(raw, shown) if raw.startswith(OLE) else parse_eml(raw, shown)


def _epub(raw: bytes, shown: str) -> Content:
    from ingest.elements.epub import parse_epub

    return parse_epub(raw, shown)


def _odt(raw: bytes, shown: str) -> Content:
    from ingest.elements.markup import parse_odt

    return parse_odt(raw, shown)


def _rtf(raw: bytes, shown: str) -> Content:
    from ingest.elements.markup import parse_rtf

    return parse_rtf(raw, shown)


def _rst(raw: bytes, shown: str) -> Content:
    from ingest.elements.markup import parse_rst

    return parse_rst(raw, shown)


_READERS: Mapping[Format, Reader] = {
    "docx": _docx,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "csv": _csv,
    "html": _html,
    "email": _email,
    "epub": _epub,
    "odt": _odt,
    "rtf": _rtf,
    "rst": _rst,
}
