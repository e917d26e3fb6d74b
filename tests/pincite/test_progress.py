"""Ctrl-C while an ingest is running."""

from __future__ import annotations

import signal
from contextlib import suppress

import pytest

from pincite.cli.progress import progress


def test_an_interrupt_that_was_swallowed_ends_the_work_at_the_next_file():
    before = signal.getsignal(signal.SIGINT)
    with progress() as watch:
        watch.start(files=2)
        with suppress(KeyboardInterrupt):  # as an engine may
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            watch.advance(files=1)
    assert signal.getsignal(signal.SIGINT) is before


def test_work_that_nobody_interrupts_goes_on():
    with progress() as watch:
        watch.start(files=1)
        watch.advance(files=1)
