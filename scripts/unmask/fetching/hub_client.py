"""What fetching models and corpora from the Hugging Face hub have in common."""

import os
import re
import shutil
from collections.abc import Iterator
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
from unmask.fetching.backoff import TemporaryError, UnreachableError
from unmask.fetching.http import retry_after
from unmask.files import git_blob_of_file, sha256_of_file

TIMEOUT = 30.0
"""Seconds to wait for the hub's listing of a repository."""


def digests_of(info: ModelInfo | DatasetInfo) -> dict[str, str | None]:
    """The files of a repository with their digests: SHA-256 of large files, git blob ids of others."""
    return {s.rfilename: s.lfs.sha256 if s.lfs else s.blob_id for s in info.siblings or []}


def check_digest(path: Path, digest: str | None) -> None:
    """Take a file with another digest (SHA-256 or git blob id) out of the cache and raise TemporaryError."""
    if not digest or not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", digest):
        return
    got = sha256_of_file(path) if len(digest) == 64 else git_blob_of_file(path)
    if got != digest:
        path.resolve().unlink()
        path.unlink(missing_ok=True)
        raise TemporaryError(f"{path.name} is corrupt: wanted digest {digest}, got {got}")


def place(source: Path, target: Path) -> None:
    """Make `target` a hard link to `source` where the file system allows, else a copy."""
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
