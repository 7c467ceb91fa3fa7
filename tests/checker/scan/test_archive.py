"""Archives are read member by member, without a file on disk."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.scan.observe import observe
from tests.needs import ROOT

pytestmark = pytest.mark.rule("reading")

KEYS = frozenset({"log CUDA out of memory"})
TEXT = b"step 1\nRuntimeError: CUDA out of memory. Tried\nlast\n"
LONG = "l" * 120


def packed(members: dict[str, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    """Make an archive of files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def read(path: Path) -> list[tuple[str, str, object, int]]:
    """Say what became of an archive: name behind it, status, reason, number of hits."""
    seen = observe([str(path)], KEYS)
    hits = [hit.line.path for hit in seen.hits]
    return [
        (given.path[len(str(path)) :], given.status, given.reason, hits.count(given.path))
        for given in seen.inputs
    ]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_members_are_files(tmp_path: Path, pack: Callable[[bytes], bytes], form: int) -> None:
    """An archive of any kind, packed or not, is the logs in it, sorted by name."""
    path = tmp_path / "logs.tar.gz"
    path.write_bytes(pack(packed({"b/1.log": TEXT, "./a.log": TEXT * 3000}, form)))
    assert read(path) == [
        ("!/a.log", "read", None, 64),
        ("!/b/1.log", "read", None, 1),
    ]


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_read(tmp_path: Path, form: int) -> None:
    """A name that does not fit into a header stands before it."""
    path = tmp_path / "logs.tar"
    path.write_bytes(packed({LONG + "/" + LONG + ".log": TEXT, "b.log": TEXT}, form))
    assert [name for name, *_ in read(path)] == ["!/b.log", f"!/{LONG}/{LONG}.log"]


def test_ranks_come_from_the_names_of_members(tmp_path: Path) -> None:
    """A launcher's layout is known inside an archive as it is in a folder."""
    path = tmp_path / "logs.tar"
    path.write_bytes(packed({f"attempt_0/{rank}/stderr.log": TEXT for rank in range(2)}))
    seen = observe([str(path)], KEYS)
    assert [(hit.line.writer.local_rank, hit.line.writer.attempt) for hit in seen.hits] == [
        (0, 0),
        (1, 0),
    ]


def test_what_is_packed_inside_is_unpacked(tmp_path: Path) -> None:
    """Rotated logs are packed in themselves, and archives may lie in archives."""
    path = tmp_path / "logs.tar"
    inner = packed({"x.log": TEXT})
    path.write_bytes(packed({"a.log.1.gz": gzip.compress(TEXT), "n.tgz": gzip.compress(inner)}))
    assert read(path) == [
        ("!/a.log.1.gz", "read", None, 1),
        ("!/n.tgz!/x.log", "read", None, 1),
    ]


def test_what_is_no_log_is_said(tmp_path: Path) -> None:
    """Members are judged as files of a folder are; links and folders are none."""
    path = tmp_path / "logs.tar"
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, kind in (("d", tarfile.DIRTYPE), ("l", tarfile.SYMTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
        for name, content in (
            ("train.py", TEXT),
            (".hidden/x.log", TEXT),
            ("e.log", b""),
            ("m.bin", bytes(range(256))),
        ):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    path.write_bytes(made.getvalue())
    assert read(path) == [
        ("", "unreadable", "an archive without logs", 0),
        ("!/e.log", "skipped", "empty", 0),
        ("!/m.bin", "skipped", "binary", 0),
        ("!/train.py", "skipped", "not a log by its name", 0),
    ]


def test_names_of_members_are_only_shown(tmp_path: Path) -> None:
    """A name that leads elsewhere or would move the cursor opens and does nothing."""
    path = tmp_path / "logs.tar"
    path.write_bytes(packed({"../../etc/\x1b[2Jpasswd": TEXT, "/root/x.log": TEXT}))
    assert [name for name, *_ in read(path)] == ["!/../../etc/?[2Jpasswd", "!/root/x.log"]


@pytest.mark.parametrize(
    ("keep", "reason"),
    [
        (512 + 20, "cut tar archive, read to where it is cut"),
        (1024 + 20, "damaged tar archive, read up to the damage"),
    ],
)
def test_a_cut_archive_is_read_to_where_it_is_cut(tmp_path: Path, keep: int, reason: str) -> None:
    """What came before the cut counts, and the archive says so."""
    path = tmp_path / "logs.tar"
    path.write_bytes(packed({"a.log": TEXT, "b.log": TEXT})[:keep])
    found = read(path)
    assert found[0] == ("", "unreadable", reason, 0)
    assert found[1][:2] == ("!/a.log", "read")


def test_a_log_that_speaks_of_archives_is_a_log(tmp_path: Path) -> None:
    """The five letters of an archive's header do not make one."""
    path = tmp_path / "a.log"
    path.write_bytes(b"x" * 257 + b"ustar\n" + TEXT * 20)
    assert [entry[1] for entry in read(path)] == ["read"]


def test_a_huge_archive_needs_little_memory(tmp_path: Path) -> None:
    """Hundreds of megabytes of members are read in the memory of a small log."""
    path = tmp_path / "logs.tar.gz"
    large = b"step 1 loss 2.5 of some run that went on and on\n" * 2_000_000
    path.write_bytes(gzip.compress(packed({"a.log": large, "b.bin": b"\0" * 100_000_000}), 1))
    program = (
        "import sys; from checker.scan.observe import observe;"
        "observe(sys.argv[1:], frozenset({'log CUDA out of memory'}));"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=str(ROOT))
    assert int(done.stdout) < 64 * 1024
