"""Exports by format: the way in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from index.ports import LibraryReader
from ingest.errors import ExportError, UsageError
from query.export.job import Exporter, ExportJob, Quotable
from query.export.sources import Resolve, checked_sources
from query.models import SearchHit


def export(
    reader: LibraryReader,
    quotes: Iterable[Quotable],
    *,
    to: str,
    out: Path,
    resolve: Resolve,
    overwrite: bool = False,
    passwords: Sequence[str] = (),
) -> list[Path]:
    """Writes the quotes into the folder `out` and returns the files written.

    Hits that are properties are left out: they are no places in a text. `resolve` gives the file of (root, source_document) on
    this machine; `passwords` are tried on encrypted ones. Raises UsageError for an unknown format, ExportError for no quotes at all
    or a taken name, SourceChanged and SourceMissing where a quote no longer has its file. Nothing is written before all sources are
    checked.
    """
    exporter = EXPORTERS.get(to)
    if exporter is None:
        raise UsageError(f"no such export format: {to}", next_step=f"Formats: {', '.join(sorted(EXPORTERS))}.")
    given = tuple(quotes)
    chosen = tuple(quote for quote in given if not isinstance(quote, SearchHit) or quote.kind != "property")
    if not chosen:
        reason = "properties are no places in a text" if given else "no quotes were given"
        raise ExportError(f"there is nothing to export: {reason}")
    sources = checked_sources(reader, chosen, resolve)
    return exporter(
        ExportJob(reader=reader, quotes=chosen, sources=sources, out=Path(out), overwrite=overwrite, passwords=tuple(passwords))
    )


def _csv(job: ExportJob) -> list[Path]:
    from query.export.csv_table import export_csv

    return export_csv(job)


def _html(job: ExportJob) -> list[Path]:
    from query.export.html_page import export_html

    return export_html(job)


def _json(job: ExportJob) -> list[Path]:
    from query.export.json_records import export_json

    return export_json(job)


def _jsonl(job: ExportJob) -> list[Path]:
    from query.export.json_records import export_jsonl

    return export_jsonl(job)


def _markdown(job: ExportJob) -> list[Path]:
    from query.export.markdown import export_markdown

    return export_markdown(job)


def _pdf(job: ExportJob) -> list[Path]:
    from query.export.pdf import export_pdf

    return export_pdf(job)


def _w3c(job: ExportJob) -> list[Path]:
    from query.export.web_annotations import export_w3c

    return export_w3c(job)


EXPORTERS: Mapping[str, Exporter] = {
    "csv": _csv,
    "html": _html,
    "json": _json,
    "jsonl": _jsonl,
    "md": _markdown,
    "pdf": _pdf,
    "w3c": _w3c,
}
