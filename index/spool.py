"""A sequence on disk, in the order of its keys: for what is reported of each file, or is to be done with it."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar, overload

from index.scratch import Scratch

T = TypeVar("T")


class Spool(Sequence[T]):
    """Values in the order of their keys, as Python orders tuples of strings; with equal keys, in that in which they were put.

    Read it when all is put. It is pickled, copied and compared as the tuple of its values.
    """

    def __init__(self, items: Iterable[tuple[tuple[str, ...], T]] = ()) -> None:
        self._scratch = Scratch("CREATE TABLE items (key BLOB, number INTEGER, item BLOB, PRIMARY KEY (key, number)) WITHOUT ROWID")
        self._length = 0
        for key, value in items:
            self.put(key, value)

    def put(self, key: tuple[str, ...], value: T) -> None:
        """Adds a value. The parts of the key hold no NUL."""
        item = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        self._scratch.run("INSERT INTO items VALUES (?, ?, ?)", (_sortable(key), self._length, item))
        self._length += 1

    def items(self) -> Iterator[tuple[bytes, T]]:
        """The values, each with its key in UTF-8, its parts joined by NULs."""
        for key, item in self._scratch.rows("SELECT key, item FROM items ORDER BY key, number"):
            yield key, pickle.loads(item)

    def __iter__(self) -> Iterator[T]:
        return (value for _, value in self.items())

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        place = range(self._length)[index]  # raises IndexError
        return next(islice(self, place, None))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Spool | tuple) and len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Spool of {self._length:,}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)


def _sortable(key: tuple[str, ...]) -> bytes:
    return "\0".join(key).encode("utf-8", "surrogatepass")
