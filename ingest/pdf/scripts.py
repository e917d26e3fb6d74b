"""Raised and lowered pieces that the engine gives as lines of their own (exponents, indices, marks of notes): set back on the line
they belong to, so that "a² + b²" is not read as "a + b". Pure functions over `Line`s in the reading frame.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from ingest.models import Box
from ingest.pdf.page import Line, Style

_LEVEL = (1.0, 0.0)
_LEAST_SIZE, _MOST_SIZE = 0.4, 0.82
"""Parts of its line's type size that a script is set in."""
_RAISED, _LOWERED = (0.15, 0.6), (0.08, 0.35)
"""How far from the baseline it stands, in type sizes of its line."""
_TOUCHING = 0.15
"""Type sizes between a character and its script, at most."""
_LONGEST = 8
"""Characters of a script, at most: more is a line of small type."""
_MOST_SCRIPTS, _MOST_LINES = 300, 3_000
"""On one page; where there are more small pieces or lines (a map, a chart) none is looked at: the time for a page is bounded."""


def with_scripts(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines; each script on the baseline of the line that ends where it begins, in that line's size, its own look a style."""
    small = _small_pieces(lines)
    if not small:
        return lines
    set_back = {}
    for script, others in _near(small, lines):
        hosts = [h for h in others if _is_script_of(script, h) and abs(script.x0 - h.x1) <= _TOUCHING * h.size]
        if hosts:
            set_back[script.source_offset] = _on_line(script, max(hosts, key=lambda h: h.size))
    return [set_back.get(line.source_offset, line) for line in lines] if set_back else lines


def pieces_inside(lines: Sequence[Line]) -> dict[int, list[Line]]:
    """What stands over a gap of a line, by the line's offset: scripts that were drawn later ("a  + b" under a "2"), and letters
    between scripts that were drawn together ("μ ε" under "0 0")."""
    found: dict[int, list[Line]] = {}
    for script, others in _near(_small_pieces(lines), lines):
        for host in others:
            if _is_inside(script, host) and _is_script_of(script, host):
                found.setdefault(host.source_offset, []).append(script)
    for host, others in _near(_if_few([line for line in lines if line.styles], lines), lines):
        inside = [line for line in others if _is_inside(line, host) and not line.text.isspace()]
        if inside:
            found.setdefault(host.source_offset, []).extend(inside)
    return found


def _is_inside(line: Line, host: Line) -> bool:
    level = line.direction == host.direction == _LEVEL
    return level and not host.left_out and host.x0 < line.x0 and line.x1 < host.x1 and line.y0 < host.y1 and host.y0 < line.y1


def parted(line: Line, pieces: Sequence[Line], boxes: Sequence[Box]) -> list[Line]:
    """The line in parts, cut where one of `pieces` stands between two of its characters; `boxes` are those of its characters."""
    drawn = [i for i, c in enumerate(line.text) if not c.isspace()]
    slack = _TOUCHING * line.size
    cuts = [0]
    for a, b in pairwise(drawn):
        if any(boxes[a][2] <= s.x0 + slack and s.x1 - slack <= boxes[b][0] for s in pieces):
            cuts.append(b)
    if len(cuts) == 1:
        return [line]
    return [_part(line, start, end, boxes) for start, end in pairwise([*cuts, len(line.text)])]


def _part(line: Line, start: int, end: int, boxes: Sequence[Box]) -> Line:
    own = [boxes[i] for i in range(start, end) if not line.text[i].isspace()]
    x0, x1 = min(b[0] for b in own), max(b[2] for b in own)
    every = [s._replace(start=max(s.start, start) - start, end=min(s.end, end) - start) for s in line.styles]
    styles = [s for s in every if s.start < s.end and not line.text[start:end][s.start : s.end].isspace()]
    main = max(styles, key=lambda s: (s.size, s.end - s.start)) if styles else None
    return replace(
        line,
        text=line.text[start:end],
        source_offset=line.source_offset + start,
        x0=x0,
        x1=x1,
        size=round(main.size, 1) if main else line.size,
        baseline=main.baseline if main else line.baseline,
        styles=tuple(styles),
        box=(x0, line.box[1], x1, line.box[3]),
    )


def _small_pieces(lines: Sequence[Line]) -> list[Line]:
    """Pieces short and small enough to be scripts of another line of the page."""
    largest = max([line.size for line in lines], default=0.0)
    small = [line for line in lines if line.size <= _MOST_SIZE * largest and 0 < len(line.text.strip()) <= _LONGEST]
    return _if_few(small, lines)


def _if_few(pieces: list[Line], lines: Sequence[Line]) -> list[Line]:
    return pieces if len(pieces) <= _MOST_SCRIPTS and len(lines) <= _MOST_LINES else []


def _near(small: Sequence[Line], lines: Sequence[Line]) -> Iterator[tuple[Line, Sequence[Line]]]:
    """Each small piece with the lines whose baselines are near enough."""
    order = sorted(lines, key=lambda line: line.baseline)
    baselines = [line.baseline for line in order]
    for script in small:
        most = script.size / _LEAST_SIZE
        first = bisect_left(baselines, script.baseline - _LOWERED[1] * most)
        yield script, order[first : bisect_right(baselines, script.baseline + _RAISED[1] * most)]


def _is_script_of(script: Line, host: Line) -> bool:
    lift = (host.baseline - script.baseline) / host.size if host.size else 0.0
    small = _LEAST_SIZE * host.size <= script.size <= _MOST_SIZE * host.size
    level = host.direction == script.direction == _LEVEL
    return small and level and (_RAISED[0] <= lift <= _RAISED[1] or _LOWERED[0] <= -lift <= _LOWERED[1])


def _on_line(script: Line, host: Line) -> Line:
    style = Style(0, len(script.text), script.size, script.baseline, raised=script.baseline < host.baseline)
    x0 = min(script.x0, host.x1 - 0.01)  # in the host's column, were it a table's
    return replace(script, x0=x0, baseline=host.baseline, size=host.size, styles=(style,), script=True)
