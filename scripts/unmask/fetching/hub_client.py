"""Repositories of the Hugging Face hub, through huggingface_hub and its cache.

The environment is honoured as it does: HF_TOKEN, HF_HOME, HF_ENDPOINT, HF_HUB_OFFLINE. The client finds the
token by itself, in HF_TOKEN or where `hf auth login` leaves it. Nothing here reads its text, so no parameter,
log or result can have it.
"""

import logging
import re
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

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

from unmask.errors import InputError
from unmask.fetching.limits import Meter, deadline
from unmask.files import git_blob_of_file, sha256_of_file
from unmask.urls import fault_of_url, without_secrets

logger = logging.getLogger(__name__)

# it warns of every retry, with the url
logging.getLogger("huggingface_hub").setLevel(logging.ERROR)

Result = TypeVar("Result")

LISTED_IN, FETCHED_IN = 300.0, 86_400.0
"""Seconds to wait for the listing of a repository, and for a file."""

WAITS = (1.0, 4.0, 16.0)
"""Seconds before each further try, beyond those that the client makes by itself."""

ADVICE: Sequence[tuple[type[Exception] | tuple[type[Exception], ...], str]] = (
    (GatedRepoError, "access must be granted first: ask for it on the model's page{token}"),
    (RevisionNotFoundError, "there is no such revision"),
    (RepositoryNotFoundError, "no such repository, or a private one: check the name{token}"),
    (HFValidationError, "{name!r} is not the name of a repository ({reason})"),
    (
        OfflineModeIsEnabled,
        "HF_HUB_OFFLINE is set and the cache has no whole copy: unset it, fetch the model first, or name a "
        "commit that is there (of {name}: {commits})",
    ),
    # the client takes what comes for the JSON that it asked for
    (
        (TypeError, KeyError, AttributeError, AssertionError, RecursionError),
        "what the hub says is no listing; check HF_ENDPOINT",
    ),
)
"""What to do about faults that another try does not mend; the first that fits."""


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

        def download() -> str:
            return hf_hub_download(
                self.name, name, repo_type=self.kind, revision=self.commit, tqdm_class=Meter
            )

        path = _asked(download, FETCHED_IN, self.name, self.kind, what)
        # in the cache a file has the name of its content: its SHA-256, or its git blob id
        content = Path(path).resolve()
        if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", content.name):
            digest = sha256_of_file if len(content.name) == 64 else git_blob_of_file
            if (got := digest(content)) != content.name:
                content.unlink()
                wanted = f"wanted digest {content.name}, got {got}"
                raise InputError(f"{what} is corrupt: {wanted}; run again to fetch it anew")
        return content


def repository(name: str, kind: str, revision: str, what: str) -> Repository:
    """A repository at the commit that a branch, tag or commit stands for: as the hub lists it, or, where it
    cannot be reached, as the cache has it.

    Raises InputError, beginning with `what`, for a missing, private or gated repository, a missing revision,
    and where there is neither the hub nor a cache.
    """

    def listing() -> tuple[str, list[str]]:
        branch = _cache_of(name, kind) / "refs" / revision
        # the client takes a line break at the end of a copied branch for a part of the commit
        offline = constants.HF_HUB_OFFLINE and branch.is_file()
        at = branch.read_text().strip() if offline else revision
        # no file is wanted yet: this leaves the listing in the cache
        path = snapshot_download(name, repo_type=kind, revision=at, allow_patterns=[], tqdm_class=Meter)
        folder = Path(path)
        try:
            tree = get_cached_repo_tree(name, repo_type=kind, revision=folder.name)
        except CachedRepoTreeNotFoundError:
            # a cache that another program has filled
            files = [path for path in folder.rglob("*") if path.is_file()]
            return folder.name, [path.relative_to(folder).as_posix() for path in files]
        return folder.name, [file.path for file in tree]

    commit, names = _asked(listing, LISTED_IN, name, kind, what)
    if not re.fullmatch("[0-9a-f]{40}", commit):
        raise InputError(f"{what}: the hub names no commit")
    logger.info("%s: commit %s", what, commit)
    return Repository(name, kind, commit, names, what)


def _cache_of(name: str, kind: str) -> Path:
    """Where the client keeps that repository."""
    return Path(constants.HF_HUB_CACHE, f"{kind}s--{name.replace('/', '--')}")


def _asked(ask: Callable[[], Result], seconds: float, name: str, kind: str, what: str) -> Result:
    """What the client returns, asked again where another try may help. Raises InputError for its errors."""
    if not_a_url := fault_of_url(f"{constants.ENDPOINT}/{name}"):
        raise InputError(f"{what}: HF_ENDPOINT: {not_a_url}")
    for wait in (*WAITS, None):
        try:
            with deadline(seconds):
                return ask()
        except InputError as error:
            raise InputError(f"{what}: {error}") from None
        except Exception as error:
            if isinstance(error, OSError) and error.errno:
                # of a disk, not of the hub
                raise
            fault = (error.__cause__ if isinstance(error, LocalEntryNotFoundError) else None) or error
            if advice := _advice(fault, name, kind):
                raise InputError(f"{what}: {advice}") from None
            reason = _reason(fault)
            if wait is None:
                tried = f"tried {len(WAITS) + 1} times"
                raise InputError(f"{what}: could not be fetched ({tried}): {reason}") from None
            logger.warning("%s: %s; trying again in %.0f s", what, reason, wait)
            time.sleep(wait)
    raise AssertionError("not reached")


def _advice(fault: BaseException, name: str, kind: str) -> str | None:
    """What to do about a fault that another try does not mend; None for others."""
    token = "; the token of HF_TOKEN or `hf auth login` gives no access: use another"
    if get_token() is None:
        token = "; there is no token: set HF_TOKEN, or run `hf auth login`"
    commits = ", ".join(sorted(path.name for path in _cache_of(name, kind).glob("snapshots/*"))) or "nothing"
    for kinds, advice in ADVICE:
        if isinstance(fault, kinds):
            return advice.format(token=token, name=name, commits=commits, reason=_reason(fault))
    if not isinstance(fault, HfHubHTTPError):
        unread = f"what the hub says cannot be read ({_reason(fault)}); check HF_ENDPOINT"
        return unread if isinstance(fault, ValueError) else None
    status = fault.response.status_code
    if status in (408, 429) or status >= 500:
        return None
    return _reason(fault) + (token if status in (401, 403) else "")


def _reason(error: BaseException) -> str:
    if isinstance(error, HfHubHTTPError):
        return f"the hub says {error.response.status_code} {error.response.reason_phrase}".strip()
    return without_secrets(str(error)) or error.__class__.__name__
