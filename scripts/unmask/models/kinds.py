"""The kinds of models, what one of each kind has to be, and the check of a model directory."""

import logging
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    PreTrainedModel,
    VisualBertModel,
)
from transformers import PretrainedConfig as Config
from transformers import PreTrainedTokenizerBase as Tokenizer
from transformers.models.auto import modeling_auto

from unmask.errors import InputError
from unmask.files import read_facts, record, write_facts
from unmask.models.checking import (
    check_vocabulary,
    describe,
    first_line,
    load_checked,
    load_config,
    max_length,
)
from unmask.models.detecting import CAUSAL_LM, MASKED_LM
from unmask.models.directory import ADAPTER, allow, files_of, is_allowed, why_refused
from unmask.models.embedding import embed_with_regions, last_hidden_state
from unmask.models.start import choose_start
from unmask.models.tokenizer import checked_tokenizer
from unmask.user_files import Labels

logger = logging.getLogger(__name__)

Entry = Mapping[str, Any]

_TEXT = "a few words of a text"
_NOT_A_NUMBER = "with its config.json it predicts what is not a number"

_SAME = 1e-4
"""How far log-probabilities may be apart that are the same but for float error."""

_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")
"""Settings that say how many tokens back attention reaches, in some layers or all."""

_WORD = re.compile(r"(##|[▁Ġ ])?[^\W_]+(['’-][^\W_]+)*")
"""An ordinary word, with what tokenizers put before one. A mask token has brackets or some other mark."""

# names of tensors of a checkpoint that a network may pass over

_BUFFERS = (
    # numbers that are counted, not learnt, and were saved by older versions
    r"(^|\.)(position_ids|token_type_ids|rotary_emb\.inv_freq)$",
    r"^(model\.)?(encoder|decoder)\.version$",
)
_POOLER = r"(^|\.)pooler\.(dense\.)?(weight|bias)$"
_SECOND_TASKS = (
    # which sentence follows (BERT), which comes first (ALBERT), which word was replaced (DeBERTa, ELECTRA)
    r"^(cls\.seq_relationship|sop_classifier|sop_classifier\.classifier)\.(weight|bias)$",
    r"^(mask_predictions|discriminator_predictions)\.",
)
_HEADS = (
    # of words
    r"^(cls\.predictions|predictions|lm_head|lm_predictions|generator_predictions|generator_lm_head)\.",
    r"^(vocab_transform|vocab_layer_norm|vocab_projector|pred_layer|lm_loss)\.|^final_logits_bias$",
    # of ModernBERT; of words, where an encoder-decoder has layers; of pairs of questions and answers
    r"^(head\.dense|head\.norm|decoder|cls)\.(weight|bias)$",
    # of other tasks
    r"^(pre_classifier|classifier|score|classification_head|qa_outputs)\.",
)


class Kind:
    """A kind of models: what one of it has to be.

    title: what such a model is called. auto: one of transformers' classes AutoModelFor…, or the network's
    own; types: of models of this kind that transformers has; remark: said besides of one of another type;
    unread: said of a network that cannot read a text. needs_offsets: whether the tokenizer has to say where
    in a text its tokens are. Nothing is made with weights whose names begin as in may_lack, which may be
    missing, and with tensors whose names match may_have, which may be there.
    """

    title: str
    auto: Any
    types: Collection[str]
    remark: str
    unread = "with its config.json it reads no sentence"
    needs_offsets = False
    may_lack: tuple[str, ...] = ()
    may_have: tuple[str, ...] = _BUFFERS

    def facts(self, config: Config, tokenizer: Tokenizer, what: str, entry: Entry) -> dict[str, Any]:
        """What a manifest says besides of a model with this entry of a study.

        Raises InputError beginning with `what` for a configuration or a tokenizer that is not fit.
        """
        return {}

    def fault_of(self, model: PreTrainedModel, tokenizer: Tokenizer) -> str | None:
        """What is wrong with what the network makes of some text, if anything; fails where it reads none."""
        raise NotImplementedError


class MaskedLM(Kind):
    title = "masked language model"
    auto = AutoModelForMaskedLM
    types = modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    remark = "what reads from left to right is of the kind causal-lm"
    may_have = (*_BUFFERS, _POOLER, *_SECOND_TASKS)

    def facts(self, config: Config, tokenizer: Tokenizer, what: str, entry: Entry) -> dict[str, Any]:
        """The mask token. Refuses a tokenizer without one, or with one that means something else too, and one
        that has tokens for the ends of a text and does not put them there.
        """
        if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
            raise InputError(
                f"{what}: it is a decoder (is_decoder in config.json) and cannot see what follows a mask"
            )
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
                    f"{what}: its tokenizer has {tokenizer.cls_token} and {tokenizer.sep_token} and does not "
                    "put them around a text: give its tokenizer.json a post-processor that does"
                )
        return {"mask_token": tokenizer.mask_token}

    def fault_of(self, model: PreTrainedModel, tokenizer: Tokenizer) -> str | None:
        # as long as a short sentence: some architectures read nothing shorter
        ids = torch.tensor([tokenizer(6 * f"{tokenizer.mask_token} ")["input_ids"]])
        logits = _logits(model, ids)
        if logits.shape[:2] != ids.shape:
            # Perceiver has logits for as many places as it has positions
            raise ValueError(f"logits of {logits.shape[1]} places for {ids.shape[1]} tokens")
        return _NOT_A_NUMBER if logits.isnan().any() else None


class CausalLM(Kind):
    title = "causal language model"
    auto = AutoModelForCausalLM
    types = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    remark = "only such models are read from left to right"
    # the start token is put before a text by the tokenizer itself
    needs_offsets = True
    may_have = (*_BUFFERS, r"(^|\.)(attn|attention)\.(masked_)?bias$")

    def facts(self, config: Config, tokenizer: Tokenizer, what: str, entry: Entry) -> dict[str, Any]:
        """start, and max_length: how many tokens, with the start token, the model takes that each of them
        sees.
        """
        if config.is_encoder_decoder:
            raise InputError(
                f"{what}: it has an encoder (is_encoder_decoder in config.json), and is no decoder"
            )
        windows = [getattr(config, name, None) for name in _WINDOWS]
        if getattr(config, "use_sliding_window", True) is False:
            windows[0] = None
        limits = [
            each for each in (max_length(config, tokenizer), *windows) if isinstance(each, int) and each
        ]
        start = choose_start(tokenizer, entry.get("start"), what)
        return {"max_length": min(limits, default=None), "start": asdict(start)}

    def fault_of(self, model: PreTrainedModel, tokenizer: Tokenizer) -> str | None:
        ids = torch.tensor([tokenizer(_TEXT, add_special_tokens=False)["input_ids"]])
        # a text, and the same with one more token behind it
        alone, longer = (_logits(model, each, use_cache=False)[0] for each in (ids[:, :-1], ids))
        first, second = (logits.float().log_softmax(-1) for logits in (alone, longer[:-1]))
        if first.isnan().any() or second.isnan().any():
            return _NOT_A_NUMBER
        if not torch.allclose(second, first, atol=_SAME, rtol=_SAME):
            return "it sees the tokens that follow, and is no decoder (is_decoder in config.json)"
        return None


class TextClassification(Kind):
    title = "text classifier"
    auto = AutoModelForSequenceClassification
    types = modeling_auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES
    remark = "only such models predict labels of texts"
    unread = "with its config.json it reads no text"
    may_have = (*_BUFFERS, _POOLER)

    def facts(self, config: Config, tokenizer: Tokenizer, what: str, entry: Entry) -> dict[str, Any]:
        """The labels. Refuses a regression, and a model that gives a text any number of labels."""
        if (problem := config.problem_type) not in (None, "single_label_classification"):
            raise InputError(
                f"{what}: problem_type {problem} in its config.json: not one label for each text"
            )
        return {"labels": labels_of(config, what)}

    def fault_of(self, model: PreTrainedModel, tokenizer: Tokenizer) -> str | None:
        # two at a time: some architectures need a padding token for that
        ids = torch.tensor(2 * [tokenizer(_TEXT)["input_ids"]])
        logits = _logits(model, ids)
        labels = model.config.num_labels or 0
        if logits.shape != (2, labels):
            return f"it gives a text {logits.shape[-1]} numbers, and has {labels} labels"
        return _NOT_A_NUMBER if logits.isnan().any() else None


def _logits(model: PreTrainedModel, ids: torch.Tensor, **options: bool) -> torch.Tensor:
    logits: torch.Tensor = model(input_ids=ids, attention_mask=torch.ones_like(ids), **options).logits
    return logits


def labels_of(config: Config, what: str) -> list[str]:
    """The names of a classifier's labels, in the order of its outputs.

    Raises InputError beginning with `what` where there are fewer than two, or they are not names.
    """
    names = {int(number): str(label) for number, label in (config.id2label or {}).items()}
    labels, known, fault = [names[number] for number in sorted(names)], Labels(), None
    if len(labels) < 2:
        fault = f"{len(labels)} labels: a classifier has two or more"
    elif sorted(names) != list(range(len(labels))):
        fault = "the labels are not numbered from 0 without gaps"
    for number, label in enumerate(labels):
        if not label.strip():
            fault = fault or f"label {number} has no name"
        elif labels.index(label) != number:
            fault = fault or f"two labels are called {label!r}"
        else:
            fault = fault or known.check(label, f"label {number}")
    if fault:
        raise InputError(f"{what}: its config.json (id2label): {fault}")
    return labels


class TextEncoder(Kind):
    title = "text encoder"
    auto: Any = AutoModel
    types: Collection[str] = modeling_auto.MODEL_MAPPING_NAMES
    remark = "it cannot be loaded"
    unread = "it makes no hidden states of a text alone"
    needs_offsets = True
    # checkpoints of masked language models have none
    may_lack: tuple[str, ...] = ("pooler.",)
    may_have = (*_BUFFERS, _POOLER, *_SECOND_TASKS, *_HEADS)

    def fault_of(self, model: PreTrainedModel, tokenizer: Tokenizer) -> str | None:
        ids = torch.tensor([tokenizer(_TEXT)["input_ids"]])
        hidden = self.states(model, ids)
        if hidden.ndim != 3 or hidden.shape[:2] != ids.shape:
            raise ValueError(f"{tuple(hidden.shape)} of {ids.shape[1]} tokens, not a state of each")
        return None if hidden.isfinite().all() else "with its config.json its hidden states are not finite"

    def states(self, model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
        """Hidden states, 1 × tokens × width."""
        return last_hidden_state(model, ids)


class VisionAndLanguage(TextEncoder):
    title = "encoder of text with pictures"
    auto = VisualBertModel
    types = ("visual_bert",)
    remark = "known is visual_bert"
    unread = "with its config.json it reads no text with a picture"
    may_lack = ()

    def states(self, model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
        """The same, of a text with three synthetic regions."""
        assert isinstance(model, VisualBertModel)
        generator = torch.Generator().manual_seed(0)
        regions = torch.rand(1, 3, model.config.visual_embedding_dim, generator=generator)
        return embed_with_regions(model, ids, regions)


KINDS: Mapping[str, Kind] = {
    MASKED_LM: MaskedLM(),
    CAUSAL_LM: CausalLM(),
    "text-classification": TextClassification(),
    "text-encoder": TextEncoder(),
    "vision-and-language": VisionAndLanguage(),
}


def check_model(
    directory: str | Path, kind: str, name: str, entry: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Load a model as a job will; what its manifest says, the same on every machine: that of
    `unmask.models.checking.describe`, the facts of its kind, and tokenizer_remarks, if any: sentences on how
    its tokenizer reads texts that users may not expect.

    kind: of KINDS; entry: what the study says of it. Raises InputError naming the model for what is not a
    model directory or has an adapter beside its weights; an architecture that transformers does not have for
    this kind; what `load_config`, `checked_tokenizer` and `load_checked` refuse; a tokenizer that has more
    tokens than the model has embeddings; settings with which the model reads nothing; and what its kind adds.
    """
    directory, what, spec = Path(directory), f"model {name}", KINDS[kind]
    files = files_of(directory, what)
    if (directory / ADAPTER).is_file():
        raise InputError(
            f"{what}: {ADAPTER} lies beside its weights, and no adapter is applied: merge it "
            "into the model first (docs/adding.md), or take it away"
        )
    config = load_config(directory, what)
    # code of the model's own may stand in for a class of transformers
    stands_in = is_allowed(directory) and spec.auto.__name__ in (getattr(config, "auto_map", None) or {})
    if config.model_type not in spec.types and not stands_in:
        raise InputError(
            f"{what}: transformers {transformers.__version__} has no {spec.title} of type "
            f"{config.model_type}: {spec.remark}"
        )
    tokenizer, remarks = checked_tokenizer(directory, what)
    if spec.needs_offsets and not tokenizer.is_fast:
        raise InputError(
            f"{what}: its {type(tokenizer).__name__} does not say where tokens are: add a tokenizer.json"
        )
    facts = spec.facts(config, tokenizer, what, entry or {})
    model = load_checked(spec, directory, files, what)
    for remark in remarks:
        logger.warning("%s: %s", what, remark)
    check_vocabulary(model, tokenizer, what)
    try:
        with torch.inference_mode():
            fault = spec.fault_of(model, tokenizer)
    except Exception as error:  # whatever odd settings lead to in some architecture
        raise InputError(f"{what}: {spec.unread}: {first_line(error)}") from None
    if fault:
        raise InputError(f"{what}: {fault}")
    logger.info("%s: %s with %d tokens is a sound %s", what, config.model_type, len(tokenizer), spec.title)
    described = describe(directory, files, config, tokenizer, model)
    return described | ({"tokenizer_remarks": remarks} if remarks else {}) | facts


def write_manifest(path: str | Path, about: Mapping[str, Any], facts: Iterable[str | Path] = ()) -> None:
    """Check a model, and write its manifest.

    about: the model's `name`, its `directory`, the `entry` (its source and kind, whether code that comes with
    it is run, and the start token that a decoder is to have) and `code`, a digest; facts: files with what the
    rule that made the model says of it. Raises InputError as `check_model` does.
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
