"""A folder that vouches for its every byte: it appears whole or not at all, and is checked before anything is believed.

Beside the files lies SHA256SUMS, a line for each, in the format of `sha256sum`.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from cole.errors import UserError

MANIFEST = "SHA256SUMS"
LARGEST = 2**32  # bytes of one file; nothing of ours is near


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Makes the folder, which takes the place of one of the same name. Whenever power fails, no half of it is seen."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh, old = (folder.with_name(f".{folder.name}.{which}") for which in ("new", "old"))
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir()
    try:
        for name, content in (files | {MANIFEST: manifest(files)}).items():
            _write_through(fresh / name, content)
        _flush_folder(fresh)
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
    except OSError:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    _flush_folder(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def write_file(path: Path, content: bytes) -> None:
    """The same for a single file, which has nobody to vouch for it."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        _write_through(fresh, content)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    _flush_folder(path.parent)


def rename(fresh: Path, folder: Path) -> None:
    """Gives a folder, whose files are on the disk, its name, for good."""
    fresh.rename(folder)
    _flush_folder(folder.parent)


def read(folder: Path, names: Iterable[str]) -> dict[str, bytes]:
    """The files of these names, which must be all there are; a damaged or missing one is refused by name."""
    names = sorted(names)
    found = {name: _read(folder / name) for name in [MANIFEST, *names]}
    listed = found.pop(MANIFEST)
    sums = re.findall(rb"([0-9a-f]{64})  ([^\n]+)\n", listed)
    whole = b"".join(b"%s  %s\n" % line for line in sums) == listed
    if not whole or [name for _, name in sums] != [name.encode() for name in names]:
        raise UserError(f"{folder / MANIFEST} is damaged: it should list {', '.join(names)}")
    for digest, name in sums:
        if sha256(found[name.decode()]).encode() != digest:
            raise UserError(f"{folder / name.decode()} is damaged: its SHA-256 is not the one in {MANIFEST}")
    return found


def manifest(files: dict[str, bytes]) -> bytes:
    """The lines of SHA256SUMS."""
    return "".join(f"{sha256(files[name])}  {name}\n" for name in sorted(files)).encode()


def sha256(content: bytes) -> str:
    """Sixty-four hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                raise UserError(f"{path} is larger than {LARGEST} bytes, which nothing of ours is")
            return file.read()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def _write_through(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
