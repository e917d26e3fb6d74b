"""The parts of compound names of programs: "parseHttpRequest" is found by "http request", too. Pure.

`index.analysis` parts words at signs (foo_bar, foo-bar) but folds case away, so that the capitals inside a word are lost on it.
"""

from __future__ import annotations

import re

from index.analysis import Token, analyse

_COMPOUND = re.compile(r"[^\W\d_]*[a-z][A-Z][^\W\d_]*|[A-Z]{2,}[a-z][^\W\d_]*")
"""Words with a capital inside: parseRequest, HTTPServer."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
"""HTTP, Server; ASCII capitals part words, other letters stay together."""


def compound_parts(text: str) -> list[Token]:
    """The parts of each compound word, analysed as words are, in the order of the text."""
    found: list[Token] = []
    for compound in _COMPOUND.finditer(text):
        parts = list(_PART.finditer(text, *compound.span()))
        if len(parts) > 1:
            found += [Token(t.term, m.start(), m.end(), t.word) for m in parts for t in analyse(m.group())]
    return found
