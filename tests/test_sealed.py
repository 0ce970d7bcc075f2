"""A sealed folder: whole or not at all, and not one byte of it is believed unchecked."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cole import sealed
from cole.errors import UserError

FILES = {"numbers": bytes(range(256)), "words": b"some words\n", "nothing": b""}


def test_what_was_written_is_read(tmp_path):
    sealed.write(tmp_path / "deep" / "folder", FILES)
    assert sealed.read(tmp_path / "deep" / "folder", FILES) == FILES
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["folder"]


def test_sha256sum_can_check_the_folder_too(tmp_path):
    if not shutil.which("sha256sum"):
        pytest.skip("this machine has no sha256sum")
    sealed.write(tmp_path / "folder", FILES)
    command = ["sha256sum", "--check", "--strict", sealed.MANIFEST]
    assert subprocess.run(command, cwd=tmp_path / "folder", capture_output=True).returncode == 0


def test_a_second_folder_takes_the_place_of_the_first(tmp_path):
    sealed.write(tmp_path / "folder", FILES)
    sealed.write(tmp_path / "folder", {"numbers": b"others"})
    assert sealed.read(tmp_path / "folder", ["numbers"]) == {"numbers": b"others"}
    assert sorted(file.name for file in tmp_path.rglob("*")) == [sealed.MANIFEST, "folder", "numbers"]


def test_what_a_killed_process_left_behind_does_no_harm(tmp_path):
    for name in (".folder.new", ".folder.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "half").write_bytes(b"a file")
    sealed.write(tmp_path / "folder", FILES)
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


STEPS = {"a file": (sealed, "_write_through"), "a flush": (sealed, "_flush_folder"), "a rename": (Path, "rename")}


@pytest.mark.parametrize(("step", "nth"), [(step, nth) for step in STEPS for nth in (1, 2)])
def test_when_a_step_of_writing_fails_the_folder_is_the_old_or_the_new_one(tmp_path, monkeypatch, step, nth):
    old, new = {"numbers": b"old"}, {"numbers": b"new"}
    sealed.write(tmp_path / "folder", old)
    where, name = STEPS[step]
    plain, calls = getattr(where, name), []

    def failing(*arguments):
        calls.append(arguments)
        if len(calls) == nth:
            raise OSError(28, "No space left on device")
        return plain(*arguments)

    monkeypatch.setattr(where, name, failing)
    with pytest.raises(OSError, match="No space left"):
        sealed.write(tmp_path / "folder", new)
    monkeypatch.undo()
    assert sealed.read(tmp_path / "folder", ["numbers"]) in (old, new)


@pytest.mark.parametrize("name", [*FILES, sealed.MANIFEST])
def test_a_missing_file_is_named(tmp_path, name):
    sealed.write(tmp_path / "folder", FILES)
    (tmp_path / "folder" / name).unlink()
    with pytest.raises(UserError) as caught:
        sealed.read(tmp_path / "folder", FILES)
    assert str(caught.value) == f"{tmp_path / 'folder' / name} cannot be read: No such file or directory"


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named(tmp_path, name):
    sealed.write(tmp_path / "folder", FILES)
    (tmp_path / "folder" / name).write_bytes(FILES[name] + b"!")
    with pytest.raises(UserError) as caught:
        sealed.read(tmp_path / "folder", FILES)
    assert str(caught.value).startswith(f"{tmp_path / 'folder' / name} is damaged")


MANIFESTS = {
    "empty": b"",
    "of other files": sealed.manifest({"numbers": b"", "nothing": b""}),
    "with one file more": sealed.manifest(FILES | {"zebra": b""}),
    "with a file twice": sealed.manifest(FILES) * 2,
    "with a line of no meaning": sealed.manifest(FILES) + b"zebra\n",
    "cut short": sealed.manifest(FILES)[:-1],
    "of no text": sealed.manifest(FILES).replace(b"words", b"w\xffrds"),
    "that leads elsewhere": sealed.manifest(FILES).replace(b"words", b"../ws"),
}


@pytest.mark.parametrize("case", MANIFESTS)
def test_a_damaged_manifest_is_named(tmp_path, case):
    sealed.write(tmp_path / "folder", FILES)
    (tmp_path / "folder" / sealed.MANIFEST).write_bytes(MANIFESTS[case])
    with pytest.raises(UserError) as caught:
        sealed.read(tmp_path / "folder", FILES)
    assert (
        str(caught.value)
        == f"{tmp_path / 'folder' / sealed.MANIFEST} is damaged: it should list nothing, numbers, words"
    )


def test_a_file_too_large_to_be_ours_is_not_read(tmp_path, monkeypatch):
    sealed.write(tmp_path / "folder", FILES)
    monkeypatch.setattr(sealed, "LARGEST", 255)
    with pytest.raises(UserError, match="numbers is larger than 255 bytes"):
        sealed.read(tmp_path / "folder", FILES)
