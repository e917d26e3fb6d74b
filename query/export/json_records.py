"""Quotes as one JSON file: the records as `query.schema` describes them, with the generation they came from."""

from __future__ import annotations

from pathlib import Path

from query.export.files import safe_name, write_new
from query.export.job import ExportJob, bundle_key, query_of
from query.models import SCHEMA_VERSION
from query.serialise import Json, json_text, json_value


def export_json(job: ExportJob) -> list[Path]:
    """One file: `{"schema_version", "query", "index_generation", "quotes": [hit or place …]}`.

    `query` is the question of all quotes, null where they have none or several; each hit has its own, too.
    """
    queries = {query_of(quote) for quote in job.quotes}
    bundle: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "query": queries.pop() if len(queries) == 1 else None,
        "index_generation": json_value(job.reader.generation),
        "quotes": [quote.to_dict() for quote in job.quotes],
    }
    name = safe_name(job.quotes[0].source_document, bundle_key(job), ".json")
    content = (json_text(bundle, indent=2) + "\n").encode()
    return [write_new(job.out / name, content, overwrite=job.overwrite)]
