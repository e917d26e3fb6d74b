"""What has changed between the library and the disk."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.changes import Found, Known, KnownDocuments, moves
from index.memory import HashingEmbedder, MemoryLibrary
from index.spool import Spool
from ingest.discover import RootPlan
from ingest.models import SourceFile

BYTES = st.lists(st.sampled_from("abcd"), max_size=6)


def plan(**taken_over: tuple[str, str]) -> RootPlan:
    return RootPlan(roots={}, scopes=(), taken_over=taken_over, missing=())


def source(path: str, root: str = "docs") -> SourceFile:
    return SourceFile(file=Path("/nowhere", path), root=root, path=path, size=1, mtime_ns=1)


@pytest.fixture
def rows(new_document):
    paths = ("a.md", "b/c.md", "b/d.md", "mail.eml", "mail.eml/offer.pdf", "mail.eml.md")
    documents = [new_document(str(n), "Text.", path=path) for n, path in enumerate(paths)]
    return MemoryLibrary(documents, settings=HashingEmbedder().settings).rows


@given(gone=BYTES, new=BYTES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_move_is_exactly_one_document_gone_and_one_file_new_with_the_same_bytes(new_document, gone, new):
    record = new_document("1", "Text.").record
    known = [Known(r, r) for r in (replace(record, document_id=str(n), source_sha256=sha) for n, sha in enumerate(gone))]
    found = [Found(source=source(str(n)), format="text", sha256=sha) for n, sha in enumerate(new)]
    pairs = list(
        moves(Spool(((k.here.source_sha256,), k) for k in known), Spool(((f.sha256,), f) for f in found)),
    )
    moved = {sha for sha in gone if gone.count(sha) == new.count(sha) == 1}
    assert {(k.here.source_sha256, f.sha256) for k, f in pairs if k and f} == {(sha, sha) for sha in moved}
    assert Counter(k for k, f in pairs if k) == Counter(known)
    assert Counter(f for k, f in pairs if f) == Counter(found)


def test_what_is_met_is_taken_out_and_what_is_left_comes_in_order(rows):
    known = KnownDocuments(rows, plan())
    met = known.met([source("b/c.md"), source("new.md"), source("a.md")])
    assert [k and k.stored.source_document for k in met] == ["b/c.md", None, "a.md"]
    assert known.met([source("a.md")]) == [None]
    left = known.left(lambda root, path: path != "b/d.md")
    assert [k.stored.source_document for k in left] == ["mail.eml", "mail.eml.md", "mail.eml/offer.pdf"]


def test_files_that_were_in_a_file_are_known_by_its_place(rows):
    known = KnownDocuments(rows, plan())
    assert [known.any_inside(source(path)) for path in ("mail.eml", "a.md", "mail")] == [True, False, False]


def test_a_root_that_was_taken_over_is_known_under_the_outer_one(rows):
    known = KnownDocuments(rows, plan(docs=("all", "in/docs")))
    assert known.any_inside(source("in/docs/mail.eml", "all"))
    (met, other) = known.met([source("in/docs/a.md", "all"), source("a.md", "all")])
    assert met is not None
    assert other is None
    assert (met.stored.root, met.stored.source_document) == ("docs", "a.md")
    assert (met.here.root, met.here.source_document, met.here.raw_path) == ("all", "in/docs/a.md", b"in/docs/\xff.md")
    assert len(list(known.left(lambda root, path: False))) == 5
