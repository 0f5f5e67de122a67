"""Fetching one file over http(s) or from a file URL."""

import logging
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import requests
from requests.adapters import HTTPAdapter
from tqdm import tqdm
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from unmask.errors import InputError
from unmask.files import git_blob_of_file, sha256_of_file, written_whole
from unmask.urls import fault_of_url, file_name, shown_url

logger = logging.getLogger(__name__)

# its warnings show urls whole
logging.getLogger("urllib3").setLevel(logging.ERROR)

TIMEOUT = 30.0
"""Seconds for a connection, and between two pieces of a body."""

BUSY = (408, 425, 429, 500, 502, 503, 504)
RETRIES = Retry(5, backoff_factor=1.0, backoff_jitter=1.0, status_forcelist=BUSY, raise_on_status=False)
"""Of a connection, of an answer of a busy server, and of a body that was cut short."""

_PAGE = re.compile(
    rb"(?>\xef\xbb\xbf|\s|<\?xml[^>]*>|<!--.*?-->)*+<(!doctype\s+html|html|head|body|title|meta)\b",
    re.I | re.S,
)


def fetch(
    url: str, path: str | Path, sha256: str | None = None, git_blob: str | None = None
) -> dict[str, str | int]:
    """Fetch `url` to `path`, whole and with the right checksum, or not at all; without a checksum a web page
    and an empty file are refused.

    Returns url, sha256, git_blob (hexadecimal) and bytes. Raises InputError naming the url: no such file, no
    access, unreachable, another checksum. There and in the log the url is as `shown_url` gives it.
    """
    path, name = Path(path), shown_url(url)
    wanted = {kind: digest.lower() for kind, digest in (("sha256", sha256), ("git_blob", git_blob)) if digest}
    try:
        if fault := fault_of_url(url):
            raise InputError(fault)
        with written_whole(path) as partial:
            if urlsplit(url).scheme == "file":
                shutil.copyfile(unquote(urlsplit(url).path), partial)
            else:
                _download(url, partial)
            facts: dict[str, str | int] = {"url": name, "bytes": partial.stat().st_size}
            facts |= {"sha256": sha256_of_file(partial), "git_blob": git_blob_of_file(partial)}
            for kind, digest in wanted.items():
                if facts[kind] != digest:
                    raise InputError(f"wrong checksum: wanted {kind} {digest}, got {facts[kind]}")
            if not wanted:
                _check_content(partial, file_name(url))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except (OSError, HTTPError, ValueError) as error:
        raise InputError(f"{name}: cannot be fetched ({_reason(error)})") from None
    return facts


def _check_content(partial: Path, name: str) -> None:
    """Raise InputError where what came is not the file, as far as this can be told without a checksum."""
    with open(partial, "rb") as file:
        beginning = file.read(1 << 12)
    if not beginning:
        raise InputError("it is empty")
    if _PAGE.match(beginning) and not name.lower().endswith((".html", ".htm")):
        advice = "check the url, and that it needs no login, or give the file's sha256"
        raise InputError(f"the server sent a web page, not a file; {advice}")


def _download(url: str, partial: Path) -> None:
    retries = RETRIES
    with requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=RETRIES))
        while True:
            try:
                return _receive(session, url, partial)
            except HTTPError as error:
                # requests tries again what fails before the body
                retries = retries.increment("GET", error=error)
                logger.warning("%s: %s; trying again", shown_url(url), _reason(error))
                retries.sleep()


def _receive(session: requests.Session, url: str, partial: Path) -> None:
    with session.get(url, headers={"Accept-Encoding": "identity"}, stream=True, timeout=TIMEOUT) as answer:
        if answer.status_code != 200:
            says = f"the server says {answer.status_code} {(answer.reason or '')[:60]}".strip()
            raise InputError(f"{says}; check the url, and that it may be read without a login")
        headers, shown = answer.headers, shown_url(url)
        if "Content-Length" not in headers and headers.get("Transfer-Encoding") != "chunked":
            logger.warning("%s: the server does not say its length: it may have been cut short", shown)
        # some servers say of a file in gzip what it is, and not how they send it
        is_packed = "Content-Encoding" in headers and not file_name(url).endswith(".gz")
        with open(partial, "wb") as file, tqdm(desc=shown, unit="B", unit_scale=True, disable=None) as bar:
            for piece in answer.raw.stream(1 << 16, decode_content=is_packed):
                bar.update(file.write(piece))


def _reason(error: BaseException) -> str:
    """What the first error says, as those that it led to repeat the url; its kind where it does so itself."""
    while first := error.__cause__ or error.__context__:
        error = first
    text = getattr(error, "strerror", None) or str(error)
    return text if text and not re.search(r"://|[?@]", text) else type(error).__name__
