"""Margins against unrelated sentences, from tiny models, beside transformers alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from examples import example_pairs
from library import (
    ORIGINAL,
    LoadedModel,
    Start,
    check_model,
    collect_evidence,
    load,
    margins_against_unrelated,
    maskings_of,
    pick_device,
)
from study_schema import CAUSAL_MEASURES, MEASURES
from tiny_models import tiny_decoder, tiny_model

CPU = pick_device("cpu")
ITEMS = [
    ("The nurse is here.", ("she is very good", "he is good", "very tired .")),
    ("the doctor said that he is tired .", ("she is good .", "he is very good .", "the nurse is here .")),
]


def margins_of(
    model: LoadedModel, measures: tuple[str, ...], pairs: pd.DataFrame
) -> dict[tuple[str, str], Any]:
    evidence = {
        masking: collect_evidence(pairs, model, masking, ORIGINAL) for masking in maskings_of(measures)
    }
    return margins_against_unrelated(list(pairs["pair_id"]), evidence, measures)


def loaded_decoder(folder: Path) -> LoadedModel:
    directory = tiny_decoder("llama", folder)
    return load(directory, CPU, False, start=Start.of(check_model(directory, "causal-lm", "tiny", {})))


def test_measures_that_score_unrelated_sentences(tmp_path: Path) -> None:
    masked = load(tiny_model("bert", tmp_path / "bert"), CPU, with_attention=True)
    found = margins_of(masked, MEASURES, example_pairs())
    assert {measure for measure, _ in found} == {"AUL", "AULA", "SSS"}
    causal = margins_of(loaded_decoder(tmp_path / "llama"), CAUSAL_MEASURES, example_pairs())
    assert {measure for measure, _ in causal} == {"LL", "LLMean"}
    # of a pair without an unrelated sentence nothing is known
    lacking = example_pairs()["unrelated"].isna()
    assert lacking.any()
    for protocol in ("published", "corrected"):
        assert (np.isnan(causal["LL", protocol]) == lacking.to_numpy()).all()


def test_margins_of_a_decoder_are_those_of_transformers(tmp_path: Path) -> None:
    """Of texts that begin alike: LL has the likelihood of what follows alone, given the beginning."""
    rows = [(f"p{n}", *(f"{context} {text}" for text in texts)) for n, (context, texts) in enumerate(ITEMS)]
    pairs = pd.DataFrame(rows, columns=["pair_id", "stereotype", "antistereotype", "unrelated"])
    found = margins_of(loaded_decoder(tmp_path / "llama"), ("LL",), pairs)["LL", "corrected"]
    network: Any = AutoModelForCausalLM.from_pretrained(tmp_path / "llama", dtype=torch.float32)
    network.eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "llama")

    def score(context: str, text: str) -> float:
        before, ids = (
            tokenizer(t, add_special_tokens=False)["input_ids"] for t in (context, f"{context} {text}")
        )
        assert ids[: len(before)] == before
        with torch.no_grad():
            logits: torch.Tensor = network(torch.tensor([[tokenizer.bos_token_id, *ids]])).logits[0]
        of_all = logits.double().log_softmax(-1)
        return sum(float(of_all[at, ids[at]]) for at in range(len(before), len(ids)))

    for number, (context, texts) in enumerate(ITEMS):
        scores = [score(context, text) for text in texts]
        expected = [scores[0] - scores[2], scores[1] - scores[2]]
        assert found[:, number] == pytest.approx(expected, abs=1e-4)


def test_sss_hides_what_the_unrelated_sentence_does_not_share(tmp_path: Path) -> None:
    pairs = example_pairs().iloc[:1].copy()
    texts = [
        "the nurse said that she is good",
        "the nurse said that he is good",
        "the nurse said that tired is good",
    ]
    pairs[["stereotype", "antistereotype", "unrelated"]] = texts
    model = load(tiny_model("bert", tmp_path), CPU, with_attention=True)
    tokenizer = model.tokenizer
    scores = []
    for text in texts:
        ids = tokenizer(text)["input_ids"]
        common = tokenizer("the nurse said that")["input_ids"][:-1]
        places = range(len(common), len(ids) - len(tokenizer("is good")["input_ids"][1:]))
        hidden = [tokenizer.mask_token_id if at in places else id_ for at, id_ in enumerate(ids)]
        with torch.inference_mode():
            of_all = model.network(torch.tensor([hidden])).logits[0].double().log_softmax(-1)
        scores.append(np.mean([float(of_all[at, ids[at]]) for at in places]))
    found = margins_of(model, ("SSS",), pairs)["SSS", "corrected"]
    assert found[:, 0] == pytest.approx([scores[0] - scores[2], scores[1] - scores[2]], abs=1e-4)
