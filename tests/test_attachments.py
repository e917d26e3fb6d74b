"""The files in a mail as documents of their own: found, cited, exported, verified, kept up to date with their mail."""

from __future__ import annotations

from email.message import EmailMessage

import making_office as making
import pymupdf
import pytest
from making_ole import outlook_mail

from ingest.attachments import attachments_of, located
from ingest.models import SourceFile
from pincite import Library


def pdf(words: str) -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), words)
    return document.tobytes()


def mail(*files: tuple[str, bytes], body: str = "See the files.") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.com", "b@example.com", "Offer"
    message.set_content(body)
    for name, content in files:
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def source(file) -> SourceFile:
    return SourceFile(file=file, root="mails", path=file.name, size=file.stat().st_size, mtime_ns=0)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "mails"
    folder.mkdir()
    inner = mail(("terms.docx", making.contract()))
    (folder / "offer.eml").write_bytes(
        mail(("offer.pdf", pdf("The crane lifts forty tonnes.")), ("../a.txt", b"one"), ("a.txt", b"two"), ("inner.eml", inner))
    )
    return folder


def test_attachments_have_names_without_folders_each_its_own_and_mails_in_mails_are_opened(folder):
    found = list(attachments_of(source(folder / "offer.eml")))
    assert [s.path for s in found] == [
        "offer.eml/offer.pdf",
        "offer.eml/a.txt",
        "offer.eml/a (2).txt",
        "offer.eml/inner.eml",
        "offer.eml/inner.eml/terms.docx",
    ]
    assert found[2].file.read_bytes() == b"two"
    assert all(s.file.as_posix().endswith(s.path) for s in found)
    assert sorted(p.name for p in folder.iterdir()) == ["offer.eml"]


def test_an_attachment_is_located_in_its_mail_and_nothing_else_is(folder):
    assert located(folder / "offer.eml/inner.eml/terms.docx").read_bytes().startswith(b"PK")
    assert located(folder / "offer.eml/offer.pdf").read_bytes().startswith(b"%PDF")
    assert not located(folder / "offer.eml/gone.pdf").exists()
    assert not located(folder / "gone.eml/offer.pdf").exists()
    assert located(folder / "offer.eml") == folder / "offer.eml"


def test_an_outlook_mail_has_its_attachments_too(folder):
    (folder / "offer.msg").write_bytes(outlook_mail(properties={0x1000: "See the file."}, files=[("a.txt", b"one")]))
    (found,) = attachments_of(source(folder / "offer.msg"))
    assert (found.path, found.file.read_bytes()) == ("offer.msg/a.txt", b"one")


def test_a_file_that_is_no_mail_has_no_attachments(folder):
    (folder / "broken.eml").write_bytes(b"\x00\x01 no mail")
    assert list(attachments_of(source(folder / "broken.eml"))) == []


@pytest.mark.real
def test_attachments_go_the_whole_way_and_follow_their_mail(folder, tmp_path):
    with Library.open(tmp_path / "library", create=True) as library:
        library.ingest(folder)
        assert [d.source_document for d in library.documents()] == ["offer.eml"]
        report = library.ingest(folder, attachments=True)
        assert not report.failed
        assert [d.source_document for d in library.documents()] == [
            "offer.eml",
            "offer.eml/a (2).txt",
            "offer.eml/a.txt",
            "offer.eml/inner.eml",
            "offer.eml/inner.eml/terms.docx",
            "offer.eml/offer.pdf",
        ]
        hit = library.search("how much does the crane lift")[0]
        assert (hit.source_document, hit.page_from) == ("offer.eml/offer.pdf", 1)
        (copy,) = library.export([hit], to="pdf", out=tmp_path / "out")
        with pymupdf.open(copy) as annotated:
            assert len(list(annotated[0].annots())) == 1
        (bundle,) = library.export([hit], to="json", out=tmp_path / "out")
        assert library.verify(bundle, root=folder).counts == {"verified": 1}
        assert library.ingest(folder).counts["unchanged"] == 6
        (folder / "offer.eml").write_bytes(mail(("offer.pdf", pdf("The crane lifts fifty tonnes."))))
        assert library.verify(bundle, root=folder).counts == {"changed": 1}
        counts = library.ingest(folder, prune=True).counts
        assert (counts["updated"], counts["removed"]) == (2, 4)
        (folder / "offer.eml").unlink()
        library.ingest(folder, prune=True)
        assert library.documents() == []


@pytest.mark.real
def test_attachments_are_found_again_where_an_outer_folder_takes_their_root_over(folder, tmp_path):
    with Library.open(tmp_path / "library", create=True) as library:
        library.ingest(folder, attachments=True)
        report = library.ingest(folder.parent, prune=True)
        found = {f.path: f.change for f in report.files if f.path.startswith(f"{folder.name}/offer.eml")}
        assert (len(found), set(found.values())) == (6, {"unchanged"})
        assert len(library.documents()) == 6
