"""Fetching a model from the Hugging Face hub, through its cache.

The environment is honoured as huggingface_hub does: HF_TOKEN, HF_HOME, HF_ENDPOINT, HF_HUB_OFFLINE.
"""

import logging
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
from huggingface_hub import HfApi, hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import (
    FileMetadataError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, TemporaryError, UnreachableError, persistently
from unmask.fetching.http import retry_after
from unmask.files import git_blob_of_file, sha256_of_file
from unmask.models.directory import CONFIG, choose_files, directory_written_whole

logger = logging.getLogger(__name__)

_TIMEOUT = 30.0
"""Seconds to wait for the hub's listing of a repository."""


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
            _place(source.resolve(), partial / name)
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
        with _translated(repo, what):
            path = Path(hf_hub_download(repo, name, revision=at, cache_dir=cache, endpoint=endpoint))
        _check_digest(path, digest)
        return path

    def listing() -> tuple[str, dict[str, str | None]]:
        with _translated(repo, what):
            info = api.model_info(repo, revision=revision, files_metadata=True, timeout=_TIMEOUT)
        if not info.sha:
            raise TemporaryError("the hub names no commit")
        siblings = info.siblings or []
        return info.sha, {s.rfilename: s.lfs.sha256 if s.lfs else s.blob_id for s in siblings}

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
            _check_digest(link, os.path.basename(os.readlink(link)) if link.is_symlink() else None)
    except (InputError, TemporaryError) as fault:
        logger.info("%s: not usable from the cache (%s)", what, fault)
        return None
    return _Snapshot(snapshot.name, {name: snapshot / name for name in chosen.all})


def _check_digest(path: Path, digest: str | None) -> None:
    """Take a file with another digest (SHA-256 or git blob id) out of the cache and raise TemporaryError."""
    if not digest or not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", digest):
        return
    got = sha256_of_file(path) if len(digest) == 64 else git_blob_of_file(path)
    if got != digest:
        path.resolve().unlink()
        path.unlink(missing_ok=True)
        raise TemporaryError(f"{path.name} is corrupt: wanted digest {digest}, got {got}")


def _place(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # another file system, or one without hard links
        shutil.copyfile(source, target)


@contextmanager
def _translated(repo: str, what: str) -> Iterator[None]:
    """Turn the hub client's exceptions into InputError, or TemporaryError where another try may help."""
    try:
        yield
    except GatedRepoError:
        raise InputError(
            f"{what}: access must be granted first: ask for it on the model's page, then set HF_TOKEN"
        ) from None
    except RevisionNotFoundError:
        raise InputError(f"{what}: there is no such revision") from None
    except RepositoryNotFoundError:
        raise InputError(
            f"{what}: no such repository, or a private one: check the name, or set HF_TOKEN"
        ) from None
    except HFValidationError as error:
        raise InputError(f"{what}: {repo!r} is no name of a repository ({error})") from None
    except LocalEntryNotFoundError as error:
        # the client found neither the hub nor the file
        if isinstance(error.__cause__, OfflineModeIsEnabled):
            raise _offline(what) from None
        raise TemporaryError(f"no connection to the hub ({error.__cause__ or error})") from None
    except OfflineModeIsEnabled:
        raise _offline(what) from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        reason = f"the hub says {status} {error.response.reason_phrase}".strip()
        if status in (408, 429) or status >= 500:
            raise TemporaryError(reason, retry_after(error.response.headers.get("Retry-After"))) from None
        advice = "; check HF_TOKEN" if status in (401, 403) else ""
        raise InputError(f"{what}: {reason}{advice}") from None
    except (httpx2.TransportError, FileMetadataError, ConnectionError, TimeoutError, RuntimeError) as error:
        # the built-in ones come from the client's compiled transfer of large files
        raise TemporaryError(f"connection failed ({error})") from None
    except OSError as error:
        # the client finds a body of another length than stated
        if "Consistency check failed" not in str(error):
            raise
        raise TemporaryError(f"truncated ({error})") from None


def _offline(what: str) -> UnreachableError:
    return UnreachableError(
        f"{what}: HF_HUB_OFFLINE is set and the cache has no whole copy: unset it, or fetch the model first"
    )
