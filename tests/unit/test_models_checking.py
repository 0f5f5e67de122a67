"""Models fit for their kind pass, others are refused in one line; manifests describe what is there."""

import hashlib
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer

from library import InputError, Start, check_model
from real_data import real_data
from running import about_model, run_script
from tiny_models import END, tiny_classifier, tiny_decoder, tiny_model, tiny_seeing, tiny_tokenizer

MASKED, CAUSAL, CLASSIFIER = "masked-lm", "causal-lm", "text-classification"
ENCODER, SEEING = "text-encoder", "vision-and-language"
QUERY = "bert.encoder.layer.1.attention.self.query"
WEIGHTS, PICKLE = "model.safetensors", "pytorch_model.bin"
SHARD = "model-00001-of-00003.safetensors"
TOKENIZER_CONFIG = "tokenizer_config.json"

Change = Callable[[Path], object]
Weights = dict[str, torch.Tensor]


def edit(name: str = "config.json", **settings: Any) -> Change:
    """Change settings of a file of a model directory; None takes one away."""

    def change(directory: Path) -> None:
        content = json.loads((directory / name).read_text()) | settings
        kept = {key: value for key, value in content.items() if value is not None}
        (directory / name).write_text(json.dumps(kept))

    return change


def weights(change: Callable[[Weights], object]) -> Change:
    """Change the tensors of a checkpoint."""

    def changed(directory: Path) -> None:
        tensors = load_file(directory / WEIGHTS)
        change(tensors)
        save_file(tensors, directory / WEIGHTS, metadata={"format": "pt"})

    return changed


def adding(name: str, *size: int, dtype: torch.dtype = torch.float32) -> Change:
    return weights(lambda tensors: tensors.update({name: torch.ones(*size, dtype=dtype)}))


def dropping(name: str) -> Change:
    return weights(lambda tensors: tensors.pop(name))


def filled(name: str, value: float) -> Change:
    return weights(lambda tensors: tensors[name].fill_(value))


def renamed(old: str, new: str) -> Change:
    def change(tensors: Weights) -> None:
        for name in [name for name in tensors if old in name]:
            tensors[name.replace(old, new, 1)] = tensors.pop(name)

    return weights(change)


def saved_as(model_class: str) -> Change:
    """Replace the weights by those of another class of the same configuration."""

    def change(directory: Path) -> None:
        config = AutoConfig.from_pretrained(directory)
        getattr(transformers, model_class)(config).save_pretrained(directory)

    return change


def pickled(directory: Path, **more: object) -> None:
    torch.save({**load_file(directory / WEIGHTS), **more}, directory / PICKLE)
    (directory / WEIGHTS).unlink()


def spoilt(name: str, how: Callable[[bytes], bytes]) -> Change:
    return lambda directory: (directory / name).write_bytes(how((directory / name).read_bytes()))


def both(*changes: Change) -> Change:
    return lambda directory: [change(directory) for change in changes]


def without(pattern: str) -> Change:
    return lambda directory: list(map(Path.unlink, directory.glob(pattern)))


def of_type(dtype: torch.dtype) -> Change:
    return weights(lambda tensors: tensors.update({name: each.to(dtype) for name, each in tensors.items()}))


def in_shards(directory: Path) -> None:
    model = AutoModelForMaskedLM.from_pretrained(directory)
    (directory / WEIGHTS).unlink()
    model.save_pretrained(directory, max_shard_size="50KB")


def with_more_tokens(directory: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(directory)
    tokenizer.add_tokens(["supercalifragilistic"])
    tokenizer.save_pretrained(directory)


def vocabulary_alone(directory: Path) -> None:
    (directory / "tokenizer.json").unlink()
    (directory / "vocab.json").write_text(json.dumps(tiny_tokenizer("roberta").get_vocab()))


def spiece_alone(directory: Path) -> None:
    """ALBERT's spiece.model alone makes brackets and full stops special."""
    for name in ("tokenizer.json", TOKENIZER_CONFIG):
        (directory / name).unlink()
    shutil.copy(real_data("tokenizers", "albert-v2", "spiece.model"), directory)


class Code:
    """What a pickle can hold beside tensors."""

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return print, ("run",)


HEADS = ("bert", "electra", "modernbert", "bart")
MADE: dict[str, tuple[str, Callable[[Path], Path]]] = {
    **{name: (MASKED, partial(tiny_model, name)) for name in (*HEADS, "roberta", "albert")},
    **{name: (CAUSAL, partial(tiny_decoder, name)) for name in ("gpt2", "llama")},
    "classifier": (CLASSIFIER, partial(tiny_classifier, "bert")),
    "deberta": (CLASSIFIER, partial(tiny_classifier, "deberta-v2")),
    "seeing": (SEEING, tiny_seeing),
    # language models and classifiers pass also as encoders
    **{f"{of} encoder": (ENCODER, partial(tiny_model, of)) for of in HEADS},
    **{f"classifier {of}": (CLASSIFIER, partial(tiny_classifier, of)) for of in HEADS},
    **{f"classifier {of} encoder": (ENCODER, partial(tiny_classifier, of)) for of in HEADS},
}
"""Sound models, each of its kind."""

SOUND: list[tuple[str, Change]] = [
    *((f"{of} encoder", both()) for of in HEADS),
    *((f"classifier {of}", both()) for of in HEADS),
    *((f"classifier {of} encoder", both()) for of in HEADS),
    # buffers of older versions, poolers, and heads of second tasks
    ("albert", saved_as("AlbertForPreTraining")),
    ("bert", adding("bert.embeddings.position_ids", 1, 128, dtype=torch.int64)),
    # embeddings and a bias that is zero where a checkpoint has none
    ("bart", saved_as("BartModel")),
    ("bert", pickled),
    ("bert", in_shards),
    # BERT's own weights still call a normalisation's weight and bias gamma and beta
    ("bert", both(renamed("Norm.weight", "Norm.gamma"), renamed("Norm.bias", "Norm.beta"))),
    *(("bert", of_type(dtype)) for dtype in (torch.float16, torch.bfloat16, torch.float64)),
]
"""A sound model, and what may be done to it."""

DRAWN = "lacks weights of the .*, which would be drawn at random "
WHOLE = "weights that are not floating-point numbers: "
UNREAD = "with its config.json it reads no text: "
UNLOADED = "its weights cannot be loaded: "
NOT_READ = f"{PICKLE} is broken, or holds more than tensors: that could be code, and is not read$"

BROKEN: list[tuple[str, Change, str]] = [
    # weights that a network of the configuration does not use
    ("bert", edit(num_hidden_layers=1), r"does not use, 16 in all: bert\.encoder\.layer\.1\..* and 13 more$"),
    ("bert", adding("bert.x.lora_A.weight", 2, 2), r"use, 1 in all: bert\.x\.lora_A\.weight$"),
    ("bert encoder", adding("one.more.weight", 2), r"use, 1 in all: one\.more\.weight$"),
    # heads of other tasks are no matter to an encoder alone
    ("gpt2", adding("lm_head.bias", 2), r"use, 1 in all: lm_head\.bias$"),
    ("modernbert", edit(decoder_bias=False), r"use, 1 in all: decoder\.bias$"),
    ("classifier", adding("pre_classifier.weight", 32, 32), r"use, 1 in all: pre_classifier\.weight$"),
    # as weights in eight bits have beside them
    ("bert", adding(f"{QUERY}.weight_scale_inv", 1, 1), rf"use, 1 in all: {QUERY}\.weight_scale_inv$"),
    ("bert", lambda d: (d / "adapter_config.json").touch(), "adapter_config.json lies beside"),
    # weights that are missing
    ("bert", saved_as("BertModel"), rf"{DRAWN}.*cls\.predictions"),
    ("electra", saved_as("ElectraForPreTraining"), rf"{DRAWN}.*generator_"),
    ("bert", dropping(f"{QUERY}.weight"), rf"{DRAWN}\({QUERY}\.weight\)"),
    ("bert encoder", dropping(f"{QUERY}.weight"), rf"{DRAWN}.*layer\.1.*query\.weight"),
    ("bert", renamed("", "_orig_mod."), rf"{DRAWN}.*\): it has \d+ of them under the prefix '_orig_mod"),
    ("bert encoder", renamed("", "module."), rf"{DRAWN}.*\): it has \d+ of them under the prefix 'module"),
    ("bert", renamed("cls.", "my_head."), rf"{DRAWN}.*it has others, which are not used \(my_head\.predict"),
    ("classifier", saved_as("BertModel"), rf"{DRAWN}\(classifier\.bias, classifier\.weight\)"),
    ("classifier", saved_as("BertForMaskedLM"), rf"{DRAWN}.*bert\.pooler"),
    # an encoder may lack its pooler, and not what classifies with it
    ("deberta", dropping("pooler.dense.bias"), rf"{DRAWN}\(pooler\.dense\.bias\)"),
    # weights that are no numbers for this network
    ("bert", edit(vocab_size=900), "weights of another shape than config.json says: "),
    ("bert", filled("cls.predictions.bias", torch.nan), "not finite: cls"),
    ("bert", both(adding(f"{QUERY}.bias", 32, dtype=torch.int8), pickled), rf"{WHOLE}{QUERY}\.bias$"),
    ("bert", adding(f"{QUERY}.bias", 32, dtype=torch.int8), rf"{WHOLE}{QUERY}\.bias$"),
    # files
    ("bert", spoilt(WEIGHTS, lambda content: content[:-5000]), rf"{UNLOADED}{WEIGHTS}: "),
    ("bert", both(in_shards, spoilt(SHARD, lambda content: content[:-50])), f"{UNLOADED}{SHARD}.*: "),
    ("bert", both(pickled, spoilt(PICKLE, lambda content: content[:-5000])), f"{UNLOADED}{NOT_READ}"),
    ("bert", lambda d: pickled(d, code=Code()), f"{UNLOADED}{NOT_READ}"),
    ("bert", both(in_shards, without(SHARD)), f"names {SHARD}, which is not there"),
    ("bert", without(WEIGHTS), r"no weights .*index\)$"),
    ("bert", lambda d: (d / WEIGHTS).rename(d / "fp16.safetensors"), r"; it has fp16\.safetensors\)$"),
    ("bert", without("config.json"), r"no config\.json"),
    ("bert", without("tokenizer.json"), "no tokenizer"),
    ("roberta", vocabulary_alone, "no tokenizer"),
    ("bert", shutil.rmtree, "is not a directory"),
    # settings
    ("bert", spoilt("config.json", lambda content: b"{"), "its config.json cannot be used: "),
    ("bert", edit(model_type="unheard-of"), "its config.json cannot be used: "),
    ("bert", edit(model_type=None), "its config.json cannot be used: "),
    ("bert", edit(chunk_size_feed_forward="all"), UNREAD),
    ("seeing", edit(bypass_transformer=True), rf"{DRAWN}|{UNREAD}"),
    ("bert", edit(layer_norm_eps=float("nan")), "with its config.json it predicts what is not a number"),
    ("seeing", filled("embeddings.visual_projection.weight", 3e38), "its hidden states are not finite"),
    ("bert", edit(hidden_size="big"), r"its config\.json cannot be used: .*hidden_size"),
    ("bert", edit(is_decoder=True), "it is a decoder"),
    ("bert", edit(max_2d_position_embeddings=4), r"reads where on a page each word stands \(bbox\)"),
    ("bert", edit(use_lang_emb=True, n_langs=2), r"reads the language of each token \(langs\)"),
    ("bert", edit(enable_shape=True), "reads the shape or sound of each character"),
    ("classifier", edit(problem_type="regression"), "problem_type regression"),
    *(
        ("classifier", edit(id2label=labels), line)
        for labels, line in [
            ({"0": "score"}, "two labels or more"),
            ({"0": "bad", "2": "good"}, "numbered from 0"),
            ({"0": "bad", "1": "bad"}, "each of another name"),
            ({"0": "bad", "1": " bad"}, "look alike"),
            ({"0": "bad", "1": " "}, "no name"),
            ({"0": "bad", "1": "good\x1b[2J"}, "control character"),
        ]
    ),
    # tokenizers
    ("bert", spoilt("tokenizer.json", lambda content: b"{"), "its tokenizer cannot be loaded"),
    ("bert", with_more_tokens, r"the tokenizer has ids up to (\d+), the model \1 embeddings"),
    ("modernbert", edit(TOKENIZER_CONFIG, mask_token=None), "its tokenizer has no mask token"),
    ("bert", edit(TOKENIZER_CONFIG, mask_token="the"), "has the word 'the' for its mask token$"),
    ("bert", edit(TOKENIZER_CONFIG, mask_token="[UNK]"), r"mask token '\[UNK\]' is its unk token too$"),
    ("albert", spiece_alone, r"takes .*\( .*for special tokens.*add the model's tokenizer\.json"),
    # another kind
    ("bert encoder", both(edit(model_type="vit"), saved_as("ViTModel")), UNREAD),
    ("classifier", edit(model_type="vit"), "no text classifier of type vit"),
    ("bert", edit(model_type="gpt2"), r"no masked language model of type gpt2: .*\(key kind\)"),
    ("llama", edit(model_type="bart"), "^model tiny: it has an encoder"),
    ("seeing", edit(model_type="bert"), "no encoder of text with pictures of type bert"),
]
"""A sound model, what is done to it, and the line that refuses it."""


def refused(directory: Path, message: str, kind: str = MASKED, start: str | None = None) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_model(directory, kind, "tiny", start)
    assert str(caught.value).startswith("model tiny: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize(("made", "change"), SOUND)
def test_what_is_no_fault_passes(made: str, change: Change, tmp_path: Path) -> None:
    kind, make = MADE[made]
    change(make(tmp_path / "model"))
    check_model(tmp_path / "model", kind, "tiny")


@pytest.mark.parametrize(("made", "change", "message"), BROKEN)
def test_a_model_that_is_not_fit_is_refused(
    made: str, change: Change, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, make = MADE[made]
    change(make(tmp_path / "model"))
    capsys.readouterr()
    refused(tmp_path / "model", message, kind)
    # no code of a pickle is run
    assert capsys.readouterr().out == ""


def test_a_decoder_that_sees_what_follows_is_refused(tmp_path: Path) -> None:
    """transformers loads an encoder as a decoder that sees both sides, with a warning."""
    saved_as("BertLMHeadModel")(tiny_model("bert", tmp_path))
    refused(tmp_path, "it sees the tokens that follow, and is no decoder", CAUSAL, "[CLS]")
    edit(is_decoder=True)(tmp_path)
    check_model(tmp_path, CAUSAL, "tiny", "[CLS]")


BOS = {"token": END, "id": 0, "reason": "its bos token, which separates documents in training"}


@pytest.mark.parametrize(
    ("made", "change", "facts"),
    [
        ("bert", both(), {"mask_token": "[MASK]"}),
        ("llama", both(), {"start": BOS}),
        # labels by their numbers, whatever their order in the file
        ("classifier", edit(id2label={"1": "good", "0": "bad"}), {"labels": ["bad", "good"]}),
        ("seeing", both(), {}),
    ],
)
def test_the_manifest(made: str, change: Change, facts: dict[str, Any], tmp_path: Path) -> None:
    kind, make = MADE[made]
    change(directory := make(tmp_path / "model"))
    about = about_model(directory, kind=kind)
    run_script("check_model", [], [tmp_path / "manifest.json"], tmp_path / "log", manifest=about)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    facts |= {
        "model_type": AutoConfig.from_pretrained(directory).model_type,
        "parameters": sum(map(torch.numel, load_file(directory / WEIGHTS).values())),
        "max_length": 128,
        "vocab_size": len(AutoTokenizer.from_pretrained(directory)),
        "entry": {"source": "path", "kind": kind},
    }
    assert {key: manifest[key] for key in facts} == facts
    assert set(manifest["files"]) == {"config.json", WEIGHTS, "tokenizer.json", TOKENIZER_CONFIG}
    for name, stated in manifest["files"].items():
        content = (directory / name).read_bytes()
        assert stated == {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


@pytest.mark.parametrize("architecture", ["bert", "mpnet", "modernbert", "deberta-v2"])
def test_the_longest_sentence_is_the_longest(architecture: str, tmp_path: Path) -> None:
    # MPNet's positions are counted from 2, whatever it says
    settings: dict[str, Any] = {"pad_token_id": None} if architecture == "mpnet" else {}
    directory = tiny_model(architecture, tmp_path, **settings)
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
    manifest = check_model(directory, CAUSAL, "tiny", "none")
    assert manifest["max_length"] == longest
    assert Start.of(manifest) == Start(None, None, "the study says none")


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
    assert (manifest["max_length"], manifest["mask_token"]) == (512, "[MASK]")
