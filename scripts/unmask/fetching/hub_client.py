"""What fetching models and data sets from the Hugging Face hub have in common.

Downloads go through huggingface_hub's cache. The environment is honoured as it does: HF_TOKEN, HF_HOME,
HF_ENDPOINT, HF_HUB_OFFLINE. The client finds the token by itself, in HF_TOKEN or where `hf auth login` leaves
it. Nothing here reads its text, so no parameter, log or result can have it.
"""

import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import httpx2
from huggingface_hub import constants, get_cached_repo_tree, get_token, hf_hub_download, snapshot_download
from huggingface_hub.errors import (
    CachedRepoTreeNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.file_download import repo_folder_name

from unmask.errors import InputError
from unmask.fetching.limits import Meter, deadline
from unmask.files import git_blob_of_file, sha256_of_file
from unmask.urls import without_secrets

logger = logging.getLogger(__name__)

# it warns of every retry, with the url
logging.getLogger("huggingface_hub").setLevel(logging.ERROR)

Result = TypeVar("Result")

LISTED_IN, FETCHED_IN = 300.0, 86_400.0
"""Seconds to wait for the listing of a repository, and for a file."""

WAITS = (1.0, 4.0, 16.0)
"""Seconds before each further try, beyond those that the client makes by itself."""

MOST_NAMES = 8
"""Files that a message names of a commit."""

_COMMIT = re.compile("[0-9a-f]{40}")


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

        def download() -> str:
            with deadline(FETCHED_IN):
                return hf_hub_download(
                    self.name, name, repo_type=self.kind, revision=self.commit, tqdm_class=Meter
                )

        path = Path(_asked(download, self.name, self.kind, f"{self.what}: {name}"))
        _check_digest(path, f"{self.what}: {name}")
        return path


def repository(name: str, kind: str, revision: str, what: str) -> Repository:
    """A repository at the commit that a branch, tag or commit stands for: as the hub lists it, or, where it
    cannot be reached, as the cache has it.

    Raises InputError, beginning with `what`, for a missing, private or gated repository, a missing revision,
    and where there is neither the hub nor a cache.
    """
    commit, names = _asked(lambda: _listing(name, kind, revision), name, kind, what)
    if not _COMMIT.fullmatch(commit):
        raise InputError(f"{what}: the hub names no commit")
    logger.info("%s: commit %s", what, commit)
    return Repository(name, kind, commit, names, what)


def _listing(name: str, kind: str, revision: str) -> tuple[str, list[str]]:
    """The commit that a revision stands for, and the names of its files."""
    try:
        with deadline(LISTED_IN):
            # no file is wanted yet: this leaves the listing in the cache
            path = snapshot_download(
                name, repo_type=kind, revision=revision, allow_patterns=[], tqdm_class=Meter
            )
    except LocalEntryNotFoundError:
        # a cache that was written by hand may say the commit in a line
        ref = _cached(name, kind) / "refs" / revision
        commit = ref.read_text(encoding="utf-8").strip() if ref.is_file() else ""
        if not _COMMIT.fullmatch(commit):
            raise
        return _listing(name, kind, commit)
    except (HfHubHTTPError, HFValidationError):
        raise
    except (ValueError, TypeError, KeyError, AttributeError, AssertionError, RecursionError):
        # the client takes what comes for the JSON that it asked for
        raise InputError("what the hub says is not the listing of a repository; check HF_ENDPOINT") from None
    folder = Path(path)
    try:
        tree = get_cached_repo_tree(name, repo_type=kind, revision=folder.name)
    except CachedRepoTreeNotFoundError:
        # a cache that another program has filled
        return folder.name, [
            file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()
        ]
    return folder.name, [file.path for file in tree]


def _cached(name: str, kind: str) -> Path:
    """The folder of the cache that has a repository."""
    return Path(constants.HF_HUB_CACHE, repo_folder_name(repo_id=name, repo_type=kind))


def _held(name: str, kind: str) -> str:
    """What the cache has of a repository, in words: commits, and the files of each."""
    held = []
    for folder in sorted((_cached(name, kind) / "snapshots").glob("*")):
        files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        more = f" and {len(files) - MOST_NAMES} more" if len(files) > MOST_NAMES else ""
        held.append(f"of commit {folder.name} {', '.join(files[:MOST_NAMES]) or 'nothing'}{more}")
    return "; ".join(held) or f"nothing of {name}"


def place(source: Path, target: Path) -> None:
    """Make `target` a hard link to `source` where the file system allows, else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source.resolve(), target)
    except OSError:
        # another file system, or one without hard links
        shutil.copyfile(source, target)


def _check_digest(path: Path, what: str) -> None:
    """Hold a file against the name of its content in the cache, which is its SHA-256 or git blob id."""
    stated = Path(os.readlink(path)).name if path.is_symlink() else ""
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", stated):
        return
    got = sha256_of_file(path) if len(stated) == 64 else git_blob_of_file(path)
    if got != stated:
        path.resolve().unlink()
        raise InputError(f"{what} is corrupt: wanted digest {stated}, got {got}; run again to fetch it anew")


def _asked(ask: Callable[[], Result], name: str, kind: str, what: str) -> Result:
    """What the client gives, asked again where another try may help. Raises InputError for its errors."""
    for wait in (*WAITS, None):
        try:
            return ask()
        except InputError as error:
            raise InputError(f"{what}: {error}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, RuntimeError, ValueError) as error:
            if isinstance(error, OSError) and error.errno:
                # of a disk, not of the hub
                raise
            fault = error.__cause__ if isinstance(error, LocalEntryNotFoundError) else error
            if final := _final_fault(fault, name, kind):
                raise InputError(f"{what}: {final}") from None
            reason = _reason(fault or error)
            if wait is None:
                raise InputError(
                    f"{what}: could not be fetched (tried {len(WAITS) + 1} times): {reason}"
                ) from None
            logger.warning("%s: %s; trying again in %.0f s", what, reason, wait)
            time.sleep(wait)
    raise AssertionError("not reached")


def _final_fault(error: BaseException | None, name: str, kind: str) -> str | None:
    """What to do about a fault that another try does not mend; None for others."""
    match error:
        case GatedRepoError():
            return f"access must be granted first: ask for it on the model's page{_token_needed()}"
        case RevisionNotFoundError():
            return "there is no such revision"
        case RepositoryNotFoundError():
            return f"no such repository, or a private one: check the name{_token_needed()}"
        case HFValidationError():
            return f"{name!r} is not the name of a repository ({error})"
        case OfflineModeIsEnabled():
            advice = f"unset it, or fetch the model first (it has {_held(name, kind)})"
            return f"HF_HUB_OFFLINE is set and the cache has no whole copy: {advice}"
        case HfHubHTTPError():
            status = error.response.status_code
            if status in (408, 429) or status >= 500:
                return None
            return _reason(error) + (_token_needed() if status in (401, 403) else "")
        case httpx2.InvalidURL() | httpx2.UnsupportedProtocol():
            return f"the hub cannot be asked ({_reason(error)}); check HF_ENDPOINT"
        case ValueError():
            return _reason(error)
    return None


def _token_needed() -> str:
    """What to do about the token where the hub refuses: set one, or another than there is."""
    if get_token() is None:
        return "; there is no token: set HF_TOKEN, or run `hf auth login`"
    return "; the token of HF_TOKEN or `hf auth login` gives no access: use another"


def _reason(error: BaseException) -> str:
    if isinstance(error, HfHubHTTPError):
        return f"the hub says {error.response.status_code} {error.response.reason_phrase}".strip()
    return without_secrets(str(error)) or error.__class__.__name__
