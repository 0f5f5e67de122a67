"""What may be removed of a finished study when disk is short: evidence, and what killed jobs have left."""

import re
from collections.abc import Iterable
from pathlib import Path

from unmask.errors import InputError
from unmask.results.checksums import FILE, drop_checksums
from unmask.results.walking import files_below

EVIDENCE = re.compile(
    r"evidence/.+|downstream/.+/seed-\d+\.parquet|associations/.+/embeddings\.parquet"
    r"|regional/.+/released/.+\.parquet"
)
"""What models have made of texts, as paths in a study's folder; a finished study needs it no more."""

DOWNLOADS = re.compile(r"corpora/.+(?<!\.facts\.json)")
"""Corpora whose words are counted."""

ABANDONED = re.compile(r"(.+/)?\.[^/]+\.(partial|shards)\b.*")
"""What jobs that were killed have left."""


def check_finished(results: str | Path) -> None:
    """Raise InputError where there are no results of a study that was run to its end."""
    if not Path(results, FILE).is_file():
        raise InputError(f"{results}: no finished study (no {FILE}); run it to its end")


def removable(results: str | Path, downloads: bool = False) -> list[Path]:
    """The files that may be removed of a finished study; `downloads`: also what has to be fetched again.

    No run may be at work in the results meanwhile. Raises InputError where some are newer than the study's
    end, as something else may still be made of them.
    """
    results = Path(results)
    kinds = [EVIDENCE, ABANDONED, *([DOWNLOADS] if downloads else [])]
    files = [
        path
        for path in files_below(results)
        if any(kind.fullmatch(path.relative_to(results).as_posix()) for kind in kinds)
    ]
    for path in files:
        if path.stat().st_mtime_ns > (results / FILE).stat().st_mtime_ns:
            remedy = f"run it to its end; if nothing is to be done, touch {results / FILE}"
            raise InputError(f"{path}: is newer than {FILE}: the study is not finished; {remedy}")
    return files


def remove(files: Iterable[Path], results: str | Path) -> None:
    """Remove files of a study's results, their lines in its checksums, and folders that are empty then."""
    files, results = list(files), Path(results)
    drop_checksums(results / FILE, files)
    for path in files:
        path.unlink()
        folder = path.parent
        # a link to a folder is somebody's own, and stays
        while folder != results and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
