"""The words of a citation: title, section, place. Pure; knows no engine.

"Master Services Agreement, § 4.2 Late payment, p. 7" · "pp. 7–8" · "p. xiv (PDF 14)" · "slide 3" ·
"sheet Budget" · "at 00:01:02" · "line 12" · "lines 12–14".
"""

from __future__ import annotations

from collections.abc import Iterable

from ingest.models import PageKind

SECTION_JOINER = " › "


def citation(
    *,
    title: str,
    section: str | None = None,
    pages: tuple[int, int] | None = None,
    labels: tuple[str | None, str | None] = (None, None),
    times: tuple[float, float] | None = None,
    lines: tuple[int, int] | None = None,
    kind: PageKind = "page",
) -> str:
    """The citation of a place. `pages` and `lines` are 1-based with both ends included; `labels` are the printed page labels or
    the sheets' names; `kind` is what the format's pages are called; `times` are seconds, of which the first is named.

    Pages win over times, and these over lines. What is unknown is left out, never invented.
    """
    parts = [one_line(title)]
    if section:
        parts.append(section_mark(one_line(section)))
    if pages:
        parts.append(page_words(pages, labels, kind))
    elif times:
        parts.append(f"at {clock(times[0])}")
    elif lines:
        parts.append(_numbers("line", "lines", *map(str, lines)))
    return ", ".join(part for part in parts if part)


def section_mark(section: str) -> str:
    """ "§ 4.2 Late payment"; a title that begins with its own section sign gets no second one."""
    return section if section.startswith("§") else f"§ {section}"


def page_words(pages: tuple[int, int], labels: tuple[str | None, str | None] = (None, None), kind: PageKind = "page") -> str:
    """ "p. 7", "pp. 7–8"; with printed labels that differ from the numbers: "p. xiv (PDF 14)", "pp. xiv–xv (PDF 14–15)".

    "slide 3", "slides 3–4"; "sheet Budget".
    """
    first, last = (str(n) for n in pages)
    printed_first, printed_last = (one_line(label or "") or number for label, number in zip(labels, (first, last), strict=True))
    if kind != "page":
        return _numbers(kind, f"{kind}s", printed_first, printed_last)
    words = _numbers("p.", "pp.", printed_first, printed_last)
    if (printed_first, printed_last) == (first, last):
        return words
    return f"{words} (PDF {first if first == last else f'{first}–{last}'})"


def clock(seconds: float) -> str:
    """ "00:01:02": hours, minutes and seconds, without the part of a second."""
    minutes, left = divmod(int(seconds), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{left:02}"


def cited_section(path: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> str | None:
    """The last heading of the path, with as many of its parents as it takes to tell it from the document's other paths.

    `others` are the section paths of the same document (`path` itself may be among them). None without headings.
    """
    if not path:
        return None
    rivals = {other for other in others if other != path}
    for size in range(1, len(path)):
        if not any(other[-size:] == path[-size:] for other in rivals):
            return SECTION_JOINER.join(path[-size:])
    return SECTION_JOINER.join(path)


def pair(first: int | None, last: int | None) -> tuple[int, int] | None:
    """First and last page or line, None where either is unknown."""
    return None if first is None or last is None else (first, last)


def one_line(text: str) -> str:
    """White space folded to single spaces: titles come from files and may hold line ends."""
    return " ".join(text.split())


def _numbers(one: str, many: str, first: str, last: str) -> str:
    return f"{one} {first}" if first == last else f"{many} {first}–{last}"
