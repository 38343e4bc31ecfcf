"""Write files atomically, and claim them for one command; `reading` reads them.

A file that cannot be written, or that may not be replaced, raises a `WriteError` of one line.
"""

import errno
import glob
import io
import json
import os
import platform
import re
import stat
import warnings
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from closedhand.core.file_kinds import FileKind, holds
from closedhand.core.game import InputError
from closedhand.core.text import UNPAIRED, reason_of

if TYPE_CHECKING:
    from filelock import BaseFileLock

SHIPPED = Path(__file__).parent.parent / "data"
"""Folder of the files that ship with the package."""
FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
"""Errors of a disk that is full, broken or write-protected; the program is not to blame."""
NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}
CLAIMED = "CLOSEDHAND_CLAIMED"
"""Environment variable with the claims of a process for its child processes.

Each claim is the path of a lock as a text in JSON, one a line: names of files may hold line ends.
"""
PARTIAL = re.compile(r"^\..*\.(\d+)\.part$")
"""Matches the name of a file that is being written, with the id of the process that writes it."""
PATIENCE = 0.1
"""Seconds for which a lock is tried: other processes hold it for a moment to check it."""

overwrite: ContextVar[bool] = ContextVar("overwrite", default=False)
"""Whether `refuse_foreign` accepts files of other kinds (`--overwrite`)."""


class WriteError(InputError):
    """A file that cannot be written, removed or replaced, or a folder that cannot be created."""


def cache_folder() -> Path:
    """Return the cache, in XDG_CACHE_HOME or `~/.cache`; an `InputError` without either."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "closedhand"
    except RuntimeError:  # for example a user in a container, who has no home
        raise InputError("there is no home folder: set HOME or XDG_CACHE_HOME") from None


def within(path: Path, name: str) -> Path:
    """Return the path of the file `name` if `path` is a folder, else `path` itself."""
    return path / name if os.path.isdir(path) else path


def write_arrays(
    path: Path,
    arrays: Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    compressed: bool = True,
) -> None:
    """Write an npz file of arrays and of JSON `values`, stored as texts for `reading.json_in`."""
    texts = {name: np.array(json.dumps(value)) for name, value in (values or {}).items()}
    write: Any = np.savez_compressed if compressed else np.savez
    buffer = io.BytesIO()
    write(buffer, **{**arrays, **texts})
    write_atomically(path, buffer.getvalue())


def target(path: Path) -> Path:
    """Return the path of the regular file to write for a path; the file need not exist.

    A symlink is followed: the link stays, and the file that it leads to is replaced.

    Raises:
        WriteError: There is a folder, a device or the like, the file is write-protected, or the
            name of its partial file would be too long.
    """
    try:
        found = Path(os.path.realpath(path))
        with suppress(FileNotFoundError):
            _part(found).lstat()  # an error if the partial file's name is too long
        try:
            mode = found.stat().st_mode
        except FileNotFoundError:
            return found
    except (OSError, ValueError) as error:  # ValueError: an impossible path
        raise WriteError(f"cannot write {path}: {reason_of(error)}") from None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise WriteError(f"cannot write {path}: it is {kind}")
    if not os.access(found, os.W_OK):
        raise WriteError(f"cannot write {path}: it is write-protected")
    return found


def _part(found: Path) -> Path:
    """Return the path under which this process writes a file before it is complete."""
    return found.parent / f".{found.name}.{os.getpid()}.part"


def refuse_foreign(path: Path, kind: FileKind) -> None:
    """Refuse to replace a nonempty file of another kind, unless `overwrite` is set.

    Raises:
        InputError: The file is of another kind or beyond the limit of reading; or as for `target`.
    """
    found = target(path)
    if overwrite.get() or not found.exists() or not found.stat().st_size or holds(kind, found):
        return
    raise WriteError(
        f"cannot write {path}: it exists and is not {kind.text}; --overwrite replaces it"
    )


@contextmanager
def replacing(path: Path, private: bool = False) -> Generator[Path]:
    """Write a file completely or not at all; if `private`, nobody else may read it.

    Yield the path of a new file, to be written in the block. After the block it replaces the old
    file, whose permissions it takes over unless `private`; after an error it is removed.
    """
    found = target(path)
    part = _part(found)
    try:
        found.parent.mkdir(parents=True, exist_ok=True)
        try:
            if private:
                part.touch(0o600)
            yield part
            # Some file systems report a full disk only now.
            with open(part, "rb+") as file:
                os.fsync(file.fileno())
            if not private:
                with suppress(FileNotFoundError):
                    part.chmod(stat.S_IMODE(found.stat().st_mode))
            os.replace(part, found)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise WriteError(f"cannot write {path}: {reason_of(error)}") from None


def write_atomically(path: Path, content: str | bytes, private: bool = False) -> None:
    """Write the whole content of a file by `replacing`; a text is encoded in UTF-8."""
    with replacing(path, private) as part:
        data = content if isinstance(content, bytes) else content.encode("utf-8", UNPAIRED)
        part.write_bytes(data)


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise WriteError(f"cannot remove {path}: {reason_of(error)}") from None


class Log:
    """A new or empty text file to which texts are appended, each completely or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._begun = False
        self._refuse_filled()

    def _refuse_filled(self) -> None:
        found = target(self.path)
        if found.exists() and found.stat().st_size:
            raise WriteError(f"cannot write {self.path}: it exists, and a log is not written over")

    def write(self, text: str) -> None:
        """Append a text; after an error the file holds the texts before this one."""
        if not self._begun:
            self._refuse_filled()  # again: another log of this name may have been begun meanwhile
        left = text.encode("utf-8", UNPAIRED)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(target(self.path), "ab", buffering=0) as file:
                end = file.seek(0, os.SEEK_END)
                try:
                    while left:
                        left = left[file.write(left) :]
                except OSError:
                    file.truncate(end)
                    raise
            self._begun = True
        except OSError as error:
            raise WriteError(f"cannot write {self.path}: {reason_of(error)}") from None


class Claims(ExitStack):
    """The files and folders that a command writes, checked at its start and claimed until its end.

    Meanwhile no other process can claim them, except child processes, which share the claims. A
    claim is a lock on a hidden file, `.NAME.lock` beside a file or `.lock` in a folder. It ends
    with the process, even if the process is killed.
    """

    def files(self, *paths: Path) -> None:
        """Claim files, and create their folders.

        Raises:
            WriteError: A file cannot be written, is written by another process or named twice, or
                another process writes to its folder or to the parent of its folder.
        """
        targets = [target(path) for path in paths]
        # Some file systems ignore the case of names.
        names = [str(found).casefold() for found in targets]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise WriteError(f"cannot write {paths[i]}: two results would go into this file")
        for path, found in zip(paths, targets, strict=True):
            _make_folder(found.parent, path)
            for folder in (found.parent, found.parent.parent):
                _refuse_held(folder / ".lock", path)
            self._lock(found.with_name(f".{found.name}.lock"), path)
            _remove_parts(found.parent.glob(f".{glob.escape(found.name)}.*.part"))

    def folder(self, path: Path) -> Path:
        """Create and claim a folder; return its path.

        Raises:
            WriteError: The folder cannot be created or written to, or another process writes to it,
                to a file in it, or to the folder that contains it.
        """
        _make_folder(path, path)
        found = Path(os.path.realpath(path))
        for lock in (found.parent / ".lock", *found.glob(".*.lock")):
            _refuse_held(lock, path)
        self._lock(found / ".lock", path)
        # Partial files beside another machine's lock stay: its process ids mean nothing here.
        here = [platform.node()]
        locked = {lock.parent for lock in path.glob("*/.*lock") if _signature(lock)[1:] != here}
        _remove_parts(path.glob(".*.part"))
        _remove_parts(part for part in path.glob("*/.*.part") if part.parent not in locked)
        return path

    def _lock(self, lock: Path, path: Path) -> None:
        before, claim = _claimed(), json.dumps(str(lock))
        if claim in before:
            return
        held = _acquired(lock, path, "there")
        os.environ[CLAIMED] = "\n".join([*before, claim])

        def release() -> None:
            _release(held)
            left = [each for each in _claimed() if each != claim]
            os.environ[CLAIMED] = "\n".join(left)

        self.callback(release)


def _refuse_held(lock: Path, path: Path) -> None:
    if json.dumps(str(lock)) not in _claimed() and os.path.isfile(lock) and _is_ours(lock):
        _release(_acquired(lock, path, f"to {lock.parent}"))


def _claimed() -> list[str]:
    """Return the claims of this process and its parents."""
    return os.environ.get(CLAIMED, "").split("\n")


def _make_folder(folder: Path, path: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise WriteError(f"cannot write {path}: {folder} is not a folder") from None
    except OSError as error:
        raise WriteError(f"cannot create the folder {folder}: {reason_of(error)}") from None


def _acquired(lock: Path, path: Path, where: str) -> "BaseFileLock":
    """Lock a file and sign it before `path` is written; only warn where there are no locks.

    `where` ends the message if the lock is held, as in `process 7 on HOST writes there`.
    """
    from filelock import FileLock, Timeout

    if os.path.isfile(lock) and not _is_ours(lock):
        raise WriteError(f"cannot write {path}: {lock} belongs to another program")
    # Any thread of the process may release the lock. Soft locks, the substitute where there are no
    # locks, are not used: two processes can hold one at the same time.
    held = FileLock(
        lock, PATIENCE, poll_interval=PATIENCE / 5, thread_local=False, fallback_to_soft=False
    )
    try:
        held.acquire()
        with suppress(PermissionError):  # Windows: nobody can write to a locked file
            lock.write_bytes(f"{os.getpid()}\n{platform.node()}\n".encode())
    except Timeout:
        lines = _signature(lock)
        holder = f"process {lines[0]} on {lines[1]}" if len(lines) > 1 else "another process"
        raise WriteError(f"cannot write {path}: {holder} writes {where}") from None
    except OSError as error:
        # On a full disk an empty lock file would stay.
        _release(held)
        if error.errno not in NO_LOCKS:
            raise WriteError(f"cannot write {path}: {lock}: {reason_of(error)}") from None
        with suppress(OSError):
            lock.unlink()
        reason = f"no locks in this file system ({reason_of(error)})"
        warnings.warn(f"{reason}: let no two commands write to one place", stacklevel=5)
    return held


def _release(held: "BaseFileLock") -> None:
    """Remove the file of a lock, then release it."""
    # In this order nobody can lock a file that is then removed.
    if held.is_locked:
        with suppress(OSError):  # on Windows `filelock` removes files
            os.unlink(held.lock_file)
        held.release()


def _signature(lock: Path) -> list[str]:
    """Read the lines of a lock file: process and machine; none if the file cannot be read."""
    try:
        with open(lock, "rb") as file:
            return file.read(500).decode(errors="replace").splitlines()
    except OSError:
        return []


def _is_ours(lock: Path) -> bool:
    """Return whether a file is a lock of this package, or is empty or cannot be read."""
    lines = _signature(lock)
    return not lines or (len(lines) == 2 and lines[0].isdecimal())


def _remove_parts(paths: Iterator[Path]) -> None:
    """Remove partial files of processes that were killed; `paths` may include others."""
    for path in paths:
        writer = PARTIAL.search(path.name)
        if writer is None:
            continue
        try:
            os.kill(int(writer[1]), 0)
        except ProcessLookupError:
            with suppress(OSError):
                path.unlink()
        except (OSError, OverflowError):
            pass  # that process may still run
