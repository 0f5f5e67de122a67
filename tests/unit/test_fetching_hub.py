"""Fetching from a stand-in for the hub: chosen files, pinned, checked, cached, one-line errors."""

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import constants, hf_hub_download

import unmask
from library import InputError, fetch_gguf, fetch_model, hub_client
from loopback import Hub, RawServer, Reply, Repository, Request, Server, ask, unused_url

COMMIT = "c0ffee" + "0" * 34
WHOLE = {
    "config.json": b'{"model_type": "bert"}',
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b"[]",
    "vocab.txt": b"[MASK]\n",
    "model.safetensors": os.urandom(300_000),
}
OTHERS = {
    "pytorch_model.bin": b"pickle",
    "tf_model.h5": b"tensorflow",
    "flax_model.msgpack": b"flax",
    "rust_model.ot": b"rust",
    "README.md": b"text",
    "onnx/model.onnx": b"onnx",
    ".gitattributes": b"",
}


quick_time = SimpleNamespace(sleep=lambda seconds: None)
"""In place of the module `time` where the client waits before another try."""


@pytest.fixture(autouse=True)
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub(org__tiny=Repository({**OTHERS, **WHOLE})) as hub:
        ask(hub.url, monkeypatch)
        yield hub


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and no token; and nobody waits before another try."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "no token")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", "cache")
    monkeypatch.setattr(hub_client, "WAITS", (0.0, 0.0))
    monkeypatch.setattr("huggingface_hub.utils._http.time", quick_time)
    monkeypatch.setattr("huggingface_hub.file_download.time", quick_time)
    return Path("cache")


def fetched(directory: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(directory).iterdir()}


def fetch(
    target: str, revision: str = "main", repo: str = "org/tiny", tokenizer: tuple[str, str] | None = None
) -> dict[str, Any]:
    return fetch_model(repo, revision, target, tokenizer)


def test_takes_only_what_is_needed(hub: Hub) -> None:
    facts = fetch("model")
    assert facts == {"repo": "org/tiny", "revision": "main", "commit": COMMIT}
    assert fetched("model") == WHOLE
    assert sorted(hub.downloads()) == sorted(WHOLE)
    assert sorted(os.listdir()) == ["cache", "model"]
    assert not any(path.is_symlink() for path in Path("model").iterdir())
    # hard links cost no space
    assert Path("model/model.safetensors").stat().st_nlink == 2


def test_copies_where_links_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: object, target: object) -> None:
        raise OSError("another file system")

    monkeypatch.setattr("unmask.fetching.hub_client.os.link", refuse)
    fetch("model")
    assert fetched("model") == WHOLE


def test_pickled_weights_where_there_is_nothing_better(hub: Hub) -> None:
    del hub.repositories["org/tiny"].files["model.safetensors"]
    fetch("model")
    assert "pytorch_model.bin" in fetched("model")


def test_weights_in_shards(hub: Hub) -> None:
    files = hub.repositories["org/tiny"].files
    del files["model.safetensors"]
    shards = {f"model-0000{n}-of-00002.safetensors": os.urandom(1000) for n in (1, 2)}
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    files |= {**shards, "model.safetensors.index.json": json.dumps(index).encode()}
    fetch("model")
    got = fetched("model")
    assert got.items() >= shards.items()
    assert "pytorch_model.bin" not in got


@pytest.mark.parametrize(
    ("shards", "message"),
    [
        ({"a": "model-1.safetensors"}, r"names model-1\.safetensors, which is not there"),
        ({"a": "../model-1.safetensors"}, r"names \.\./model-1\.safetensors, which is not there"),
        ({"a": "/etc/passwd"}, "names /etc/passwd, which is not there"),
        ({"a": 1}, "names 1, which is not there"),
        (["model.safetensors"], "is not an index of weights"),
        (b"[" * 200_000, "is not an index of weights"),
        (b"\xff\xfe", "is not an index of weights"),
    ],
)
def test_an_index_of_weights_that_is_none_is_one_line(hub: Hub, shards: object, message: str) -> None:
    files = hub.repositories["org/tiny"].files
    del files["model.safetensors"]
    index = shards if isinstance(shards, bytes) else json.dumps({"weight_map": shards}).encode()
    files["model.safetensors.index.json"] = index
    with pytest.raises(
        InputError, match=f"org/tiny at revision main: model.safetensors.index.json {message}"
    ):
        fetch("model")
    assert not Path("model").exists()


def test_a_commit_pins_the_content() -> None:
    facts = fetch("model", COMMIT)
    assert facts["commit"] == facts["revision"] == COMMIT


def test_a_second_fetch_downloads_nothing_and_replaces_what_was_there(hub: Hub) -> None:
    fetch("model")
    hub.requests.clear()
    Path("model/stale").touch()
    fetch("model")
    assert hub.downloads() == []
    assert fetched("model") == WHOLE


def test_a_branch_that_has_moved_is_fetched_anew(hub: Hub) -> None:
    fetch("model")
    config = b'{"model_type": "roberta"}'
    hub.repositories["org/tiny"] = Repository({**WHOLE, "config.json": config}, commit="decaf" + "0" * 35)
    hub.requests.clear()
    assert fetch("model")["commit"] == "decaf" + "0" * 35
    assert fetched("model") == {**WHOLE, "config.json": config}
    assert hub.downloads() == ["config.json"]


def test_server_errors_are_tried_again(hub: Hub) -> None:
    usual, busy = hub.answer, iter([Reply(503), Reply(429, {"Retry-After": "1"})])
    hub.answer = lambda request: next(busy, None) or usual(request)
    fetch("model")
    assert fetched("model") == WHOLE


def test_gives_up_in_the_end(hub: Hub) -> None:
    hub.answer = lambda request: Reply(503)
    with pytest.raises(InputError, match=r"^model org/tiny at revision main: .*tried 3 times.*503"):
        fetch("model")
    assert not Path("model").exists()


def test_an_interrupted_download_goes_on(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    usual, cuts = hub.answer, iter([100_000, 50_000])

    def answer(request: Request) -> Reply:
        reply = usual(request)
        if request.method == "GET" and request.path.endswith("model.safetensors"):
            reply.stated_length = len(reply.body)
            reply.body = reply.body[: next(cuts, None)]
        return reply

    hub.answer = answer
    fetch("model")
    assert fetched("model") == WHOLE
    ranges = [r.headers.get("range") for r in hub.requests if r.method == "GET" and "safetensors" in r.path]
    assert ranges == [None, "bytes=100000-", "bytes=150000-"]


def test_what_came_before_a_failure_is_not_fetched_again(hub: Hub) -> None:
    usual = hub.answer
    hub.answer = lambda request: Reply(403) if "safetensors" in request.path else usual(request)
    message = r"model\.safetensors: the hub says 403 Forbidden; there is no token: set HF_TOKEN, or run"
    with pytest.raises(InputError, match=message):
        fetch("model")
    assert not Path("model").exists()
    hub.answer = usual
    hub.requests.clear()
    fetch("model")
    assert hub.downloads() == ["model.safetensors"]


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_corrupt_body_is_noticed(hub: Hub, name: str) -> None:
    repository = hub.repositories["org/tiny"]
    repository.served[name] = WHOLE[name][:-1] + bytes([WHOLE[name][-1] ^ 1])
    with pytest.raises(InputError, match=rf"{name} is corrupt: wanted digest [0-9a-f]+, got .*; run again"):
        fetch("model")
    assert not Path("model").exists()
    repository.served.clear()
    fetch("model")
    assert fetched("model") == WHOLE


def test_a_body_of_another_length_than_stated_is_noticed(hub: Hub) -> None:
    served = hub.repositories["org/tiny"].served
    for body in (WHOLE["model.safetensors"][:1000], WHOLE["model.safetensors"] + b"x"):
        served["model.safetensors"] = body
        with pytest.raises(InputError, match="Consistency check failed: file should be of size 300000"):
            fetch("model")
    served.clear()
    fetch("model")
    assert fetched("model") == WHOLE


def endless(head: bytes, piece: bytes, pause: float = 0.0) -> Iterator[bytes | float]:
    yield head
    while True:
        yield piece
        if pause:
            yield pause


def test_an_endless_body_is_left(hub: Hub, cache: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    with RawServer(lambda number: endless(head, b"10000\r\n" + bytes(1 << 16) + b"\r\n")) as server:
        redirect(hub, server.url)
        with pytest.raises(
            InputError, match=r"model\.safetensors: more than 600000 bytes, which is the most"
        ):
            fetch("model")
    assert not Path("model").exists()
    assert not list(cache.rglob("*.incomplete"))


def test_a_hub_that_trickles_is_not_waited_for(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_client, "FETCHED_IN", 1.0)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n"
    with RawServer(lambda number: endless(head, b"x", pause=0.02)) as server:
        redirect(hub, server.url)
        with pytest.raises(InputError, match=r"model\.safetensors: not finished in 1 s"):
            fetch("model")
    monkeypatch.setattr(hub_client, "LISTED_IN", 1.0)
    with RawServer(lambda number: endless(b"HTTP/1.1 200 OK\r\n", b"X: 1\r\n", pause=0.02)) as server:
        ask(server.url, monkeypatch)
        with pytest.raises(InputError, match=r"^model org/tiny at revision main: not finished in 1 s"):
            fetch("model")
    assert not Path("model").exists()


def redirect(hub: Hub, url: str) -> None:
    """Have the hub send for the weights to another server, as it does for large files."""
    usual = hub.answer

    def answer(request: Request) -> Reply:
        reply = usual(request)
        if "model.safetensors" in request.path:
            reply = Reply(302, {**reply.headers, "Location": f"{url}/weights"})
        return reply

    hub.answer = answer


def test_the_token_opens_a_gated_model_and_goes_to_the_hub_alone(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.repositories["org/gated"] = Repository(WHOLE, gated=True, needs_token="secret")
    monkeypatch.setenv("HF_TOKEN", "secret")
    with Server() as other:
        other.answer = lambda request: Reply(200, {}, WHOLE["model.safetensors"])
        redirect(hub, other.url)
        fetch("model", repo="org/gated")
        assert [(r.path, r.headers.get("authorization")) for r in other.requests] == [("/weights", None)]
    assert fetched("model") == WHOLE


def test_the_token_of_the_login_is_taken_where_the_environment_has_none(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.repositories["org/private"] = Repository(WHOLE, needs_token="secret")
    Path("token").write_text("secret\n")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "token")
    fetch("model", repo="org/private")
    assert fetched("model") == WHOLE


@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("token", [None, "sesame"])
def test_no_access_is_one_line_that_names_the_model_and_says_what_of_the_token(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, gated: bool, token: str | None
) -> None:
    hub.repositories["org/closed"] = Repository(WHOLE, gated=gated, needs_token="secret")
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(InputError) as caught:
        fetch("model", repo="org/closed")
    line = str(caught.value)
    assert line.startswith("model org/closed at revision main: ") and "\n" not in line
    assert "HF_TOKEN" in line and "`hf auth login`" in line
    assert ("there is no token" in line) == (token is None)
    assert ("on the model's page" in line) == gated
    assert "sesame" not in line and "secret" not in line


def test_redirects_in_a_circle_are_one_line(hub: Hub) -> None:
    usual = hub.answer
    hub.answer = lambda request: (
        Reply(302, {"Location": request.path}) if "/resolve/" in request.path else usual(request)
    )
    with pytest.raises(InputError, match=r"config\.json: could not be fetched .* 20 redirects"):
        fetch("model")


@pytest.mark.parametrize("revision", ["main", COMMIT])
def test_without_network_the_cache_is_used(revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = fetch("model", revision)
    with unused_url() as nowhere:
        ask(nowhere, monkeypatch)
        assert fetch("a", revision) == facts
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert fetch("b", revision) == facts
    assert fetched("a") == fetched("b") == WHOLE


def test_a_cache_without_a_listing_is_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As other programs leave it, which know what they want."""
    for name in WHOLE:
        hf_hub_download("org/tiny", name)
    assert not list(cache.rglob("trees"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    fetch("model")
    assert fetched("model") == WHOLE


HELD = rf"it has of commit {COMMIT} config\.json, model\.safetensors, tokenizer\.json, "
COPIED = {
    "line": (f"{COMMIT}\n", None),
    "line of Windows": (f"{COMMIT}\r\n", None),
    "of another commit": ("decaf" + "0" * 35, HELD),
    "without branches": (None, HELD),
}


@pytest.mark.parametrize("case", COPIED)
def test_a_cache_that_was_copied(case: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in WHOLE:
        hf_hub_download("org/tiny", name)
    (ref,) = cache.rglob("refs/main")
    content, message = COPIED[case]
    ref.unlink()
    if content:
        ref.write_text(content, newline="")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    if message:
        with pytest.raises(InputError, match=message):
            fetch("model")
    assert fetch("model", COMMIT if message else "main")["commit"] == COMMIT
    assert fetched("model") == WHOLE


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.txt"])
@pytest.mark.parametrize("fault", ["corrupt", "gone"])
def test_a_cache_that_is_not_whole_and_sound_is_not_used(
    cache: Path, name: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a tokenizer would do for one."""
    fetch("model")
    file = next(cache.rglob(f"snapshots/*/{name}"))
    if fault == "corrupt":
        file.resolve().write_bytes(b"spoilt")
    else:
        file.unlink()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    first = rf"{name} is corrupt" if fault == "corrupt" else "the cache has no whole copy"
    for message in (first, "HF_HUB_OFFLINE is set and the cache has no whole copy"):
        with pytest.raises(InputError, match=message):
            fetch("a")
    assert not Path("a").exists()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    fetch("b")
    assert fetched("b") == WHOLE


def test_no_network_and_no_cache(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="HF_HUB_OFFLINE is set and the cache has no whole copy"):
        fetch("a")
    assert hub.requests == []
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with unused_url() as nowhere:
        ask(nowhere, monkeypatch)
        message = r"^model org/tiny at revision main: could not be fetched \(tried 3 times\): .*refused"
        with pytest.raises(InputError, match=message):
            fetch("a")


@pytest.mark.parametrize(
    ("repo", "revision", "message"),
    [
        ("org/none", "main", "no such repository, or a private one.*HF_TOKEN"),
        ("org/tiny", "v9", "there is no such revision"),
        ("org/gated", "main", "config.json: access must be granted first.*HF_TOKEN"),
        ("org/empty", "main", "no weights"),
        ("org/no/name", "main", "'org/no/name' is not the name of a repository"),
    ],
)
def test_what_cannot_be_had_is_one_line_at_once(hub: Hub, repo: str, revision: str, message: str) -> None:
    hub.repositories["org/gated"] = Repository(WHOLE, gated=True, needs_token="secret")
    hub.repositories["org/empty"] = Repository({k: v for k, v in WHOLE.items() if k != "model.safetensors"})
    with pytest.raises(InputError, match=f"^model {repo} at revision {revision}: {message}") as caught:
        fetch("model", revision, repo)
    assert "\n" not in str(caught.value)
    assert "tried" not in str(caught.value)
    assert not Path("model").exists()


def test_a_full_disk_is_no_matter_of_the_hub(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is for the job to tell, as wherever a disk is full; and nothing half written stays."""

    def refuse(*settings: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("unmask.fetching.limits.Meter.update", refuse)
    with pytest.raises(OSError, match="No space left on device"):
        fetch("model")
    assert hub.downloads() == ["config.json"]
    assert not Path("model").exists()


def test_the_environment_is_honoured(hub: Hub) -> None:
    """HF_ENDPOINT, HF_HOME, HF_TOKEN and HF_HUB_OFFLINE, which the client reads as it is imported."""
    hub.repositories["org/tiny"].needs_token = "secret"
    code = (
        "import sys; from unmask.fetching.hub import fetch_model; "
        "fetch_model('org/tiny', 'main', sys.argv[1])"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(unmask.__file__).parents[1]),
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(Path("home").absolute()),
        "HF_TOKEN": "secret",
        "NO_PROXY": "*",
    }
    subprocess.run([sys.executable, "-c", code, "a"], env=environment, check=True)
    assert fetched("a") == WHOLE
    assert Path("home/hub").is_dir()
    asked = len(hub.requests)
    environment |= {"HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, "-c", code, "b"], env=environment, check=True)
    assert fetched("b") == WHOLE
    assert len(hub.requests) == asked


WORDS = ("org/words", "v1")
LENT = {"tokenizer.json": b'{"lent": 1}', "vocab.txt": b"[MASK]\nlent\n", "tokenizer_config.json": b"{}"}
BARE = {name: body for name, body in WHOLE.items() if name in ("config.json", "model.safetensors")}


@pytest.fixture
def lender(hub: Hub) -> Repository:
    """A repository with a tokenizer, for a model that has none (org/bare)."""
    files = {**OTHERS, **LENT, "config.json": b'{"model_type": "lender"}', "model.safetensors": b"other"}
    hub.repositories["org/words"] = Repository(files, commit="decaf" + "0" * 35, branches=("main", "v1"))
    hub.repositories["org/bare"] = Repository({**OTHERS, **BARE})
    return hub.repositories["org/words"]


def test_a_tokenizer_of_another_repository(
    hub: Hub, lender: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = fetch("model", repo="org/bare", tokenizer=WORDS)
    assert facts == {
        "repo": "org/bare",
        "revision": "main",
        "commit": COMMIT,
        "tokenizer": {"repo": "org/words", "revision": "v1", "commit": lender.commit},
    }
    assert fetched("model") == BARE | LENT
    assert sorted(hub.downloads()) == sorted([*BARE, *LENT])
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert fetch("again", repo="org/bare", tokenizer=WORDS) == facts
    assert fetched("again") == BARE | LENT


@pytest.mark.usefixtures("lender")
def test_a_tokenizer_of_its_own_gives_way(hub: Hub) -> None:
    hub.repositories["org/tiny"].files["special_tokens_map.json"] = b"{}"
    fetch("model", tokenizer=WORDS)
    assert fetched("model") == BARE | LENT
    assert "special_tokens_map.json" not in hub.downloads()


@pytest.mark.usefixtures("lender")
def test_a_model_without_a_tokenizer_is_told_how_to_have_one(hub: Hub) -> None:
    why = (
        r"^model org/bare at revision main: no tokenizer \(none .*\); name the repository of one with the key"
    )
    with pytest.raises(InputError, match=why):
        fetch("model", repo="org/bare")
    hub.repositories["org/bare"] = Repository({"model.safetensors": b""}, commit="decaf" + "0" * 35)
    with pytest.raises(InputError, match=r"no config\.json: not a model of the transformers library$"):
        fetch("model", repo="org/bare")


@pytest.mark.parametrize(
    ("repo", "tokenizer", "message"),
    [
        ("org/bare", ("org/bare", "main"), "tokenizer org/bare at revision main: none of tokenizer.json, "),
        ("org/tiny", ("org/none", "main"), "tokenizer org/none at revision main: no such repository"),
        ("org/tiny", ("org/words", "v9"), "tokenizer org/words at revision v9: there is no such revision"),
        ("org/none", WORDS, "model org/none at revision main: no such repository"),
        ("org/light", WORDS, "model org/light at revision main: no weights"),
    ],
)
@pytest.mark.usefixtures("lender")
def test_which_repository_lacks_something_is_said(
    hub: Hub, repo: str, tokenizer: tuple[str, str], message: str
) -> None:
    hub.repositories["org/light"] = Repository({"config.json": WHOLE["config.json"]})
    with pytest.raises(InputError, match=f"^{message}"):
        fetch("model", repo=repo, tokenizer=tokenizer)
    assert not Path("model").exists()


@pytest.mark.parametrize("commit", [COMMIT, "../../elsewhere", 5, None])
@pytest.mark.parametrize(
    "tree",
    [
        b"<!doctype html><html>Down for maintenance</html>",
        b"[" * 200_000,
        {"error": "busy"},
        ["config.json"],
        [{"type": "file", "size": 5}],
        None,
        [{"type": "file", "path": name, "oid": "0" * 40, "size": 5} for name in ("../config.json", "/x", 5)],
    ],
)
def test_a_listing_that_is_none_is_one_line(hub: Hub, commit: object, tree: object) -> None:
    def answer(request: Request) -> Reply:
        content = tree if "/tree/" in request.path else {"id": "org/tiny", "sha": commit}
        return Reply(200, {}, content if isinstance(content, bytes) else json.dumps(content).encode())

    hub.answer = answer
    with pytest.raises(InputError, match=r"^model org/tiny at revision main: [^\n]+$"):
        fetch("model")
    assert os.listdir() in ([], ["cache"])
    assert hub.downloads() == []


def test_one_gguf_file_is_fetched_and_no_other(hub: Hub, tmp_path: Path) -> None:
    files = {"q/tiny.Q8_0.gguf": b"GGUF eight", "tiny.Q4_K.gguf": b"GGUF four", "README.md": b"text"}
    hub.repositories["org/quantised"] = Repository(files)
    facts = fetch_gguf("org/quantised", "main", "q/tiny.Q8_0.gguf", tmp_path / "model" / "model.gguf")
    assert facts == {
        "repo": "org/quantised",
        "revision": "main",
        "commit": COMMIT,
        "file": "q/tiny.Q8_0.gguf",
    }
    assert (tmp_path / "model" / "model.gguf").read_bytes() == b"GGUF eight"
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["model.gguf"]
    assert hub.downloads() == ["q/tiny.Q8_0.gguf"]


@pytest.mark.parametrize(
    ("repo", "there"),
    [("org/quantised", "(GGUF files: q/a.gguf, z.gguf)"), ("org/tiny", "(it has no GGUF file)")],
)
def test_a_gguf_file_that_is_not_there_is_one_line(hub: Hub, tmp_path: Path, repo: str, there: str) -> None:
    hub.repositories["org/quantised"] = Repository({"z.gguf": b"", "q/a.gguf": b"", "README.md": b""})
    line = f"^model {repo} at revision main: there is no file none.gguf {re.escape(there)}$"
    with pytest.raises(InputError, match=line):
        fetch_gguf(repo, "main", "none.gguf", tmp_path / "model.gguf")
    assert not list(tmp_path.glob("*.gguf"))


def test_a_gguf_file_comes_from_the_cache_where_there_is_no_network(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.repositories["org/quantised"] = Repository({"a.gguf": b"GGUF"})
    facts = fetch_gguf("org/quantised", "main", "a.gguf", tmp_path / "one.gguf")
    monkeypatch.setattr(hub_client, "time", quick_time)
    with unused_url() as nowhere:
        ask(nowhere, monkeypatch)
        assert fetch_gguf("org/quantised", "main", "a.gguf", tmp_path / "two.gguf") == facts
    assert (tmp_path / "two.gguf").read_bytes() == b"GGUF"
