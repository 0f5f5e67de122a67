"""Likelihoods of sentences about regions: those of a plain forward pass, whatever is done to be fast."""

import json
from collections.abc import Sequence
from contextlib import suppress
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
    CITY,
    COUNTRY,
    LIKELIHOODS,
    REGIONS,
    SUBSTITUTED,
    WORDS,
    WORLD,
    Encoded,
    InputError,
    LoadedModel,
    engine,
    load,
    pick_device,
    read_likelihoods,
    read_metadata,
    read_table,
    write_likelihoods,
    write_table,
)
from library import REGIONAL_ORIGINAL as ORIGINAL
from library import regional_rows_of as rows_of
from running import run_script
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


def regions(names: Sequence[str] = NAMES) -> pd.DataFrame:
    rows = {
        "region": [f"r{place}" for place in range(len(names))],
        "name": list(names),
        "level": [WORLD, COUNTRY, *[CITY] * len(names)][: len(names)],
        "parent": [None, *["r0"] * (len(names) - 1)],
        "country_code": None,
        "population": None,
    }
    return pd.DataFrame(rows)


def words() -> pd.DataFrame:
    rows = [
        (ORIGINAL, "strength", "strong", "      strong"),
        (ORIGINAL, "strength", "hard-working", "hard-working"),
        (ORIGINAL, "appearance", "strong", "strong"),
        (ORIGINAL, "occupation", "writer", "Writer"),
        (SUBSTITUTED, "strength", "weak", "weak"),
        (SUBSTITUTED, "strength", "writer", "writer"),
    ]
    return pd.DataFrame(rows, columns=["list", "topic", "word", "word_published"])


def write(
    path: Path,
    model: LoadedModel,
    list_: str = ORIGINAL,
    names: Sequence[str] = NAMES,
    template: str = TEMPLATE,
    max_length: int | None = 128,
    shard_tokens: int | None = None,
    released: bool = False,
    of_words: pd.DataFrame | None = None,
    **facts: object,
) -> pd.DataFrame:
    of_words = words() if of_words is None else of_words
    of_list = regions(names), of_words, list_, model, template, max_length, facts
    write_likelihoods(path, *of_list, released, shard_tokens)
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
    of_list = {ORIGINAL: ["strong", "hard-working", "writer"], SUBSTITUTED: ["weak", "writer"]}
    for list_, of_words in of_list.items():
        model = model_of(architecture, batch_tokens)
        found = write(tmp_path / f"{list_}.parquet", model, list_, shard_tokens=shard_tokens)
        pairs: list[tuple[str, str | None]] = [(name, word) for name in names for word in of_words]
        texts = ["People in " + name + f" are {word}." for name, word in pairs]
        pairs, texts = [*((name, None) for name in names), *pairs], [*names, *texts]
        assert pairs_of(found) == pairs
        tokens, expected = literal(architecture, texts)
        assert found["tokens"].tolist() == tokens
        np.testing.assert_allclose(found["log_prob"], expected, atol=2e-5)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "bart"])
def test_the_released_code_reads_a_regions_padded_batch(architecture: str, tmp_path: Path) -> None:
    of_lists = {
        ORIGINAL: ["      strong", "hard-working", "strong", "Writer"],
        SUBSTITUTED: ["weak", "writer"],
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


def test_unknown_tokens_are_counted_and_said_and_nothing_is_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = write(tmp_path / "original.parquet", model_of("bert"))
    alone = found[found["word"].isna()].set_index("name")["unknown"]
    assert alone["L'Hôme"] == 1 and alone.sum() == 1 and (found["name"] == "L'Hôme").sum() == 1 + 3
    assert "1 of 8 names have tokens that the tokenizer does not know" in caplog.text


LONG = "a Hard Name of so many Letters that it fills up"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ["World", LONG, "Short"], "max_length": 30}, f"^sentence 'People in {LONG} are hard-"),
        ({"names": ["World", LONG], "max_length": 9}, "^sentence .*: .. tokens, and the model takes 9"),
        ({"names": ["World", "b " * 599 + "b"]}, f"^sentence '{'b ' * 40}': 602 tokens, and the model takes"),
        *(
            ({"names": ["World", nothing]}, r"^sentence '.*': the tokenizer makes no token of it")
            for nothing in ("", "  ", "\u200b")
        ),
    ],
)
def test_bad_input_is_one_clear_line_before_anything_is_scored(
    changes: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_read", None)
    with pytest.raises(InputError, match=message):
        write(tmp_path / "original.parquet", model_of("bert"), **changes)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_gives_no_number_is_one_clear_line(tmp_path: Path) -> None:
    model = model_of("bert")
    target = model.tokenizer("People in Street are writer.")["input_ids"]

    def encode(ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor | None = None) -> Encoded:
        found = model.encode(ids, places, mask)
        for place, row in enumerate(ids.tolist()):
            if row == target:
                found.hidden[place * ids.shape[1] + 2] = np.nan
        return found

    broken = LoadedModel(model.network, model.tokenizer, model.device, encode, model.head)
    line = "^region 'Street' with the word 'writer': the model gives nan as a likelihood"
    with pytest.raises(InputError, match=line):
        write(tmp_path / "original.parquet", broken)
    assert not (tmp_path / "original.parquet").exists()


# as matrices


def test_rows_are_those_of_names_and_words_in_their_order(tmp_path: Path) -> None:
    tables = {
        name: write(tmp_path / f"{name}.parquet", model_of("bert"), name) for name in (ORIGINAL, SUBSTITUTED)
    }
    every = pd.concat(tables.values()).fillna({"word": ""}).drop_duplicates(["name", "word"])
    both = every.set_index(["name", "word"])["log_prob"]
    likelihoods = read_likelihoods([tmp_path / f"{name}.parquet" for name in tables])
    names, some = ["World", "Street", "L'Hôme", "Street"], ["weak", "strong", "weak"]
    f, alone = rows_of(names, some, likelihoods)
    assert np.isnan(f[0]).all() and np.isnan(alone[0])
    for row, name in enumerate(names[1:], start=1):
        assert f[row].tolist() == [both[name, word] for word in some] and alone[row] == both[name, ""]
    with pytest.raises(
        InputError, match="no likelihood of a sentence with the region 'Street' with the word 'odd'"
    ):
        rows_of(names, ["weak", "odd"], likelihoods)
    with pytest.raises(InputError, match="region 'Nowhere' with the word 'weak'"):
        rows_of([*names, "Nowhere"], ["weak"], likelihoods)


def test_the_script_goes_on_and_reads_no_sentence_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest: dict[str, Any] = {"directory": str(model_directory("bert")), "files": {}, "weights_digest": "w"}
    manifest |= {"entry": {"source": "path"}, "tokenizer_digest": "t", "max_length": 128}
    write_table(tmp_path / "regions.parquet", regions(), REGIONS, {})
    write_table(tmp_path / "words.parquet", words(), WORDS, {})
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    path = tmp_path / "likelihoods" / f"{ORIGINAL}.parquet"
    inputs = {file: tmp_path / f"{file}.parquet" for file in ("regions", "words")}
    inputs["manifest"] = tmp_path / "manifest.json"
    runtime = {"runtime": {"device": "cpu", "threads": 1, "batch_tokens": 60}}
    left, read = [3], engine._read

    def reading(*arguments: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise InputError("killed")
        return read(*arguments)

    def run(**changes: Any) -> str:
        params: dict[str, Any] = {
            "model": "m",
            "list": ORIGINAL,
            "template": TEMPLATE,
            "dtype": "float32",
            "released": False,
        }
        with suppress(SystemExit):
            log = tmp_path / "job.log"
            run_script("score_regions", inputs, [path], log, config=runtime, **{**params, **changes})
        return (tmp_path / "job.log").read_text()

    monkeypatch.setattr(engine, "_read", reading)
    assert "killed" in run() and not path.exists()
    left[0] = 1000
    assert "error" not in run().split("killed")[-1]
    pd.testing.assert_frame_equal(
        read_table(path, LIKELIHOODS), write(tmp_path / "alone.parquet", model_of("bert"))
    )
    facts = read_metadata(path)
    assert (facts["model"], facts["list"], facts["template"]) == ("m", ORIGINAL, TEMPLATE)
    assert facts["model_source"] == {"source": "path"}
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    left[0] = 0
    assert "nothing is left to do" in run()
    assert "killed" in run(template="{word} people: {region}").rpartition("nothing is left")[2]
    # before anything is read, not when it is scored
    assert "protocols: published needs the levels world, continent" in run(released=True)
