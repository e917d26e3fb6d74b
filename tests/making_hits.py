"""Hits made by hand, with the fields that a test is about."""

from __future__ import annotations

from datetime import UTC, datetime

from index.models import Generation
from query.models import Contribution, Link, SearchHit

CONTENT = "4.2 Late payment. Interest accrues at 1.5% per month. The Supplier may suspend the services."
SENTENCE = "Interest accrues at 1.5% per month."
LEARNED = datetime(2025, 3, 20, 9, 30, tzinfo=UTC)
AMENDMENT = Link(
    target_type="Contract",
    target_id="7d9f6a52-0c3e-4f0b-9d43-0b6b7f7f6a11",
    target_label="Contract MSA-2024-11-A1",
    relationship="superseded by",
    reason="renegotiated after the Q2 review",
)
SEMANTIC = Contribution(leg="semantic", rank=0, native_score=0.82, native_metric="cosine", adds=0.82)
KEYWORD = Contribution(leg="keyword", rank=39, native_score=7.5, native_metric="bm25", adds=0.4)


def make_hit(**changes: object) -> SearchHit:
    fields: dict[str, object] = {
        "content": CONTENT,
        "score": 1.22,
        "distance": 0.18,
        "similarity": 0.82,
        "source_entity_id": "3f2b8c1e-5a7d-4e6f-8b9a-1c2d3e4f5a6b",
        "source_entity_type": "Contract",
        "source_label": "Contract MSA-2024-11",
        "source_document": "contracts/msa.pdf",
        "root": "docs",
        "namespace": "legal",
        "document_id": "0b6b7f7f-0c3e-4f0b-9d43-7d9f6a520c3e",
        "chunk_id": "c0ffee",
        "role": "body",
        "section": "4 Fees › 4.2 Late payment",
        "section_path": ("4 Fees", "4.2 Late payment"),
        "page_from": 45,
        "page_to": 46,
        "page_label_from": None,
        "page_label_to": None,
        "source_offset": 1200,
        "match_offset": CONTENT.index(SENTENCE),
        "match_length": len(SENTENCE),
        "match_page_from": 45,
        "match_page_to": 45,
        "match_page_label_from": None,
        "match_page_label_to": None,
        "line_from": None,
        "line_to": None,
        "locator": None,
        "remembered_at": LEARNED,
        "matched_on": "both",
        "match_mode": "hybrid",
        "contributions": (SEMANTIC, KEYWORD),
        "backend": "lancedb",
        "index_generation": Generation(number=3, fingerprint="abc"),
        "query": "late payment interest",
        "cited_section": "4.2 Late payment",
    }
    return SearchHit(**(fields | changes))  # type: ignore[arg-type]
