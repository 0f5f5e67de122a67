"""A study's configuration: chosen by one word, completed with defaults, each error one clear line."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from study_schema import MEASURES, ROOT, SCHEMA
from unmask import by_name
from unmask.configuration import check_files, choose_study, complete, read_config
from unmask.errors import InputError
from unmask.evidence.hiding import MASKINGS
from unmask.files import sha256_of_file
from unmask.measures.registry import FORMULAS, measure

GOOD: dict[str, Any] = {
    "study": "x",
    "models": {"a": {"source": "train", "architecture": "bert"}},
    "benchmarks": {"b": {"format": "crows-pairs", "planted": "crows-pairs"}},
}


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_each_measure_of_the_schema_has_a_module_and_each_module_is_in_the_schema() -> None:
    assert [measure(name).name for name in MEASURES] == list(MEASURES)
    assert {by_name.module_file(FORMULAS, name) for name in MEASURES} == {
        by_name.module_file(FORMULAS, name) for name in by_name.names(FORMULAS)
    }


@pytest.mark.parametrize(
    ("part", "folder"), [("benchmark", "benchmarks/formats"), ("corpus", "corpora/formats")]
)
def test_each_format_of_the_schema_has_a_module_and_each_module_is_in_the_schema(
    part: str, folder: str
) -> None:
    formats = SCHEMA["$defs"][part]["properties"]["format"]["enum"]
    assert sorted(formats) == by_name.names(folder)


def test_measures_read_the_maskings_that_there_are() -> None:
    maskings = {masking for name in MEASURES for masking in measure(name).maskings}
    assert sorted(maskings) == by_name.names(MASKINGS)


def test_defaults_are_filled_in_and_the_given_is_left_alone() -> None:
    given = copy.deepcopy(GOOD)
    config = complete(given, SCHEMA)
    assert given == GOOD
    assert config["models"]["a"]["seed"] == 0
    assert config["statistics"]["bootstrap"]["resamples"] == 2000
    assert config["controls"]["shuffled"] == {"seed": 0}
    assert complete(config, SCHEMA) == config


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda c: c.update(modells=1), "config key (top): unknown key modells (known: study,"),
        (
            lambda c: c["models"].update(z={"source": "hub", "repoo": "x"}),
            "config key models.z: unknown key repoo",
        ),
        (
            lambda c: c["models"].update(z={"source": "hubb"}),
            "config key models.z.source: 'hubb' is not one of",
        ),
        (
            lambda c: c["models"].update({"a b": {"source": "hub", "repo": "x"}}),
            "config key models: 'a b' does not",
        ),
        (
            lambda c: c["benchmarks"]["b"].update(path="x"),
            "config key benchmarks.b: give exactly one of url, path",
        ),
        (
            lambda c: c["benchmarks"].update(z={"format": "xml", "path": "x", "columns": {}}),
            "config key benchmarks.z.format: 'xml'",
        ),
        (
            lambda c: c["benchmarks"].update(
                z={"format": "table", "path": "x", "columns": {"stereotype": "s"}}
            ),
            "config key benchmarks.z.columns: 'antistereotype' is a required property",
        ),
        (
            lambda c: c["benchmarks"].update(z={"format": "stereoset", "planted": "crows-pairs"}),
            "config key benchmarks.z.planted: crows-pairs is not its format, stereoset",
        ),
        (
            lambda c: c["benchmarks"].update(z={"format": "stereoset", "path": "{data}/x"}),
            "config key benchmarks.z.path: needs a data directory",
        ),
        (lambda c: c.update(measures=["AULL"]), "config key measures.0: 'AULL' is not one of"),
        (lambda c: c.update(statistics={"alpha": 3}), "config key statistics.alpha: 3 is greater"),
        (lambda c: c.update(runtime={"device": "tpu"}), "config key runtime.device: 'tpu' does not match"),
    ],
)
def test_each_error_is_one_line_that_names_the_key(change: Callable[[Any], None], line: str) -> None:
    config = copy.deepcopy(GOOD)
    change(config)
    with pytest.raises(InputError) as caught:
        complete(config, SCHEMA)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_a_name_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "twice.yaml"
    path.write_text("models:\n  a: {source: hub}\n  b: {source: hub}\n  a: {source: path}\n")
    with pytest.raises(InputError, match=r"twice.yaml: the name a is given twice, on lines 2 and 4"):
        read_config(path)


@pytest.mark.parametrize("text", ["a: [1", "- 1\n- 2\n", ""])
def test_files_that_hold_no_configuration_are_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"bad\.yaml: "):
        read_config(path)


def test_data_stands_for_the_directory_given() -> None:
    config = copy.deepcopy(GOOD)
    config["data"] = "/somewhere/"
    config["benchmarks"]["c"] = {"format": "stereoset", "path": "{data}/dev.json"}
    assert complete(config, SCHEMA)["benchmarks"]["c"]["path"] == "/somewhere/dev.json"


def test_missing_files_and_wrong_checksums_are_named(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    config = complete(GOOD, SCHEMA)
    config["benchmarks"]["c"] = {"format": "crows-pairs", "path": str(file)}
    with pytest.raises(InputError, match=r"config key benchmarks\.c\.path: .*pairs\.csv is missing"):
        check_files(config)
    file.write_text("x")
    check_files(config)
    config["benchmarks"]["c"]["sha256"] = sha256_of_file(file)
    # git hash-object of a file that holds `x`
    config["benchmarks"]["c"]["git_blob"] = "c1b0730e0133447badfcc74c9af9ef1c5a3ec4c1"
    with pytest.raises(InputError, match=r"benchmarks\.c\.git_blob: .*pairs\.csv has [0-9a-f]{40}, not c1b0"):
        check_files(config)
    del config["benchmarks"]["c"]["git_blob"]
    check_files(config)
    config["benchmarks"]["c"]["sha256"] = "0" * 64
    with pytest.raises(InputError, match=r"config key benchmarks\.c\.sha256: .* has 2d71"):
        check_files(config)


def test_missing_model_directories_are_named(tmp_path: Path) -> None:
    config = complete(GOOD, SCHEMA)
    config["models"]["m"] = {"source": "path", "path": str(tmp_path / "none")}
    with pytest.raises(InputError, match=r"config key models\.m\.path: .*none is not a directory"):
        check_files(config)
    config["models"]["m"]["path"] = str(tmp_path)
    with pytest.raises(InputError, match=r"config key models\.m\.path: .* holds no config\.json"):
        check_files(config)


def test_one_word_chooses_a_study_and_never_mixes_it_with_another() -> None:
    assert set(choose_study({}, ROOT, [])["models"]) == {"tiny-bert", "tiny-roberta", "tiny-albert"}
    assert choose_study({"study": "demo"}, ROOT, []) == choose_study({}, ROOT, [])
    paper = choose_study({"study": "paper"}, ROOT, [])
    assert set(paper["models"]) == {"bert-base-cased", "roberta-large", "albert-large-v2"}
    with pytest.raises(
        InputError, match=r"there is no configs/papr\.yaml \(known: demo, local, paper, paper-frequency\)"
    ):
        choose_study({"study": "papr"}, ROOT, [])


def test_the_command_line_overrides_single_keys() -> None:
    config = choose_study({"study": "paper", "statistics": {"alpha": 0.05}}, ROOT, [])
    assert config["statistics"] == {"alpha": 0.05}
    assert len(config["models"]) == 3


@pytest.mark.parametrize(
    "path", [ROOT / "config.yaml", *sorted((ROOT / "configs").glob("*.yaml"))], ids=lambda p: p.stem
)
def test_the_studies_that_come_along_are_valid(path: Path) -> None:
    config = read_config(path)
    config["data"] = "data"
    assert complete(config, SCHEMA)["study"] == ("demo" if path.stem == "config" else path.stem)


def test_a_file_given_whole_is_the_study_and_two_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("study: mine\nmodels: {}\nbenchmarks: {}\n")
    given = {"study": "mine", "models": {}, "benchmarks": {}, "data": "here"}
    assert choose_study(given, ROOT, [str(path)]) == given
    with pytest.raises(InputError, match=r"a study is one file: give --configfile .*mine\.yaml or "):
        choose_study(given, ROOT, [str(path), str(ROOT / "configs/paper.yaml")])
    with pytest.raises(InputError, match=r"config key study: paper is not the study of .*mine\.yaml, mine"):
        choose_study({**given, "study": "paper"}, ROOT, [str(path)])
