"""Formats that pincite can't read, and the program that turns them into one it can. pincite starts no other program itself."""

from __future__ import annotations

from collections.abc import Mapping

from ingest.errors import UnreadableSource

_LIBREOFFICE = "LibreOffice (libreoffice.org; Debian: apt install libreoffice)"
_PANDOC = "pandoc (pandoc.org; Debian: apt install pandoc; any system: pip install pypandoc_binary)"

_CONVERTED: Mapping[str, tuple[str, str, str]] = {
    ".doc": ("an old Word document", _LIBREOFFICE, "soffice --headless --convert-to docx FILE"),
    ".ppt": ("an old PowerPoint presentation", _LIBREOFFICE, "soffice --headless --convert-to pptx FILE"),
    ".xls": ("an old Excel workbook", _LIBREOFFICE, "soffice --headless --convert-to xlsx FILE"),
    ".odp": ("an OpenDocument presentation", _LIBREOFFICE, "soffice --headless --convert-to pptx FILE"),
    ".ods": ("an OpenDocument spreadsheet", _LIBREOFFICE, "soffice --headless --convert-to xlsx FILE"),
    ".org": ("an Org document", _PANDOC, "pandoc FILE -o FILE.html"),
}
"""By suffix: what it is, the program, the command."""


def refuse_if_convertible(suffix: str, shown: str) -> None:
    """Raises UnreadableSource for a format that another program has to convert first."""
    if suffix in _CONVERTED:
        what, program, command = _CONVERTED[suffix]
        raise UnreadableSource(
            shown, f"{what}: pincite does not read these; convert it with {program}", next_step=f"Run: {command}"
        )
