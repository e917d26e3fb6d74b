"""What a document refers to: link targets, wiki links, DOIs; and the DOI that is its own. Pure; nothing is resolved here."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple
from urllib.parse import unquote

from ingest.models import ParsedDocument

Kind = Literal["path", "wiki", "doi", "own doi"]
MOST = 2_000
"""References kept of a document: the first ones."""
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'<>{}|\\^`\[\]]+")
"""As Crossref recommends for finding DOIs in text, with the other characters that modern ones have."""
_DOI_END = re.compile(r"[.,;:!?…]+$|\.(?:pdf|html?)$", re.IGNORECASE)
_WIKI = re.compile(r"\[\[([^\[\]|#\r\n]{1,200})(?:#[^\[\]|\r\n]{0,200})?(?:\|[^\[\]\r\n]{0,200})?\]\]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_WITH_WIKI = ("markdown", "text", "note")


class Reference(NamedTuple):
    """`target`: a path as it is written, percent-decoded, without its fragment; a wiki page's name; a DOI in lower case."""

    kind: Kind
    target: str


def references_of(document: ParsedDocument) -> tuple[Reference, ...]:
    """Each reference once, in the order of the document."""
    found = [r for target in document.targets for r in _of_target(target)]
    if document.format in _WITH_WIKI and "[[" in document.text:
        read = (b.span.slice(document.text) for b in document.blocks if b.role not in ("code", "markup"))
        found += [Reference("wiki", " ".join(m[1].split())) for text in read for m in _WIKI.finditer(text)]
    own = _own_doi(document)
    found += [Reference("doi", doi) for doi in _dois(document.text) if doi != own]
    return (*((Reference("own doi", own),) if own else ()), *list(dict.fromkeys(found))[:MOST])


def _of_target(target: str) -> list[Reference]:
    """The reference that a link's target is; a web address is none, but for that of a DOI."""
    if _SCHEME.match(target) and not target.startswith("file:") and not re.match(r"[A-Za-z]:[\\/]", target):
        return [Reference("doi", doi) for doi in _dois(unquote(target))]
    path = unquote(re.split(r"[#?]", target.removeprefix("file:"), maxsplit=1)[0]).replace("\\", "/")
    return [Reference("path", path)] if path.strip("/. ") else []


def _own_doi(document: ParsedDocument) -> str | None:
    """What front matter or metadata says; else the only one on the first page of a paged document."""
    for name, value in document.properties:
        if name.casefold() in ("doi", "subject", "identifier", "keywords") and (said := _dois(value)):
            return said[0]
    if not document.page_map:
        return None
    first = document.page_map[0].page
    on_first = dict.fromkeys(d for run in document.page_map if run.page == first for d in _dois(document.text[run.start : run.end]))
    return next(iter(on_first)) if len(on_first) == 1 else None


def _dois(text: str) -> list[str]:
    if "10." not in text:
        return []
    return [doi for m in _DOI.finditer(text) if (doi := _trimmed(m.group()))]


def _trimmed(doi: str) -> str:
    """Without the punctuation of the sentence, and a bracket that it doesn't open."""
    before = ""
    while before != doi:
        before, doi = doi, _DOI_END.sub("", doi)
        if doi.endswith(")") and doi.count("(") < doi.count(")"):
            doi = doi[:-1]
    return doi.casefold()
