"""Links that documents make themselves."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from index.catalog import Catalog
from index.derived_links import WEIGHT, StoredReference, derived_links

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def documents(new_document) -> Catalog:
    paths = {"a": "notes/a.md", "b": "deeds/Lease.md", "c": "c.pdf", "d": "old/c.pdf", "e": "e.pdf"}
    return Catalog(replace(new_document(i, "Text.", path=path).record, entity_id=f"entity {i}") for i, path in paths.items())


def ends(documents: Catalog, *references: tuple[str, str, str]) -> list[tuple[str, str, str]]:
    links = derived_links(documents, [StoredReference(*r) for r in references], {}, WHEN)
    assert all(k.origin == "derived" and k.weight == WEIGHT for k in links.values())
    return sorted((k.source_id[-1], k.label, k.target_id[-1]) for k in links.values())


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("../deeds/Lease.md", ["b"]),
        ("/c.pdf", ["c"]),
        ("./../old/../c.pdf", ["c"]),
        ("c.pdf", []),
        ("../../c.pdf", []),
        ("a.md", []),
        ("", []),
    ],
)
def test_a_path_counts_from_the_folder_of_its_document_and_never_leads_out_of_the_root(documents, target, found):
    assert [t for _, _, t in ends(documents, ("a", "path", target))] == found


@pytest.mark.parametrize(
    ("name", "found"), [("Lease", ["b"]), ("lease", ["b"]), ("deeds/Lease", ["b"]), ("c", []), ("nowhere", [])]
)
def test_a_wiki_page_is_found_by_its_path_or_by_a_name_that_only_one_file_has(documents, name, found):
    assert [t for _, _, t in ends(documents, ("a", "wiki", name))] == found


def test_a_doi_leads_to_the_document_that_has_it(documents):
    found = ends(documents, ("a", "doi", "10.1/x"), ("c", "own doi", "10.1/x"), ("e", "doi", "10.1/x"), ("c", "doi", "10.1/none"))
    assert found == [("a", "cites", "c"), ("e", "cites", "c")]


def test_documents_of_one_record_have_no_links_between_them(documents):
    one = Catalog(replace(d, entity_id="entity x") for d in documents.values())
    assert ends(one, ("a", "path", "/c.pdf")) == []


def test_a_link_that_was_there_is_as_old_as_it_was(documents):
    reference = [StoredReference("a", "path", "/c.pdf")]
    before = derived_links(documents, reference, {}, WHEN)
    assert derived_links(documents, reference, before, WHEN + timedelta(days=9)) == before
