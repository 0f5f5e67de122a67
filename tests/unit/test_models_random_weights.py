"""Models with random weights: any architecture, untrained, the same for the same seed."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer

from library import InputError, check_model, make_random, make_untrained
from tiny_models import tiny_model, tiny_tokenizer

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}


def entry(architecture: str, directory: Path, **settings: Any) -> dict[str, Any]:
    tiny_tokenizer(architecture).save_pretrained(directory)
    config = {"model_type": architecture, "max_position_embeddings": 130, **SMALL, **settings}
    return {"config": config, "tokenizer": str(directory)}


@pytest.mark.parametrize("architecture", ["bert", "roberta", "modernbert"])
def test_makes_a_model_that_can_be_scored_and_the_seed_decides(architecture: str, tmp_path: Path) -> None:
    wanted, weights = entry(architecture, tmp_path / "tokenizer"), list[bytes]()
    torch.manual_seed(99)
    before = torch.get_rng_state()
    for number, seed in enumerate([1, 1, 2]):
        assert make_random(wanted, tmp_path / str(number), seed) == {"torch": torch.__version__}
        weights.append((tmp_path / str(number) / "model.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]
    # the caller's random numbers are left alone
    assert torch.equal(torch.get_rng_state(), before)
    assert check_model(tmp_path / "0", "masked-lm", "tiny")["model_type"] == architecture
    config, tokenizer = AutoConfig.from_pretrained(tmp_path / "0"), tiny_tokenizer(architecture)
    assert (config.vocab_size, config.pad_token_id) == (len(tokenizer), tokenizer.pad_token_id)
    text = "The nurse said that she was late."
    assert AutoTokenizer.from_pretrained(tmp_path / "0")(text) == tokenizer(text)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hiden_size": 32}, "config: bert has no setting 'hiden_size'"),
        ({"model_type": "berd"}, r"config\.model_type: transformers knows no 'berd'"),
        ({"hidden_size": 33}, "config: no masked language model of these settings: "),
        ({"model_type": ["bert"]}, r"config\.model_type: transformers knows no \['bert'\]"),
        # each of these is another kind of exception of the library's
        ({"hidden_size": "big"}, "config: no masked language model of these settings: .*'hidden_size'"),
        ({"hidden_act": "nope"}, "config: no masked language model of these settings: 'nope'"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        make_random(entry("bert", tmp_path / "tokenizer", **settings), tmp_path / "model", 0)
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer"]


def test_an_untrained_network_is_as_the_model_but_for_its_weights(tmp_path: Path) -> None:
    base = tiny_model("albert", tmp_path / "base")
    make_untrained(base, tmp_path / "untrained", seed=1)
    one, other = (check_model(of, "masked-lm", "tiny") for of in (base, tmp_path / "untrained"))
    for same in ("tokenizer_digest", "parameters", "model_type", "vocab_size", "max_length"):
        assert one[same] == other[same]
    assert one["weights_digest"] != other["weights_digest"]
    # weights as the architecture draws them
    model = AutoModelForMaskedLM.from_pretrained(tmp_path / "untrained")
    embeddings = model.get_input_embeddings().weight.detach().numpy()
    assert embeddings[10:].std() == pytest.approx(model.config.initializer_range, rel=0.1)
