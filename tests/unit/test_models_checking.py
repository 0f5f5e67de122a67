"""Models fit for their kind pass, others are refused in one line; manifests describe what is there."""

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
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertLMHeadModel,
    VisualBertModel,
    ViTConfig,
    ViTModel,
)

from library import InputError, Start, check_model
from real_data import real_data
from running import about_model, run_script
from tiny_models import (
    END,
    tiny_classifier,
    tiny_config,
    tiny_decoder,
    tiny_model,
    tiny_seeing,
    tiny_tokenizer,
)

MASKED, CAUSAL, CLASSIFIER = "masked-lm", "causal-lm", "text-classification"
ENCODER, SEEING = "text-encoder", "vision-and-language"
QUERY = "bert.encoder.layer.1.attention.self.query"
WEIGHTS, PICKLE = "model.safetensors", "pytorch_model.bin"

Change = Callable[[Path], object]


def edit(name: str = "config.json", **settings: Any) -> Change:
    """Change settings of a file of a model directory; None takes one away."""

    def change(directory: Path) -> None:
        content = json.loads((directory / name).read_text()) | settings
        kept = {key: value for key, value in content.items() if value is not None}
        (directory / name).write_text(json.dumps(kept))

    return change


def with_weights(change: Callable[[dict[str, torch.Tensor]], object]) -> Change:
    """Change the tensors of a checkpoint."""

    def changed(directory: Path) -> None:
        tensors = load_file(directory / WEIGHTS)
        change(tensors)
        save_file(tensors, directory / WEIGHTS, metadata={"format": "pt"})

    return changed


def adding(**tensors: torch.Tensor) -> Change:
    named = {name.replace("__", "."): tensor for name, tensor in tensors.items()}
    return with_weights(lambda weights: weights.update(named))


def saved_as(model_class: str) -> Change:
    """Replace the weights by those of another class of the same configuration."""

    def change(directory: Path) -> None:
        config = AutoConfig.from_pretrained(directory)
        getattr(transformers, model_class)(config).save_pretrained(directory)

    return change


def renamed(old: str, new: str) -> Change:
    def change(weights: dict[str, torch.Tensor]) -> None:
        for name in [name for name in weights if name.startswith(old)]:
            weights[new + name.removeprefix(old)] = weights.pop(name)

    return with_weights(change)


def with_dtype(dtype: torch.dtype) -> Change:
    return with_weights(
        lambda weights: weights.update({key: each.to(dtype) for key, each in weights.items()})
    )


def pickled(directory: Path, **more: object) -> None:
    torch.save({**load_file(directory / WEIGHTS), **more}, directory / PICKLE)
    (directory / WEIGHTS).unlink()


def spoilt(name: str, how: Callable[[bytes], bytes]) -> Change:
    def change(directory: Path) -> None:
        if name == PICKLE:
            pickled(directory)
        (directory / name).write_bytes(how((directory / name).read_bytes()))

    return change


def written(name: str, content: bytes) -> Change:
    return lambda directory: (directory / name).write_bytes(content)


def weights_called(name: str | None) -> Change:
    def change(directory: Path) -> None:
        if name:
            shutil.copy(directory / WEIGHTS, directory / name)
        (directory / WEIGHTS).unlink()

    return change


def both(*changes: Change) -> Change:
    return lambda directory: [change(directory) for change in changes]


def in_old_names(weights: dict[str, torch.Tensor]) -> None:
    for key in [key for key in weights if "LayerNorm" in key]:
        old = key.replace("LayerNorm.weight", "LayerNorm.gamma")
        weights[old.replace("LayerNorm.bias", "LayerNorm.beta")] = weights.pop(key)


def in_eight_bits(weights: dict[str, torch.Tensor]) -> None:
    weight = weights[f"{QUERY}.weight"]
    scale = weight.abs().max() / 448
    weights[f"{QUERY}.weight"] = (weight / scale).to(torch.float8_e4m3fn)
    weights[f"{QUERY}.weight_scale_inv"] = scale.reshape(1, 1)


def with_more_tokens(directory: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(directory)
    tokenizer.add_tokens(["supercalifragilistic"])
    tokenizer.save_pretrained(directory)


def without_merges(directory: Path) -> None:
    (directory / "tokenizer.json").unlink()
    (directory / "vocab.json").write_text(json.dumps(tiny_tokenizer("roberta").get_vocab()))


def with_large_projection(weights: dict[str, torch.Tensor]) -> None:
    weights["embeddings.visual_projection.weight"].fill_(3e38)


def without_output(weights: dict[str, torch.Tensor]) -> None:
    del weights["bert.encoder.layer.1.output.dense.weight"]


class Code:
    """What a pickle can hold beside tensors."""

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return print, ("run",)


TOKENIZER_CONFIG = "tokenizer_config.json"
DRAWN = "lacks weights of the masked language model, which would be drawn at random "
UNREAD = "with its config.json it reads no text: "

BROKEN: list[tuple[str, Change, str]] = [
    # weights that a network of the configuration does not use
    ("bert", edit(num_hidden_layers=1), r"does not use, 16 in all: bert\.encoder\.layer\.1\..* and 13 more$"),
    ("bert", adding(bert__x__lora_A__weight=torch.ones(2, 2)), r"use, 1 in all: bert\.x\.lora_A\.weight$"),
    ("bert", with_weights(in_eight_bits), rf"use, 1 in all: {QUERY}\.weight_scale_inv$"),
    ("bert", written("adapter_config.json", b"{}"), "adapter_config.json lies beside"),
    # weights that are missing
    ("bert", saved_as("BertModel"), rf"{DRAWN}.*cls\.predictions"),
    ("electra", saved_as("ElectraForPreTraining"), rf"{DRAWN}.*generator_"),
    ("bert", with_weights(lambda weights: weights.pop(f"{QUERY}.weight")), rf"{DRAWN}\({QUERY}\.weight\)"),
    ("bert", renamed("", "_orig_mod."), rf"{DRAWN}.*it has others, which are not used \(_orig_mod\.bert"),
    ("bert", renamed("cls.", "my_head."), rf"{DRAWN}.*it has others, which are not used \(my_head\.predict"),
    # weights that are no numbers for this network
    ("bert", edit(vocab_size=900), "weights of another shape than config.json says: "),
    (
        "bert",
        with_weights(lambda weights: weights["cls.predictions.bias"][3].fill_(float("nan"))),
        r"not finite: cls\.predictions\.bias",
    ),
    *(
        (
            "bert",
            both(adding(**{f"{QUERY}.weight": torch.ones(32, 32, dtype=dtype)}), *more),
            rf"weights that are not floating-point numbers: {QUERY}\.weight$",
        )
        for dtype, more in [(torch.int8, ()), (torch.bool, (pickled,))]
    ),
    # files
    *(
        ("bert", spoilt(name, how), "its weights cannot be loaded")
        for name in (WEIGHTS, PICKLE)
        for how in (lambda content: content[:-5000], lambda content: b"\xff" * 5000, lambda content: b"")
    ),
    ("bert", lambda d: pickled(d, code=Code()), "its weights cannot be loaded"),
    ("bert", weights_called(None), r"no weights .*index\)$"),
    ("bert", weights_called("model.fp16.safetensors"), r"no weights .*; it has model\.fp16\.safetensors\)$"),
    ("bert", weights_called("tf_model.h5"), r"no weights .*; it has tf_model\.h5\)$"),
    ("bert", lambda d: (d / "config.json").unlink(), r"no config\.json"),
    ("bert", lambda d: (d / "tokenizer.json").unlink(), "no tokenizer"),
    ("roberta", without_merges, "no tokenizer"),
    ("bert", shutil.rmtree, "is not a directory"),
    # settings
    *(
        ("bert", written("config.json", text), r"cannot be used|no masked language model")
        for text in (b"{", b'{"model_type": "unheard-of"}', b"[]", b"{}")
    ),
    ("bert", edit(chunk_size_feed_forward="all"), UNREAD),
    ("bert", edit(return_dict=False), UNREAD),
    ("bert", edit(layer_norm_eps=float("nan")), "with its config.json it predicts what is not a number"),
    ("bert", edit(hidden_size="big"), r"its config\.json cannot be used: .*hidden_size"),
    ("bert", edit(id2label=5), r"its config\.json cannot be used: "),
    ("bert", edit(is_decoder=True), "it is a decoder"),
    ("bert", edit(max_2d_position_embeddings=4), r"reads where on a page each word stands \(bbox\)"),
    ("bert", edit(use_lang_emb=True, n_langs=2), r"reads the language of each token \(langs\)"),
    ("bert", edit(enable_shape=True), "reads the shape or the sound of each character"),
    # tokenizers
    ("bert", written("tokenizer.json", b"{"), "its tokenizer cannot be loaded"),
    ("bert", with_more_tokens, r"the tokenizer has ids up to (\d+), the model \1 embeddings"),
    ("modernbert", edit(TOKENIZER_CONFIG, mask_token=None), "its tokenizer has no mask token"),
    ("bert", edit(TOKENIZER_CONFIG, mask_token="[UNK]"), r"mask token '\[UNK\]' is its unk token too$"),
]
"""Masked language models: the architecture, what is done to a sound one, and the line that refuses it."""


def refused(directory: Path, message: str, kind: str = MASKED, start: str | None = None) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_model(directory, kind, "tiny", start)
    assert str(caught.value).startswith("model tiny: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("architecture", "change", "message"), BROKEN)
def test_a_broken_model_is_refused(
    architecture: str, change: Change, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tiny_model(architecture, tmp_path / "model")
    check_model(directory, MASKED, "tiny")
    change(directory)
    capsys.readouterr()
    refused(directory, message)
    # no code of a pickle is run
    assert capsys.readouterr().out == ""


def test_what_is_wrong_with_models_of_other_kinds(tmp_path: Path) -> None:
    vit = ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    ViTModel(vit).save_pretrained(tmp_path / "vit")
    tiny_tokenizer("bert").save_pretrained(tmp_path / "vit")
    refused(tmp_path / "vit", UNREAD, ENCODER)
    refused(tmp_path / "vit", "no text classifier of type vit", CLASSIFIER)
    refused(tiny_decoder("gpt2", tmp_path / "gpt2"), "no masked language model of type gpt2")
    refused(tiny_model("bart", tmp_path / "bart"), "^model tiny: it has an encoder", CAUSAL)
    bert = tiny_model("bert", tmp_path / "bert")
    refused(bert, "no encoder of text with pictures of type bert", SEEING)
    refused(bert, r"lacks weights of the text classifier, which would .*bert\.pooler", CLASSIFIER)
    roberta = tiny_model("roberta", tmp_path / "roberta")
    refused(roberta, "lacks weights of the text classifier, which would .*classifier", CLASSIFIER)
    with_weights(without_output)(bert)
    refused(bert, r"lacks weights of the text encoder.*layer\.1\.output\.dense\.weight", ENCODER)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (saved_as("BertModel"), r"drawn at random \(classifier\.bias, classifier\.weight\)"),
        (edit(id2label={"0": "score"}), "two labels or more"),
        (edit(problem_type="regression"), "problem_type regression"),
        (edit(problem_type="multi_label_classification"), "problem_type multi_label_classification"),
        (edit(id2label={"0": "bad", "1": "bad"}), "each of another name"),
        (edit(id2label={"0": "bad", "1": " bad"}), "look alike"),
        (edit(id2label={"0": "bad", "1": " "}), "no name"),
        (edit(id2label={"0": "bad", "1": "good\x1b[2J"}), "control character"),
        (edit(id2label={"0": "bad", "2": "good"}), "numbered from 0"),
        (edit(id2label={"0": "bad", "1": "good", "2": "so-so"}), "weights of another shape"),
    ],
)
def test_a_broken_classifier_is_refused(change: Change, message: str, tmp_path: Path) -> None:
    directory = tiny_classifier("bert", tmp_path)
    change(directory)
    refused(directory, message, CLASSIFIER)


def test_a_broken_encoder_of_pictures_is_refused(tmp_path: Path) -> None:
    directory = tiny_seeing(tmp_path)
    with_weights(with_large_projection)(directory)
    refused(directory, "with its config.json its hidden states are not finite", SEEING)
    # its regions bypass the transformer, which transformers cannot run
    bypassing = tiny_seeing(tmp_path / "bypassing", bypass_transformer=True)
    refused(bypassing, UNREAD, SEEING)


def test_a_decoder_that_sees_what_follows_is_refused(tmp_path: Path) -> None:
    """transformers loads an encoder as a decoder that sees both sides, with a warning."""
    tokenizer = tiny_tokenizer("bert")
    config: Any = tiny_config("bert", tokenizer)
    tokenizer.save_pretrained(tmp_path)
    BertLMHeadModel(config).save_pretrained(tmp_path)
    refused(tmp_path, "it sees the tokens that follow, and is no decoder", CAUSAL, "[CLS]")
    config.is_decoder = True
    BertLMHeadModel(config).save_pretrained(tmp_path)
    check_model(tmp_path, CAUSAL, "tiny", "[CLS]")


@pytest.mark.parametrize("architecture", ["bert", "electra", "modernbert", "bart"])
def test_language_models_and_classifiers_pass_also_as_encoders(architecture: str, tmp_path: Path) -> None:
    masked = tiny_model(architecture, tmp_path / "masked")
    classifier = tiny_classifier(architecture, tmp_path / "classifier")
    check_model(classifier, CLASSIFIER, "tiny")
    for directory in (masked, classifier):
        check_model(directory, ENCODER, "tiny")
    # and one more tensor of any name is noticed
    adding(one__more__weight=torch.ones(2))(masked)
    refused(masked, r"one\.more\.weight", ENCODER)


@pytest.mark.parametrize(
    ("architecture", "change"),
    [
        # buffers of older versions, poolers, and heads of second tasks
        ("albert", saved_as("AlbertForPreTraining")),
        ("roberta", adding(roberta__embeddings__position_ids=torch.arange(130)[None])),
        # embeddings and a bias that is zero where a checkpoint has none
        ("bart", saved_as("BartModel")),
        # a decoder that is tied
        ("roberta", both()),
        ("bert", pickled),
        # BERT's own weights still call a normalisation's weight and bias gamma and beta
        ("bert", with_weights(in_old_names)),
        *(("bert", with_dtype(dtype)) for dtype in (torch.float16, torch.bfloat16, torch.float64)),
    ],
)
def test_what_is_no_fault_passes(architecture: str, change: Change, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    change(directory)
    check_model(directory, MASKED, "tiny")


def test_weights_in_shards_pass(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    whole = check_model(directory, MASKED, "tiny")
    model = AutoModelForMaskedLM.from_pretrained(directory)
    (directory / WEIGHTS).unlink()
    model.save_pretrained(directory, max_shard_size="50KB")
    shards = list(directory.glob("model-*.safetensors"))
    assert len(shards) > 1
    manifest = check_model(directory, MASKED, "tiny")
    assert {path.name for path in shards} < set(manifest["files"])
    assert manifest["parameters"] == whole["parameters"]
    shards[0].unlink()
    refused(directory, "names model-.*, which is not there")


def test_characters_as_special_tokens_are_refused(tmp_path: Path) -> None:
    """ALBERT's spiece.model alone makes brackets and full stops special."""
    spiece = real_data("tokenizers", "albert-v2", "spiece.model")
    directory = tiny_model("albert", tmp_path)
    (directory / "tokenizer.json").unlink()
    (directory / "tokenizer_config.json").unlink()
    shutil.copy(spiece, directory)
    refused(directory, r"takes .*\( .*for special tokens.*add the model's tokenizer\.json")


@pytest.mark.parametrize(
    ("kind", "make", "network"),
    [
        (MASKED, lambda folder: tiny_model("bert", folder), AutoModelForMaskedLM),
        (CAUSAL, lambda folder: tiny_decoder("llama", folder), AutoModelForCausalLM),
        (CLASSIFIER, lambda folder: tiny_classifier("roberta", folder), AutoModelForSequenceClassification),
        (ENCODER, lambda folder: tiny_model("bert", folder), AutoModel),
        (SEEING, tiny_seeing, VisualBertModel),
    ],
)
def test_the_manifest(kind: str, make: Callable[[Path], Path], network: Any, tmp_path: Path) -> None:
    directory = make(tmp_path / "model")
    about = about_model(directory, kind=kind)
    run_script("check_model", [], [tmp_path / "manifest.json"], tmp_path / "log", manifest=about)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    model = network.from_pretrained(directory)
    tokenizer = AutoTokenizer.from_pretrained(directory)
    facts = {key: manifest[key] for key in ("model_type", "parameters", "max_length")}
    config = AutoConfig.from_pretrained(directory)
    assert facts == {
        "model_type": config.model_type,
        "parameters": model.num_parameters(),
        "max_length": 128,
    }
    assert manifest["vocab_size"] == len(tokenizer)
    assert manifest["entry"] == {"source": "path", "kind": kind}
    assert set(manifest["files"]) == {"config.json", WEIGHTS, "tokenizer.json", TOKENIZER_CONFIG}
    for name, stated in manifest["files"].items():
        content = (directory / name).read_bytes()
        assert stated == {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    if kind == MASKED:
        assert manifest["mask_token"] == tokenizer.mask_token
    if kind == CAUSAL:
        reason = "its bos token, which separates documents in training"
        assert Start.of(manifest) == Start(END, 0, reason)
        assert check_model(directory, CAUSAL, "tiny", "none")["start"]["token"] is None
    if kind == CLASSIFIER:
        assert manifest["labels"] == ["bad", "good"]
        # by their numbers, whatever their order in the file
        edit(id2label={"1": "good", "0": "bad"})(directory)
        assert check_model(directory, CLASSIFIER, "tiny")["labels"] == ["bad", "good"]


@pytest.mark.parametrize("architecture", ["bert", "mpnet", "modernbert", "deberta-v2"])
def test_the_longest_sentence_is_the_longest(architecture: str, tmp_path: Path) -> None:
    directory = tiny_model(architecture, tmp_path)
    longest = check_model(directory, MASKED, "tiny")["max_length"]
    assert longest == (None if architecture == "deberta-v2" else 128)
    model = AutoModelForMaskedLM.from_pretrained(directory)
    # any ordinary token will do
    ids = torch.full((1, 129), 10)
    assert model(input_ids=ids[:, :128]).logits.shape[1] == 128
    if architecture in ("bert", "mpnet"):
        with pytest.raises((IndexError, RuntimeError)):
            model(input_ids=ids)
    edit(TOKENIZER_CONFIG, model_max_length=64)(directory)
    assert check_model(directory, MASKED, "tiny")["max_length"] == 64


@pytest.mark.parametrize(("window", "longest"), [(16, 16), (500, 128), (None, 128)])
def test_a_sliding_window_is_the_longest_that_every_token_sees(
    window: int | None, longest: int, tmp_path: Path
) -> None:
    directory = tiny_decoder("mistral", tmp_path, sliding_window=window)
    assert check_model(directory, CAUSAL, "tiny")["max_length"] == longest


def test_digests_follow_what_they_name(tmp_path: Path) -> None:
    first = check_model(tiny_model("bert", tmp_path / "a"), MASKED, "tiny")
    assert check_model(tiny_model("bert", tmp_path / "b"), MASKED, "tiny") == first
    other = check_model(tiny_model("bert", tmp_path / "c", seed=1), MASKED, "tiny")
    assert other["tokenizer_digest"] == first["tokenizer_digest"]
    assert other["weights_digest"] != first["weights_digest"]
    # files that are not loaded do not count
    for name in ("README.md", "optimizer.pt", PICKLE):
        (tmp_path / "a" / name).write_text("other")
    assert check_model(tmp_path / "a", MASKED, "tiny") == first
    edit(TOKENIZER_CONFIG, model_max_length=64)(tmp_path / "a")
    changed = check_model(tmp_path / "a", MASKED, "tiny")
    assert changed["weights_digest"] == first["weights_digest"]
    assert changed["tokenizer_digest"] != first["tokenizer_digest"]


def test_a_real_model_passes() -> None:
    manifest = check_model(real_data("models", "minilm-l6-mlm"), MASKED, "minilm")
    assert manifest["max_length"] == 512
    assert manifest["mask_token"] == "[MASK]"
