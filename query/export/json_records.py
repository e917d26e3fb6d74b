"""Quotes as citation records (`query.record`): one JSON file, or JSON Lines with one record a line."""

from __future__ import annotations

from pathlib import Path

from query.export.files import safe_name, write_new
from query.export.job import ExportJob, bundle_key
from query.export.recording import records_of
from query.record import bundle_of
from query.serialise import json_text


def export_json(job: ExportJob) -> list[Path]:
    """One file: `{"schema_version", "query", "index_generation", "quotes": [record …]}`."""
    bundle = bundle_of(records_of(job), job.reader.generation)
    return _write(job, json_text(bundle.to_dict(), indent=2) + "\n", ".json")


def export_jsonl(job: ExportJob) -> list[Path]:
    """One file: one record a line."""
    return _write(job, "".join(f"{json_text(record.to_dict())}\n" for record in records_of(job)), ".jsonl")


def _write(job: ExportJob, content: str, suffix: str) -> list[Path]:
    name = safe_name(job.quotes[0].source_document, bundle_key(job), suffix)
    return [write_new(job.out / name, content.encode(), overwrite=job.overwrite)]
