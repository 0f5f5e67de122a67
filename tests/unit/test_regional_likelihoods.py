"""Likelihoods of sentences about regions: those of a plain forward pass, whatever is done to be fast."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from library import (
    LIKELIHOODS,
    InputError,
    LoadedModel,
    engine,
    load,
    pick_device,
    read_likelihoods,
    read_table,
    write_likelihoods,
)
from library import regional_rows_of as rows_of
from tiny_models import tiny_model

TEMPLATE = "People in {region} are {word}."
NAMES = ["World", "Old City", "Street", "Rio (Sul)", "Saint-Denis", "Old City", "L'Hôme", "{word}", "of"]
"""One stands twice; one has a letter that some tokenizers do not know; one looks like a template."""
CITIES = [*NAMES, "Up/Down Street", "City/"]


@cache
def model_directory(architecture: str) -> Path:
    return tiny_model(architecture, Path(mkdtemp(prefix=f"tiny-{architecture}-")))


def model_of(architecture: str, batch_tokens: int | None = None) -> LoadedModel:
    return load(model_directory(architecture), pick_device("cpu", batch_tokens), with_attention=False)


WORDS = pd.DataFrame(
    [
        ("original", "strong", "      strong"),
        ("original", "hard-working", "hard-working"),
        ("original", "strong", "strong"),
        ("original", "writer", "Writer"),
        ("substituted", "weak", "weak"),
        ("substituted", "writer", "writer"),
    ],
    columns=["list", "word", "word_published"],
)


def write(
    path: Path,
    model: LoadedModel,
    list_: str = "original",
    names: Sequence[str] = NAMES,
    template: str = TEMPLATE,
    max_length: int | None = 128,
    shard_tokens: int | None = None,
    released: bool = False,
) -> pd.DataFrame:
    regions, about = pd.DataFrame({"name": names}), (list_, model, template, max_length)
    write_likelihoods(path, regions, WORDS, *about, {}, released, shard_tokens)
    return read_table(path, LIKELIHOODS)


def pairs_of(table: pd.DataFrame) -> list[tuple[str, str | None]]:
    words = table["word"].astype(object).where(table["word"].notna(), None)
    return list(zip(table["name"], words, strict=True))


def log_probs(
    architecture: str, batch: Sequence[str], dtype: torch.dtype = torch.float32
) -> list[list[float]]:
    """Of each text the log-probability of its tokens and padding: one padded batch, nothing hidden."""
    tokenizer = AutoTokenizer.from_pretrained(model_directory(architecture))
    network = AutoModelForMaskedLM.from_pretrained(model_directory(architecture), dtype=dtype).eval()
    inputs = tokenizer(list(batch), return_tensors="pt", padding=True)
    with torch.no_grad():
        of_all = torch.log_softmax(network(**inputs).logits, dim=2)
    return [
        [of_all[row, column, token].item() for column, token in enumerate(ids.tolist())]
        for row, ids in enumerate(inputs["input_ids"])
    ]


def literal(architecture: str, texts: Sequence[str]) -> tuple[list[int], list[float]]:
    """Equation 1 word by word: one sentence, one forward pass, the mean of log P over its tokens."""
    own = [log_probs(architecture, [text], torch.float64)[0][1:-1] for text in texts]
    return [len(each) for each in own], [sum(each) / len(each) for each in own]


@pytest.mark.parametrize(
    ("architecture", "batch_tokens", "shard_tokens"),
    [("bert", None, None), ("roberta", 17, 60), ("albert", 10**6, 1)],
)
def test_likelihoods_are_those_of_one_forward_pass_for_each_sentence(
    architecture: str, batch_tokens: int | None, shard_tokens: int | None, tmp_path: Path
) -> None:
    names = list(dict.fromkeys(NAMES))
    of_list = {"original": ["strong", "hard-working", "writer"], "substituted": ["weak", "writer"]}
    for list_, of_words in of_list.items():
        model = model_of(architecture, batch_tokens)
        found = write(tmp_path / f"{list_}.parquet", model, list_, shard_tokens=shard_tokens)
        pairs: list[tuple[str, str | None]] = [(name, word) for name in names for word in of_words]
        texts = ["People in " + name + f" are {word}." for name, word in pairs]
        pairs, texts = [*((name, None) for name in names), *pairs], [*names, *texts]
        assert pairs_of(found) == pairs
        tokens, expected = literal(architecture, texts)
        assert found["tokens"].tolist() == tokens
        ids = model.tokenizer(texts)["input_ids"]
        assert found["unknown"].tolist() == [each.count(model.tokenizer.unk_token_id) for each in ids]
        np.testing.assert_allclose(found["log_prob"], expected, atol=2e-5)


@pytest.mark.parametrize("architecture", ["roberta", "bart"])
def test_the_released_code_reads_a_regions_padded_batch(architecture: str, tmp_path: Path) -> None:
    of_lists = {
        "original": ["      strong", "hard-working", "strong", "Writer"],
        "substituted": ["weak", "writer"],
    }
    names = list(dict.fromkeys(CITIES))
    for list_, of_list in of_lists.items():
        path, model = tmp_path / f"{list_}.parquet", model_of(architecture, 60)
        found = write(path, model, list_, CITIES, shard_tokens=200, released=True)
        assert pairs_of(found) == [*((n, None) for n in names), *((n, w) for n in names for w in of_list)]
        rows = found.set_index("name")["log_prob"]
        for name in names:
            sentences = [f"People in {name.replace('/', '')} are {word}" for word in of_list]
            expected = [*log_probs(architecture, [name]), *log_probs(architecture, sentences)]
            means = [sum(each[1:-1]) / len(each[1:-1]) for each in expected]
            np.testing.assert_allclose(rows[name], means, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "max_length", "message"),
    [
        # of the longest word
        ("a Hard Name of so many Letters that it fills up", 30, "'People in a Hard .* are hard-"),
        ("b " * 599 + "b", 128, f"'{'b ' * 40}': 602 tokens, and the model takes"),
        ("\u200b", 128, "'.*': the tokenizer makes no token of it"),
    ],
)
def test_bad_input_is_one_clear_line_before_anything_is_scored(
    name: str, max_length: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_read", None)
    with pytest.raises(InputError, match=f"^sentence {message}"):
        write(tmp_path / "original.parquet", model_of("bert"), names=["World", name], max_length=max_length)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_gives_no_number_is_one_clear_line(tmp_path: Path) -> None:
    model = model_of("bert")
    broken = replace(model)
    vars(broken).update(head=lambda hidden: model.head(hidden) * np.nan)
    with pytest.raises(InputError, match=r"^region 'World'.*: the model gives nan as a likelihood"):
        write(tmp_path / "original.parquet", broken)
    assert not (tmp_path / "original.parquet").exists()


def test_rows_are_those_of_names_and_words_in_their_order(tmp_path: Path) -> None:
    paths = {list_: tmp_path / f"{list_}.parquet" for list_ in ("original", "substituted")}
    tables = {list_: write(path, model_of("bert"), list_) for list_, path in paths.items()}
    both = pd.concat(tables).fillna({"word": ""}).droplevel(1).set_index(["name", "word"], append=True)
    likelihoods = read_likelihoods(paths)
    weak, strong, odd = ("substituted", "weak"), ("original", "strong"), ("original", "odd")
    names, some = ["World", "Street", "L'Hôme", "Street"], [weak, strong, weak]
    f, alone = rows_of(names, some, likelihoods)
    assert np.isnan(f[0]).all() and np.isnan(alone[0])
    of = both["log_prob"]
    for row, name in enumerate(names[1:], start=1):
        assert f[row].tolist() == [of[list_, name, word] for list_, word in some]
        assert alone[row] == of["substituted", name, ""]
    with pytest.raises(InputError, match="region 'Street' with the word 'odd'"):
        rows_of(names, [weak, odd], likelihoods)


def test_a_killed_job_goes_on_and_reads_no_sentence_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole, left, read = tmp_path / "killed.parquet", tmp_path / "whole.parquet", [12], engine._read

    def reading(*arguments: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return read(*arguments)

    monkeypatch.setattr(engine, "_read", reading)
    with pytest.raises(KeyboardInterrupt):
        write(path, model_of("bert", 60), shard_tokens=60)
    left[0] = 1000
    again = write(path, model_of("bert", 60), shard_tokens=60)
    of_rest, left[0] = 1000 - left[0], 1000
    pd.testing.assert_frame_equal(again, write(whole, model_of("bert", 60), shard_tokens=60))
    assert 0 < of_rest < 1000 - left[0]
    # another template is other sentences
    left[0] = 0
    with pytest.raises(KeyboardInterrupt):
        write(path, model_of("bert", 60), template="{word} people: {region}")
