"""The files in a mail as source documents of their own, `mail.eml/offer.pdf`: their bytes are the attachment's.

They are copied into a folder of this process, which goes with it; nothing is written beside the mail.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import SourceError
from ingest.models import SourceFile

if TYPE_CHECKING:
    from ingest.elements.mail import Attachment

MAIL = frozenset({".eml", ".msg"})
MAX_ATTACHMENTS = 1_000
"""More files than this in one mail are left where they are."""
_DEEPEST = 3
"""Mails in mails that are opened."""


def attachments_of(mail: SourceFile, depth: int = 1) -> Iterator[SourceFile]:
    """The attachments of a mail, those of attached mails too; none of a file that is no mail, or can't be read as one."""
    if mail.file.suffix.lower() not in MAIL or depth > _DEEPEST:
        return
    try:
        found = _attachments(mail.file, mail.path)
    except (SourceError, OSError):
        return  # the mail itself is reported when it is read
    for name, attachment in found.items():
        file = _copied(mail.file, mail.path, name, attachment)
        inner = SourceFile(
            file=file, root=mail.root, path=f"{mail.path}/{name}", size=len(attachment.content), mtime_ns=mail.mtime_ns
        )
        yield inner
        yield from attachments_of(inner, depth + 1)


def located(path: Path) -> Path:
    """The path itself; of an attachment's (`…/mail.eml/offer.pdf`) a copy of the attachment, if the mail is there and has it."""
    if path.is_file():
        return path
    mail = next((p for p in path.parents if p.suffix.lower() in MAIL and p.is_file()), None)
    if mail is None:
        return path
    wanted = path.relative_to(mail).parts
    shown = mail.name
    for number, name in enumerate(wanted, start=1):
        try:
            attachment = _attachments(mail, shown).get(name)
        except (SourceError, OSError):
            return path
        if attachment is None:
            return path
        mail, shown = _copied(mail, shown, name, attachment), f"{shown}/{name}"
        if number < len(wanted) and mail.suffix.lower() not in MAIL:
            return path
    return mail


def _attachments(mail: Path, shown: str) -> dict[str, Attachment]:
    """By name; equal names are told apart by a number."""
    from ingest.elements.mail import attachments

    named: dict[str, Attachment] = {}
    for attachment in attachments(mail.read_bytes(), shown)[:MAX_ATTACHMENTS]:
        stem, suffix = Path(attachment.name).stem, Path(attachment.name).suffix
        names = (attachment.name if n == 1 else f"{stem} ({n}){suffix}" for n in range(1, MAX_ATTACHMENTS + 2))
        named[next(name for name in names if name not in named)] = attachment
    return named


def _copied(mail: Path, shown: str, name: str, attachment: Attachment) -> Path:
    """A copy whose path ends as the attachment's is shown."""
    key = blake2b(f"{mail}\0{name}".encode("utf-8", "surrogatepass") + attachment.content, digest_size=12).hexdigest()
    file = Path(_folder().name) / key / shown / name
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(attachment.content)
    return file


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pincite-mail-", ignore_cleanup_errors=True)
