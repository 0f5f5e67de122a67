"""Tiny causal language models trained on a world: what they read, their gate, and what LL finds in them."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from made_worlds import make_world
from unmask.evidence.collecting import collect_evidence
from unmask.measures.scoring import score_pairs
from unmask.models.detecting import DECODERS
from unmask.models.devices import pick_device
from unmask.models.kinds import check_model
from unmask.models.loading import load
from unmask.models.start import Start
from unmask.terms import CORRECTED, LEFT, ORIGINAL
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import ASSOCIATION, frames, text_of, words_of
from unmask.worlds.recipe import Corruption, Recipe
from unmask.worlds.training import GATE_FILE, _left_log_odds, _questions, check_learnt, train

WORLD = make_world(0)
CORRUPTION = Corruption(0.6, 0.2, 0.2)


def log_prob(model: Any, tokenizer: Any, text: str) -> float:
    """log P(sentence), one token after the other."""
    ids = [tokenizer.bos_token_id, *tokenizer(text)["input_ids"]]
    total = 0.0
    for end in range(1, len(ids)):
        with torch.no_grad():
            total += float(model(torch.tensor([ids[:end]])).logits[0, -1].log_softmax(-1)[ids[end]])
    return total


@pytest.mark.parametrize("architecture", DECODERS)
def test_the_gate_of_a_decoder_compares_whole_sentences(architecture: str, tmp_path: Path) -> None:
    train(draw_corpus(WORLD, 2000), architecture, 0, tmp_path, WORLD, CORRUPTION, recipe=Recipe(steps=5))
    check_model(tmp_path, "causal-lm", "tiny")
    assert check_model(tmp_path, "causal-lm", "tiny")["start"]["token"] == "<|endoftext|>"
    gate = check_learnt(tmp_path, WORLD, strict=False)
    assert gate == json.loads((tmp_path / GATE_FILE).read_text())
    model: Any = AutoModelForCausalLM.from_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    asked = list(_questions(WORLD))
    for _, template, associated, other in asked[:: len(asked) // 12]:
        found = _left_log_odds(model, tokenizer, template, [(associated, other)])
        expected = [
            log_prob(model, tokenizer, text_of(words_of(frame, associated)))
            - log_prob(model, tokenizer, text_of(words_of(frame, other)))
            for frame in frames(template)
        ]
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("architecture", DECODERS)
def test_a_trained_decoder_passes_the_gate_and_ll_finds_the_association(
    architecture: str, tmp_path: Path
) -> None:
    train(draw_corpus(WORLD, 40000), architecture, 0, tmp_path, WORLD, CORRUPTION)
    gate = check_learnt(tmp_path, WORLD)
    assert gate["learnt"]
    rows = []
    for number, contrast in enumerate(each for each in WORLD.contrasts if each.factor == ASSOCIATION):
        frame = frames(contrast.templates[0])[0]
        sides = [{**contrast.shared, **side} for side in (contrast.stereotype, contrast.antistereotype)]
        rows.append((str(number), contrast.p, *(text_of(words_of(frame, side)) for side in sides), None))
    pairs = pd.DataFrame(rows, columns=["pair_id", "p", "stereotype", "antistereotype", "unrelated"])
    model = load(
        tmp_path, pick_device("cpu"), False, start=Start.of(check_model(tmp_path, "causal-lm", "tiny"))
    )
    scores = score_pairs(
        list(pairs["pair_id"]), {LEFT: collect_evidence(pairs, model, LEFT, ORIGINAL)}, ["LL"]
    )
    margin = scores[scores["protocol"] == CORRECTED]["margin"].to_numpy()
    for p in (0.75, 0.9):
        of_level = margin[(pairs["p"] == p).to_numpy()]
        assert (of_level > 0).mean() >= 0.9
        assert of_level.mean() == pytest.approx(math.log(p / (1 - p)), abs=0.75)
