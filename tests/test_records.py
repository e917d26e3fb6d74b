"""Records, notes and links in a real library: kept by everything that happens to it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from test_incremental import CountingEmbedder, library

from index.doctor import Check
from index.entities import NOTES_ROOT
from index.store import LibraryStore
from ingest.errors import NotFound, UsageError
from pincite.library import Library

pytestmark = pytest.mark.real
HERE = Path(__file__).parent
SAID = datetime(2025, 3, 20, 9, 30, tzinfo=UTC)
SETTINGS = """
[types]
Contract = "Contract {number}"
"""
AGREEMENT = """---
type: Contract
number: MSA-1
searchable: owner, number
owner: Harbour Master
---

# Fees

Late fees accrue at two per cent a month.
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pincite.toml").write_text(SETTINGS, encoding="utf-8")
    (folder / "agreement.md").write_text(AGREEMENT, encoding="utf-8")
    (folder / "amendment.md").write_text("# Amendment\n\nThe rate of late fees is one per cent.\n", encoding="utf-8")
    (folder / "terns.txt").write_text("Terns nest on gravel.\n", encoding="utf-8")
    return folder


@pytest.fixture
def lib(tmp_path: Path, docs: Path) -> Library:
    """With a link, a note about the agreement, a note of its own, and a pin."""
    made = library(tmp_path / "library")
    made.ingest(docs)
    made.link("amendment.md", "Contract MSA-1", label="supersedes", reverse_label="superseded by", reason="renegotiated")
    made.remember("Anna says the harbour pays late fees in oysters.", about="Contract MSA-1", by="Anna", at=SAID)
    made.remember("Ring the walrus.", kind="turn", at=SAID)
    made.pin("amendment.md")
    return made


def history(lib: Library) -> tuple[object, ...]:
    """All that can't be made again from the files."""
    reader = lib._reader()
    documents = reader.documents.values()
    return (
        {d.source_document.rpartition("/")[2]: (d.document_id, d.entity_id, d.remembered_at) for d in documents},
        {d.document_id: (reader.rows.text(d.document_id).text, d.authored_by) for d in documents if d.format == "note"},
        reader.rows.entities(),
        reader.rows.links(),
        reader.book.templates,
        {c.chunk_id: (c.kind, c.authored_by, c.remembered_at) for c in lib.chunks(kinds=("note", "turn"))},
    )


def wrong(checks: list[Check]) -> dict[str, list[str]]:
    return {c.name: c.problems for c in checks if not c.passed}


def files_of(folder: Path) -> dict[str, int]:
    """What chunks and words are made of, by path: the inode of each file."""
    tables = {
        f: f.stat().st_ino for f in sorted((folder / "rows").rglob("*")) if f.is_file() and "chunks.lance/data" in f.as_posix()
    }
    words = {f: f.stat().st_ino for f in sorted((folder / "keyword").rglob("*")) if f.suffix in (".store", ".term", ".idx", ".pos")}
    newest = max((f.parent.name for f in words), key=int, default="")
    return {f.name: inode for f, inode in tables.items()} | {f.name: i for f, i in words.items() if f.parent.name == newest}


# Notes


def test_a_note_is_found_and_says_whose_word_it_is_and_what_it_is_about(lib):
    hit = lib.search("oysters", mode="keyword")[0]
    assert (hit.kind, hit.origin, hit.authored_by, hit.remembered_at) == ("note", "authored", "Anna", SAID)
    assert (hit.source_label, hit.source_entity_type) == ("Contract MSA-1", "Contract")
    assert hit.citation() == "Contract MSA-1, Note by Anna, 2025-03-20"
    assert [k.relationship for k in hit.links] == ["superseded by"]
    assert lib.text(hit.source_document)[hit.source_offset :] == hit.content
    derived = lib.search("accrue", mode="keyword")[0]
    assert (derived.kind, derived.origin, derived.authored_by) == ("section", "derived", None)


def test_a_note_about_nothing_is_its_own_record(lib):
    hit = lib.search("walrus", mode="keyword")[0]
    assert (hit.kind, hit.source_entity_id, hit.source_entity_type) == ("turn", hit.document_id, "Note")
    assert hit.citation() == "Turn of 2025-03-20"


def test_a_note_is_cited_exported_and_can_be_purged(lib, tmp_path):
    found = lib.cite("the harbour pays late fees in oysters")
    assert found.status == "exact"
    for to in ("html", "md", "json", "csv", "w3c"):
        assert lib.export(found.places, to=to, out=tmp_path / "out")
    [bundle] = lib.export(found.places, to="jsonl", out=tmp_path / "out")
    assert [v.status for v in lib.verify(bundle).verdicts] == ["no source"]
    with pytest.raises(Exception, match="none of the quotes is of a PDF"):
        lib.export(found.places, to="pdf", out=tmp_path / "out")
    lib.purge(found.places[0].source_document)
    assert lib.cite("the harbour pays late fees in oysters").status != "exact"


def test_chunks_are_those_of_files_unless_others_are_asked_for(lib):
    assert {c.kind for c in lib.chunks()} == {"section"}
    assert {c.kind for c in lib.chunks(kinds=("note", "turn", "property"))} == {"note", "turn", "property"}


@pytest.mark.parametrize("text", ["", "  \n", "a\x00b", "\ud800"])
def test_what_cannot_be_kept_is_refused(lib, text):
    with pytest.raises(UsageError):
        lib.remember(text)


def test_remembering_about_something_unknown_keeps_nothing(lib):
    before = len(lib.documents())
    with pytest.raises(NotFound):
        lib.remember("x", about="Contract MSA-2")
    assert len(lib.documents()) == before


def test_remembering_makes_a_library(tmp_path):
    lib = library(tmp_path / "new")
    lib.remember("Terns nest on gravel.", by="Ada")
    assert lib.search("terns", mode="keyword")[0].authored_by == "Ada"
    assert wrong(lib.doctor(deep=True)) == {}


def test_no_ingest_and_no_prune_takes_a_note(lib, docs):
    (docs / "terns.txt").unlink()
    report = lib.ingest(docs, prune=True)
    assert report.counts["removed"] == 1
    assert len([d for d in lib.documents() if d.root == NOTES_ROOT]) == 2


# Properties


def test_searchable_front_matter_is_a_chunk_of_its_own(lib):
    hit = lib.search("harbour master", mode="keyword", kinds=("property",))[0]
    assert (hit.content, hit.kind, hit.origin, hit.authored_by) == ("owner: Harbour Master", "property", "derived", None)
    assert hit.citation() == "Contract MSA-1"
    assert not lib.search("harbour master", mode="keyword", kinds=("section",))


def test_properties_are_no_quotes(lib, tmp_path):
    hits = lib.search("harbour master", mode="keyword", kinds=("property",))
    with pytest.raises(Exception, match="properties are no places in a text"):
        lib.export(hits, to="md", out=tmp_path / "out")


def test_what_is_searchable_from_now_on_is_read_again_though_no_file_has_changed(lib, docs):
    (docs / "pincite.toml").write_text('searchable = ["type"]' + SETTINGS, encoding="utf-8")
    report = lib.ingest(docs)
    assert {f.path: f.change for f in report.files if f.status == "ok"} == {
        "agreement.md": "updated",
        "amendment.md": "unchanged",
        "terns.txt": "unchanged",
    }
    assert [c.content for c in lib.chunks("agreement.md", kinds=("property",))] == [
        "number: MSA-1",
        "owner: Harbour Master",
        "type: Contract",
    ]
    assert wrong(lib.doctor(deep=True)) == {}
    assert lib.ingest(docs).counts["unchanged"] == 3


# Labels and groups


def test_a_rename_is_told_by_the_next_search_and_writes_no_chunk_and_no_posting(lib, tmp_path):
    folder = tmp_path / "library"
    embedder = CountingEmbedder()
    other = library(folder, embedder)
    before, tables = files_of(folder), LibraryStore.open(folder).reader().manifest.tables
    assert before
    lib.set_properties("Contract MSA-1", {"number": "MSA-9"})
    hit = other.search("accrue", mode="keyword")[0]
    assert (hit.source_label, hit.citation()) == ("Contract MSA-9", "Contract MSA-9, § Fees, line 10")
    after = LibraryStore.open(folder).reader().manifest.tables
    assert {name for name in tables if after[name] != tables[name]} == {"entities"}
    assert files_of(folder) == before
    assert embedder.read == []
    lib.set_label_template("Contract", "No. {number}")
    assert other.cite("Late fees accrue").places[0].source_label == "No. MSA-9"
    lib.set_properties("No. MSA-9", {"number": None})
    assert other.entity("agreement.md").label == "No. MSA-1"


def test_several_files_are_one_record_that_outlives_reading_again(lib, docs):
    lib.ingest(docs / "agreement.md", entity="MSA")
    lib.ingest(docs / "amendment.md", entity="MSA")
    [group] = [e for e in lib.entities() if e.name == "MSA"]
    assert group.documents == ("docs:agreement.md", "docs:amendment.md")
    assert (group.type, group.label) == ("Contract", "Contract MSA-1")
    (docs / "amendment.md").write_text("# Amendment\n\nThe rate is nought.\n", encoding="utf-8")
    lib.ingest(docs, reparse=True)
    hit = lib.search("nought", mode="keyword")[0]
    assert (hit.source_entity_id, hit.citation()) == (group.entity_id, "Contract MSA-1, Amendment, § Amendment, line 3")
    lib.ingest(docs, entity="")
    assert [e.documents for e in lib.entities() if e.name == "MSA"] == [()]


def test_settings_that_make_no_sense_stop_an_ingest_before_it_does_anything(lib, docs):
    before = lib.status().index_generation
    (docs / "pincite.toml").write_text("nonsense", encoding="utf-8")
    with pytest.raises(UsageError, match=r"pincite\.toml"):
        lib.ingest(docs)
    assert lib.status().index_generation == before


# Links


def test_ends_are_named_by_id_label_path_or_name_and_what_fits_two_is_refused(lib, docs):
    agreement, amendment = lib.entity("agreement.md"), lib.entity("docs:amendment.md")
    assert lib.entity(agreement.entity_id) == lib.entity("Contract MSA-1") == agreement
    (docs / "other").mkdir()
    (docs / "other" / "second.md").write_text("# Amendment\n\nAnother.\n", encoding="utf-8")
    lib.ingest(docs)
    with pytest.raises(UsageError, match="2 records are called “Amendment”") as error:
        lib.link("Amendment", "agreement.md", label="changes")
    assert amendment.entity_id in error.value.next_step
    with pytest.raises(UsageError, match="one record"):
        lib.link("agreement.md", "Contract MSA-1", label="is")


def test_the_same_link_again_replaces_its_words_and_can_be_taken_back_from_either_end(lib):
    [first] = lib._reader().rows.links()
    again = lib.link("amendment.md", "agreement.md", label="supersedes", reason="another", weight=0.5)
    assert (again.link_id, again.created_at) == (first.link_id, first.created_at)
    assert [k.reason for k in lib.entity("agreement.md").links] == ["another"]
    with pytest.raises(NotFound):
        lib.unlink("agreement.md", "amendment.md", label="supersedes")
    assert lib.unlink("agreement.md", "amendment.md") == [again]
    assert lib.entity("agreement.md").links == ()


def test_what_documents_refer_to_is_linked_as_soon_as_both_are_there(lib, docs):
    (docs / "amendment.md").write_text("# Amendment\n\nIt changes [the agreement](agreement.md) and [[deed]].\n", encoding="utf-8")
    lib.ingest(docs)
    assert {(k.relationship, k.origin) for k in lib.entity("agreement.md").links} == {
        ("superseded by", "authored"),
        ("linked from", "derived"),
    }
    (docs / "deed.md").write_text("# Deed\n\nA deed.\n", encoding="utf-8")
    lib.ingest(docs)
    [link] = lib.entity("deed.md").links
    assert (link.target_label, link.relationship, link.origin) == ("Amendment", "linked from", "derived")
    before = lib._reader().rows.links()
    lib.ingest(docs, reparse=True)
    assert lib._reader().rows.links() == before
    with pytest.raises(NotFound, match="no link was stated"):
        lib.unlink("amendment.md", "deed.md")
    (docs / "amendment.md").write_text("# Amendment\n\nIt changes nothing.\n", encoding="utf-8")
    lib.ingest(docs)
    assert lib.entity("deed.md").links == ()
    assert [k.origin for k in lib.entity("agreement.md").links] == ["authored"]


def test_a_document_takes_its_links_notes_and_pin_into_its_group(lib, docs):
    lib.set_properties("amendment.md", {"colour": "green"})
    lib.remember("Signed in oyster ink.", about="amendment.md")
    lib.ingest([docs / "amendment.md", docs / "terns.txt"], entity="Papers")
    group = lib.entity("Papers")
    assert (len(group.documents), len(group.notes), bool(group.pinned_at), group.properties["colour"]) == (2, 1, True, "green")
    assert [k.relationship for k in group.links] == ["supersedes"]
    assert lib.search("oyster ink", mode="keyword")[0].source_label == "Papers"


def test_a_link_goes_with_the_document_at_its_end_and_a_pin_too(lib):
    lib.remove("amendment.md")
    assert lib._reader().rows.links() == []
    assert [e.label for e in lib.entities() if e.pinned_at] == []


def test_of_two_equal_memories_the_later_can_be_preferred(tmp_path):
    lib = library(tmp_path / "new")
    for day in (3, 1, 2):
        lib.remember("Terns nest on gravel.", at=datetime(2025, 1, day, tzinfo=UTC))
    found = lib.search("terns", mode="keyword", newest_first=True)
    assert [h.remembered_at.day for h in found if h.remembered_at] == [3, 2, 1]
    assert len({h.score for h in found}) == 1


# What happens to a library


def test_reading_again_moving_and_rebuilding_keep_all_that_cannot_be_made_again(lib, docs, tmp_path):
    before = history(lib)
    lib.ingest(docs, reparse=True)
    assert history(lib) == before
    (docs / "sub").mkdir()
    (docs / "agreement.md").rename(docs / "sub" / "agreement.md")
    assert lib.ingest(docs, prune=True).counts["moved"] == 1
    assert history(lib) == before
    lib.rebuild()
    assert history(lib) == before
    assert wrong(lib.doctor(deep=True)) == {}
    embedder = CountingEmbedder()
    library(tmp_path / "library", embedder).rebuild()
    assert embedder.read == []  # what was embedded before, notes and properties too, is not embedded again


def test_a_purge_leaves_nothing_of_the_document_and_the_rest_as_it_was(lib):
    amendment = lib.entity("amendment.md")
    lib.purge("amendment.md")
    assert amendment.entity_id not in {e.entity_id for e in lib.entities()}
    assert lib.entity("Contract MSA-1").notes
    assert lib.search("oysters", mode="keyword")[0].authored_by == "Anna"
    assert wrong(lib.doctor(deep=True)) == {}


def test_fields_that_match_alike_stand_in_their_order_whatever_the_ids_are(docs, tmp_path):
    for n in range(4):  # document ids are random
        made = library(tmp_path / f"library-{n}")
        made.ingest(docs)
        found = [h.quote for h in made.search("late fees oysters walrus", mode="keyword", top_k=20) if h.kind == "property"]
        assert found == ["number: MSA-1", "owner: Harbour Master"]


# Backup


def told(lib: Library) -> tuple[object, ...]:
    """What a backup must bring back: all but the ids of documents."""
    reader = lib._reader()
    notes = [d for d in lib.documents() if d.format == "note"]
    return (
        sorted((d.document_id, d.entity_id, d.source_document, d.title, d.remembered_at) for d in notes),
        reader.rows.entities(),
        reader.rows.links(),
        reader.book.templates,
        [
            (h.quote, h.source_label, h.kind, h.authored_by)
            for h in lib.search("late fees oysters walrus", mode="keyword", top_k=20)
        ],
    )


def test_a_backup_brings_a_library_that_was_made_anew_to_what_it_was_and_twice_is_once(lib, docs, tmp_path):
    lib.ingest([docs / "terns.txt"], entity="Birds")
    lib.set_properties("Contract MSA-1", {"colour": "green"})
    lib.link("terns.txt", "agreement.md", label="disturb", weight=0.2)
    saved = json.loads(json.dumps(lib.backup()))
    before = told(lib)
    other = library(tmp_path / "other")
    other.ingest(docs)
    report = other.restore(saved)
    assert (report.notes, report.links, report.left_out) == (2, 2, 0)
    kept = {e.entity_id for e in lib.entities() if e.links or e.pinned_at or e.name or e.notes}
    assert kept <= {e.entity_id for e in other.entities()}
    assert told(other) == before
    generation = other.status().index_generation
    again = other.restore(saved)
    assert (again.notes, again.links) == (0, 0)
    assert other.status().index_generation == generation
    assert wrong(other.doctor(deep=True)) == {}
    assert json.loads(json.dumps(other.backup())) == saved


def test_what_is_in_the_library_already_stays_when_a_backup_is_merged_into_it(lib, docs, tmp_path):
    other = library(tmp_path / "other")
    other.ingest(docs)
    other.set_properties("Contract MSA-1", {"number": "MSA-9"})
    own = other.entity("agreement.md").entity_id
    other.restore(lib.backup())
    assert other.entity("agreement.md").label == "Contract MSA-9"
    assert other.entity("agreement.md").entity_id == own
    assert [k.relationship for k in other.entity(own).links] == ["superseded by"]


def test_links_to_documents_that_are_not_there_are_left_out_and_counted(lib, tmp_path):
    other = library(tmp_path / "other")
    report = other.restore(lib.backup())
    assert (report.notes, report.links, report.left_out) == (2, 0, 1)
    assert other.search("oysters", mode="keyword")[0].authored_by == "Anna"


@pytest.mark.parametrize(
    "raw",
    [None, [], {}, {"format": "pincite-backup", "version": 2}, {"format": "pincite-backup", "version": 1, "entities": [1]}],
)
def test_what_is_no_backup_is_refused_and_changes_nothing(lib, raw):
    before = history(lib)
    with pytest.raises(UsageError):
        lib.restore(raw)
    assert history(lib) == before


# Walls


def test_behind_a_wall_nothing_can_be_written_and_nothing_outside_is_told(lib, docs, tmp_path):
    lib.ingest(docs / "terns.txt", namespace="birds")
    lib.link("terns.txt", "agreement.md", label="disturb")
    walled = Library(LibraryStore(tmp_path / "library"), embedder=CountingEmbedder(), counter=lib._counter, readable={"birds"})
    assert [d.source_document for d in walled.documents()] == ["terns.txt"]
    hits = walled.search("terns late fees oysters", top_k=20)
    assert [(h.source_document, h.links, h.links_elided) for h in hits] == [("terns.txt", (), 0)]
    assert walled.cite("Late fees accrue at two per cent a month").status == "missing"
    assert (walled.status().documents, walled.status().chunks) == (1, 1)
    assert (walled.digest().records, walled.backup()["links"], walled.label_templates()) == (1, [], {})
    reads = (
        lambda: walled.text("agreement.md"),
        lambda: walled.entity("Contract MSA-1"),
        lambda: list(walled.chunks("agreement.md")),
    )
    for call in reads:
        with pytest.raises(NotFound):
            call()
    hit = lib.search("accrue", mode="keyword")[0]
    with pytest.raises(Exception, match="is no longer in the library"):
        walled.export([hit], to="md", out=tmp_path / "out")
    [bundle] = lib.export([hit], to="json", out=tmp_path / "bundle")
    assert [v.status for v in lib.verify(bundle).verdicts] == ["verified"]
    assert [v.status for v in walled.verify(bundle).verdicts] == ["no source"]
    writes = (
        lambda: walled.ingest(docs), lambda: walled.ingest(docs, dry_run=True), lambda: walled.remember("x"), walled.rebuild,
        lambda: walled.remove("*"), lambda: walled.purge("*"), walled.doctor, lambda: walled.pin("terns.txt"),
        lambda: walled.link("terns.txt", "agreement.md", label="x"), lambda: walled.restore({}),
    )  # fmt: skip
    for call in writes:
        with pytest.raises(UsageError, match="for reading only"):
            call()


def test_a_wall_is_a_set_of_names_not_of_letters(tmp_path):
    with pytest.raises(UsageError, match="not one text"):
        Library.open(tmp_path / "new", create=True, readable="legal")


KILLED = """
import os, sys
from pathlib import Path
sys.path[:0] = [{here!r}, str(Path({here!r}).parent)]
from conftest import WordCounter
from index.memory import HashingEmbedder
from index.store import LibraryStore
from pincite.library import Library
library, step, what = sys.argv[1:]
def at(name):
    if name == step:
        os.kill(os.getpid(), 9)
lib = Library(LibraryStore(Path(library), on_step=at), embedder=HashingEmbedder(), counter=WordCounter())
if what == "remember":
    lib.remember("A note that is killed.", about="agreement.md")
elif what == "link":
    lib.link("terns.txt", "agreement.md", label="disturbs")
elif what == "rename":
    lib.set_properties("agreement.md", {{"number": "killed"}})
else:
    lib.rebuild()
"""


@pytest.mark.parametrize("what", ["remember", "link", "rename", "rebuild"])
@pytest.mark.parametrize("step", ["rows committed", "words committed", "words in place", "committed"])
def test_a_writer_that_is_killed_leaves_records_notes_and_links_as_they_were_or_as_they_should_be(lib, tmp_path, what, step):
    before = history(lib)
    done = subprocess.run([sys.executable, "-c", KILLED.format(here=str(HERE)), str(tmp_path / "library"), step, what], check=False)
    assert done.returncode == -signal.SIGKILL
    if step != "committed" or what == "rebuild":
        assert history(lib) == before
    assert history(lib)[1].items() >= before[1].items()
    again = lib.remember("And on it goes.")
    assert wrong(lib.doctor(deep=True)) == {}
    lib.remove(again.source_document)
    if step != "committed" or what == "rebuild":
        assert history(lib) == before
