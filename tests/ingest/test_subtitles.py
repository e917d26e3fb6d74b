"""Subtitles -> cues with times -> paragraphs whose sentences run on over cues."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunking import chunk_document
from ingest.cues import Cue, Remark, read_cues, times_of
from ingest.models import ParsedDocument, Span
from ingest.reading import reading_text, silent_within
from ingest.subtitles import LONGEST_SENTENCE, parse_subtitles

UNHURRIED = settings(deadline=None)
PIECES = st.sampled_from(
    [
        *("WEBVTT", "NOTE x", "STYLE", "REGION", "7", "intro", "\n", "\n\n", "\r\n", "\r", " ", "\t", "\u200b", "\u2028"),
        *("00:00:01.000 --> 00:00:02.000", "00:00:02,5 --> 00:00:01,000 align:start", "1:2.3-->4:5.6", "-->", "00:61 --> x"),
        *("Hello.", "and so on", "- Yes. No!", "<v Ann>", "</v>", "<i>", "&amp;", "&nbsp;", "{\\an8}", "你好。", "<", "&"),
    ]
)
ANY_FILE = st.lists(PIECES, max_size=40).map("".join)
MEETING = """\
WEBVTT - Budget meeting
Kind: captions
Language: en

NOTE The sound is bad
on the second day.

STYLE
::cue { color: red }

intro
00:00:01.000 --> 00:00:04.000 align:start
<v Ann>The harbour fee was raised in spring, and the late

00:00:04.000 --> 00:00:06.500
<v Ann>payment fee is <b>1.5%</b> &amp; more
per month. That is all.

00:07.000 --> 00:09.000
<v Ben>Is it fixed?

00:09.000 --> 00:11.000
- Yes.
- No.
"""


def parse(text: str) -> ParsedDocument:
    return parse_subtitles(text, encoding="utf-8")


def read(document: ParsedDocument, span: Span) -> str:
    return reading_text(span.slice(document.text), silent_within(document.silent, span)).text


def said(text: str) -> list[tuple[str, tuple[float, float] | None]]:
    """Each unit of body text as it is read, and its times."""
    document, cues = parse(text), read_cues(text)
    chunks = [c for c in chunk_document(document, WordCounter()) if c.role == "body"]
    return [(read(document, u.span), times_of(cues, u.span)) for c in chunks for u in c.units]


class WordCounter:
    max_tokens = 256
    splits_at_spaces = True

    def count(self, texts):
        return [len(t.split()) for t in texts]


def test_a_sentence_over_several_cues_is_one_and_lasts_from_the_first_to_the_last() -> None:
    assert said(MEETING) == [
        ("The harbour fee was raised in spring, and the late payment fee is 1.5% & more per month.", (1.0, 6.5)),
        ("That is all.", (4.0, 6.5)),
        ("Is it fixed?", (7.0, 9.0)),
        ("- Yes.", (9.0, 11.0)),
        ("- No.", (9.0, 11.0)),
    ]


def test_header_comments_and_styles_are_markup_and_the_header_gives_properties() -> None:
    parsed = parse(MEETING)
    markup = [b.span.slice(MEETING) for b in parsed.blocks if b.role == "markup"]
    assert [m.split("\n")[0] for m in markup] == ["WEBVTT - Budget meeting", "NOTE The sound is bad", "STYLE"]
    assert parsed.properties == (("Kind", "captions"), ("Language", "en"))
    assert (parsed.format, parsed.parser, parsed.title, parsed.warnings) == ("subtitles", "WebVTT", None, ())


SUBRIP = """\
1
00:00:01,500 --> 00:00:03,000
{\\an8}<font color="#fff">One &amp; two</font>,

2
00:00:%s,000 --> 00:00:%s,000
three.
"""


def test_subrip_has_commas_numbers_and_its_own_tags_and_no_entities() -> None:
    assert said(SUBRIP % ("03", "05")) == [("One &amp; two, three.", (1.5, 5.0))]
    assert parse(SUBRIP % ("03", "05")).parser == "SubRip"


def test_a_silence_ends_the_sentence() -> None:
    assert [times for _, times in said(SUBRIP % ("30", "32"))] == [(1.5, 3.0), (30.0, 32.0)]


def test_line_ends_may_be_of_any_kind_and_blank_lines_may_be_missing() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = "1\n00:01.0 --> 00:02.0\nOne.\n2\n00:02.0 --> 00:03.0\nTwo.\n".replace("\n", end)
        assert said(text) == [("One.", (1.0, 2.0)), ("Two.", (2.0, 3.0))]


def test_what_has_no_time_that_can_be_read_is_text_all_the_same_and_said() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nOne.\n\n00:03.000 --> soon\nTwo.\n\nThree."
    assert said(text) == [("One.", (1.0, 2.0)), ("00:03.000 --> soon Two.", None), ("Three.", None)]
    assert [w.reason for w in parse(text).warnings] == ["text without a time that can be read: line 6, 9"]


def test_a_file_without_any_cue_is_text_with_a_warning_and_an_empty_one_is_nothing() -> None:
    assert [w.reason for w in parse("Only words.\n").warnings] == ["no cue with a time that can be read"]
    assert parse("").blocks == parse("").warnings == ()


def test_an_end_before_the_beginning_is_the_beginning() -> None:
    [cue] = read_cues("00:05.000 --> 00:01.000\nHey")
    assert isinstance(cue, Cue)
    assert (cue.seconds_from, cue.seconds_to) == (5.0, 5.0)


def test_captions_without_full_stops_stay_parted_by_their_cues() -> None:
    cue = "\n\n00:{:02}.000 --> 00:{:02}.000\nand then we went on and on about the harbour and the boats"
    text = "WEBVTT" + "".join(cue.format(n, n + 1) for n in range(30))
    units = said(text)
    assert len(units) == 30
    assert all(len(words) <= LONGEST_SENTENCE for words, _ in units)


def test_a_cue_that_says_nothing_is_markup() -> None:
    assert [b.role for b in parse("00:01.000 --> 00:02.000\n<i></i>\n\n00:02.000 --> 00:03.000\n").blocks] == ["markup", "markup"]


def test_chinese_runs_on_without_a_space() -> None:
    assert said("1\n00:01,0 --> 00:02,0\n今天我们\n\n2\n00:02,0 --> 00:03,0\n谈预算。\n") == [("今天我们谈预算。", (1.0, 3.0))]


def test_unknown_tags_and_lone_brackets_are_read() -> None:
    assert said("1\n00:01,0 --> 00:02,0\nif a < b and c > d <q>\n") == [("if a < b and c > d <q>", (1.0, 2.0))]


def test_hours_may_have_many_digits() -> None:
    [cue] = read_cues("100:00:00.250 --> 100:00:01.000\nLate.")
    assert isinstance(cue, Cue)
    assert cue.seconds_from == 360_000.25


@UNHURRIED
@given(ANY_FILE)
def test_cues_and_remarks_are_in_order_and_hold_every_character_that_is_no_white_space(text: str) -> None:
    at = 0
    for part in read_cues(text):
        assert not text[at : part.span.start].strip()
        assert part.span.slice(text) == part.span.slice(text).strip() != ""
        if isinstance(part, Cue):
            assert part.span.start <= part.words.start <= part.words.end == part.span.end
            assert part.seconds_from <= part.seconds_to
        else:
            assert isinstance(part, Remark)
        at = part.span.end
    assert not text[at:].strip()


@UNHURRIED
@given(ANY_FILE)
def test_chunks_hold_every_character_once_whatever_the_file_is(text: str) -> None:
    document = parse(text)
    assert document.text == text
    at = 0
    for chunk in chunk_document(document, WordCounter()):
        for unit in chunk.units:
            assert not text[at : unit.span.start].strip()
            assert unit.span.slice(text) == unit.span.slice(text).strip() != ""
            at = unit.span.end
        assert chunk.content == chunk.span.slice(text)
    assert not text[at:].strip()
    assert all(a.end <= b.start for a, b in zip(document.silent, document.silent[1:], strict=False))
