"""YAML front matter at the very start of a Markdown file: `---`, YAML, `---` or `...`.

Only the scalars at its top level are kept, as they are written; nothing is constructed from the YAML, so that aliases and merge
keys of a hostile file cannot grow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

_OPENING = re.compile(r"---[ \t]*(?:\r\n?|\n)")
_CLOSING = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)")
_BLANK_LINE = re.compile(r"[ \t]*[\r\n]")
_MAX_LENGTH = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The front matter is `text[:end]`. `problem` says why its properties could not be read."""

    end: int
    properties: tuple[tuple[str, str], ...] = ()
    problem: str | None = None

    @property
    def title(self) -> str | None:
        title = " ".join(dict(self.properties).get("title", "").split())
        return title or None


def front_matter(text: str) -> FrontMatter | None:
    """None where the text begins otherwise: `---` may be a rule, too, above prose that is no YAML mapping."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if not opening or not closing:
        return None
    source, end = text[opening.end() : closing.start()], closing.end()
    if len(source) > _MAX_LENGTH:
        return FrontMatter(end=end, problem="the front matter is too long to read")
    try:
        node = yaml.compose(source, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        is_prose = _BLANK_LINE.match(source)
        return None if is_prose else FrontMatter(end=end, problem="the front matter is no valid YAML")
    if isinstance(node, yaml.MappingNode):
        return FrontMatter(end=end, properties=_scalars(node))
    return None if source.strip() else FrontMatter(end=end)


def _scalars(mapping: yaml.MappingNode) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for name, value in mapping.value:
        if isinstance(name, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode) and value.tag != "tag:yaml.org,2002:null":
            found[name.value] = value.value
    return tuple(found.items())
