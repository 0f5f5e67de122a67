"""What may be removed of a finished study when disk is short: evidence, and what killed jobs have left."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.results.checksums import FILE, drop_checksums
from unmask.results.files import files_below, sources_below

EVIDENCE = re.compile(
    r"evidence/.+|downstream/.+/seed-\d+\.parquet|associations/.+/embeddings\.parquet"
    r"|regional/.+/released/.+\.parquet"
)
"""What models have made of texts, as paths in a study's folder; a finished study needs it no more."""

DOWNLOADS = re.compile(r"corpora/.+(?<!\.facts\.json)")
"""Corpora whose words are counted."""

ABANDONED = re.compile(r"(.+/)?\.[^/]+\.(partial|shards)\b.*")
"""What jobs that were killed have left."""


def may_be_removed(path: Path, results: Path) -> bool:
    """Whether results hold without this file, which lies below them if it is one of theirs."""
    name = os.path.relpath(path, results)
    return any(kind.fullmatch(name) for kind in (EVIDENCE, DOWNLOADS))


def removable(results: str | Path, downloads: bool = False) -> list[Path]:
    """The files that may be removed of a finished study; `downloads`: also what has to be fetched again.

    No run may be at work in the results meanwhile. Raises InputError where the study is not finished: it has
    no checksums, or evidence that is newer than these and that no result states as its source.
    """
    results = Path(results)
    if not (results / FILE).is_file():
        raise InputError(f"{results}: no finished study (no {FILE}); run it to its end")
    kinds = [EVIDENCE, ABANDONED, *([DOWNLOADS] if downloads else [])]
    files = [
        path
        for path in files_below(results)
        if any(kind.fullmatch(path.relative_to(results).as_posix()) for kind in kinds)
    ]
    end = (results / FILE).stat().st_mtime_ns
    if newer := [path for path in files if path.stat().st_mtime_ns > end]:
        above = Path(os.path.abspath(results)).parents[1]
        stated = [sources for _, sources in sources_below(results) if not isinstance(sources, str)]
        used = {(above / source, sha256) for each in stated for source, sha256 in each.items()}
        for path in newer:
            if (Path(os.path.abspath(path)), sha256_of_file(path)) not in used:
                raise InputError(
                    f"{path}: no result is made from it yet; run the study to its end, or remove it"
                )
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
