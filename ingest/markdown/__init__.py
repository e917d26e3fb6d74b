"""Markdown -> `ParsedDocument`: `parse_markdown` is all that others need."""

from ingest.markdown.document import parse_markdown

__all__ = ["parse_markdown"]
