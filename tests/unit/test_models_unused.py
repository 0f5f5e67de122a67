"""A checkpoint with tensors that its network does not use is another model than what would be scored."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForMaskedLM, CLIPConfig

import unmask
from running import about_model, run_script
from tiny_models import ARCHITECTURES, tiny_classifier, tiny_model
from tiny_seeing import tiny_seeing
from unmask.code_digest import files_of
from unmask.errors import InputError
from unmask.models.checks import unused
from unmask.models.checks.unused import HARMLESS, check
from unmask.models.kinds import masked_lm
from unmask.plugins import module_file

QUERY = "bert.encoder.layer.1.attention.self.query"


def edit(directory: Path, **settings: Any) -> None:
    path = directory / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def add(directory: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    file = directory / "model.safetensors"
    save_file({**load_file(file), **tensors}, file, metadata={"format": "pt"})


def save_as(model_class: str, directory: Path) -> None:
    """Replace the weights by those of another class of the same configuration."""
    config = AutoConfig.from_pretrained(directory)
    getattr(transformers, model_class)(config).save_pretrained(directory)


def refusal(directory: Path, kind: str = "masked-lm") -> str:
    with pytest.raises(InputError) as caught:
        check(directory, kind, "tiny")
    line = str(caught.value)
    assert line.startswith("model tiny: ") and "\n" not in line
    return line


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    return tiny_model("bert", tmp_path / "model")


def test_layers_beyond_those_of_the_configuration_are_refused(bert: Path) -> None:
    whole = load_file(bert / "model.safetensors")
    second = sorted(key for key in whole if ".layer.1." in key)
    edit(bert, num_hidden_layers=1)
    # without this check the half of it would be scored
    masked_lm.check(bert, "tiny")
    line = refusal(bert)
    assert f" {len(second)} in all" in line and ", ".join(second[:3]) in line
    assert f"and {len(second) - 3} more" in line


def test_an_adapter_that_was_not_merged_is_refused(bert: Path) -> None:
    plain = AutoModelForMaskedLM.from_pretrained(bert).state_dict()
    lora = {f"{QUERY}.lora_A.weight": torch.ones(2, 32), f"{QUERY}.lora_B.weight": torch.ones(32, 2)}
    add(bert, lora)
    # what is loaded is the origin, to the last digit
    loaded = AutoModelForMaskedLM.from_pretrained(bert).state_dict()
    assert all(torch.equal(loaded[key], tensor) for key, tensor in plain.items())
    line = refusal(bert)
    assert all(key in line for key in lora) and " 2 in all" in line and "more" not in line


def test_eight_bits_without_their_scale_are_refused(bert: Path) -> None:
    weight = load_file(bert / "model.safetensors")[f"{QUERY}.weight"]
    scale = weight.abs().max() / 448
    small = (weight / scale).to(torch.float8_e4m3fn)
    add(bert, {f"{QUERY}.weight": small, f"{QUERY}.weight_scale_inv": scale.reshape(1, 1)})
    masked_lm.check(bert, "tiny")
    assert f"{QUERY}.weight_scale_inv" in refusal(bert)


def test_an_adapter_beside_the_weights_is_refused(bert: Path) -> None:
    (bert / "adapter_config.json").write_text("{}")
    assert "adapter_config.json" in refusal(bert)


@pytest.mark.parametrize("architecture", ["bert", "albert", "distilbert"])
def test_a_network_without_layers_is_refused(architecture: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    model = AutoModelForMaskedLM.from_config(  # type: ignore[no-untyped-call]
        AutoConfig.from_pretrained(directory, num_hidden_layers=0)
    )
    model.save_pretrained(directory)
    assert re.search(r"num_hidden_layers is 0", refusal(directory))


@pytest.mark.parametrize("part", ["text_config", "vision_config"])
def test_a_part_without_layers_is_refused(part: str, tmp_path: Path) -> None:
    config: Any = CLIPConfig
    config(**{part: {"num_hidden_layers": 0}}).save_pretrained(tmp_path)
    assert f"{part}.num_hidden_layers is 0" in refusal(tmp_path, "text-encoder")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_masked_language_models_pass_also_as_encoders(architecture: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    check(directory, "text-encoder", "tiny")
    # and one more of any name is noticed
    add(directory, {"one.more.weight": torch.ones(2)})
    assert "one.more.weight" in refusal(directory, "text-encoder")


@pytest.mark.parametrize(
    ("architecture", "model_class"),
    [("bert", "BertForPreTraining"), ("albert", "AlbertForPreTraining")],
)
def test_poolers_and_heads_of_second_tasks_may_be_there(
    architecture: str, model_class: str, tmp_path: Path
) -> None:
    directory = tiny_model(architecture, tmp_path)
    names = set(load_file(directory / "model.safetensors"))
    save_as(model_class, directory)
    assert {key for key in load_file(directory / "model.safetensors") if "pooler" in key} - names
    positions = {f"{architecture}.embeddings.position_ids": torch.arange(128)[None]}
    add(directory, positions)
    for kind in ("masked-lm", "text-encoder"):
        check(directory, kind, "tiny")


@pytest.mark.parametrize(
    ("settings", "model_class"),
    [
        ({"model_type": "fnet", "num_hidden_layers": 1}, "FNetForPreTraining"),
        ({"model_type": "mobilebert", "num_hidden_layers": 1}, "MobileBertForPreTraining"),
        ({"model_type": "big_bird", "num_hidden_layers": 1}, "BigBirdForPreTraining"),
        ({"model_type": "megatron-bert", "num_hidden_layers": 1}, "MegatronBertForPreTraining"),
    ],
)
def test_other_models_of_two_tasks_pass(settings: dict[str, Any], model_class: str, tmp_path: Path) -> None:
    config = AutoConfig.for_model(vocab_size=100, **settings)
    getattr(transformers, model_class)(config).save_pretrained(tmp_path)
    for kind in ("masked-lm", "text-encoder"):
        check(tmp_path, kind, "tiny")


def test_an_encoder_of_a_decoder_or_of_a_classifier_passes(tmp_path: Path) -> None:
    config: Any = AutoConfig.for_model(
        "llama", vocab_size=50, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2
    )
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path / "llama")
    check(tmp_path / "llama", "text-encoder", "tiny")
    for architecture in ("bert", "roberta"):
        directory = tiny_classifier(architecture, tmp_path / architecture)
        check(directory, "text-encoder", "tiny")
        check(directory, "text-classification", "tiny")


def test_a_pooler_that_is_used_is_no_excuse_for_its_adapter(tmp_path: Path) -> None:
    directory = tiny_classifier("bert", tmp_path)
    key = "bert.pooler.dense.lora_A.weight"
    add(directory, {key: torch.ones(2, 32)})
    assert key in refusal(directory, "text-classification")


def test_encoders_that_see_pass(tmp_path: Path) -> None:
    directory = tiny_seeing(tmp_path)
    check(directory, "vision-and-language", "tiny")
    add(directory, {"one.more.weight": torch.ones(2)})
    assert "one.more.weight" in refusal(directory, "vision-and-language")


@pytest.mark.parametrize("model_class", ["VisualBertForPreTraining", "VisualBertForQuestionAnswering"])
def test_encoders_that_see_pass_with_the_heads_that_they_were_trained_with(
    model_class: str, tmp_path: Path
) -> None:
    directory = tiny_seeing(tmp_path)
    before = len(load_file(directory / "model.safetensors"))
    save_as(model_class, directory)
    assert len(load_file(directory / "model.safetensors")) > before
    check(directory, "vision-and-language", "tiny")


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_is_harmless_is_no_weight_of_a_layer(kind: str) -> None:
    harmless = re.compile("|".join(f"(?:{pattern})" for pattern in HARMLESS[kind]))
    for prefix in ("bert.encoder", "encoder", "decoder", "model.decoder", "model", "text_encoder.encoder"):
        for layers in ("layer", "layers"):
            for end in ("attention.self.query.weight", "mlp.weight_scale_inv", "fc1.lora_A.default.weight"):
                assert not harmless.search(f"{prefix}.{layers}.7.{end}")


@pytest.mark.parametrize("model_class", ["BertForSequenceClassification", "BertModel"])
def test_a_missing_head_is_left_to_the_check_of_the_kind(model_class: str, bert: Path) -> None:
    save_as(model_class, bert)
    assert check(bert, "masked-lm", "tiny") == []
    with pytest.raises(InputError, match="lacks weights"):
        masked_lm.check(bert, "tiny")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_broken_file_is_left_to_the_check_of_the_kind(name: str, bert: Path) -> None:
    (bert / name).write_bytes(b"{")
    assert check(bert, "masked-lm", "tiny") == []
    with pytest.raises(InputError):
        masked_lm.check(bert, "tiny")


def test_harmless_tensors_are_named(bert: Path) -> None:
    save_as("BertForPreTraining", bert)
    assert check(bert, "masked-lm", "tiny") == [
        *(f"bert.pooler.dense.{part}" for part in ("bias", "weight")),
        *(f"cls.seq_relationship.{part}" for part in ("bias", "weight")),
    ]


def test_the_job_refuses_it_and_else_writes_the_manifest_that_there_was(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the byte, so that nothing that was made with a model that passes is made anew."""
    manifest, log = tmp_path / "manifest.json", tmp_path / "log"
    about = about_model(bert)
    with monkeypatch.context() as patched:
        patched.setattr(unused, "check", lambda *arguments: [])
        run_script("prepare_model", [], [manifest], log, manifest=about)
    before = manifest.read_bytes()
    run_script("prepare_model", [], [manifest], log, manifest=about)
    assert manifest.read_bytes() == before
    edit(bert, num_hidden_layers=1)
    manifest.unlink()
    with pytest.raises(SystemExit):
        run_script("prepare_model", [], [manifest], log, manifest=about)
    assert not manifest.exists()
    assert ".layer.1." in log.read_text()


def test_it_is_in_no_digest() -> None:
    scripts = Path(unmask.__file__).parents[1]
    own = files_of(scripts / "prepare_model.py", module_file("models/kinds", "masked-lm"))
    making = files_of(scripts / "train_model.py")
    assert {path.name for path in own} >= {"manifest.py", "checking.py"} and "manifest.py" in {
        path.name for path in making
    }
    assert not [path for path in own | making if "checks" in path.parts]
