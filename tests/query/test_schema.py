import json
import subprocess
import sys

import pytest

from ingest.errors import UsageError
from query.cite import cite
from query.export.job import ExportJob
from query.export.recording import records_of
from query.record import bundle_of
from query.requests import SearchRequest
from query.schema import NAMES, schema
from query.search import search
from query.serialise import chunk_object
from query.showing import show

KINDS = {"string": str, "integer": int, "number": int | float, "boolean": bool, "null": type(None), "array": list, "object": dict}


def fits(value, rules, definitions):
    """Whether a value fits a schema, as far as our schemas go."""
    if "$ref" in rules:
        return fits(value, definitions[rules["$ref"].rsplit("/", 1)[1]], definitions)
    if "anyOf" in rules:
        return any(fits(value, rule, definitions) for rule in rules["anyOf"])
    if "enum" in rules:
        return value in rules["enum"]
    kinds = rules["type"] if isinstance(rules["type"], list) else [rules["type"]]
    if not any(isinstance(value, KINDS[kind]) and not (kind == "integer" and isinstance(value, bool)) for kind in kinds):
        return False
    if isinstance(value, list):
        return all(fits(item, rules["items"], definitions) for item in value)
    if isinstance(value, dict):
        return set(value) == set(rules["required"]) == set(rules["properties"]) and all(
            fits(value[name], rule, definitions) for name, rule in rules["properties"].items()
        )
    return True


@pytest.fixture(scope="module")
def examples(library, embedder, tmp_path_factory):
    reader = library()
    quotes = cite(reader, "BLEED").places
    job = ExportJob(reader=reader, quotes=quotes, sources={}, out=tmp_path_factory.mktemp("out"), overwrite=False)
    records = records_of(job)
    responses = [
        search(reader, embedder, SearchRequest(query="notice of late payment", mode=mode, top_k=50, min_similarity=0.0))
        for mode in ("hybrid", "semantic", "keyword")
    ]
    responses.append(search(reader, None, SearchRequest(query="bleed", mode="strict")))
    responses.append(search(reader, None, SearchRequest(query="")))
    matches = [cite(reader, quote) for quote in ("sixty days' notice", "BLEED", "nowhere to be found", "Valve K-7 is not sound.")]
    [place] = cite(reader, "BLEED screw again").places
    shown = [show(reader, place.id), show(reader, "handbook.md"), show(reader, "agreement.pdf", 2)]
    return {
        "shown": [s.to_dict() for s in shown],
        "part": [part for s in shown for part in s.to_dict()["parts"]],
        "response": [r.to_dict() for r in responses],
        "hit": [hit.to_dict() for r in responses for hit in r],
        "candidate": [m.candidate.to_dict() for m in matches if m.candidate],
        "quote-match": [m.to_dict() for m in matches],
        "record": [record.to_dict() for record in records],
        "bundle": [bundle_of(records, reader.generation).to_dict()],
        "place": [p.to_dict() for m in matches for p in m.places],
        "chunk": [chunk_object(c) for document_id in reader.documents for c in reader.rows.chunks(document_id)],
    }


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_fits_its_schema_after_a_round_trip(examples, name):
    rules = schema(name)
    assert examples[name]
    assert all(fits(json.loads(json.dumps(value)), rules, rules.get("$defs", {})) for value in examples[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_validator_of_others_says_the_same(examples, name):
    jsonschema = pytest.importorskip("jsonschema")
    rules = schema(name)
    jsonschema.Draft202012Validator.check_schema(rules)
    validator = jsonschema.Draft202012Validator(rules)
    for value in examples[name]:
        written = json.loads(json.dumps(value))
        validator.validate(written)
        assert not validator.is_valid({k: v for k, v in written.items() if k != next(iter(written))})


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_described(name):
    rules = schema(name)
    objects = [rules, *rules.get("$defs", {}).values()]
    missing = {f for o in objects for f, rule in o["properties"].items() if "description" not in rule}
    assert missing <= {"page", "text", "target_type", "target_id", "target_label", "relationship"}


def test_a_hit_has_every_field_of_the_contract_and_the_internals_of_none():
    fields = set(schema("hit")["properties"])
    assert {
        "content",
        "score",
        "match_offset",
        "also_matched",
        "locator",
        "contributions",
        "source_sha256",
        "schema_version",
    } <= fields
    assert not {"silent", "cited_section"} & fields


def test_a_locator_runs_from_to():
    assert set(schema("hit")["$defs"]["Locator"]["properties"]) == {"kind", "from", "to"}


def test_an_unknown_schema_is_refused_with_the_names_of_the_known():
    with pytest.raises(UsageError, match="quote-match"):
        schema("poem")


def test_the_nouns_of_an_answer_load_no_engine():
    code = "import sys, query.models, query.schema, query.citation, query.export.table; print(*sorted(sys.modules))"
    loaded = set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=".").stdout.split())
    assert not loaded & {"numpy", "torch", "lancedb", "pyarrow", "tantivy", "pymupdf", "sentence_transformers"}
