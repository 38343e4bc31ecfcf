"""Targets, atomic writing, logs and claims."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from platform import node

import numpy as np
import pytest

from closedhand import InputError
from closedhand.core import files
from closedhand.core.file_kinds import MATCH, NETWORK, FileKind, begun, holds, marked
from closedhand.core.files import (
    Claims,
    Log,
    WriteError,
    refuse_foreign,
    replacing,
    target,
    write_atomically,
)
from closedhand.core.reading import LIMITS, read_arrays

HOLD = """
import sys
from pathlib import Path
from closedhand.core.files import Claims
with Claims() as claims:
    getattr(claims, sys.argv[1])(*map(Path, sys.argv[2:]))
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.json"


def test_a_file_is_replaced_with_its_permissions(path: Path) -> None:
    write_atomically(path, "one")
    path.chmod(0o640)
    write_atomically(path, b"two")
    assert path.read_text() == "two" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(path.parent.iterdir()) == [path]


def test_a_private_file_is_for_its_owner_alone(path: Path) -> None:
    for mode in (0o600, 0o644):
        write_atomically(path, "one", private=True)
        assert path.read_text() == "one" and stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(mode)


def test_an_error_leaves_the_file_as_it_was(path: Path) -> None:
    write_atomically(path, "good")
    with pytest.raises(ZeroDivisionError), replacing(path) as part:
        part.write_text("half")
        raise ZeroDivisionError
    with pytest.raises(WriteError, match=r"cannot write .*: No such file"), replacing(path):
        pass  # nothing was written
    assert path.read_text() == "good" and list(path.parent.iterdir()) == [path]


def test_it_is_replaced_only_when_it_is_complete(path: Path) -> None:
    write_atomically(path, "good")
    with replacing(path) as part:
        part.write_text("new")
        assert path.read_text() == "good"
    assert path.read_text() == "new"


def test_a_link_stays_and_its_target_is_written(path: Path, tmp_path: Path) -> None:
    behind = tmp_path / "elsewhere" / "file.json"
    path.symlink_to(behind)
    for content in ("one", "two"):
        write_atomically(path, content)
        assert path.is_symlink() and behind.read_text() == content


BAD: dict[str, tuple[str, Callable[[Path], object]]] = {
    "folder": ("it is a folder", Path.mkdir),
    "device": ("it is not a regular file", lambda path: path.symlink_to("/dev/null")),
    "pipe": ("it is not a regular file", os.mkfifo),
    "loop": ("symbolic links", lambda path: path.symlink_to(path)),
    "below": ("Not a directory", lambda path: path.symlink_to("/dev/null/x")),
}


def written(status: os.stat_result) -> tuple[int, ...]:
    """Return what writing changes: not the time of access, which following a link sets anew."""
    return (
        status.st_mode,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize(
    "write",
    [target, lambda path: write_atomically(path, "x"), Log, lambda path: Claims().files(path)],
)
def test_only_regular_files_are_written(
    kind: str, write: Callable[[Path], object], path: Path
) -> None:
    reason, make = BAD[kind]
    make(path)
    before = written(path.lstat())
    with pytest.raises(WriteError, match=reason) as error:
        write(path)
    assert str(error.value).startswith(f"cannot write {path}") and "\n" not in str(error.value)
    assert written(path.lstat()) == before and list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("length", [245, 255, 300])
def test_a_name_without_room_for_that_of_its_part_is_refused_at_once(
    length: int, tmp_path: Path
) -> None:
    with pytest.raises(WriteError, match=r"cannot write .*: File name too long"):
        Claims().files(tmp_path / ("a" * length))
    assert not list(tmp_path.iterdir())


def test_a_log_is_begun_with_its_first_text(path: Path) -> None:
    log = Log(path)
    assert not path.exists()
    log.write("one\n")
    assert path.read_text() == "one\n"
    log.write("two\n")
    assert path.read_text() == "one\ntwo\n"
    with pytest.raises(InputError, match="it exists"):
        Log(path)
    path.write_text("")
    log = Log(path)
    log.write("three")
    assert path.read_text() == "three"


def test_only_one_of_two_logs_of_a_name_is_written(path: Path) -> None:
    first, second = Log(path), Log(path)
    first.write("one")
    with pytest.raises(WriteError, match="it exists"):
        second.write("two")
    first.write("three")
    assert path.read_text() == "onethree"


def test_a_log_on_a_full_disk_keeps_whole_texts(path: Path) -> None:
    resource = pytest.importorskip("resource")
    log = Log(path)
    log.write("a" * 90)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(WriteError, match="File too large"):
            log.write("b" * 90)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "a" * 90


def holding(kind: str, *paths: Path) -> subprocess.Popen[str]:
    """A process that claims something until its input ends."""
    program = [sys.executable, "-c", HOLD, kind, *map(str, paths)]
    process = subprocess.Popen(program, stdin=-1, stdout=-1, text=True)
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


def holder(process: subprocess.Popen[str]) -> str:
    """How an error names the process; nobody reads a locked file on Windows."""
    return "another process" if os.name == "nt" else f"process {process.pid} on "


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["files", "folder"])
@pytest.mark.parametrize("end", ["closed", "killed"])
def test_two_processes_cannot_claim_the_same(kind: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "it"
    with holding(kind, path) as other:
        for name in (path, tmp_path / "." / "it"):
            with Claims() as claims, pytest.raises(WriteError) as error:
                getattr(claims, kind)(name)
            assert holder(other) in str(error.value)
        with Claims() as claims:
            claims.files(tmp_path / "another")
        if end == "killed":
            other.kill()
        other.communicate()
    with Claims() as claims:
        getattr(claims, kind)(path)
    assert not list(tmp_path.rglob(".*"))


@pytest.mark.parametrize("name", ["name", "name\nof two lines"])
def test_who_holds_a_claim_shares_it(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    with Claims() as claims:
        claims.folder(folder)
        with Claims() as inner:
            inner.folder(folder)
        assert (folder / ".lock").exists()
    assert not list(folder.iterdir())


@pytest.mark.parametrize("text", ["", "x", "/elsewhere/.lock\n"])
def test_claims_of_other_files_are_none(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(files.CLAIMED, text)
    with Claims() as claims:
        claims.folder(tmp_path)
        assert (tmp_path / ".lock").exists()
    assert not list(tmp_path.iterdir())


def test_one_file_is_not_claimed_twice(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a")
    for second in ("a", "b/../a", "A", "link"):
        with Claims() as claims, pytest.raises(WriteError, match="two results"):
            claims.files(tmp_path / "a", tmp_path / second)


def test_what_a_killed_process_left_half_written_is_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = {f".a.{ended.pid}.part": False, f".a.{os.getpid()}.part": True, "a.part": True}
    names |= {f"free/.a.{ended.pid}.part": False}
    # A process of that number may write on another machine, where that holds a lock.
    for folder, lock, machine in (
        ("folder", ".lock", "elsewhere"), ("file", ".a.lock", "elsewhere"),
        ("here", ".lock", node()),
    ):  # fmt: skip
        names |= {f"{folder}/.a.{ended.pid}.part": machine != node()}
        (tmp_path / folder).mkdir()
        (tmp_path / folder / lock).write_text(f"{ended.pid}\n{machine}\n")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("half")
    with Claims() as claims:
        claims.files(tmp_path / "a")
        claims.folder(tmp_path)
        assert {name: (tmp_path / name).exists() for name in names} == names


@pytest.mark.parametrize("reason", [errno.ENOSYS, errno.ENOLCK])
def test_a_missing_lock_is_told(
    reason: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def missing(file: int, operation: int) -> None:
        raise OSError(reason, "not here")

    monkeypatch.setattr(fcntl, "flock", missing)
    with Claims() as claims, pytest.warns(UserWarning, match="no locks in this file system"):
        claims.folder(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_lock_that_nobody_holds_is_taken_over(tmp_path: Path) -> None:
    for name in (".lock", ".it.lock"):
        (tmp_path / name).write_text("1\nelsewhere\n")
    with Claims() as claims:
        claims.files(tmp_path / "it")
    with Claims() as claims:
        claims.folder(tmp_path)
        assert (tmp_path / ".lock").read_text().startswith(f"{os.getpid()}\n")
    assert not list(tmp_path.iterdir())


def test_a_lock_of_another_program_stays(tmp_path: Path) -> None:
    """It is not asked for in the folders above, and refused where ours would be."""
    lock, text = tmp_path / ".lock", '{"version": 3}\n'
    lock.write_text(text)
    with Claims() as claims:
        claims.files(tmp_path / "match.json", tmp_path / "folder" / "other.json")
        claims.folder(tmp_path / "runs")
    with Claims() as claims, pytest.raises(WriteError, match="belongs to another program"):
        claims.folder(tmp_path)
    assert lock.read_text() == text


def test_a_link_in_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("kept")
    (tmp_path / ".lock").symlink_to("precious")
    with Claims() as claims, pytest.raises(WriteError, match="cannot write"):
        claims.folder(tmp_path)
    assert (tmp_path / "precious").read_text() == "kept"


def test_arrays_come_back(tmp_path: Path) -> None:
    files.write_arrays(tmp_path / "x.npz", {"a": np.arange(3)})
    assert read_arrays(tmp_path / "x.npz")["a"].tolist() == [0, 1, 2]


def test_no_empty_lock_stays_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Claims() as claims, monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(WriteError, match="No space left"):
            claims.folder(tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_a_claimed_folder_protects_what_is_in_it(tmp_path: Path) -> None:
    """A command writes to its folder and to those in it."""
    within = tmp_path / "runs" / "cfr"
    within.mkdir(parents=True)
    with holding("folder", tmp_path / "runs") as other:
        for path in (tmp_path / "runs" / "learner.npz", within / "learner.npz"):
            with Claims() as claims, pytest.raises(WriteError) as error:
                claims.files(path)
            expected = f"cannot write {path}: {holder(other)}"
            assert str(error.value).startswith(expected)
            assert str(error.value).endswith(f" writes to {tmp_path / 'runs'}")
        with Claims() as claims, pytest.raises(WriteError, match="writes to"):
            claims.folder(within)
        with Claims() as claims:
            claims.files(tmp_path / "another.json")
        other.communicate()
    with Claims() as claims:
        claims.files(within / "learner.npz")


def test_a_claimed_file_protects_its_folder(tmp_path: Path) -> None:
    with holding("files", tmp_path / "learner.npz") as other:
        with Claims() as claims, pytest.raises(WriteError, match=holder(other)):
            claims.folder(tmp_path)
        other.communicate()
    with Claims() as claims:
        claims.folder(tmp_path)


def test_a_header_of_endless_brackets_is_no_network(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    path.write_bytes((10**5).to_bytes(8, "little") + b"[" * 10**5)
    assert not holds(NETWORK, path)


def replace_foreign(path: Path, kind: FileKind) -> None:
    """Check a file under `--overwrite`."""
    files.overwrite.set(True)
    refuse_foreign(path, kind)


def test_what_is_of_another_kind_is_not_written_over(path: Path) -> None:
    kind = FileKind("a poem", lambda path: path.read_text().startswith("rose"))
    refuse_foreign(path, kind)  # nothing is there
    path.write_text("")
    refuse_foreign(path, kind)  # nothing is in it
    path.write_text("rose is a rose")
    refuse_foreign(path, kind)
    for other in (b"a thesis", b"\xff"):
        path.write_bytes(other)
        with pytest.raises(WriteError) as error:
            refuse_foreign(path, kind)
        assert str(error.value) == (
            f"cannot write {path}: it exists and is not a poem; --overwrite replaces it"
        )
        copy_context().run(replace_foreign, path, kind)


def test_own_results_beyond_a_limit_are_not_called_foreign(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands write results of any size: the advice must not be to replace them."""
    path.write_text('{"game": "leduc", "deals": 1, "pairs": []}')
    refuse_foreign(path, MATCH)
    monkeypatch.setenv(LIMITS, "1e-7")
    with pytest.raises(InputError, match="more than 6 bytes; --limits 10 or"):
        refuse_foreign(path, MATCH)
    copy_context().run(replace_foreign, path, MATCH)


def test_a_kind_is_known_by_how_it_begins(path: Path) -> None:
    is_a_poem = begun("née")
    for content, found in (("née", True), ("née and", True), ("né", False), ("a née", False)):
        path.write_text(content, "utf-8")
        assert is_a_poem(path) == found


def test_a_kind_is_known_by_a_mark_near_the_beginning(path: Path) -> None:
    is_a_picture = marked("<svg", "PNG")
    for content, found in ((b"\x89PNG", True), (b"a <svg>", True), (b"SVG", False), (b"", False)):
        path.write_bytes(content)
        assert is_a_picture(path) == found
