"""How many quotations are found in every script: cut out of texts, damaged, edited, invented (`damage`), and looked up.

    python bench/quotations.py FOLDER [--count 300]

FOLDER holds files of the form of SQuAD ({"data": [{"title", "paragraphs": [{"context"}]}]}); each is a library of its own.
Shares of each kind that are found as they should be: `edited` as a candidate, the others as found, at their place (or at equal
words). Of the invented ones: how many pose as found, and how many are offered as a candidate.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from random import Random

from damage import KINDS, cut, invented, squash, words
from plain_library import plain_library

from ingest.models import Span
from pincite import Library, QuoteMatch


def library_of(file: Path, folder: Path) -> Library:
    """A library of the file's articles, without the embedding model, which quotations need not."""
    sources = folder / "sources"
    sources.mkdir(parents=True)
    for number, article in enumerate(json.loads(file.read_text(encoding="utf-8"))["data"]):
        text = "\n\n".join(paragraph["context"] for paragraph in article["paragraphs"])
        (sources / f"{number:03}.txt").write_text(text, encoding="utf-8")
    library = plain_library(folder / "library")
    library.ingest(sources)
    return library


def figures(library: Library, count: int, random: Random, *, show: bool) -> Mapping[str, float]:
    """The share of each kind; `posed` and `candidate` of the invented ones."""
    texts = {d.source_document: library.text(d.source_document) for d in library.documents()}
    shares = {}
    for kind, damage in KINDS.items():
        cuts = [_cut(texts, random) for _ in range(count)]
        asked = [damage(span.slice(texts[name]), random) for name, span in cuts]
        found = library.cite_all(asked)
        right = [_right(match, kind, texts, *place) for match, place in zip(found, cuts, strict=True)]
        shares[kind] = sum(right) / count
        if show:
            for match, place, fine in zip(found, cuts, right, strict=True):
                if not fine:
                    print(f"   {kind}: {match.status} {place} {match.quote!r}")
    cuts = [_cut(texts, random) for _ in range(count)]
    others = [words(texts[random.choice(list(texts))]) for _ in cuts]
    asked = [invented(span.slice(texts[name]), other, random) for (name, span), other in zip(cuts, others, strict=True)]
    found = library.cite_all(asked)
    if show:
        for match in found:
            if match.status != "missing":
                print(f"   invented: {match.status} {match.candidate} {match.quote!r}")
    return shares | {
        "posed": sum(match.found for match in found) / count,
        "candidate": sum(match.status == "fuzzy" for match in found) / count,
    }


def _cut(texts: Mapping[str, str], random: Random) -> tuple[str, Span]:
    while True:
        name = random.choice(list(texts))
        if span := cut(texts[name], random):
            return name, span


def _right(match: QuoteMatch, kind: str, texts: Mapping[str, str], name: str, span: Span) -> bool:
    wanted = {"exact": {"exact"}, "edited": {"fuzzy"}}.get(kind, {"exact", "normalized"})
    return match.status in wanted and any(
        (place.source_document == name and _common(place.offset, place.length, span) >= 0.9 * len(span))
        or squash(span.slice(texts[name])) in squash(texts[place.source_document][max(place.offset - 40, 0) :][: place.length + 80])
        for place in match.places
    )


def _common(offset: int, length: int, span: Span) -> int:
    return min(offset + length, span.end) - max(offset, span.start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=300, help="quotations of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what was not found as it should be")
    options = parser.parse_args()
    columns = [*KINDS, "posed", "candidate"]
    print("| file | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for file in sorted(options.folder.glob("*.json")):
        with tempfile.TemporaryDirectory() as folder, library_of(file, Path(folder)) as library:
            shares = figures(library, options.count, Random(options.seed), show=options.show)
        print(f"| {file.stem} | " + " | ".join(f"{shares[c]:.3f}" for c in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
