"""Templates of labels: text with `{property}` in it; `{{` and `}}` are braces. Nothing else means anything: no attribute, index,
format or call, so a template can't run code. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ingest.errors import UsageError

MAX_CHARACTERS = 300
"""Of a label; the rest of a longer one is cut off."""
_PARTS = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def check_template(template: str) -> None:
    """Raises UsageError for a template that can't be rendered."""
    if not template.strip():
        raise UsageError("the template is empty")
    for part in _PARTS.finditer(template):
        if part.group() in ("{", "}"):
            raise UsageError(f"a brace without its partner in “{template}”", next_step="Write {{ or }} for the character.")
        if part.group(1) is not None and not part.group(1).strip():
            raise UsageError(f"no property is named between the braces in “{template}”")


def render(template: str, properties: Mapping[str, str]) -> str | None:
    """The template with its properties filled in, on one line; None where one of them is missing or empty."""
    missing = False

    def filled(part: re.Match[str]) -> str:
        nonlocal missing
        name = part.group(1)
        if name is None:
            return part.group()[:1]
        value = _one_line(properties.get(name.strip(), ""))
        missing |= not value
        return value

    label = _one_line(_PARTS.sub(filled, template))
    return None if missing or not label else label[:MAX_CHARACTERS]


def _one_line(text: str) -> str:
    return " ".join(text.split())
