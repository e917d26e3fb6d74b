"""What `Library` does with quotations: looks them up, shows them, writes them out, checks them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.sources import source_file
from query.matches import Place, QuoteMatch
from query.models import SearchHit

if TYPE_CHECKING:
    from index.ports import LibraryReader
    from query.export.sources import Resolve
    from query.saved import SavedQuotes
    from query.showing import Shown
    from query.verify import VerifyReport

StrPath = str | os.PathLike[str]


class Quotations(ABC):
    """The part of `Library` that only reads it and the source files."""

    _passwords: tuple[str, ...]
    _readable: frozenset[str | None] | None

    @abstractmethod
    def _reader(self) -> LibraryReader: ...

    def cite(self, quote: str, *, document: str | None = None) -> QuoteMatch:
        """Whether the quotation is in the documents, and every place where it is."""
        from query.cite import cite

        return cite(self._reader(), quote, document)

    def cite_all(self, quotes: Sequence[str], *, document: str | None = None) -> list[QuoteMatch]:
        """`cite` for several quotations, in their order; each text is read once for all of them."""
        from query.cite import cite_all

        return cite_all(self._reader(), quotes, document)

    def export(self, hits: Iterable[SearchHit | Place], *, to: str, out: StrPath, overwrite: bool = False) -> list[Path]:
        """Writes hits or places into the folder `out`: "pdf" (copies of the sources, highlighted), "html" (one
        page to read), "md", "csv", "json" and "jsonl" (citation records), "w3c" (Web
        Annotations).

        Returns the files written. Raises ExportError, SourceChanged, SourceMissing, UsageError.
        """
        from query.export.table import export

        reader = self._reader()
        return export(reader, hits, to=to, out=Path(out), resolve=_resolve(reader), overwrite=overwrite, passwords=self._passwords)

    def saved_quotes(self, bundle: StrPath) -> SavedQuotes:
        """The quotes of a file that a search, `cite` or `export` has written (json, jsonl, w3c), as `export` takes them.

        Raises UsageError for what is no such file, SourceMissing and SourceChanged where the library has no such document, another
        state of it, or other words at the place.
        """
        from query.claims import read_claims
        from query.saved import saved_quotes

        return saved_quotes(self._reader(), read_claims(Path(bundle)))

    def verify(self, bundle: StrPath, *, root: StrPath | None = None, against: StrPath | None = None) -> VerifyReport:
        """Checks the quotes of an exported bundle with their files as they are now: below `root`, else where this library knows
        them; with `against`, all with that one file. `pincite.verifying.verify_bundle` needs no library.
        """
        from pincite.verifying import verify_bundle

        reader = self._reader()
        return verify_bundle(
            Path(bundle),
            root=None if root is None else Path(root),
            against=None if against is None else Path(against),
            roots=reader.roots,
            passwords=self._passwords,
            known=None if self._readable is None else {(d.root, d.source_document) for d in reader.documents.values()},
        )

    def show(self, what: str, *, page: int | None = None) -> Shown:
        """A passage (by chunk id), a quote in its passage (by the id of a hit, place or record), or a document (by id, path or
        glob), with its text; with `page`, that page of it. Raises NotFound, UsageError."""
        from query.showing import show

        return show(self._reader(), what, page)

    def page_picture(self, shown: Shown) -> bytes:
        """PNG of the page that `show` found, its quote or passage highlighted. Raises UsageError for what is no PDF, SourceChanged,
        SourceMissing."""
        from query.export.page_picture import page_picture

        reader = self._reader()
        return page_picture(reader, shown, _resolve(reader), passwords=self._passwords)

    def address(self, document_id: str, *, page: int | None = None) -> str | None:
        """The `file:` address of a document, of its page if it is a PDF (RFC 8118); None where it has no file on this machine."""
        reader = self._reader()
        document = reader.documents.get(document_id)
        if document is None or document.root not in reader.roots:
            return None
        address = source_file(reader, document).absolute().as_uri()
        return f"{address}#page={page}" if page is not None and document.format == "pdf" else address


def _resolve(reader: LibraryReader) -> Resolve:
    by_key = {(d.root, d.source_document): d for d in reader.documents.values()}
    return lambda root, path: source_file(reader, by_key[root, path])
