"""A study's schema, put together from the families': defaults, and each error one clear line."""

import copy
import datetime
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from library import (
    FORMULAS,
    MASKINGS,
    InputError,
    alternative,
    check_files,
    complete,
    measure,
    plugins,
    put_together,
    read_config,
    sha256_of_file,
)
from study_schema import ALL_MEASURES, FAMILIES, ROOT, SCHEMA

GOOD: dict[str, Any] = {
    "study": "x",
    "worlds": {"w": {}},
    "models": {"a": {"source": "train", "architecture": "bert", "world": "w"}},
    "benchmarks": {"b": {"format": "crows-pairs", "world": "w"}},
}


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(put_together(FAMILIES))


def test_each_measure_of_the_schema_has_a_module_and_each_module_is_in_the_schema() -> None:
    assert [measure(name).name for name in ALL_MEASURES] == list(ALL_MEASURES)
    assert {plugins.module_file(FORMULAS, name) for name in ALL_MEASURES} == {
        plugins.module_file(FORMULAS, name) for name in plugins.names(FORMULAS)
    }


def test_each_format_of_a_benchmark_has_a_module_and_each_module_is_in_the_schema() -> None:
    formats = SCHEMA["$defs"]["benchmark"]["properties"]["format"]["enum"]
    assert sorted(formats) == plugins.names("benchmarks/formats")


def test_measures_read_the_maskings_that_there_are() -> None:
    maskings = {masking for name in ALL_MEASURES for masking in measure(name).maskings}
    assert set(maskings) == set(MASKINGS)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"templates": {}}, "(top level): templates is no longer there: pairs of sentences"),
        ({"runtime": {"more": 1, "gpus": 2}}, "runtime: gpus is no longer there: a job has one GPU"),
        ({"models": {"a": {"source": "adapted"}}}, "models.a.source: adapted is no longer there"),
        (
            {"models": {"a": GOOD["models"]["a"] | {"text": "planted"}}},
            "models.a: text is no longer there: a world with every p .5",
        ),
        (
            {"models": {"b": {"source": "debiased", "from": "b", "method": "inlp"}}},
            "models.b.method: inlp is no longer there",
        ),
        ({"measures": ["AUL", "CSSSPrior"]}, "measures.1: CSSSPrior is no longer there: it was CSSS"),
        (
            {"benchmarks": {"b": GOOD["benchmarks"]["b"] | {"text": "x", "images": "y"}}},
            "benchmarks.b: unknown key text, images (known: format",
        ),
        ({"worlds": {"w": {"templates": {}}}}, "worlds.w: unknown key templates (known: "),
    ],
)
def test_what_is_gone_has_its_reason_where_it_once_was_and_nowhere_else(
    change: dict[str, Any], line: str
) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(f'config key {line}')}"):
        complete(GOOD | change, FAMILIES)


@pytest.mark.parametrize(
    ("key", "typed", "read"),
    [
        ("runtime", {"threads": "2"}, {"threads": 2}),
        ("runtime", {"threads": "1e3"}, "runtime.threads: '1e3' is not of type 'integer'"),
        ("runtime", {"threads": "2.5"}, "runtime.threads: '2.5' is not of type 'integer'"),
        ("runtime", {"threads": "two"}, "runtime.threads: 'two' is not of type 'integer'"),
        ("runtime", {"threads": "0"}, "runtime.threads: 0 is less than"),
        ("statistics", {"alpha": "0.05", "confidence": ".9"}, {"alpha": 0.05, "confidence": 0.9}),
        ("statistics", {"alpha": ".nan"}, "statistics.alpha: '.nan' is not of type 'number'"),
        ("worlds", {"w": {"associations": ["0.2", "0.9"]}}, {"w": {"associations": [0.2, 0.9]}}),
        ("title", "on", "on"),
        ("title", "1.10", "1.10"),
        ("title", "null", "null"),
    ],
)
def test_a_number_may_come_as_text(key: str, typed: Any, read: Any) -> None:
    """As Snakemake gives it of `--config 'runtime={threads: 2}'`; what is to be text stays as it is."""
    config = GOOD | {key: typed}
    if isinstance(read, str) and isinstance(typed, dict):
        with pytest.raises(InputError, match=re.escape(f"config key {read}")):
            complete(config, FAMILIES)
    else:
        assert literal(complete(config, FAMILIES)[key], read)


def literal(value: Any, stated: Any) -> bool:
    """Whether a value is as stated, types too, in what is stated of it."""
    if isinstance(stated, dict):
        return all(literal(value[key], stated[key]) for key in stated)
    return repr(value) == repr(stated)


def test_defaults_are_filled_in_and_the_given_is_left_alone() -> None:
    given = copy.deepcopy(GOOD)
    config = complete(given, FAMILIES)
    assert given == GOOD
    assert config["models"]["a"]["seed"] == 0
    assert config["statistics"]["chance"] == {"draws": 20000, "seed": 0}
    assert config["controls"]["shuffled"] == {"seed": 0}
    assert config["controls"]["untrained"] is None
    assert config["scoring"]["unknown_tokens"] == 0.1
    assert complete(config, FAMILIES) == config


def test_a_model_of_the_hub_may_take_the_tokenizer_of_another_repository() -> None:
    lender = {"repo": "org/words"}
    models = {"a": {"source": "hub", "repo": "x"}, "b": {"source": "hub", "repo": "x", "tokenizer": lender}}
    found = complete({"study": "x", "models": models}, FAMILIES)["models"]
    assert found["a"]["tokenizer"] is None
    assert found["b"]["tokenizer"] == {"repo": "org/words", "revision": "main"}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            lambda c: c.update(modells=1),
            "config key (top level): unknown key modells (did you mean models? known: study,",
        ),
        (
            lambda c: c["models"].update(z={"source": "hub", "repoo": "x"}),
            "config key models.z: unknown key repoo",
        ),
        (
            lambda c: c["models"].update(z={"source": "hubb"}),
            "config key models.z.source: 'hubb' is not one of",
        ),
        (
            lambda c: c["models"].update(z={"source": "hub", "repo": "x", "tokenizer": {"revision": "v1"}}),
            "config key models.z.tokenizer: 'repo' is a required property",
        ),
        (
            lambda c: c["models"].update(z={"source": "hub", "repo": "x", "tokenizer": {"repo": "a b"}}),
            "config key models.z.tokenizer.repo: 'a b' does not match",
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
            lambda c: c["models"].update(
                z={
                    "source": "scored",
                    "path": "s.csv",
                    "columns": {"pair_id": "id", "scores": ["a", "b"], "difference": "d"},
                }
            ),
            "config key models.z.columns: give exactly one of sentences with scores; "
            "sentences with difference; pair_id with scores; pair_id with difference; sentence with score",
        ),
        (
            lambda c: c["models"].update(
                z={
                    "source": "scored",
                    "path": "s.csv",
                    "columns": {"sentence": "a", "score": "x", "tokens": "n"},
                    "reduction": "total",
                }
            ),
            "config key models.z.reduction: 'total' is not one of sum, mean",
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
            lambda c: c["benchmarks"].update(z={"format": "stereoset", "world": "v"}),
            "config key benchmarks.z.world: 'v' is none of the study's worlds (known: w)",
        ),
        (
            lambda c: c["models"].update(z={"source": "hub", "repo": "x", "kind": "oracle"}),
            "config key models.z.kind: 'oracle' is not one of causal-lm, masked-lm, ",
        ),
        (
            lambda c: c["models"].update(z={"source": "debiased", "from": "y", "method": "cda"}),
            "config key models.z.from: 'y' is none of the study's models (known: a, z)",
        ),
        (
            lambda c: c.update(headline="PLL"),
            "config key headline: 'PLL' is none of the study's measures (known: AUL, AULA, CPS, SSS, ",
        ),
        (
            lambda c: c.pop("benchmarks") and c.update(measures=["AUL"]),
            "config key measures: it needs benchmarks, which the study lacks",
        ),
        (
            lambda c: c["benchmarks"].update(z={"format": "stereoset", "path": "{data}/x"}),
            "config key benchmarks.z.path: needs a data directory",
        ),
        (
            lambda c: c.update(scoring={"unknown_tokens": 2}),
            "config key scoring.unknown_tokens: 2 is greater",
        ),
        (
            lambda c: c.update(measures=["AULL"]),
            "config key measures.0: 'AULL' is not one of AUL, AULA, CPS, SSS, AllMasked, AllMaskedSum, PLL, "
            "LL, LLMean, CCPS, CSSS, StartAlone (did you mean AUL?)",
        ),
        (lambda c: c.update(statistics={"alpha": 3}), "config key statistics.alpha: 3 is greater"),
        (lambda c: c.update(runtime={"device": "tpu"}), "config key runtime.device: 'tpu' does not match"),
    ],
)
def test_each_error_is_one_line_that_names_the_key(change: Callable[[Any], None], line: str) -> None:
    config = copy.deepcopy(GOOD)
    change(config)
    with pytest.raises(InputError) as caught:
        complete(config, FAMILIES)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_data_stands_for_the_directory_given() -> None:
    config = copy.deepcopy(GOOD)
    config["data"] = "/somewhere/"
    config["benchmarks"]["c"] = {"format": "stereoset", "path": "{data}/dev.json"}
    assert complete(config, FAMILIES)["benchmarks"]["c"]["path"] == "/somewhere/dev.json"


def test_missing_files_and_wrong_checksums_are_named(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    config = complete(GOOD, FAMILIES)
    config["benchmarks"]["c"] = {"format": "crows-pairs", "path": str(file)}
    with pytest.raises(InputError, match=r"config key benchmarks\.c\.path: .*pairs\.csv is missing"):
        check_files(config, FAMILIES)
    file.write_text("x")
    check_files(config, FAMILIES)
    config["benchmarks"]["c"]["sha256"] = sha256_of_file(file)
    # git hash-object of a file that holds `x`
    config["benchmarks"]["c"]["git_blob"] = "c1b0730e0133447badfcc74c9af9ef1c5a3ec4c1"
    with pytest.raises(InputError, match=r"benchmarks\.c\.git_blob: .*pairs\.csv has [0-9a-f]{40}, not c1b0"):
        check_files(config, FAMILIES)
    del config["benchmarks"]["c"]["git_blob"]
    check_files(config, FAMILIES)
    config["benchmarks"]["c"]["sha256"] = "0" * 64
    with pytest.raises(InputError, match=r"config key benchmarks\.c\.sha256: .* has 2d71"):
        check_files(config, FAMILIES)


def test_missing_model_directories_are_named(tmp_path: Path) -> None:
    config = complete(GOOD, FAMILIES)
    config["models"]["m"] = {"source": "path", "path": str(tmp_path / "none")}
    with pytest.raises(InputError, match=r"config key models\.m\.path: .*none is not a directory"):
        check_files(config, FAMILIES)
    config["models"]["m"]["path"] = str(tmp_path)
    with pytest.raises(InputError, match=r"config key models\.m\.path: .* holds no config\.json"):
        check_files(config, FAMILIES)


@pytest.mark.parametrize(
    "path", [ROOT / "config.yaml", *sorted((ROOT / "configs").glob("*.yaml"))], ids=lambda p: p.stem
)
def test_the_studies_that_come_along_are_valid(path: Path) -> None:
    config = read_config(path)
    config["data"] = "data"
    assert complete(config, FAMILIES)["study"] == ("demo" if path.stem == "config" else path.stem)


def test_a_family_without_its_key_leaves_no_trace() -> None:
    config = complete({"study": "x", "corpora": {"c": {"format": "text", "path": "x"}}}, FAMILIES)
    assert set(config) == {"study", "title", "data", "statistics", "runtime", "corpora"}
    # what the pairs of sentences add to a key of all families is not there either
    assert set(config["statistics"]) == {"alpha", "confidence"}
    with pytest.raises(InputError, match=r"config key statistics: unknown key ratings \(known: alpha, "):
        complete({"study": "x", "statistics": {"ratings": {}}}, FAMILIES)


def test_models_come_from_models_but_never_from_themselves() -> None:
    models = {
        "a": {"source": "debiased", "from": "b", "method": "cda"},
        "b": {"source": "debiased", "from": "c", "method": "cda"},
        "c": {"source": "hub", "repo": "x"},
    }
    assert complete({"study": "x", "models": models}, FAMILIES)["models"]["a"]["from"] == "b"
    models["c"] = {"source": "debiased", "from": "b", "method": "cda"}
    with pytest.raises(
        InputError, match=r"models\.b\.from: a model cannot come from itself \(b from c from b\)"
    ):
        complete({"study": "x", "models": models}, FAMILIES)


def test_families_add_alternatives_and_keys_but_state_nothing_twice() -> None:
    family = {
        "required": ["seers"],
        "properties": {"seers": {"type": "object"}, "statistics": {"properties": {"tail": {"default": 2}}}},
        "$defs": {"model/seer": {"required": ["source"], "properties": {"source": True}, "directory": False}},
    }
    families = {**FAMILIES, "seers": family}
    config = {"study": "x", "models": {"m": {"source": "seer"}}, "seers": {}}
    assert complete(config, families)["statistics"]["tail"] == 2
    assert alternative(families, "model", "seer")["directory"] is False
    with pytest.raises(InputError, match=r"models\.m\.source: 'seer' is not one of"):
        complete({"study": "x", "models": {"m": {"source": "seer"}}}, FAMILIES)
    for stated, place in (
        ({"properties": {"title": {"type": "string"}}}, "properties.title.type"),
        ({"properties": {"statistics": {"default": 1}}}, "properties.statistics.default"),
        ({"$defs": {"model/hub": {"additionalProperties": True}}}, "$defs.model/hub.additionalProperties"),
    ):
        with pytest.raises(InputError, match=re.escape(f"schemas: two families state {place}")):
            put_together({**FAMILIES, "other": stated})


def test_data_stands_for_the_directory_in_paths_alone() -> None:
    config: dict[str, Any] = {
        "study": "x",
        "title": "{data}",
        "data": "/d",
        "models": {"m": {"source": "path", "path": "{data}/m"}},
        "benchmarks": {"b": {"format": "crows-pairs", "url": "file://{data}/b", "licence": "{data}"}},
        "corpora": {"c": {"format": "text", "path": "{data}/*.txt"}},
        "regional": {"regions": {"source": "geonames"}, "words": {"mine": "{data}/v.yaml"}},
    }
    found = complete(config, FAMILIES)
    assert found["title"] == found["benchmarks"]["b"]["licence"] == "{data}"
    assert found["models"]["m"]["path"] == "/d/m" and found["corpora"]["c"]["path"] == "/d/*.txt"
    assert found["benchmarks"]["b"]["url"] == "file:///d/b"
    # where the key is a name of the study's own
    assert found["regional"]["words"] == {"mine": "/d/v.yaml"}
    config["regional"]["words"] = {"mine": "{x}.yaml"}
    with pytest.raises(InputError, match=r"regional\.words\.mine: '\{x\}\.yaml' has \{x\}: braces are for"):
        complete(config, FAMILIES)


def test_regions_need_a_source() -> None:
    config = {**GOOD, "regional": {"regions": {"cities": 3}}}
    with pytest.raises(InputError, match=r"config key regional\.regions: 'source' is a required property"):
        complete(config, FAMILIES)


@pytest.mark.parametrize(
    "change",
    [
        {"worlds": None},
        {"worlds": 5},
        {"models": None},
        {"models": {"a": None}},
        {"models": {"a": {"source": "train", "architecture": "bert", "world": ["w"]}}},
        {"models": {"a": {"source": "debiased", "from": {}, "method": "cda"}}},
        {"models": {"a": {"source": "debiased", "from": None, "method": "cda"}}},
        {"benchmarks": []},
        {"benchmarks": {"b": {"format": "crows-pairs", "url": "https://h/{x}.csv"}}},
        {"study": "a\n"},
        {"study": None},
        {"study": 5},
        {"title": datetime.date(2020, 1, 1)},
        {"title": b"x"},
        {"title": "\ud800"},
        {"title": {"x"}},
        {"runtime": {"threads": 2**64}},
        {"statistics": {"chance": {"seed": 2**70}}},
        {"data": 5, "benchmarks": {"b": {"format": "crows-pairs", "path": "{data}/x"}}},
    ],
)
def test_wrong_types_are_one_line_too(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^config key [^\n]+$"):
        complete({**copy.deepcopy(GOOD), **change}, FAMILIES)


NAMES = ("study", "models", "benchmarks", "corpora", "worlds")


@pytest.mark.parametrize("name", ["a\n", "a b", "", ".a", "a/b", "ä", "a" * 101, "{a}"])
@pytest.mark.parametrize("key", NAMES)
def test_names_that_no_file_can_have_are_refused(key: str, name: str) -> None:
    with pytest.raises(InputError, match=rf"^config key {key}: [^\n]+$"):
        complete(named(key, name), FAMILIES)


@pytest.mark.parametrize("key", NAMES)
def test_names_of_a_hundred_letters_pass(key: str) -> None:
    complete(named(key, "a.B-_" * 20), FAMILIES)


def named(key: str, name: str) -> dict[str, Any]:
    """A study with one such name."""
    corpora = {"c": {"format": "text", "world": "w"}}
    config: dict[str, Any] = {**copy.deepcopy(GOOD), "corpora": corpora}
    if key == "study":
        return {**config, "study": name}
    return {**config, key: {**config[key], name: copy.deepcopy(next(iter(config[key].values())))}}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"statistics": {"alpha": math.nan}}, "statistics.alpha: nan"),
        ({"statistics": {"confidence": math.inf}}, "statistics.confidence: inf"),
        (
            {"models": {"p": {"source": "train", "world": "w", "learning_rate": math.nan}}},
            "models.p.learning_rate: nan",
        ),
        (
            {"models": {"r": {"source": "random", "tokenizer": "t", "config": {"x": [1, -math.inf]}}}},
            "models.r.config.x.1: -inf",
        ),
    ],
)
def test_what_is_not_a_finite_number_is_named(change: dict[str, Any], place: str) -> None:
    config = copy.deepcopy(GOOD)
    for key, value in change.items():
        config.setdefault(key, {}).update(value)
    with pytest.raises(InputError, match=rf"^config key {re.escape(place)} is not a finite number$"):
        complete(config, FAMILIES)


def test_a_value_that_is_in_itself_or_too_large_is_named() -> None:
    circle: list[Any] = []
    circle.append(circle)
    laughs: list[Any] = ["ha"]
    for _ in range(40):
        laughs = [laughs, laughs]
    for value in (circle, laughs):
        config = copy.deepcopy(GOOD)
        config["models"]["r"] = {"source": "random", "tokenizer": "t", "config": {"x": value}}
        with pytest.raises(InputError, match=r"^config key models\.r\.config\.x\..*: too much in it, or"):
            complete(config, FAMILIES)


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("benchmarks", {"format": "crows-pairs", "path": "a{x}.csv"}),
        ("benchmarks", {"format": "crows-pairs", "path": "a{x.csv"}),
        ("benchmarks", {"format": "crows-pairs", "path": "{data}/a.csv"}),
        ("benchmarks", {"format": "crows-pairs", "url": "https://h/{x}.csv"}),
        ("corpora", {"format": "text", "path": "{data}/{x}/*.txt"}),
        ("models", {"source": "path", "path": "{{data}}"}),
        ("models", {"source": "random", "config": {"model_type": "bert"}, "tokenizer": "}"}),
    ],
)
def test_braces_are_for_the_data_directory_alone(key: str, entry: dict[str, Any]) -> None:
    """Snakemake would take others for wildcards, and say so with a name of a rule."""
    config = {**copy.deepcopy(GOOD), "data": "/d{y}" if entry.get("path") == "{data}/a.csv" else "/d"}
    config.setdefault(key, {})["z"] = entry
    with pytest.raises(InputError, match=rf"^config key {key}\.z\.\w+: .*: braces are for {{data}} alone$"):
        complete(config, FAMILIES)


def test_files_with_braces_in_their_names_are_named(tmp_path: Path) -> None:
    for name in ("config.json", "a{b}.txt"):
        (tmp_path / name).touch()
    for key, entry in (
        ("corpora", {"format": "text", "path": f"{tmp_path}/*.txt"}),
        ("models", {"source": "path", "path": str(tmp_path)}),
    ):
        config = copy.deepcopy(GOOD)
        config.setdefault(key, {})["z"] = entry
        with pytest.raises(InputError, match=rf"^config key {key}\.z\.path: .*a{{b}}\.txt has braces"):
            check_files(complete(config, FAMILIES), FAMILIES)


def test_what_is_quoted_is_not_quoted_at_any_length() -> None:
    with pytest.raises(InputError) as caught:
        complete({**GOOD, "title": list(range(10_000))}, FAMILIES)
    assert str(caught.value).startswith("config key title: [0, 1, 2")
    assert str(caught.value).endswith("is not of type 'string'") and len(str(caught.value)) < 500


def test_a_whole_number_may_be_written_as_a_decimal() -> None:
    config = complete({**GOOD, "statistics": {"chance": {"seed": 3.0}}}, FAMILIES)
    assert repr(config["statistics"]["chance"]["seed"]) == "3"


def test_paths_that_no_file_system_takes_are_named() -> None:
    config = complete(GOOD, FAMILIES)
    config["benchmarks"]["c"] = {"format": "crows-pairs", "path": "x" * 5000}
    with pytest.raises(InputError, match=r"config key benchmarks\.c\.path: x{80} is not a path"):
        check_files(config, FAMILIES)
    del config["benchmarks"]["c"]
    config["models"]["c"] = {"source": "path", "path": "x" * 5000}
    with pytest.raises(InputError, match=r"config key models\.c\.path: x{80} is not a path"):
        check_files(config, FAMILIES)


def test_a_file_of_the_workflow_is_named_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_from(root: Path | None) -> tuple[str, str, str]:
        regional = complete(study, FAMILIES, root)["regional"]
        return regional["regions"]["path"], regional["words"]["one"], regional["words"]["two"]

    inside = ("resources/regional/synthetic_regions.csv", "resources/words.yaml", "resources/none.yaml")
    study = copy.deepcopy(GOOD)
    study["regional"] = {
        "models": ["a"],
        "regions": {"source": "table", "path": inside[0]},
        "template": "{region} {word}",
        "words": {"one": inside[1], "two": inside[2]},
    }
    root, elsewhere = tmp_path / "unmask", tmp_path / "elsewhere"
    for folder in (root / "resources/regional", elsewhere / "resources"):
        folder.mkdir(parents=True)
    (root / inside[0]).touch()
    (root / inside[1]).touch()
    monkeypatch.chdir(elsewhere)
    assert read_from(root) == (f"../unmask/{inside[0]}", f"../unmask/{inside[1]}", inside[2])
    # what is there comes first
    Path(inside[1]).touch()
    assert read_from(root) == (f"../unmask/{inside[0]}", inside[1], inside[2])
    assert read_from(None) == inside
    monkeypatch.chdir(root)
    assert read_from(root) == inside


def test_a_pattern_of_the_workflow_is_named_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = "resources/associations/synthetic/*.jsonl"
    tests = {"synthetic": {"format": "sent-bias", "path": pattern}}
    study = GOOD | {"associations": {"tests": tests}}

    def read_from(root: Path) -> str:
        path: str = complete(study, FAMILIES, root)["associations"]["tests"]["synthetic"]["path"]
        return path

    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "unmask" / pattern).parent.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert read_from(tmp_path / "unmask") == pattern
    (tmp_path / "unmask" / pattern).with_name("a.jsonl").touch()
    assert read_from(tmp_path / "unmask") == f"../unmask/{pattern}"


def test_all_data_that_a_study_is_given_can_have_a_licence() -> None:
    """Benchmarks, corpora, tasks, tests, vectors and tables: all but what a study makes itself."""
    definitions = SCHEMA["$defs"]
    data = ("benchmark/", "corpus/", "task/", "suite/")
    names = [name for name in definitions if name.startswith(data)] + ["vectors", "prefixed"]
    without = {name for name in names if "licence" not in definitions[name]["properties"]}
    assert without == {"task/planted"}
    assert "licence" in SCHEMA["properties"]["regional"]["properties"]
