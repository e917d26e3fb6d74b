import hashlib
import json
import re

import pytest

from ingest.errors import UnreadableSource, UsageError
from query.cite import cite
from query.claims import read_claims
from query.export.job import ExportJob
from query.export.recording import records_of
from query.export.table import export
from query.export.web_annotations import ANNOTATION_CONTEXT, OWN_TERMS
from query.schema import schema


@pytest.fixture
def made(tmp_path, library, doc):
    source = tmp_path / "source"
    source.write_text("x")
    name = "a b/100% déjà#?.md"
    sentences = ["The fee is nine.", "The fee is ten 😀."]
    reader = library(doc(path=name, sha256=hashlib.sha256(b"x").hexdigest(), sections=[((), sentences)]))
    places = cite(reader, "The fee is").places

    def write(to):
        [path] = export(reader, places, to=to, out=tmp_path / "out", resolve=lambda *_: source)
        return path

    write.records = records_of(ExportJob(reader=reader, quotes=places, sources={}, out=tmp_path, overwrite=False))
    return write


def keys_and_types(value):
    if isinstance(value, list):
        for item in value:
            yield from keys_and_types(item)
    elif isinstance(value, dict):
        yield from value
        yield from (v for k, v in value.items() if k in ("type", "motivation", "purpose"))
        for name, item in value.items():
            if name not in ("@context", "pincite:boxes"):  # a JSON literal has no terms in it
                yield from keys_and_types(item)


def test_every_term_is_in_the_context_that_is_shipped_or_in_the_one_written_along(made):
    collection = json.loads(made("w3c").read_bytes())
    assert collection.pop("@context") == [ANNOTATION_CONTEXT, OWN_TERMS]
    own = {term for term in keys_and_types(collection) if term.startswith("pincite:")}
    assert set(keys_and_types(collection)) - own <= schema("w3c-context")["@context"].keys()
    assert "pincite" in OWN_TERMS


def test_the_collection_fits_its_schema_and_a_damaged_one_does_not(made):
    jsonschema = pytest.importorskip("jsonschema")
    rules = schema("w3c")
    jsonschema.Draft202012Validator.check_schema(rules)
    collection = json.loads(made("w3c").read_bytes())
    jsonschema.validate(collection, rules)
    for damage in ({"type": "Collection"}, {"total": -1}, {"first": {**collection["first"], "items": []}}, {"extra": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**collection, **damage}, rules)


def test_a_processor_of_linked_data_reads_what_was_meant(made):
    """Expanded offline with the shipped context: every type and selector is one of the Web Annotation Vocabulary."""
    jsonld = pytest.importorskip("pyld").jsonld
    context = {"contextUrl": None, "documentUrl": ANNOTATION_CONTEXT, "document": schema("w3c-context")}
    collection = json.loads(made("w3c").read_bytes())
    [expanded] = jsonld.expand(collection, {"documentLoader": lambda url, options: {ANNOTATION_CONTEXT: context}[url]})
    oa, activity = "http://www.w3.org/ns/oa#", "http://www.w3.org/ns/activitystreams#"
    assert expanded["@type"] == [f"{activity}OrderedCollection"]
    [page] = expanded[f"{activity}first"]
    [items] = [item["@list"] for item in page[f"{activity}items"]]
    assert [item["@type"] for item in items] == [[f"{oa}Annotation"]] * len(made.records)
    for item, record in zip(items, made.records, strict=True):
        assert item[f"{oa}motivatedBy"] == [{"@id": f"{oa}highlighting"}]
        [target] = item[f"{oa}hasTarget"]
        quote, position = target[f"{oa}hasSelector"][:2]
        assert quote["@type"] == [f"{oa}TextQuoteSelector"]
        assert quote[f"{oa}exact"] == [{"@value": record.quote}]
        assert position[f"{oa}start"] == [{"@value": record.offset}]
        [source] = target[f"{oa}hasSource"]
        assert source["urn:pincite:terms:sha256"] == [{"@value": record.source_sha256}]
        assert source["urn:pincite:terms:boxes"][0]["@type"] == "@json"


def test_an_annotation_has_what_the_model_demands(made):
    """https://www.w3.org/TR/annotation-model/, sections 3.1 and 4.2."""
    collection = json.loads(made("w3c").read_bytes())
    assert (collection["type"], collection["total"]) == ("AnnotationCollection", 2)
    for item in collection["first"]["items"]:
        assert re.fullmatch(r"urn:pincite:pincite-[0-9a-f]{16}-\d+-\d+", item["id"])
        assert (item["type"], item["target"]["type"]) == ("Annotation", "SpecificResource")
        assert re.fullmatch(r"[\w/%.~-]+", item["target"]["source"]["id"], re.ASCII)
        quote, position = item["target"]["selector"][:2]
        assert position["end"] - position["start"] == len(quote["exact"])


@pytest.mark.parametrize("to", ["json", "jsonl", "w3c"])
def test_what_is_written_is_read_back_as_it_was(made, to):
    names = ("id", "query", "quote", "prefix", "suffix", "offset", "source_document", "root", "source_sha256")
    claims, records = read_claims(made(to)), made.records
    assert [[getattr(c, n) for n in names] for c in claims] == [[getattr(r, n) for n in names] for r in records]


def test_an_annotation_of_another_program_is_taken(tmp_path):
    path = tmp_path / "theirs.json"
    selector = {
        "type": "FragmentSelector",
        "value": "page=12&zoom=50",
        "refinedBy": {"type": "TextQuoteSelector", "exact": "the fee", "prefix": "that "},
    }
    target = {"source": "https://example.org/files/Fee%20list.pdf", "selector": selector}
    path.write_text(json.dumps({"@context": "x", "type": "Annotation", "target": target}))
    [claim] = read_claims(path)
    assert (claim.quote, claim.prefix, claim.source_document, claim.page_from) == ("the fee", "that ", "Fee list.pdf", 12)
    assert (claim.offset, claim.source_sha256) == (None, None)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"quotes": []}', '[{"quote": ""}]', '{"target": "x"}', '{"a": 1}', "[" * 100_000, "plain words"]
)
def test_what_is_no_bundle_is_said_to_be_none(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(UsageError):
        read_claims(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    for name in ("x", "nothing"):
        with pytest.raises(UnreadableSource, match=name):
            read_claims(tmp_path / name)
