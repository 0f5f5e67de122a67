"""Untrained networks: the architecture and the tokenizer of a model, and nothing that it has learnt."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from transformers import AutoModelForMaskedLM

import synthetic
from study_schema import options_with
from tiny_models import tiny_model
from unmask.errors import InputError
from unmask.models.kinds.masked_lm import check, describe
from unmask.models.random_weights import make_untrained
from unmask.statistics.bias import bias_table
from unmask.statistics.decisions import decisions
from unmask.statistics.dependence import Dependence


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_it_has_the_configuration_and_the_tokenizer_and_other_weights(
    tmp_path: Path, architecture: str
) -> None:
    base = tiny_model(architecture, tmp_path / "base")
    make_untrained(base, tmp_path / "untrained", seed=1)
    check(tmp_path / "untrained", "untrained")
    one, other = describe(base), describe(tmp_path / "untrained")
    for same in ("tokenizer_digest", "parameters", "model_type", "vocab_size", "max_length"):
        assert one[same] == other[same]
    assert one["weights_digest"] != other["weights_digest"]
    # weights as the architecture draws them
    model = AutoModelForMaskedLM.from_pretrained(tmp_path / "untrained")
    embeddings = model.get_input_embeddings().weight.detach().numpy()
    assert embeddings[10:].std() == pytest.approx(model.config.initializer_range, rel=0.1)


def test_the_same_seed_gives_the_same_weights_and_another_others(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        make_untrained(base, tmp_path / name, seed)
    one, same, other = (
        (tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "same", "other")
    )
    assert one == same != other


def test_their_scores_stand_beside_the_models() -> None:
    made = synthetic.make(40, seed=1)
    networks = [
        decisions(made.pairs, synthetic.make_scores(made.pairs, np.random.default_rng(s))) for s in (5, 6, 7)
    ]
    alone = Dependence.of([()] * 40)
    own = decisions(made.pairs, made.scores)
    table = bias_table(made.pairs, own, options_with(), alone, untrained=networks)
    tables = [bias_table(made.pairs, network, options_with(), alone)["score"] for network in networks]
    scores = pd.concat(tables, axis=1).to_numpy()
    assert set(table["untrained"]) == {3}
    np.testing.assert_allclose(table["untrained_mean"], scores.mean(axis=1))
    np.testing.assert_allclose(table["untrained_low"], scores.min(axis=1))
    np.testing.assert_allclose(table["untrained_high"], scores.max(axis=1))
    fewer = made.scores[made.scores["measure"] == "AUL"]
    with pytest.raises(InputError, match="their measures are not the study's"):
        bias_table(made.pairs, decisions(made.pairs, fewer), options_with(), alone, untrained=networks)
