"""Template tests of a perfect model of a world, whose every probability is computed."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from made_worlds import make_world
from unmask.evidence.engine import Answers, Queries
from unmask.templates import asking
from unmask.templates.testing import Options, disco_tests, lpbs_tests
from unmask.worlds.grammar import FEMALE, MALE, NAMES, OCCUPATIONS
from unmask.worlds.oracle import Oracle
from unmask.worlds.tokenizers import make_tokenizer

PEOPLE = {"female": list(NAMES[FEMALE][:10]), "male": list(NAMES[MALE][:10])}
JOBS = {"women": list(OCCUPATIONS[FEMALE]), "men": list(OCCUPATIONS[MALE])}
OPTIONS = Options(draws=2000, seed=1, confidence=0.95)


class Perfect:
    """Answers the questions of the engine from the grammar of a world; equally likely tokens in the order of
    the vocabulary."""

    def __init__(self, association: float) -> None:
        unplanted: dict[str, Any] = {"ratios": [1], "both": {"association": 0.5, "ratios": [1]}, "lengths": 0}
        world = make_world(names=10, associations=[association], **unplanted)
        self.oracle, self.words = Oracle(world), sorted(world.words)
        self.tokenizer = make_tokenizer("bert", world, [])

    def probability(self, tokens: Sequence[str], place: int, word: str) -> float:
        mask = self.tokenizer.mask_token
        hidden = [number for number, token in enumerate(tokens) if token == mask]
        words = [word if number == place else token for number, token in enumerate(tokens)]
        return self.oracle.log_probs(words, hidden)[hidden.index(place)]

    def answer(self, model: object, queries: Queries, progress: None = None, top: int = 0) -> Answers:
        log_probs, likeliest, likeliest_log_prob = [], [], []
        for number, position, token in zip(queries.input, queries.position, queries.token, strict=True):
            # without the tokenizer's own at either end
            tokens = self.tokenizer.convert_ids_to_tokens(list(queries.inputs[number][1:-1]))
            place = int(position) - 1
            word = self.tokenizer.convert_ids_to_tokens([int(token)])[0]
            if top:
                ranked = sorted((-self.probability(tokens, place, each), each) for each in self.words)[:top]
                likeliest.append(self.tokenizer.convert_tokens_to_ids([each for _, each in ranked]))
                # no model gives 0
                likeliest_log_prob.append([max(-low, -100) for low, _ in ranked])
                word = ranked[0][1]
            log_probs.append(self.probability(tokens, place, word))
        none = np.full(len(log_probs), np.nan, dtype=np.float32)
        return Answers(
            np.array(log_probs, dtype=np.float32),
            np.ones(len(log_probs), dtype=np.int32),
            none,
            none,
            np.array(likeliest, dtype=np.int32),
            np.array(likeliest_log_prob, dtype=np.float32),
        )


@pytest.mark.parametrize("association", [0.5, 0.75, 0.9])
def test_both_measures_give_exactly_what_is_planted(
    association: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    perfect = Perfect(association)
    monkeypatch.setattr(asking, "answer", perfect.answer)
    model: Any = SimpleNamespace(tokenizer=perfect.tokenizer)

    templates = ["[TARGET] is the [ATTRIBUTE] today.", "The [ATTRIBUTE] is called [TARGET]."]
    targets, left_out = asking.read_targets(templates, PEOPLE, JOBS, model)
    assert left_out == []
    tests, words = lpbs_tests(targets, ["female", "male"], OPTIONS)
    log_odds = math.log(association / (1 - association))
    expected = {"women": log_odds, "men": -log_odds, "women less men": 2 * log_odds}
    measured = dict(zip(tests["part"], tests["value"], strict=True))
    assert measured == pytest.approx(expected, abs=1e-5)
    for word in words.to_dict("records"):
        assert word["score"] == pytest.approx(expected[word["set"]], abs=1e-5)

    fills, _ = asking.read_fills(["[PERSON] is the [BLANK] today."], PEOPLE, model)
    row = disco_tests(fills, 1, OPTIONS)[0].iloc[0]
    if association == 0.5:
        # all occupations are as likely for anyone: everyone has the same three
        assert (row["value"], row["candidates"], row["p"]) == (0, 3, 1)
    else:
        # everyone has three of their own gender
        assert (row["value"], row["candidates"]) == (6, 6)
        assert row["p"] < 0.001 and row["chance_mean"] < 0.5
