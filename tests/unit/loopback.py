"""A loopback HTTP server that misbehaves as told, and a stand-in for the API of the Hugging Face hub."""

import hashlib
import json
import re
import socketserver
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from huggingface_hub import constants


@dataclass
class Reply:
    """What a server answers: `stated_length` may differ from the body's, `body` may end early."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    stated_length: int | None = None
    pause: float = 0.0
    """Seconds to wait before the body."""


@dataclass
class Request:
    """What a server was asked."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]


class Loopback:
    """A server on loopback, at work in threads until its block ends."""

    def __init__(self, server: socketserver.TCPServer) -> None:
        self._server = server
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self._thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class RawServer(Loopback):
    """Sends these bytes to every connection, once it has asked."""

    def __init__(self, answer: bytes) -> None:
        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                head = b""
                with suppress(OSError):
                    while b"\r\n\r\n" not in head and (received := self.request.recv(1 << 16)):
                        head += received
                    self.request.sendall(answer)

        super().__init__(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler))


class Server(Loopback):
    """`answer` makes the replies, `requests` remembers what was asked."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answer: Callable[[Request], Reply] = lambda request: Reply(404)
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                url = urlsplit(self.path)
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, unquote(url.path), parse_qs(url.query), headers)
                owner.requests.append(request)
                reply = owner.answer(request)
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                length = len(reply.body) if reply.stated_length is None else reply.stated_length
                if "Content-Length" not in reply.headers:
                    self.send_header("Content-Length", str(length))
                self.send_header("Connection", "close")
                self.end_headers()
                if self.command != "HEAD":
                    time.sleep(reply.pause)
                    self.wfile.write(reply.body)
                self.close_connection = True

            do_HEAD = do_GET  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:
                pass

        super().__init__(ThreadingHTTPServer(("127.0.0.1", 0), Handler))


class FileServer(Server):
    """Serves one body at every path, after the faults queued in `faults`.

    A fault is a Reply sent as it is, or a number: the next body ends after so many bytes.
    """

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.faults: deque[Reply | int] = deque()
        self.answer = lambda request: self._answer(body)

    def _answer(self, body: bytes) -> Reply:
        fault = self.faults.popleft() if self.faults else None
        if isinstance(fault, Reply):
            return fault
        return Reply(body=body[:fault], stated_length=len(body))


@dataclass
class Repository:
    """A model or data set repository of the hub; `large` files are in LFS, `served` are corrupt bodies."""

    files: dict[str, bytes]
    commit: str = "c0ffee" + "0" * 34
    branches: tuple[str, ...] = ("main",)
    large: tuple[str, ...] = ("model.safetensors", "pytorch_model.bin")
    needs_token: str | None = None
    gated: bool = False
    served: dict[str, bytes] = field(default_factory=dict)


def ask(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the hub's client in this process ask at a url, as with HF_ENDPOINT when it is imported."""
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


class Hub(Server):
    """Stand-in for the hub: commits, listings, and files (HEAD and GET), as its client asks."""

    def __init__(self, **repositories: Repository) -> None:
        super().__init__()
        self.repositories = {name.replace("__", "/"): repository for name, repository in repositories.items()}
        self.answer = self._answer

    def downloads(self) -> list[str]:
        """Names of the files whose content was asked for, in order."""
        return [
            r.path.split("/resolve/")[1].split("/", 1)[1]
            for r in self.requests
            if r.method == "GET" and "/resolve/" in r.path
        ]

    def _answer(self, request: Request) -> Reply:
        api = re.fullmatch(r"/api/(?:models|datasets)/(.+)/(?:revision|tree)/([^/]+)", request.path)
        resolve = re.fullmatch(r"/(?:datasets/)?(.+)/resolve/([^/]+)/(.+)", request.path)
        match = api or resolve
        if not match:
            return Reply(404)
        repository = self.repositories.get(match[1])
        allowed = repository is not None and repository.needs_token in (
            None,
            request.headers.get("authorization", "").removeprefix("Bearer "),
        )
        if repository is None or (not allowed and not repository.gated):
            return Reply(401, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"})
        if match[2] not in (*repository.branches, repository.commit):
            return Reply(404, {"X-Error-Code": "RevisionNotFound", "X-Error-Message": "Invalid rev id"})
        if api:
            is_tree = "/tree/" in request.path
            body = _tree(repository) if is_tree else {"id": match[1], "sha": repository.commit}
            return Reply(200, {"Content-Type": "application/json"}, json.dumps(body).encode())
        if not allowed:
            # a gated repository can be listed by everybody
            return Reply(401, {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access is restricted"})
        return self._file(repository, match[3])

    def _file(self, repository: Repository, name: str) -> Reply:
        if name not in repository.files:
            headers = {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            return Reply(404, {**headers, "X-Repo-Commit": repository.commit})
        body = repository.files[name]
        large = name in repository.large
        digest = hashlib.sha256(body).hexdigest() if large else git_blob(body)
        headers = {"ETag": f'"{digest}"', "X-Repo-Commit": repository.commit}
        reply = Reply(200, headers, repository.served.get(name, body))
        if large:
            reply.headers |= {"X-Linked-Etag": f'"{digest}"', "X-Linked-Size": str(len(body))}
        return reply


def git_blob(body: bytes) -> str:
    """Git's id of a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


def _tree(repository: Repository) -> list[dict[str, object]]:
    entries: list[dict[str, object]] = []
    for name, body in repository.files.items():
        entry = {"type": "file", "path": name, "size": len(body), "oid": git_blob(body)}
        if name in repository.large:
            # of a file in LFS git holds a pointer only
            sha256 = hashlib.sha256(body).hexdigest()
            entry |= {"oid": git_blob(b"pointer to " + body)}
            entry |= {"lfs": {"oid": sha256, "size": len(body), "pointerSize": 134}}
        entries.append(entry)
    return entries


@contextmanager
def unused_url() -> Iterator[str]:
    """A loopback address at which nothing answers."""
    with Server() as server:
        url = server.url
    yield url
