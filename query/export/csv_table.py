"""Quotes as a table for spreadsheets: CSV (RFC 4180) in UTF-8 with a byte-order mark, which Excel needs to read it as UTF-8."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from query.citation import SECTION_JOINER
from query.export.files import safe_name, write_new
from query.export.job import ExportJob, bundle_key
from query.export.recording import records_of
from query.record import CitationRecord

COLUMNS = (
    "citation",
    "quote",
    "section",
    "page_from",
    "page_to",
    "page_label",
    "line_from",
    "line_to",
    "source_document",
    "root",
    "offset",
    "length",
    "source_sha256",
    "cautions",
    "query",
    "id",
)
_FORMULA = re.compile(r"\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def export_csv(job: ExportJob) -> list[Path]:
    """One file, a head row and one row a quote. `json` and `jsonl` hold the words without the apostrophe below."""
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    writer.writerows(_row(record) for record in records_of(job))
    name = safe_name(job.quotes[0].source_document, bundle_key(job), ".csv")
    return [write_new(job.out / name, table.getvalue().encode("utf-8-sig"), overwrite=job.overwrite)]


def cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula: one that could begin one gets an apostrophe before it (OWASP, "CSV Injection").
    Control characters, which a spreadsheet can't hold, become the replacement character."""
    shown = _UNPRINTABLE.sub("\ufffd", text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def _row(record: CitationRecord) -> list[str]:
    values = (
        record.citation,
        record.quote_text,
        SECTION_JOINER.join(record.section_path),
        record.page_from,
        record.page_to,
        record.page_label_from,
        record.line_from,
        record.line_to,
        record.source_document,
        record.root,
        record.offset,
        record.length,
        record.source_sha256,
        ", ".join(record.cautions),
        record.query,
        record.id,
    )
    return ["" if value is None else cell(str(value)) for value in values]
