"""Fetching a model from the Hugging Face hub, through its cache.

The environment is honoured as huggingface_hub does: HF_TOKEN, HF_HOME, HF_ENDPOINT, HF_HUB_OFFLINE.
"""

import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path

from huggingface_hub import HfApi, hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import HFValidationError

from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, TemporaryError, UnreachableError, persistently
from unmask.fetching.hub_client import TIMEOUT, check_digest, listed, place, translated
from unmask.models.directory import CONFIG, choose_files, directory_written_whole

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Snapshot:
    """The chosen files of a repository at one commit, as they lie in the cache."""

    commit: str
    files: dict[str, Path]


def fetch_model(
    repo: str,
    revision: str,
    directory: str | Path,
    *,
    endpoint: str | None = None,
    cache: str | Path | None = None,
    backoff: Backoff = Backoff(),  # noqa: B008  frozen
) -> dict[str, str]:
    """Put a model's configuration, tokenizer and weights into `directory`, whole or not at all.

    `revision` is a commit, branch or tag. Every file is checked against the digest that the hub states
    (offline: that the cache was filed under). Files are hard links into the hub's cache where the file
    system allows, else copies. Without network the cache is used if it has the model. `endpoint` and
    `cache` are those of the environment where not given.

    Returns repo, revision and the commit that the revision stands for. Raises InputError (one line, with
    what to do) for a missing, private or gated repository, a missing revision or file, and UnreachableError
    where the hub cannot be reached and the cache lacks the model.
    """
    what = f"model {repo} at revision {revision}"
    snapshot = _from_hub_or_cache(repo, revision, endpoint, cache, what, backoff)
    with directory_written_whole(directory) as partial:
        for name, source in snapshot.files.items():
            place(source.resolve(), partial / name)
    logger.info("%s: %d files of commit %s in %s", what, len(snapshot.files), snapshot.commit, directory)
    return {"repo": repo, "revision": revision, "commit": snapshot.commit}


def _from_hub_or_cache(
    repo: str, revision: str, endpoint: str | None, cache: str | Path | None, what: str, backoff: Backoff
) -> _Snapshot:
    cached = _from_cache(repo, revision, cache, what)
    try:
        # with the cache at hand there is no point in waiting for a network
        return _from_hub(
            repo, revision, endpoint, cache, what, replace(backoff, attempts=1) if cached else backoff
        )
    except UnreachableError as error:
        if not cached:
            raise
        logger.warning("%s; using commit %s of the cache", error, cached.commit)
        return cached


def _from_hub(
    repo: str, revision: str, endpoint: str | None, cache: str | Path | None, what: str, backoff: Backoff
) -> _Snapshot:
    api = HfApi(endpoint=endpoint)

    def download(name: str, at: str, digest: str | None) -> Path:
        with translated(repo, what):
            path = Path(hf_hub_download(repo, name, revision=at, cache_dir=cache, endpoint=endpoint))
        check_digest(path, digest)
        return path

    def listing() -> tuple[str, dict[str, str | None]]:
        return listed(
            lambda: api.model_info(repo, revision=revision, files_metadata=True, timeout=TIMEOUT), repo, what
        )

    commit, digests = persistently(listing, what, backoff)
    logger.info("%s: commit %s", what, commit)

    def fetched(name: str) -> Path:
        return persistently(lambda: download(name, commit, digests[name]), f"{what}: {name}", backoff)

    chosen = choose_files(digests, lambda name: fetched(name).read_text(encoding="utf-8"), what)
    files: dict[str, Path] = {}
    for number, name in enumerate(chosen.all, start=1):
        logger.info("%s: %s (%d of %d)", what, name, number, len(chosen.all))
        files[name] = fetched(name)
    if revision != commit:
        # asked for by its name, so that the cache learns what the name stands for
        persistently(lambda: download(CONFIG, revision, None), f"{what}: {CONFIG}", backoff)
    return _Snapshot(commit, files)


def _from_cache(repo: str, revision: str, cache: str | Path | None, what: str) -> _Snapshot | None:
    """The model as an earlier fetch left it in the cache, if it is whole and sound."""
    try:
        config = try_to_load_from_cache(repo, CONFIG, cache_dir=cache, revision=revision)
    except HFValidationError:
        return None
    if not isinstance(config, str):
        return None
    snapshot = Path(config).parent
    names = [path.name for path in snapshot.iterdir() if path.is_file()]
    try:
        chosen = choose_files(names, lambda name: (snapshot / name).read_text(encoding="utf-8"), what)
        for name in chosen.all:
            # the cache files blobs under their digests
            link = snapshot / name
            check_digest(link, os.path.basename(os.readlink(link)) if link.is_symlink() else None)
    except (InputError, TemporaryError) as fault:
        logger.info("%s: not usable from the cache (%s)", what, fault)
        return None
    return _Snapshot(snapshot.name, {name: snapshot / name for name in chosen.all})
