"""What fetching models and corpora from the Hugging Face hub have in common."""

import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from huggingface_hub import DatasetInfo, ModelInfo
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
from unmask.fetching.background import Background, GivenUpError
from unmask.fetching.backoff import TemporaryError, UnreachableError
from unmask.fetching.http import retry_after
from unmask.files import git_blob_of_file, sha256_of_file
from unmask.urls import without_secrets

logger = logging.getLogger(__name__)

TIMEOUT = 30.0
"""Seconds to wait for the hub without a byte of its listing of a repository."""

LISTED_IN = 120.0
"""Seconds to wait for the whole listing."""


def listed(
    ask: Callable[[], ModelInfo | DatasetInfo], repo: str, what: str, seconds: float = LISTED_IN
) -> tuple[str, dict[str, str | None]]:
    """The commit of a repository, and its files with their digests: SHA-256 of large ones, else git blob ids.

    Raises TemporaryError where what the hub says is no such listing, and InputError where it lists a file by
    what is no path in a repository.
    """

    def once() -> Iterator[ModelInfo | DatasetInfo]:
        yield ask()

    with translated(repo, what):
        try:
            info = Background(once()).next(seconds)
        except GivenUpError:
            raise TemporaryError(f"no whole listing in {seconds:.0f} s") from None
        except HFValidationError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            # the client takes what comes for the JSON that it asked for
            info = None
    if info is None or not isinstance(info.siblings, list):
        raise TemporaryError("what the hub says is not the listing of a repository; check HF_ENDPOINT")
    if not isinstance(info.sha, str) or not re.fullmatch("[0-9a-f]{40}", info.sha):
        raise TemporaryError("the hub names no commit")
    digests = {s.rfilename: s.lfs.sha256 if s.lfs else s.blob_id for s in info.siblings}
    for name, digest in digests.items():
        if not _is_path(name):
            raise InputError(f"{what}: the hub lists {str(name)[:80]!r}, which is not a path in a repository")
        if not isinstance(digest, str | None):
            raise TemporaryError(f"the hub lists no digest of {name}")
    if unknown := [name for name, digest in digests.items() if digest is None]:
        logger.warning(
            "%s: the hub lists no digests of %d files, as %s: they are not checked",
            what,
            len(unknown),
            unknown[0],
        )
    return info.sha, digests


def _is_path(name: object) -> bool:
    """Whether a name stays within the folder that it is put into."""
    if not isinstance(name, str) or "\0" in name:
        return False
    return all(part not in ("", ".", "..") for part in name.split("/"))


def check_digest(path: Path, digest: str | None) -> None:
    """Take a file with another digest (SHA-256 or git blob id) out of the cache and raise TemporaryError."""
    if not digest or not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", digest):
        return
    got = sha256_of_file(path) if len(digest) == 64 else git_blob_of_file(path)
    if got != digest:
        # the link to it stays, or what else is there would look whole
        path.resolve().unlink()
        raise TemporaryError(f"{path.name} is corrupt: wanted digest {digest}, got {got}")


def place(source: Path, target: Path) -> None:
    """Make `target` a hard link to `source` where the file system allows, else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        # another file system, or one without hard links
        shutil.copyfile(source, target)


@contextmanager
def translated(repo: str, what: str) -> Iterator[None]:
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
        raise InputError(f"{what}: {repo!r} is not the name of a repository ({error})") from None
    except LocalEntryNotFoundError as error:
        # the client found neither the hub nor the file
        if isinstance(error.__cause__, OfflineModeIsEnabled):
            raise _offline(what) from None
        raise TemporaryError(f"no connection to the hub ({_reason(error.__cause__ or error)})") from None
    except OfflineModeIsEnabled:
        raise _offline(what) from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        reason = f"the hub says {status} {error.response.reason_phrase}".strip()
        if status in (408, 429) or status >= 500:
            raise TemporaryError(reason, retry_after(error.response.headers.get("Retry-After"))) from None
        advice = "; check HF_TOKEN" if status in (401, 403) else ""
        raise InputError(f"{what}: {reason}{advice}") from None
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise InputError(f"{what}: the hub cannot be asked ({_reason(error)}); check HF_ENDPOINT") from None
    except (httpx2.RequestError, FileMetadataError, ConnectionError, TimeoutError, RuntimeError) as error:
        # the built-in ones come from the client's compiled transfer of large files
        raise TemporaryError(f"connection failed ({_reason(error)})") from None
    except ValueError as error:
        # of headers that are none, for instance
        raise TemporaryError(f"the hub's answer makes no sense ({_reason(error)})") from None
    except OSError as error:
        # the client finds a body of another length than stated
        if "Consistency check failed" not in str(error):
            raise
        raise TemporaryError(f"truncated ({_reason(error)})") from None


def _reason(error: BaseException) -> str:
    return without_secrets(str(error)) or error.__class__.__name__


def _offline(what: str) -> UnreachableError:
    return UnreachableError(
        f"{what}: HF_HUB_OFFLINE is set and the cache has no whole copy: unset it, or fetch the model first"
    )
