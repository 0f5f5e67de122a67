"""Evidence in shards: what a kill leaves is taken up again, and what is done is not done again."""

import signal
import time
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pandas as pd
import pyarrow.parquet as pq
import pytest

from examples import example_pairs
from processes import start
from tiny_models import tiny_model
from unmask.errors import InputError
from unmask.evidence import streaming
from unmask.evidence.engine import answer
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.streaming import divide, write_evidence
from unmask.models.devices import pick_device
from unmask.models.loading import load
from unmask.tables import read_metadata, read_table
from unmask.terms import ORIGINAL

FACTS = {"weights": "one"}
TIMES, SHARD_TOKENS = 100, 300


def many_pairs() -> pd.DataFrame:
    """The example pairs many times over, so that there is time to kill."""
    copies = [example_pairs() for _ in range(TIMES)]
    for number, copy in enumerate(copies):
        copy["pair_id"] = f"{number}-" + copy["pair_id"]
    return pd.concat(copies, ignore_index=True)


@cache
def model_directory() -> Path:
    return tiny_model("bert", Path(mkdtemp(prefix="tiny-bert-")))


def write(path: Path, pairs: pd.DataFrame, **facts: str) -> None:
    model = load(model_directory(), pick_device("cpu"), with_attention=True)
    write_evidence(path, pairs, model, "none", ORIGINAL, 0, 128, FACTS | facts, SHARD_TOKENS)


WRITER = """
    import sys
    from pathlib import Path

    sys.path.insert(0, sys.argv[1])
    from test_streaming import many_pairs, write

    write(Path(sys.argv[2]), many_pairs())
"""


@pytest.mark.thorough
def test_killed_in_mid_write_it_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "undisturbed" / "none.parquet", many_pairs())
    path = tmp_path / "killed" / "none.parquet"
    folder = path.parent / ".none.shards"
    kept: dict[Path, int] = {}
    # each attempt gets a few shards further
    for more in (1, 3):
        with start(WRITER, Path(__file__).parent, path) as process:
            while process.poll() is None and len(whole(folder)) < len(kept) + more:
                time.sleep(0.001)
            process.kill()
            _, errors = process.communicate()
        assert process.returncode == -signal.SIGKILL, errors
        now = {shard: shard.stat().st_mtime_ns for shard in whole(folder)}
        # what was whole before has not been touched again
        assert {shard: now[shard] for shard in kept} == kept
        kept = now
    assert 0 < len(kept) < len(divide(many_pairs(), "none", SHARD_TOKENS))
    write(path, many_pairs())
    assert path.read_bytes() == (tmp_path / "undisturbed" / "none.parquet").read_bytes()
    assert [file.name for file in path.parent.iterdir()] == ["none.parquet"]


def whole(folder: Path) -> list[Path]:
    return list(folder.glob("[!.]*.parquet"))


def test_what_is_done_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(model, queries, *others):  # type: ignore[no-untyped-def]
        read.append(len(queries.inputs))
        return answer(model, queries, *others)

    monkeypatch.setattr(streaming, "answer", counted)
    path = tmp_path / "none.parquet"
    write(path, example_pairs())
    first = len(read)
    rows = read_table(path, EVIDENCE)
    write(path, example_pairs())
    assert len(read) == first
    pd.testing.assert_frame_equal(read_table(path, EVIDENCE), rows)
    # other facts, and other sentences by the same facts, are other evidence
    write(path, example_pairs(), weights="two")
    assert len(read) == 2 * first
    assert read_metadata(path)["weights"] == "two"
    write(path, example_pairs().iloc[::-1], weights="two")
    assert len(read) > 2 * first


def test_a_damaged_shard_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.rmtree", lambda folder: None)
    path = tmp_path / "none.parquet"
    write(path, example_pairs())
    path.unlink()
    shard = min((tmp_path / ".none.shards").iterdir())
    data = bytearray(shard.read_bytes())
    start_of_footer = pq.ParquetFile(shard).metadata.serialized_size + 8
    data[4 : len(data) - start_of_footer] = b"\xff" * (len(data) - start_of_footer - 4)
    shard.write_bytes(data)
    with pytest.raises(InputError, match=f"{shard}: damaged .*; delete it and run again"):
        write(path, example_pairs())
    assert not path.exists()
    # one that is no Parquet at all is done again without a word
    shard.write_bytes(b"PAR1")
    write(path, example_pairs())
    assert path.exists()
