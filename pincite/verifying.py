"""Checking a bundle without a library: the bundle and the files are enough."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from query.verify import VerifyReport


def verify_bundle(
    bundle: Path,
    *,
    root: Path | None = None,
    against: Path | None = None,
    roots: Mapping[str, str] | None = None,
    passwords: Sequence[str] = (),
    known: Collection[tuple[str, str]] | None = None,
) -> VerifyReport:
    """The verdict of each quote of an exported bundle (json, jsonl, w3c).

    The files are looked for below `root`; else in `roots` (folders by the name that a library gave them), beside the bundle, and
    here. With `known`, no other files of `roots` are opened than those of these (root, path). With `against`, every quote is
    checked with that one file. `passwords` are tried on files that are encrypted. Raises UnreadableSource, UsageError for what is
    no bundle.
    """
    from ingest.errors import SourceMissing, UsageError
    from query.claims import read_claims
    from query.verify import verify
    from query.verify_sources import Sources

    claims = read_claims(bundle)
    if root is not None and not root.is_dir():
        raise UsageError(f"{root}: no such folder")
    if against is not None and not against.is_file():
        raise SourceMissing(str(against), "no such file")
    beside = (bundle.resolve().parent, Path.cwd())
    sources = Sources(root=root, roots=roots or {}, beside=beside, against=against, passwords=tuple(passwords), known=known)
    return verify(claims, sources)
