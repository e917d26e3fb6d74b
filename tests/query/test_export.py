import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from index.models import Generation
from ingest.errors import ExportError, SourceChanged, SourceMissing, UsageError
from ingest.models import Span
from query.cite import cite
from query.export.files import safe_name, write_new
from query.export.job import ExportJob
from query.export.markdown import escape
from query.export.table import EXPORTERS, export
from query.requests import SearchRequest
from query.search import search

HOSTILE_NAME = '"><img src=x onerror=alert(3)>.md'
HOSTILE = (
    "The fee is <b>nine</b> crowns & <img src=x onerror=alert(1)> is text.",
    "Read the fee [this](javascript:alert(2)) and ![p](http://track.example/p.png) or `code | pipe` at www.evil.example.",
    "    # The fee </mark></q></body> and ``` and **stars** sit here.",
    "1. The fee\n- of <script>alert(1)</script>\n=====\n> all --- &lt;b&gt; \\",
    "[^1]: javascript:alert(1)",
)


@pytest.fixture
def shelf(tmp_path, library, doc):
    """A library over one real file, with the hits of a question and the way to export them."""

    class Shelf:
        def __init__(self, *sentences, path="notes.md", title=None):
            self.file = tmp_path / "source"
            self.file.write_text("the bytes")
            digest = hashlib.sha256(b"the bytes").hexdigest()
            self.reader = library(doc(path=path, title=title, sha256=digest, sections=[((), sentences)]))
            self.out = tmp_path / "out"

        def hits(self, query="fee"):
            return search(self.reader, None, SearchRequest(query=query, mode="keyword"))

        def export(self, quotes, to, **options):
            options = {"out": self.out, "resolve": lambda root, path: self.file} | options
            return export(self.reader, quotes, to=to, **options)

    return Shelf


class Rendered(HTMLParser):
    """The elements and the visible text of HTML."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, attrs))

    def handle_data(self, data):
        self.text += data


OURS = {"p", "h1", "blockquote", "strong"}


def rendered(markdown):
    return Rendered(MarkdownIt("commonmark", {"html": True}).render(markdown))


def without_space(text):
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("sentence", HOSTILE)
def test_no_element_link_or_image_comes_out_of_a_document(shelf, sentence):
    s = shelf(sentence, "Another fee.", path=HOSTILE_NAME, title="javascript:alert(1)")
    [path] = s.export(cite(s.reader, sentence.strip()).places, "md")
    html = rendered(path.read_text(encoding="utf-8"))
    assert {tag for tag, _ in html.elements} <= OURS
    assert not any(attrs for _, attrs in html.elements)
    assert without_space(sentence) in without_space(html.text)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=60))
def test_escaped_text_is_shown_as_it_is(text):
    html = rendered("x " + escape(" ".join(text.split())) + " y")
    assert {tag for tag, _ in html.elements} == {"p"}
    assert without_space(html.text) == without_space("x" + text + "y")


def test_the_match_is_bold_in_its_paragraph_and_the_citation_a_footnote(shelf):
    s = shelf("All pay.", "The fee is nine crowns.", "So be it.", title="Rules")
    [path] = s.export(s.hits("fee"), "md")
    text = path.read_text(encoding="utf-8")
    assert "> All pay\\. **The fee is nine crowns\\.** So be it\\.[^1]" in text
    assert "[^1]: Rules\\, line 1\\. File notes\\.md, characters 9 to 32" in text.replace("Rules\\, line 1.", "Rules\\, line 1\\.")
    assert "Asked: fee" in text


def test_a_match_inside_unspaced_text_is_bold_too(shelf):
    s = shelf("今天下雨。", "我的电脑很好。", path="zh.md")
    [path] = s.export(cite(s.reader, "电脑").places, "md")
    assert "strong" in {tag for tag, _ in rendered(path.read_text(encoding="utf-8")).elements}


def test_json_holds_the_records_and_the_exact_slices(shelf):
    s = shelf(*HOSTILE[:2], "The fee 😀 is nine.")
    hits = s.hits("fee")
    [path] = s.export(hits, "json")
    bundle = json.loads(path.read_bytes())
    assert bundle["schema_version"] == 1
    assert bundle["query"] == "fee"
    assert bundle["index_generation"] == {"number": s.reader.generation.number, "fingerprint": s.reader.generation.fingerprint}
    assert [q["quote"] for q in bundle["quotes"]] == [hit.quote for hit in hits]
    assert [q["citation"] for q in bundle["quotes"]] == [hit.citation() for hit in hits]


def test_a_question_that_is_no_unicode_is_exported_all_the_same(shelf):
    s = shelf("The fee is nine.")
    [path] = s.export(s.hits("fee \ud800"), "json")
    assert json.loads(path.read_bytes())["query"] == "fee \ud800"
    assert s.export(s.hits("fee \ud800"), "md")


@pytest.mark.parametrize("to", ["md", "json", "jsonl", "html"])
def test_files_end_lines_with_a_line_feed_alone(shelf, to):
    s = shelf("The fee\r\nis nine.", "The fee\ris ten.")
    [path] = s.export(s.hits(), to)
    assert b"\r" not in path.read_bytes()


@pytest.mark.parametrize("to", ["csv", "html", "json", "jsonl", "md"])
def test_nothing_is_written_over_unless_asked(shelf, to):
    s = shelf("The fee is nine.")
    [path] = s.export(s.hits(), to)
    before = path.read_bytes()
    with pytest.raises(ExportError, match="exists"):
        s.export(s.hits(), to)
    assert path.read_bytes() == before
    assert s.export(s.hits(), to, overwrite=True) == [path]
    assert [p.name for p in s.out.iterdir()] == [path.name]


@pytest.mark.parametrize("to", ["csv", "html", "json", "jsonl", "md"])
def test_a_source_that_has_changed_is_named_and_nothing_is_written(shelf, to):
    s = shelf("The fee is nine.")
    hits = s.hits()
    s.file.write_text("other bytes")
    with pytest.raises(SourceChanged, match=r"notes\.md"):
        s.export(hits, to)
    assert not s.out.exists()


def test_a_source_that_is_gone_is_named(shelf):
    s = shelf("The fee is nine.")
    hits = s.hits()
    s.file.unlink()
    with pytest.raises(SourceMissing, match=r"notes\.md"):
        s.export(hits, "md")


def test_a_root_that_this_machine_does_not_know_is_a_missing_source(shelf):
    s = shelf("The fee is nine.")
    with pytest.raises(SourceMissing):
        s.export(s.hits(), "md", resolve=lambda root, path: {}[root])


def test_a_quote_from_an_earlier_state_of_the_library_is_refused(shelf, doc, library):
    s = shelf("The fee is nine.")
    hits = s.hits()
    s.reader = library(doc(path="notes.md", sha256="1" * 64, sections=[((), ["The fee is ten."])]))
    with pytest.raises(SourceChanged, match="anew"):
        s.export(hits, "md")
    s.reader = library(doc(path="other.md", sections=[((), ["The fee is ten."])]))
    with pytest.raises(SourceMissing, match="no longer in the library"):
        s.export(hits, "md")


def test_no_quotes_and_no_such_format_are_refused(shelf):
    s = shelf("The fee is nine.")
    with pytest.raises(ExportError, match="nothing to export"):
        s.export([], "md")
    with pytest.raises(UsageError, match="docx"):
        s.export(s.hits(), "docx")


def test_every_exporter_takes_places_too(shelf):
    s = shelf("The fee is nine.")
    for to in set(EXPORTERS) - {"pdf"}:
        assert s.export(cite(s.reader, "fee is nine").places, to)


NAMES = st.text(max_size=30) | st.sampled_from(
    ["CON", "nul.md", "../../etc/passwd", "..", "a/b\\c.pdf", "x" * 500, "trailing. . ", ".md", ""]
)


@given(NAMES, NAMES)
def test_file_names_are_ours_and_safe_on_every_system(source, key):
    name = safe_name(source, key, ".pdf")
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{8}\.pdf", name)
    assert len(name) <= 60


def test_a_folder_that_cannot_be_made_is_an_export_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="cannot write"):
        write_new(tmp_path / "file" / "x.md", b"", overwrite=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40))
def test_a_written_file_holds_the_bytes(tmp_path, content):
    assert write_new(tmp_path / "x", content, overwrite=True).read_bytes() == content


def test_a_job_names_the_document_of_a_quote(shelf):
    s = shelf("The fee is nine.")
    [hit] = s.hits()
    job = ExportJob(reader=s.reader, quotes=(hit,), sources={}, out=s.out, overwrite=False)
    assert job.document(hit).source_document == "notes.md"
    assert hit.index_generation == Generation(number=1, fingerprint=s.reader.generation.fingerprint)
    assert hit.match == Span(0, len(hit.content))
