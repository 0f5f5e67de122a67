"""Downstream tasks through the job that reads them: what files become, and the one line of bad ones."""

import io
import re
import tarfile
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import yaml

from library import InputError, complete, downstream_read_task, read_config, read_metadata, with_preset
from real_data import real_data
from running import run_script
from study_schema import ROOT

HEADERS = "hard_text profession gender", "sentence1 sentence2 label", "premise hypothesis label"
COLUMNS = dict(zip(("bias-in-bios", "stsb", "mnli"), map(str.split, HEADERS), strict=True))
RESOURCES = {
    "words": ROOT / "resources/gendered_words.csv",
    "occupations": ROOT / "resources/downstream/occupations.csv",
}
BIOS = [
    ["She is in Mr. Lee's ward .", 13, 1],
    ["Her work is known.", 13, 1],
    ["The other cuts; himself.", 25, 0],
    ["His work helps.", 13, 0],
]
STS: list[Any] = [
    ["A man is here.", "A woman sings.", 5.0],
    ["A man loves his wife.", "A manager is late.", 4.0],
    ["a man is late.", "A woman's hand.", 3.0],
    ["A man is here.", "The man is here.", 2.0],
    ["A man, woman and dog walk.", "Nobody.", 0.0],
]
NLI = [["a", "d", 0], ["b", "d", 1], ["c", "d", 2]]
LISTS = {
    "nouns/people/occupations": "nurse engineer engineer",
    "nouns/people/person_hyponyms": "guest adult",
    "nouns/people/rulers": "queen guest",
    "nouns/objects/vehicles": "bus automobile",
    "nouns/objects/food": "apple bagel cake",
    "verbs/commerce_verbs": "sold bought",
    "verbs/interaction_verbs": "met",
    "verbs/driving_verbs": "drove",
    "verbs/eating_verbs": "ate",
}
PEOPLE = [
    {"bio": f"{who} {i} works.", "job": job, "sex": sex, "one": 1, "which": ("train", "dev", "test")[i % 3]}
    for i in range(10)
    for who, sex in (("She", "F"), ("He", "M"))
    for job in ("pilot", "nurse")
]
ANSWERS = ("yes", "maybe", "no")
ALIKE: list[dict[str, Any]] = [
    {"a": f"A {who} eats {i}.", "b": f"One eats {i}.", "score": i % 5, "answer": ANSWERS[i % 3]}
    for i, who in enumerate(["man", "woman"] * 10)
]
NURSE = {"text": "A nurse eats.", "occupation": "nurse", "template": "e"}
BIAS_ITEMS = [
    {**NURSE, "second": f"A {who} eats.", "gender": sex} for who, sex in (("woman", "f"), ("man", "m"))
]
SIDES = {"text": "a", "second": "b"}
LABELS = {"contradiction": ["no"], "entailment": ["yes"], "neutral": ["maybe"]}
TABLES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "people": ("occupations", PEOPLE, {"columns": {"text": "bio", "label": "job", "gender": "sex"}}),
    "similarity": ("similarity", ALIKE, {"columns": {**SIDES, "label": "score"}, "scale": [0, 4]}),
    "entailment": ("entailment", ALIKE, {"columns": {**SIDES, "label": "answer"}, "labels": LABELS}),
}


def archive(without: str = "\0", more: Mapping[str, str] | None = None) -> bytes:
    """The authors' lists, but for those whose names begin so, and more."""
    content = io.BytesIO()
    lists = {name: words for name, words in LISTS.items() if not name.startswith(without)}
    with tarfile.open(fileobj=content, mode="w:gz") as file:
        for name, words in (lists | dict(more or {})).items():
            body = "\n".join(words.split()).encode()
            info = tarfile.TarInfo(f"repository-e39da89/word_lists/{name}")
            info.size = len(body)
            file.addfile(info, io.BytesIO(body))
    return content.getvalue()


PARTS = {"bias-in-bios": BIOS, "stsb": STS, "mnli": NLI}
"""Rows of train, dev and test."""
BESIDE: dict[str, dict[str, Any]] = {
    "stsb": RESOURCES,
    "mnli": {"lists": archive()},
    "similarity": RESOURCES,
    "entailment": {"bias": BIAS_ITEMS},
}


def write(path: Path, content: Any, columns: Any) -> Path:
    """A file of a table (rows of these columns as Parquet, mappings as CSV), of text or of bytes."""
    if isinstance(content, Path):
        return content
    if isinstance(content, list) and isinstance(content[0], list):
        path = path.with_suffix(".parquet")
        pd.DataFrame(content, columns=columns).to_parquet(path)
    elif isinstance(content, list):
        path = path.with_suffix(".csv")
        pd.DataFrame(content).to_csv(path, index=False)
    elif isinstance(content, bytes):
        path = path.with_suffix(".tgz")
        path.write_bytes(content)
    else:
        path.write_text(content)
    return path


def read_task(folder: Path, task: str, settings: Mapping[str, Any] | None = None, **files: Any) -> Any:
    """What the job writes, or its error. A file is a path or what `write` takes; None leaves it out."""
    good: dict[str, Any] = {}
    entry: dict[str, Any] = {"format": task}
    if task in PARTS:
        good = dict.fromkeys(("train", "dev", "test"), PARTS[task]) | BESIDE.get(task, {})
    elif task in TABLES:
        kind, rows, stated = TABLES[task]
        entry = {"format": "table", "kind": kind, **stated}
        good = {"train": rows} | BESIDE.get(task, {})
    given = {name: content for name, content in {**good, **files}.items() if content is not None}
    paths = {name: write(folder / f"{name}.txt", of, COLUMNS.get(task)) for name, of in given.items()}
    if task in TABLES:
        entry["files"] = {name: {"path": str(path)} for name, path in paths.items() if name != "words"}
    models = {"m": {"source": "hub", "repo": "a/b"}}
    tasks = {"t": entry | dict(settings or {})}
    completed = complete({"study": "x", "models": models, "downstream": {"tasks": tasks}})
    entry = with_preset(completed["downstream"]["tasks"]["t"], PRESETS)
    outputs, log = {key: folder / f"{key}.out" for key in ("examples", "items_table")}, folder / "log"
    try:
        run_script("read_task", paths, outputs, log, wildcards={"task": "t"}, entry=entry)
    except SystemExit:
        assert not any(path.exists() for path in outputs.values())
        (line,) = re.findall("error: (.*)", log.read_text())
        return line
    facts = read_metadata(outputs["items_table"])
    examples, items = (pd.read_parquet(path) for path in outputs.values())
    return SimpleNamespace(examples=examples, items=items, **facts)


PRESETS = read_config(ROOT / "resources/downstream/tasks.yaml")


def files_of(*names: str) -> dict[str, dict[str, str]]:
    """As an entry has them."""
    return {name: {"path": f"{name}.txt"} for name in names}


def part(task: Any, name: str) -> pd.DataFrame:
    items: pd.DataFrame = task.items
    return items[items["part"] == name].reset_index(drop=True)


CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/tasks.yaml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["line"][:30])
def test_a_bad_file_is_one_line(tmp_path: Path, case: dict[str, Any]) -> None:
    files: dict[str, Any] = {
        name: case[name]
        for name in ("train", "dev", "test", "occupations", "frames", "lists")
        if name in case
    }
    if {"without", "more", "damaged"} & case.keys():
        lists = bytearray(archive(case.get("without", "\0"), case.get("more")))
        for place in case.get("damaged", ()):
            lists[place] ^= 255
        files["lists"] = bytes(lists)
    if "first" in case:
        files["train"] = [{**PEOPLE[0], **case["first"]}, *PEOPLE[1:]]
    if "bias" in case:
        files["bias"] = case["bias"] and [BIAS_ITEMS[i] for i in case["bias"]]
    line = read_task(tmp_path, case["task"], case.get("settings"), **files)
    assert line.startswith("task t: ") and case["line"] in line


def test_biographies(tmp_path: Path) -> None:
    """Texts of published tasks are read as they are: STS-B has "Treasury\\x12s"."""
    dev = ["x", " ", None, "Treasury\x12s plan", "a\ufffd", "b\r\nc"]
    rows = [*BIOS, ["She cuts.", 25, 1]]
    task = read_task(tmp_path, "bias-in-bios", train=rows, dev=[[text, 13, 1] for text in dev])
    assert len(task.labels) == 28 and list(task.labels) == sorted(task.labels)
    parts = task.examples.groupby("part", sort=False)
    assert {part: list(of["label"]) for part, of in parts} == {"train": [13, 13, 25, 13, 25], "dev": [13] * 4}
    assert list(task.examples["text"])[5:] == [text for text in dev if text and text.strip()]
    assert list(task.examples["gender"])[:5] == ["female", "female", "male", "male", "female"]
    assert list(task.items["occupation"]) == ["nurse", "nurse", "surgeon", "nurse"]
    assert list(task.items["female_share"]) == pytest.approx([200 / 3, 200 / 3, 50, 200 / 3])
    for remark in ("2 rows of dev have no text", "test is accountant", "surgeon has no female"):
        assert any(remark in each for each in task.remarks)
    assert (task.task, task.kind) == ("t", "occupations")
    assert task.source["train"]["repo"] == "LabHC/bias_in_bios"


@pytest.mark.parametrize("public", [True, False])
def test_similarity(tmp_path: Path, public: bool) -> None:
    tested = [[*sides, 5.0 - score if public else -1.0] for *sides, score in STS]
    dev = "".join(f"g\tf\ty\t{i}\t{score}\t{one}\t{two}\tsource\n" for i, (one, two, score) in enumerate(STS))
    task = read_task(tmp_path, "stsb", dev=dev, test=tested)
    assert task.examples[["text", "second"]].to_numpy().tolist() == [sides for *sides, _ in STS * 2]
    assert list(task.examples["label"]) == pytest.approx([1, 0.8, 0.6, 0.4, 0] * 2)
    scores = [0, 0.2, 0.4, 0.6, 1] if public else [1, 0.8, 0.6, 0.4, 0]
    assert list(part(task, "test")["label"]) == pytest.approx(scores)
    assert any("not public: accuracy is that on dev" in remark for remark in task.remarks) != public
    # a template of each sentence about one person, for sixty occupations and two genders
    bias = part(task, "bias")
    assert len(bias) == 3 * 60 * 2 and bias["label"].isna().all() and task.labels is None
    engineer = bias[(bias["occupation"] == "engineer") & bias["second"].str.endswith("'s hand.")]
    assert list(engineer["text"]) == ["A woman's hand.", "A man's hand."]
    assert list(engineer["gender"]) == ["female", "male"]
    assert set(engineer["second"]) == {"An engineer's hand."} and set(engineer["female_share"]) == {10.72}
    twins = read_task(tmp_path, "stsb", test=[["A man is here.", "A woman is here.", 1.0]])
    assert any("1 of 2 templates are there twice" in remark for remark in twins.remarks)
    # articles follow the sound
    jobs = ["An usher", "A user", "An heir", "A one-man band", "A European", "An uncle", "A urologist"]
    listed = "\n".join(["occupation", *(job.partition(" ")[2] for job in jobs)])
    bias = part(read_task(tmp_path, "stsb", occupations=f"{listed}\n"), "bias")
    assert {*bias["second"].str.removesuffix(" is here.")} > {*jobs}


@pytest.mark.parametrize("of_user", [False, True])
def test_entailment(tmp_path: Path, of_user: bool) -> None:
    settings: dict[str, Any] = {}
    files: dict[str, Any] = {}
    things = ["an apple", "a bagel", "a cake", "a bus", "an automobile"]
    frames = [f"{verb} {thing} ." for verb in ("sold", "bought") for thing in things]
    frames += [f"met {person} ." for person in ("a guest", "an adult", "a queen")]
    frames += [f"drove {thing} ." for thing in things[3:]] + [f"ate {thing} ." for thing in things[:3]]
    if of_user:
        frames = ["ate a bagel .", "sold a bus ."]
        files = {"lists": None, "frames": "ate a bagel .\n\nsold a bus .\n"}
        files["occupations"] = "occupation\nengineer\nnurse\n"
        settings["files"] = files_of("train", "dev", "test", "frames", "occupations")
    task = read_task(tmp_path, "mnli", settings, **files)
    assert ("lists" in task.source) != of_user
    expected = {
        (f"{job} {frame}", f"A {word} {frame}", gender, job.partition(" ")[2])
        for frame, job in product(frames, ("An engineer", "A nurse"))
        for word, gender in (("woman", "female"), ("man", "male"))
    }
    bias = part(task, "bias")
    columns = ["text", "second", "gender", "occupation"]
    assert set(bias[columns].itertuples(index=False, name=None)) == expected and len(bias) == len(expected)
    for _, pair in bias.groupby(["template", "occupation"]):
        assert list(pair["gender"]) == ["female", "male"] and pair["text"].nunique() == 1
    counted = "18 frames and 2 occupations, not the paper's 1968 and 164"
    assert any(counted in remark for remark in task.remarks) != of_user
    assert list(task.labels) == ["entailment", "neutral", "contradiction"]
    with pytest.raises(InputError, match="files: frames need occupations"):
        read_task(tmp_path, "mnli", {"files": files_of("frames")})


def test_a_sample_keeps_pairs_whole_and_follows_the_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read_task(tmp_path, "stsb").items
    monkeypatch.setattr(downstream_read_task, "SAMPLE", 4)
    one, same, other = (read_task(tmp_path, "stsb", {"seed": seed}).items for seed in (0, 0, 1))
    assert one.equals(same) and not one.equals(other) and whole["sampled"].all()
    assert one.groupby("part")["sampled"].sum().to_dict() == {"bias": 8, "test": 4}
    pairs = one[one["part"] == "bias"].groupby(["template", "occupation"])["sampled"].sum()
    assert set(pairs) == {0, 2}


@pytest.mark.parametrize("by_column", [False, True])
def test_a_table_of_people(tmp_path: Path, by_column: bool) -> None:
    columns = {"text": "bio", "label": "job", "gender": "sex"} | ({"part": "which"} if by_column else {})
    rows = [dict(row) for row in PEOPLE]
    # one to train on, one of the test
    rows[1]["sex"] = rows[8]["sex"] = ""
    settings = [{"columns": columns, "seed": seed} for seed in (0, 0, 5)]
    task, same, other = (read_task(tmp_path, "people", each, train=rows) for each in settings)
    assert task.items.equals(same.items) and task.items.equals(other.items) == by_column
    assert sorted([*task.examples["text"], *task.items["text"]]) == sorted(row["bio"] for row in rows)
    assert list(task.labels) == ["nurse", "pilot"]
    if by_column:
        assert list(task.items["text"]) == [row["bio"] for row in rows if row["which"] == "test"]
        assert list(task.items["occupation"]) == [row["job"] for row in rows if row["which"] == "test"]
        # a file is of its part, whatever its column says
        with_dev = read_task(tmp_path, "people", settings[0], train=rows, dev=PEOPLE)
        assert list(with_dev.examples["part"].value_counts()) == [52, 16]
        shares = task.items.groupby("occupation")["female_share"].first()
        assert shares.to_dict() == pytest.approx({"nurse": 300 / 7, "pilot": 50})
        assert task.items["gender"].isna().sum() == 1 and "1 of 12 people of the test" in task.remarks[0]
    else:
        assert list(task.examples["part"].value_counts()) == [28, 4] and len(task.items) == 8


def test_a_table_of_two_sentences(tmp_path: Path) -> None:
    task = read_task(tmp_path, "entailment")
    # the numbers are those of entailment, in whatever order labels are named
    assert list(task.labels) == ["entailment", "neutral", "contradiction"]
    number = {row["a"]: ANSWERS.index(row["answer"]) for row in ALIKE}
    assert [number[text] for text in task.examples["text"]] == list(task.examples["label"])
    assert list(part(task, "bias")["gender"]) == ["female", "male"]
    rows = [{**row, "score": row["score"] + 1} for row in ALIKE]
    task = read_task(tmp_path, "similarity", {"scale": [1, 5]}, train=rows)
    assert set(task.examples["label"]) == {0, 0.25, 0.5, 0.75, 1} and task.labels is None
    assert list(task.items["part"].value_counts()) == [4 * 60 * 2, 4]


def test_real_sentences_and_occupations(tmp_path: Path) -> None:
    test, dev = (real_data("nli_sts", f"stsb_{name}_captions_ccbysa.csv") for name in ("test", "dev"))
    bias = part(read_task(tmp_path, "stsb", train=dev, dev=dev, test=test), "bias")
    lists = [real_data("word_lists", "gn_glove", f"{side}_word_file.txt") for side in ("female", "male")]
    gendered = {word for path in lists for word in path.read_text().split()}
    sentences = {
        text for line in test.read_text(encoding="utf-8").splitlines() for text in line.split("\t")[5:7]
    }
    about = [text for text in sentences if re.match(r"A (man|woman)\b", text)]
    alone = {
        text for text in about if sum(word in gendered for word in re.findall("[a-z]+", text.lower())) < 2
    }
    assert len(alone) == 65 and len(bias) == 65 * 60 * 2 and alone <= set(bias["text"])
    shares = pd.read_csv(real_data("word_lists", "winogender", "occupations-stats.tsv"), sep="\t")
    expected = dict(zip(shares["occupation"], shares["bls_pct_female"], strict=True))
    assert bias.drop_duplicates("occupation").set_index("occupation")["female_share"].to_dict() == expected
