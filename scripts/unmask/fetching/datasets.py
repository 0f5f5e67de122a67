"""Fetching one file of a corpus from the Hugging Face hub, through its cache.

The environment is honoured as huggingface_hub does: HF_TOKEN, HF_HOME, HF_ENDPOINT, HF_HUB_OFFLINE.
"""

import logging
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, hf_hub_download

from unmask.atomic import written_whole
from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, persistently
from unmask.fetching.hub_client import TIMEOUT, check_digest, listed, place, translated

logger = logging.getLogger(__name__)

PARQUET = ".parquet"


def fetch_shard(
    repo: str,
    revision: str,
    subset: str | None,
    shard: str | int,
    path: str | Path,
    *,
    endpoint: str | None = None,
    cache: str | Path | None = None,
    backoff: Backoff = Backoff(),  # noqa: B008  frozen
) -> dict[str, Any]:
    """Put one Parquet file of a data set at `path`, whole and with the digest that the hub states.

    `shard` is the file's path in the repository, or its number (from 0) among the Parquet files below the
    folder `subset`, in order of their names. The file is a hard link into the hub's cache where the file
    system allows, else a copy. `endpoint` and `cache` are those of the environment where not given.

    Returns repo, revision, commit, file, and how many files there are to choose from. Raises InputError (one
    line, with what to do) for a missing, private or gated repository, a missing revision or file, and
    UnreachableError where the hub cannot be reached.
    """
    what = f"corpus {repo} at revision {revision}"

    def listing() -> tuple[str, dict[str, str | None]]:
        api = HfApi(endpoint=endpoint)
        return listed(
            lambda: api.dataset_info(repo, revision=revision, files_metadata=True, timeout=TIMEOUT),
            repo,
            what,
        )

    commit, digests = persistently(listing, what, backoff)
    folder = f"{subset.strip('/')}/" if subset else ""
    files = sorted(name for name in digests if name.startswith(folder) and name.endswith(PARQUET))
    file = _chosen(files, digests, shard, f"{what}, {subset}" if subset else what)

    def download() -> Path:
        with translated(repo, what):
            found = hf_hub_download(
                repo, file, repo_type="dataset", revision=commit, cache_dir=cache, endpoint=endpoint
            )
        check_digest(Path(found), digests[file])
        return Path(found)

    logger.info("%s: %s of commit %s, of %d files", what, file, commit, len(files))
    source = persistently(download, f"{what}: {file}", backoff)
    with written_whole(path) as partial:
        partial.unlink()
        place(source.resolve(), partial)
    return {"repo": repo, "revision": revision, "commit": commit, "file": file, "files": len(files)}


def _chosen(files: list[str], digests: dict[str, str | None], shard: str | int, what: str) -> str:
    if isinstance(shard, str):
        if shard not in digests:
            raise InputError(f"{what}: there is no file {shard}")
        return shard
    if not files:
        raise InputError(f"{what}: there are no Parquet files; check the subset, a folder of the repository")
    if shard >= len(files):
        raise InputError(f"{what}: there are {len(files)} shards, no number {shard} (from 0)")
    return files[shard]
