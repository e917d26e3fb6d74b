"""Bundles as they are written, of Markdown and PDF, verified after the files have been edited: the right status each time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making_pdfs import Drawing

from index.memory import HashingEmbedder
from index.store import LibraryStore
from pincite import Library
from pincite.verifying import verify_bundle

SENTENCES = (
    "The harbour master records every arrival in the log.",
    "A vessel longer than ninety metres needs two tugs.",
    "Interest accrues at 1.5% per month on late payment.",
    "Nobody may anchor inside the fairway after sunset.",
    "The pilot boards two miles west of the breakwater.",
)
FORMS = ("json", "jsonl", "w3c")


@dataclass(frozen=True)
class Edition:
    """What a file has become: paragraphs, its name (None: it is gone), whether it stands under a second name too."""

    paragraphs: tuple[str, ...] = SENTENCES
    name: str | None = "rules"
    copied: bool = False

    def write(self, folder: Path, suffix: str) -> None:
        for old in folder.iterdir():
            old.unlink()
        for name in filter(None, (self.name, "copy" if self.copied else None)):
            write(folder / f"{name}{suffix}", self.paragraphs)


def write(file: Path, paragraphs: tuple[str, ...]) -> None:
    if file.suffix == ".md":
        file.write_text("# Rules\n\n" + "\n\n".join(paragraphs) + "\n", encoding="utf-8")
        return
    drawing = Drawing()
    for n, paragraph in enumerate(paragraphs):
        if n == 3:
            drawing.page()
        drawing.line(paragraph)
        drawing.y += 16
    file.write_bytes(drawing.document.tobytes(no_new_id=True))


def inserted_before(edition, at):
    return replace(edition, paragraphs=("Every berth has a number of its own.", *edition.paragraphs))


def inserted_after(edition, at):
    return replace(edition, paragraphs=(*edition.paragraphs, "Gulls are not fed on the quay."))


def word_changed(edition, at):
    words = SENTENCES[at].split()
    words[2] = "zebra"
    return replace(edition, paragraphs=tuple(" ".join(words) if p == SENTENCES[at] else p for p in edition.paragraphs))


def deleted(edition, at):
    return replace(edition, paragraphs=tuple(p for p in edition.paragraphs if p != SENTENCES[at]))


def duplicated(edition, at):
    """The sentence again, among other words, at the end."""
    again = f"As was said before. {SENTENCES[at]} So it is." if SENTENCES[at] in edition.paragraphs else "Nothing more."
    return replace(edition, paragraphs=(*edition.paragraphs, again))


def renamed(edition, at):
    return replace(edition, name="byelaws" if edition.name else None)


def removed(edition, at):
    return replace(edition, name=None)


def copied(edition, at):
    return replace(edition, copied=True)


EDITS = st.sampled_from([inserted_before, inserted_after, word_changed, deleted, duplicated, renamed, removed, copied])


def expected(edits, at):
    """The status that a careful person would give."""
    edition = Edition()
    for edit in edits:
        edition = edit(edition, at)
    content_is_as_before = edition.paragraphs == SENTENCES
    if edition.name != "rules":
        here = content_is_as_before and (edition.name or edition.copied)
        return edition, "moved" if here else "no source"
    holding = [p for p in edition.paragraphs if SENTENCES[at] in p]
    if len(holding) > 1 and SENTENCES[at] not in holding:
        return edition, "ambiguous"  # the sentence itself is gone, and its repetitions have the same neighbours
    if not holding:
        return edition, "changed" if any("zebra" in p for p in edition.paragraphs) else "missing"
    before = edition.paragraphs[: at + 1] == SENTENCES[: at + 1]
    return edition, "verified" if before else "moved"


@pytest.fixture(scope="module", params=[".md", ".pdf"])
def bundles(request, counter_class, tmp_path_factory):
    """The bundles of a file's sentences in every form, by form; the suffix; a folder to edit in."""
    folder = tmp_path_factory.mktemp("bundles")
    (folder / "files").mkdir()
    write(folder / f"files/rules{request.param}", SENTENCES)
    store = LibraryStore.open(folder / "library", create=True)
    with Library(store, embedder=HashingEmbedder(), counter=counter_class(), create=True) as library:
        assert not library.ingest(folder / "files").failed
        places = [place for match in library.cite_all(SENTENCES) for place in match.places]
        assert [p.quote for p in places] == list(SENTENCES)
        written = {form: library.export(places, to=form, out=folder / "out")[0] for form in FORMS}
    return written, request.param, folder / "files"


@settings(max_examples=30, deadline=None)
@given(edits=st.lists(EDITS, max_size=3), at=st.integers(0, len(SENTENCES) - 1), form=st.sampled_from(FORMS))
def test_the_status_of_a_quote_is_what_became_of_it(bundles, edits, at, form):
    written, suffix, folder = bundles
    edition, status = expected(edits, at)
    edition.write(folder, suffix)
    report = verify_bundle(written[form], root=folder)
    verdict = report.verdicts[at]
    assert (verdict.quote, verdict.status) == (SENTENCES[at], status)
    assert report.ok == all(v.status == "verified" for v in report.verdicts)
    if status in ("verified", "moved"):
        [place] = verdict.places
        assert place.quote == SENTENCES[at]
    if status == "changed":
        assert "zebra" in " ".join(d.source for d in verdict.diff)


@pytest.mark.parametrize("form", FORMS)
def test_another_edition_is_compared_with_each_form(bundles, form, tmp_path):
    written, suffix, _ = bundles
    edition = inserted_before(word_changed(deleted(Edition(), 1), 2), 0)
    write(tmp_path / f"new{suffix}", edition.paragraphs)
    report = verify_bundle(written[form], against=tmp_path / f"new{suffix}")
    assert [v.status for v in report.verdicts] == ["moved", "missing", "changed", "moved", "moved"]
    assert {p.source_document for v in report.verdicts for p in v.places if v.status == "moved"} == {f"new{suffix}"}
