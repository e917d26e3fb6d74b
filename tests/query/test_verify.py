"""What `verify` says after a file has been edited: the right status each time."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from making_pdfs import Drawing

from ingest.models import Span
from query.claims import Claim
from query.record import AROUND
from query.verify import verify
from query.verify_sources import Sources

SENTENCES = (
    "The harbour master records every arrival in the log.",
    "A vessel longer than ninety metres needs two tugs.",
    "Interest accrues at 1.5% per month on late payment.",
    "Nobody may anchor inside the fairway after sunset.",
    "The pilot boards two miles west of the breakwater.",
    "Each berth has fresh water and shore power at 400 volts.",
    "Dredging stops when the wind exceeds force seven.",
)
TEXT = "# Rules\n\n" + "\n\n".join(SENTENCES) + "\n"
WORDS = st.lists(st.sampled_from("gull rope buoy chart mist quay lamp".split()), min_size=1, max_size=30).map(" ".join)


def claim_of(text, quote, name="rules.md"):
    start = text.index(quote)
    end = start + len(quote)
    return Claim(
        id="q",
        quote=quote,
        source_document=name,
        prefix=text[max(start - AROUND, 0) : start],
        suffix=text[end : end + AROUND],
        offset=start,
        source_sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


@pytest.fixture
def verdict(tmp_path):
    """The verdict on a claim, the files being as given."""

    def of(claim, **files):
        for old in tmp_path.iterdir():
            old.unlink()
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text, encoding="utf-8", newline="")
        [found] = verify([claim], Sources(root=tmp_path)).verdicts
        return found

    return of


quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
quotes = st.sampled_from(SENTENCES)


@quick
@given(quotes)
def test_an_untouched_file_is_verified(verdict, quote):
    assert verdict(claim_of(TEXT, quote), rules_md=TEXT).status == "verified"


@quick
@given(quotes, WORDS)
def test_words_put_in_after_the_quote_leave_it_verified(verdict, quote, words):
    after = TEXT.index(quote) + len(quote)
    assert verdict(claim_of(TEXT, quote), rules_md=f"{TEXT[:after]} {words}{TEXT[after:]}").status == "verified"


@quick
@given(quotes, WORDS, st.booleans())
def test_words_put_in_before_the_quote_move_it(verdict, quote, words, directly):
    at = TEXT.index(quote) if directly else 0
    found = verdict(claim_of(TEXT, quote), rules_md=f"{TEXT[:at]}{words}\n\n{TEXT[at:]}")
    assert found.status == "moved"
    assert found.places[0].offset == TEXT.index(quote) + len(words) + 2
    assert found.places[0].quote == quote


@quick
@given(quotes, st.data())
def test_a_changed_word_is_told_by_a_word_diff(verdict, quote, data):
    words = quote.split()
    n = data.draw(st.integers(0, len(words) - 1))
    edited = " ".join([*words[:n], "zebra", *words[n + 1 :]])
    found = verdict(claim_of(TEXT, quote), rules_md=TEXT.replace(quote, edited))
    assert found.status == "changed"
    assert words[n].strip(".") in " ".join(d.quote for d in found.diff if d.kind == "quote")
    assert 0.67 <= found.similarity < 1


@quick
@given(quotes)
def test_a_deleted_quote_is_missing(verdict, quote):
    assert verdict(claim_of(TEXT, quote), rules_md=TEXT.replace(quote, "")).status == "missing"


@quick
@given(quotes)
def test_a_renamed_file_has_moved(verdict, quote):
    found = verdict(claim_of(TEXT, quote), byelaws_md=TEXT)
    assert (found.status, found.places[0].source_document) == ("moved", "byelaws.md")
    assert "byelaws.md" in found.reason


@quick
@given(quotes)
def test_a_file_in_the_place_of_a_renamed_one_does_not_hide_it(verdict, quote):
    found = verdict(claim_of(TEXT, quote), byelaws_md=TEXT, rules_md="# Other\n\nNothing at all about boats.\n")
    assert (found.status, found.places[0].source_document) == ("moved", "byelaws.md")


@quick
@given(quotes)
def test_a_copy_of_the_file_changes_nothing(verdict, quote):
    assert verdict(claim_of(TEXT, quote), rules_md=TEXT, copy_md=TEXT).status == "verified"


@quick
@given(quotes)
def test_a_second_quote_elsewhere_is_told_apart_by_its_neighbours(verdict, quote):
    found = verdict(claim_of(TEXT, quote), rules_md=f"{quote} First of all.\n\n{TEXT}")
    assert found.status == "moved"
    assert found.places[0].offset == TEXT.index(quote) + len(quote) + len(" First of all.\n\n")


@quick
@given(quotes)
def test_copies_that_nothing_tells_apart_are_ambiguous(verdict, quote):
    claim = claim_of(TEXT, quote)
    found = verdict(claim, rules_md=f"Some new words.\n\n{TEXT}\n{TEXT}")
    assume(found.status != "moved")  # the first or last sentence has other neighbours in the copy
    assert (found.status, len(found.places)) == ("ambiguous", 2)


@quick
@given(quotes)
def test_other_line_ends_and_spaces_are_the_same_words(verdict, quote):
    reflowed = TEXT.replace(quote, quote.replace(" ", "\n  ", 2))
    assert verdict(claim_of(TEXT, quote), rules_md=reflowed).status == "verified"


def test_no_file_is_no_source(verdict):
    found = verdict(claim_of(TEXT, SENTENCES[0]))
    assert (found.status, found.places) == ("no source", ())


def test_a_file_that_cannot_be_read_is_no_source_and_says_why(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"nothing")
    [found] = verify([claim_of(TEXT, SENTENCES[0], "a.pdf")], Sources(root=tmp_path)).verdicts
    assert found.status == "no source"
    assert "not a PDF" in found.reason


@pytest.mark.parametrize("name", ["../secret.md", "/etc/passwd", "a/../../secret.md", "link.md", "", "a\0b", "."])
def test_a_bundle_opens_no_file_outside_the_root(tmp_path, name):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.md").write_text(TEXT)
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    [found] = verify([claim_of(TEXT, SENTENCES[0], name)], Sources(root=root)).verdicts
    assert found.status == "no source"


def test_a_claim_that_says_no_place_is_verified_where_the_words_are_once(verdict):
    bare = Claim(id="q", quote=SENTENCES[1], source_document="rules.md")
    assert verdict(bare, rules_md=TEXT).status == "verified"
    assert verdict(bare, rules_md=TEXT + TEXT).status == "ambiguous"


def test_another_parser_that_counts_otherwise_leaves_a_quote_verified(verdict):
    claim = claim_of(TEXT, SENTENCES[3])
    shifted = Claim(**{name: getattr(claim, name) for name in claim.__slots__} | {"offset": claim.offset + 7})
    assert verdict(shifted, rules_md=TEXT).status == "verified"


def test_another_edition_of_a_pdf_is_compared_quote_by_quote(tmp_path):
    old, new = SENTENCES[:4], ("A new first rule.", SENTENCES[0], SENTENCES[1].replace("two", "three"), SENTENCES[3])
    Drawing().lines(old).save(tmp_path / "old.pdf")
    Drawing().page().lines(new).save(tmp_path / "new.pdf")
    text = " ".join(old)
    claims = [claim_of(text, sentence, "old.pdf") for sentence in old]
    found = verify(claims, Sources(against=tmp_path / "new.pdf")).verdicts
    assert [v.status for v in found] == ["moved", "changed", "missing", "moved"]
    assert [(v.places[0].source_document, v.places[0].page_from) for v in (found[0], found[3])] == [("new.pdf", 2)] * 2


def test_the_report_counts_and_is_ok_only_if_all_is_verified(tmp_path):
    (tmp_path / "rules.md").write_text(TEXT)
    claims = [claim_of(TEXT, SENTENCES[0]), claim_of(TEXT, SENTENCES[1], "gone.md")]
    report = verify(claims, Sources(root=tmp_path))
    assert report.counts == {"verified": 2} or report.counts == {"verified": 1, "moved": 1}
    assert report.ok == (report.counts == {"verified": 2})
    assert json.loads(json.dumps(report.to_dict()))["ok"] is report.ok
    assert verify(claims[:1], Sources(root=tmp_path)).summary() == "1 verified"


def test_the_span_of_a_place_is_the_words_in_the_file(verdict):
    found = verdict(claim_of(TEXT, SENTENCES[4]), rules_md="x\n\n" + TEXT)
    [place] = found.places
    assert Span(place.offset, place.offset + place.length).slice("x\n\n" + TEXT) == place.quote == SENTENCES[4]
    assert place.line_from == 13
