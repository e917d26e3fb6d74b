"""Markdown text -> `ParsedDocument`: CommonMark with tables, strikethrough, footnotes and YAML front matter."""

from __future__ import annotations

from ingest.markdown.builder import Builder
from ingest.markdown.engine import engine_name
from ingest.markdown.front_matter import front_matter
from ingest.models import Block, Notice, ParsedDocument, SilentRange, Span
from ingest.plaintext import paragraphs
from ingest.reading import merge_silent, zero_width


def parse_markdown(text: str, *, encoding: str | None) -> ParsedDocument:
    """The blocks of a Markdown file, in order, disjoint; every character that is no white space is in exactly one.

    `text` is kept as it is. Never fails: what cannot be parsed is taken as plain paragraphs, with a notice.
    """
    matter = front_matter(text)
    start = matter.end if matter else 0
    blocks: list[Block] = [Block(span=Span(0, len(text[:start].rstrip())), role="markup")] if matter else []
    silent: list[SilentRange] = zero_width(text)
    targets: tuple[str, ...] = ()
    problems = [matter.problem] if matter and matter.problem else []
    try:
        builder = Builder(text, start)
        builder.build()
    except RecursionError:
        blocks += paragraphs(text, start, len(text))
        problems.append("too deeply nested to be parsed as Markdown; taken as plain text")
    else:
        blocks += builder.blocks
        silent += builder.silent
        targets = builder.targets
    return ParsedDocument(
        text=text,
        format="markdown",
        blocks=tuple(blocks),
        parser=engine_name(),
        title=matter.title if matter else None,
        encoding=encoding,
        silent=merge_silent(silent),
        warnings=tuple(Notice(reason=problem) for problem in problems),
        properties=matter.properties if matter else (),
        targets=targets,
    )
