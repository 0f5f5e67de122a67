"""Columns that a study names are looked up in the tables' heads, before any work."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from study_schema import FAMILIES, ROOT
from unmask.associations import pictures, vector_files
from unmask.benchmarks.formats import crows_pairs
from unmask.configuration import read_config
from unmask.downstream import templates
from unmask.downstream.tasks import table
from unmask.errors import InputError
from unmask.regional import table as regions
from unmask.schemas import complete
from unmask.table_heads import (
    BIAS_ITEMS,
    CROWS_PAIRS,
    OCCUPATIONS,
    PICTURES,
    REGIONS,
    WORD_VECTORS,
    check_columns,
    tables_of,
)
from unmask.user_tables import columns_of

NAMES = ["sent_x", "sent_y", "group"]
MODELS = {"m": {"source": "path", "path": "model"}}


def written(path: Path, names: list[str]) -> Path:
    """A table with these columns and one row."""
    frame = pd.DataFrame([["text"] * len(names)], columns=names)
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


def study(**more: Any) -> dict[str, Any]:
    return complete({"study": "x", "models": MODELS, **more}, FAMILIES)


def benchmark(path: Path, **more: Any) -> dict[str, Any]:
    columns = {"stereotype": "sent_x", "antistereotype": "sent_y", "bias_type": "group"}
    return study(benchmarks={"b": {"format": "table", "path": str(path), "columns": columns, **more}})


def refusal(config: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        check_columns(config)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_a_benchmark_has_the_columns_that_are_named(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pairs.{suffix}"
    check_columns(benchmark(written(path, NAMES)))
    line = refusal(benchmark(written(path, ["sent_x", "sent_Y", "group"])))
    start = f"config key benchmarks.b.columns.antistereotype: {path} has no column 'sent_y' "
    assert line == f"{start}(did you mean sent_Y? columns: sent_x, sent_Y, group)"


def test_a_value_for_all_rows_is_no_column(tmp_path: Path) -> None:
    path = written(tmp_path / "pairs.csv", ["sent_x", "sent_y"])
    columns = {"stereotype": "sent_x", "antistereotype": "sent_y", "bias_type": {"value": "group"}}
    check_columns(benchmark(path, columns=columns))


def test_the_head_is_read_as_the_entry_says(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_bytes("\ufeff'sent_x';\"sent;y\";group\n1;2;3\n".encode())
    entry = {"path": str(path), "type": "csv", "delimiter": ";"}
    assert columns_of(path, entry) == ["'sent_x'", "sent;y", "group"]
    assert columns_of(path, {**entry, "quotes": False}) == ["'sent_x'", '"sent', 'y"', "group"]


BROKEN = {"csv": b"", "tsv": b"\xff\xfe", "jsonl": b"[1]\n", "parquet": b"PAR1", "txt": b"a,b\n"}


@pytest.mark.parametrize("suffix", BROKEN)
def test_what_cannot_be_read_is_left_to_its_job(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pairs.{suffix}"
    path.write_bytes(BROKEN[suffix])
    check_columns(benchmark(path))
    path.write_text("{" * 100_000 + "\n")
    check_columns(benchmark(path, type="jsonl"))


def test_only_the_head_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes(b"sent_x,sent_y,group\n" + 100_000 * b"a,b,c\n" + b"\xff\xff")
    assert columns_of(path, {"path": str(path)}) == ["sent_x", "sent_y", "group"]


def test_crows_pairs_is_the_file_that_it_says_it_is(tmp_path: Path) -> None:
    assert set(CROWS_PAIRS) == {column.in_file for column in crows_pairs.COLUMNS if not column.optional}
    path = written(tmp_path / "crows.txt", [*CROWS_PAIRS, "anon_writer"])
    config = study(benchmarks={"c": {"format": "crows-pairs", "path": str(path)}})
    check_columns(config)
    written(path, ["id", *CROWS_PAIRS[1:]])
    assert refusal(config).startswith(f"config key benchmarks.c: {path} has no column ''")


@pytest.mark.parametrize("part", ["train", "dev", "test", "bias"])
def test_a_task_has_the_columns_that_are_named(part: str, tmp_path: Path) -> None:
    declared = table.bias_columns({"genders": {}})
    assert tuple(column.name for column in declared if not column.optional) == BIAS_ITEMS
    names = {"train": ["bio", "job", "sex", "hyp"]}
    names |= {"dev": names["train"], "test": names["train"], "bias": list(BIAS_ITEMS)}
    files = {each: {"path": str(written(tmp_path / f"{each}.csv", names[each]))} for each in names}
    columns = {"text": "bio", "label": "job", "gender": "sex", "second": "hyp"}
    task = {"format": "table", "kind": "entailment", "files": files, "columns": columns}
    config = study(downstream={"tasks": {"t": task}})
    check_columns(config)
    written(tmp_path / f"{part}.csv", names[part][:-1])
    key = "files.bias" if part == "bias" else "columns.second"
    start = f"config key downstream.tasks.t.{key}: {tmp_path / part}.csv has no column "
    assert refusal(config).startswith(start + repr(names[part][-1]))


def test_other_tables_of_the_user(tmp_path: Path) -> None:
    assert tuple(column.name for column in regions.COLUMNS if not column.optional) == REGIONS
    assert tuple(column.name for column in templates._COLUMNS if not column.optional) == OCCUPATIONS
    assert (pictures.IMAGE, pictures.FEATURES) == PICTURES and (vector_files.WORD,) == WORD_VECTORS
    prefixed = {
        "path": str(written(tmp_path / "p.csv", ["text", "sentiment"])),
        "prefixes": ["In {region}, "],
    }
    tests: dict[str, Any] = {
        "seen": {"format": "grounded", "features": str(written(tmp_path / "f.parquet", list(PICTURES)))},
        "read": {"format": "sent-bias", "features": None},
    }
    occupations = {"path": str(written(tmp_path / "o.csv", [*OCCUPATIONS, "female_share"]))}
    config = {
        "associations": {
            "tests": tests,
            "vectors": {
                "v": {"path": str(written(tmp_path / "v.parquet", ["word", "x"]))},
                "text": {"path": "v.vec"},
            },
        },
        "regional": {
            "prefixes": {"p": {**prefixed, "columns": {"text": "text", "label": "sentiment"}}},
            "regions": {"source": "table", "path": str(written(tmp_path / "r.csv", [*REGIONS, "id"]))},
        },
        "downstream": {
            "words": str(written(tmp_path / "w.csv", ["feminine", "masculine"])),
            "tasks": {"s": {"format": "stsb", "files": {"occupations": occupations}}},
        },
        "debiasing": {"words": "published"},
    }
    check_columns(config)
    found = {each.key: each for each in tables_of(config)}
    assert set(found) == {
        "associations.tests.seen.features",
        "associations.vectors.v",
        "regional.prefixes.p",
        "regional.regions",
        "downstream.tasks.s.files.occupations",
        "downstream.words",
    }
    for each in found.values():
        before = each.path.read_bytes()
        for column, key in each.columns.items():
            written(each.path, [name for name in [*each.columns, "other"] if name != column])
            assert refusal(config).startswith(f"config key {key}: {each.path} has no column {column!r} ")
        each.path.write_bytes(before)


def test_what_is_fetched_is_left_to_its_job() -> None:
    for path in sorted((ROOT / "configs").glob("*.yaml")):
        config = complete({**read_config(path), "data": "/nowhere"}, FAMILIES)
        check_columns(config)
        of_others = [each for each in tables_of(config) if not str(each.path).startswith("resources/")]
        assert all(str(each.path).startswith("/nowhere/") for each in of_others), path
