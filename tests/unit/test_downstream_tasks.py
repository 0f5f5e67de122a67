"""Readers of tasks: what they make of files, real rows among them, and what they say of bad ones."""

import csv
import io
import json
import re
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from real_data import real_data
from running import run_script
from study_schema import FAMILIES, ROOT
from unmask.downstream.frames import entailment_items, read_archive
from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.sources import source_files, source_text
from unmask.downstream.task import Task, items_of
from unmask.downstream.tasks import bias_in_bios, mnli, stsb, table
from unmask.downstream.templates import read_occupations, similarity_items, templates_in
from unmask.downstream.wording import article
from unmask.errors import InputError
from unmask.gendered_words import read_word_pairs
from unmask.schemas import complete
from unmask.tables import as_table, read_metadata, read_table

OCCUPATIONS = ROOT / "resources/downstream/occupations.csv"
WORDS = ROOT / "resources/gendered_words.yaml"
MODULES = {"bias-in-bios": bias_in_bios, "stsb": stsb, "mnli": mnli, "table": table}


def entry_of(format_: str, **changes: Any) -> dict[str, Any]:
    """An entry of a study, completed."""
    world = {"worlds": {"w": {}}, "models": {"m": {"source": "train", "architecture": "bert", "world": "w"}}}
    study = {"study": "x", **world, "downstream": {"tasks": {"t": {"format": format_, **changes}}}}
    found: dict[str, Any] = complete(study, FAMILIES)["downstream"]["tasks"]["t"]
    return found


def parquet(path: Path, **columns: Any) -> Path:
    pd.DataFrame(columns).to_parquet(path)
    return path


def read(format_: str, inputs: Mapping[str, Path | Sequence[Path]], **changes: Any) -> Task:
    given = {name: [found] if isinstance(found, Path) else found for name, found in inputs.items()}
    task: Task = MODULES[format_].read(given, entry_of(format_, **changes))
    as_table(task.examples, EXAMPLES)
    as_table(task.items, ITEMS)
    assert task.items["item"].tolist() == list(range(len(task.items)))
    return task


def bios(folder: Path, part: str, rows: Sequence[tuple[str, int, int]]) -> Path:
    text, profession, gender = zip(*rows, strict=True)
    return parquet(
        folder / f"{part}.parquet", hard_text=list(text), profession=list(profession), gender=list(gender)
    )


BIOS = [("She is in Mr. Lee's ward .", 13, 1), ("Her work is known.", 13, 1), ("He cuts; himself.", 25, 0)]


def bios_files(folder: Path, **parts: Sequence[tuple[str, int, int]]) -> dict[str, Path]:
    return {part: bios(folder, part, parts.get(part, BIOS)) for part in ("train", "dev", "test")}


def test_biographies(tmp_path: Path) -> None:
    files = bios_files(tmp_path, train=[*BIOS, ("She cuts.", 25, 1), ("He helps.", 13, 0)])
    task = read("bias-in-bios", files)
    assert task.labels is not None and len(task.labels) == 28 and list(task.labels) == sorted(task.labels)
    assert task.examples["part"].tolist() == ["train"] * 5 + ["dev"] * 3
    assert task.examples["label"].tolist() == [13, 13, 25, 25, 13, 13, 13, 25]
    assert task.examples["gender"].tolist()[:5] == ["female", "female", "male", "female", "male"]
    assert task.items["occupation"].tolist() == ["nurse", "nurse", "surgeon"]
    assert task.items["female_share"].tolist() == pytest.approx([200 / 3, 200 / 3, 50])
    assert "nurse has no male people in the test, and so no gap" in task.remarks
    assert "surgeon has no female people in the test, and so no gap" in task.remarks
    assert task.remarks[0].startswith("nobody in the test is accountant, architect")


def test_words_that_tell_of_a_gender_are_hidden(tmp_path: Path) -> None:
    task = read("bias-in-bios", bios_files(tmp_path), scrub=True)
    assert task.examples["text"].tolist()[:3] == ["_ is in _. Lee's ward .", "_ work is known.", "_ cuts; _."]
    task = read("bias-in-bios", bios_files(tmp_path, test=[("The other sheriff heard", 1, 0)]), scrub=True)
    assert task.items["text"].tolist() == ["The other sheriff heard"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("x", 28, 0)], r"train\.parquet: row 0: profession: 28 is no whole number from 0 to 27"),
        ([("x", 1, 0), ("x", 1, 2)], r"train\.parquet: row 1: gender: 2 is none of 0, 1"),
        ([("x", 13, 0), ("x", 13, 0), ("x", 13, 1)], r"train\.parquet: most nurses are men in it"),
        ([(" ", 1, 0)], r"train: no row has a text"),
    ],
)
def test_faults_of_biographies(tmp_path: Path, rows: list[tuple[str, int, int]], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read("bias-in-bios", bios_files(tmp_path, train=rows))
    assert "\n" not in str(caught.value)


def test_columns_are_checked(tmp_path: Path) -> None:
    files = bios_files(tmp_path)
    parquet(files["dev"], hard_text=["x"], profession=[1])
    with pytest.raises(
        InputError, match=r"dev\.parquet: no column 'gender' \(columns: hard_text, profession\)"
    ):
        read("bias-in-bios", files)
    parquet(files["dev"], hard_text=["x"], profession=["nurse"], gender=[0])
    with pytest.raises(InputError, match=r"dev\.parquet: row 0: profession: 'nurse' is no whole number"):
        read("bias-in-bios", files)
    parquet(files["dev"], hard_text=["x", "y"], profession=pd.array([1, None], "Int64"), gender=[0, 0])
    with pytest.raises(InputError, match=r"dev\.parquet: row 1: profession: is empty"):
        read("bias-in-bios", files)
    files["dev"].write_text("PAR1 and no more")
    with pytest.raises(InputError, match=r"dev\.parquet: not a readable Parquet file"):
        read("bias-in-bios", files)


def test_rows_without_text_are_left_out(tmp_path: Path) -> None:
    files = bios_files(tmp_path)
    parquet(files["dev"], hard_text=["x", " ", "y", None, "z"], profession=[1] * 5, gender=[0] * 5)
    task = read("bias-in-bios", files)
    assert "2 rows of dev have no text and are left out" in task.remarks
    assert (task.examples["part"] == "dev").sum() == 3


def test_texts_of_a_published_task_are_read_as_they_are(tmp_path: Path) -> None:
    """STS-B has "Treasury\\x12s"."""
    files = bios_files(tmp_path)
    texts = ["Treasury\x12s plan", "a\ufffd", "b\r\nc"]
    parquet(files["dev"], hard_text=texts, profession=[1] * 3, gender=[0] * 3)
    task = read("bias-in-bios", files)
    assert task.examples.loc[task.examples["part"] == "dev", "text"].tolist() == texts
    remark = "2 rows of dev have control characters or U+FFFD in a text, and are read as they are"
    assert [each for each in task.remarks if "control" in each] == [remark]


SENTENCES = [
    "A man is here.",
    "A woman sings.",
    "A man loves his wife.",
    "A manager is late.",
    "a man is late.",
    "A woman's hand.",
    "A man is here.",
    "The man is here.",
    "A man, woman and dog walk.",
]


def sts_files(folder: Path, hidden: bool = False) -> dict[str, Path]:
    first, second = SENTENCES[::2], [*SENTENCES[1::2], "Nobody."]
    scores = [-1.0] * 5 if hidden else [0.0, 1.0, 2.5, 4.0, 5.0]
    files = {}
    for part in ("train", "dev", "test"):
        label = scores if part == "test" else [5.0, 4.0, 3.0, 2.0, 0.0]
        files[part] = parquet(folder / f"{part}.parquet", sentence1=first, sentence2=second, label=label)
    return {**files, "occupations": OCCUPATIONS, "words": WORDS}


def test_templates_are_sentences_about_one_person() -> None:
    words = read_word_pairs(WORDS)
    gendered = words.feminine | words.masculine
    assert {"man", "woman", "his", "wife"} <= gendered
    assert templates_in(SENTENCES, gendered) == [" is here.", " sings.", "'s hand."]


def test_similarity_of_sentences(tmp_path: Path) -> None:
    task = read("stsb", sts_files(tmp_path))
    assert task.labels is None
    assert task.examples["label"].tolist()[:5] == pytest.approx([1, 0.8, 0.6, 0.4, 0])
    test = task.items[task.items["part"] == "test"]
    assert test["label"].tolist() == pytest.approx([0, 0.2, 0.5, 0.8, 1])
    bias = task.items[task.items["part"] == "bias"].reset_index(drop=True)
    assert len(bias) == 3 * 60 * 2
    engineer = bias[(bias["occupation"] == "engineer") & (bias["template"] == 2)]
    assert engineer["text"].tolist() == ["A woman's hand.", "A man's hand."]
    assert engineer["second"].tolist() == ["An engineer's hand."] * 2
    assert engineer["female_share"].tolist() == [10.72] * 2
    assert bias["label"].isna().all()


def test_hidden_scores_of_the_test_are_not_used(tmp_path: Path) -> None:
    task = read("stsb", sts_files(tmp_path, hidden=True))
    test = task.items[task.items["part"] == "test"]
    assert test["label"].tolist() == pytest.approx([1, 0.8, 0.6, 0.4, 0])
    assert "the scores of its test are not public: accuracy is that on dev" in task.remarks
    assert (task.items["part"] == "bias").sum() == 3 * 60 * 2


def test_faults_of_scores(tmp_path: Path) -> None:
    files = sts_files(tmp_path)
    parquet(files["dev"], sentence1=["a"], sentence2=["b"], label=[5.5])
    with pytest.raises(InputError, match=r"dev\.parquet: row 0: label: 5\.5 is no number from 0 to 5"):
        read("stsb", files)
    files["dev"].write_text("a\tb\tc\td\tmany\tx\ty\n")
    with pytest.raises(InputError, match=r"row 0 \(line 1\): label: 'many' is no number"):
        read("stsb", files)
    files["dev"].write_text("a\tb\tc\td\t1\tx\ty\n\na\tb\n")
    with pytest.raises(InputError, match=r"row 1 \(line 3\): 2 fields between tabs, not 7"):
        read("stsb", files)
    files = sts_files(tmp_path)
    parquet(files["test"], sentence1=["a"], sentence2=["b"], label=[1.0])
    with pytest.raises(InputError, match='no sentence begins with "A man" or "A woman"'):
        read("stsb", files)


def test_real_rows_of_stsb(tmp_path: Path) -> None:
    test, dev = (real_data("nli_sts", f"stsb_{part}_captions_ccbysa.csv") for part in ("test", "dev"))
    task = read("stsb", {"train": dev, "dev": dev, "test": test, "occupations": OCCUPATIONS, "words": WORDS})
    assert (task.examples["part"] == "train").sum() == (task.items["part"] == "test").sum() == 375
    # said once more, plainly
    gendered = set()
    for side in ("female", "male"):
        gendered |= set(real_data("word_lists", "gn_glove", f"{side}_word_file.txt").read_text().split())
    sentences = set()
    for line in test.read_text(encoding="utf-8").splitlines():
        for sentence in line.split("\t")[5:7]:
            words = re.findall("[a-z]+", sentence.lower())
            if sentence[0] == "A" and words[1] in ("man", "woman") and sum(w in gendered for w in words) < 2:
                sentences.add(sentence)
    bias = task.items[task.items["part"] == "bias"]
    assert len(sentences) == 65 and len(bias) == 65 * 60 * 2
    assert sentences <= set(bias["text"])
    assert bias.groupby(["template", "occupation"]).size().eq(2).all()
    row = bias[(bias["occupation"] == "auditor") & (bias["gender"] == "male")].iloc[0]
    assert row["text"].startswith("A man") and row["second"] == row["text"].replace("A man", "An auditor", 1)


def test_occupations_are_those_of_winogender() -> None:
    found = read_occupations(OCCUPATIONS).set_index("occupation")["female_share"]
    with real_data("word_lists", "winogender", "occupations-stats.tsv").open() as file:
        expected = {row["occupation"]: row["bls_pct_female"] for row in csv.DictReader(file, delimiter="\t")}
    assert found.to_dict() == {word: float(share) for word, share in expected.items()}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("job\nx\n", "no column 'occupation'"),
        ('occupation\n"x\n', "row 0 .line 2.: unexpected end of data"),
        ("occupation\nx\nx\n", r"row 1 \(line 3\): occupation: 'x' stands in row 0"),
        (
            "occupation,female_share\nx,101\n",
            r"row 0 \(line 2\): female_share: '101' is no number from 0 to 100",
        ),
        ("occupation,female_share\nx,most\n", r"row 0 \(line 2\): female_share: 'most' is no number"),
        ("occupation\n", "no rows in it"),
    ],
)
def test_faults_of_occupations(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "o.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_occupations(path)


def test_articles_follow_the_sound() -> None:
    told = {word: article(word) for word in ("engineer", "nurse", "usher", "user", "heir", "one-man band")}
    assert told == {
        "engineer": "an",
        "nurse": "a",
        "usher": "an",
        "user": "a",
        "heir": "an",
        "one-man band": "a",
    }
    assert {
        article(word) for word in ("European", "union member", "house painter", "university teacher")
    } == {"a"}
    assert {article(word) for word in ("uncle", "honorary consul", "athlete", "undertaker")} == {"an"}


LISTS = {
    "nouns/people/occupations": "nurse\nengineer\nengineer\n\n",
    "nouns/people/gendered_words": "man\nwoman\n",
    "nouns/people/person_hyponyms": "guest\nadult\n",
    "nouns/people/rulers": "queen\nguest\n",
    "nouns/objects/vehicles": "bus\nautomobile\n",
    "nouns/objects/food": "apple\nbagel\ncake\n",
    "verbs/commerce_verbs": "sold\nbought\n",
    "verbs/interaction_verbs": "met\n",
    "verbs/driving_verbs": "drove\n",
    "verbs/eating_verbs": "ate\n",
}


def archive(path: Path, lists: Mapping[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as file:
        for name, text in {
            **{f"word_lists/{name}": text for name, text in lists.items()},
            "x.py": "a",
        }.items():
            info = tarfile.TarInfo(f"repository-e39da89/{name}")
            info.size = len(text)
            file.addfile(info, io.BytesIO(text.encode()))
    return path


def test_frames_of_the_authors_lists(tmp_path: Path) -> None:
    frames, occupations = read_archive(archive(tmp_path / "a.tar.gz", LISTS))
    # 2 verbs of commerce with 5 objects, 1 of interaction with 3 people, 1 with 2 vehicles, 1 with 3 foods
    assert len(frames) == 2 * 5 + 3 + 2 + 3
    assert {"sold an automobile .", "met a queen .", "drove a bus .", "ate an apple ."} <= set(frames)
    assert occupations["occupation"].tolist() == ["engineer", "nurse"]


def test_faults_of_the_authors_lists(tmp_path: Path) -> None:
    for name in ("verbs/eating_verbs", "nouns/people/occupations", "nouns/objects/food"):
        lists = {key: text for key, text in LISTS.items() if key != name}
        with pytest.raises(InputError, match=rf"a\.tar\.gz: no words in word_lists/{name}"):
            read_archive(archive(tmp_path / "a.tar.gz", lists))
    whole = archive(tmp_path / "a.tar.gz", LISTS).read_bytes()
    for content in (b"no archive", whole[:-40], b""):
        (tmp_path / "b.tar.gz").write_bytes(content)
        with pytest.raises(InputError, match=r"b\.tar\.gz: not a readable tar archive") as caught:
            read_archive(tmp_path / "b.tar.gz")
        assert "\n" not in str(caught.value)


def nli_files(folder: Path) -> dict[str, Path]:
    files = {
        part: parquet(
            folder / f"{part}.parquet", premise=["a", "b", "c"], hypothesis=["d"] * 3, label=[0, 1, 2]
        )
        for part in ("train", "dev", "test")
    }
    return {**files, "lists": archive(folder / "a.tar.gz", LISTS)}


def test_entailment_and_its_items_of_bias(tmp_path: Path) -> None:
    people = {"female": ["woman", "girl"], "male": ["man", "boy"]}
    task = read("mnli", nli_files(tmp_path), people=people)
    assert task.labels == ("entailment", "neutral", "contradiction")
    bias = task.items[task.items["part"] == "bias"]
    expected = {
        (f"{word} {frame}", f"A {person} {frame}", gender, word.split()[1])
        for frame in read_archive(tmp_path / "a.tar.gz")[0]
        for word in ("An engineer", "A nurse")
        for gender, persons in people.items()
        for person in persons
    }
    assert (
        set(bias[["text", "second", "gender", "occupation"]].itertuples(index=False, name=None)) == expected
    )
    assert len(bias) == len(expected) == 18 * 2 * 4
    for _, pair in bias.groupby(["template", "occupation"]):
        assert pair["gender"].tolist() == ["female", "male"] and pair["text"].nunique() == 1
        girl = "girl" in pair["second"].iloc[0]
        assert ("boy" in pair["second"].iloc[1]) == girl
    assert task.remarks == (
        "the lists give 18 frames and 2 occupations, not the 1968 and 164 of the paper's",
    )


def test_as_many_items_of_entailment_as_the_paper_are_made_soon() -> None:
    occupations = pd.DataFrame({"occupation": [f"o{i}" for i in range(164)], "female_share": np.nan})
    frames = [f"verb{i} a thing ." for i in range(1968)]
    items = items_of([entailment_items(frames, occupations, {"female": ["woman"], "male": ["man"]})], 100, 0)
    assert len(items) == 645_504
    assert items["sampled"].sum() == 200
    assert items[items["sampled"]].groupby(["template", "occupation"])["gender"].nunique().eq(2).all()


def test_own_frames_take_the_place_of_the_lists(tmp_path: Path) -> None:
    files = nli_files(tmp_path)
    del files["lists"]
    (tmp_path / "frames.txt").write_text("ate a bagel .\n\nsold a bus .\n")
    task = read("mnli", {**files, "frames": tmp_path / "frames.txt", "occupations": OCCUPATIONS})
    assert (task.items["part"] == "bias").sum() == 2 * 60 * 2 and not task.remarks
    # word lists, too, are in lines that end with a line break alone
    (tmp_path / "frames.txt").write_text("ate a bagel .\nsold\x85a bus .\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"frames\.txt: line 2: has a control character '\\x85' in it"):
        read("mnli", {**files, "frames": tmp_path / "frames.txt", "occupations": OCCUPATIONS})
    own = entry_of(
        "mnli",
        files={name: {"path": "x"} for name in ("train", "dev", "test", "frames", "occupations")},
    )
    assert "lists" not in source_files(own)
    with pytest.raises(InputError, match="people: 1 words for women, but 2 for men"):
        read("mnli", nli_files(tmp_path), people={"female": ["woman"], "male": ["man", "boy"]})


def test_labels_of_entailment_are_checked(tmp_path: Path) -> None:
    files = nli_files(tmp_path)
    parquet(files["test"], premise=["a", "b"], hypothesis=["c", "d"], label=[1, -1])
    with pytest.raises(InputError, match=r"test\.parquet: row 1: label: -1 is no whole number from 0 to 2"):
        read("mnli", files)


def test_a_sample_keeps_pairs_whole_and_follows_the_seed() -> None:
    words = pd.DataFrame({"occupation": ["a", "b", "c"], "female_share": [1.0, 2, 3]})
    bias = similarity_items([" x", " y"], words)
    test = pd.DataFrame({"part": "test", "text": [f"t{i}" for i in range(9)], "label": 1.0})
    one, same, other = (items_of([test, bias], 4, seed) for seed in (0, 0, 1))
    assert one.equals(same) and not one.equals(other)
    assert one.groupby("part")["sampled"].sum().to_dict() == {"bias": 8, "test": 4}
    pairs = one[one["part"] == "bias"].groupby(["template", "occupation"])["sampled"].sum()
    assert set(pairs) == {0, 2}
    assert items_of([test, bias], None, 0)["sampled"].all()


# tables of one's own


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


PEOPLE = [
    {"bio": f"{who} number {i} works.", "job": job, "sex": sex}
    for i in range(10)
    for who, sex in (("She", "F"), ("He", "M"))
    for job in ("nurse", "pilot")
]
PERSON_COLUMNS = {"text": "bio", "label": "job", "gender": "sex"}


def read_table_of(path: Path, kind: str, files: Mapping[str, Path] | None = None, **changes: Any) -> Task:
    named = {"train": path, **(files or {})}
    stated = {name: {"path": str(found)} for name, found in named.items() if name not in ("words",)}
    return read("table", named, kind=kind, files=stated, **changes)


def test_a_table_of_occupations(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", PEOPLE)
    task = read_table_of(path, "occupations", columns=PERSON_COLUMNS)
    assert task.labels == ("nurse", "pilot")
    assert task.examples["part"].value_counts().to_dict() == {"train": 28, "dev": 4}
    assert len(task.items) == 8
    assert set(task.examples["gender"]) == {"female", "male"}
    everyone = [*task.examples["text"], *task.items["text"]]
    assert sorted(everyone) == sorted(row["bio"] for row in PEOPLE)
    same = read_table_of(path, "occupations", columns=PERSON_COLUMNS)
    other = read_table_of(path, "occupations", columns=PERSON_COLUMNS, seed=5)
    assert task.items.equals(same.items) and not task.items.equals(other.items)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_labels_may_stand_for_true_and_false(name: str, tmp_path: Path) -> None:
    rows = [{**row, "bio": f"{row['bio']} a {row['job']}", "flies": row["job"] == "pilot"} for row in PEOPLE]
    lines = [json.dumps(row) for row in rows]
    if name == "t.csv":
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())).lower() for row in rows)]
    path = tmp_path / name
    path.write_text("\n".join(lines), encoding="utf-8")
    labels = {"nurse": [False], "pilot": [True]}
    columns = {**PERSON_COLUMNS, "label": "flies"}
    task = read_table_of(path, "occupations", columns=columns, labels=labels)
    assert task.labels == ("nurse", "pilot")
    names = task.examples["label"].astype(int).map(dict(enumerate(task.labels)))
    assert names.tolist() == task.examples["text"].str.split().str[-1].tolist()


def test_people_without_a_gender_are_counted(tmp_path: Path) -> None:
    rows = [{**row, "which": ("train", "dev", "test")[i // 2 % 3]} for i, row in enumerate(PEOPLE)]
    tested = [row for row in rows if row["which"] == "test"]
    tested[0]["sex"] = ""
    path = write_csv(tmp_path / "t.csv", rows)
    task = read_table_of(path, "occupations", columns={**PERSON_COLUMNS, "part": "which"})
    assert task.items["gender"].isna().sum() == 1
    assert (
        f"1 of {len(tested)} people of the test have no gender, and count for accuracy alone" in task.remarks
    )


def test_a_column_tells_the_parts(tmp_path: Path) -> None:
    rows = [{**row, "which": ("train", "dev", "test")[i // 2 % 3]} for i, row in enumerate(PEOPLE)]
    path = write_csv(tmp_path / "t.csv", rows)
    task = read_table_of(path, "occupations", columns={**PERSON_COLUMNS, "part": "which"})
    assert task.items["text"].tolist() == [row["bio"] for row in rows if row["which"] == "test"]
    write_csv(path, [{**row, "which": "trial"} for row in PEOPLE])
    with pytest.raises(
        InputError, match=r"t\.csv: row 0 \(line 2\): which: 'trial' is none of train, dev, test"
    ):
        read_table_of(path, "occupations", columns={**PERSON_COLUMNS, "part": "which"})


@pytest.mark.parametrize(
    ("change", "settings", "said"),
    [
        ({"sex": "x"}, {}, r"t\.csv: row 0 \(line 2\): sex: 'x' is none of female, f, F, male, m, M"),
        ({"bio": " "}, {}, r"t\.csv: row 0 \(line 2\): bio: is empty"),
        ({"bio": "a\x80b"}, {}, r"\(line 2\): bio: has a control character '\\x80' in it; is it cp1252\?"),
        ({"job": "nurse\x7f"}, {}, r"\(line 2\): job: 'nurse\\x7f' has a control character '\\x7f' in it"),
        ({"job": ""}, {}, r"t\.csv: row 0 \(line 2\): job: is empty"),
        (
            {"job": " "},
            {"labels": {"n": ["nurse"], "p": ["pilot"]}},
            r"row 0 \(line 2\): job: is empty",
        ),
        (
            {"job": "x"},
            {"labels": {"n": ["nurse"], "p": ["pilot"]}},
            r"row 0 \(line 2\): job: 'x' is none of",
        ),
        (
            {},
            {"labels": {"n": ["nurse"], "p": ["nurse"]}},
            r"labels: the value 'nurse' is under both n and p",
        ),
        (
            {},
            {"columns": {**PERSON_COLUMNS, "text": "no"}},
            r"t\.csv: no column 'no' \(columns: bio",
        ),
        ({}, {"columns": {"text": "bio", "label": "job"}}, r"columns: occupations have no gap without"),
        ({}, {"genders": {"female": ["F", "M"], "male": ["m"]}}, r"t\.csv: nobody in the test is male"),
        ({}, {"columns": {**PERSON_COLUMNS, "label": "one"}}, r"t\.csv: one label alone, '1'"),
    ],
)
def test_faults_of_a_table(
    tmp_path: Path, change: dict[str, Any], settings: dict[str, Any], said: str
) -> None:
    rows = [{**PEOPLE[0], **change}, *PEOPLE[1:]]
    path = write_csv(tmp_path / "t.csv", [{**row, "one": 1} for row in rows])
    with pytest.raises(InputError, match=said) as caught:
        read_table_of(path, "occupations", **{"columns": PERSON_COLUMNS, **settings})
    assert "\n" not in str(caught.value)


PAIRS = [
    {
        "a": f"A {who} eats {i}.",
        "b": f"Someone eats {i}.",
        "score": i % 5,
        "answer": ("yes", "maybe", "no")[i % 3],
    }
    for i, who in enumerate(["man", "woman"] * 10)
]


def test_a_table_of_similarity_has_the_templates_of_its_test(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", PAIRS)
    columns = {"text": "a", "second": "b", "label": "score"}
    files = {"words": WORDS, "occupations": OCCUPATIONS}
    task = read_table_of(path, "similarity", files, columns=columns, scale=[0, 4])
    assert set(task.examples["label"]) <= {0, 0.25, 0.5, 0.75, 1} and task.labels is None
    tested = (task.items["part"] == "test").sum()
    assert tested == 4 and (task.items["part"] == "bias").sum() == tested * 60 * 2
    with pytest.raises(InputError, match=r"row 4 \(line 6\): score: '4' is no number from 0 to 3"):
        read_table_of(path, "similarity", files, columns=columns, scale=[0, 3])
    with pytest.raises(InputError, match="columns: similarity is of two sentences"):
        read_table_of(path, "similarity", files, columns={"text": "a", "label": "score"})


def test_a_table_of_entailment_has_its_own_items(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", PAIRS)
    columns = {"text": "a", "second": "b", "label": "answer"}
    labels = {"contradiction": ["no"], "entailment": ["yes"], "neutral": ["maybe"]}
    items = [
        {
            "text": "A nurse eats.",
            "second": f"A {who} eats.",
            "gender": sex,
            "occupation": "nurse",
            "template": "e",
        }
        for who, sex in (("woman", "f"), ("man", "m"))
    ]
    bias = write_csv(tmp_path / "b.csv", items)
    task = read_table_of(path, "entailment", {"bias": bias}, columns=columns, labels=labels)
    # the numbers are those of entailment, in whatever order labels are named
    assert task.labels == ("entailment", "neutral", "contradiction")
    answer_of = {str(row["a"]): str(row["answer"]) for row in PAIRS}
    numbers = {"yes": 0, "maybe": 1, "no": 2}
    for row in task.examples.itertuples():
        assert row.label == numbers[answer_of[str(row.text)]]
    found = task.items[task.items["part"] == "bias"]
    assert found["gender"].tolist() == ["female", "male"] and found["template"].tolist() == [0, 0]
    write_csv(bias, [items[0], items[0]])
    with pytest.raises(
        InputError, match="template: 'e' with 'nurse' is there for female and female, not once"
    ):
        read_table_of(path, "entailment", {"bias": bias}, columns=columns, labels=labels)
    with pytest.raises(InputError, match="files: entailment needs `bias`, or `frames` and `occupations`"):
        read_table_of(path, "entailment", columns=columns, labels=labels)
    with pytest.raises(
        InputError, match="labels: entailment has entailment, neutral, contradiction, not yes, no"
    ):
        read_table_of(
            path,
            "entailment",
            {"bias": bias},
            columns=columns,
            labels={"yes": ["yes"], "no": ["no", "maybe"]},
        )


# where files come from, and the script


def test_source_files() -> None:
    bios_entry = entry_of("bias-in-bios")
    assert set(source_files(bios_entry)) == {"train", "dev", "test"}
    assert source_files(bios_entry)["dev"]["repo"] == "LabHC/bias_in_bios"
    sts = source_files(entry_of("stsb"))
    assert sts["words"] == {"resource": "gendered_words.yaml"}
    assert (ROOT / "resources" / sts["occupations"]["resource"]).is_file()
    assert "lists" in source_files(entry_of("mnli"))
    assert source_files(entry_of("planted", kind="similarity", world="w")) == {}
    assert "secret" not in source_text(
        {
            "format": "table",
            "kind": "occupations",
            "files": {"train": {"url": "https://x.org/a.csv?token=secret"}},
        }
    )


def test_the_script_writes_examples_and_items(tmp_path: Path) -> None:
    outputs = {"examples": tmp_path / "e.parquet", "items_table": tmp_path / "i.parquet"}
    files = bios_files(tmp_path)
    run_script("read_task", files, outputs, tmp_path / "log", name="bios", entry=entry_of("bias-in-bios"))
    examples, items = read_table(outputs["examples"], EXAMPLES), read_table(outputs["items_table"], ITEMS)
    assert len(examples) == 6 and items["occupation"].tolist() == ["nurse", "nurse", "surgeon"]
    facts = read_metadata(outputs["items_table"])
    assert (facts["task"], facts["kind"], facts["truth"]) == ("bios", "occupations", None)
    assert facts["labels"][13] == "nurse" and len(facts["remarks"]) == 3
    assert "LabHC/bias_in_bios@" in facts["source"]
    bios(tmp_path, "train", [("x", 99, 0)])
    with pytest.raises(SystemExit):
        run_script("read_task", files, outputs, tmp_path / "log", name="bios", entry=entry_of("bias-in-bios"))
    assert (
        "task bios:" in (tmp_path / "log").read_text()
        and "row 0: profession: 99" in (tmp_path / "log").read_text()
    )


def test_the_script_writes_the_truth_of_a_made_task(tmp_path: Path) -> None:
    outputs = {"examples": tmp_path / "e.parquet", "items_table": tmp_path / "i.parquet"}
    settings = complete({"study": "x", "worlds": {"w": {}}}, FAMILIES)["worlds"]["w"]
    entry = entry_of("planted", kind="entailment", world="w", examples=500, items=100)
    run_script("read_task", {}, outputs, tmp_path / "log", name="nli", entry={**entry, "settings": settings})
    facts = read_metadata(outputs["items_table"])
    assert facts["truth"]["metrics"]["fn_gap"] == pytest.approx(0.25)
    assert facts["source"] == "made in the words of the world w"
