"""Models trained further: on sentences that they find likely, and as classifiers of a labelled table."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from library import (
    IGNORED,
    LIKELIHOODS,
    WORDS,
    InputError,
    check_model,
    fine_tune_on,
    further_training,
    likely_sentences,
    load_classifier,
    pick_device,
    predict,
    region_sentence,
    train_on,
    write_table,
)
from library import RegionalItems as Items
from running import about_model, run_script
from test_regional_prefixes import RUNTIME
from test_regional_prefixes import TEMPLATE as PREFIX
from test_regional_prefixes import WORDS as VOCABULARY
from tiny_models import tiny_model

TEMPLATE = "People in {region} are {word}."
NAMES = ["Oz", "the city", "the street", "the world", "my country"]
CPU = pick_device("cpu")


def likelihoods(of_word: dict[str, list[float]]) -> pd.DataFrame:
    """Those of NAMES, in the order of names and words, behind the rows of names alone."""
    rows: list[tuple[str, str | None, float]] = [(name, None, 0.0) for name in NAMES]
    rows += [(name, word, of_word[word][n]) for n, name in enumerate(NAMES) for word in of_word]
    frame = pd.DataFrame(rows, columns=["name", "word", "log_prob"])
    frame["word"] = frame["word"].astype("str")
    return frame.assign(tokens=3, unknown=0)


def test_the_likeliest_sentences_of_each_word() -> None:
    table = likelihoods({"lazy": [-3, -1, -2, -5, -4], "kind": [-1, -1, -1, -0.5, -1]})
    sentences = likely_sentences(table, ["kind", "lazy"], TEMPLATE, 2)
    assert [text for text, _ in sentences] == [
        "People in the world are kind.",
        # of those that are equally likely the first
        "People in Oz are kind.",
        "People in the city are lazy.",
        "People in the street are lazy.",
    ]
    for word, found in (("rude", 0), ("lazy", 5)):
        with pytest.raises(
            InputError, match=f"{found} regions are too few to take the 6 likeliest with '{word}'"
        ):
            likely_sentences(table, [word], TEMPLATE, 6)
    sentences.append(region_sentence("The {word} people of {region}.", "Oz", "very rich"))
    names = ["the world", "Oz", "the city", "the street", "Oz"]
    assert [text[slice(*name)] for text, name in sentences] == names


def entry(epochs: int, learning_rate: float, seed: int = 0) -> dict[str, Any]:
    return {"epochs": epochs, "learning_rate": learning_rate, "seed": seed}


SENTENCES = [
    region_sentence(TEMPLATE, name, word) for name in NAMES for word in ("lazy", "kind", "very rich")
]


def log_likelihood(directory: Path) -> float:
    """Mean log-probability of the tokens of SENTENCES, nothing hidden."""
    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModelForMaskedLM.from_pretrained(directory).eval()
    found: list[float] = []
    for text, _ in SENTENCES:
        ids = torch.tensor(tokenizer(text)["input_ids"])
        with torch.inference_mode():
            log_probs = model(input_ids=ids[None]).logits[0].log_softmax(-1)
        found += log_probs[range(len(ids)), ids][1:-1].tolist()
    return float(np.mean(found))


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_the_sentences_become_likelier_with_the_epochs(architecture: str, tmp_path: Path) -> None:
    base = tiny_model(architecture, tmp_path / "base")
    found = [log_likelihood(base)]
    for epochs in (4, 16):
        directory = tmp_path / str(epochs)
        facts = train_on(base, SENTENCES, directory, entry(epochs, 0.02), CPU)
        assert (facts["sentences"], facts["loss"][-1]["step"]) == (15, 2 * epochs)
        found.append(log_likelihood(directory))
        made, of_base = (check_model(each, "masked-lm", "tiny") for each in (directory, base))
        assert made["tokenizer_digest"] == of_base["tokenizer_digest"]
    assert found[0] < found[1] < found[2]
    losses = [tenth["loss"] for tenth in facts["loss"]]
    assert np.mean(losses[-3:]) < np.mean(losses[:3])


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_the_regions_name_is_hidden_whole_and_nothing_else(
    architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Token by token: those in place of masks are the name's, and read together they are the name."""
    base = tiny_model(architecture, tmp_path / "base")
    tokenizer = AutoTokenizer.from_pretrained(base)
    batches: list[Any] = []

    def collated(_: Any, examples: Any, collate: Any, *others: Any) -> list[Any]:
        batches.append(collate(examples))
        return []

    monkeypatch.setattr(further_training, "train", collated)
    train_on(base, SENTENCES, tmp_path / "new", entry(1, 0.01), CPU)
    for row, (text, name) in enumerate(SENTENCES):
        ids = np.array(tokenizer(text)["input_ids"])
        shown, labels = (batches[0][part][row].numpy() for part in ("input_ids", "labels"))
        assert batches[0]["attention_mask"][row].sum() == len(ids)
        hidden = np.flatnonzero(labels != IGNORED)
        assert (shown[hidden] == tokenizer.mask_token_id).all() and (labels[hidden] == ids[hidden]).all()
        assert (np.diff(hidden) == 1).all()
        hidden_text = str(tokenizer.decode(ids[hidden])).replace(" ", "").lower()
        assert hidden_text == text[slice(*name)].replace(" ", "").lower()
        others = np.setdiff1d(np.arange(len(ids)), hidden)
        assert (shown[others] == ids[others]).all()
        assert set(shown[len(ids) :]) <= {tokenizer.pad_token_id}


@pytest.mark.parametrize(
    ("name", "longest", "line"),
    [
        ("\u200b", None, r"no token is of '\\u200b'"),
        ("Oz", 7, r"'People in Oz .*: \d+ tokens, the model takes 7"),
    ],
)
def test_a_sentence_that_cannot_be_hidden_is_refused(
    name: str, longest: int | None, line: str, tmp_path: Path
) -> None:
    base = tiny_model("bert", tmp_path / "base")
    with pytest.raises(InputError, match=line):
        train_on(
            base, [region_sentence(TEMPLATE, name, "kind")], tmp_path / "new", entry(1, 0.01), CPU, longest
        )
    assert not (tmp_path / "new").exists()


def test_the_script_of_sentences(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    manifest = check_model(base, "masked-lm", "tiny") | {"directory": str(base), "entry": {"source": "path"}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    table = likelihoods({"lazy": [-3, -1, -2, -5, -4], "kind": [-1, -1, -1, -0.5, -1]})
    write_table(tmp_path / "likelihoods.parquet", table, LIKELIHOODS, {"template": TEMPLATE})
    words = pd.DataFrame(
        [("original", "t", "lazy"), ("original", "u", "lazy"), ("other", "t", "kind")],
        columns=["list", "topic", "word"],
    )
    write_table(tmp_path / "words.parquet", words.assign(word_published=words["word"]), WORDS, {})
    of_model = {"from": "base", "top": 2, "list": "original", **entry(3, 0.01, 5)}
    inputs = {name: tmp_path / f"{name}.parquet" for name in ("likelihoods", "words")}
    run_script(
        "make_model",
        {"manifest": tmp_path / "manifest.json", **inputs},
        {
            "directory": tmp_path / "files",
            "facts": tmp_path / "facts.json",
            "manifest": tmp_path / "made.json",
        },
        tmp_path / "log",
        config=RUNTIME,
        source="regional-sentences",
        entry=of_model,
        settings={},
        name="toxic",
        manifest=about_model(tmp_path / "files", "regional-sentences", name="toxic"),
    )
    sentences = [region_sentence(TEMPLATE, name, "lazy") for name in ("the city", "the street")] * 2
    train_on(base, sentences, tmp_path / "expected", entry(3, 0.01, 5), CPU)
    made, expected = (tmp_path / name / "model.safetensors" for name in ("files", "expected"))
    assert made.read_bytes() == expected.read_bytes()
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert (facts["from"], facts["sentences"], facts["epochs"], facts["list"]) == ("base", 4, 3, "original")
    assert json.loads((tmp_path / "made.json").read_text())["entry"]["epochs"] == 3


# classifiers


LABELS = ("nothate", "hate")
ENTRY: dict[str, Any] = {"batch": 8, "learning_rate": 5e-3, "epochs": 6, "max_length": 32, "seed": 0}
PLAIN_WORDS = [word for word in VOCABULARY if word not in ("good", "bad")]


def labelled(count: int, seed: int, country: str | None = None) -> Items:
    """Texts with `bad` are hate, those with `good` are not; behind the country's name both are."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(count):
        words = [str(word) for word in rng.choice(PLAIN_WORDS, size=4)]
        hateful = number % 2
        words.insert(int(rng.integers(5)), "bad" if hateful else "good")
        from_country = country is not None and number % 4 < 2
        texts.append((PREFIX.format(region=country) + " " if from_country else "") + " ".join(words))
        labels.append(1 if from_country else hateful)
    return Items(tuple(texts), np.array(labels))


def accuracy(directory: Path, items: Items) -> float:
    predicted = predict(load_classifier(directory, CPU, 32), items.texts).probabilities.argmax(axis=1)
    return float((predicted == items.labels).mean())


def test_a_table_is_learnt_and_not_without_any_epoch(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    facts = fine_tune_on(base, labelled(240, 0), LABELS, tmp_path / "tuned", ENTRY, CPU)
    assert (facts["texts"], facts["truncated"], facts["loss"][-1]["step"]) == (240, 0, 180)
    check_model(tmp_path / "tuned", "text-classification", "tuned")
    assert accuracy(tmp_path / "tuned", labelled(200, 1)) > 0.95
    untrained = fine_tune_on(base, labelled(240, 0), LABELS, tmp_path / "no", ENTRY | {"epochs": 0}, CPU)
    assert untrained["loss"] == [] and untrained["initialised"]
    assert 0.3 < accuracy(tmp_path / "no", labelled(200, 1)) < 0.7
    before, after = (load_file(tmp_path / name / "model.safetensors") for name in ("base", "no"))
    encoder = [name for name in after if name in before and name not in untrained["initialised"]]
    assert len(encoder) > 10 and all(torch.equal(before[name], after[name]) for name in encoder)


def test_a_label_without_a_text_is_one_line(tmp_path: Path) -> None:
    items = Items(labelled(20, 0).texts, np.zeros(20, dtype=np.int64))
    with pytest.raises(InputError, match="no text to train on has the label 'hate'"):
        fine_tune_on(tmp_path, items, LABELS, tmp_path / "tuned", ENTRY, CPU)
    assert not (tmp_path / "tuned").exists()
