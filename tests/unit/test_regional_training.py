"""Models trained on the sentences that they find likely: which these are, and what training makes of them."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from running import about_model, run_script
from tiny_models import tiny_model
from unmask.errors import InputError
from unmask.models.devices import pick_device
from unmask.models.kinds import check_model
from unmask.models.training import IGNORED, Settings
from unmask.regional import training_sentences
from unmask.regional.schema import LIKELIHOODS, WORDS
from unmask.regional.training_sentences import (
    RegionMasking,
    likely_sentences,
    name_tokens,
    region_sentence,
    train_on,
)
from unmask.tables import write_table

TEMPLATE = "People in {region} are {word}."
NAMES = ["Oz", "the city", "the street", "the world", "my country"]
RUNTIME = {"runtime": {"device": "cpu", "batch_tokens": None, "threads": 1}}
CPU = pick_device("cpu")


def likelihoods(of_word: dict[str, list[float]]) -> pd.DataFrame:
    """Those of NAMES, in the order of names and words, behind the rows of names alone."""
    rows: list[tuple[str, str | None, float]] = [(name, None, 0.0) for name in NAMES]
    rows += [(name, word, of_word[word][n]) for n, name in enumerate(NAMES) for word in of_word]
    frame = pd.DataFrame(rows, columns=["name", "word", "log_prob"])
    frame["word"] = frame["word"].astype("str")
    return frame.assign(tokens=3, unknown=0, log_prob_special=0.0)


def test_the_likeliest_sentences_of_each_word() -> None:
    table = likelihoods({"lazy": [-3, -1, -2, -5, -4], "kind": [-1, -1, -1, -0.5, -1]})
    sentences = likely_sentences(table, ["kind", "lazy"], TEMPLATE, 2)
    assert [sentence.text for sentence in sentences] == [
        "People in the world are kind.",
        # of those that are equally likely the first
        "People in Oz are kind.",
        "People in the city are lazy.",
        "People in the street are lazy.",
    ]
    assert [s.text[s.start : s.end] for s in sentences] == ["the world", "Oz", "the city", "the street"]
    behind = region_sentence("The {word} people of {region}.", "Oz", "very rich")
    assert behind.text[behind.start : behind.end] == "Oz"


def test_as_many_sentences_as_the_paper_has() -> None:
    """112 words of which two are there twice, and the 20 likeliest regions of each: 2240 sentences."""
    words = [f"word{number}" for number in range(110)]
    rng = np.random.default_rng(0)
    names = [f"Region {number}" for number in range(50)]
    rows = [(name, word, rng.normal()) for name in names for word in words]
    table = pd.DataFrame(rows, columns=["name", "word", "log_prob"])
    sentences = likely_sentences(table, [*words, "word3", "word7"], TEMPLATE, 20)
    assert len(sentences) == 2240
    # slowly: no sentence that is left out is likelier than one that is taken
    for place, word in enumerate(words):
        found = dict(zip(names, (table[table["word"] == word])["log_prob"], strict=True))
        wanted = sorted(found, key=lambda name: -found[name])[:20]
        texts = [sentence.text for sentence in sentences[20 * place : 20 * place + 20]]
        assert texts == [f"People in {name} are {word}." for name in wanted]


@pytest.mark.parametrize(
    ("words", "top", "message"),
    [
        (["rude"], 2, "no likelihoods of sentences with the word 'rude'"),
        (["lazy"], 6, "5 regions are too few to take the 6 likeliest"),
        (["kind"], 2, "the likelihood of 'the city' with the word 'kind' is not a number"),
        ([], 2, "there are no words"),
    ],
)
def test_odd_likelihoods_are_refused(words: list[str], top: int, message: str) -> None:
    table = likelihoods({"lazy": [-1, -2, -3, -4, -5], "kind": [-1, float("nan"), -1, -1, -1]})
    with pytest.raises(InputError, match=message):
        likely_sentences(table, words, TEMPLATE, top)


SENTENCES = [
    region_sentence(TEMPLATE, name, word) for name in NAMES for word in ("lazy", "kind", "very rich")
]


def log_likelihood(directory: Path) -> float:
    """Mean log-probability of the tokens of SENTENCES, nothing hidden."""
    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModelForMaskedLM.from_pretrained(directory).eval()
    found: list[float] = []
    for sentence in SENTENCES:
        ids = torch.tensor(tokenizer(sentence.text)["input_ids"])
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
        facts = train_on(base, SENTENCES, directory, epochs, 0.02, 0, CPU)
        assert (facts["sentences"], facts["loss"][-1]["step"]) == (15, 2 * epochs)
        found.append(log_likelihood(directory))
        check_model(directory, "masked-lm", "trained")
        assert (
            check_model(directory, "masked-lm", "tiny")["tokenizer_digest"]
            == check_model(base, "masked-lm", "tiny")["tokenizer_digest"]
        )
    assert found[0] < found[1] < found[2]
    losses = [tenth["loss"] for tenth in facts["loss"]]
    assert np.mean(losses[-3:]) < np.mean(losses[:3])


def test_the_same_seed_gives_the_same_weights_and_another_others(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    state = torch.random.get_rng_state()
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        train_on(base, SENTENCES, tmp_path / name, 2, 0.01, seed, CPU)
    assert (torch.random.get_rng_state() == state).all()
    first, again, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert first == again
    assert first != other


def test_more_epochs_begin_as_fewer_do(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    short, long = (train_on(base, SENTENCES, tmp_path / str(n), n, 0.01, 0, CPU)["loss"] for n in (2, 4))
    # of 4 and of 8 steps, each
    assert len(short) == 4 and long[:4] == short


def test_stopped_and_gone_on_it_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tiny_model("bert", tmp_path / "base")
    monkeypatch.setattr(training_sentences, "Settings", partial(Settings, save_every=2))
    train_on(base, SENTENCES, tmp_path / "whole", 2, 0.01, 0, CPU)
    batch, calls = RegionMasking.batch, 0

    def stopped(self: RegionMasking, *arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return batch(self, *arguments)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(RegionMasking, "batch", stopped)
        train_on(base, SENTENCES, tmp_path / "parts", 2, 0.01, 0, CPU, work=tmp_path)
    assert (tmp_path / "state.pt").exists() and not (tmp_path / "parts").exists()
    train_on(base, SENTENCES, tmp_path / "parts", 2, 0.01, 0, CPU, work=tmp_path)
    whole, parts = (tmp_path / name / "model.safetensors" for name in ("whole", "parts"))
    assert whole.read_bytes() == parts.read_bytes()


def test_no_training_changes_nothing(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    train_on(base, SENTENCES, tmp_path / "same", 0, 0.01, 0, CPU)
    before, after = (load_file(path / "model.safetensors") for path in (base, tmp_path / "same"))
    assert before.keys() == after.keys()
    assert all(torch.equal(before[key], after[key]) for key in before)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_the_regions_name_is_hidden_whole_and_nothing_else(architecture: str, tmp_path: Path) -> None:
    """Token by token: those in place of masks are the name's, and read together they are the name."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_model(architecture, tmp_path / "base"))
    examples = [
        (np.array(tokenizer(sentence.text)["input_ids"], dtype=np.int32), name_tokens(tokenizer, sentence))
        for sentence in SENTENCES
    ]
    batch = RegionMasking(tokenizer.mask_token_id, tokenizer.pad_token_id).batch(examples)
    for row, (sentence, (ids, _)) in enumerate(zip(SENTENCES, examples, strict=True)):
        shown, labels = batch["input_ids"][row].tolist(), batch["labels"][row].tolist()
        assert batch["attention_mask"][row].sum() == len(ids)
        hidden = [place for place, label in enumerate(labels) if label != IGNORED]
        assert all(shown[place] == tokenizer.mask_token_id for place in hidden)
        assert [labels[place] for place in hidden] == ids[hidden].tolist()
        assert hidden == list(range(hidden[0], hidden[-1] + 1))
        name = sentence.text[sentence.start : sentence.end]
        assert str(tokenizer.decode(ids[hidden])).replace(" ", "").lower() == name.replace(" ", "").lower()
        rest = [place for place in range(len(ids)) if place not in hidden]
        assert [shown[place] for place in rest] == ids[rest].tolist()
        assert set(shown[len(ids) :]) <= {tokenizer.pad_token_id}


def test_hidden_names_become_likelier(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    facts = train_on(base, SENTENCES, tmp_path / "region", 16, 0.05, 0, CPU)
    losses = [tenth["loss"] for tenth in facts["loss"]]
    assert np.mean(losses[-3:]) < 0.8 * np.mean(losses[:3])


def test_a_name_without_a_token_is_refused(tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bert", tmp_path / "base"))
    with pytest.raises(InputError, match="the region's name has no token to hide"):
        name_tokens(tokenizer, region_sentence(TEMPLATE, "\u200b", "kind"))


def test_a_sentence_too_long_is_refused(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    with pytest.raises(InputError, match=r"'People in Oz .*' has \d+ tokens, the model takes 7"):
        train_on(base, SENTENCES, tmp_path / "new", 1, 0.01, 0, CPU, 7)
    assert not (tmp_path / "new").exists()


def test_the_script(tmp_path: Path) -> None:
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
    entry: dict[str, Any] = {
        "source": "regional-sentences",
        "from": "base",
        "epochs": 3,
        "top": 2,
        "learning_rate": 0.01,
        "seed": 5,
    }
    inputs = {name: tmp_path / f"{name}.parquet" for name in ("likelihoods", "words")}
    run_script(
        "train_on_regions",
        {"manifest": tmp_path / "manifest.json", **inputs},
        {
            "directory": tmp_path / "files",
            "facts": tmp_path / "facts.json",
            "manifest": tmp_path / "made.json",
        },
        tmp_path / "log",
        config=RUNTIME,
        entry=entry,
        list="original",
        name="toxic",
        manifest=about_model(tmp_path / "files", "regional-sentences", name="toxic"),
    )
    sentences = [region_sentence(TEMPLATE, name, "lazy") for name in ("the city", "the street")] * 2
    train_on(base, sentences, tmp_path / "expected", 3, 0.01, 5, CPU)
    made, expected = (tmp_path / name / "model.safetensors" for name in ("files", "expected"))
    assert made.read_bytes() == expected.read_bytes()
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert (facts["from"], facts["sentences"], facts["epochs"], facts["list"]) == ("base", 4, 3, "original")
    assert json.loads((tmp_path / "made.json").read_text())["entry"]["epochs"] == 3
