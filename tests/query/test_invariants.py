"""What the contract promises of every hit and every place, on documents nobody thought of."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from query.cite import cite
from query.requests import SearchRequest
from query.search import search

WORDS = st.sampled_from(
    ["fee", "nine", "crowns", "K-7", "v2.1.0", "don't", "ﬁne", "été", "电脑", "**bold**", "😀", "the", "notice"]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(lambda words: " ".join(words) + ".")
SECTIONS = st.lists(
    st.tuples(st.sampled_from([(), ("Fees",), ("Term", "Notice")]), st.lists(SENTENCES, min_size=1, max_size=4)),
    min_size=1,
    max_size=4,
)
PAGED = SECTIONS.map(
    lambda sections: [(path, [f"\f{first}", *rest] if n else [first, *rest]) for n, (path, [first, *rest]) in enumerate(sections)]
)
QUERIES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join) | st.text(max_size=30)
MODES = st.sampled_from(["hybrid", "semantic", "keyword", "strict"])


@settings(deadline=None)
@given(sections=SECTIONS, paged=PAGED, query=QUERIES, mode=MODES)
def test_every_hit_can_be_checked_against_the_canonical_text(library, embedder, doc, sections, paged, query, mode):
    reader = library(doc(path="a.md", sections=sections), doc(path="b.pdf", sections=paged))
    request = SearchRequest(query=query, mode=mode, min_similarity=0.0, top_k=20)
    response = search(reader, embedder, request)
    for hit in response:
        text = reader.rows.text(hit.document_id)
        chunk = reader.rows.by_ids([hit.chunk_id])[hit.chunk_id]
        assert text.text[hit.source_offset : hit.source_offset + len(hit.content)] == hit.content
        assert (hit.match_offset is None) == (hit.match_length is None)
        match = hit.match.shift(hit.source_offset)
        assert 0 <= hit.match.start < hit.match.end <= len(hit.content)
        assert text.text[match.start : match.end] == hit.quote
        assert is_whole(chunk, match) or hit.quote == query
        assert all(hit.source_offset <= s.start < s.end <= hit.source_offset + len(hit.content) for s in hit.also_matched)
        touched = [run.page for run in text.page_map if run.start < match.end and match.start < run.end]
        assert (hit.match_page_from, hit.match_page_to) == ((min(touched), max(touched)) if touched else (None, None))
    assert search(reader, embedder, request) == response
    assert len({(hit.document_id, hit.source_offset) for hit in response}) == len(response)


def is_whole(chunk, match):
    """A unit, or two adjoining ones, or the chunk where it is one unit."""
    spans = [unit.span for unit in chunk.units]
    adjoining = [(a.start, b.end) for a, b in pairwise(spans)]
    return (match.start, match.end) in {*((s.start, s.end) for s in spans), *adjoining}


@settings(deadline=None)
@given(sections=SECTIONS, data=st.data())
def test_any_run_of_words_of_a_document_is_found_at_its_place(library, doc, sections, data):
    reader = library(doc(path="a.md", sections=sections))
    [document_id] = reader.documents
    text = reader.rows.text(document_id).text
    borders = sorted({0, len(text), *(n + 1 for n, c in enumerate(text) if c.isspace())})
    start, end = sorted(data.draw(st.lists(st.sampled_from(borders), min_size=2, max_size=2, unique=True)))
    quote = text[start:end].strip()
    if not quote:
        return
    start = text.index(quote, start)
    exact = cite(reader, quote)
    assert exact.status == "exact"
    assert any(p.offset < start + len(quote) and start < p.offset + p.length for p in exact.places)
    assert all(text[p.offset : p.offset + p.length] == p.quote == quote for p in exact.places)
    assert cite(reader, "\n ".join(quote.split())).status in ("exact", "normalized")
