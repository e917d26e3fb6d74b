"""What a run gathers of each file lies on disk, in order."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.scratch import Scratch
from index.spool import Spool
from ingest.errors import LibraryError

PARTS = st.text(st.characters(exclude_characters="\0"), max_size=3)


@given(st.lists(st.tuples(PARTS, PARTS)))
def test_values_come_in_the_order_of_their_keys_and_equal_keys_as_they_were_put(keys):
    items = [(key, number) for number, key in enumerate(keys)]
    assert list(Spool(items)) == [number for _, number in sorted(items)]


def test_a_spool_is_read_like_a_tuple():
    spool = Spool([(("b",), "two"), (("a",), "one"), (("c",), "three")])
    assert (len(spool), spool[0], spool[-1], spool[1:]) == (3, "one", "three", ("two", "three"))
    assert "two" in spool
    assert spool.index("three") == 2
    with pytest.raises(IndexError):
        spool[3]


def test_a_spool_equals_the_tuple_of_its_values_and_is_copied_as_one():
    spool = Spool([(("b",), 2), (("a",), 1)])
    assert spool == (1, 2)
    assert spool == Spool([(("x",), 1), (("y",), 2)])
    assert spool != (2, 1)
    assert spool != (1, 2, 3)
    assert (copy.deepcopy(spool), pickle.loads(pickle.dumps(spool))) == ((1, 2), (1, 2))


def test_an_empty_spool_is_false():
    assert not Spool()
    assert list(Spool()) == []


def test_two_readers_of_a_spool_do_not_disturb_each_other():
    spool = Spool(((str(n),), n) for n in range(5))
    first, second = iter(spool), iter(spool)
    assert [next(first), next(first), next(second), next(first)] == [0, 1, 0, 2]


@pytest.mark.parametrize("put", [lambda s, sql, row: s.fill(sql, [row]), lambda s, sql, row: s.run(sql, row)])
def test_where_the_disk_takes_no_more_it_is_said(put):
    scratch = Scratch("CREATE TABLE items (item BLOB); PRAGMA max_page_count = 8")
    with pytest.raises(LibraryError, match="temporary file: database or disk is full"):
        put(scratch, "INSERT INTO items VALUES (?)", (bytes(100_000),))


@pytest.mark.parametrize("ask", [lambda s: s.row("SELECT x FROM nowhere"), lambda s: list(s.rows("SELECT x FROM nowhere"))])
def test_what_can_not_be_read_back_is_said(ask):
    with pytest.raises(LibraryError, match="temporary file"):
        ask(Scratch("CREATE TABLE items (item BLOB)"))
