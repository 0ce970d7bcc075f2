"""Folders of results: which one is written over, and which one is somebody else's."""

import pytest

from cole.errors import UserError
from cole.report.folders import as_lines, has_format, refuse_unless


def test_a_folder_that_is_new_empty_or_ours_is_free(tmp_path):
    for folder in (tmp_path / "new", tmp_path):
        refuse_unless(folder, lambda: False, "letter")
    (tmp_path / "letter.txt").touch()
    refuse_unless(tmp_path, lambda: True, "letter")


def test_what_a_write_that_was_cut_short_left_is_nobodys(tmp_path):
    (tmp_path / ".letter.txt.new").touch()
    refuse_unless(tmp_path, lambda: False, "letter")


def test_all_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").touch()
    for place in (tmp_path, tmp_path / "letter.txt"):
        with pytest.raises(UserError, match=f"{place} exists and is no diary, so it is left alone"):
            refuse_unless(place, lambda: False, "diary")


def test_a_file_has_the_format_that_it_names(tmp_path):
    file, text = tmp_path / "a.json", as_lines({"format": "x", "more": [1, None]})
    assert text == '{\n"format": "x",\n"more": [1, null]\n}\n'
    assert not has_format(file, "x")
    for content, known in (("{", False), ("[]", False), ("{}", False), (text, True)):
        file.write_text(content)
        assert has_format(file, "x") == known
