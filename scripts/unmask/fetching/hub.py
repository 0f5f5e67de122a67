"""Fetching models and single files from the Hugging Face hub, through its cache."""

import logging
import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

from unmask.atomic import written_whole
from unmask.errors import InputError
from unmask.fetching.hub_client import Repository, repository
from unmask.models.directory import (
    CONFIG,
    TOKENIZER_FILES,
    VOCABULARIES,
    choose_files,
    tokenizer_files,
)
from unmask.models.own_code import check_named, code_files

logger = logging.getLogger(__name__)

PARQUET, GGUF = ".parquet", ".gguf"


def fetch_model(
    repo: str,
    revision: str,
    directory: str | Path,
    tokenizer: tuple[str, str] | None = None,
    with_code: bool = False,
) -> dict[str, Any]:
    """Put a model's configuration, tokenizer and weights into `directory`, whole or not at all.

    `revision` is a commit, branch or tag. `tokenizer` is the repository and revision whose tokenizer the
    model takes; it is the model's own where not given. `with_code`: the repository's code, which is run where
    the model is loaded, is fetched too. Every file is checked against the digest that the
    cache has it under, as the hub states it. Files are hard links into the hub's cache where the file system
    allows, else copies. Without network the cache is used if it has the model.

    Returns repo, revision and the commit that the revision stands for, and the same of `tokenizer` under
    that key where it was given; with code, the names of its files as `own_code`. Raises InputError (one line,
    with what to do) for a missing, private or gated repository, a missing revision or file, where neither the
    hub nor its cache has the model, and for code of another repository.
    """
    facts: dict[str, Any] = {"repo": repo, "revision": revision}
    lent: dict[str, Path] = {}
    if tokenizer:
        of, at = tokenizer
        lender = repository(of, "model", at, f"tokenizer {of} at revision {at}")
        chosen = tokenizer_files(lender.names)
        if not chosen:
            none = f"none of {', '.join(VOCABULARIES)} is there (vocab.json needs merges.txt)"
            raise InputError(f"{lender.what}: {none}")
        lent = {name: lender.file(name) for name in chosen}
        facts["tokenizer"] = {"repo": of, "revision": at, "commit": lender.commit}
    model = repository(repo, "model", revision, f"model {repo} at revision {revision}")
    files = lent | {name: model.file(name) for name in _files_of(model, lent, with_code)}
    if with_code:
        check_named(files, lambda name: files[name].read_text(encoding="utf-8"), model.what)
        facts["own_code"] = list(code_files(files))
    with written_whole(directory, folder=True) as unfinished:
        for name, source in files.items():
            _place(source, unfinished / name)
    logger.info("%s: %d files of commit %s in %s", model.what, len(files), model.commit, directory)
    return facts | {"commit": model.commit}


def _files_of(model: Repository, lent: Collection[str], with_code: bool) -> list[str]:
    """The files of a model, without a tokenizer where one is lent to it."""
    names = [name for name in model.names if not lent or name not in TOKENIZER_FILES] + [*lent]
    try:
        read = lambda name: model.file(name).read_text(encoding="utf-8")  # noqa: E731
        chosen = choose_files(names, read, model.what, with_code)
    except InputError as error:
        if CONFIG not in names or tokenizer_files(names):
            raise
        raise InputError(f"{error}; name the repository of one with the key `tokenizer`") from None
    return [name for name in chosen.all if name not in lent]


def fetch_gguf(repo: str, revision: str, file: str, path: str | Path) -> dict[str, Any]:
    """Put one GGUF file of a model's repository at `path`, whole and with the digest that the hub states; no
    other file of it is fetched.

    Returns repo, revision, the commit that it stands for, and file. Raises InputError as `fetch_model` does,
    with the GGUF files that are there where this one is not.
    """
    model = repository(repo, "model", revision, f"model {repo} at revision {revision}")
    if file not in model.names:
        others = ", ".join(sorted(name for name in model.names if name.endswith(GGUF)))
        there = f"(GGUF files: {others})" if others else "(it has no GGUF file)"
        raise InputError(f"{model.what}: there is no file {file} {there}")
    return _fetched(model, revision, file, path)


def fetch_shard(
    repo: str, revision: str, subset: str | None, shard: str | int, path: str | Path
) -> dict[str, Any]:
    """Put one Parquet file of a data set at `path`, whole and with the digest that the hub states.

    `shard` is the file's path in the repository, or its number (from 0) among the Parquet files below the
    folder `subset`, in order of their names.

    Returns repo, revision, commit, file, and how many files there are to choose from. Raises InputError (one
    line, with what to do) for a missing, private or gated repository, a missing revision or file, and where
    neither the hub nor its cache has it.
    """
    what = f"corpus {repo} at revision {revision}"
    source = repository(repo, "dataset", revision, what)
    folder = f"{subset.strip('/')}/" if subset else ""
    files = sorted(name for name in source.names if name.startswith(folder) and name.endswith(PARQUET))
    if isinstance(shard, int):
        what = f"{what}, {subset}" if subset else what
        if not files:
            raise InputError(
                f"{what}: there are no Parquet files; check the subset, a folder of the repository"
            )
        if shard >= len(files):
            raise InputError(f"{what}: there are {len(files)} shards, no number {shard} (from 0)")
        shard = files[shard]
    elif shard not in source.names:
        raise InputError(f"{what}: there is no file {shard}")
    return _fetched(source, revision, shard, path) | {"files": len(files)}


def _fetched(source: Repository, revision: str, file: str, path: str | Path) -> dict[str, Any]:
    cached = source.file(file)
    with written_whole(path) as partial:
        _place(cached, partial)
    logger.info("%s: %s of commit %s", source.what, file, source.commit)
    return {"repo": source.name, "revision": revision, "commit": source.commit, "file": file}


def _place(source: Path, target: Path) -> None:
    """Make `target` a hard link to a file of the cache where the file system allows, else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
