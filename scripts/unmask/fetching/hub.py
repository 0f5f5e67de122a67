"""Models and single files of the Hugging Face hub, through huggingface_hub and its cache.

The environment is honoured as it does: HF_TOKEN, HF_HOME, HF_ENDPOINT, HF_HUB_OFFLINE. Nothing here reads the
token's text, so no parameter, log or result can have it.
"""

import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from huggingface_hub import constants, get_cached_repo_tree, get_token, hf_hub_download, snapshot_download
from huggingface_hub.errors import (
    CachedRepoTreeNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from unmask.errors import InputError
from unmask.files import git_blob_of_file, sha256_of_file, written_whole
from unmask.models import directory as model_files
from unmask.urls import without_secrets

logger = logging.getLogger(__name__)

# it warns of every retry, with the url
logging.getLogger("huggingface_hub").setLevel(logging.ERROR)

Result = TypeVar("Result")

WAITS = (1.0, 4.0, 16.0)
"""Seconds before each further try, beyond those that the client makes by itself."""

ADVICE = {
    GatedRepoError: "access must be granted first: ask for it on the model's page",
    RevisionNotFoundError: "there is no such revision",
    RepositoryNotFoundError: "no such repository, or a private one: check the name",
    OfflineModeIsEnabled: "HF_HUB_OFFLINE is set and the cache has no whole copy: unset it, fetch the model "
    "first, or name a commit that is there",
}
"""What to do about faults that another try does not mend; the first that fits."""


def fetch_model(
    repo: str,
    revision: str,
    directory: str | Path,
    tokenizer: tuple[str, str] | None = None,
    with_code: bool = False,
) -> dict[str, Any]:
    """Put a model's configuration, tokenizer and weights into `directory`, whole or not at all.

    revision: a commit, branch or tag. tokenizer: the repository and revision whose tokenizer the model takes
    in place of its own. with_code: the repository's code, which is run where the model is loaded, is fetched
    too.

    Returns repo, revision and its commit, the same of `tokenizer` under that key, and with code the names of
    its files as `own_code`. Raises InputError (one line, with what to do) for a missing, private or gated
    repository, a missing revision or file, where neither the hub nor its cache has the model, and for code of
    another repository.
    """
    facts: dict[str, Any] = {"repo": repo, "revision": revision}
    files: dict[str, Path] = {}
    if tokenizer:
        of, at = tokenizer
        lender = repository(of, at, called="tokenizer")
        files = {name: lender.file(name) for name in model_files.tokenizer_files(lender.names)}
        if not files:
            none = f"none of {', '.join(model_files.VOCABULARIES)} is there (vocab.json needs merges.txt)"
            raise InputError(f"{lender.what}: {none}")
        facts["tokenizer"] = {"repo": of, "revision": at, "commit": lender.commit}
    model = repository(repo, revision)

    def text(name: str) -> str:
        return (files.get(name) or model.file(name)).read_text(encoding="utf-8")

    names = [name for name in model.names if not files or name not in model_files.TOKENIZER_FILES] + [*files]
    try:
        chosen = model_files.choose_files(names, text, with_code)
    except InputError as error:
        lacks_one = model_files.CONFIG in names and not model_files.tokenizer_files(names)
        remedy = "; name the repository of one with the key `tokenizer`" if lacks_one else ""
        raise InputError(f"{model.what}: {error}{remedy}") from None
    files |= {name: model.file(name) for name in chosen.all if name not in files}
    if with_code:
        facts["own_code"] = list(chosen.code)
    with written_whole(directory, folder=True) as unfinished:
        for name, source in files.items():
            _place(source, unfinished / name)
    return facts | {"commit": model.commit}


def fetch_file(
    kind: str, repo: str, revision: str, file: str | int, path: str | Path, subset: str | None = None
) -> dict[str, Any]:
    """Put one file of a repository at `path`, whole and with the digest that the hub states.

    kind: model or dataset. file: its path in the repository, or its number (from 0) among the Parquet files
    below the folder `subset`, in order of their names. Returns repo, revision, its commit, and file. Raises
    InputError as `fetch_model` does; where the file is not there, with files of its ending that are.
    """
    source = repository(repo, revision, kind)
    below = f"{subset.strip('/')}/" if subset else ""
    ending = ".parquet" if isinstance(file, int) else Path(file).suffix
    alike = sorted(name for name in source.names if name.startswith(below) and name.endswith(ending))
    if isinstance(file, int):
        if file >= len(alike):
            there = f"{len(alike)} files {ending} in {below or 'it'}, no number {file} (from 0)"
            raise InputError(f"{source.what}: there are {there}")
        file = alike[file]
    if file not in source.names:
        others = f" (files {ending}: {', '.join(alike)})" if alike else ""
        raise InputError(f"{source.what}: there is no file {file}{others}")
    with written_whole(path) as partial:
        _place(source.file(file), partial)
    return {"repo": repo, "revision": revision, "commit": source.commit, "file": file}


def _place(source: Path, target: Path) -> None:
    """Make `target` a hard link to a file of the cache where the file system allows, else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


@dataclass(frozen=True)
class Repository:
    """A repository of the hub at one commit.

    name: as in org/name; kind: "model" or "dataset"; names: of all its files; what: it is, for messages.
    """

    name: str
    kind: str
    commit: str
    names: Collection[str]
    what: str

    def file(self, name: str) -> Path:
        """A file in the cache, downloaded if it is not there yet, with the digest that the hub states.

        Raises InputError where it cannot be had, or is corrupt (it is then taken out of the cache).
        """
        what = f"{self.what}: {name}"
        path = _asked(
            lambda: hf_hub_download(self.name, name, repo_type=self.kind, revision=self.commit), what
        )
        # in the cache a file has the name of its content: its SHA-256, or its git blob id
        content = Path(path).resolve()
        if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", content.name):
            got = (sha256_of_file if len(content.name) == 64 else git_blob_of_file)(content)
            if got != content.name:
                content.unlink()
                wanted = f"wanted digest {content.name}, got {got}"
                raise InputError(f"{what} is corrupt: {wanted}; run again to fetch it anew")
        return content


def repository(name: str, revision: str, kind: str = "model", called: str | None = None) -> Repository:
    """A repository at the commit that a branch, tag or commit stands for: as the hub lists it, or, where it
    cannot be reached, as the cache has it.

    called: what messages call it, if it is not its kind. Raises InputError for a missing, private or gated
    repository, a missing revision, and where there is neither the hub nor a cache.
    """
    what = f"{called or kind} {name} at revision {revision}"

    def listing() -> tuple[str, list[str]]:
        # the client takes a line break at the end of a copied branch for a part of the commit
        branch = Path(constants.HF_HUB_CACHE, f"{kind}s--{name.replace('/', '--')}", "refs", revision)
        at = branch.read_text().strip() if constants.HF_HUB_OFFLINE and branch.is_file() else revision
        # no file is wanted yet: this leaves the listing in the cache
        folder = Path(snapshot_download(name, repo_type=kind, revision=at, allow_patterns=[]))
        try:
            tree = get_cached_repo_tree(name, repo_type=kind, revision=folder.name)
        except CachedRepoTreeNotFoundError:
            # a cache that another program has filled
            files = [path for path in folder.rglob("*") if path.is_file()]
            return folder.name, [path.relative_to(folder).as_posix() for path in files]
        return folder.name, [file.path for file in tree]

    return Repository(name, kind, *_asked(listing, what), what)


def _asked(ask: Callable[[], Result], what: str) -> Result:
    """What the client returns, asked again where another try may help. Raises InputError for its errors."""
    waits = list(WAITS)
    while True:
        try:
            return ask()
        except Exception as error:
            if isinstance(error, OSError) and error.errno:
                # of a disk, not of the hub
                raise
            fault = (error.__cause__ if isinstance(error, LocalEntryNotFoundError) else None) or error
            reason, may_pass = _reason(fault)
            if not waits or not may_pass:
                raise InputError(f"{what}: {reason}") from None
            logger.warning("%s: %s; trying again in %.0f s", what, reason, waits[0])
            time.sleep(waits.pop(0))


def _reason(fault: BaseException) -> tuple[str, bool]:
    """What a fault says, or what to do about it, and whether another try may help."""
    known = next((advice for kind, advice in ADVICE.items() if isinstance(fault, kind)), None)
    said = known or without_secrets(str(fault)) or type(fault).__name__
    if not isinstance(fault, HfHubHTTPError):
        # the client takes anything for the JSON that it asked for
        odd = (ValueError, LookupError, TypeError, AttributeError, AssertionError)
        return said, not (known or isinstance(fault, odd))
    status = fault.response.status_code
    reason = known or f"the hub says {status} {fault.response.reason_phrase}".strip()
    if isinstance(fault, RepositoryNotFoundError) or status in (401, 403):
        token = "the token of HF_TOKEN or `hf auth login` gives no access: use another"
        if get_token() is None:
            token = "there is no token: set HF_TOKEN, or run `hf auth login`"
        reason = f"{reason}; {token}"
    return reason, status in (408, 429) or status >= 500
