"""Where a field's name in JSON is not its name in Python."""

from __future__ import annotations

_JSON_NAMES = {("Locator", "start"): "from", ("Locator", "end"): "to"}


def json_name(record: type, field: str) -> str:
    """`from` is a keyword of Python, so a locator's ends have other names here than in JSON."""
    return _JSON_NAMES.get((record.__name__, field), field)
