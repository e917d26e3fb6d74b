"""Figures: which painted areas are one, and which lines of text are words in it (axis labels, legends). Pure functions.

Areas count as figures only beside a caption that says so: frames of tables, code and boxes are painted too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.models import Box
from ingest.pdf.margins import usual_size
from ingest.pdf.page import Line

_CAPTION = re.compile(r"\s*(?i:figure|fig\.?|abbildung|abb\.|chart|diagram|scheme)\s*[A-Z]?\d")
_INITIALS = frozenset("facds")
_TOUCHING = 8.0
"""Points between painted things that belong together."""
_LEAST_WIDTH, _LEAST_HEIGHT, _LEAST_PARTS = 50.0, 30.0, 4
_LARGEST = 0.6
"""What covers more of the page than this part is its ground, not a figure."""
_EDGE = 0.06
"""Part of the page's height."""
_MOST_PARTS = 5_000
"""Painted things looked at on one page; a map or a scatter plot has more, but as many tell where it is."""
_NEAR_CAPTION = 60.0
"""Points between a figure and its caption, at most."""
_PROSE = 45
"""Characters of a line that is no label: an area with several is a drawing that reaches under the text."""
_LABEL_REACH = 2.0
"""A label stands no farther than this many times its size from the figure."""


def names_figure(line: Line) -> bool:
    """Whether the line may begin the caption of a figure."""
    return line.text.lstrip()[:1].lower() in _INITIALS and bool(_CAPTION.match(line.text))


def figure_areas(painted: Sequence[Box], lines: Sequence[Line], width: float, height: float) -> list[Box]:
    """Where the figures of a page are: above each caption the nearest one, or below. `painted` are its paths and images."""
    captions = [line.box for line in lines if names_figure(line)] if painted else []
    if not captions:
        return []
    parts = [box for box in painted[:_MOST_PARTS] if (box[2] - box[0]) * (box[3] - box[1]) < _LARGEST * width * height]
    areas = [area for area, count in _clusters(parts) if count >= _LEAST_PARTS and _is_large(area) and _is_inside(area, height)]
    nearest = {min((_distance(area, caption), area) for area in areas) for caption in captions} if areas else set()
    near = {area for distance, area in nearest if distance < _NEAR_CAPTION}
    size = usual_size(lines)
    return sorted(area for area in near if sum(_is_prose(line, size) and _holds(area, line) for line in lines) < 2)


def words_in(areas: Sequence[Box], lines: Sequence[Line]) -> list[Line]:
    """The lines that stand in the areas, and small type close around them (an axis has numbers, then a title); never a caption."""
    if not areas:
        return []
    size = usual_size(lines)
    free = [line for line in lines if not names_figure(line)]
    grown = [_hull([area, *(line.box for line in free if _belongs(line, area, size))]) for area in areas]
    return [line for line in free if any(_belongs(line, area, size) for area in grown)]


def _clusters(boxes: Sequence[Box]) -> list[tuple[Box, int]]:
    """Boxes that touch, as one each, with their number."""
    clusters: list[tuple[Box, int]] = []
    for box in sorted(boxes, key=lambda b: b[1]):
        merged, count = box, 1
        while touching := [c for c in clusters if _touch(c[0], merged)]:  # grown, it may touch others
            clusters = [c for c in clusters if c not in touching]
            merged, count = _hull([merged, *(b for b, _ in touching)]), count + sum(n for _, n in touching)
        clusters.append((merged, count))
    return clusters


def _touch(a: Box, b: Box) -> bool:
    return a[0] - _TOUCHING <= b[2] and b[0] <= a[2] + _TOUCHING and a[1] - _TOUCHING <= b[3] and b[1] <= a[3] + _TOUCHING


def _hull(boxes: Sequence[Box]) -> Box:
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _is_large(area: Box) -> bool:
    return area[2] - area[0] >= _LEAST_WIDTH and area[3] - area[1] >= _LEAST_HEIGHT


def _is_inside(area: Box, height: float) -> bool:
    """Whether it keeps clear of the page's edge: curves have control points far out, and heads and feet stand there."""
    return area[1] > _EDGE * height and area[3] < (1 - _EDGE) * height


def _distance(area: Box, caption: Box) -> float:
    """From a caption to the figure over it; one under it counts as farther; infinite where it stands neither way."""
    if caption[0] > area[2] or area[0] > caption[2]:
        return float("inf")
    return area[1] - caption[3] + _NEAR_CAPTION / 2 if area[1] > caption[3] else max(caption[1] - area[3], 0.0)


def _is_prose(line: Line, size: float) -> bool:
    return len(line.text) >= _PROSE and line.size >= 0.95 * size


def _holds(area: Box, line: Line, reach: float = 0.0) -> bool:
    x, y = (line.box[0] + line.box[2]) / 2, (line.box[1] + line.box[3]) / 2
    return area[0] - reach <= x <= area[2] + reach and area[1] - reach <= y <= area[3] + reach


def _belongs(line: Line, area: Box, size: float) -> bool:
    if line.size > 1.1 * size:
        return False  # a heading that a wide curve reaches under
    if _holds(area, line):
        return True
    label = line.size < 0.95 * size or not any(map(str.isalpha, line.text))
    short = line.box[2] - line.box[0] < 0.5 * (area[2] - area[0])
    return label and short and _holds(area, line, _LABEL_REACH * line.size)
