"""Fetching from a stand-in for the hub: chosen files, pinned, checked, cached, one-line errors."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import ModelInfo, constants, hf_hub_download
from hypothesis import given, settings
from hypothesis import strategies as st

import unmask
from loopback import Hub, Reply, Repository, git_blob, unused_url
from profiles import examples
from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, TemporaryError, UnreachableError
from unmask.fetching.hub import fetch_model
from unmask.fetching.hub_client import listed

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


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub(org__tiny=Repository({**OTHERS, **WHOLE})) as hub:
        yield hub


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no token"))
    return tmp_path / "cache"


def quick(attempts: int = 4) -> Backoff:
    return Backoff(attempts=attempts, sleep=lambda seconds: None)


def fetched(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def fetch(
    hub: Hub,
    target: Path,
    cache: Path,
    revision: str = "main",
    repo: str = "org/tiny",
    tokenizer: tuple[str, str] | None = None,
) -> dict[str, Any]:
    return fetch_model(repo, revision, target, tokenizer, endpoint=hub.url, cache=cache, backoff=quick())


def test_takes_only_what_is_needed(hub: Hub, tmp_path: Path, cache: Path) -> None:
    facts = fetch(hub, tmp_path / "model", cache)
    assert facts == {"repo": "org/tiny", "revision": "main", "commit": COMMIT}
    assert fetched(tmp_path / "model") == WHOLE
    assert sorted(hub.downloads()) == sorted(WHOLE)
    assert sorted(os.listdir(tmp_path)) == ["cache", "model"]
    assert not any(path.is_symlink() for path in (tmp_path / "model").iterdir())
    # hard links cost no space
    assert (tmp_path / "model" / "model.safetensors").stat().st_nlink == 2


def test_copies_where_links_cannot_be_made(
    hub: Hub, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: object, target: object) -> None:
        raise OSError("another file system")

    monkeypatch.setattr("unmask.fetching.hub.os.link", refuse)
    fetch(hub, tmp_path / "model", cache)
    assert fetched(tmp_path / "model") == WHOLE


def test_pickled_weights_where_there_is_nothing_better(hub: Hub, tmp_path: Path, cache: Path) -> None:
    del hub.repositories["org/tiny"].files["model.safetensors"]
    fetch(hub, tmp_path / "model", cache)
    assert "pytorch_model.bin" in fetched(tmp_path / "model")


def test_weights_in_shards(hub: Hub, tmp_path: Path, cache: Path) -> None:
    files = hub.repositories["org/tiny"].files
    del files["model.safetensors"]
    shards = {f"model-0000{n}-of-00002.safetensors": os.urandom(1000) for n in (1, 2)}
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    files |= {**shards, "model.safetensors.index.json": json.dumps(index).encode()}
    fetch(hub, tmp_path / "model", cache)
    got = fetched(tmp_path / "model")
    assert got.items() >= shards.items()
    assert "pytorch_model.bin" not in got
    del files["model-00002-of-00002.safetensors"]
    with pytest.raises(InputError, match=r"names model-00002-of-00002\.safetensors, which is not there"):
        fetch(hub, tmp_path / "other", cache)


def test_a_commit_pins_the_content(hub: Hub, tmp_path: Path, cache: Path) -> None:
    facts = fetch(hub, tmp_path / "model", cache, revision=COMMIT)
    assert facts["commit"] == facts["revision"] == COMMIT


def test_a_second_fetch_downloads_nothing(hub: Hub, tmp_path: Path, cache: Path) -> None:
    fetch(hub, tmp_path / "model", cache)
    hub.requests.clear()
    fetch(hub, tmp_path / "again", cache)
    assert hub.downloads() == []
    assert fetched(tmp_path / "again") == WHOLE


def test_an_earlier_directory_is_replaced(hub: Hub, tmp_path: Path, cache: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "stale").touch()
    fetch(hub, tmp_path / "model", cache)
    assert fetched(tmp_path / "model") == WHOLE


def test_server_errors_are_tried_again(hub: Hub, tmp_path: Path, cache: Path) -> None:
    hub.faults.extend([Reply(503), Reply(429, {"Retry-After": "1"})])
    fetch(hub, tmp_path / "model", cache)
    assert fetched(tmp_path / "model") == WHOLE


def test_gives_up_in_the_end(hub: Hub, tmp_path: Path, cache: Path) -> None:
    hub.faults.extend([Reply(503)] * 20)
    with pytest.raises(UnreachableError, match=r"model org/tiny at revision main: .*tried 4 times.*503"):
        fetch(hub, tmp_path / "model", cache)
    assert not (tmp_path / "model").exists()


def test_a_failed_transfer_is_tried_again(
    hub: Hub, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    download: Any = hf_hub_download
    failures = iter([RuntimeError("transfer failed"), TimeoutError(), ConnectionError("reset")])

    def fail_first(*args: str, **settings: object) -> str:
        for failure in failures:
            raise failure
        return str(download(*args, **settings))

    monkeypatch.setattr("unmask.fetching.hub.hf_hub_download", fail_first)
    fetch(hub, tmp_path / "model", cache)
    assert fetched(tmp_path / "model") == WHOLE


def test_a_corrupt_body_is_noticed_and_fetched_again(hub: Hub, tmp_path: Path, cache: Path) -> None:
    repository = hub.repositories["org/tiny"]
    spoilt = bytearray(WHOLE["model.safetensors"])
    spoilt[1000] ^= 1
    repository.served["model.safetensors"] = bytes(spoilt)
    with pytest.raises(UnreachableError, match=r"model\.safetensors is corrupt: wanted digest [0-9a-f]{64}"):
        fetch(hub, tmp_path / "model", cache)
    assert not (tmp_path / "model").exists()
    repository.served.clear()
    fetch(hub, tmp_path / "model", cache)
    assert fetched(tmp_path / "model") == WHOLE


def test_small_files_are_checked_too(hub: Hub, tmp_path: Path, cache: Path) -> None:
    hub.repositories["org/tiny"].served["config.json"] = b'{"model_type": "bart"}'
    with pytest.raises(UnreachableError, match=r"config\.json is corrupt: wanted digest [0-9a-f]{40},"):
        fetch(hub, tmp_path / "model", cache)


def test_a_truncated_body_is_noticed(hub: Hub, tmp_path: Path, cache: Path) -> None:
    # another length than the hub states beforehand
    hub.repositories["org/tiny"].served["model.safetensors"] = WHOLE["model.safetensors"][:1000]
    with pytest.raises(UnreachableError, match="truncated"):
        fetch(hub, tmp_path / "model", cache)
    hub.repositories["org/tiny"].served.clear()
    fetch(hub, tmp_path / "model", cache)
    assert fetched(tmp_path / "model") == WHOLE


@pytest.mark.parametrize("revision", ["main", COMMIT])
def test_without_network_the_cache_is_used(
    hub: Hub, tmp_path: Path, cache: Path, revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(hub, tmp_path / "model", cache, revision)
    with unused_url() as nowhere:
        facts = fetch_model(
            "org/tiny", revision, tmp_path / "a", endpoint=nowhere, cache=cache, backoff=quick()
        )
        assert facts["commit"] == COMMIT
        assert fetched(tmp_path / "a") == WHOLE
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    fetch(hub, tmp_path / "b", cache, revision)
    assert fetched(tmp_path / "b") == WHOLE


def test_a_corrupt_cache_is_not_used(hub: Hub, tmp_path: Path, cache: Path) -> None:
    fetch(hub, tmp_path / "model", cache)
    blob = next(path for path in cache.rglob("blobs/*") if path.stat().st_size == 300_000)
    blob.write_bytes(b"spoilt")
    with unused_url() as nowhere, pytest.raises(UnreachableError):
        fetch_model("org/tiny", "main", tmp_path / "a", endpoint=nowhere, cache=cache, backoff=quick(2))
    fetch(hub, tmp_path / "b", cache)
    assert fetched(tmp_path / "b") == WHOLE


def test_half_a_cache_is_not_used(hub: Hub, tmp_path: Path, cache: Path) -> None:
    fetch(hub, tmp_path / "model", cache)
    next(cache.rglob("snapshots/*/model.safetensors")).unlink()
    with unused_url() as nowhere, pytest.raises(UnreachableError):
        fetch_model("org/tiny", "main", tmp_path / "a", endpoint=nowhere, cache=cache, backoff=quick(2))


def test_no_network_and_no_cache(
    hub: Hub, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unused_url() as nowhere, pytest.raises(UnreachableError, match=r"tried 2 times.*connection failed"):
        fetch_model("org/tiny", "main", tmp_path / "a", endpoint=nowhere, cache=cache, backoff=quick(2))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UnreachableError, match="HF_HUB_OFFLINE is set and the cache has no whole copy"):
        fetch(hub, tmp_path / "a", cache)
    assert hub.requests == []


@pytest.mark.parametrize(
    ("repo", "revision", "message"),
    [
        (
            "org/none",
            "main",
            "model org/none at revision main: no such repository, or a private one.*HF_TOKEN",
        ),
        ("org/tiny", "v9", "model org/tiny at revision v9: there is no such revision"),
        ("org/gated", "main", "model org/gated at revision main: access must be granted first.*HF_TOKEN"),
        ("org/empty", "main", "model org/empty at revision main: no weights"),
        ("org/no/name", "main", "'org/no/name' is not the name of a repository"),
    ],
)
def test_what_cannot_be_had_is_one_line_at_once(
    hub: Hub, tmp_path: Path, cache: Path, repo: str, revision: str, message: str
) -> None:
    hub.repositories["org/gated"] = Repository(WHOLE, gated=True, needs_token="secret")
    hub.repositories["org/empty"] = Repository({k: v for k, v in WHOLE.items() if k != "model.safetensors"})
    with pytest.raises(InputError, match=message) as caught:
        fetch(hub, tmp_path / "model", cache, revision, repo)
    assert not isinstance(caught.value, UnreachableError)
    assert "\n" not in str(caught.value)
    assert len(hub.requests) <= 3
    assert not (tmp_path / "model").exists()


def test_the_token_opens_a_gated_model(
    hub: Hub, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.repositories["org/gated"] = Repository(WHOLE, gated=True, needs_token="secret")
    monkeypatch.setenv("HF_TOKEN", "secret")
    fetch(hub, tmp_path / "model", cache, repo="org/gated")
    assert fetched(tmp_path / "model") == WHOLE


def test_the_environment_is_honoured(hub: Hub, tmp_path: Path) -> None:
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
        "HF_HOME": str(tmp_path / "home"),
        "HF_TOKEN": "secret",
        "NO_PROXY": "*",
    }
    subprocess.run([sys.executable, "-c", code, tmp_path / "a"], env=environment, check=True)
    assert fetched(tmp_path / "a") == WHOLE
    assert (tmp_path / "home" / "hub").is_dir()
    asked = len(hub.requests)
    environment |= {"HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, "-c", code, tmp_path / "b"], env=environment, check=True)
    assert fetched(tmp_path / "b") == WHOLE
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


def test_a_tokenizer_of_another_repository(hub: Hub, lender: Repository, tmp_path: Path, cache: Path) -> None:
    facts = fetch(hub, tmp_path / "model", cache, repo="org/bare", tokenizer=WORDS)
    assert facts == {
        "repo": "org/bare",
        "revision": "main",
        "commit": COMMIT,
        "tokenizer": {"repo": "org/words", "revision": "v1", "commit": lender.commit},
    }
    assert fetched(tmp_path / "model") == BARE | LENT
    # its configuration stays in the cache
    assert sorted(hub.downloads()) == sorted([*BARE, *LENT, "config.json"])
    hub.requests.clear()
    fetch(hub, tmp_path / "again", cache, repo="org/bare", tokenizer=WORDS)
    assert hub.downloads() == []


@pytest.mark.usefixtures("lender")
def test_a_tokenizer_of_its_own_gives_way(hub: Hub, tmp_path: Path, cache: Path) -> None:
    hub.repositories["org/tiny"].files["special_tokens_map.json"] = b"{}"
    fetch(hub, tmp_path / "model", cache, tokenizer=WORDS)
    assert fetched(tmp_path / "model") == BARE | LENT
    assert "special_tokens_map.json" not in hub.downloads()


@pytest.mark.usefixtures("lender")
def test_a_model_without_a_tokenizer_is_told_how_to_have_one(hub: Hub, tmp_path: Path, cache: Path) -> None:
    why = (
        r"^model org/bare at revision main: no tokenizer \(none .*\); name the repository of one with the key"
    )
    with pytest.raises(InputError, match=why):
        fetch(hub, tmp_path / "model", cache, repo="org/bare")
    del hub.repositories["org/bare"].files["config.json"]
    with pytest.raises(InputError, match=r"no config\.json: not a model of the transformers library$"):
        fetch(hub, tmp_path / "model", cache, repo="org/bare")


@pytest.mark.parametrize(
    ("repo", "tokenizer", "message"),
    [
        ("org/bare", ("org/bare", "main"), "tokenizer org/bare at revision main: none of tokenizer.json, "),
        ("org/tiny", ("org/none", "main"), "tokenizer org/none at revision main: no such repository"),
        ("org/tiny", ("org/words", "v9"), "tokenizer org/words at revision v9: there is no such revision"),
        ("org/tiny", ("org/gated", "main"), "tokenizer org/gated at revision main: access must be granted"),
        ("org/tiny", ("org/no/name", "main"), "tokenizer org/no/name at .*is not the name of a repository"),
        ("org/none", WORDS, "model org/none at revision main: no such repository"),
        ("org/light", WORDS, "model org/light at revision main: no weights"),
    ],
)
@pytest.mark.usefixtures("lender")
def test_which_repository_lacks_something_is_said(
    hub: Hub, tmp_path: Path, cache: Path, repo: str, tokenizer: tuple[str, str], message: str
) -> None:
    hub.repositories["org/gated"] = Repository(WHOLE, gated=True, needs_token="secret")
    hub.repositories["org/light"] = Repository({"config.json": WHOLE["config.json"]})
    with pytest.raises(InputError, match=f"^{message}") as caught:
        fetch(hub, tmp_path / "model", cache, repo=repo, tokenizer=tokenizer)
    assert not isinstance(caught.value, UnreachableError)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("own_config", [True, False])
@pytest.mark.parametrize("by_name", [True, False])
def test_without_network_a_tokenizer_comes_from_the_cache(
    hub: Hub, lender: Repository, tmp_path: Path, cache: Path, own_config: bool, by_name: bool
) -> None:
    if not own_config:
        # a repository of a tokenizer alone
        lender.files = dict(LENT)
    tokenizer = ("org/words", "v1" if by_name else lender.commit)
    settings: dict[str, Any] = {"tokenizer": tokenizer, "cache": cache, "backoff": quick(2)}
    with unused_url() as nowhere:
        settings |= {"endpoint": nowhere}
        fetch(hub, tmp_path / "tiny", cache)
        with pytest.raises(UnreachableError, match=r"^tokenizer org/words at .*connection failed"):
            fetch_model("org/tiny", "main", tmp_path / "a", **settings)
        facts = fetch(hub, tmp_path / "model", cache, repo="org/bare", tokenizer=tokenizer)
        assert fetch_model("org/bare", "main", tmp_path / "b", **settings) == facts
        assert fetched(tmp_path / "b") == BARE | LENT
        fetch_model("org/tiny", "main", tmp_path / "c", **settings)
        assert fetched(tmp_path / "c") == BARE | LENT
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("lent", [True, False])
def test_half_a_tokenizer_is_not_used(
    hub: Hub, lender: Repository, tmp_path: Path, cache: Path, lent: bool
) -> None:
    tokenizer = ("org/words", lender.commit)
    usual = hub.answer
    hub.answer = lambda request: Reply(403) if request.path.endswith("vocab.txt") else usual(request)
    with pytest.raises(UnreachableError, match=r"^\w+ org/words at .*vocab\.txt: could not be fetched"):
        if lent:
            fetch(hub, tmp_path / "a", cache, repo="org/bare", tokenizer=tokenizer)
        else:
            fetch(hub, tmp_path / "a", cache, lender.commit, "org/words")
    # which would do for a tokenizer
    assert list(cache.rglob("snapshots/*/tokenizer.json"))
    hub.answer = usual
    fetch(hub, tmp_path / "tiny", cache)
    settings: dict[str, Any] = {"cache": cache, "backoff": quick(2)}
    with unused_url() as nowhere, pytest.raises(UnreachableError, match="connection failed"):
        fetch_model("org/tiny", "main", tmp_path / "a", tokenizer, endpoint=nowhere, **settings)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("tokenizer", [WORDS, None])
@pytest.mark.usefixtures("lender")
def test_what_is_left_of_a_corrupt_tokenizer_is_not_used(
    hub: Hub, tmp_path: Path, cache: Path, tokenizer: tuple[str, str] | None
) -> None:
    expected = BARE | LENT if tokenizer else WHOLE
    fetch(hub, tmp_path / "model", cache, tokenizer=tokenizer)
    repository = "models--org--words" if tokenizer else "models--org--tiny"
    next((cache / repository).rglob("tokenizer.json")).resolve().write_bytes(b"spoilt")
    # the second time it is gone, and vocab.txt would do for a tokenizer
    for _ in range(2):
        with unused_url() as nowhere, pytest.raises(UnreachableError):
            fetch_model(
                "org/tiny",
                "main",
                tmp_path / "a",
                tokenizer,
                endpoint=nowhere,
                cache=cache,
                backoff=quick(2),
            )
    fetch(hub, tmp_path / "b", cache, tokenizer=tokenizer)
    assert fetched(tmp_path / "b") == expected


def answered(hub: Hub, listing: Reply) -> None:
    """Have the hub answer every question for a listing so."""
    usual = hub.answer
    hub.answer = lambda request: listing if request.path.startswith("/api/") else usual(request)


def listing_of(**changes: Any) -> dict[str, Any]:
    """A listing of the model with some keys changed; None leaves one out."""
    files = [{"rfilename": name, "size": len(body), "blobId": git_blob(body)} for name, body in WHOLE.items()]
    listing = {"id": "org/tiny", "sha": COMMIT, "siblings": files, **changes}
    return {key: value for key, value in listing.items() if value is not None}


NO_LISTING = "what the hub says is not the listing of a repository"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<!doctype html><html>Down for maintenance</html>", NO_LISTING),
        (b'{"id": "org/tiny", "sh', NO_LISTING),
        (b'{"id": "\xff"}', NO_LISTING),
        (b"[" * 200_000, NO_LISTING),
        ([listing_of()], NO_LISTING),
        ("org/tiny", NO_LISTING),
        (None, NO_LISTING),
        (listing_of(id=None), NO_LISTING),
        (listing_of(siblings=None), NO_LISTING),
        (listing_of(siblings={"config.json": 1}), NO_LISTING),
        (listing_of(siblings=["config.json"]), NO_LISTING),
        (listing_of(siblings=[{"size": 5}]), NO_LISTING),
        (listing_of(siblings=[{"rfilename": "config.json", "lfs": {"size": 5}}]), NO_LISTING),
        (listing_of(siblings=[{"rfilename": "config.json", "blobId": 5}]), "lists no digest of config.json"),
        (listing_of(sha=None), "the hub names no commit"),
        (listing_of(sha=5), "the hub names no commit"),
        (listing_of(sha="../../elsewhere"), "the hub names no commit"),
        (listing_of(siblings=[{"rfilename": 5}]), "lists '5', which is not a path in a repository"),
        (listing_of(siblings=[{"rfilename": "../config.json"}]), r"lists '\.\./config\.json', which is not"),
        (listing_of(siblings=[{"rfilename": "/etc/passwd"}]), "lists '/etc/passwd', which is not a path"),
    ],
)
def test_a_listing_that_is_none_is_one_line(
    hub: Hub, tmp_path: Path, cache: Path, body: object, message: str
) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answered(hub, Reply(200, {"Content-Type": "application/json"}, content))
    with pytest.raises(InputError, match=rf"^model org/tiny at revision main: .*{message}"):
        fetch(hub, tmp_path / "model", cache)
    assert not (tmp_path / "model").exists()
    assert hub.downloads() == []


def test_a_listing_without_digests_is_told(
    hub: Hub, tmp_path: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = [{"rfilename": name} for name in WHOLE]
    answered(
        hub,
        Reply(200, {"Content-Type": "application/json"}, json.dumps(listing_of(siblings=files)).encode()),
    )
    fetch(hub, tmp_path / "model", cache)
    assert "the hub lists no digests of 5 files, as config.json: they are not checked" in caplog.text


@pytest.mark.parametrize(
    ("shards", "message"),
    [
        ({"a": "../model-1.safetensors"}, r"names \.\./model-1\.safetensors, which is not there"),
        ({"a": "/etc/passwd"}, "names /etc/passwd, which is not there"),
        ({"a": 1}, "names 1, which is not there"),
        ({"a": 1, "b": "model"}, "is not an index of weights"),
        (["model.safetensors"], "is not an index of weights"),
        (b"[" * 200_000, "is not an index of weights"),
        (b"\xff\xfe", "is not an index of weights"),
    ],
)
def test_an_index_of_weights_that_is_none_is_one_line(
    hub: Hub, tmp_path: Path, cache: Path, shards: object, message: str
) -> None:
    files = hub.repositories["org/tiny"].files
    del files["model.safetensors"]
    index = shards if isinstance(shards, bytes) else json.dumps({"weight_map": shards}).encode()
    files["model.safetensors.index.json"] = index
    with pytest.raises(
        InputError, match=f"model org/tiny at revision main: model.safetensors.index.json {message}"
    ):
        fetch(hub, tmp_path / "model", cache)
    assert not (tmp_path / "model").exists()


def test_a_listing_that_trickles_is_not_waited_for() -> None:
    left = threading.Event()

    def ask() -> ModelInfo:
        left.wait()
        raise AssertionError("too late")

    with pytest.raises(TemporaryError, match="no whole listing in 0 s"):
        listed(ask, "org/tiny", "model org/tiny", seconds=0.05)
    left.set()


SMALL = st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from([COMMIT, *WHOLE])
KEYS = st.sampled_from(
    ["id", "sha", "siblings", "rfilename", "lfs", "blobId", "sha256", "size", "tags", "config"]
)
JSON = st.recursive(
    SMALL, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)
LISTINGS = st.fixed_dictionaries(
    {"id": st.just("org/tiny")},
    optional={
        "sha": st.just(COMMIT) | JSON,
        "siblings": st.lists(
            st.fixed_dictionaries(
                {"rfilename": st.sampled_from([*WHOLE, "../x", "/x"]) | SMALL},
                optional={"blobId": JSON, "lfs": JSON},
            ),
            max_size=4,
        ),
        "tags": JSON,
        "safetensors": JSON,
        "lastModified": JSON,
        "transformersInfo": JSON,
        "card_data": JSON,
    },
)


@settings(derandomize=True, deadline=None, max_examples=examples(150))
@given(JSON | LISTINGS)
def test_whatever_the_hub_lists_is_a_listing_or_one_line(said: Any) -> None:
    """Drawn JSON in place of a listing, read as the client reads it."""
    read: Any = ModelInfo
    try:
        commit, digests = listed(lambda: read(**said), "org/tiny", "model org/tiny")
    except (InputError, TemporaryError) as error:
        assert "\n" not in str(error)
        return
    assert commit == COMMIT == said["sha"]
    assert list(digests) == list(dict.fromkeys(file["rfilename"] for file in said["siblings"]))
    assert all(".." not in name.split("/") and not name.startswith("/") for name in digests)
