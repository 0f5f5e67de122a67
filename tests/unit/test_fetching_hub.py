"""Fetching from a stand-in for the hub: chosen files, pinned, checked, cached, one-line errors."""

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import constants, hf_hub_download

from library import InputError, fetch_file, fetch_model
from loopback import Hub, Reply, Repository, Request, Server, ask, unused_url
from own_code import MODULE, with_own_code
from running import run_script
from small_corpora import DATASET, SHARDS

COMMIT, OTHER = "c0ffee" + "0" * 34, "decaf" + "0" * 35
WEIGHTS = "model.safetensors"
WHOLE = {
    "config.json": b'{"model_type": "bert"}',
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b"[]",
    "vocab.txt": b"[MASK]\n",
    WEIGHTS: os.urandom(300_000),
}
UNUSED = {
    "pytorch_model.bin": b"pickle",
    "tf_model.h5": b"tensorflow",
    "README.md": b"text",
    "onnx/model.onnx": b"onnx",
    ".gitattributes": b"",
}


@pytest.fixture(autouse=True)
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub(org__tiny=Repository({**UNUSED, **WHOLE})) as hub:
        ask(hub.url, monkeypatch)
        yield hub


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and no token; and nobody waits before another try."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "no token")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", "cache")
    monkeypatch.setattr("unmask.fetching.hub.WAITS", (0.0, 0.0))
    for module in ("utils._http", "file_download"):
        quick = SimpleNamespace(sleep=lambda seconds: None)
        monkeypatch.setattr(f"huggingface_hub.{module}.time", quick)
    return Path("cache")


def fetched(directory: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(directory).iterdir()}


def fetch(
    target: str, revision: str = "main", repo: str = "org/tiny", tokenizer: tuple[str, str] | None = None
) -> dict[str, Any]:
    return fetch_model(repo, revision, target, tokenizer)


def refused(message: str, *arguments: Any, **settings: Any) -> str:
    """The one line of a fetch that leaves nothing."""
    with pytest.raises(InputError, match=message) as caught:
        fetch("unfetched", *arguments, **settings)
    assert "\n" not in str(caught.value) and not Path("unfetched").exists()
    return str(caught.value)


def test_takes_only_what_is_needed_and_only_once(hub: Hub) -> None:
    facts = fetch("model")
    assert facts == {"repo": "org/tiny", "revision": "main", "commit": COMMIT}
    assert fetched("model") == WHOLE
    assert sorted(hub.downloads()) == sorted(WHOLE)
    assert not any(path.is_symlink() for path in Path("model").iterdir())
    # hard links cost no space
    assert Path("model", WEIGHTS).stat().st_nlink == 2
    hub.requests.clear()
    Path("model/stale").touch()
    assert fetch("model", COMMIT) == {"repo": "org/tiny", "revision": COMMIT, "commit": COMMIT}
    assert hub.downloads() == [] and fetched("model") == WHOLE


def test_weights_in_shards_or_pickled(hub: Hub) -> None:
    files = hub.repositories["org/tiny"].files
    del files[WEIGHTS]
    fetch("pickled")
    assert "pytorch_model.bin" in fetched("pickled")
    shards = {f"model-0000{n}-of-00002.safetensors": os.urandom(1000) for n in (1, 2)}
    index = {"weight_map": dict(zip("ab", shards, strict=True))}
    hub.repositories["org/tiny"] = Repository(
        files | {**shards, f"{WEIGHTS}.index.json": json.dumps(index).encode()}, commit=OTHER
    )
    fetch("model")
    assert fetched("model").items() >= shards.items()
    assert "pytorch_model.bin" not in fetched("model")


@pytest.mark.parametrize(
    ("shards", "message"),
    [
        ({"a": "../model-1.safetensors"}, r"names \.\./model-1\.safetensors, which is not there"),
        ({"a": 1}, "names 1, which is not there"),
        (b"[" * 200_000, "is not an index of weights"),
        (b"\xff\xfe", "is not an index of weights"),
    ],
)
def test_an_index_of_weights_that_is_none_is_one_line(hub: Hub, shards: object, message: str) -> None:
    files = hub.repositories["org/tiny"].files
    del files[WEIGHTS]
    index = shards if isinstance(shards, bytes) else json.dumps({"weight_map": shards}).encode()
    files[f"{WEIGHTS}.index.json"] = index
    refused(f"org/tiny at revision main: {WEIGHTS}.index.json {message}")


def test_a_busy_hub_is_asked_again(hub: Hub) -> None:
    usual, busy = hub.answer, iter([Reply(503), Reply(429, {"Retry-After": "1"})])
    hub.answer = lambda request: next(busy, None) or usual(request)
    fetch("a")
    assert fetched("a") == WHOLE
    hub.answer = lambda request: Reply(503)
    refused(r"^model org/new at revision main: .*the hub says 503", repo="org/new")


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        (WEIGHTS, bytes(300_000), "is corrupt: wanted digest [0-9a-f]{64}, got .*; run again"),
        ("config.json", b'{"model_type": "bart"}', "is corrupt: wanted digest [0-9a-f]{40}, got .*; run"),
    ],
)
def test_another_body_than_stated_is_noticed(hub: Hub, name: str, body: bytes, message: str) -> None:
    served = hub.repositories["org/tiny"].served
    served[name] = body
    refused(f"{name}.* {message}")
    served.clear()
    fetch("model")
    assert fetched("model") == WHOLE


@pytest.mark.parametrize("place", ["environment", "login"])
def test_the_token_opens_a_gated_model_and_goes_to_the_hub_alone(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    hub.repositories["org/gated"] = Repository(WHOLE, gated=True, needs_token="secret")
    if place == "login":
        Path("token").write_text("secret\n")
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", "token")
    else:
        monkeypatch.setenv("HF_TOKEN", "secret")
    usual = hub.answer
    with Server() as other:
        # as the hub sends for large files to another server
        elsewhere = {"Location": f"{other.url}/weights"}

        def answer(request: Request) -> Reply:
            reply = usual(request)
            return Reply(302, reply.headers | elsewhere) if WEIGHTS in request.path else reply

        hub.answer = answer
        other.answer = lambda request: Reply(200, {}, WHOLE[WEIGHTS])
        fetch("model", repo="org/gated")
        assert [(r.path, r.headers.get("authorization")) for r in other.requests] == [("/weights", None)]
    assert fetched("model") == WHOLE


@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("token", [None, "sesame"])
def test_no_access_is_one_line_that_says_what_of_the_token(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, gated: bool, token: str | None
) -> None:
    hub.repositories["org/closed"] = Repository(WHOLE, gated=gated, needs_token="secret")
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    line = refused("^model org/closed at revision main: .*HF_TOKEN.*`hf auth login`", repo="org/closed")
    assert ("there is no token" in line) == (token is None)
    assert ("on the model's page" in line) == gated
    assert "sesame" not in line and "secret" not in line


def test_without_network_the_cache_is_used(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as offline:
        offline.setattr(constants, "HF_HUB_OFFLINE", True)
        refused("HF_HUB_OFFLINE is set and the cache has no whole copy")
        assert hub.requests == []
    facts = fetch("model")
    with unused_url() as nowhere:
        ask(nowhere, monkeypatch)
        assert fetch("a") == facts
        refused(r"^model org/new at revision main: .*refused", repo="org/new")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert fetch("b") == facts and fetched("a") == fetched("b") == WHOLE


def test_a_cache_without_a_listing_or_branches_is_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As other programs leave it, which know what they want, and as it is copied."""
    for name in WHOLE:
        hf_hub_download("org/tiny", name)
    assert not list(cache.rglob("trees"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    branch = next(cache.rglob("refs/main"))
    branch.write_text(f"{COMMIT}\n")
    assert fetch("a")["commit"] == COMMIT
    assert fetched("a") == WHOLE
    branch.unlink()
    refused("name a commit that is there")
    assert fetch("b", COMMIT)["commit"] == COMMIT
    assert fetched("b") == WHOLE


@pytest.mark.parametrize("fault", ["corrupt", "gone"])
def test_a_cache_that_is_not_whole_and_sound_is_not_used(
    cache: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a tokenizer would do for one."""
    fetch("a")
    file = next(cache.rglob("snapshots/*/vocab.txt"))
    if fault == "corrupt":
        file.resolve().write_bytes(b"spoilt")
    else:
        file.unlink()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    refused("vocab.txt is corrupt" if fault == "corrupt" else "the cache has no whole copy")
    refused("HF_HUB_OFFLINE is set and the cache has no whole copy")


def test_a_full_disk_is_no_matter_of_the_hub(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is for the job to tell, as wherever a disk is full; and nothing half written stays."""

    def refuse(*arguments: object, **settings: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("huggingface_hub.file_download.http_get", refuse)
    with pytest.raises(OSError, match="No space left on device"):
        fetch("model")
    assert not Path("model").exists()


WORDS = ("org/words", "v1")
LENT = {"tokenizer.json": b'{"lent": 1}', "vocab.txt": b"[MASK]\nlent\n", "tokenizer_config.json": b"{}"}
BARE = {name: WHOLE[name] for name in ("config.json", WEIGHTS)}


@pytest.fixture
def lender(hub: Hub) -> Repository:
    """A repository with a tokenizer, for a model that has none (org/bare)."""
    files = {**UNUSED, **LENT, "config.json": b'{"model_type": "lender"}', WEIGHTS: b"other"}
    hub.repositories["org/words"] = Repository(files, commit=OTHER, branches=("main", "v1"))
    hub.repositories["org/bare"] = Repository({**UNUSED, **BARE})
    hub.repositories["org/light"] = Repository({"config.json": WHOLE["config.json"]})
    hub.repositories["org/nothing"] = Repository({WEIGHTS: b""})
    return hub.repositories["org/words"]


@pytest.mark.parametrize("repo", ["org/bare", "org/tiny"])
def test_a_tokenizer_of_another_repository(
    hub: Hub, lender: Repository, repo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = fetch("model", repo=repo, tokenizer=WORDS)
    of_words = {"repo": "org/words", "revision": "v1", "commit": lender.commit}
    assert facts == {"repo": repo, "revision": "main", "commit": COMMIT, "tokenizer": of_words}
    # a tokenizer of its own gives way
    assert fetched("model") == BARE | LENT
    assert sorted(hub.downloads()) == sorted([*BARE, *LENT])
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert fetch("again", repo=repo, tokenizer=WORDS) == facts
    assert fetched("again") == BARE | LENT


@pytest.mark.parametrize(
    ("repo", "revision", "tokenizer", "message"),
    [
        ("org/none", "main", WORDS, "model org/none at revision main: no such repository, or .*HF_TOKEN"),
        ("org/tiny", "v9", None, "model org/tiny at revision v9: there is no such revision"),
        ("org/no/name", "main", None, "model org/no/name at revision main: Repo id must be in the form"),
        ("org/light", "main", WORDS, "model org/light at revision main: no weights"),
        ("org/nothing", "main", None, "model org/nothing .*not a model of the transformers library$"),
        ("org/bare", "main", None, r"model org/bare at .*: no tokenizer \(none .*\); name the repository"),
        ("org/bare", "main", ("org/bare", "main"), "tokenizer org/bare at revision main: none of tokenizer."),
        ("org/tiny", "main", ("org/none", "main"), "tokenizer org/none at .*: no such repository"),
        ("org/tiny", "main", ("org/words", "v9"), "tokenizer org/words at revision v9: there is no such rev"),
    ],
)
@pytest.mark.usefixtures("lender")
def test_what_cannot_be_had_is_one_line_at_once(
    repo: str,
    revision: str,
    tokenizer: tuple[str, str] | None,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wait(seconds: float) -> None:
        raise AssertionError("no second try")

    monkeypatch.setattr("unmask.fetching.hub.time", SimpleNamespace(sleep=wait))
    refused(f"^{message}", revision, repo, tokenizer)


def test_code_is_fetched_where_it_is_asked_for_and_that_of_others_is_refused(
    hub: Hub, tmp_path: Path
) -> None:
    files = {path.name: path.read_bytes() for path in with_own_code(tmp_path / "own").iterdir()}
    files |= {"convert.py": b"import nothing", "tools/more.py": b""}
    hub.repositories["org/own"] = Repository(files)
    assert "own_code" not in fetch("plain", repo="org/own") and not list(Path("plain").glob("*.py"))
    facts = fetch_model("org/own", COMMIT, "coded", with_code=True)
    assert facts["own_code"] == ["convert.py", MODULE]
    assert sorted(path.name for path in Path("coded").glob("**/*.py")) == ["convert.py", MODULE]
    named = {
        "config.json": "org/other--modeling.Own",
        "tokenizer_config.json": ["org/other--tokens.Own", None],
    }
    for number, (file, of) in enumerate(named.items()):
        stated = json.loads(files[file]) | {"auto_map": {"AutoConfig": of}}
        hub.repositories[f"org/{number}"] = Repository(files | {file: json.dumps(stated).encode()})
        line = (
            f"^model org/{number} at .*: {file} names code of another repository, org/other, which is never"
        )
        with pytest.raises(InputError, match=line):
            fetch_model(f"org/{number}", COMMIT, "others", with_code=True)
        assert not Path("others").exists()


@pytest.mark.parametrize("listing", [b"<!doctype html>", b'["config.json"]', b"null"])
def test_a_listing_that_is_none_is_one_line(hub: Hub, listing: bytes) -> None:
    revision = json.dumps({"id": "org/tiny", "sha": COMMIT}).encode()
    hub.answer = lambda request: Reply(200, {}, listing if "/tree/" in request.path else revision)
    refused(r"^model org/tiny at revision main: [^\n]+$")
    assert hub.downloads() == []


def test_one_file_of_a_model_is_fetched_and_no_other(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"q/tiny.Q8_0.gguf": b"GGUF eight", "tiny.Q4_K.gguf": b"GGUF four", "README.md": b"text"}
    hub.repositories["org/quantised"] = Repository(files)
    facts = fetch_file("model", "org/quantised", "main", "q/tiny.Q8_0.gguf", "model/model.gguf")
    chosen = {"revision": "main", "commit": COMMIT, "file": "q/tiny.Q8_0.gguf"}
    assert facts == {"repo": "org/quantised", **chosen}
    assert fetched("model") == {"model.gguf": b"GGUF eight"}
    assert hub.downloads() == ["q/tiny.Q8_0.gguf"]
    line = r"^model org/quantised at revision main: there is no file no.gguf \(files .gguf: q/tiny"
    with pytest.raises(InputError, match=line):
        fetch_file("model", "org/quantised", "main", "no.gguf", "no.gguf")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert fetch_file("model", "org/quantised", "main", "q/tiny.Q8_0.gguf", "again.gguf") == facts
    assert Path("again.gguf").read_bytes() == b"GGUF eight" and not Path("no.gguf").exists()


@pytest.mark.parametrize(
    ("subset", "shard", "name"),
    [("en", 1, "en/train-00001-of-00003.parquet"), (None, "de/train.parquet", "de/train.parquet")],
)
def test_one_shard_of_a_data_set_is_fetched_and_no_other(
    hub: Hub, subset: str | None, shard: str | int, name: str
) -> None:
    hub.repositories["org/corpus"] = Repository(DATASET, large=tuple(SHARDS))
    facts = fetch_file("dataset", "org/corpus", "main", shard, "shard.parquet", subset)
    assert facts == {"repo": "org/corpus", "revision": "main", "commit": COMMIT, "file": name}
    assert hub.downloads() == [name] and Path("shard.parquet").read_bytes() == DATASET[name]
    # the rules' script checks what a study states of it
    source = {"repo": "org/corpus", "revision": "main", "file": shard, "subset": subset}
    right = hashlib.sha256(DATASET[name]).hexdigest()
    for sha256, is_there in ((right, True), ("0" * 64, False)):
        outputs = {"file": Path(sha256), "facts": Path(f"{sha256}.json")}
        stated: dict[str, Any] = {
            "what": "corpus c",
            "config_keys": [],
            "source": {**source, "sha256": sha256},
        }
        with nullcontext() if is_there else pytest.raises(SystemExit):
            run_script("fetch_file", {}, outputs, Path("log"), **stated)
        assert [path.exists() for path in outputs.values()] == [is_there] * 2
    assert f"{name}: wrong checksum: wanted sha256 {'0' * 64}, got {right}\n" in Path("log").read_text()


@pytest.mark.parametrize(
    ("repo", "subset", "shard", "line"),
    [
        ("corpus", "en", 3, r"there are 3 files \.parquet in en/, no number 3"),
        ("corpus", "fr", 0, r"there are 0 files \.parquet in fr/, no number"),
        ("corpus", None, "en/x.parquet", "there is no file en/x.parquet"),
        ("none", None, 0, "no such repository"),
        # a name that leads out of the cache
        ("odd", None, 0, r"\.\./.*x\.parquet: "),
    ],
)
def test_a_shard_that_is_not_there_is_one_line(
    hub: Hub, repo: str, subset: str | None, shard: str | int, line: str
) -> None:
    hub.repositories["org/corpus"] = Repository(DATASET, large=tuple(SHARDS))
    hub.repositories["org/odd"] = Repository({"../../../../x.parquet": b"PAR1"})
    with pytest.raises(InputError, match=f"^dataset org/{repo} at revision main: {line}"):
        fetch_file("dataset", f"org/{repo}", "main", shard, "shard.parquet", subset)
    assert set(os.listdir()) <= {"cache"}
