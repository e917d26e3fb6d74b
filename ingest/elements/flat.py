"""The words of an HTML page without its structure, for pages too deeply nested to be a tree."""

from __future__ import annotations

from html.parser import HTMLParser

_UNREAD = {"script", "style", "template", "noscript", "title"}


class _Words(HTMLParser):
    """Collects what stands between tags; a tag parts paragraphs. Doesn't descend, so that no page is too deep for it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in _UNREAD

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in _UNREAD and self._unread > 0

    def handle_data(self, data: str) -> None:
        if not self._unread and (words := " ".join(data.split())):
            self.found.append(words)


def words_alone(page: str) -> str:
    """Paragraphs parted by blank lines."""
    reader = _Words()
    reader.feed(page)
    reader.close()
    return "\n\n".join(reader.found)
