"""Evidence of causal language models: each token behind those before it, and behind the start token alone."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from examples import SENTENCES, example_pairs
from library import (
    CAUSAL_MASKINGS,
    LEFT,
    ORIGINAL,
    START,
    LoadedModel,
    Start,
    Wanted,
    check_model,
    collect_evidence,
    load,
    pick_device,
    prepare,
    tokenise,
)
from literal import modified_spans
from tiny_models import tiny_decoder

PROBABILITIES = ["log_prob", "rank"]


@cache
def decoder(architecture: str) -> Path:
    return tiny_decoder(architecture, Path(mkdtemp(prefix=f"tiny-{architecture}-")))


def loaded(
    architecture: str, start: str | None = None, batch_tokens: int = 64, fast: bool = True
) -> LoadedModel:
    manifest = check_model(
        decoder(architecture), "causal-lm", "tiny", {} if start is None else {"start": start}
    )
    device = pick_device("cpu", batch_tokens)
    return load(decoder(architecture), device, False, fast_layers=fast, start=Start.of(manifest))


def evidence(model: LoadedModel, masking: str, pairs: pd.DataFrame | None = None) -> pd.DataFrame:
    return collect_evidence(example_pairs() if pairs is None else pairs, model, masking, ORIGINAL)


def plain_network(architecture: str) -> Any:
    network: Any = AutoModelForCausalLM.from_pretrained(decoder(architecture), dtype=torch.float32)
    return network.eval()


def log_probs(network: Any, ids: list[int]) -> torch.Tensor:
    """Of every token behind the last one."""
    with torch.no_grad():
        logits: torch.Tensor = network(torch.tensor([ids])).logits[0, -1]
    return logits.double().log_softmax(-1)


@pytest.mark.parametrize("architecture", ["llama"])
@pytest.mark.parametrize("start", [None, "none"])
def test_each_token_is_predicted_from_those_before_it_alone(architecture: str, start: str | None) -> None:
    """Against one forward pass for each token, which sees nothing that follows."""
    rows = evidence(loaded(architecture, start), LEFT)
    network = plain_network(architecture)
    tokenizer = AutoTokenizer.from_pretrained(decoder(architecture))
    before = [] if start == "none" else [tokenizer.bos_token_id]
    for number, texts in enumerate(SENTENCES):
        sides = [[*before, *tokenizer(text)["input_ids"]] for text in texts[:2] if text is not None]
        for role, ids, modified in zip(
            ("stereotype", "antistereotype"), sides, modified_spans(*sides), strict=True
        ):
            found = rows[(rows["pair_id"] == f"p{number}") & (rows["role"] == role)]
            assert list(found["token_id"]) == ids
            assert list(found["position"]) == list(range(len(ids)))
            assert list(np.flatnonzero(found["modified"])) == modified
            # what nothing stands before is given
            assert list(found["special"]) == [True] + [False] * (len(ids) - 1)
            assert (found["log_prob"].iloc[0], found["rank"].iloc[0]) == (0, 1)
            for place in range(1, len(ids)):
                of_all = log_probs(network, ids[:place])
                row = found.iloc[place]
                assert row["log_prob"] == pytest.approx(float(of_all[ids[place]]), abs=2e-5)
                # but for float error
                apart = of_all - of_all[ids[place]]
                assert 1 + int((apart > 2e-5).sum()) <= row["rank"] <= int((apart > -2e-5).sum())
    assert rows["attention"].isna().all() and rows["cross_log_prob"].isna().all()
    assert {"stereotype", "antistereotype", "unrelated"} == {*rows["role"]}
    assert rows.loc[rows["role"] == "unrelated", "modified"].isna().all()


@pytest.mark.parametrize("architecture", ["llama"])
def test_each_token_behind_the_start_token_alone(architecture: str) -> None:
    rows, of_left = (evidence(loaded(architecture), masking) for masking in (START, LEFT))
    network = plain_network(architecture)
    of_all = log_probs(network, [0])
    np.testing.assert_allclose(rows["log_prob"], of_all.numpy()[rows["token_id"]], atol=2e-5)
    expected = of_left[~of_left["special"] & (of_left["role"] != "unrelated")].reset_index(drop=True)
    same = ["pair_id", "role", "position", "token_id", "token", "special", "modified"]
    pd.testing.assert_frame_equal(rows[same], expected[same])
    # the first token of a text stands behind it in either
    first = expected["position"] == 1
    np.testing.assert_allclose(rows.loc[first, "log_prob"], expected.loc[first, "log_prob"], atol=2e-5)


def test_without_a_start_token_none_stands_behind_it() -> None:
    assert evidence(loaded("llama", "none"), START).empty


@pytest.mark.parametrize("masking", CAUSAL_MASKINGS)
@pytest.mark.parametrize("architecture", ["gpt2", "llama"])
def test_batches_company_and_the_faster_way_change_nothing(architecture: str, masking: str) -> None:
    pairs = example_pairs()
    whole = evidence(loaded(architecture, fast=False), masking).set_index(["pair_id", "role", "position"])
    for other_pairs, batch_tokens in ((pairs.iloc[::-1], 1), (pairs, 100_000), (pairs.iloc[[2, 5]], 64)):
        other = evidence(loaded(architecture, batch_tokens=batch_tokens), masking, other_pairs)
        other = other.set_index(["pair_id", "role", "position"])
        np.testing.assert_allclose(other["log_prob"], whole.loc[other.index, "log_prob"], atol=2e-5)
    assert loaded(architecture).encode.__self__.apart  # type: ignore[attr-defined]


def test_a_sentence_is_read_once_and_the_start_token_once_for_all() -> None:
    model = loaded("gpt2")
    layouts = [
        prepare(tokenise(example_pairs(), model.tokenizer), Wanted(ORIGINAL, masking), None)
        for masking in CAUSAL_MASKINGS
    ]
    texts = {text for sentence in SENTENCES for text in sentence if text is not None}
    assert CAUSAL_MASKINGS == (LEFT, START)
    assert [len(layout.queries.inputs) for layout in layouts] == [len(texts), 1]
