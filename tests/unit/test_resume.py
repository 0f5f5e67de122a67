"""Jobs of evidence: each table is read once, whatever else is wanted later, and a killed job resumes."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from transformers import BertModel

from examples import example_pairs
from library import (
    ALL,
    EVIDENCE,
    LIKELIEST,
    MODIFIED,
    NONE,
    ONE_MODIFIED,
    ONE_SHARED,
    ORIGINAL,
    PAIRS,
    SCORES,
    SHUFFLED,
    InputError,
    Subject,
    Wanted,
    as_rows,
    check_one_origin,
    loading,
    pick_device,
    read,
    read_facts,
    read_metadata,
    read_table,
    sha256_of_file,
    write_table,
)
from library import evidence_listed as listed
from running import run_script
from tiny_evidence import directory, evidence_rows

MASKINGS = (ALL, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED)


class Study:
    """A model and pairs, and jobs that read these with it as Snakemake starts them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        manifest = {
            "directory": str(directory("bert")),
            "files": {},
            "entry": {"source": "path"},
            "weights_digest": "w",
            "tokenizer_digest": "t",
            "max_length": 128,
        }
        (folder / "manifest.json").write_text(json.dumps(manifest))
        self.write_pairs()
        self.list, self.untrained_list = (
            folder / name / "digests.json" for name in ("evidence", "untrained")
        )

    def write_pairs(self, facts: Mapping[str, str] | None = None, /, **changed: str) -> None:
        """The example pairs, of which the first has other sentences."""
        pairs = example_pairs()
        for role, text in changed.items():
            pairs.loc[0, role] = text
        write_table(self.folder / "pairs.parquet", pairs, PAIRS, {"sha256": "p", **(facts or {})})

    def table(self, masking: str, variant: str = ORIGINAL) -> Path:
        return self.folder / "evidence" / variant / f"{masking}.parquet"

    def run(self, script: str, output: Path, **params: Any) -> str:
        """The log of a job."""
        run_script(
            script,
            {"pairs": self.folder / "pairs.parquet", "manifest": self.folder / "manifest.json"},
            [output],
            self.folder / "job.log",
            wildcards={"model": "m", "benchmark": "b"},
            config={"runtime": {"device": "cpu", "threads": 1, "batch_tokens": None}},
            **{"dtype": "float32", "unknown_tokens": 0.1, **params},
        )
        return self.log

    @property
    def log(self) -> str:
        return (self.folder / "job.log").read_text()

    def read(
        self, maskings: Sequence[str] = MASKINGS, top: int = 0, shuffled: int | None = None, **params: Any
    ) -> list[str]:
        """What a job reads where this is wanted."""
        wanted: list[dict[str, Any]] = [
            {"variant": ORIGINAL, "masking": masking, "top": top} for masking in maskings
        ]
        if shuffled is not None:
            wanted.append({"variant": SHUFFLED, "masking": NONE, "seed": shuffled})
        before = self.written()
        self.run("score_evidence", self.list, wanted=wanted, **params)
        read = [path for path, written in self.written().items() if written != before.get(path)]
        return sorted(path.stem if path.parent.name == ORIGINAL else SHUFFLED for path in read)

    def written(self) -> dict[Path, int]:
        """When tables of evidence were written."""
        paths = (self.folder / "evidence").glob("*/*.parquet")
        return {path: path.stat().st_mtime_ns for path in paths if ".top" not in path.suffixes}

    def score(
        self, seeds: Sequence[int], measures: Sequence[str] = ("AUL", "CPS"), **params: Any
    ) -> list[str]:
        """The seeds of the untrained networks that a job scores where these are wanted."""
        log = self.run(
            "score_untrained", self.untrained_list, seeds=list(seeds), measures=list(measures), **params
        )
        return re.findall(r"untrained network of seed (\d+)", log)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


@pytest.fixture
def sequences(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sequences networks read from now on, by pass."""
    read: list[int] = []
    forward = BertModel.forward

    def counted(self: BertModel, input_ids: Any, *arguments: Any, **more: Any) -> Any:
        read.append(len(input_ids))
        return forward(self, input_ids, *arguments, **more)

    monkeypatch.setattr(BertModel, "forward", counted)
    return read


def test_one_job_leaves_what_a_model_loaded_for_each_table_would(study: Study) -> None:
    assert study.read(top=3, shuffled=1) == sorted([*MASKINGS, SHUFFLED])
    for masking in MASKINGS:
        alone = evidence_rows("bert", masking, batch_tokens=None)
        write_table(study.folder / "alone.parquet", alone, EVIDENCE, {})
        rows = read_table(study.table(masking), EVIDENCE)
        pd.testing.assert_frame_equal(rows, read_table(study.folder / "alone.parquet", EVIDENCE))
        assert len(read_table(study.table(f"{masking}.top"), LIKELIEST)) == 3 * len(rows)
        facts = read_metadata(study.table(masking))
        assert (facts["model"], facts["masking"], facts["code"]) == ("m", masking, "digest")
    tables, stated = listed(study.list), read_facts(study.list)
    assert len(tables) == 2 * len(MASKINGS) + 1
    assert stated["tables"] == {name: sha256_of_file(path) for name, path in tables.items()}


def test_only_what_is_added_or_changes_rows_is_read(
    study: Study, sequences: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[list[str], dict[str, Any], list[str]]] = [
        ([NONE, MODIFIED], {}, [MODIFIED, NONE]),
        ([NONE, MODIFIED, ALL], {}, [ALL]),
        ([NONE, MODIFIED], {"shuffled": 1}, [SHUFFLED]),
        # less, and what was there before
        ([NONE, MODIFIED, ALL], {"shuffled": 1}, []),
        ([NONE], {}, []),
        ([NONE], {"shuffled": 2}, [SHUFFLED]),
        ([NONE, ALL], {"top": 2}, [ALL, NONE]),
        ([NONE, ALL], {"top": 3}, [ALL, NONE]),
        ([NONE, ALL], {"code": "another"}, [ALL, NONE]),
        ([NONE], {"dtype": "bfloat16", "code": "another"}, [NONE]),
        ([NONE, ALL], {}, [ALL, NONE]),
    ]
    for maskings, more, expected in steps:
        sequences.clear()
        assert study.read(maskings, **more) == expected
        assert bool(sequences) == bool(expected)
        names = {path.stem for path in listed(study.list).values()}
        assert names == {*maskings, *(f"{each}.top" for each in maskings if "top" in more)}
    monkeypatch.setattr("unmask.files.__version__", "another")
    study.write_pairs({"read by": "other code"})
    assert study.read([NONE, ALL]) == []
    pairs_file = study.folder / "pairs.parquet"
    assert read_facts(study.list)["made_from"][str(pairs_file)] == sha256_of_file(pairs_file)
    study.write_pairs(stereotype="the nurse is very good")
    assert study.read([NONE, ALL]) == [ALL, NONE]


def without_rows(table: Path) -> bytes:
    """A table whose rows are damaged and whose facts are not."""
    data = bytearray(table.read_bytes())
    end = len(data) - pq.ParquetFile(table).metadata.serialized_size - 8
    data[4:end] = b"\xff" * (end - 4)
    return bytes(data)


@pytest.mark.parametrize("top", [0, 2])
def test_a_table_that_was_altered_is_noticed_and_read_again(study: Study, top: int) -> None:
    study.read([NONE, ALL], top=top)
    whole = {path: path.read_bytes() for path in listed(study.list).values()}
    # the file can still be read, and states its facts
    table = study.table(f"{ALL}.top" if top else ALL)
    rows, schema = (pd.read_parquet(table), LIKELIEST if top else EVIDENCE)
    write_table(table, rows.assign(log_prob=-1.0), schema, read_metadata(table))
    with pytest.raises(InputError, match=rf"^{table}: was altered after its job wrote it; delete it and"):
        listed(study.list)
    assert study.read([NONE, ALL], top=top) == [ALL]
    assert {path: path.read_bytes() for path in listed(study.list).values()} == whole
    table.unlink()
    with pytest.raises(InputError, match=rf"^{table}: is missing; delete it and {study.list} and run again$"):
        listed(study.list)
    assert study.read([NONE, ALL], top=top) == [ALL]
    # without the list, as after a job that was killed, a table that is cut short, or states its facts alone
    for damaged in (whole[table][:-100], without_rows(table)):
        study.list.unlink()
        table.write_bytes(damaged)
        assert study.read([NONE, ALL], top=top) == [ALL]
        assert {path: path.read_bytes() for path in listed(study.list).values()} == whole


def test_whatever_is_wrong_with_a_sentence_stops_before_a_model_is_loaded(
    study: Study, sequences: list[int]
) -> None:
    strange = " ".join(["\u2603"] * 60)
    for changed, line in (
        ({"antistereotype": "the nurse said " * 60}, "pair p0: the antistereotype sentence has 182 tokens"),
        ({"stereotype": strange, "antistereotype": f"{strange} he"}, "120 of"),
    ):
        study.write_pairs(**changed)
        with pytest.raises(SystemExit):
            study.read()
        assert f"error: model m, benchmark b: {line}" in study.log and not sequences
    assert study.read(unknown_tokens=1.0) == sorted(MASKINGS)
    facts = read_metadata(study.table(ALL))["unknown_tokens"]
    assert facts["unknown"] == 120 and 120 / facts["tokens"] > 0.1
    # a limit decides whether there are rows, not what they are
    assert study.read(unknown_tokens=120 / facts["tokens"]) == []


def test_a_seed_more_is_scored_alone(study: Study, sequences: list[int]) -> None:
    measures = ["AUL", "AULA", "CPS", "SSS"]
    assert study.score([1], measures) == ["1"]
    first = sum(sequences)
    sequences.clear()
    assert study.score([1, 2, 3], measures) == ["2", "3"] and sum(sequences) == 2 * first
    assert study.score([1, 2], measures) == [] and len(listed(study.untrained_list)) == 2
    one, other = (read_table(study.folder / "untrained" / f"{seed}.parquet", SCORES) for seed in (1, 2))
    assert len(one) == len(other) == len(measures) * 2 * len(example_pairs())
    assert not np.allclose(one["margin"].fillna(0), other["margin"].fillna(0))
    assert study.score([1, 2], ["AUL"]) == study.score([1, 2], ["AUL"], code="another") == ["1", "2"]
    study.write_pairs(stereotype="the nurse is very good")
    assert study.score([1], ["AUL"], code="another") == ["1"]


ORIGIN = {key: f"some {key}" for key in ("benchmark", "benchmark_sha256")}


@pytest.mark.parametrize("key", ORIGIN)
def test_scores_of_evidence_of_two_states_of_a_benchmark_do_not_meet(tmp_path: Path, key: str) -> None:
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    for path, changed in ((one, {"model": "another"}), (other, {key: "another"})):
        facts = {"evidence": {"none": ORIGIN, "all": ORIGIN | changed}}
        write_table(path, pd.DataFrame({"n": [1]}), pa.schema([("n", pa.int64())]), facts)
    check_one_origin([one, one], list(ORIGIN))
    line = f"^{other}: {key} differs: another here, some {key} in {one}; delete both and run again$"
    with pytest.raises(InputError, match=line):
        check_one_origin([one, other], list(ORIGIN))


def test_a_job_that_does_not_fit_into_memory_says_so(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading.LoadedModel, "head", Mock(side_effect=RuntimeError("std::bad_alloc")))
    with pytest.raises(SystemExit):
        study.read([NONE])
    assert "error: model m, benchmark b: this job is too large for the memory of cpu: give it" in study.log


# in shards


def write(folder: Path, manifest: Path, pairs: pd.DataFrame, shard_tokens: int, top: int = 0) -> list[Path]:
    device = pick_device("cpu")
    device.shard_tokens = shard_tokens
    subject = Subject(json.loads(manifest.read_text()), device, "float32")
    wanted = [Wanted(ORIGINAL, NONE, top=top)]
    return read(folder / "digests.json", wanted, subject, subject.tokenised(pairs, ["unrelated"], 1), {})


@pytest.mark.parametrize("top", [0, 2])
def test_a_killed_job_goes_on_at_the_last_whole_shard(
    study: Study, top: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest, pairs = study.folder / "manifest.json", example_pairs()
    one = read_table(write(study.folder / "one", manifest, pairs, 10**9)[0], EVIDENCE)
    expected = [path.read_bytes() for path in write(study.folder / "whole", manifest, pairs, 100, top)]
    shards: list[Any] = []

    def dying(*arguments: Any) -> pd.DataFrame:
        shards.append(arguments[0])
        if len(shards) == 3:
            raise KeyboardInterrupt
        return as_rows(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr("unmask.evidence.collecting.as_rows", dying)
        with pytest.raises(KeyboardInterrupt):
            write(study.folder / "killed", manifest, pairs, 100, top)
    folder = study.folder / "killed" / ORIGINAL
    assert not list(folder.glob("*.parquet"))
    assert len(list(folder.glob(".none.shards/[!.]*.parquet"))) == (4 if top else 2)
    # one that cannot be read, as after a power cut, is read again, and with it what belongs to it
    last = max(folder.glob(".none.shards/*"))
    last.write_bytes(b"PAR1 cut off")
    paths = write(study.folder / "killed", manifest, pairs, 100, top)
    assert [path.read_bytes() for path in paths] == expected
    assert not (folder / ".none.shards").exists()
    # one that is killed while it joins its shards has read them all

    def dying_at_last(path: Path, *arguments: Any) -> None:
        if path.parent.name == ORIGINAL and path.name == paths[-1].name:
            raise KeyboardInterrupt
        write_table(path, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr("unmask.evidence.tables.write_table", dying_at_last)
        with pytest.raises(KeyboardInterrupt):
            write(study.folder / "joining", manifest, pairs, 100, top)
    monkeypatch.setattr("unmask.evidence.collecting.as_rows", Mock(side_effect=AssertionError))
    joined = write(study.folder / "joining", manifest, pairs, 100, top)
    assert [path.read_bytes() for path in joined] == expected
    # shards join to what one piece would be, but for float error
    rows = read_table(paths[0], EVIDENCE)
    for column in EVIDENCE.names:
        if rows[column].dtype.kind == "f":
            np.testing.assert_allclose(rows[column], one[column], atol=1e-5)
        elif column != "rank":
            pd.testing.assert_series_equal(rows[column], one[column])


def test_shards_of_other_facts_are_not_taken_and_a_damaged_one_is_named(
    study: Study, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    monkeypatch.setattr("shutil.rmtree", lambda *arguments, **more: None)
    manifest = study.folder / "manifest.json"

    def read_again(pairs: pd.DataFrame, manifest: Path = manifest) -> list[str]:
        """The shards that are taken as they are."""
        (study.folder / ORIGINAL / "none.parquet").unlink(missing_ok=True)
        caplog.clear()
        write(study.folder, manifest, pairs, 200)
        return re.findall(r"shard (\d+) was done before", caplog.text)

    assert read_again(example_pairs()) == [] and len(read_again(example_pairs())) > 1
    swapped = example_pairs().rename(columns={"stereotype": "antistereotype", "antistereotype": "stereotype"})
    assert read_again(swapped) == []
    rows = read_table(study.folder / ORIGINAL / "none.parquet", EVIDENCE)
    of_first = rows[(rows["pair_id"] == "p0") & (rows["role"] == "stereotype")]
    assert "he" in set(of_first["token"]) and "she" not in set(of_first["token"])
    other = study.folder / "other.json"
    other.write_text(json.dumps(json.loads(manifest.read_text()) | {"weights_digest": "others"}))
    assert read_again(swapped, other) == []
    shard = min((study.folder / ORIGINAL / ".none.shards").iterdir())
    shard.write_bytes(without_rows(shard))
    with pytest.raises(InputError, match=f"{shard}: not a readable Parquet file; delete it and run again"):
        read_again(swapped, other)
