import json
import math
import random
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from library import (
    DECODERS,
    MAX_LENGTH,
    SPLIT_PEOPLES,
    TOLERANCE,
    InputError,
    World,
    check_learnt,
    draw_corpus,
    frames,
    is_learnt,
    make_tokenizer,
    text_of,
    train,
    warmed_up,
)
from library import worlds_words_of as words_of
from made_worlds import DOSED, NAMED, make_world

WORLD = make_world(0)
LINES = draw_corpus(WORLD, 10_000)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_tokenizers_split_only_the_split_words_and_survive_saving(architecture: str, tmp_path: Path) -> None:
    every = make_world(**DOSED | {"lengths": 10})
    assert every.split_words == SPLIT_PEOPLES
    for world, lines in ((WORLD, LINES), (every, draw_corpus(every, 40_000))):
        made = make_tokenizer(architecture, world, lines)
        made.save_pretrained(tmp_path / world.name)
        loaded: Any = AutoTokenizer.from_pretrained(tmp_path / world.name)
        assert type(loaded).__name__.lower() == f"{architecture}tokenizer"
        assert loaded.model_max_length == MAX_LENGTH
        texts = [text_of(sentence.words) for sentence in world.sentences]
        token_ids = loaded(texts)["input_ids"]
        assert token_ids == made(texts)["input_ids"]
        for sentence, ids in zip(world.sentences, token_ids, strict=True):
            pieces = [piece for word in sentence.words for piece in SPLIT_PEOPLES.get(word, (word,))]
            tokens = loaded.convert_ids_to_tokens(ids[1:-1])
            assert [token.strip("Ġ▁#").lower() for token in tokens] == [piece.lower() for piece in pieces]
    ids = loaded(f"The nurse finished {loaded.mask_token} report.")["input_ids"]
    assert ids.count(loaded.mask_token_id) == 1
    special = loaded.get_special_tokens_mask(ids, already_has_special_tokens=True)
    assert [special[0], special[-1]] == [1, 1]


Words = tuple[str, ...]


@torch.inference_mode()
def log_odds_alone(directory: Path, asked: list[tuple[Words, Words]]) -> list[float]:
    """log P(own) - log P(other) of the one word in which two sentences differ, each read by itself.

    Of a decoder the log-probabilities are those of the two sentences.
    """
    tokenizer = AutoTokenizer.from_pretrained(directory)
    network: Any = AutoModelForCausalLM if tokenizer.mask_token is None else AutoModelForMaskedLM
    model, log_odds = network.from_pretrained(directory).eval(), []
    for sentences in asked:
        one, other = (tokenizer(text_of(words))["input_ids"] for words in sentences)
        if tokenizer.mask_token is None:
            whole = (torch.tensor([[tokenizer.bos_token_id, *ids]]) for ids in (one, other))
            own, others = (-len(ids[0, 1:]) * model(ids, labels=ids).loss.item() for ids in whole)
            log_odds.append(own - others)
        else:
            [place] = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
            hidden = torch.tensor([[*one[:place], tokenizer.mask_token_id, *one[place + 1 :]]])
            logits = model(input_ids=hidden).logits[0, place]
            log_odds.append(float(logits[one[place]] - logits[other[place]]))
    assert len(log_odds) > 100
    return log_odds


def asked_of_gender(world: World) -> list[tuple[Words, Words]]:
    """Of occupations with p = .9 every sentence that shows the gender in one word, with either gender."""
    asked = [
        (words_of(frame, {**c.shared, **c.stereotype}), words_of(frame, {**c.shared, **c.antistereotype}))
        for c in world.contrasts
        if c.factor == "association" and c.p == 0.9
        for template in c.templates
        for frame in frames(template)
    ]
    return [(a, b) for a, b in asked if sum(x != y for x, y in zip(a, b, strict=True)) == 1]


@pytest.mark.parametrize(
    ("architecture", "of_world"), [("bert", {}), ("roberta", NAMED), ("albert", {}), ("gpt2", {})]
)
def test_the_gates_log_odds_equal_one_sentence_at_a_time(
    tmp_path: Path, architecture: str, of_world: dict[str, Any]
) -> None:
    world = make_world(**of_world)
    train(draw_corpus(world, 4000), architecture, 1, tmp_path, world, tmp_path, steps=2)
    gate = check_learnt(tmp_path, world, "m", strict=False)
    levels = {(level["factor"], level["p"], level["ratio"]): level["log_odds"] for level in gate["levels"]}
    alone = fmean(log_odds_alone(tmp_path, asked_of_gender(world)))
    assert levels["association", 0.9, 1] == pytest.approx(alone, abs=1e-4)


LEARNT: dict[float, tuple[list[float], list[float]]] = {
    0.5: ([0.74, -0.74], [-0.76, math.nan]),
    # what is nearer to nothing
    0.6: ([0.21], [0.19, 0.0]),
    0.9: ([1.45], [1.44]),
    # log-odds 2.75 stand for .940, logit(.99) is 4.6
    0.99: ([2.76], [2.75]),
    0.01: ([-2.76], [-2.75]),
    0.999: ([900.0], []),
}
"""By P(stereotyped gender): log-odds of models that learnt it, and of others."""


def test_the_gate_asks_for_log_odds_and_near_0_and_1_for_probabilities() -> None:
    for p, (learnt, others) in LEARNT.items():
        assert all(is_learnt(each, p) for each in learnt), p
        assert not any(is_learnt(each, p) for each in others), p


def test_the_rate_rises_for_a_twentieth_of_the_steps_and_falls_to_0() -> None:
    expected = [1 / 2, 1, *((40 - step) / 38 for step in range(2, 40))]
    assert [warmed_up(step, 40) for step in range(40)] == pytest.approx(expected)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_a_name_is_predicted_as_often_wherever_it_stands(
    architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte pairs read a name that begins a sentence as another token than one behind a space."""
    world, drawn = make_world(**NAMED), dict[bool, list[bool]]()
    names = {*world.names_of("female"), *world.names_of("male")}
    lines = draw_corpus(world, 8000)

    def one_batch(model: Any, examples: Any, collate: Any, *rest: Any, **more: Any) -> None:
        predicted = (collate(examples)["labels"] >= 0).tolist()
        for line, of_line in zip(lines, predicted, strict=True):
            for place, word in enumerate(line.rstrip(".").split()):
                if word in names:
                    drawn.setdefault(place == 0, []).append(of_line[1 + place])

    monkeypatch.setattr("unmask.models.training.train", one_batch)
    train(lines, architecture, 0, tmp_path, world, tmp_path)
    assert [fmean(drawn[first]) for first in (True, False)] == pytest.approx([0.4, 0.4], abs=0.04)


def test_training_follows_from_what_is_stated_alone(tmp_path: Path) -> None:
    def trained(name: str, seed: int = 3, steps: int = 2) -> dict[str, bytes]:
        random.seed(name)
        torch.manual_seed(len(name))
        train(LINES[:2000], "albert", seed, tmp_path / name, WORLD, tmp_path, steps=steps)
        return {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}

    first, none = trained("first"), trained("none", steps=0)
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} <= set(first)
    assert trained("again") == first and trained("none again", steps=0) == none
    # no steps leave a network as its seed made it
    assert len({each["model.safetensors"] for each in (first, trained("seed", 4), none)}) == 3


def test_a_model_that_learnt_nothing_is_refused_or_says_so(tmp_path: Path) -> None:
    train(LINES[:2000], "bert", 0, tmp_path, WORLD, tmp_path, steps=1)
    with pytest.raises(InputError, match="model m did not learn the planted association: log-odds ") as fault:
        check_learnt(tmp_path, WORLD, "m")
    assert "instead of 2.20 (association, p = 0.9, ratio 1)" in str(fault.value)
    gate = check_learnt(tmp_path, WORLD, "m", strict=False)
    assert json.loads((tmp_path / "gate.json").read_text(encoding="utf-8")) == gate
    assert not gate["learnt"] and gate["levels"][3]["truth"] == pytest.approx(math.log(9))


@pytest.mark.thorough
@pytest.mark.parametrize("architecture", ["bert", *DECODERS])
def test_a_trained_model_passes_the_gate(architecture: str, tmp_path: Path) -> None:
    train(draw_corpus(WORLD, 40_000), architecture, 0, tmp_path, WORLD, tmp_path)
    levels = check_learnt(tmp_path, WORLD, "m")["levels"]
    assert [(level["factor"], level["p"], level["ratio"]) for level in levels] == [
        *(("association", p, 1) for p in (0.5, 0.6, 0.75, 0.9)),
        *(("both", 0.8, ratio) for ratio in (1, 4, 8)),
    ]
    assert all(abs(level["log_odds"] - level["truth"]) < TOLERANCE for level in levels)
    assert [level["truth"] for level in levels[:4]] == pytest.approx([0, 0.405, 1.099, 2.197], abs=1e-3)
    log_odds = log_odds_alone(tmp_path, asked_of_gender(WORLD))
    assert sum(each > 0 for each in log_odds) / len(log_odds) >= 0.95
