"""The kinds of models, what one of each kind has to be, and the check of a model directory."""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    VisualBertModel,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
    MODEL_MAPPING_NAMES,
)

from unmask.errors import InputError
from unmask.facts import read_facts, record, write_facts
from unmask.labels import Labels
from unmask.models import encoders
from unmask.models.checking import (
    check_type,
    check_vocabulary,
    describe,
    first_line,
    load_config,
    load_network,
    max_length,
    refuse_characters_as_special,
)
from unmask.models.detecting import CAUSAL_LM, MASKED_LM
from unmask.models.directory import ADAPTER, files_of
from unmask.models.own_code import allow, is_allowed, why_refused
from unmask.models.quiet import quiet_transformers
from unmask.models.start import choose_start
from unmask.models.tokenizer import checked_tokenizer

logger = logging.getLogger(__name__)

TEXT_CLASSIFICATION, TEXT_ENCODER = "text-classification", "text-encoder"
VISION_AND_LANGUAGE = "vision-and-language"

_TEXT = "a few words of a text"
_NOT_A_NUMBER = "with its config.json it predicts what is not a number"
_READS_NO_SENTENCE = "with its config.json it reads no sentence"

_SAME = 1e-4
"""How far log-probabilities may be apart that are the same but for float error."""

_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")
"""Settings that say how many tokens back attention reaches, in some layers or all."""

_WORD = re.compile(r"(##|[▁Ġ ])?[^\W_]+(['’-][^\W_]+)*")
"""An ordinary word, with what tokenizers put before one. A mask token has brackets or some other mark."""

# names of tensors of a checkpoint that a network may pass over
_BUFFERS = (
    # numbers that are counted, not learnt, and were saved by older versions
    r"(^|\.)(position_ids|token_type_ids)$",
    r"(^|\.)rotary_emb\.inv_freq$",
    r"^(model\.)?(encoder|decoder)\.version$",
)
_CAUSAL_MASK = r"(^|\.)(attn|attention)\.(masked_)?bias$"
_POOLER = r"(^|\.)pooler\.(dense\.)?(weight|bias)$"
_SECOND_TASKS = (
    # which sentence follows (BERT), which comes first (ALBERT), which word was replaced (DeBERTa, ELECTRA)
    r"^cls\.seq_relationship\.(weight|bias)$",
    r"^sop_classifier\.(classifier\.)?(weight|bias)$",
    r"^(mask_predictions|discriminator_predictions)\.",
)
_HEADS = (
    # of words
    r"^cls\.predictions\.",
    r"^predictions\.",
    r"^lm_head\.",
    r"^(lm_predictions|generator_predictions|generator_lm_head)\.",
    r"^vocab_(transform|layer_norm|projector)\.",
    r"^(pred_layer|lm_loss)\.",
    r"^final_logits_bias$",
    # ModernBERT's; that of an encoder-decoder has layers
    r"^head\.(dense|norm)\.(weight|bias)$",
    r"^decoder\.(weight|bias)$",
    # of other tasks
    r"^(pre_classifier|classifier|score|classification_head|qa_outputs)\.",
    # of sentences compared (BERT for question and answer pairs)
    r"^cls\.(weight|bias)$",
)
_OF_ENCODERS = (*_BUFFERS, _POOLER, *_SECOND_TASKS, *_HEADS)


@dataclass(frozen=True)
class Kind:
    """A kind of models. what: how a message begins, as `model NAME`."""

    title: str
    """What such a model is called."""
    auto: Any
    """One of transformers' classes AutoModelFor…, or the network's own."""
    types: Collection[str]
    """The types of models of this kind that transformers has."""
    remark: str
    """What is said besides of a model of another type."""
    probe: Callable[[PreTrainedModel, PreTrainedTokenizerBase], torch.Tensor]
    """What the network makes of some text; fails where it cannot read it."""
    unread: str
    """What is said where it fails."""
    fault: Callable[[torch.Tensor, PretrainedConfig], str | None]
    """What is wrong with the output of the probe, if anything."""
    check_config: Callable[[PretrainedConfig, str], None] = lambda *_: None
    """Configuration, what; raises InputError for one that is not fit."""
    check_tokenizer: Callable[[PreTrainedTokenizerBase, str], None] = lambda *_: None
    """The same of a tokenizer."""
    facts: Callable[[PretrainedConfig, PreTrainedTokenizerBase, str, Mapping[str, Any]], dict[str, Any]] = (
        lambda *_: {}
    )
    """Configuration, tokenizer, what, entry (of the study) -> what a manifest says besides; raises InputError
    where it cannot."""
    fast_tokenizer: bool = False
    """Whether the tokenizer has to say where in a text its tokens are."""
    may_lack: tuple[str, ...] = ()
    """What the names of weights begin with that may be missing, as nothing is made with them."""
    may_have: tuple[str, ...] = _BUFFERS
    """Patterns of the names of tensors that may be there, as nothing is made with them."""


def _check_masked(config: PretrainedConfig, what: str) -> None:
    if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
        raise InputError(
            f"{what}: it is a decoder (is_decoder in config.json) and cannot see what follows a mask"
        )


def _check_mask_and_ends(tokenizer: PreTrainedTokenizerBase, what: str) -> None:
    """Refuse a tokenizer without a mask token, or with one that means something else too, and one that has
    tokens for the ends of a text and does not put them there.
    """
    if tokenizer.mask_token_id is None:
        raise InputError(f"{what}: its tokenizer has no mask token")
    mask = str(tokenizer.mask_token)
    if _WORD.fullmatch(mask) and mask != "MASK":
        raise InputError(f"{what}: its tokenizer has the word {mask!r} for its mask token")
    for other in ("pad", "unk", "cls", "sep", "bos", "eos"):
        if getattr(tokenizer, f"{other}_token_id") == tokenizer.mask_token_id:
            raise InputError(f"{what}: its tokenizer's mask token {mask!r} is its {other} token too")
    if tokenizer.cls_token_id is not None and tokenizer.sep_token_id is not None:
        special = tokenizer(_TEXT, return_special_tokens_mask=True)["special_tokens_mask"]
        if not (special[0] and special[-1]):
            raise InputError(
                f"{what}: its tokenizer has {tokenizer.cls_token} and {tokenizer.sep_token} and does not put "
                "them around a text: give its tokenizer.json a post-processor that does"
            )


def _read_masks(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> torch.Tensor:
    """Logits, 1 × tokens × vocabulary. Raises ValueError for those of other places."""
    # as long as a short sentence: some architectures read nothing shorter
    ids = torch.tensor([tokenizer(6 * f"{tokenizer.mask_token} ")["input_ids"]])
    logits: torch.Tensor = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    if logits.shape[:2] != ids.shape:
        # Perceiver has logits for as many places as it has positions
        raise ValueError(f"logits of {logits.shape[1]} places for {ids.shape[1]} tokens")
    return logits


def _fault_of_predictions(logits: torch.Tensor, config: PretrainedConfig) -> str | None:
    return _NOT_A_NUMBER if logits.isnan().any() else None


def _check_causal(config: PretrainedConfig, what: str) -> None:
    if config.is_encoder_decoder:
        raise InputError(f"{what}: it has an encoder (is_encoder_decoder in config.json), and is no decoder")


def _read_twice(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> torch.Tensor:
    """Log-probabilities (2 × tokens × vocabulary) in a text, with one more token behind it and without."""
    ids = torch.tensor([tokenizer(_TEXT, add_special_tokens=False)["input_ids"]])
    longer, alone = (
        model(input_ids=each, attention_mask=torch.ones_like(each), use_cache=False).logits[0]
        for each in (ids, ids[:, :-1])
    )
    return torch.stack([longer[:-1], alone]).float().log_softmax(-1)


def _fault_of_decoder(log_probs: torch.Tensor, config: PretrainedConfig) -> str | None:
    if log_probs.isnan().any():
        return _NOT_A_NUMBER
    longer, alone = log_probs
    if not torch.allclose(longer, alone, atol=_SAME, rtol=_SAME):
        return "it sees the tokens that follow, and is no decoder (is_decoder in config.json)"
    return None


def _facts_of_decoder(
    config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase, what: str, entry: Mapping[str, Any]
) -> dict[str, Any]:
    """max_length: how many tokens, with the start token, the model takes that each of them sees."""
    windows = [getattr(config, name, None) for name in _WINDOWS]
    if getattr(config, "use_sliding_window", True) is False:
        windows[0] = None
    limits = [each for each in (max_length(config, tokenizer), *windows) if isinstance(each, int) and each]
    start = choose_start(tokenizer, entry.get("start"), what)
    return {"max_length": min(limits, default=None), "start": asdict(start)}


def labels_of(config: PretrainedConfig, what: str) -> list[str]:
    """The names of a classifier's labels, in the order of its outputs.

    Raises InputError beginning with `what` where there are fewer than two, or they are not names.
    """
    names = {int(number): str(label) for number, label in (config.id2label or {}).items()}
    labels = [names[number] for number in sorted(names)]
    if len(labels) < 2:
        raise InputError(
            f"{what}: {len(labels)} labels in its config.json (id2label): a classifier has two or more"
        )
    if sorted(names) != list(range(len(labels))):
        raise InputError(
            f"{what}: the labels in its config.json (id2label) are not numbered from 0 without gaps"
        )
    known = Labels()
    for number, label in enumerate(labels):
        if not label.strip():
            raise InputError(f"{what}: label {number} in its config.json (id2label) has no name")
        if labels.index(label) != number:
            raise InputError(f"{what}: two labels in its config.json (id2label) are called {label!r}")
        if fault := known.check(label, f"label {number}"):
            raise InputError(f"{what}: its config.json (id2label): {fault}")
    return labels


def _check_classifier(config: PretrainedConfig, what: str) -> None:
    """Refuse a regression, and a model that gives a text any number of labels."""
    problem = getattr(config, "problem_type", None)
    if problem not in (None, "single_label_classification"):
        raise InputError(f"{what}: problem_type {problem} in its config.json: not one label for each text")


def _classify(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> torch.Tensor:
    """Logits, 2 × labels."""
    # two at a time: some architectures need a padding token for that
    ids = torch.tensor(2 * [tokenizer(_TEXT)["input_ids"]])
    logits: torch.Tensor = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    return logits


def _fault_of_classifier(logits: torch.Tensor, config: PretrainedConfig) -> str | None:
    labels = config.num_labels or 0
    if logits.shape != (2, labels):
        return f"it gives a text {logits.shape[-1]} numbers, and has {labels} labels"
    return _fault_of_predictions(logits, config)


def _encode(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> torch.Tensor:
    """Hidden states, 1 × tokens × width. Raises ValueError for anything else."""
    ids = torch.tensor([tokenizer(_TEXT)["input_ids"]])
    hidden = encoders.last_hidden_state(model, ids)
    if hidden.ndim != 3 or hidden.shape[:2] != ids.shape:
        raise ValueError(f"{tuple(hidden.shape)} of {ids.shape[1]} tokens, not a state of each")
    return hidden


def _encode_with_regions(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> torch.Tensor:
    """Hidden states, 1 × tokens × width, of a text with three synthetic regions."""
    assert isinstance(model, VisualBertModel)
    generator = torch.Generator().manual_seed(0)
    regions = torch.rand(1, 3, model.config.visual_embedding_dim, generator=generator)
    return encoders.embed_with_regions(model, torch.tensor([tokenizer(_TEXT)["input_ids"]]), regions)


def _fault_of_states(hidden: torch.Tensor, config: PretrainedConfig) -> str | None:
    return None if hidden.isfinite().all() else "with its config.json its hidden states are not finite"


KINDS: Mapping[str, Kind] = {
    MASKED_LM: Kind(
        title="masked language model",
        auto=AutoModelForMaskedLM,
        types=MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        remark="what reads from left to right is of the kind causal-lm",
        probe=_read_masks,
        unread=_READS_NO_SENTENCE,
        fault=_fault_of_predictions,
        check_config=_check_masked,
        check_tokenizer=_check_mask_and_ends,
        facts=lambda config, tokenizer, what, entry: {
            "mask_token": tokenizer.mask_token,
            "mask_token_id": tokenizer.mask_token_id,
        },
        may_have=(*_BUFFERS, _POOLER, *_SECOND_TASKS),
    ),
    CAUSAL_LM: Kind(
        title="causal language model",
        auto=AutoModelForCausalLM,
        types=MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        remark="only such models are read from left to right",
        probe=_read_twice,
        unread=_READS_NO_SENTENCE,
        fault=_fault_of_decoder,
        check_config=_check_causal,
        facts=_facts_of_decoder,
        # the start token is put before a text by the tokenizer itself
        fast_tokenizer=True,
        may_have=(*_BUFFERS, _CAUSAL_MASK),
    ),
    TEXT_CLASSIFICATION: Kind(
        title="text classifier",
        auto=AutoModelForSequenceClassification,
        types=MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
        remark="only such models predict labels of texts",
        probe=_classify,
        unread="with its config.json it reads no text",
        fault=_fault_of_classifier,
        check_config=_check_classifier,
        facts=lambda config, tokenizer, what, entry: {"labels": labels_of(config, what)},
        may_have=(*_BUFFERS, _POOLER),
    ),
    TEXT_ENCODER: Kind(
        title="text encoder",
        auto=AutoModel,
        types=MODEL_MAPPING_NAMES,
        remark="it cannot be loaded",
        probe=_encode,
        unread="it makes no hidden states of a text alone",
        fault=_fault_of_states,
        fast_tokenizer=True,
        # checkpoints of masked language models have none
        may_lack=("pooler.",),
        may_have=_OF_ENCODERS,
    ),
    VISION_AND_LANGUAGE: Kind(
        title=encoders.TITLE,
        auto=VisualBertModel,
        types=(encoders.MODEL_TYPE,),
        remark=f"known is {encoders.MODEL_TYPE}",
        probe=_encode_with_regions,
        unread="with its config.json it reads no text with a picture",
        fault=_fault_of_states,
        fast_tokenizer=True,
        may_have=_OF_ENCODERS,
    ),
}


def check_model(
    directory: str | Path, kind: str, name: str, entry: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Load a model as a job will; what its manifest says, the same on every machine: that of
    `unmask.models.checking.describe`, and the facts of its kind.

    kind: of KINDS; entry: what the study says of it. tokenizer_remarks: sentences on how its tokenizer reads
    texts that users may not expect, if any.

    Raises InputError naming the model for what is not a model directory or has an adapter beside its weights;
    an architecture that transformers does not have for this kind, or that reads what no text here has;
    weights that are truncated, of other shapes, not floating-point numbers, not finite, missing, or unused (a
    tied decoder and buffers are not weights of their own); a tokenizer that takes characters for special
    tokens, makes texts lower-case for a cased vocabulary, or has more tokens than the model has embeddings;
    settings with which the model reads nothing; and what its kind adds.
    """
    directory, what, spec = Path(directory), f"model {name}", KINDS[kind]
    files = files_of(directory, what)
    if (directory / ADAPTER).is_file():
        raise InputError(
            f"{what}: {ADAPTER} lies beside its weights, and no adapter is applied: merge it "
            "into the model first (docs/adding.md), or take it away"
        )
    with quiet_transformers():
        config = load_config(directory, what)
        auto = spec.auto.__name__ if is_allowed(directory) else ""
        check_type(config, what, spec.types, spec.title, spec.remark, auto)
        spec.check_config(config, what)
        tokenizer, remarks = checked_tokenizer(directory, what)
        if spec.fast_tokenizer and not tokenizer.is_fast:
            raise InputError(
                f"{what}: its {type(tokenizer).__name__} does not say where tokens are: add a tokenizer.json"
            )
        refuse_characters_as_special(tokenizer, what)
        spec.check_tokenizer(tokenizer, what)
        facts = spec.facts(config, tokenizer, what, entry or {})
        model = load_network(
            spec.auto, directory, files, what, spec.title, spec.may_lack, "|".join(spec.may_have)
        )
    for remark in remarks:
        logger.warning("%s: %s", what, remark)
    check_vocabulary(model, tokenizer, what)
    try:
        with torch.inference_mode():
            output = spec.probe(model, tokenizer)
    except Exception as error:  # whatever odd settings lead to in some architecture
        raise InputError(f"{what}: {spec.unread}: {first_line(error)}") from None
    if fault := spec.fault(output, config):
        raise InputError(f"{what}: {fault}")
    logger.info("%s: %s with %d tokens is a sound %s", what, config.model_type, len(tokenizer), spec.title)
    described = describe(directory, files, config, tokenizer, model)
    return described | ({"tokenizer_remarks": remarks} if remarks else {}) | facts


def write_manifest(path: str | Path, about: Mapping[str, Any], facts: Iterable[str | Path] = ()) -> None:
    """Check that a model is what it is said to be, and write its manifest.

    about: the model's `name`, its `directory`, the `entry` (its source, the kind that it is said to be,
    whether code that comes with it is run, and the start token that a decoder is to have) and `code`, a
    digest; facts: files with what the rule that made the model says of it. Raises InputError where the model
    is not what it is said to be.
    """
    entry, facts, directory = dict(about["entry"]), list(facts), Path(about["directory"])
    allow(directory, entry)
    try:
        manifest = check_model(directory, entry["kind"], about["name"], entry)
    except InputError as error:
        raise why_refused(directory, error) from None
    # the files themselves are described
    for file in facts:
        entry |= read_facts(file)
    provenance = record(facts, about["code"], "torch", "transformers", "tokenizers")
    write_facts(path, manifest | provenance | {"directory": str(directory), "entry": entry})
