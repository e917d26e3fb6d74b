"""Quotations and bundles from anybody: long, full of signs; of wrong types, and pointing where they shouldn't."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import PinciteError, UsageError
from query.cite import cite
from query.claims import read_claims
from query.export.job import ExportJob
from query.export.recording import records_of
from query.export.web_annotations import annotation
from query.saved import saved_quotes
from query.verify import STATUSES, verify
from query.verify_sources import Sources

TEXT = "# Rules\n\nThe harbour master records every arrival.\n\nA vessel needs two tugs.\n"
SIZE = 100_000
LONG = {
    "one word": "a" * SIZE,
    "spaces": f"a{' ' * SIZE}b",
    "brackets": f"{'[' * SIZE}x{']' * SIZE}",
    "bracketed words": "[a] " * SIZE,
    "ellipses": "… " * SIZE,
    "dots": ". . . " * SIZE,
    "marks on one letter": "a" + "\u0301\u0323" * SIZE,
    "hyphens": f"{'a-' * SIZE}b",
    "line ends in words": "ab-\n" * SIZE,
    "soft hyphens": "a\u00ad" * SIZE,
    "one Chinese character": "港" * SIZE,
    "one Thai letter": "ก" * SIZE,
    "quotation marks": '"' * SIZE,
    "many words": " ".join(f"w{n}" for n in range(SIZE // 10)),
}
SIGNS = [
    "?!…",
    "\x00\x01\x1b[31m",
    "\u202eevil\u202c",
    "(a+)+$ [^x]* \\d{1,9}",
    "a \ud800 b",
    "<script>alert(1)</script>",
    "=1+1",
    "' OR 1=1 --",
]


@pytest.mark.parametrize("quote", LONG.values(), ids=LONG)
def test_a_quotation_of_any_length_has_an_answer(library, quote):
    match = cite(library(), quote)
    assert not match.found
    assert len(match.places) <= 10


@pytest.mark.parametrize("quote", SIGNS)
def test_signs_are_looked_for_as_they_are(library, doc, quote):
    assert not cite(library(), quote).found
    here = library(doc(path="a.md", silent=(), sections=[((), [f"Before {quote} after."])]))
    assert cite(here, f"Before {quote} after.").status == "exact"


@pytest.fixture(scope="module")
def shelf(library, doc, tmp_path_factory):
    """A folder with the file of a library, and a bundle and an annotation of it as JSON values."""
    folder = tmp_path_factory.mktemp("shelf")
    (folder / "rules.md").write_text(TEXT, encoding="utf-8")
    digest = hashlib.sha256(TEXT.encode()).hexdigest()
    reader = library(doc(path="rules.md", sha256=digest, sections=[(("Rules",), TEXT.splitlines()[2::2])]))
    places = cite(reader, "records every arrival").places
    [record] = records_of(ExportJob(reader=reader, quotes=places, sources={}, out=folder, overwrite=False))
    return folder, reader, record.to_dict(), annotation(record)


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["../../etc/passwd", "/etc/passwd", "C:\\x", "rules.md", "a\0b", "x" * 5000, "http://[", "file:///etc/passwd"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.sampled_from(["type", "exact"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def spots(value, path=()):
    """Every place in a JSON value, as a path of keys."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from spots(item, (*path, key))


def replaced(value, path, other):
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), odd=ODD, form=st.sampled_from(["record", "annotation", "bundle", "hits", "lines"]))
def test_a_bundle_with_anything_in_it_is_judged_or_refused_and_opens_nothing_else(shelf, tmp_path, data, odd, form):
    folder, reader, record, made = shelf
    value = {"annotation": made, "bundle": {"quotes": [record]}, "hits": {"hits": [hit_of(record)]}}.get(form, record)
    value = replaced(value, data.draw(st.sampled_from(list(spots(value)))), odd)
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(value) if form != "lines" else f"{json.dumps(record)}\n{json.dumps(value)}\n", encoding="utf-8")
    try:
        claims = read_claims(path)
    except UsageError:
        return
    report = verify(claims, Sources(root=folder))
    assert {v.status for v in report.verdicts} <= set(STATUSES)
    assert {p.source_document for v in report.verdicts for p in v.places} <= {"rules.md"}
    json.dumps(report.to_dict(), allow_nan=False)
    try:
        saved = saved_quotes(reader, claims)
    except PinciteError:
        return
    text = reader.rows.text(next(iter(reader.documents))).text
    assert all(text[p.offset : p.offset + p.length] == p.quote for p in saved.places)


def hit_of(record):
    names = ("id", "root", "source_document", "source_sha256", "query")
    return {name: record[name] for name in names} | {
        "content": f"The {record['quote']}.", "match_offset": 4, "match_length": record["length"], "match_mode": "keyword",
        "source_offset": record["offset"] - 4, "match_page_from": None, "kind": "section",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ['{"quote": "a", "offset": NaN}', '{"quote": "a", "offset": 1e999}', '[{"quote": "a"}, 7]', '{"quote": 7}']
)
def test_numbers_that_are_none_are_no_places(shelf, tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    try:
        [claim] = read_claims(path)
    except UsageError:
        return
    assert claim.offset is None
