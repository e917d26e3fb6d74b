"""Quotes as W3C Web Annotations (https://www.w3.org/TR/annotation-model/), in JSON-LD that `pincite verify` takes back.

Each annotation has a TextQuoteSelector (exact, prefix, suffix), a TextPositionSelector (code points of the canonical text) and, for
a PDF, a FragmentSelector for its page (RFC 8118). What the vocabulary has no word for (hashes, parser) has terms of ours,
defined in the context that is written along.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote as percent_encoded

from ingest.models import Format
from query.export.files import safe_name, write_new
from query.export.job import ExportJob, bundle_key
from query.export.recording import records_of
from query.record import CitationRecord
from query.serialise import Json, json_text, json_value

ANNOTATION_CONTEXT = "http://www.w3.org/ns/anno.jsonld"
PDF_FRAGMENTS = "https://www.rfc-editor.org/rfc/rfc8118"
OWN_TERMS: dict[str, Json] = {
    "pincite": "urn:pincite:terms:",
    "pincite:boxes": {"@id": "pincite:boxes", "@type": "@json"},
}
"""The JSON-LD context of our own terms (JSON-LD 1.1, "JSON Literals" for the boxes)."""
_MEDIA_TYPES: Mapping[Format, str] = {
    "pdf": "application/pdf",
    "markdown": "text/markdown",
    "text": "text/plain",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv",
    "html": "text/html",
    "email": "message/rfc822",
    "epub": "application/epub+zip",
    "odt": "application/vnd.oasis.opendocument.text",
    "rtf": "application/rtf",
    "rst": "text/x-rst",
    "subtitles": "text/plain",
    "code": "text/plain",
    "note": "text/plain",
}


def export_w3c(job: ExportJob) -> list[Path]:
    """One file: an AnnotationCollection with all annotations on its first page."""
    records = records_of(job)
    key = bundle_key(job)
    collection: dict[str, Json] = {
        "@context": [ANNOTATION_CONTEXT, OWN_TERMS],
        "id": f"urn:pincite:collection:{safe_name('quotes', key, '')}",
        "type": "AnnotationCollection",
        "label": records[0].query or "Quotes",
        "total": len(records),
        "first": {
            "id": f"urn:pincite:page:{safe_name('quotes', key, '')}",
            "type": "AnnotationPage",
            "startIndex": 0,
            "items": [annotation(record) for record in records],
        },
    }
    name = safe_name(job.quotes[0].source_document, key, ".jsonld")
    return [write_new(job.out / name, (json_text(collection, indent=2) + "\n").encode(), overwrite=job.overwrite)]


def annotation(record: CitationRecord) -> dict[str, Json]:
    """One record as an Annotation."""
    source: dict[str, Json] = {
        "id": percent_encoded(record.source_document.encode("utf-8", "surrogatepass"), safe="/"),
        "type": "Text",
        "format": _MEDIA_TYPES.get(record.format, "application/octet-stream"),
        "pincite:root": record.root,
        "pincite:sha256": record.source_sha256,
        "pincite:textSha256": record.text_sha256,
        "pincite:parser": record.parser,
        "pincite:boxes": json_value(record.page_boxes),
    }
    asked: dict[str, Json] = {"pincite:query": record.query} if record.query else {}
    return asked | {
        "id": f"urn:pincite:{record.id}",
        "type": "Annotation",
        "motivation": "highlighting",
        "created": record.read_at.isoformat(),
        "generator": {"id": "urn:pincite:software", "type": "Software", "name": "pincite"},
        "body": {"type": "TextualBody", "purpose": "describing", "format": "text/plain", "value": record.citation},
        "target": {"type": "SpecificResource", "source": source, "selector": _selectors(record)},
    }


def _selectors(record: CitationRecord) -> list[Json]:
    """Each of them selects the quote, or the page that it begins on."""
    selectors: list[Json] = [
        {"type": "TextQuoteSelector", "exact": record.quote, "prefix": record.prefix, "suffix": record.suffix},
        {"type": "TextPositionSelector", "start": record.offset, "end": record.offset + record.length},
    ]
    if record.page_from is not None and record.format == "pdf":
        selectors.append({"type": "FragmentSelector", "conformsTo": PDF_FRAGMENTS, "value": f"page={record.page_from}"})
    return selectors
