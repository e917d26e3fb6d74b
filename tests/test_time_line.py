"""A subtitle file on its whole way: search, cite, export, verify, with the times of the words."""

from __future__ import annotations

import csv
import io
import json

import pytest

from index.memory import HashingEmbedder
from index.pipeline import IngestOptions, ingest
from query.cite import cite
from query.export.job import ExportJob
from query.export.table import EXPORTERS
from query.requests import SearchRequest
from query.search import search
from query.verify_sources import Sources

TALK = """\
WEBVTT

00:00:58.000 --> 00:01:02.500
<v Ann>The harbour fee was raised in spring, and the late

00:01:02.500 --> 00:01:06.000
<v Ann>payment fee is one per cent a month.

01:00:00.000 --> 01:00:04.000
<v Ben>Whales were seen off the pier.
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "talk.vtt").write_text(TALK, encoding="utf-8")
    return tmp_path / "docs"


@pytest.fixture
def reader(folder, writer, counter):
    report = ingest(writer.reader, writer, HashingEmbedder(), counter, [folder], IngestOptions(jobs=1))
    assert [(f.path, f.status) for f in report.files] == [("talk.vtt", "ok")]
    return writer.reader


def test_a_hit_says_from_when_to_when_its_sentence_is_spoken(reader):
    hit = search(reader, HashingEmbedder(), SearchRequest(query="late payment fee"))[0]
    assert hit.quote_text == "The harbour fee was raised in spring, and the late payment fee is one per cent a month."
    assert (hit.locator.kind, hit.locator.start, hit.locator.end) == ("time", 58.0, 66.0)
    assert (hit.page_from, hit.line_from, hit.line_to) == (None, 3, 7)
    assert hit.citation() == "talk, at 00:00:58"
    assert hit.to_dict()["locator"] == {"kind": "time", "from": 58.0, "to": 66.0}
    doc = hit.as_shape("retrieval")["doc"]
    assert (doc["timecode_start"], doc["timecode_end"], doc["line_number"]) == (58.0, 66.0, 3)


def test_words_that_run_on_over_two_cues_are_found_and_cited(reader):
    found = cite(reader, "and the late payment fee is one per cent")
    [place] = found.places
    assert found.found
    assert (place.locator.kind, place.locator.start, place.locator.end) == ("time", 58.0, 66.0)
    assert place.citation() == "talk, at 00:00:58"
    assert cite(reader, "Whales were seen").places[0].citation() == "talk, at 01:00:00"


def test_comments_and_time_lines_are_no_words_of_a_search(reader):
    assert not search(reader, HashingEmbedder(), SearchRequest(query="WEBVTT 01:00:04.000", mode="keyword"))


@pytest.fixture
def export(reader, folder, tmp_path):
    def export(to: str) -> str:
        hits = search(reader, HashingEmbedder(), SearchRequest(query="late payment fee", top_k=1)).hits
        sources = {hit.document_id: folder / "talk.vtt" for hit in hits}
        job = ExportJob(reader=reader, quotes=hits, sources=sources, out=tmp_path / "out", overwrite=True)
        job.out.mkdir(exist_ok=True)
        [path] = EXPORTERS[to](job)
        return path.read_text(encoding="utf-8-sig")

    return export


def test_exports_say_when_the_words_are_spoken(export):
    assert "at 00:00:58" in export("html").replace("\u00a0", " ")
    said = "> **The harbour fee was raised in spring\\, and the late payment fee is one per cent a month\\.**"
    assert said in export("md")
    assert "at 00\\:00\\:58" in export("md")
    assert next(csv.DictReader(io.StringIO(export("csv"))))["citation"] == "talk, at 00:00:58"
    [record] = json.loads(export("json"))["quotes"]
    assert (record["format"], record["locator"]) == ("subtitles", {"kind": "time", "from": 58.0, "to": 66.0})
    assert "at 00:00:58" in export("w3c")


def test_a_quote_is_verified_and_found_again_at_its_new_time(export, folder, tmp_path):
    from query.claims import read_claims
    from query.verify import verify

    bundle = tmp_path / "bundle.json"
    bundle.write_text(export("json"), encoding="utf-8")
    assert verify(read_claims(bundle), Sources(root=folder)).summary() == "1 verified"
    later = TALK.replace("WEBVTT\n", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nWelcome.\n")
    (folder / "talk.vtt").write_text(later, encoding="utf-8")
    [verdict] = verify(read_claims(bundle), Sources(root=folder)).verdicts
    assert verdict.status == "moved"
    assert (verdict.places[0].locator.kind, verdict.places[0].locator.start) == ("time", 58.0)
