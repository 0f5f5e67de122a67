"""The scripts of fetching, reading and preparing, run as Snakemake runs them."""

import gzip
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from unmask.job import TABLES
from library import FLAWS, PAIRS, as_shown, read_metadata, read_table, record
from loopback import FileServer
from running import Files, run_script

CROWS_PAIRS = (
    b",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators\n"
    b"0,Women drive.,Men drive.,stereo,gender,\"[['gender']]\",a0,[]\n"
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "job.log"


def facts_in(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(path.read_text())
    return facts


def fails(script: str, inputs: Files, outputs: Files, log: Path, line: str, **params: Any) -> None:
    with pytest.raises(SystemExit) as caught:
        run_script(script, inputs, outputs, log, **params)
    assert caught.value.code == 1
    assert line in log.read_text().splitlines()[-1]
    made = outputs.values() if isinstance(outputs, Mapping) else outputs
    assert not any(Path(output).exists() for output in made)


def of(kind: str, name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """What the rule of a benchmark or corpus gives the script that fetches."""
    keys = {"benchmark": "benchmarks", "corpus": "corpora"}[kind]
    stated = {"what": f"{kind} {name}", "config_keys": [keys, name], "source": as_shown(entry)}
    return {"config": {keys: {name: entry}}, **stated}


def test_a_benchmark_is_fetched_and_read(tmp_path: Path, log: Path) -> None:
    file, facts, pairs = tmp_path / "pairs.csv", tmp_path / "facts.json", tmp_path / "pairs.parquet"
    sha256 = hashlib.sha256(CROWS_PAIRS).hexdigest()
    with FileServer(CROWS_PAIRS) as server:
        entry = {"format": "crows-pairs", "url": f"{server.url}/pairs.csv", "sha256": sha256, "licence": "CC"}
        outputs = {"file": file, "facts": facts}
        run_script("fetch_file", {}, outputs, log, **of("benchmark", "crows", entry))
    assert file.read_bytes() == CROWS_PAIRS
    assert facts_in(facts)["sha256"] == sha256
    read = {name: tmp_path / f"{name}.parquet" for name in ("pairs", "flaws")}
    run_script("read_benchmark", [file], read, log, name="crows", entry=entry)
    assert list(read_table(read["flaws"], FLAWS)["pair_id"]) == list(read_table(pairs, PAIRS)["pair_id"])
    assert list(read_table(pairs, PAIRS)["stereotype"]) == ["Women drive."]
    assert read_metadata(pairs) == {
        "benchmark": "crows",
        "format": "crows-pairs",
        "source": entry["url"],
        "sha256": sha256,
        "rows": 1,
        "made_from": {str(file): sha256},
        "code": "digest",
        "versions": record([], "digest", *TABLES)["versions"],
    }


def test_a_bad_benchmark_is_one_line(tmp_path: Path, log: Path) -> None:
    source = tmp_path / "pairs.csv"
    source.write_bytes(CROWS_PAIRS.replace(b"stereo,gender", b"sterio,gender"))
    entry = {"format": "crows-pairs", "path": str(source), "sha256": "0" * 64}
    line = f"benchmark crows: {source}: row 0 (line 2): stereo_antistereo: "
    line += "'sterio' is none of stereo, antistereo"
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("pairs", "flaws")}
    fails("read_benchmark", [source], outputs, log, line, name="crows", entry=entry)
    outputs = {"file": tmp_path / "copy.csv", "facts": tmp_path / "facts.json"}
    entry = {"url": source.as_uri(), "sha256": "0" * 64}
    line = f"benchmark crows: {source.as_uri()}: wrong checksum: wanted sha256 {'0' * 64}"
    fails("fetch_file", {}, outputs, log, line, **of("benchmark", "crows", entry))


def test_a_shard_that_was_cut_short_says_how_it_is_fetched_anew(tmp_path: Path, log: Path) -> None:
    shard = tmp_path / "a.txt.gz"
    shard.write_bytes(gzip.compress(bytes(range(48, 122)) * 99, mtime=0)[:-20])
    inputs, outputs = {"shard": shard}, [tmp_path / "counts"]
    settings: dict[str, Any] = {"wildcards": {"shard": shard.name}, "entry": {"format": "text"}}
    for downloaded in (False, True):
        if downloaded:
            (tmp_path / f"{shard.name}.facts.json").write_text("{}")
        with pytest.raises(SystemExit):
            run_script("count_shard", inputs, outputs, log, **settings)
        line = log.read_text().splitlines()[-1]
        assert f"error: {shard}: " in line
        assert line.endswith(f"delete {shard} and run again to fetch it anew") == downloaded
        assert not outputs[0].exists()
