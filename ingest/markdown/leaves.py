"""Block tokens of markdown-it -> leaves: the paragraphs, headings, tables … with the quotes and list items they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from markdown_it.token import Token

_KINDS = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "table_open": "table",
    "fence": "fence",
    "code_block": "indented",
    "html_block": "html",
    "hr": "rule",
    "definition": "definition",
}
_CONTAINERS: dict[str, Literal["quote", "item"]] = {"blockquote_open": "quote", "list_item_open": "item"}
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})
_ITEM_MARK = re.compile(r"[-+*]|\d{1,9}[.)]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A quote or list item: the lines `first:last`, inside `parent`."""

    kind: Literal["quote", "item"]
    first: int
    last: int
    parent: Container | None

    def chain(self) -> Iterator[Container]:
        """From the innermost to the outermost."""
        at: Container | None = self
        while at is not None:
            yield at
            at = at.parent

    def prefix_length(self, raw: str, line: int) -> int:
        """How many characters of the line `raw` are marks and indentation of the containers."""
        at = 0
        for container in reversed(list(self.chain())):
            mark = at + len(raw[at:]) - len(raw[at:].lstrip(" \t"))
            if container.kind == "quote" and raw.startswith(">", mark):
                at = mark + 1
            elif container.kind == "item" and line == container.first and (m := _ITEM_MARK.match(raw, mark)):
                at = m.end()
        return at


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A block without blocks in it: the lines `first:last`; `inlines` are its inline tokens (a table's cells, row by row).

    `lead` is the index of the leaf that leads in the list this one stands in ("The tenant shall:").
    """

    kind: str
    token: Token
    first: int
    last: int
    inlines: tuple[Token, ...]
    container: Container | None
    lead: int | None


def leaves(tokens: Sequence[Token]) -> list[Leaf]:
    """The leaves in the order of the text; their lines are disjoint."""
    out: list[Leaf] = []
    container: Container | None = None
    leads: list[int | None] = []
    for i, token in enumerate(tokens):
        if token.type in _CONTAINERS:
            first, last = token.map or (0, 0)
            container = Container(kind=_CONTAINERS[token.type], first=first, last=last, parent=container)
        elif token.type in ("blockquote_close", "list_item_close"):
            container = container.parent if container else None
        elif token.type in _LISTS:
            leads.append(_lead(out, container, leads))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            leads.pop()
        elif token.type in _KINDS and token.map:
            out.append(
                Leaf(
                    kind=_KINDS[token.type],
                    token=token,
                    first=token.map[0],
                    last=token.map[1],
                    inlines=_inlines(tokens, i),
                    container=container,
                    lead=leads[-1] if leads else None,
                )
            )
    return out


def _lead(out: list[Leaf], container: Container | None, leads: list[int | None]) -> int | None:
    """A paragraph that ends in a colon directly before the list; for a list in a list without one, that of the outer list."""
    before = out[-1] if out else None
    is_paragraph = before is not None and before.kind == "paragraph" and before.container is container
    if before and is_paragraph and before.inlines[0].content.rstrip("*_`~ ").endswith((":", "：")):
        return len(out) - 1
    return leads[-1] if leads else None


def _inlines(tokens: Sequence[Token], opening: int) -> tuple[Token, ...]:
    """The inline tokens between the opening token and its closing one."""
    if tokens[opening].nesting != 1:
        return ()
    closing = tokens[opening].type.replace("_open", "_close")
    found = []
    at = opening + 1
    while tokens[at].type != closing:
        if tokens[at].type == "inline":
            found.append(tokens[at])
        at += 1
    return tuple(found)
