"""E-mail (RFC 5322, `.eml`; Outlook's `.msg`) to pieces: the body, then the attachments by name; headers become properties.

The body is the HTML part where there is one (read as any page is), else the plain text. The subject is the document's title.
Nothing that the mail links to is fetched; attachments are named, not opened.
"""

from __future__ import annotations

import email
import email.policy
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.message import EmailMessage

from ingest.elements import engine
from ingest.elements.containers import OLE, damaged
from ingest.elements.html import html_content, refuse_binary
from ingest.elements.pieces import Content, Piece
from ingest.errors import EncryptedSource, WrongFormat
from ingest.plaintext import paragraphs

_HEADERS = ("Subject", "From", "To", "Cc", "Date", "Message-ID", "In-Reply-To", "Reply-To")
_LONGEST_NAME = 60
_HEADER = re.compile(rb"(?:From |[!-9;-~]+[ \t]*:)")
_MESSAGE_ERRORS = (ValueError, LookupError, AttributeError, TypeError, IndexError)
"""What the standard library may raise for a header or part that is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file in a mail, under a name that is a name (no folder in it)."""

    name: str
    media_type: str
    content: bytes


def parse_eml(raw: bytes, shown: str) -> Content:
    """The content of a mail. Raises EncryptedSource, WrongFormat, UnreadableSource."""
    message = _message(raw, shown)
    if message.get_content_type() in ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"):
        raise EncryptedSource(
            shown, "the mail is encrypted", next_step="Save a decrypted copy from the mail program and ingest that."
        )
    content = _body(message)
    properties = tuple((name.lower(), value) for name in _HEADERS if (value := _header(message, name)))
    return _mail(content, properties, list(_attachments(message)))


def attachments(raw: bytes, shown: str) -> list[Attachment]:
    """The files in a mail, in order. Raises WrongFormat, UnreadableSource."""
    return _outlook(raw, shown)[3] if raw.startswith(OLE) else list(_attachments(_message(raw, shown)))


def parse_msg(raw: bytes, shown: str) -> Content:
    """The content of an Outlook mail. Raises WrongFormat, UnreadableSource."""
    if not raw.startswith(OLE):
        raise WrongFormat(shown, "not an Outlook mail (no OLE header)")
    said, html, plain, files = _outlook(raw, shown)
    content = html_content(html) if html else _plain(plain)
    return _mail(replace(content, parser=engine.engine_name("python-oxmsg")), said, files)


def _outlook(raw: bytes, shown: str) -> tuple[tuple[tuple[str, str], ...], str, str, list[Attachment]]:
    """What is said of an Outlook mail, its HTML and plain body ("" for none), its files."""
    from oxmsg import Message

    try:
        message = Message.load(io.BytesIO(raw))
        headers = {name.lower(): value for name, value in message.message_headers.items()}
        said = {
            "subject": message.subject,
            "from": message.sender,
            "to": ", ".join(f"{r.name} <{r.email_address}>" for r in message.recipients),
            "cc": headers.get("cc"),
            "date": message.sent_date.isoformat() if message.sent_date else None,
            "message-id": headers.get("message-id"),
        }
        files = [
            Attachment(name=_file_name(a.file_name) or f"attachment-{n}", media_type=a.mime_type or "", content=a.file_bytes or b"")
            for n, a in enumerate(message.attachments, start=1)
        ]
        html, plain = message.html_body or "", message.body or ""
    except Exception as error:  # the library has no error of its own
        raise damaged(shown, "email", error) from error
    return tuple((name, " ".join(v.split())) for name, v in said.items() if v and v.strip()), html, plain, files


def _message(raw: bytes, shown: str) -> EmailMessage:
    refuse_binary(raw, shown, "a mail")
    if not _HEADER.match(raw.lstrip(b"\r\n")):
        raise WrongFormat(shown, "not a mail: it begins with no header")
    message = email.message_from_bytes(raw.lstrip(b"\r\n"), policy=email.policy.default)
    if not any(name in message for name in ("From", "To", "Subject", "Date", "Received")):
        raise WrongFormat(shown, "not a mail: it has none of a mail's headers")
    return message


def _body(message: EmailMessage) -> Content:
    part = message.get_body(("html", "plain"))
    if not isinstance(part, EmailMessage):
        return Content(pieces=(), parser=engine.engine_name())
    text = _text(part)
    return html_content(text) if part.get_content_subtype() == "html" else _plain(text)


def _text(part: EmailMessage) -> str:
    """A part's characters; bytes that its character set doesn't have are replaced."""
    try:
        text = part.get_content()
    except _MESSAGE_ERRORS:
        raw = part.get_payload(decode=True)
        text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
    return text if isinstance(text, str) else ""


def _plain(text: str) -> Content:
    pieces = tuple(Piece(text=b.span.slice(text)) for b in paragraphs(text, 0, len(text)))
    return Content(pieces=pieces, parser=engine.engine_name())


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except _MESSAGE_ERRORS:
        return ""


def _attachments(message: EmailMessage) -> Iterator[Attachment]:
    try:
        parts = list(message.iter_attachments())
    except _MESSAGE_ERRORS:
        return
    for number, part in enumerate(parts, start=1):
        name = _file_name(part.get_filename() or ("message.eml" if part.get_content_maintype() == "message" else ""))
        yield Attachment(name=name or f"attachment-{number}", media_type=part.get_content_type(), content=_bytes(part))


def _bytes(part: EmailMessage) -> bytes:
    try:
        content = part.get_content()
    except _MESSAGE_ERRORS:
        content = part.get_payload(decode=True)
    if isinstance(content, EmailMessage):
        return content.as_bytes()
    if isinstance(content, str):
        raw = part.get_payload(decode=True)
        return raw if isinstance(raw, bytes) else content.encode("utf-8", "surrogateescape")
    return content if isinstance(content, bytes) else b""


def _file_name(name: str | None) -> str:
    """The last part of a path, without control characters, short enough for any file system; "" for none."""
    last = re.split(r"[/\\]", name or "")[-1]
    stem, dot, suffix = re.sub(r"[\x00-\x1f\x7f]", "", last).strip().rpartition(".")
    clean = f"{stem[:_LONGEST_NAME]}{dot}{suffix[:_LONGEST_NAME] if not stem else suffix[:10]}"
    return "" if clean in (".", "..") else clean


def _mail(content: Content, properties: tuple[tuple[str, str], ...], attachments: list[Attachment]) -> Content:
    """The body, and the names of the attachments as a list after it."""
    named = tuple(
        Piece(text=f"Attachment: {a.name}" + (f" ({a.media_type})" if a.media_type else ""), role="list") for a in attachments
    )
    said = dict(properties)
    return replace(content, pieces=(*content.pieces, *named), title=said.get("subject"), properties=properties)
