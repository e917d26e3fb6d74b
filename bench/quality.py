"""How much of the right text is found, on questions whose answers are known spans of characters.

A data folder holds `corpora/NAME.md` and `questions.jsonl`, a line a question:
{"corpus": NAME, "question": "…", "spans": [{"start": 0, "end": 10}]}.
Without one, questions are made from the sample documents: every second word of a sentence, which is the answer.

G is the union of the answer's characters, R the five hits: chunk_recall = |R and G| / |G|, chunk_precision = |R and G| / sum of the
lengths in R, match_iou = the matches' |R and G| / (sum of lengths + |G| - |R and G|); quote@1, quote@5: the match of the first hit
(of any of five) meets the answer.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

from ingest.models import Span
from pincite import Library
from query.models import Mode, SearchHit

SAMPLES = Path(__file__).parents[1] / "sample_docs"
TOP_K = 5
COLUMNS = ("chunk_recall", "chunk_precision", "match_iou", "quote@1", "quote@5")


class Question(NamedTuple):
    text: str
    document: str
    answer: list[Span]


def table(data: Path | None) -> Iterator[str]:
    """A Markdown table, a row a mode."""
    folder = SAMPLES if data is None else data / "corpora"
    with tempfile.TemporaryDirectory() as work, Library.open(Path(work) / "library", create=True) as library:
        library.ingest(folder)
        questions = _made_up(library) if data is None else _given(data)
        source = "made from the sample documents" if data is None else f"of {data.name}"
        yield f"\n## Quality: {len(questions)} questions {source}\n"
        yield f"| mode | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}"
        for mode in get_args(Mode):
            if mode != "strict":
                rows = [_figures(question, list(library.search(question.text, top_k=TOP_K, mode=mode))) for question in questions]
                yield f"| {mode} | {' | '.join(f'{sum(column) / len(rows):.3f}' for column in zip(*rows, strict=True))} |"


def _given(data: Path) -> list[Question]:
    lines = map(json.loads, (data / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    return [Question(q["question"], f"{q['corpus']}.md", [Span(s["start"], s["end"]) for s in q["spans"]]) for q in lines]


def _made_up(library: Library) -> list[Question]:
    """Every fifth sentence of ten words or more; numbers and codes stay out of the question, which they would give away."""
    units = [(c, u) for c in library.chunks() for u in c.units if u.role == "body"]
    questions = []
    for chunk, unit in units[::5]:
        words = unit.span.shift(-chunk.source_offset).slice(chunk.content).split()
        if len(words) >= 10:
            questions.append(Question(" ".join(w for w in words[::2] if w.isalpha()), chunk.source_document, [unit.span]))
    return questions


def _figures(question: Question, hits: list[SearchHit]) -> tuple[float, ...]:
    chunks = [(h.source_document == question.document, Span(h.source_offset, h.source_offset + len(h.content))) for h in hits]
    matches = [(h.source_document == question.document, h.match.shift(h.source_offset)) for h in hits]
    answer = _union(question.answer)
    size = sum(map(len, answer))
    in_chunks, in_matches = _common(chunks, answer), _common(matches, answer)
    returned, marked = sum(len(span) for _, span in chunks), sum(len(span) for _, span in matches)
    return (
        in_chunks / size,
        in_chunks / returned if returned else 0.0,
        in_matches / (marked + size - in_matches),
        float(_common(matches[:1], answer) > 0),
        float(in_matches > 0),
    )


def _common(found: list[tuple[bool, Span]], answer: list[Span]) -> int:
    own = _union([span for right, span in found if right])
    return sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a in own for b in answer)


def _union(spans: list[Span]) -> list[Span]:
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start <= out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return out
