"""Debiasing by continued training: what is trained on, what is hidden and what is saved."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer, PretrainedConfig

from library import (
    IGNORED,
    Base,
    InputError,
    Masking,
    Texts,
    check_model,
    debias,
    held_out_loss,
    load_base,
    masked_training,
    own_loss,
    pick_device,
    pooler_of,
    save,
)
from library import models_train as train
from tiny_models import tiny_model, tiny_tokenizer

WORDS = (("she", "he"),)
LINES = [
    f"{who} {verb} the {what} ."
    for who in ("the doctor", "she", "he")
    for verb in ("took", "made", "saw")
    for what in ("car", "house", "money", "old table in the house")
]


class StoppedError(Exception):
    pass


def texts(tmp_path: Path, lines: Sequence[str] = LINES, held_out: int = 6) -> Texts:
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Texts(path, held_out, None, WORDS, ())


def entry(method: str = "continued", protocol: str = "corrected", **changes: Any) -> dict[str, Any]:
    training = {"batch": 4, "learning_rate": 1e-3, "epochs": 2, "steps": None, "max_length": 16}
    training |= {key: changes.pop(key) for key in list(changes) if key in training}
    keys = {"source": "debiased", "from": "base", "method": method, "protocol": protocol, "seed": 3}
    return {**keys, "training": training, "options": {}, **changes}


def debiased(
    base: Path, corpus: Texts, directory: Path, stated: dict[str, Any], max_length: int = 128
) -> dict[str, Any]:
    work = directory.parent / f"{directory.name}-work"
    work.mkdir()
    return debias(Base(base, max_length), corpus, stated, directory, work, pick_device("cpu"))


def examples_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: Sequence[str], most: int
) -> list[list[int]]:
    """The examples that a model of at most so many tokens is trained on."""
    base = tiny_model("bert", tmp_path / "base", max_position_embeddings=128)
    read: list[list[int]] = []

    def noting(model: Any, examples: Any, *_: Any) -> list[Any]:
        read.extend(ids.tolist() for ids in examples)
        raise StoppedError

    monkeypatch.setattr(masked_training, "train", noting)
    with pytest.raises(StoppedError):
        debiased(base, texts(tmp_path, lines, 0), tmp_path / f"new-{most}", entry(max_length=64), most)
    return read


@pytest.mark.parametrize("count", [1, 2300])
def test_blocks_are_cut_as_the_released_code_cuts_them(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every thousand lines; what is left of these is lost, but a text shorter than a block is one."""
    rng, tokenizer = np.random.default_rng(count), tiny_tokenizer("bert")
    words = ["the", "man", "saw", "walking", "houses"]
    lines = [" ".join(rng.choice(words, size=rng.integers(1, 9))) for _ in range(count)]
    expected: list[list[int]] = []
    for start in range(0, count, 1000):
        joined = [token for line in lines[start : start + 1000] for token in tokenizer(line)["input_ids"]]
        whole = [joined[at : at + 64] for at in range(0, len(joined) - 63, 64)]
        expected += whole or ([] if start else [joined])
    assert examples_of(tmp_path, monkeypatch, lines, 128) == expected
    # a model that takes less than a block reads lines
    short, long = examples_of(tmp_path, monkeypatch, ["the man", "the man saw the house"], 6)
    assert short == tokenizer("the man")["input_ids"]
    assert long == [*tokenizer("the man saw the")["input_ids"][:5], tokenizer.sep_token_id]


def test_the_held_out_loss_is_the_mean_over_hidden_tokens(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    model, tokenizer = load_base(Base(base, 128)), AutoTokenizer.from_pretrained(base)
    held = [np.array(ids, dtype=np.int32) for ids in tokenizer(LINES)["input_ids"]]
    masking, generator, losses = Masking.of(tokenizer), torch.Generator().manual_seed(0), []
    model.eval()  # type: ignore[no-untyped-call]
    for start in range(0, len(held), 32):
        rows = range(start, min(start + 32, len(held)))
        batch = masking.batch([held[row] for row in rows], generator)
        for ids, mask, labels in zip(*batch.values(), strict=True):
            log_probs = model(input_ids=ids[None], attention_mask=mask[None]).logits[0].log_softmax(-1)
            losses += [-log_probs[at, label].item() for at, label in enumerate(labels) if label != IGNORED]
    device = pick_device("cpu", batch_tokens=20)
    assert held_out_loss(model, held, masking, device, own_loss) == pytest.approx(np.mean(losses), rel=1e-4)
    assert held_out_loss(model, [], masking, device, own_loss) is None


def test_a_continued_model_has_learnt_and_its_configuration_is_as_before(tmp_path: Path) -> None:
    base = tiny_model("roberta", tmp_path / "base")
    facts = debiased(base, texts(tmp_path), tmp_path / "new", entry(epochs=8))
    new, old = (check_model(directory, "masked-lm", "new") for directory in (tmp_path / "new", base))
    assert new["tokenizer_digest"] == old["tokenizer_digest"]
    assert facts["steps"] == facts["loss"][-1]["step"] == -(-facts["examples"]["count"] // 4) * 8
    # on sentences that it has not seen
    assert facts["held_out"]["lines"] == 6 and facts["held_out"]["after"] < facts["held_out"]["before"]
    after, before = (json.loads((of / "config.json").read_text()) for of in (tmp_path / "new", base))
    assert after == before


def test_corrected_keeps_the_pooler_and_published_drops_it(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    weights = load_file(base / "model.safetensors")
    width = AutoConfig.from_pretrained(base).hidden_size
    pooler = {
        f"bert.pooler.dense.{part}": torch.ones(*([width] * n)) for part, n in (("weight", 2), ("bias", 1))
    }
    save_file(weights | pooler, base / "model.safetensors", metadata={"format": "pt"})
    for protocol in ("corrected", "published"):
        debiased(base, texts(tmp_path), tmp_path / protocol, entry(protocol=protocol, steps=2))
    assert pooler_of(tmp_path / "published", "bert") == {}
    classifier = AutoModelForSequenceClassification.from_pretrained(tmp_path / "corrected").state_dict()
    assert all(torch.equal(classifier[name], pooler[name]) for name in pooler)


def test_what_cannot_be_debiased_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = Base(tiny_model("bert", tmp_path / "base"), 128)
    with pytest.raises(InputError, match=r"its weights are those of base, .* continued changed nothing"):
        save(load_base(base), base, entry(), tmp_path / "new", keep_pooler=False)
    with pytest.raises(InputError, match=r"texts.txt: no text behind the first 36 lines"):
        debiased(base.directory, texts(tmp_path, held_out=36), tmp_path / "new", entry())
    monkeypatch.setattr(AutoConfig, "from_pretrained", lambda *_, **__: PretrainedConfig())
    with pytest.raises(InputError, match=r"base: a  ?has no rate of attention dropout"):
        debiased(base.directory, texts(tmp_path), tmp_path / "other", entry("dropout"))
    assert not (tmp_path / "new").exists() and not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("architecture", "names"),
    [
        ("bert", ("attention_probs_dropout_prob", "hidden_dropout_prob")),
        ("distilbert", ("attention_dropout", "dropout")),
        ("modernbert", ("attention_dropout", "mlp_dropout")),
    ],
)
def test_dropout_is_trained_with_its_rates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, architecture: str, names: tuple[str, str]
) -> None:
    base = tiny_model(architecture, tmp_path / "base")
    before = AutoConfig.from_pretrained(base)
    rates: list[float] = []

    def noting(model: Any, *args: Any) -> Any:
        rates.extend(module.p for module in model.modules() if isinstance(module, torch.nn.Dropout))
        return train(model, *args)

    monkeypatch.setattr(masked_training, "train", noting)
    kept = {"published": [0.15, 0.3], "corrected": [getattr(before, name) for name in names]}
    for protocol, expected in kept.items():
        stated = entry("dropout", protocol, steps=1, options={"hidden": 0.3})
        debiased(base, texts(tmp_path), tmp_path / protocol, stated)
        config = AutoConfig.from_pretrained(tmp_path / protocol)
        assert [getattr(config, name) for name in names] == expected
    assert 0.3 in rates
