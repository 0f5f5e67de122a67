"""The check list of the papers against the workflow: planned files, and what studies ask hub and web for."""

import copy
import gzip
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml

from library import COLUMNS, choose_study, compared, needs_data, read_items, with_preset
from loopback import Hub, Reply, Repository, Server
from small_study import Workflow
from study_schema import completed_study, hub_sources, mappings
from workflow_copy import ROOT, copy_workflow

ITEMS = [item for items in read_items().values() for item in items]
# tables and figures in docs/papers.md: study, file, printed or not
LISTED = re.findall(
    r"`unmask run (\S+).*?` \| `(\S+)` \| (yes|no) \|",
    (ROOT / "docs/papers.md").read_text(encoding="utf-8"),
)


def stand_in_data(folder: Path) -> Path:
    """The files of a user that configs/associations.yaml names; planning reads none of them."""
    for suite in ("coco", "concap", "google"):
        (folder / "grounded" / suite).mkdir(parents=True)
        (folder / "grounded" / suite / "test.jsonl").write_text("{}\n")
        (folder / f"grounded/{suite}.npz").write_bytes(b"")
    (folder / "seat").mkdir()
    (folder / "seat/weat1.jsonl").write_text("{}\n")
    return folder


@pytest.fixture(scope="module")
def workflow(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    return Workflow(copy_workflow(tmp_path_factory.mktemp("papers") / "unmask"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stand_in_data(tmp_path_factory.mktemp("data"))


def planned(workflow: Workflow, study: str, data: Path | None) -> set[str]:
    """All outputs of a study that comes with Unmask, by their places in its results."""
    more = [f"data={data}"] if data else []
    done = workflow.command("--summary", "--config", f"study={study}", *more)
    assert done.returncode == 0, done.stdout + done.stderr
    files = [line.split("\t")[0] for line in done.stdout.splitlines() if "\t" in line]
    return {file.removeprefix(f"results/{study}/") for file in files}


@pytest.mark.thorough
@pytest.mark.parametrize("study", sorted({study for study, *_ in LISTED}))
def test_the_file_of_every_row_is_planned_by_its_study(workflow: Workflow, data: Path, study: str) -> None:
    files = planned(workflow, study, data if needs_data(study) else None)
    expected = [file for each, file, *_ in LISTED if each == study]
    expected += [item.file for item in ITEMS if item.study == study]
    assert expected and [file for file in expected if file not in files] == []
    assert (study in {item.study for item in ITEMS}) == (
        "yes" in {row[2] for row in LISTED if row[0] == study}
    )


def test_rows_that_take_no_model_fetch_none(workflow: Workflow) -> None:
    done = workflow.command("-n", "--config", "study=paper", "--", "results/paper/tables/table2.md")
    assert done.returncode == 0, done.stdout + done.stderr
    rules = {line.split()[0] for line in (done.stdout + done.stderr).splitlines() if line.split()}
    assert "fetch_corpus" in rules and "fetch_model" not in rules


MODEL = {name: b"{}" for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt")}
ROWS = b"PAR1 PAR1"
WEIGHTS = {"model.safetensors": b"weights"}
SHARDS = [f"{number:05}.parquet" for number in range(41)]


def with_one_part(path: str) -> str:
    return path.replace("refs/convert/parquet", "refs-convert-parquet")


class Anything(Hub):
    """A hub that has every repository, at every revision that it is asked for."""

    def __init__(self, repositories: Mapping[str, Repository]) -> None:
        super().__init__()
        self.repositories = dict(repositories)
        # a branch whose name has slashes comes in one part of a path, which the server takes apart
        self.answer = lambda request: self._answer(replace(request, path=with_one_part(request.path)))


def repositories(config: dict[str, Any]) -> Iterator[tuple[str, Repository]]:
    """A stand-in of each repository of a study: a model, or the files of a data set that the study names."""
    files: dict[str, dict[str, bytes]] = {}
    for corpus in config.get("corpora", {}).values():
        if "repo" in corpus:
            folder = corpus["subset"]
            shards = {f"{folder}/{'train/' * (folder == 'plain_text')}{name}": ROWS for name in SHARDS}
            files.setdefault(corpus["repo"], {}).update(shards)
    tables = config.get("regional", {}).get("prefixes", {})
    for task in (*config.get("downstream", {}).get("tasks", {}).values(), *tables.values()):
        for source in task.get("files", {}).values():
            if "repo" in source:
                files.setdefault(source["repo"], {})[source["file"]] = ROWS
    revisions: dict[str, list[str]] = {}
    for repo, revision in hub_sources(config):
        revisions.setdefault(repo, []).append(revision)
    for repo, asked in revisions.items():
        commits = [revision for revision in asked if re.fullmatch("[0-9a-f]{40}", revision)]
        branches = tuple(with_one_part(revision) for revision in asked if revision not in commits)
        more: dict[str, Any] = {"commit": commits[0]} if commits else {}
        yield repo, Repository(files.get(repo, MODEL | WEIGHTS), branches=branches, **more)


def with_addresses(value: Any, start: str) -> Any:
    """A study whose addresses are those of a server, which is told the host, too; and without checksums."""
    if isinstance(value, dict):
        entries = {key: each for key, each in value.items() if not ("url" in value and key in CHECKSUMS)}
        return {key: with_addresses(each, start) for key, each in entries.items()}
    if isinstance(value, list):
        return [with_addresses(each, start) for each in value]
    return value.replace("https://", f"{start}/") if isinstance(value, str) else value


def body_of(path: str) -> bytes:
    """What a server has at a path: as little as begins like a file of that name."""
    return gzip.compress(b"text") if path.endswith(".gz") else b"text"


CHECKSUMS = ("sha256", "git_blob")
PRESETS = yaml.safe_load((ROOT / "resources/downstream/tasks.yaml").read_text())


def stated(study: str) -> dict[str, Any]:
    """A study as written, with the benchmarks that it names and the states of models."""
    config, completed = copy.deepcopy(dict(choose_study({"study": study}, ROOT, []))), completed_study(study)
    if isinstance(config.get("benchmarks"), list):
        config["benchmarks"] = copy.deepcopy(completed["benchmarks"])
    if "series" in completed:
        config |= {key: copy.deepcopy(completed[key]) for key in ("models", "series")}
    for entry in config.get("downstream", {}).get("tasks", {}).values():
        # what is not on the hub has another address here
        files = with_preset(entry, PRESETS)["files"]
        entry["files"] = {name: source for name, source in files.items() if "url" in source}
    return {**config, "study": f"{study}-asks"}


def with_files(config: Mapping[str, Any]) -> dict[str, Any]:
    """A study whose tasks name all their files, also those that their presets have."""
    full = copy.deepcopy(dict(config))
    for entry in full.get("downstream", {}).get("tasks", {}).values():
        entry |= {"files": with_preset(entry, PRESETS)["files"]}
    return full


def fetched(config: Mapping[str, Any]) -> list[str]:
    """The files that ask for all that a study fetches; of a corpus the first shard."""
    folder = f"results/{config['study']}"
    models = [name for name, entry in config["models"].items() if entry["source"] == "hub"]
    files = [f"models/{name}/facts.json" for name in models]
    for name, entry in config.get("benchmarks", {}).items():
        files.append(f"downloads/{name}/{entry['url'].rpartition('/')[2]}")
    for name, entry in config.get("corpora", {}).items():
        url = entry.get("url", "")
        files.append(f"corpora/{name}/{url.rpartition('/')[2] or '00000.parquet'}")
    for name, entry in config.get("downstream", {}).get("tasks", {}).items():
        files += [f"downstream/{name}/source/{file}" for file in entry["files"]]
    for name, entry in config.get("regional", {}).get("prefixes", {}).items():
        files += [f"regional/tables/{name}/{part}" for part in entry["files"]]
    return [f"{folder}/{file}" for file in files]


@pytest.mark.thorough
@pytest.mark.parametrize("study", ["paper", "debiasing", "regional"])
def test_every_repository_revision_and_address_of_a_study_is_asked_for(
    study: str, tmp_path: Path, data: Path
) -> None:
    config = stated(study)
    with Server() as web, Anything(dict(repositories(with_files(completed_study(study))))) as hub:
        web.answer = lambda request: Reply(200, {}, body_of(request.path))
        expected = {each["url"] for each in mappings(config) if isinstance(each.get("url"), str)}
        config = with_addresses(config, web.url)
        environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "*"}
        folder = copy_workflow(tmp_path / "unmask")
        # a preloaded interpreter would have read another environment
        workflow = Workflow(folder, {**config, "data": str(data)}, environment, python=sys.executable)
        done = workflow.snakemake("--retries", "0", *fetched(with_files(config)))
        assert done.returncode == 0, done.stdout + done.stderr
        asked = {unquote(request.path) for request in hub.requests}
        for repo, revision in hub_sources(with_files(completed_study(study))):
            places = [f"/api/{kind}/{repo}/" for kind in ("models", "datasets")]
            forms = [f"{place}{what}/{revision}" for place in places for what in ("revision", "tree")]
            forms += [f"{start}/{repo}/resolve/{revision}/" for start in ("", "/datasets")]
            assert any(path.startswith(tuple(forms)) for path in asked), f"{repo} at {revision}"
        assert {request.path for request in web.requests} == {url.removeprefix("https:/") for url in expected}


@pytest.mark.thorough
def test_tables_have_the_columns_that_printed_numbers_are_compared_by(families: Workflow) -> None:
    """Of all families. No model of the study is one of a paper: no number has a printed one."""
    tables = [compared(item, families.folder / "results/synthetic") for item in ITEMS]
    assert tables
    assert all(table.empty and tuple(table.columns) == COLUMNS for table in tables)
