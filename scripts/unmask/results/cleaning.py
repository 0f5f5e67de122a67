"""What may be removed of a finished study when disk is short: what models have read, and corpora."""

import os
import re
from collections.abc import Iterable
from glob import glob
from pathlib import Path

from unmask.errors import InputError
from unmask.files import write_text
from unmask.results.settings import CHECKSUMS

EVIDENCE = re.compile(
    r"evidence/.+|downstream/.+/seed-\d+\.parquet|associations/.+/embeddings\.parquet"
    r"|regional/.+/released/.+\.parquet|corpora/.+(?<!\.facts\.json)"
)
"""What models have made of texts, and corpora whose words are counted, as paths in a study's folder; a
finished study needs it no more."""

ABANDONED = re.compile(r"(.+/)?\.[^/]+\.(partial|shards|training)\b.*")
"""What jobs that were killed have left."""


def files_below(folder: str | Path) -> list[Path]:
    """All files below a folder, in order, hidden ones too; links to folders are followed."""
    names = glob("**", root_dir=folder, recursive=True, include_hidden=True)
    return sorted(path for path in (Path(folder, name) for name in names) if path.is_file())


def may_be_removed(path: Path, results: Path) -> bool:
    """Whether results hold without this file, which lies below them if it is one of theirs."""
    return bool(EVIDENCE.fullmatch(os.path.relpath(path, results)))


def removable(results: str | Path) -> list[Path]:
    """The files that may be removed of a finished study. No run may be at work in the results meanwhile.

    Raises InputError where the study is not finished: it has no checksums, or evidence newer than these.
    """
    results = Path(results)
    if not (results / CHECKSUMS).is_file():
        raise InputError(f"{results}: no finished study (no {CHECKSUMS}); run it to its end")
    end, files = (results / CHECKSUMS).stat().st_mtime_ns, []
    for path in files_below(results):
        name = path.relative_to(results).as_posix()
        if EVIDENCE.fullmatch(name) or ABANDONED.fullmatch(name):
            # half a file is of no use to a run that goes on; shards are
            if path.stat().st_mtime_ns > end and ".partial" not in name:
                raise InputError(f"{path}: newer than {CHECKSUMS}; run the study to its end, or remove it")
            files.append(path)
    return files


def remove(files: Iterable[Path], results: str | Path) -> None:
    """Remove files of a study's results, their lines in its checksums, and folders that are empty then."""
    files, results = list(files), Path(results)
    gone = {f"{path.relative_to(results)}\n" for path in files}
    lines = (results / CHECKSUMS).read_text(encoding="utf-8").splitlines(keepends=True)
    write_text(results / CHECKSUMS, "".join(line for line in lines if line.partition("  ")[2] not in gone))
    for path in files:
        path.unlink()
        folder = path.parent
        # a link to a folder is somebody's own, and stays
        while folder != results and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
