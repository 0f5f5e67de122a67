"""The model after fine-tuning: its encoder, under the head for masked words that it had."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForMaskedLM

from library import InputError, check_model, make_classifier, restore
from tiny_models import tiny_model


@pytest.mark.parametrize("architecture", ["bert", "albert", "deberta-v2", "bart"])
def test_the_encoder_changes_and_the_head_stays(architecture: str, tmp_path: Path) -> None:
    origin = tiny_model(architecture, tmp_path / "origin")
    classifier: Any = make_classifier(origin, ("a", "b", "c"), 0).network
    before = AutoModelForMaskedLM.from_pretrained(origin).state_dict()
    restore(origin, classifier, tmp_path / "same")
    same = AutoModelForMaskedLM.from_pretrained(tmp_path / "same").state_dict()
    assert before.keys() == same.keys()
    assert all(torch.equal(before[name], same[name]) for name in before)
    assert (
        check_model(tmp_path / "same", "masked-lm", "tiny")["tokenizer_digest"]
        == check_model(origin, "masked-lm", "tiny")["tokenizer_digest"]
    )

    with torch.no_grad():
        for weights in classifier.parameters():
            weights.add_(0.01)
    restore(origin, classifier, tmp_path / "after")
    check_model(tmp_path / "after", "masked-lm", "after")
    model: Any = AutoModelForMaskedLM.from_pretrained(tmp_path / "after")
    encoder = model.base_model
    for name, weights in encoder.named_parameters():
        assert torch.equal(weights, classifier.base_model.get_parameter(name))
    # what is no encoder's is the origin's, but for a decoder that is the table of embeddings
    inside = {id(weights) for weights in encoder.parameters()}
    decoder = model.get_output_embeddings().weight
    assert id(decoder) in inside
    assert torch.equal(decoder, classifier.base_model.get_input_embeddings().weight)
    outside = {name for name, weights in model.named_parameters() if id(weights) not in inside}
    after = model.state_dict()
    assert outside or architecture in ("bart",)
    assert all(torch.equal(before[name], after[name]) for name in outside)


def test_a_decoder_of_its_own_stays_the_origins(tmp_path: Path) -> None:
    origin = tiny_model("bert", tmp_path / "origin", tie_word_embeddings=False)
    classifier = make_classifier(origin, None, 0).network
    with torch.no_grad():
        classifier.get_parameter("bert.embeddings.word_embeddings.weight").add_(0.01)
    restore(origin, classifier, tmp_path / "after")
    before, after = (AutoModelForMaskedLM.from_pretrained(tmp_path / name) for name in ("origin", "after"))
    assert torch.equal(before.cls.predictions.decoder.weight, after.cls.predictions.decoder.weight)
    assert not torch.equal(*(m.bert.embeddings.word_embeddings.weight for m in (before, after)))


def test_another_models_classifier_is_refused(tmp_path: Path) -> None:
    origin = tiny_model("bert", tmp_path / "origin")
    larger = tiny_model("bert", tmp_path / "larger", intermediate_size=96)
    with pytest.raises(InputError, match="no encoder like its own"):
        restore(origin, make_classifier(larger, None, 0).network, tmp_path / "after")
    assert not (tmp_path / "after").exists()
