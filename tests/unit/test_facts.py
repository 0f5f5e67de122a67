"""What a result states of how it was made."""

import hashlib
from pathlib import Path

from library import record


def test_what_a_result_was_made_from_is_its_files_and_no_folder(tmp_path: Path) -> None:
    folder, file = tmp_path / "files", tmp_path / "pairs.csv"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    file.write_bytes(b"pairs")
    facts = record([folder, file], "digest")
    assert facts["made_from"] == {str(file): hashlib.sha256(b"pairs").hexdigest()}
    assert facts["code"] == "digest"
