"""Labels: templates that know properties and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.entities import Entity, EntityRecord, RecordBook
from index.label_templates import MAX_CHARACTERS, check_template, render
from ingest.errors import UsageError
from query.labels import cited_title, label_of

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


def entity(type_: str = "Contract", title: str = "Agreement", **properties: str) -> Entity:
    return Entity(entity_id="e", type=type_, namespace=None, name=None, title=title, properties=properties, documents=(), notes=())


def test_a_template_is_filled_with_the_properties_as_they_are():
    assert label_of(entity(number="MSA-1"), {"Contract": "Contract {number}"}) == "Contract MSA-1"


def test_double_braces_are_braces():
    assert render("{{{number}}} {{x}}", {"number": "7"}) == "{7} {x}"


@pytest.mark.parametrize("properties", [{}, {"number": ""}, {"number": "  \n"}])
def test_a_missing_property_falls_back_to_the_title(properties):
    assert label_of(entity(**properties), {"Contract": "Contract {number}"}) == "Agreement"


def test_a_type_without_a_template_is_called_by_its_title():
    assert label_of(entity("Note", title="On\nfees"), {"Contract": "Contract {number}"}) == "On fees"


@pytest.mark.parametrize(
    "template", ["{number.__class__}", "{number[0]}", "{number!r}", "{number:>9999999}", "{0}", "{__import__('os')}"]
)
def test_what_would_be_code_in_python_is_the_name_of_a_property_that_nobody_has(template):
    check_template(template)
    assert render(template, {"number": "7"}) is None


def test_a_value_is_never_a_template_again():
    assert render("{a}", {"a": "{b}", "b": "secret"}) == "{b}"


@pytest.mark.parametrize("template", ["", "  ", "{", "a } b", "{}", "{ }", "{a{b}}"])
def test_a_template_that_cannot_be_filled_is_refused(template):
    with pytest.raises(UsageError):
        check_template(template)


@given(st.text(max_size=60), st.dictionaries(st.text(max_size=8), st.text(max_size=2 * MAX_CHARACTERS), max_size=4))
def test_whatever_the_template_a_label_is_one_short_line_or_none(template, properties):
    label = render(template, properties)
    assert label is None or (0 < len(label) <= MAX_CHARACTERS and len(label.splitlines()) == 1)


def test_a_group_of_several_files_is_cited_by_its_label_and_the_title_of_the_file(library, doc):
    reader = library(
        doc(path="a.md", title="Agreement", sections=[((), ["A."])]), doc(path="b.md", title="Amendment", sections=[((), ["B."])])
    )
    first, second = reader.documents.values()
    group = EntityRecord(entity_id=first.entity_id, name="MSA", type="Contract", namespace=None, created_at=WHEN)
    alone = RecordBook(reader.documents, [group], (), {"Contract": "Contract {name}"})
    assert cited_title(alone, first) == "MSA"
    together = {d.document_id: replace(d, entity_id=first.entity_id) for d in (first, second)}
    book = RecordBook(together, [group])
    assert [cited_title(book, d) for d in together.values()] == ["MSA, Agreement", "MSA, Amendment"]
