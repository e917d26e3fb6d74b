"""A text in the forms that quotations are compared with, each made once, when it is asked for."""

from __future__ import annotations

from functools import cached_property

from index.models import DocumentText
from ingest.models import SilentRange, Span
from query.note_marks import without_note_marks
from query.quotation import Words, letters_of, places, words_of


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
    """A text without certain silent ranges."""

    def __init__(self, text: str, silent: tuple[SilentRange, ...]) -> None:
        self.text, self.silent = text, silent

    @cached_property
    def letters(self) -> str:
        return letters_of(self.text, self.silent)

    @cached_property
    def words(self) -> Words:
        return words_of(self.text, self.silent)

    def places(self, wanted: Words) -> list[Span]:
        if not wanted.letters or wanted.letters not in self.letters:
            return []
        return list(places(self.words, wanted))
