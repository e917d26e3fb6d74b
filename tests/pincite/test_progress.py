"""Ctrl-C while an ingest is running."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress

import pytest

from pincite.cli.progress import progress


@pytest.fixture(autouse=True)
def _interruptible():
    """However the tests were started: jobs in the background of a shell ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def swallowing() -> None:
    with suppress(KeyboardInterrupt):  # as an engine may
        signal.raise_signal(signal.SIGINT)


def panicking() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("a panic") from None


def test_an_interrupt_that_was_swallowed_ends_the_work_at_the_next_file():
    before, done = signal.getsignal(signal.SIGINT), 0

    def work() -> None:
        nonlocal done
        with progress() as watch:
            swallowing()
            watch.advance(files=1)
            done += 1

    with pytest.raises(KeyboardInterrupt):
        work()
    assert not done
    assert signal.getsignal(signal.SIGINT) is before


def test_work_that_nobody_interrupts_goes_on():
    with progress() as watch:
        watch.start(files=1)
        watch.advance(files=1)


@pytest.mark.parametrize("engine", [swallowing, panicking])
def test_an_interrupt_in_the_last_file_or_the_commit_ends_the_work_whatever_became_of_it(engine: Callable[[], None]):
    with pytest.raises(KeyboardInterrupt), progress():
        engine()


def test_a_job_in_the_background_goes_on():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with progress() as watch:
            signal.raise_signal(signal.SIGINT)
            watch.advance(files=1)
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_of_work_that_nobody_interrupts_stays_what_it_is():
    with pytest.raises(RuntimeError, match="a panic"), progress():
        raise RuntimeError("a panic")
