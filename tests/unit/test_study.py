"""A study's file: chosen by one word, completed by the keys of its families, and each error one line."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from library import (
    KEYS_PAGE,
    InputError,
    choose_study,
    complete,
    families,
    keys_page,
    parse_yaml,
    read_config,
    settings_of,
    sha256_of_file,
)
from library import downstream_check_study as check_study
from study_schema import ROOT

GOOD: dict[str, Any] = {
    "study": "x",
    "worlds": {"w": {}},
    "models": {"a": {"source": "train", "architecture": "bert", "world": "w"}},
    "benchmarks": {"b": {"format": "crows-pairs", "world": "w"}},
}
SHIPPED = [ROOT / "config.yaml", *sorted((ROOT / "configs").glob("*.yaml"))]


def with_(change: str, base: Any = GOOD) -> dict[str, Any]:
    """A good study with what is written here in YAML put into it."""

    def put(one: Any, other: Any) -> Any:
        if isinstance(one, dict) and isinstance(other, dict):
            return one | {key: put(one.get(key), value) for key, value in other.items()}
        return other

    return dict(put(copy.deepcopy(base), parse_yaml(change)))


# a change of a good study => how the one line begins, behind `config key `
REFUSED = """
modells: 1 => (top level): unknown key modells (did you mean models? known: study,
MODLES: 1 => (top level): unknown key MODLES (did you mean models? known: study,
3: 1 => (top level): unknown key 3 (known: study,
models: {z: {source: hub, repoo: x}} => models.z: unknown key repoo
models: {z: {source: hubb}} => models.z.source: 'hubb' is not one of
models: {z: {source: hub, repo: x, tokenizer: {revision: v1}}} => models.z.tokenizer.repo: is missing
models: {z: {source: hub, repo: x, tokenizer: {repo: a b}}} => models.z.tokenizer.repo: 'a b' is not owner/
models: {z: {source: hub, repo: x, kind: oracle}} => models.z.kind: 'oracle' is not one of these (known: 
models: {z: {source: debiased, from: y, method: cda}} => models.z.from: 'y' is none of the study's models (
models: {z: {source: scored, path: s, columns: {pair_id: i, sentences: [a, b], scores: [a, b]}}}
=> models.z.columns: give exactly one of sentences with scores, pair_id with scores
models: {z: {source: hub, repo: x, trust_remote_code: true}}
=> models.z.trust_remote_code: code of a repository is run of one commit
models: {a b: {source: hub, repo: x}} => models: 'a b' is not a name (letters a to z, digits, . _
models: {.a: {source: hub, repo: x}} => models: '.a' is not a name (letters a
models: {ä: {source: hub, repo: x}} => models: 'ä' is not a name (letters a to z
models: {"{a}": {source: hub, repo: x}} => models: '{a}' is not a name
benchmarks: {a/b: {format: stereoset, path: x}} => benchmarks: 'a/b' is not a name
worlds: {"": {}} => worlds: '' is not a name
models: {r: {source: random, tokenizer: t, config: &c {x: [*c]}}}
=> models: has a value in it that JSON has not: Circular reference
models: {y: {source: debiased, from: z, method: cda}, z: {source: debiased, from: y, method: cda}}
=> models: a model cannot come from itself (y from z from y)
models: {a: {source: adapted}} => models.a.source: adapted is no longer there: merge_and_unload
models: {a: {text: planted}} => models.a: text is no longer there: a world with every p .5
models: {a: {world: [w]}} => models.a.world:
models: {a: } => models.a: None should be a mapping
models: => models: None should be a mapping
benchmarks: crows-pairs => benchmarks: 'crows-pairs' is no list of names such as [crows-pairs]
benchmarks: {b: {path: x}} => benchmarks.b: give exactly one of url, path
benchmarks: {b: {text: x, images: y}} => benchmarks.b: unknown key text, images (known: format
benchmarks: {z: {format: xml, path: x}} => benchmarks.z.format: 'xml' is not one of
benchmarks: {z: {format: table, path: x, columns: {stereotype: s}}} => benchmarks.z.columns.bias_type: is
benchmarks: {z: {format: stereoset, world: v}} => benchmarks.z.world: 'v' is none of the study's worlds (
benchmarks: {z: {format: stereoset, path: "{data}/x"}} => benchmarks.z.path: needs a data directory
benchmarks: {z: {format: stereoset, path: "a{x}.csv"}} => benchmarks.z.path: 'a{x}.csv' has {x}: braces are
benchmarks: {z: {format: stereoset, path: "a{x.csv"}} => benchmarks.z.path: 'a{x.csv' has {: braces are for
benchmarks: {z: {format: stereoset, url: "https://me:pw@h/{x}"}} => benchmarks.z.url: 'https://h/{x}' has {x}
corpora: {c: {format: txt, path: a}} => corpora.c.format: 'txt' is not one of
corpora: {c: {format: text}} => corpora.c: give exactly one of path, url, world
benchmarks: "https://me:pw@h/x" => benchmarks: 'https://h/x' is no list of names
models: {z: {source: hub, repo: "https://me:pw@h/x"}} => models.z.repo: 'https://h/x' is not owner/name
models: {g: {source: gguf, path: a.gguf, file: b.gguf}} => models.g: give exactly one of repo with file, path
corpora: {c: {format: text, path: a, url: "file:///a"}} => corpora.c: give exactly one of path, url
corpora: {c: {format: text, path: a, column: x}} => corpora.c: unknown key column (known: format, path
corpora: {c: {format: wikimedia-xml, path: a}} => corpora.c.format: wikimedia-xml is no longer there
corpora: {c: {format: hub-parquet, repo: a/b}} => corpora.c.shards: is missing
corpora: {c: {format: hub-parquet, repo: a/b, shards: 0}} => corpora.c.shards: 0 should be greater than
corpora: {c: {format: hub-parquet, repo: a/b, shards: x}} => corpora.c.shards: 'x' is not a whole number or a
benchmarks: {c: {format: table, path: c, columns: {bias_type: t, stereotype: s, antistereotype: no}}}
=> benchmarks.c.columns.antistereotype: False is not text or a mapping
corpora: {c: {format: hub-parquet, repo: a/b, shards: [a.csv]}} => corpora.c.shards.0: 'a.csv' is not a path
benchmarks: {z: {format: stereoset, url: "https://me:pw@h:pw/x.csv"}} => benchmarks.z.url: not a url such as
benchmarks: {z: {format: stereoset, url: "file://pw/x.csv"}} => benchmarks.z.url: not a url such as https:
benchmarks: {z: {format: stereoset, url: pw.csv}} => benchmarks.z.url: not a url such as
regional: {regions: {cities: 3}} => regional.regions.source: is missing
regional: {regions: {source: geonames}, words: {mine: "{x}"}} => regional.words.mine: '{x}' has {x}: braces
measures: [AULL] => measures.0: 'AULL' is not one of these (did you mean AUL? known: AUL,
headline: PLL => (top level): headline is no longer there: the first of measures is the headline
templates: {} => (top level): templates is no longer there: pairs of sentences
worlds: {w: {templates: {}}} => worlds.w: unknown key templates (known:
worlds: 5 => worlds: 5 should be a mapping
statistics: {alpha: 3} => statistics.alpha: 3 should be less than 1
statistics: {alpha: .nan} => statistics: has a value in it that JSON has not: Out of range float
statistics: {chance: {seed: 1180591620717411303424}} => statistics.chance.seed: 118059
statistics: {confidence: 0.99, chance: {draws: 199}} => statistics: chance.draws: 199 are too few
benchmarks: {c: {format: table, path: c.csv, columns: {pair_id: {value: p}}}}
=> benchmarks.c.columns.pair_id: a dict should be a valid string
benchmarks: {c: {format: table,path: c,without: [x], columns: {bias_type: t,stereotype: s,antistereotype: a}}}
=> benchmarks.c: without needs columns.pair_id
benchmarks: {c: {format: table,path: c,separator: x, columns: {bias_type: t,stereotype: s,antistereotype: a}}}
=> benchmarks.c: separator needs columns.ratings
scoring: {unknown_tokens: 2} => scoring.unknown_tokens: 2 should be less than or equal to 1
runtime: {device: tpu} => runtime.device: 'tpu' is not auto, cpu, cuda or cuda:N
runtime: {more: 1, gpus: 2} => runtime: gpus is no longer there: a job has one GPU
runtime: {threads: true} => runtime.threads: True is neither text nor a number
runtime: {threads: "1e3"} => runtime.threads: '1e3' should be a valid integer
runtime: {threads: "2.5"} => runtime.threads: '2.5' should be a valid integer
runtime: {threads: "0"} => runtime.threads: '0' should be greater than or equal to 1
study: "a\\n" => study: 'a\\n' is not a name
study: 5 => study: 5 should be a valid string
title: 2020-01-01 => title: has a value in it that JSON has not: Object of type date
statistics: [] => statistics: a list should be a mapping
statistics: {clusters: [true]} => statistics.clusters.0: True is not one of these (known: words, target,
controls: {shuffled: false} => controls.shuffled: False should be a mapping
title: !!set {x} => title: has a value in it that JSON has not: Object of type set
title: "\\ud800" => title: has a value in it that JSON has not: 'utf-8' codec can't
data: 5 => data: 5 should be a valid string
{corpora: {c: {path: c.txt, format: text}}, debiasing: {corpus: c, of: [a], methods: {x: 1}}}
=> debiasing.methods.x: 1 should be a mapping
"""

# models that are debiased and fine-tuned by what the study is short for
SHORT: dict[str, Any] = {
    "study": "small",
    "models": {
        "a": {"source": "hub", "repo": "x/a"},
        "b": {"source": "hub", "repo": "x/b"},
        "c": {"source": "hub", "repo": "x/c", "kind": "text-classification"},
    },
    "worlds": {"w": {}},
    "corpora": {"news": {"format": "text", "world": "w"}},
    "debiasing": {
        "corpus": "news",
        "of": ["a"],
        "methods": {"cda": {}, "old": {"method": "cda", "protocol": "published"}},
    },
    "downstream": {"tasks": {"t": {"format": "planted", "kind": "similarity", "world": "w"}}},
}
PAIRS: dict[str, Any] = {"benchmarks": {"cp": {"format": "crows-pairs", "world": "w"}}}

# a change of that study => how the one line begins
REFUSED_OF_SHORT = """
models: {a-cda: {source: hub, repo: x/a}} => debiasing.of: a-cda is among the models already
debiasing: {of: [nobody]} => debiasing.of: 'nobody' is none of the study's models (known: a, b, c)
debiasing: {of: a} => debiasing.of: 'a' should be a valid list
debiasing: {methods: {cda: null}} => debiasing.methods.cda: None should be a mapping
debiasing: {methods: {magic: {}}} => models.a-magic.method: 'magic' is not one of
debiasing: {methods: {cda: {protocol: odd}}} => models.a-cda.protocol: 'odd' is not one of
debiasing: {methods: {cda: {options: {alpha: 1}}}} => models.a-cda.options: unknown key alpha
debiasing: {methods: {at: {options: {alpha: -1}}}} => models.a-at.options.alpha: -1 should be greater than
debiasing: {corpus: books} => debiasing.corpus: 'books' is none of the study's corpora
debiasing: [] => debiasing: a list should be a mapping
downstream: => downstream: None should be a mapping
downstream: {tasks: []} => downstream.tasks: a list should be a mapping
downstream: {models: 3} => downstream.models: 3 should be a valid list
downstream: {models: [c]} => downstream.models: c is not a masked-lm model of the study with files
downstream: {models: [d]} => downstream.models: d is not a masked-lm model of the study with files
{benchmarks: {b: {format: crows-pairs, world: w}}, downstream: {models: [d]}}
=> downstream.models: d is not a masked-lm model of the study with files
downstream: {seeds: [0, 0]} => downstream.seeds: 0 is there twice
models: {odd: {source: fine-tuned, from: a, task: t}} => models.odd: models after fine-tuning
downstream: {fine_tuning: {how: search, steps: 5}} => downstream.tasks.t.fine_tuning: a search chooses among
downstream: {fine_tuning: {how: search}, seeds: [0, 1]}
=> downstream.tasks.t.fine_tuning: a search takes one seed
"""
CASES = [
    (base, change, line)
    for base, table in ((GOOD, REFUSED), (SHORT, REFUSED_OF_SHORT))
    for change, line in re.findall(r"^(.+?)\s=> ?(.*)$", table, re.MULTILINE)
]


@pytest.mark.parametrize(("base", "change", "line"), CASES, ids=[change for _, change, _ in CASES])
def test_what_does_not_fit_is_one_line_that_names_the_key(base: Any, change: str, line: str) -> None:
    with pytest.raises(InputError) as caught:
        check_study(complete(with_(change, base)))
    assert str(caught.value).startswith(f"config key {line}") and len(str(caught.value)) < 700
    assert "pw" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_name_has_at_most_a_hundred_signs() -> None:
    complete(GOOD | {"worlds": {"w": {}, "n" * 100: {}}})
    with pytest.raises(InputError, match="config key worlds: 'nnn"):
        complete(GOOD | {"worlds": {"w": {}, "n" * 101: {}}})


# a change of a good study => a place, and what is there when it is complete
COMPLETED = """
runtime: {threads: '2'} => runtime.threads: 2
worlds: {w: {associations: ['0.2', '0.9']}} => worlds.w.associations: [0.2, 0.9]
statistics: {chance: {seed: 3.0}} => statistics.chance.seed: 3
title: 'on' => title: 'on'
title: '1.10' => title: '1.10'
corpora: {c: {format: text, world: w}} => corpora.c.counted: true
corpora: {c: {format: hub-parquet, repo: a/b, shards: [x/a.parquet]}} => corpora.c.column: text
{} => models.a.seed: 0
{} => statistics.chance: {draws: 20000, seed: 0}
statistics: {confidence: 0.9999} => statistics.chance: {draws: 20000, seed: 0}
models: {b: {source: hub, repo: x, tokenizer: {repo: y}}} => models.b.tokenizer: {repo: y, revision: main}
models: {y: {source: debiased, from: z, method: cda}, z: {source: hub, repo: x}} => models.y.from: z
{data: /d/, title: '{data}'} => title: '{data}'
{data: /d/, models: {b: {source: path, path: '{data}/m'}}} => models.b.path: /d/m
{data: /d, benchmarks: {c: {format: stereoset, url: 'file://{data}/b'}}} => benchmarks.c.url: 'file:///d/b'
{data: /d, regional: {regions: {source: geonames}, words: {mine: '{data}/v'}}} => regional.words.mine: /d/v
"""


@pytest.mark.parametrize(
    ("change", "place", "value"), re.findall(r"^(.+?)\s=> ([\w.]+): (.*)$", COMPLETED, re.MULTILINE)
)
def test_a_study_is_completed(change: str, place: str, value: str) -> None:
    """Numbers may come as text: so does Snakemake give them of `--config 'runtime={threads: 2}'`."""
    given = with_(change)
    completed = complete(copy.deepcopy(given))
    found: Any = completed
    for key in place.split("."):
        found = found[key]
    assert repr(found) == repr(parse_yaml(value))
    assert complete(completed) == completed


def test_every_model_is_debiased_by_every_method_and_fine_tuned_with_its_kin() -> None:
    given = {**SHORT, **PAIRS, "measures": ["AUL"]}
    before = copy.deepcopy(given)
    completed = complete(given)
    assert given == before and complete(completed) == completed
    check_study(completed)
    models = completed["models"]
    tuned = ["a", "b", "a-cda", "a-old"]
    assert list(models) == ["a", "b", "c", "a-cda", "a-old", *(f"{name}@t" for name in tuned)]
    debiased = {"source": "debiased", "from": "a", "method": "cda"}
    assert models["a-cda"].items() >= (debiased | {"protocol": "corrected"}).items()
    assert models["a-old"].items() >= (debiased | {"protocol": "published"}).items()
    assert models["b@t"] == {"source": "fine-tuned", "from": "b", "task": "t"}
    # as `--config` has numbers
    texts = with_("debiasing: {methods: {at: {options: {alpha: '2'}}}}", given)
    assert complete(texts)["models"]["a-at"]["options"] == {"alpha": 2}


@pytest.mark.parametrize(
    ("more", "after"),
    [
        # the measures are then those by default
        (PAIRS, ["a@t", "b@t"]),
        ({}, []),
        ({**PAIRS, "measures": []}, []),
    ],
)
def test_models_are_scored_after_fine_tuning_where_any_are(more: dict[str, Any], after: list[str]) -> None:
    given = {key: value for key, value in SHORT.items() if key != "debiasing"} | more
    assert list(complete(given)["models"])[3:] == after


def test_a_task_states_what_differs_and_no_more() -> None:
    task = "{fine_tuning: {how: search, search: {batch: [8]}}}"
    downstream = complete(with_(f"downstream: {{tasks: {{t: {task}}}}}", SHORT))["downstream"]
    settings = settings_of(downstream, "t")
    assert settings["search"] == {"batch": [8], "learning_rate": [1e-5, 3e-5, 5e-5], "epochs": [1, 3, 5]}
    assert settings["learning_rate"] == 3e-5
    assert downstream["fine_tuning"]["how"] == "fixed"


def test_keys_of_a_family_need_the_family() -> None:
    config = complete({"study": "x", "corpora": {"c": {"format": "text", "path": "x"}}})
    assert set(config) == {"study", "title", "data", "statistics", "runtime", "corpora"}
    # what the pairs of sentences add to a key of all families is not there either
    assert set(config["statistics"]) == {"alpha", "confidence"}
    with pytest.raises(InputError, match=r"config key statistics: unknown key chance \(known: alpha, "):
        complete({"study": "x", "statistics": {"chance": {}}})
    with pytest.raises(InputError, match="config key measures: it needs benchmarks, which the study lacks"):
        complete({"study": "x", "models": GOOD["models"], "worlds": {"w": {}}, "measures": []})


def test_no_pattern_of_a_key_is_said_as_it_is() -> None:
    schemas = json.dumps([family.model_json_schema() for family in families().values()])
    patterns = re.findall(r'"pattern": ("\^.*?\$")|"patternProperties": {("\^.*?\$")', schemas)
    spelling = read_config(ROOT / "resources/spelling.yaml")
    assert {json.loads(one or other) for one, other in patterns} == set(spelling)


def test_two_families_with_one_key_are_refused() -> None:
    code = """
from unmask.keys import Family
from unmask.study import families
Other = type("Other", (Family,), {"__module__": "unmask.other.keys", "__annotations__": {"corpora": int}})
families()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ValueError: key corpora: stated by both " in done.stderr


def test_files_are_there_with_their_checksums(tmp_path: Path) -> None:
    def reason(entry: dict[str, Any], key: str = "benchmarks") -> str:
        entry = {"format": "text"} | entry if key == "corpora" else entry
        try:
            complete(with_("{}") | {key: {"c": entry}}, sha256_of=sha256_of_file)
        except InputError as error:
            return str(error).removeprefix(f"config key {key}.c.")
        return ""

    file = tmp_path / "pairs.csv"
    pairs = {"format": "crows-pairs", "path": str(file)}
    assert reason(pairs) == f"path: {file} is missing"
    assert reason(pairs | {"path": str(tmp_path)}) == f"path: {tmp_path} is no file but a folder"
    file.write_text("x")
    # git hash-object of a file that holds `x`
    blob = "c1b0730e0133447badfcc74c9af9ef1c5a3ec4c1"
    assert reason(pairs | {"sha256": sha256_of_file(file)}) == ""
    assert reason(pairs | {"git_blob": blob}).startswith(f"git_blob: {file} has ")
    assert reason(pairs | {"sha256": "0" * 64}).startswith(f"sha256: {file} has 2d71")
    assert reason(pairs | {"path": "x" * 5000}).startswith(f"path: {'x' * 80} is not a path")
    model = {"source": "path", "path": str(tmp_path / "none")}
    assert reason(model, "models") == f"path: {tmp_path / 'none'} is not a directory"
    model["path"] = str(tmp_path)
    assert reason(model, "models") == f"path: {tmp_path} holds no config.json"
    (tmp_path / "config.json").touch()
    assert reason(model, "models") == ""
    assert reason({"path": f"{tmp_path}/*.txt"}, "corpora") == f"path: no file matches {tmp_path}/*.txt"
    (tmp_path / "a{b}.txt").touch()
    for entry, key in ((model, "models"), ({"path": f"{tmp_path}/*.txt"}, "corpora")):
        assert "a{b}.txt has braces in its name" in reason(entry, key)


@pytest.mark.parametrize("pattern", ["words.yaml", "tests/*.jsonl"])
def test_a_file_of_the_workflow_is_named_from_any_folder(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"resources/{pattern}"
    config = {"study": "x", "corpora": {"c": {"format": "text", "path": path}}}
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    root = tmp_path / "unmask"
    places = [complete(config, root)["corpora"]["c"]["path"]]
    for folder in (root, Path()):
        file = folder / path.replace("*", "a")
        file.parent.mkdir(parents=True)
        file.touch()
        places.append(complete(config, root)["corpora"]["c"]["path"])
    # what is there comes first
    assert places == [path, f"../unmask/{path}", path]
    config["corpora"] = {"c": {"format": "text", "path": f"resources/{'x' * 300}"}}
    assert complete(config, root) == complete(config)
    untrained = {"source": "random", "config": {"model_type": "bert"}, "tokenizer": "resources/of-it"}
    (root / "resources/of-it").mkdir()
    completed = complete({"study": "x", "models": {"m": untrained}}, root)
    assert completed["models"]["m"]["tokenizer"] == "../unmask/resources/of-it"


def test_the_page_of_keys_is_up_to_date_and_says_what_each_key_means() -> None:
    text = KEYS_PAGE.read_text(encoding="utf-8")
    assert text == keys_page(), "run python -m unmask.keys_page"
    rows = [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in text.splitlines() if line[:3] == "| `"]
    assert len(rows) > 300
    assert [row for row in rows if len(row) != 4 or not row[1] or not row[3].endswith(".")] == []
    assert {len(re.findall(f"^{head}$", text, re.M)) for head in re.findall("^##.*", text, re.M)} == {1}
    assert "| `from` | text | required |" in text.partition("### Keys of Debiased\n")[2]
    assert "| `threads` | integer ≥ 1 | `1` |" in text


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_studies_that_come_along_are_valid(path: Path) -> None:
    name = complete({**read_config(path), "data": "data"})["study"]
    assert name == ("demo" if path.stem == "config" else path.stem)


BAD = {
    "broken": b"a: [1",
    "list": b"- 1\n- 2\n",
    "latin-1": b"study: caf\xe9",
    "two": b"a: 1\n---\nb: 2",
    "tag": b"a: !!python/object:os.system x",
    "twice": b"models:\n  a: {source: hub}\n  a: {source: path}\n",
    "alike": b"1: x\n'1': y\n",
    "deep": b"[" * 1000,
    "long": b"a: " + b"1" * 5000,
    "date": b"a: 2001-99-99",
    "nul": b"\0",
}


@pytest.mark.parametrize("bad", BAD)
def test_files_that_hold_no_configuration_are_named(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(BAD[bad])
    line = {"twice": ": not valid YAML: the key 'a' is there twice, in lines 2 and 3$"}.get(bad, r": [^\n]+$")
    with pytest.raises(InputError, match=rf"bad\.yaml{line}"):
        choose_study({"study": str(path)}, ROOT)


def test_a_key_that_a_merge_brings_in_may_be_given_anew(tmp_path: Path) -> None:
    path = tmp_path / "merged.yaml"
    path.write_text("base: &b {k: 0}\nx: {y: &a {<<: *b, k: 1}}\nz: {<<: *a}\n")
    assert read_config(path) == {"base": {"k": 0}, "x": {"y": {"k": 1}}, "z": {"k": 1}}


@pytest.mark.parametrize("name", ["x" * 5000, 5, None, ["demo"], "../config", ".yaml", "\0", "none.yaml"])
def test_no_name_of_a_study_is_more_than_a_line(name: object) -> None:
    with pytest.raises(InputError, match=r"^[^\n]+$"):
        choose_study({"study": name}, ROOT)


def test_one_word_or_a_path_chooses_a_study_and_single_keys_change_it(tmp_path: Path) -> None:
    assert choose_study({"study": "demo"}, ROOT) == choose_study({}, ROOT)
    paper = choose_study({"study": "paper", "statistics": {"alpha": 0.05}}, ROOT)
    assert set(paper["models"]) == {"bert-base-cased", "roberta-large", "albert-large-v2"}
    assert paper["statistics"] == {"alpha": 0.05}
    with pytest.raises(InputError, match=r"there is no configs/papr\.yaml \(did you mean paper\? known: ass"):
        choose_study({"study": "papr"}, ROOT)
    path = tmp_path / "mine.yaml"
    path.write_text("study: its-own\nstatistics: {alpha: 0.05}\n")
    given = {"study": str(path), "statistics": {"confidence": 0.9}, "data": "d"}
    statistics = {"alpha": 0.05, "confidence": 0.9}
    assert choose_study(given, ROOT) == {"study": "its-own", "statistics": statistics, "data": "d"}
    path.write_text("study: demo\n")
    with pytest.raises(InputError, match=r"its study is named demo, as that of config.yaml is"):
        choose_study({"study": str(path)}, ROOT)
    # a copy among those that come with the workflow is called as its file is
    (tmp_path / "configs").mkdir()
    for copied in ("config.yaml", "configs/copied.yaml"):
        (tmp_path / copied).write_text("study: demo\n")
    assert choose_study({"study": "copied"}, tmp_path) == {"study": "copied"}


def test_a_file_given_whole_is_the_study_and_two_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("study: mine\nmodels: {}\n")
    given = {"study": "mine", "models": {}, "data": "here"}
    assert choose_study(given, ROOT, [str(path)]) == given
    with pytest.raises(InputError, match=r"a study is one file: give --configfile .*mine\.yaml or "):
        choose_study(given, ROOT, [str(path), str(ROOT / "configs/paper.yaml")])
    with pytest.raises(InputError, match=r"config key study: paper is not the study of .*mine\.yaml, mine"):
        choose_study({**given, "study": "paper"}, ROOT, [str(path)])


def test_a_module_is_given_a_whole_study_or_what_chooses_one() -> None:
    whole = {"study": "mine", "models": {"a": {"source": "oracle"}}, "worlds": {}}
    # config files are those of the other workflow
    files = ["other.yaml", "other.yaml"]
    chosen = choose_study(whole, ROOT, files, as_module=True)
    assert chosen == whole and chosen["models"] is not whole["models"]
    for given in ({}, {"study": "paper", "statistics": {"alpha": 0.05}}, {"data": "here"}):
        assert choose_study(given, ROOT, files, as_module=True) == choose_study(given, ROOT)
    with pytest.raises(InputError, match=r"there is no configs/papr\.yaml \(did you mean paper"):
        choose_study({"study": "papr", "data": "here"}, ROOT, as_module=True)
