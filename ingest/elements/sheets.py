"""XLSX and CSV to pieces: a sheet is a page and a section, a row a table row, the first row of a table its head.

openpyxl and the csv module read them, streaming: unstructured goes over pandas, which holds all of a workbook in memory and shows
2024-01-02 as "2024-01-02 00:00:00". Figures appear as the sheet shows them where the number format is a plain one.
"""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lxml import etree

from ingest.decode import decode
from ingest.elements.assemble import MAX_CHARACTERS, TooMuchText
from ingest.elements.containers import checked_zip, damaged, no_entities
from ingest.elements.figures import shown_value
from ingest.elements.office_properties import core_properties
from ingest.elements.pieces import Content, Piece, Rows, table_has_head
from ingest.errors import UnreadableSource

_SAMPLE = 64 * 2**10
_MAX_FIELD = 2**24
_MOST_COLUMNS = 16_384
_DELIMITERS = ",;\t|"


def parse_xlsx(raw: bytes, shown: str) -> Content:
    """The content of a workbook. Raises SourceError (damaged, encrypted, another format), TooMuchText."""
    with checked_zip(raw, "xlsx", shown) as archive:
        no_entities(archive, shown)
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
            try:
                title, properties = core_properties(book.properties)
                sheets = [s for s in book.worksheets if hasattr(s, "iter_rows")]
                if not sheets:
                    raise ValueError("no sheet in it")
                pieces = [piece for n, sheet in enumerate(sheets, start=1) for piece in _sheet(n, sheet)]
                labels = tuple(str(sheet.title) for sheet in sheets)
            finally:
                book.close()
    except (
        InvalidFileException, KeyError, ValueError, AttributeError, IndexError, TypeError, SyntaxError, etree.LxmlError,
        zipfile.BadZipFile, EOFError,
    ) as error:  # fmt: skip
        raise damaged(shown, "xlsx", error) from error
    return Content(
        pieces=tuple(pieces), parser=f"openpyxl {openpyxl.__version__}", title=title, properties=properties, labels=labels
    )


def _sheet(number: int, sheet: Any) -> Iterator[Piece]:
    """The sheet's name as heading, then its tables; nothing of an empty sheet. One that is hidden is hidden text."""
    hidden = sheet.sheet_state != "visible"
    named = False
    for rows in tables(_values(sheet)):
        if not named:
            named = True
            role, level = ("hidden", None) if hidden else ("heading", 1)
            yield Piece(text=str(sheet.title), role=role, level=level, page=number, scope=number)  # type: ignore[arg-type]
        for piece in pieces_of_rows(rows, page=number):
            yield Piece(rows=piece.rows, text=piece.text, role="hidden", page=number, scope=number) if hidden else piece


def pieces_of_rows(rows: Rows, *, page: int | None = None) -> Iterator[Piece]:
    """A table; a single cell is a paragraph."""
    filled = [cell for row in rows for cell in row if cell]
    if len(filled) == 1:
        yield Piece(text=filled[0], page=page, scope=page)
    elif filled:
        yield Piece(rows=rows, role="table", page=page, scope=page, head=table_has_head(rows))


def _values(sheet: Any) -> Iterator[tuple[str, ...]]:
    for row in sheet.iter_rows():
        yield tuple(shown_value(cell.value, getattr(cell, "number_format", None) or "General") for cell in row[:_MOST_COLUMNS])


def tables(rows: Iterable[Sequence[str]]) -> Iterator[Rows]:
    """Runs of rows without an empty one between, their empty columns at either side left out. Raises TooMuchText."""
    run: list[tuple[str, ...]] = []
    characters = 0
    for row in rows:
        cells = tuple(row)
        if not any(cells):
            if run:
                yield _trimmed(run)
            run = []
            continue
        characters += sum(map(len, cells)) + len(cells)
        if characters > MAX_CHARACTERS:
            raise TooMuchText
        run.append(cells)
    if run:
        yield _trimmed(run)


def _trimmed(rows: Sequence[tuple[str, ...]]) -> Rows:
    first = min(next(i for i, cell in enumerate(row) if cell) for row in rows)
    last = max(max(i for i, cell in enumerate(row) if cell) for row in rows)
    return tuple(row[first : last + 1] for row in rows)


def parse_csv(raw: bytes, shown: str) -> Content:
    """The rows of a CSV or TSV file. Raises UnreadableSource (binary, broken quoting), TooMuchText."""
    decoded = decode(raw, shown)
    csv.field_size_limit(_MAX_FIELD)
    dialect = _dialect(decoded.text[:_SAMPLE], shown)
    try:
        reader = csv.reader(io.StringIO(decoded.text, newline=""), dialect)
        pieces = [p for rows in tables([" ".join(c.split()) for c in row] for row in reader) for p in pieces_of_rows(rows)]
    except csv.Error as error:
        raise UnreadableSource(shown, f"damaged: no CSV that can be read ({error})") from error
    return Content(pieces=tuple(pieces), parser="csv", encoding=decoded.encoding)


def _dialect(sample: str, shown: str) -> type[csv.Dialect]:
    """What parts the cells: tabs in a `.tsv`, else what occurs as often in each line."""

    class Found(csv.excel):
        delimiter = "\t" if shown.lower().endswith((".tsv", ".tab")) else _delimiter(sample)

    return Found


def _delimiter(sample: str) -> str:
    lines = [line for line in sample.splitlines()[:50] if line.strip()]
    counts = {d: [line.count(d) for line in lines] for d in _DELIMITERS}
    steady = {d: n for d, n in counts.items() if n and min(n) > 0}
    if not steady:
        return max(counts, key=lambda d: sum(counts[d])) if any(map(sum, counts.values())) else ","
    return max(steady, key=lambda d: (len(set(steady[d])) == 1, min(steady[d])))
