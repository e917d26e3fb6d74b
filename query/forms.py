"""A text in the forms that quotations are compared with, each made once, when it is asked for.

Letters are looked for in the whole text at once; only the neighbourhood of what is found is compared in full, so that a look-up
in a long text costs little more than the search for a string.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from unicodedata import combining

from index.models import DocumentText
from ingest.models import SilentRange, Span
from ingest.reading import silent_within
from query.note_marks import without_note_marks
from query.quotation import Words, letters_of, places, words_of

_BLOCK = 4096
"""Characters of a text between two places where its letters are counted."""


class ReadText:
    """A canonical text, ready for many quotations."""

    def __init__(self, text: DocumentText) -> None:
        self.text = text

    def places(self, wanted: Words) -> list[Span]:
        """Where the words stand, in the first form of the text that has them."""
        return next((found for form in self.forms if (found := form.places(wanted))), [])

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """As it is read; without note marks; and as it is written, for a quotation that was copied with its marks."""
        plain, marked = self.text.silent, without_note_marks(self.text.text, self.text.silent)
        return tuple(Form(self.text.text, silent) for silent in dict.fromkeys((plain, marked, ())))


class Form:
    """A text without certain silent ranges (sorted and disjoint)."""

    def __init__(self, text: str, silent: tuple[SilentRange, ...], *, block: int = _BLOCK) -> None:
        self.text, self.silent, self.block = text, silent, block

    @cached_property
    def _cuts(self) -> list[int]:
        """Where blocks begin, and the text's end; never inside a silent range, nor between a letter and its marks."""
        cuts = [0]
        while cuts[-1] < len(self.text):
            cut = min(cuts[-1] + self.block, len(self.text))
            while cut < len(self.text) and combining(self.text[cut]):
                cut += 1
            at = bisect_right(self.silent, cut, key=lambda r: r.start) - 1
            cuts.append(max(cut, self.silent[at].end) if at >= 0 and self.silent[at].start < cut else cut)
        return cuts

    @cached_property
    def _blocks(self) -> tuple[str, list[int]]:
        """All letters, and how many there are before each cut."""
        spans = [Span(start, end) for start, end in pairwise(self._cuts)]
        pieces = [letters_of(span.slice(self.text), silent_within(self.silent, span)) for span in spans]
        before = [0]
        for piece in pieces:
            before.append(before[-1] + len(piece))
        return "".join(pieces), before

    def places(self, wanted: Words) -> list[Span]:
        """Where the words stand, in order."""
        found: list[Span] = []
        for region in self._regions(wanted.letters):
            words = words_of(region.slice(self.text), silent_within(self.silent, region))
            found += [span.shift(region.start) for span in places(words, wanted)]
        return found

    def _regions(self, wanted: str) -> Iterator[Span]:
        """The neighbourhoods of the letters wanted: whole blocks, with one more on each side; disjoint, in order."""
        if not wanted:
            return
        letters, before = self._blocks
        at = letters.find(wanted)
        pending: Span | None = None
        while at >= 0:
            first = max(bisect_right(before, at) - 2, 0)
            last = min(bisect_left(before, at + len(wanted)) + 1, len(self._cuts) - 1)
            region = Span(self._cuts[first], self._cuts[last])
            if pending and region.start < pending.end:
                pending = Span(pending.start, max(pending.end, region.end))
            else:
                if pending:
                    yield pending
                pending = region
            at = letters.find(wanted, at + 1)
        if pending:
            yield pending
