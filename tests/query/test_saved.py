"""Quotes that were saved, in every form that is written, found again in the library; or refused where they stand there no more."""

from __future__ import annotations

import hashlib
import json

import pytest

from ingest.errors import SourceChanged, SourceMissing, UsageError
from query.cite import cite, cite_all
from query.claims import read_claims
from query.export.table import export
from query.requests import SearchRequest
from query.saved import saved_quotes
from query.search import search

SENTENCES = [
    "The harbour master records every arrival.",
    "A vessel longer than ninety metres needs two tugs.",
    "Nobody may anchor.",
]


@pytest.fixture
def shelf(tmp_path, library, doc):
    """A library of two files, the files, and a way to save what is given as text."""

    class Shelf:
        source = tmp_path / "source"
        saved = tmp_path / "saved.json"

        def read(self, text):
            self.saved.write_text(text, encoding="utf-8")
            return saved_quotes(self.reader, read_claims(self.saved))

    shelf = Shelf()
    shelf.source.write_text("x")
    digest = hashlib.sha256(b"x").hexdigest()
    shelf.reader = library(
        doc(path="rules.md", sha256=digest, sections=[(("Rules",), SENTENCES)]),
        doc(path="a b/tide.md", sha256=digest, sections=[(("Tides",), [SENTENCES[0], "Low water is at noon."])]),
    )
    return shelf


def spans(quotes):
    return [(q.document_id, q.offset, q.length, q.quote) for q in quotes]


@pytest.mark.parametrize("lines", [False, True])
def test_the_hits_of_a_search_are_the_same_quotes(shelf, embedder, lines):
    response = search(shelf.reader, embedder, SearchRequest(query="arrival at noon", min_similarity=0.0))
    hits = [json.dumps(hit.to_dict()) for hit in response]
    found = shelf.read("\n".join(hits) if lines else json.dumps(response.to_dict()))
    wanted = [(h.document_id, h.source_offset + h.match.start, len(h.match), h.quote) for h in response]
    assert spans(found.places) == wanted
    assert [p.id for p in found.places] == [h.id for h in response]
    assert {p.query for p in found.places} == {"arrival at noon"}
    assert [p.citation() for p in found.places] == [h.citation() for h in response]


@pytest.mark.parametrize("form", ["match", "matches", "places"])
def test_what_cite_has_found_is_taken_and_what_it_has_not_is_told(shelf, form):
    matches = cite_all(shelf.reader, ["records every arrival", "Nobody may fly"])
    assert [m.found for m in matches] == [True, False]
    text = {
        "match": json.dumps(matches[0].to_dict()),
        "matches": json.dumps([m.to_dict() for m in matches]),
        "places": "\n".join(json.dumps(p.to_dict()) for p in matches[0].places),
    }[form]
    found = shelf.read(text)
    assert spans(found.places) == spans(matches[0].places)
    assert found.unplaced == (("Nobody may fly",) if form == "matches" else ())


@pytest.mark.parametrize("to", ["json", "jsonl", "w3c"])
def test_exports_are_taken_back_with_their_question(shelf, embedder, to, tmp_path):
    response = search(shelf.reader, embedder, SearchRequest(query="two tugs", min_similarity=0.0))
    [path] = export(shelf.reader, response, to=to, out=tmp_path / "out", resolve=lambda *_: shelf.source)
    found = shelf.read(path.read_text(encoding="utf-8"))
    assert [p.id for p in found.places] == [h.id for h in response]
    assert {p.query for p in found.places} == {"two tugs"}
    [again] = export(shelf.reader, found.places, to=to, out=tmp_path / "again", resolve=lambda *_: shelf.source)
    assert (again.name, again.read_bytes()) == (path.name, path.read_bytes())


def changed(shelf, **changes):
    [place] = cite(shelf.reader, "Nobody may anchor").places
    return json.dumps({**place.to_dict(), **changes})


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"source_sha256": "1" * 64}, SourceChanged, "rules.md: is not the file that the quotes were taken from"),
        ({"offset": 3}, SourceChanged, "rules.md: has other words"),
        ({"offset": 10**30}, SourceChanged, "rules.md: has other words"),
        ({"quote": "Nobody may fly"}, SourceChanged, "rules.md: has other words"),
        ({"source_document": "gone.md"}, SourceMissing, "gone.md: is not in the library"),
        ({"source_document": "../rules.md"}, SourceMissing, "is not in the library"),
        ({"quote": ""}, UsageError, "without words"),
    ],
)
def test_a_quote_that_no_longer_stands_there_is_refused_by_name(shelf, changes, error, words):
    with pytest.raises(error, match=words):
        shelf.read(changed(shelf, **changes))


def test_a_root_may_have_another_name_here_if_the_file_is_the_same(shelf):
    assert shelf.read(changed(shelf, root="elsewhere")).places[0].root == "docs"
    with pytest.raises(SourceMissing):
        shelf.read(changed(shelf, root="elsewhere", source_sha256="2" * 64))


def test_a_file_that_has_changed_since_is_refused_at_export(shelf, tmp_path):
    found = shelf.read(changed(shelf))
    shelf.source.write_text("y")
    with pytest.raises(SourceChanged, match=r"rules\.md"):
        export(shelf.reader, found.places, to="md", out=tmp_path / "out", resolve=lambda *_: shelf.source)
    assert not (tmp_path / "out").exists()


def test_a_hit_that_is_no_place_in_a_text_is_left_out_by_name(shelf, embedder):
    [hit, *_] = search(shelf.reader, embedder, SearchRequest(query="two tugs", min_similarity=0.0))
    found = shelf.read(json.dumps({**hit.to_dict(), "kind": "property"}))
    assert (found.places, found.unplaced) == ((), (hit.quote,))
