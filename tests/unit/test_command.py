"""The command `unmask`: the studies that it writes, what it prints, and its exit status."""

import json
import logging
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import yaml
from snakemake_interface_logger_plugins.common import LogEvent

import unmask
from library import (
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    NO_CLEAR,
    InputError,
    as_json,
    benchmark_entries,
    choose_study,
    complete,
    known_benchmarks,
    model_entries,
    new_study,
    run_study,
    study_of,
    workflow_root,
    write_study,
)
from library import command_answer_as_text as as_text
from library import command_main as command
from snakemake_logger_plugin_unmask import LogHandler

BIAS = pd.DataFrame(
    {
        "model": "m",
        "benchmark": "b",
        "measure": ["AUL", "CPS", "AllMasked", "SSS"],
        "variant": "original",
        "protocol": "corrected",
        "grouping": "overall",
        "n": 1508,
        "score": [48.2, 66.0, 37.0, None],
        "low": [43.123456789012, 60.1, 26.42, None],
        "high": [53.2, 71.9, 49.97, None],
        "null_low": [39.0, 45.0, 38.0, None],
        "null_high": [63.0, 55.0, 62.0, None],
        "verdict": [NO_CLEAR, CLEAR, CONTROL, CANNOT_TELL],
        "confidence": 0.9,
    }
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a finished study, of which the current directory has the results."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/m")
    (folder / "report").mkdir(parents=True)
    (folder / "report/index.html").write_text("<html>")
    (folder / "report/summary.txt").write_text("What was found.\n")
    (folder / "tables").mkdir()
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks/b.parquet").touch()
    published = BIAS.assign(protocol="published", score=1.0)
    pd.concat([BIAS, published]).to_csv(folder / "tables/bias.csv", index=False)
    return folder


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the workflow is called with, which is not run: of a dry run the study, whose file is gone then."""
    calls: list[Any] = []

    def run_study(*arguments: Any, dry_run: bool = False) -> int:
        calls.append(yaml.safe_load(arguments[0].read_text(encoding="utf-8")) if dry_run else arguments)
        return 0

    monkeypatch.setattr("unmask.command.scoring.run_study", run_study)
    return calls


def main(*arguments: str) -> str | int | None:
    """The command's exit status."""
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    return ended.value.code


def model(folder: Path, name: str = "my model") -> str:
    path = folder / name
    path.mkdir(parents=True)
    (path / "config.json").write_text("{}")
    return str(path)


def test_a_model_is_a_folder_or_a_repository_of_the_hub(tmp_path: Path) -> None:
    local = model(tmp_path)
    assert model_entries([Path(local), "google-bert/bert-base-uncased", "gpt2@main"]) == {
        "my-model": {"source": "path", "path": local},
        "bert-base-uncased": {"source": "hub", "repo": "google-bert/bert-base-uncased"},
        "gpt2": {"source": "hub", "repo": "gpt2", "revision": "main"},
    }
    study = study_of(["some/Tiny.Q4_1.gguf"], start="<s>")
    assert study["models"] == {"Tiny.Q4_1": {"source": "gguf", "path": "some/Tiny.Q4_1.gguf", "start": "<s>"}}
    assert complete(study)["measures"][0] == "LL"


@pytest.mark.parametrize(
    ("models", "look", "line"),
    [
        (["a b"], {}, "a b: neither a folder with a model, nor a GGUF file (.gguf), nor the name of one on "),
        (["x/bert", "y/bert"], {}, "y/bert: another model is named bert already"),
        (["empty"], {}, "empty: this folder holds no config.json, so no model"),
        (
            ["lora"],
            {},
            "lora: this folder holds no config.json, so no model; an adapter alone has to be merged",
        ),
        ([], {}, "there is no model to score"),
        (["m/m"], {"data": "none"}, "--data: none: no such folder"),
        (["m/m"], {"benchmarks": "none.csv"}, "--benchmark: none.csv: no such file"),
        (
            ["m/m"],
            {"benchmarks": Path("pairs.txt")},
            "pairs.txt: its name has none of the endings .csv, .tsv,",
        ),
        (["m/m"], {"benchmarks": "pairs.csv"}, "pairs.csv: needs columns stereotype and antistereotype (or "),
        (["m/m"], {"benchmarks": "crowspairs"}, "--benchmark: there is no 'crowspairs' (did you mean crows-"),
        (["m/m"], {"benchmarks": ["stereoset"] * 2}, "--benchmark: two are named stereoset"),
        (["m/m"], {"measures": "aul"}, "config key measures.0: 'aul' is not one of "),
        (["m/m"], {"name": "../outside"}, "config key study: '../outside' is not a name"),
    ],
)
def test_what_cannot_be_scored_is_one_line(
    models: list[str], look: Any, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "lora").mkdir()
    (tmp_path / "lora/adapter_config.json").write_text("{}")
    for name in ("pairs.txt", "pairs.csv"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    with pytest.raises(InputError) as error:
        unmask.score(*models, **look)
    assert str(error.value).startswith(line) and not (tmp_path / "results").exists()


OF_CROWS_PAIRS = ",sent_more,sent_less,stereo_antistereo,bias_type,annotations"
SENTENCES = {"stereotype": "stereotype", "antistereotype": "antistereotype", "bias_type": {"value": "any"}}
MORE_LESS = {"stereotype": "sent_more", "antistereotype": "sent_less", "bias_type": "bias_type"}


@pytest.mark.parametrize(
    ("file", "header", "name", "entry"),
    [
        ("a b.csv", "stereotype,antistereotype", "a-b", {"format": "table", "columns": SENTENCES}),
        ("pairs.csv", "sent_less,sent_more,bias_type", "pairs", {"format": "table", "columns": MORE_LESS}),
        ("pairs.csv", OF_CROWS_PAIRS, "pairs", {"format": "crows-pairs"}),
        ("dev-2.json", "{}", "dev-2", {"format": "stereoset"}),
    ],
)
def test_a_file_of_pairs_is_known_by_its_columns_or_its_name(
    file: str, header: str, name: str, entry: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / file
    path.write_text(f"{header}\n" + "x," * header.count(",") + "x\n")
    assert benchmark_entries([path]) == {name: {**entry, "path": str(path)}}


def test_a_quick_look_is_of_few_pairs_and_measures(tmp_path: Path) -> None:
    study = study_of([model(tmp_path)], limit=9, quick=True, device="cpu", dtype="bfloat16")
    assert study["measures"] == ["AUL", "AULA"] and complete(study)["controls"]["shuffled"] is None
    ((name, entry),) = study["benchmarks"].items()
    assert (name, entry["limit"]) == ("crows-pairs", 9) and "published" not in entry
    assert study["scoring"] == {"dtype": "bfloat16"} and study["runtime"] == {"device": "cpu"}
    assert study_of(["tiny.gguf"], quick=True)["measures"] == ["LL"]
    misspelt: dict[str, Any] = {"limt": 3}
    with pytest.raises(TypeError, match="unexpected keyword argument 'limt'"):
        study_of(["tiny.gguf"], **misspelt)


def test_named_benchmarks_are_read_from_the_data_where_they_are_there(tmp_path: Path) -> None:
    file = tmp_path / "crows_pairs/crows_pairs_anonymized.csv"
    file.parent.mkdir()
    file.write_text("")
    study = study_of([model(tmp_path)], "crows-pairs", data=str(tmp_path))
    with pytest.raises(InputError, match=r"^config key benchmarks.crows-pairs.sha256: "):
        write_study(study)
    made = benchmark_entries(["crows-pairs", "stereoset"], str(tmp_path))
    assert made["crows-pairs"]["path"] == str(file) and "url" not in made["crows-pairs"]
    assert made["stereoset"]["url"].startswith("https://") and "path" not in made["stereoset"]


def test_a_study_may_name_its_benchmarks() -> None:
    study = {"study": "s", "models": {"m": {"source": "hub", "repo": "o/m"}}}
    made = complete(study | {"benchmarks": list(known_benchmarks())})["benchmarks"]
    assert made == {
        name: known["entry"] | ({"version_of": known["version_of"]} if "version_of" in known else {})
        for name, known in known_benchmarks().items()
    }
    alone = complete(study | {"benchmarks": ["crows-pairs-revised"]})["benchmarks"]
    assert "version_of" not in alone["crows-pairs-revised"]
    with pytest.raises(InputError, match=r"^config key benchmarks: there is no 'stereo-set' \(did you mean "):
        complete(study | {"benchmarks": ["stereo-set"]})


def test_studies_are_complete_files_that_are_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = study_of([model(tmp_path)], measures=["AUL", "CPS"])
    file = write_study(study)
    assert file == Path("results/my-model/study.yaml")
    chosen = complete(choose_study({"study": str(file)}, workflow_root(), []))
    assert chosen["measures"] == ["AUL", "CPS"] and list(chosen["models"]) == ["my-model"]
    before = file.read_bytes()
    assert write_study(study) == file and file.read_bytes() == before
    # what has no results yet is replaced, by what can be run alone
    with pytest.raises(InputError, match=r"^config key measures\.0: 'aul' is not one of"):
        write_study(study | {"measures": ["aul"]})
    assert file.read_bytes() == before
    # also where a job refused the model
    (file.parent / "models").mkdir()
    assert write_study(study | {"measures": ["AUL"]}) == file
    (file.parent / "scores").mkdir()
    with pytest.raises(InputError, match="has results of a study with other measures; give this one another"):
        write_study(study)


def test_a_new_study_can_be_run_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "2024", "yes"):
        file = new_study(f"studies/{name}.yaml")
        chosen = complete(choose_study({"study": str(file)}, workflow_root(), []))
        assert chosen["study"] == name and list(chosen["benchmarks"]) == ["crows-pairs"]
    with pytest.raises(InputError, match="is there already"):
        new_study(file)
    with pytest.raises(InputError, match=r"a study is a YAML file; name it mine\.yaml"):
        new_study("mine.txt")


def test_the_answer_is_the_summary_and_machines_have_the_corrected_scores(folder: Path) -> None:
    lines = as_text(folder).splitlines()
    assert lines[0] == "What was found."
    assert lines[-1] == f"Page    {(folder / 'report/index.html').resolve().as_uri()}"
    answer = {"title": "It is.", "answers": [["Is it?", "Yes."]], "blocks": []}
    (folder / "report/sections").mkdir()
    sections = {"sections": [{"title": ""}, answer]}
    (folder / "report/sections/pairs.json").write_text(json.dumps(sections))
    printed = json.loads(as_json(folder))
    assert (printed["title"], printed["answers"]) == ("It is.", [["Is it?", "Yes."]])
    by_measure = {row["measure"]: (row["score"], row["verdict"]) for row in printed["scores"]}
    assert by_measure == {"AUL": (48.2, NO_CLEAR), "CPS": (66.0, CLEAR), "AllMasked": (37.0, CONTROL)}
    assert printed["scores"][0]["low"] == 43.123456789012


def test_python_has_the_scores_with_their_verdicts(folder: Path) -> None:
    by_type = BIAS.assign(grouping="bias_type", group="age")
    pd.concat([BIAS, by_type]).to_csv(folder / "tables/bias.csv", index=False)
    results = unmask.load(folder)
    wanted = ["n", "score", "low", "high", "null_low", "null_high", "p_holm", "verdict"]
    assert list(results.scores) == ["model", "benchmark", "measure", *wanted]
    assert list(results.scores["verdict"]) == [NO_CLEAR, CLEAR, CONTROL]
    assert list(results.scores_by_type) == ["model", "benchmark", "measure", "bias_type", *wanted]
    assert set(results.scores_by_type["bias_type"]) == {"age"}
    assert "<td>clear preference</td>" in results._repr_html_()
    assert unmask.__version__ and "score" in dir(unmask)


def test_the_exit_status_can_say_that_a_preference_is_clear(
    folder: Path, calls: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = model(Path(), "m")
    for more, status in (([], 0), (["--fail-on", "clear"], command.CLEAR)):
        assert main("score", path, "--cores", "3", *more) == status
    assert [args[:2] for args in calls] == 2 * [(Path("results/m/study.yaml"), "3")]
    assert yaml.safe_load(Path("results/m/study.yaml").read_text())["models"] == {
        "m": {"source": "path", "path": "m"}
    }
    assert "What was found." in capsys.readouterr().out
    BIAS.replace(CLEAR, BY_WORDS).to_csv("results/m/tables/bias.csv", index=False)
    assert main("score", path, "--fail-on", "clear") == 0
    capsys.readouterr()
    BIAS.assign(score=75.0).replace(CLEAR, CANNOT_TELL).to_csv("results/m/tables/bias.csv", index=False)
    assert main("score", path, "--fail-on", "clear") == 0
    assert "2 of 4 scores cannot be tested: nothing is known of them" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("scoer", "argument COMMAND: invalid "),
        ("show m -- -n", "only run takes options of Snakemake behind --"),
        ("show results/none", "there is no folder results/none, and no study of that name\n"),
        ("show nosuch", "there is no folder nosuch, and no study of that name\n"),
        ("show half", "results/half: no finished study (no report/summary.txt)\n"),
        ("show broken.yaml", "broken.yaml: not valid YAML: "),
        ("compare results/half results/hlaf", "results/hlaf: no such file or folder\n"),
        ("score a b -n", "another model is named"),
    ],
)
def test_bad_input_is_one_line(
    arguments: str, line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("results/half/report").mkdir(parents=True)
    Path("results/half/report/index.html").touch()
    Path("broken.yaml").write_text("a: [")
    arguments = arguments.replace(" a b ", " x/a y/a ")
    assert main(*arguments.split()) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("error: ") and line in printed and printed.count("\n") == 1


Record = tuple[LogEvent | None, dict[str, Any]]


def logged(records: list[Record], capsys: pytest.CaptureFixture[str], dry: bool = False) -> list[str]:
    """What a run prints where Snakemake has these records."""
    settings: Any = SimpleNamespace(dryrun=dry, show_failed_logs=True)
    handler = LogHandler(settings, None)
    for event, facts in records:
        level, text = facts.get("level", logging.INFO), facts.get("text", "")
        record = logging.LogRecord("snakemake", level, "", 0, text, (), None)
        record.__dict__ |= facts | ({"event": event} if event else {})
        handler.emit(record)
    handler.close()
    return capsys.readouterr().err.splitlines()


def starting(number: int, rule: str, message: str, log: str) -> list[Record]:
    """The records of a job that starts."""
    about = {"jobid": number, "rule_name": rule, "rule_msg": message, "log": [log], "output": []}
    return [(LogEvent.JOB_INFO, about), (LogEvent.JOB_STARTED, {"jobs": [number]})]


def test_a_run_is_a_line_a_job_and_what_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "job.log"
    log.write_text("begun\nerror: no [bold]space[/bold]\n")
    records: list[Record] = [
        (LogEvent.RUN_INFO, {"stats": {"evidence": 1, "fetch_model": 1, "all": 1, "total": 3}}),
        *starting(1, "evidence", "Reading b with m", str(log)),
        (LogEvent.JOB_FINISHED, {"job_id": 1}),
        *starting(2, "fetch_model", "Fetching m", str(log)),
        (LogEvent.JOB_ERROR, {"level": logging.ERROR, "jobid": 2, "rule_name": "fetch_model"}),
        (LogEvent.ERROR, {"level": logging.ERROR, "text": "RuleException: in line 50"}),
        (None, {"level": logging.WARNING, "text": "Cannot restore r/digests.json: no backup found."}),
        (None, {"level": logging.WARNING, "text": "a [warning]"}),
        (None, {"text": "Select jobs to execute..."}),
    ]
    printed = logged(records, capsys)
    assert printed[0] == "2 jobs; 1 of them downloads."
    assert printed[1:] == [
        "1 of 2 done: Reading b with m (took 0:00:00)",
        "failed: Fetching m",
        f"  {log} ends:",
        "    begun",
        "    error: no [bold]space[/bold]",
        "a [warning]",
    ]


def dry_run(jobs: dict[str, str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What a dry run says of jobs: their messages by their outputs."""
    stats = {"total": len(jobs)} | dict.fromkeys(jobs.values(), 1) | {"jobs": len(jobs) - 2}
    about: list[Record] = [(LogEvent.RUN_INFO, {"stats": stats})]
    for number, (output, what) in enumerate(jobs.items()):
        rule = {"all": "all", "Training": "make_model"}.get(what.split()[0], "evidence")
        name, message = rule, None if what == "all" else what
        facts = {"jobid": number, "rule_name": name, "rule_msg": message, "log": [], "output": [output]}
        about.append((LogEvent.JOB_INFO, facts))
    return logged([*about, about[0]], capsys, dry=True)


def test_a_dry_run_says_what_will_run_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    jobs = {
        "results/a": "Reading crows-pairs",
        "results/b": "Training m on its world",
        **{f"results/{number}": f"Reading crows-pairs with model-{number}" for number in range(9)},
        "results/all": "all",
    }
    said = dry_run(jobs, capsys)
    assert said[1:] == [
        "  10  evidence: Reading crows-pairs; Reading crows-pairs with model-0; Reading …",
        "   1  make_model: Training m on its world",
    ]
    assert len(said[1]) <= 80


def test_what_snakemake_is_called_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from snakemake.cli import get_argument_parser

    monkeypatch.chdir(tmp_path)
    calls: list[list[str]] = []
    monkeypatch.setattr("subprocess.call", lambda call, env: calls.append(call[3:]))
    run_study("s.yaml", 2, data="d", more=["results/s/SHA256SUMS", "--forceall", "--config", "alpha=.1"])
    run_study("s.yaml", more=["--workflow-profile", "profiles/slurm"], dry_run=True)
    one, other = (get_argument_parser().parse_args(call) for call in calls)
    assert [str(each) for each in one.targets] == ["results/s/SHA256SUMS"]
    assert (one.cores, one.logger, one.forceall, one.dryrun) == (2, ["unmask"], True, False)
    assert str(one.workflow_profile) == str(workflow_root() / "profiles/default")
    assert str(one.directory) == str(tmp_path)
    assert one.config == ["alpha=.1", "study=s.yaml", "data=d"]
    # another profile takes the place of this one
    assert str(other.workflow_profile) == "profiles/slurm" and other.dryrun


@pytest.mark.parametrize("hub", [None, "."])
def test_where_home_cannot_be_written_caches_are_beside_the_results(
    hub: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    environments: list[dict[str, str]] = []
    monkeypatch.setattr("subprocess.call", lambda call, env: environments.append(env))
    for home in (str(tmp_path / "home"), "/proc/x"):
        monkeypatch.setenv("HOME", home)
        monkeypatch.setenv("HF_HOME", hub) if hub else monkeypatch.delenv("HF_HOME", raising=False)
        run_study("s.yaml", dry_run=True)
    usual, other = environments
    assert "XDG_CACHE_HOME" not in usual
    assert other["XDG_CACHE_HOME"] == str(tmp_path / ".snakemake/caches") and other.get("HF_HOME") == hub
    assert "XDG_CACHE_HOME" in capsys.readouterr().err


def test_options_of_snakemake_stand_behind_two_dashes(folder: Path, calls: list[Any]) -> None:
    Path("other.yaml").write_text("study: other\n")
    # the study has no results, and nobody expects an answer of it
    assert main("run", "other.yaml", "--cores", "2", "--", "-n", "--forceall") == 0
    # results are named by their folder or by their study
    assert main("show", "results/m") == main("show", "m") == 0
    assert calls == [("other.yaml", "2", False, None, ["-n", "--forceall"])]


@pytest.mark.parametrize(
    ("architectures", "kind"),
    [
        ('["GPT2LMHeadModel"]', "causal-lm"),
        ('["BertForMaskedLM", "BertLMHeadModel"]', "masked-lm"),
        ("[1]", "masked-lm"),
        ("{", "masked-lm"),
    ],
)
def test_the_kind_of_a_folder_is_that_of_its_network(architectures: str, kind: str, tmp_path: Path) -> None:
    """What cannot be read is left to the model's job."""
    (tmp_path / "config.json").write_text(f'{{"architectures": {architectures}}}')
    entry = {"source": "path", "path": str(tmp_path)}
    for given, wanted in ((entry, kind), (entry | {"kind": "masked-lm"}, "masked-lm")):
        assert complete({"study": "x", "models": {"m": given}})["models"]["m"]["kind"] == wanted


def test_ctrl_c_and_a_closed_pipe_have_their_statuses(
    folder: Path, calls: list[Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*arguments: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("unmask.command.scoring.run_study", interrupt)
    assert main("score", model(Path(), "m")) == 130
    assert capfd.readouterr().err == "stopped; the same command resumes it\n"
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as closed, monkeypatch.context() as context:
        context.setattr("sys.stdout", closed)
        assert main("show", "results/m") == 141


def test_a_dry_run_checks_and_writes_nothing(
    tmp_path: Path, calls: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = model(Path(), "m")
    assert main("score", path, "--measures", "AUL", "-n") == 0
    assert main("score", path, "--measures", "aul", "-n") == 2
    assert capsys.readouterr().err.startswith("error: config key measures.0: 'aul' is not one of")
    assert [study["measures"] for study in calls] == [["AUL"]]
    assert not Path("results").exists()
