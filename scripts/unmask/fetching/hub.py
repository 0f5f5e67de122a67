"""Fetching a model from the Hugging Face hub, through its cache.

The environment is honoured as huggingface_hub does: HF_TOKEN, HF_HOME, HF_ENDPOINT, HF_HUB_OFFLINE.
"""

import logging
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import HFValidationError, RemoteEntryNotFoundError

from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, TemporaryError, UnreachableError, persistently
from unmask.fetching.hub_client import TIMEOUT, check_digest, listed, place, translated
from unmask.models.directory import (
    CONFIG,
    TOKENIZER_FILES,
    VOCABULARIES,
    choose_files,
    directory_written_whole,
    tokenizer_files,
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Wanted:
    """Some files of a repository at a revision."""

    repo: str
    revision: str
    what: str
    """What they are, for messages."""
    choose: Callable[[Collection[str], Callable[[str], str], str], Sequence[str]]
    """Names of all files, the text of a file by its name, `what` -> names of those to fetch, in order."""


@dataclass(frozen=True)
class _Snapshot:
    """The chosen files of a repository at one commit, as they lie in the cache."""

    commit: str
    files: dict[str, Path]


def fetch_model(
    repo: str,
    revision: str,
    directory: str | Path,
    tokenizer: tuple[str, str] | None = None,
    *,
    endpoint: str | None = None,
    cache: str | Path | None = None,
    backoff: Backoff = Backoff(),  # noqa: B008  frozen
) -> dict[str, Any]:
    """Put a model's configuration, tokenizer and weights into `directory`, whole or not at all.

    `revision` is a commit, branch or tag. `tokenizer` is the repository and revision whose tokenizer the
    model takes; it is the model's own where not given. Every file is checked against the digest that the hub
    states (offline: that the cache was filed under). Files are hard links into the hub's cache where the file
    system allows, else copies. Without network the cache is used if it has the model. `endpoint` and
    `cache` are those of the environment where not given.

    Returns repo, revision and the commit that the revision stands for, and the same of `tokenizer` under
    that key where it was given. Raises InputError (one line, with what to do) for a missing, private or gated
    repository, a missing revision or file, and UnreachableError where the hub cannot be reached and the cache
    lacks the model.
    """
    facts: dict[str, Any] = {"repo": repo, "revision": revision}
    lent: dict[str, Path] = {}
    if tokenizer:
        of, at = tokenizer
        wanted = _Wanted(of, at, f"tokenizer {of} at revision {at}", _choose_tokenizer)
        found = _from_hub_or_cache(wanted, endpoint, cache, backoff)
        lent = found.files
        facts["tokenizer"] = {"repo": of, "revision": at, "commit": found.commit}
    what = f"model {repo} at revision {revision}"
    wanted = _Wanted(repo, revision, what, partial(_choose_model, lent))
    snapshot = _from_hub_or_cache(wanted, endpoint, cache, backoff)
    files = snapshot.files | lent
    with directory_written_whole(directory) as unfinished:
        for name, source in files.items():
            place(source.resolve(), unfinished / name)
    logger.info("%s: %d files of commit %s in %s", what, len(files), snapshot.commit, directory)
    return facts | {"commit": snapshot.commit}


def _choose_model(
    lent: Collection[str], names: Iterable[str], read: Callable[[str], str], what: str
) -> tuple[str, ...]:
    """The files of a model, without a tokenizer where one is lent to it."""
    if lent:
        names = [*(name for name in names if name not in TOKENIZER_FILES), *lent]
    names = list(names)
    try:
        chosen = choose_files(names, read, what)
    except InputError as error:
        if CONFIG not in names or tokenizer_files(names):
            raise
        raise InputError(f"{error}; name the repository of one with the key `tokenizer`") from None
    # the configuration only then: in the cache it marks a tokenizer that is whole
    own = () if lent else chosen.tokenizer
    return (*own, *(name for name in chosen.all if name not in chosen.tokenizer))


def _choose_tokenizer(names: Collection[str], read: Callable[[str], str], what: str) -> tuple[str, ...]:
    chosen = tokenizer_files(names)
    if not chosen:
        raise InputError(f"{what}: none of {', '.join(VOCABULARIES)} is there (vocab.json needs merges.txt)")
    return chosen


def _from_hub_or_cache(
    wanted: _Wanted, endpoint: str | None, cache: str | Path | None, backoff: Backoff
) -> _Snapshot:
    cached = _from_cache(wanted, cache)
    try:
        # with the cache at hand there is no point in waiting for a network
        return _from_hub(wanted, endpoint, cache, replace(backoff, attempts=1) if cached else backoff)
    except UnreachableError as error:
        if not cached:
            raise
        logger.warning("%s; using commit %s of the cache", error, cached.commit)
        return cached


def _from_hub(wanted: _Wanted, endpoint: str | None, cache: str | Path | None, backoff: Backoff) -> _Snapshot:
    repo, revision, what = wanted.repo, wanted.revision, wanted.what
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

    def mark() -> None:
        # the cache learns what the revision's name stands for; and that there is no such file, if so
        with translated(repo, what), suppress(RemoteEntryNotFoundError):
            hf_hub_download(repo, CONFIG, revision=revision, cache_dir=cache, endpoint=endpoint)

    commit, digests = persistently(listing, what, backoff)
    logger.info("%s: commit %s", what, commit)

    def fetched(name: str) -> Path:
        return persistently(lambda: download(name, commit, digests[name]), f"{what}: {name}", backoff)

    chosen = wanted.choose(digests, lambda name: fetched(name).read_text(encoding="utf-8"), what)
    files: dict[str, Path] = {}
    for number, name in enumerate(chosen, start=1):
        logger.info("%s: %s (%d of %d)", what, name, number, len(chosen))
        files[name] = fetched(name)
    if CONFIG in digests and CONFIG not in files:
        fetched(CONFIG)
    # last of all
    persistently(mark, f"{what}: {CONFIG}", backoff)
    return _Snapshot(commit, files)


def _from_cache(wanted: _Wanted, cache: str | Path | None) -> _Snapshot | None:
    """The files as an earlier fetch left them in the cache, if they are whole and sound."""
    snapshot = _cached(wanted, cache)
    if snapshot is None:
        return None
    # a link that leads nowhere is of a file that was corrupt
    names = [path.name for path in snapshot.iterdir() if path.is_symlink() or path.is_file()]
    try:
        chosen = wanted.choose(names, lambda name: (snapshot / name).read_text(encoding="utf-8"), wanted.what)
        for name in chosen:
            # the cache files blobs under their digests
            link = snapshot / name
            check_digest(link, os.path.basename(os.readlink(link)) if link.is_symlink() else None)
    except (InputError, TemporaryError, FileNotFoundError) as fault:
        logger.info("%s: not usable from the cache (%s)", wanted.what, fault)
        return None
    return _Snapshot(snapshot.name, {name: snapshot / name for name in chosen})


def _cached(wanted: _Wanted, cache: str | Path | None) -> Path | None:
    """Where the cache has files of a revision.

    None where it does not know whether they have a configuration, which is asked for after the tokenizer:
    what there is may be half of one.
    """
    try:
        found = [
            try_to_load_from_cache(wanted.repo, name, cache_dir=cache, revision=wanted.revision)
            for name in (CONFIG, *TOKENIZER_FILES)
        ]
    except HFValidationError:
        return None
    paths = [Path(each) for each in found if isinstance(each, str)]
    return paths[0].parent if found[0] is not None and paths else None
