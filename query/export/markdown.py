"""Quotes as one Markdown file: each paragraph as a block quote, the match in bold, the citation as a footnote.

Whatever comes from documents, file names and queries is escaped, so that it is text and nothing else to any CommonMark or GitHub
renderer, with raw HTML on or off: no element, link, image or autolink comes out of it.
"""

from __future__ import annotations

import re
from pathlib import Path

from ingest.models import Span
from query.citation import one_line
from query.excerpts import Excerpt
from query.export.files import safe_name, write_new
from query.export.job import ExportJob, Quotable, bundle_key, query_of, quote_span
from query.models import SearchHit

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_LINE = re.compile(r"\r\n|\r|\n")
_BLANK_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?:\r\n|\r|\n)\s*")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


def export_markdown(job: ExportJob) -> list[Path]:
    """One file, named after the first quote's document."""
    entries = [_entry(job, number, quote) for number, quote in enumerate(job.quotes, start=1)]
    notes = [_note(number, quote) for number, quote in enumerate(job.quotes, start=1)]
    text = "\n\n".join(["# Quotes", *_asked(job), *entries, *notes]) + "\n"
    name = safe_name(job.quotes[0].source_document, bundle_key(job), ".md")
    return [write_new(job.out / name, text.encode(), overwrite=job.overwrite)]


def escape(text: str) -> str:
    """Text that Markdown shows as it is: every ASCII punctuation character gets a backslash (CommonMark, "Backslash escapes"), and
    control characters, which no renderer shows, become the replacement character."""
    return _PUNCTUATION.sub(r"\\\1", _CONTROL.sub("\ufffd", text))


def _asked(job: ExportJob) -> list[str]:
    queries = dict.fromkeys(query for query in map(query_of, job.quotes) if query)
    return [f"Asked: {escape(one_line(query))}" for query in queries]


def _entry(job: ExportJob, number: int, quote: Quotable) -> str:
    """The paragraphs that the match touches; bold can't go on over a paragraph's end, so each has its own. Of subtitles, what is
    said, without the times between."""
    if job.document(quote).format == "subtitles":
        said = quote.excerpt() if isinstance(quote, SearchHit) else Excerpt(quote.quote_text, 0, len(quote.quote_text))
        return _paragraph(said.text, Span(0, len(said.text)), Span(said.start, said.end)) + f"[^{number}]"
    content, match = (quote.content, quote.match) if isinstance(quote, SearchHit) else (quote.quote, Span(0, quote.length))
    paragraphs = [_paragraph(content, span, match) for span in _paragraphs(content) if _touch(span, match)]
    return "\n>\n".join(paragraphs) + f"[^{number}]"


def _paragraphs(content: str) -> list[Span]:
    ends = [*((m.start(), m.end()) for m in _BLANK_LINE.finditer(content)), (len(content), len(content))]
    starts = [0, *(after for _, after in ends[:-1])]
    return [Span(start, max(start, end)) for start, (end, _) in zip(starts, ends, strict=True)]


def _touch(span: Span, match: Span) -> bool:
    return span.start < match.end and match.start < span.end


def _paragraph(content: str, span: Span, match: Span) -> str:
    start, end = max(span.start, match.start), min(span.end, match.end)
    before, bold, after = content[span.start : start], content[start:end], content[end : span.end]
    words = escape(before) + _bold(bold, before[-1:], after[:1]) + escape(after)
    lines = [line.strip() for line in _LINE.split(words)]
    return "\n".join(f"> {line}" for line in lines if line)


def _bold(words: str, before: str, after: str) -> str:
    """Bold as CommonMark takes it: asterisks with a word on one side and white space or nothing on the other.

    Elsewhere (a match inside a run of Chinese) only the tag is sure to work.
    """
    inside = words.strip()
    lead, tail = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
    if not inside:
        return words
    free = (not before or before.isspace() or bool(lead)) and (not after or after.isspace() or bool(tail))
    opening, closing = ("**", "**") if free else ("<strong>", "</strong>")
    return f"{lead}{opening}{escape(inside)}{closing}{tail}"


def _note(number: int, quote: Quotable) -> str:
    """The words after the citation also keep a renderer without footnotes from reading the line as the definition of a link."""
    span = quote_span(quote)
    cautions = f" Caution: {escape(', '.join(quote.cautions))}." if quote.cautions else ""
    return (
        f"[^{number}]: {escape(quote.citation())}. File {escape(one_line(quote.source_document))}, "
        f"characters {span.start} to {span.end} of its text, SHA\\-256 {escape(quote.source_sha256)}.{cautions}"
    )
