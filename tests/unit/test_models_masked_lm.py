"""Models fit for scoring pass, others are refused in one line; manifests describe what is there."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer

from real_data import real_data
from tiny_models import tiny_config, tiny_model, tiny_tokenizer
from unmask.errors import InputError
from unmask.models.kinds.masked_lm import check, describe


@pytest.mark.parametrize("architecture", ["bert", "albert"])
def test_the_manifest(architecture: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    manifest = describe(directory)
    tokenizer = tiny_tokenizer(architecture)
    model = AutoModelForMaskedLM.from_pretrained(directory)
    assert manifest["model_type"] == architecture
    assert manifest["architectures"] == [type(model).__name__]
    assert manifest["parameters"] == model.num_parameters()
    assert manifest["vocab_size"] == manifest["tokenizer_size"] == len(tokenizer)
    assert (manifest["mask_token"], manifest["mask_token_id"]) == (
        tokenizer.mask_token,
        tokenizer.mask_token_id,
    )
    assert set(manifest["files"]) == {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    for name, facts in manifest["files"].items():
        content = (directory / name).read_bytes()
        assert facts == {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    json.dumps(manifest)


@pytest.mark.parametrize("architecture", ["bert", "mpnet", "modernbert", "deberta-v2"])
def test_the_longest_sentence_is_the_longest(architecture: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    longest = describe(directory)["max_length"]
    assert longest == (None if architecture == "deberta-v2" else 128)
    model = AutoModelForMaskedLM.from_pretrained(directory)
    # any ordinary token will do
    ids = torch.full((1, 129), 10)
    with torch.inference_mode():
        assert model(input_ids=ids[:, :128]).logits.shape[1] == 128
        if architecture in ("deberta-v2", "modernbert"):
            # relative and rotary positions have no table that ends
            assert model(input_ids=ids).logits.shape[1] == 129
        else:
            with pytest.raises((IndexError, RuntimeError)):
                model(input_ids=ids)


def test_the_tokenizer_may_allow_less(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    edit(directory, "tokenizer_config.json", model_max_length=64)
    assert describe(directory)["max_length"] == 64


def test_digests_follow_what_they_name(tmp_path: Path) -> None:
    first = describe(tiny_model("bert", tmp_path / "a"))
    assert describe(tiny_model("bert", tmp_path / "b")) == first
    other = describe(tiny_model("bert", tmp_path / "c", seed=1))
    assert other["tokenizer_digest"] == first["tokenizer_digest"]
    assert other["weights_digest"] != first["weights_digest"]
    assert other["digest"] != first["digest"]
    edit(tmp_path / "a", "tokenizer_config.json", model_max_length=64)
    changed = describe(tmp_path / "a")
    assert changed["weights_digest"] == first["weights_digest"]
    assert changed["tokenizer_digest"] != first["tokenizer_digest"]


def test_files_that_are_not_loaded_do_not_count(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    first = describe(directory)
    for name in ("README.md", "optimizer.pt", "pytorch_model.bin"):
        (directory / name).write_text("other")
    assert describe(directory) == first


def edit(directory: Path, name: str, **settings: Any) -> None:
    content = json.loads((directory / name).read_text())
    (directory / name).write_text(json.dumps(content | settings))


def save_as(model_class: str, directory: Path) -> None:
    """Replace the weights by those of another kind of model of the same configuration."""
    getattr(transformers, model_class)(AutoConfig.from_pretrained(directory)).save_pretrained(directory)


def change_weights(directory: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    weights = load_file(directory / "model.safetensors")
    change(weights)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})


def other_language_model(model_type: str, directory: Path, **settings: Any) -> Path:
    tokenizer = tiny_tokenizer("roberta")
    config = AutoConfig.for_model(model_type, vocab_size=len(tokenizer), **settings)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(directory)  # type: ignore[no-untyped-call]
    tokenizer.save_pretrained(directory)
    return directory


def refused(directory: Path, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check(directory, "tiny")
    assert str(caught.value).startswith("model tiny: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("architecture", "model_class", "weight"),
    [
        ("bert", "BertModel", r"cls\.predictions"),
        ("roberta", "RobertaForSequenceClassification", r"lm_head"),
        ("electra", "ElectraForPreTraining", r"generator_"),
        ("deberta-v2", "DebertaV2Model", r"cls\.predictions"),
        ("distilbert", "DistilBertModel", r"vocab_"),
        ("mpnet", "MPNetModel", r"lm_head"),
        ("modernbert", "ModernBertModel", r"head"),
        ("albert", "AlbertModel", r"predictions"),
    ],
)
def test_a_missing_head_is_refused(architecture: str, model_class: str, weight: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    save_as(model_class, directory)
    refused(
        directory, f"lacks weights of the masked language model, which would be drawn at random .*{weight}"
    )


def renamed(weights: dict[str, torch.Tensor], old: str, new: str) -> None:
    for name in [name for name in weights if name.startswith(old)]:
        weights[new + name.removeprefix(old)] = weights.pop(name)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("", "_orig_mod.", r"it has \d+ of them under the prefix '_orig_mod\.'"),
        ("", "module.", r"it has \d+ of them under the prefix 'module\.'"),
        ("", "model.", r"it has \d+ of them under the prefix 'model\.'"),
        ("", "_orig_mod.module.", r"it has \d+ of them under the prefix '_orig_mod\.module\.'"),
        ("cls.", "my_head.", r"it has others, which are not used \(my_head\.predictions\."),
    ],
)
def test_weights_of_other_names_are_named(old: str, new: str, line: str, tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    change_weights(directory, lambda weights: renamed(weights, old, new))
    refused(directory, rf"lacks weights of the masked language model, .*\): {line}")


@pytest.mark.parametrize(
    "names", [["model.fp16.safetensors"], ["model-00001-of-00002.safetensors"], ["tf_model.h5"], []]
)
def test_weights_in_other_files_are_named(names: list[str], tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    weights = directory / "model.safetensors"
    for name in names:
        shutil.copy(weights, directory / name)
    weights.unlink()
    refused(directory, f"no weights .*index{'; it has ' + names[0] if names else ''}\\)$")


def test_missing_weights_of_the_body_are_refused(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    key = "bert.encoder.layer.1.attention.self.query.weight"
    change_weights(directory, lambda weights: weights.pop(key))
    refused(directory, rf"drawn at random \({key}\)")


def test_more_than_needed_is_no_fault(tmp_path: Path) -> None:
    """A pooler, a second task's head, and buffers of older versions are of no concern."""
    directory = tiny_model("bert", tmp_path)
    save_as("BertForPreTraining", directory)
    position = torch.arange(128)[None]
    change_weights(directory, lambda weights: weights.update({"bert.embeddings.position_ids": position}))
    check(directory, "tiny")


def test_the_names_of_the_first_checkpoints_are_known(tmp_path: Path) -> None:
    """BERT's own weights still call a normalisation's weight and bias gamma and beta."""
    directory = tiny_model("bert", tmp_path)
    expected = AutoModelForMaskedLM.from_pretrained(directory).state_dict()

    def rename(weights: dict[str, torch.Tensor]) -> None:
        for key in [key for key in weights if "LayerNorm" in key]:
            old = key.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            )
            weights[old] = weights.pop(key) + 1

    change_weights(directory, rename)
    check(directory, "tiny")
    got = AutoModelForMaskedLM.from_pretrained(directory).state_dict()
    for key, weights in expected.items():
        assert torch.equal(got[key], weights + 1 if "LayerNorm" in key else weights)


def test_a_tied_decoder_is_not_missed(tmp_path: Path) -> None:
    directory = tiny_model("roberta", tmp_path)
    assert not any("decoder" in key for key in load_file(directory / "model.safetensors"))
    check(directory, "tiny")


def test_a_head_of_nothing_but_embeddings_is_not_missed(tmp_path: Path) -> None:
    """BART predicts with its embeddings and a bias that is zero where a checkpoint has none."""
    directory = tiny_model("bart", tmp_path)
    save_as("BartModel", directory)
    check(directory, "tiny")


def test_pickled_weights_pass(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    torch.save(load_file(directory / "model.safetensors"), directory / "pytorch_model.bin")
    (directory / "model.safetensors").unlink()
    check(directory, "tiny")
    assert "pytorch_model.bin" in describe(directory)["files"]


def test_weights_in_shards_pass(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    whole = describe(directory)
    model = AutoModelForMaskedLM.from_pretrained(directory)
    (directory / "model.safetensors").unlink()
    model.save_pretrained(directory, max_shard_size="50KB")
    shards = list(directory.glob("model-*.safetensors"))
    assert len(shards) > 1
    check(directory, "tiny")
    manifest = describe(directory)
    assert {path.name for path in shards} < set(manifest["files"])
    assert manifest["parameters"] == whole["parameters"]
    shards[0].unlink()
    refused(directory, "names model-.*, which is not there")


@pytest.mark.parametrize("spoil", ["truncated", "garbage", "empty"])
@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_corrupt_weights_are_refused(spoil: str, name: str, tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    file = directory / name
    if name == "pytorch_model.bin":
        torch.save(load_file(directory / "model.safetensors"), file)
        (directory / "model.safetensors").unlink()
    content = file.read_bytes()
    file.write_bytes({"truncated": content[:-5000], "garbage": b"\xff" * 5000, "empty": b""}[spoil])
    refused(directory, "its weights cannot be loaded")


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    change_weights(directory, lambda weights: weights["cls.predictions.bias"][3].fill_(float("nan")))
    refused(directory, r"not finite: cls\.predictions\.bias")


def pickled(directory: Path, content: object) -> None:
    """Replace the weights by a pickle of whatever."""
    torch.save(content, directory / "pytorch_model.bin")
    (directory / "model.safetensors").unlink(missing_ok=True)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int8, torch.bool])
def test_weights_that_are_no_floating_point_numbers_are_refused(dtype: torch.dtype, tmp_path: Path) -> None:
    """Whole numbers would load, and score like any others."""
    directory = tiny_model("bert", tmp_path)
    key = "bert.encoder.layer.1.attention.self.query.weight"
    change_weights(directory, lambda weights: weights.update({key: weights[key].to(dtype)}))
    line = r"weights in {} that are not floating-point numbers: bert\.encoder\.layer\.1\.[\w.]+query\.weight$"
    refused(directory, line.format(r"model\.safetensors"))
    pickled(directory, load_file(directory / "model.safetensors"))
    refused(directory, line.format(r"pytorch_model\.bin"))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_weights_of_any_floating_point_numbers_pass(dtype: torch.dtype, tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    change_weights(directory, lambda weights: weights.update({k: v.to(dtype) for k, v in weights.items()}))
    check(directory, "tiny")


def test_counters_and_tensors_that_are_not_loaded_may_be_whole(tmp_path: Path) -> None:
    directory = tiny_model("roberta", tmp_path)
    others = {
        "roberta.embeddings.position_ids": torch.arange(130)[None],
        "optimizer.steps": torch.tensor(3),
    }
    change_weights(directory, lambda weights: weights.update(others))
    check(directory, "tiny")
    pickled(directory, load_file(directory / "model.safetensors"))
    check(directory, "tiny")


class Code:
    """What a pickle can hold beside tensors."""

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return print, ("run",)


def test_a_pickle_with_code_in_it_is_refused_without_advice_to_run_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tiny_model("bert", tmp_path)
    capsys.readouterr()
    pickled(directory, {**load_file(directory / "model.safetensors"), "code": Code()})
    refused(directory, r"pytorch_model\.bin is broken, or holds more than tensors: .* is not read$")
    assert capsys.readouterr().out == ""


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    edit(directory, "config.json", vocab_size=900)
    refused(directory, "weights of another shape than config.json says: ")


def test_more_tokens_than_embeddings_are_refused(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(directory)
    tokenizer.add_tokens(["supercalifragilistic"])
    tokenizer.save_pretrained(directory)
    refused(
        directory,
        f"the tokenizer has ids up to {len(tokenizer) - 1}, the model {len(tokenizer) - 1} embeddings",
    )


@pytest.mark.parametrize(
    ("model_type", "settings"),
    [
        ("gpt2", {"n_embd": 32, "n_layer": 2, "n_head": 4}),
        ("xlnet", {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64}),
    ],
)
def test_other_language_models_are_refused(model_type: str, settings: dict[str, Any], tmp_path: Path) -> None:
    directory = other_language_model(model_type, tmp_path, **settings)
    refused(directory, f"no masked language model of type {model_type}")


def test_a_decoder_is_refused(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    edit(directory, "config.json", is_decoder=True)
    refused(directory, "it is a decoder")


def test_no_mask_token_is_refused(tmp_path: Path) -> None:
    directory = tiny_model("modernbert", tmp_path)
    path = directory / "tokenizer_config.json"
    content = json.loads(path.read_text())
    del content["mask_token"]
    path.write_text(json.dumps(content))
    refused(directory, "its tokenizer has no mask token")


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
@pytest.mark.parametrize("word", ["the", "▁the", "well-known"])
def test_a_word_for_a_mask_token_is_refused(word: str, architecture: str, tmp_path: Path) -> None:
    """Every such word in a sentence would be read as a mask."""
    directory = tiny_model(architecture, tmp_path)
    edit(directory, "tokenizer_config.json", mask_token=word)
    refused(directory, rf"its tokenizer has the word '{word}' for its mask token$")


def test_a_mask_token_that_is_another_special_token_too_is_refused(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    edit(directory, "tokenizer_config.json", mask_token="[UNK]")
    refused(directory, r"its tokenizer's mask token '\[UNK\]' is its unk token too$")


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("config.json", r"no config\.json"),
        ("tokenizer.json", "no tokenizer"),
        ("model.safetensors", "no weights"),
    ],
)
def test_missing_files_are_named(missing: str, message: str, tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    (directory / missing).unlink()
    refused(directory, message)


def test_a_vocabulary_without_its_merges_is_no_tokenizer(tmp_path: Path) -> None:
    directory = tiny_model("roberta", tmp_path)
    (directory / "tokenizer.json").unlink()
    (directory / "vocab.json").write_text(json.dumps(tiny_tokenizer("roberta").get_vocab()))
    refused(directory, "no tokenizer")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunk_size_feed_forward": "all"}, "with its config.json it reads no sentence: "),
        ({"return_dict": False}, "with its config.json it reads no sentence: "),
        ({"layer_norm_eps": float("nan")}, "with its config.json it predicts what is not a number"),
        ({"hidden_size": "big"}, r"its config\.json cannot be used: .*hidden_size"),
        ({"id2label": 5}, r"its config\.json cannot be used: "),
    ],
)
def test_settings_with_which_nothing_is_read_are_refused(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    directory = tiny_model("bert", tmp_path)
    edit(directory, "config.json", **settings)
    refused(directory, message)


@pytest.mark.parametrize("content", ["{", '{"model_type": "unheard-of"}', "[]", "{}"])
def test_an_unusable_configuration_is_refused(content: str, tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    (directory / "config.json").write_text(content)
    refused(directory, r"its config\.json cannot be used|no masked language model")


def test_a_broken_tokenizer_is_refused(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    (directory / "tokenizer.json").write_text("{")
    refused(directory, "its tokenizer cannot be loaded")


def test_no_directory_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "none", "is not a directory")
    (tmp_path / "file").touch()
    refused(tmp_path / "file", "is not a directory")


def test_characters_as_special_tokens_are_refused(tmp_path: Path) -> None:
    """ALBERT's spiece.model alone makes brackets and full stops special."""
    spiece = real_data("tokenizers", "albert-v2", "spiece.model")
    directory = tiny_model("albert", tmp_path)
    (directory / "tokenizer.json").unlink()
    (directory / "tokenizer_config.json").unlink()
    shutil.copy(spiece, directory)
    refused(directory, r"takes .*\( .*for special tokens.*add the model's tokenizer\.json")


def test_a_real_model_passes() -> None:
    directory = real_data("models", "minilm-l6-mlm")
    check(directory, "minilm")
    manifest = describe(directory)
    assert manifest["max_length"] == 512
    assert manifest["mask_token_id"] == 103


def test_tiny_models_are_as_asked(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path, num_hidden_layers=3)
    assert AutoConfig.from_pretrained(directory).num_hidden_layers == 3
    assert tiny_config("bert", tiny_tokenizer("bert")).num_hidden_layers == 2
