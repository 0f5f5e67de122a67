"""Fetching one file of a corpus or task from the Hugging Face hub, through its cache."""

import logging
from collections.abc import Collection
from pathlib import Path
from typing import Any

from unmask.atomic import written_whole
from unmask.errors import InputError
from unmask.fetching.hub_client import place, repository

logger = logging.getLogger(__name__)

PARQUET = ".parquet"


def fetch_shard(
    repo: str, revision: str, subset: str | None, shard: str | int, path: str | Path
) -> dict[str, Any]:
    """Put one Parquet file of a data set at `path`, whole and with the digest that the hub states.

    `shard` is the file's path in the repository, or its number (from 0) among the Parquet files below the
    folder `subset`, in order of their names. The file is a hard link into the hub's cache where the file
    system allows, else a copy.

    Returns repo, revision, commit, file, and how many files there are to choose from. Raises InputError (one
    line, with what to do) for a missing, private or gated repository, a missing revision or file, and where
    neither the hub nor its cache has it.
    """
    what = f"corpus {repo} at revision {revision}"
    source = repository(repo, "dataset", revision, what)
    folder = f"{subset.strip('/')}/" if subset else ""
    files = sorted(name for name in source.names if name.startswith(folder) and name.endswith(PARQUET))
    file = _chosen(files, source.names, shard, f"{what}, {subset}" if subset else what)
    logger.info("%s: %s of commit %s, of %d files", what, file, source.commit, len(files))
    cached = source.file(file)
    with written_whole(path) as partial:
        partial.unlink()
        place(cached, partial)
    return {"repo": repo, "revision": revision, "commit": source.commit, "file": file, "files": len(files)}


def _chosen(files: list[str], names: Collection[str], shard: str | int, what: str) -> str:
    if isinstance(shard, str):
        if shard not in names:
            raise InputError(f"{what}: there is no file {shard}")
        return shard
    if not files:
        raise InputError(f"{what}: there are no Parquet files; check the subset, a folder of the repository")
    if shard >= len(files):
        raise InputError(f"{what}: there are {len(files)} shards, no number {shard} (from 0)")
    return files[shard]
