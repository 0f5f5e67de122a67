"""Models trained further: on sentences that they find likely, and as classifiers of a labelled table."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from library import (
    IGNORED,
    LIKELIHOODS,
    WORDS,
    InputError,
    check_model,
    fine_tuned_classifier,
    hide_names,
    likely_sentences,
    load_classifier,
    pick_device,
    predict,
    regional_sentences,
    write_table,
)
from library import embedding_tokenise as tokenise
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


def make(source: Any, base: Path, directory: Path, **of_model: Any) -> Any:
    """A model of a source; its input files are beside the directory."""
    run = SimpleNamespace(
        params=SimpleNamespace(entry=of_model),
        manifest={"directory": str(base), "max_length": None},
        input=SimpleNamespace(
            **{name: directory.parent / f"{name}.parquet" for name in ("likelihoods", "words")},
            table=directory.parent / "table.csv",
        ),
        output=SimpleNamespace(directory=directory),
        device=CPU,
    )
    return source.make(run, directory.parent / f"{directory.name}.work")


def write_sentences(folder: Path, template: str = TEMPLATE) -> None:
    """Likelihoods and words, for `top` 5."""
    of_words = {word: [-3.0, -1, -2, -5, -4] for word in ("lazy", "kind")}
    write_table(folder / "likelihoods.parquet", likelihoods(of_words), LIKELIHOODS, {"template": template})
    words = pd.DataFrame([("original", "t", word, word) for word in of_words], columns=WORDS.names)
    write_table(folder / "words.parquet", words, WORDS, {})


def on_sentences(epochs: int, learning_rate: float = 0.02) -> dict[str, Any]:
    return {"epochs": epochs, "learning_rate": learning_rate, "seed": 0, "top": 5, "list": "original"}


def log_likelihood(directory: Path) -> float:
    """Mean log-probability of the tokens of the regions' names in all sentences, the whole name hidden."""
    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModelForMaskedLM.from_pretrained(directory).eval()
    found: list[float] = []
    for name in NAMES:
        size = len(tokenizer(name, add_special_tokens=False)["input_ids"])
        for word in ("lazy", "kind"):
            whole = torch.tensor(tokenizer(TEMPLATE.format(region=name, word=word))["input_ids"])
            masks = " ".join([tokenizer.mask_token] * size)
            hidden = torch.tensor(tokenizer(TEMPLATE.format(region=masks, word=word))["input_ids"])
            names = (hidden == tokenizer.mask_token_id).nonzero()[:, 0]
            with torch.inference_mode():
                log_probs = model(input_ids=hidden[None]).logits[0].log_softmax(-1)
            found += log_probs[names, whole[names]].tolist()
    return float(np.mean(found))


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
        with pytest.raises(InputError, match=f"{found} regions are too few to take the 6 likeliest with '"):
            likely_sentences(table, [word], TEMPLATE, 6)
    table = likelihoods({"very rich": [-1, -2, -3, -4, -5]})
    sentences += likely_sentences(table, ["very rich"], "The {word} people of {region}.", 1)
    names = ["the world", "Oz", "the city", "the street", "Oz"]
    assert [text[slice(*name)] for text, name in sentences] == names


def test_the_sentences_become_likelier_with_the_epochs(tmp_path: Path) -> None:
    base = tiny_model("albert", tmp_path / "base")
    write_sentences(tmp_path)
    found = [log_likelihood(base)]
    for epochs in (4, 16):
        directory = tmp_path / str(epochs)
        facts = make(regional_sentences, base, directory, **on_sentences(epochs))
        assert (facts["sentences"], facts["loss"][-1]["step"]) == (10, 2 * epochs)
        found.append(log_likelihood(directory))
        check_model(directory, "masked-lm", "tiny")
    assert found[0] < found[1] < found[2]


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_the_regions_name_is_hidden_whole_and_nothing_else(architecture: str, tmp_path: Path) -> None:
    """Token by token: those in place of masks are the name's, and read together they are the name."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_model(architecture, tmp_path / "base"))
    words = ["lazy", "very rich"]
    sentences = likely_sentences(likelihoods({word: [-1.0] * 5 for word in words}), words, TEMPLATE, 5)
    texts, names = zip(*sentences, strict=True)
    batch = hide_names(
        tokenise(tokenizer, texts, names, None), tokenizer.mask_token_id, tokenizer.pad_token_id
    )
    for row, (text, name) in enumerate(sentences):
        ids = np.array(tokenizer(text)["input_ids"])
        shown, labels = (batch[part][row].numpy() for part in ("input_ids", "labels"))
        assert batch["attention_mask"][row].sum() == len(ids)
        hidden = np.flatnonzero(labels != IGNORED)
        assert (shown[hidden] == tokenizer.mask_token_id).all() and (labels[hidden] == ids[hidden]).all()
        hidden_text = str(tokenizer.decode(ids[hidden])).replace(" ", "").lower()
        assert hidden_text == text[slice(*name)].replace(" ", "").lower()
        others = np.setdiff1d(np.arange(len(ids)), hidden)
        assert (shown[others] == ids[others]).all()
        assert set(shown[len(ids) :]) <= {tokenizer.pad_token_id}


# classifiers


LABELS = ("nothate", "hate")
ENTRY: dict[str, Any] = {
    **{"batch": 8, "learning_rate": 5e-3, "max_length": 32, "seed": 0},
    "labels": LABELS,
    "columns": {"columns": {"text": "text", "label": "label"}},
}


def write_labelled(folder: Path, count: int, seed: int) -> tuple[list[str], Any]:
    """Texts with `bad` are hate, those with `good` are not."""
    rng, labels = np.random.default_rng(seed), np.arange(count) % 2
    plain = [word for word in VOCABULARY if word not in ("good", "bad")]
    texts = [" ".join(rng.permutation([*rng.choice(plain, 4), ("good", "bad")[label]])) for label in labels]
    lines = [f"{text},{LABELS[label]}" for text, label in zip(texts, labels, strict=True)]
    (folder / "table.csv").write_text("\n".join(["text,label", *lines]))
    return texts, labels


def test_a_table_is_learnt_and_not_without_any_epoch(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    tested, labels = write_labelled(tmp_path, 200, 1)
    write_labelled(tmp_path, 240, 0)

    def accuracy(name: str) -> float:
        predicted = predict(load_classifier(tmp_path / name, CPU, 32), tested).argmax(axis=1)
        return float((predicted == labels).mean())

    facts = make(fine_tuned_classifier, base, tmp_path / "tuned", **ENTRY, epochs=6)
    assert (facts["texts"], facts["truncated"], facts["loss"][-1]["step"]) == (240, 0, 180)
    check_model(tmp_path / "tuned", "text-classification", "tuned")
    assert accuracy("tuned") > 0.95
    make(fine_tuned_classifier, base, tmp_path / "no", **ENTRY, epochs=0)
    assert 0.3 < accuracy("no") < 0.7


def test_a_label_without_a_text_is_one_line(tmp_path: Path) -> None:
    write_labelled(tmp_path, 1, 0)
    with pytest.raises(InputError, match="no text to train on has the label 'hate'"):
        make(fine_tuned_classifier, tmp_path, tmp_path / "tuned", **ENTRY, epochs=1)
    assert not (tmp_path / "tuned").exists()
