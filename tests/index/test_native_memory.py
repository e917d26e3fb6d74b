"""What the engines free goes back to the system."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from index.native_memory import LARGE

ASKED_TWICE = """
import ctypes, sys
from index.native_memory import give_back_large_blocks
if sys.argv[1] == "given back":
    give_back_large_blocks()
c = ctypes.CDLL(None)
c.malloc.restype = ctypes.c_void_p
c.free(ctypes.c_void_p(c.malloc(int(sys.argv[2]))))  # what glibc learns from
c.malloc(int(sys.argv[2]) - 1024)
class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks mapped rest1 rest2 rest3 rest4 rest5".split()]
c.mallinfo2.restype = Info
print(c.mallinfo2().mapped)
"""


def test_it_is_said_whether_the_c_library_can():
    code = "from index.native_memory import give_back_large_blocks; print(give_back_large_blocks())"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == str(platform.libc_ver()[0] == "glibc")


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or tuple(map(int, platform.libc_ver()[1].split("."))) < (2, 33),
    reason="elsewhere nothing is set: only glibc keeps large freed blocks; what it keeps is told by mallinfo2, from 2.33 on",
)
@pytest.mark.parametrize(("how", "goes_back"), [("given back", True), ("as it is", False)])
def test_a_large_block_is_one_of_its_own_however_many_were_freed_before(how, goes_back):
    run = subprocess.run([sys.executable, "-c", ASKED_TWICE, how, str(8 * LARGE)], check=True, capture_output=True, text=True)
    assert (int(run.stdout) >= 7 * LARGE) is goes_back
