"""Document records on disk, and what is looked up among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.catalog import Catalog
from index.models import DocumentRecord

MakeRecord = Callable[..., DocumentRecord]
NAMES = st.sampled_from("abc")


@pytest.fixture
def record(new_document) -> MakeRecord:
    def make(document_id: str, path: str = "a.md", *, entity: str | None = None, note: bool = False) -> DocumentRecord:
        made = new_document(document_id, "Text.", path=path).record
        return replace(made, entity_id=entity or document_id, format="note" if note else "text")

    return make


def ids(records) -> list[str]:
    return [r.document_id for r in records]


def test_a_record_comes_back_field_for_field(record):
    assert Catalog([record("1")])["1"] == record("1")


@given(ops=st.lists(st.tuples(NAMES, NAMES, st.booleans())))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_is_a_mapping_in_the_order_of_root_and_path(record, ops):
    catalog, plain = Catalog(), {}
    for document_id, path, put in ops:
        if put:
            catalog[document_id] = plain[document_id] = record(document_id, path)
        else:
            assert catalog.pop(document_id, None) == plain.pop(document_id, None)
    assert dict(catalog) == plain
    assert len(catalog) == len(plain)
    assert [i in catalog for i in "abc"] == [i in plain for i in "abc"]
    assert list(catalog.files()) == sorted((r.root, r.source_document, r.source_sha256) for r in plain.values())
    assert [r.source_document for r in catalog.values()] == sorted(r.source_document for r in plain.values())


def test_what_is_not_there_can_not_be_had_or_taken_out(record):
    with pytest.raises(KeyError):
        Catalog()["1"]
    with pytest.raises(KeyError):
        del Catalog([record("1")])["2"]


def test_a_document_is_found_by_the_place_of_its_file(record):
    catalog = Catalog([record("1", "a.md"), record("2", "b/a.md")])
    assert [r and r.document_id for r in (catalog.at("docs", "b/a.md"), catalog.at("other", "a.md"))] == ["2", None]


def test_a_document_is_found_by_its_stem_where_only_one_has_it(record):
    catalog = Catalog([record("1", "x/Lease.md"), record("2", "y/c.md"), record("3", "z/C.pdf")])
    found = [catalog.only_called("docs", stem) for stem in ("lease", "LEASE", "c", "none")]
    assert [r and r.document_id for r in found] == ["1", "1", None, None]
    del catalog["3"]
    assert catalog.only_called("docs", "c") == catalog["2"]


def test_the_members_of_an_entity_are_its_files_in_order_then_its_notes(record):
    catalog = Catalog(
        [
            record("n", "a", entity="g", note=True),
            record("2", "z.md", entity="g"),
            record("g", "m.md"),
            record("3", "b.md", entity="g"),
            record("4", "c.md"),
        ]
    )
    assert ids(catalog.members("g")) == ["3", "g", "2", "n"]
    assert ids(catalog.members("4")) == ["4"]
    assert [catalog.has_entity(i) for i in ("g", "4", "2", "none")] == [True, True, False, False]
