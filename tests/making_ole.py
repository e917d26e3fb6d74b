"""A compound file ([MS-CFB]) and an Outlook mail in one ([MS-OXMSG]), by hand: just enough to be read, for tests.

Version 3, sectors of 512 bytes. Every stream lies in the mini stream, so none may have 4,096 bytes or more, all together 60 kB.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

Tree = Mapping[str, "bytes | Tree"]

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_STORAGE, _STREAM, _ROOT = 1, 2, 5


def outlook_mail(*, properties: Mapping[int, str | bytes], files: Sequence[tuple[str, bytes]] = ()) -> bytes:
    """A mail with such properties by number (0x0037 is the subject, 0x1000 the plain body, 0x1013 the HTML body), and files."""
    tree: dict[str, bytes | Tree] = _storage(properties, header=32)
    for n, (name, content) in enumerate(files):
        tree[f"__attach_version1.0_#{n:08X}"] = _storage({0x3707: name, 0x3701: content}, header=8)
    return compound_file(tree)


def _storage(properties: Mapping[int, str | bytes], *, header: int) -> dict[str, bytes | Tree]:
    streams: dict[str, bytes | Tree] = {}
    entries = b""
    for number, value in properties.items():
        kind, raw = (0x001F, value.encode("utf-16-le")) if isinstance(value, str) else (0x0102, value)
        size = len(raw) + 2 * isinstance(value, str)
        entries += struct.pack("<HHIII", kind, number, 6, size, 0)
        streams[f"__substg1.0_{number:04X}{kind:04X}"] = raw
    return {"__properties_version1.0": bytes(header) + entries, **streams}


def compound_file(tree: Tree) -> bytes:
    """The bytes of a file whose root storage holds `tree`: streams, and storages with streams."""
    entries: list[list[object]] = [["Root Entry", _ROOT, _FREE, _FREE, 0, 0]]  # name, kind, right sibling, child, start, size
    mini, mini_fat = bytearray(), list[int]()
    _add(tree, 0, entries, mini, mini_fat)
    counts = [-(-len(entries) // 4), -(-len(mini_fat) // 128), -(-len(mini) // 512)]  # sectors of each part, after that of the FAT
    starts = [1, 1 + counts[0], 1 + counts[0] + counts[1]]
    entries[0][4:] = [starts[2], len(mini)]
    fat = [_FAT]
    for count in counts:
        fat += [*range(len(fat) + 1, len(fat) + count), _END]
    parts = [
        struct.pack(f"<{len(fat)}I", *fat).ljust(512, b"\xff"),
        b"".join(_entry(*entry) for entry in entries).ljust(counts[0] * 512, b"\0"),
        struct.pack(f"<{len(mini_fat)}I", *mini_fat).ljust(counts[1] * 512, b"\xff"),
        bytes(mini).ljust(counts[2] * 512, b"\0"),
    ]
    magic = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    kinds = struct.pack("<8s16sHHHHH6s", magic, bytes(16), 0x3E, 3, 0xFFFE, 9, 6, bytes(6))
    where = struct.pack("<10I", 0, 1, starts[0], 0, 4096, starts[1], counts[1], _END, 0, 0)
    return (kinds + where).ljust(512, b"\xff") + b"".join(parts)


def _add(tree: Tree, parent: int, entries: list[list[object]], mini: bytearray, mini_fat: list[int]) -> None:
    before = None
    for name, content in sorted(tree.items(), key=lambda item: (len(item[0]), item[0].upper())):
        here = len(entries)
        if before is None:
            entries[parent][3] = here
        else:
            entries[before][2] = here
        before = here
        if isinstance(content, bytes):
            start, count = len(mini) // 64, -(-len(content) // 64)
            mini += content.ljust(count * 64, b"\0")
            mini_fat += [*range(start + 1, start + count), _END] if count else []
            entries.append([name, _STREAM, _FREE, _FREE, start if count else _END, len(content)])
        else:
            entries.append([name, _STORAGE, _FREE, _FREE, 0, 0])
            _add(content, here, entries, mini, mini_fat)


def _entry(name: object, kind: object, right: object, child: object, start: object, size: object) -> bytes:
    raw = str(name).encode("utf-16-le") + b"\0\0"
    links = struct.pack("<64sHBBIII", raw, len(raw), kind, 1, _FREE, right, child)
    return links + struct.pack("<16sI8s8sIII", bytes(16), 0, bytes(8), bytes(8), start, size, 0)
