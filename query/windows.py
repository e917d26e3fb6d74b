"""The run of a whole text that is nearest to a quotation: aligned where most of its words stand together. Pure.

A word that is rare in the text may stand elsewhere by chance, and the passage meant may be all common words; so the places with the
most of the quotation's words are compared, by number and by rarity, and the alignment decides.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ingest.models import SilentRange, Span
from query.alignment import Alignment, Wanted, Word, align, wanted_words, words_in

_PEAKS = 4
"""Places that are aligned, of each way to count."""
_ELIDED = 100
"""Words that an ellipsis may stand for at either end of what is aligned."""


def nearest_run(quote: str, text: str, silent: Sequence[SilentRange] = ()) -> Alignment | None:
    """None where no word of the quotation is in the text. `silent` counts in the text, sorted and disjoint."""
    wanted, source = wanted_words(quote), words_in(text, silent)
    found = [near for window in _windows(wanted, source) if (near := align(wanted, source[window.start : window.end], text))]
    return max(found, key=lambda near: (near.similarity, -near.span.start), default=None)


def _windows(wanted: Wanted, source: Sequence[Word]) -> Iterator[Span]:
    """Runs of the source's words around those with most of the quotation's, each once."""
    asked = Counter(word.term for word in wanted.words if word)
    held = Counter(word.term for word in source if word.term in asked)
    size = sum(asked.values()) + 4
    reach = 2 * size + (_ELIDED if None in wanted.words else 0)
    ends = {end for weights in (dict.fromkeys(held, 1.0), {term: 1 / n for term, n in held.items()})
            for end in _peaks(_density(source, asked, weights, size), size)}  # fmt: skip
    for end in sorted(ends):
        yield Span(max(end - size - reach, 0), min(end + reach, len(source)))


def _density(source: Sequence[Word], asked: Mapping[str, int], weights: Mapping[str, float], size: int) -> array[float]:
    """For each word of the source, what the `size` words that end with it hold of the quotation; none counts oftener than asked."""
    inside: Counter[str] = Counter()
    density, weight = array("d"), 0.0
    for at, word in enumerate(source):
        if at >= size and (gone := source[at - size].term) in weights:
            weight -= weights[gone] if inside[gone] <= asked[gone] else 0.0
            inside[gone] -= 1
        if word.term in weights:
            inside[word.term] += 1
            weight += weights[word.term] if inside[word.term] <= asked[word.term] else 0.0
        density.append(weight)
    return density


def _peaks(density: array[float], apart: int) -> Iterator[int]:
    """Ends of the densest runs, best first, no two of them nearer than `apart`; the first of equal ones."""
    taken: list[int] = []
    for at in sorted((i for i, weight in enumerate(density) if weight > 1e-9), key=lambda i: (-density[i], i)):
        if all(abs(at - other) >= apart for other in taken):
            taken.append(at)
            yield at + 1
        if len(taken) == _PEAKS:
            return
