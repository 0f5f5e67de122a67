"""What a model of each kind has to be, the check of a model directory, and its manifest."""

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoConfig, PreTrainedModel, VisualBertModel
from transformers import PretrainedConfig as Config
from transformers import PreTrainedTokenizerBase as Tokenizer
from transformers.modeling_utils import load_state_dict
from transformers.models.auto import modeling_auto

from unmask.errors import InputError
from unmask.files import read_facts, record, sha256_of_file, write_facts
from unmask.models.directory import CAUSAL_LM, MASKED_LM, allow, code_not_run, files_of, from_directory
from unmask.models.embedding import embed_with_regions, last_hidden_state
from unmask.models.tokenizer import checked_tokenizer, choose_start, first_line, max_length
from unmask.user_files import Labels

logger = logging.getLogger(__name__)

_TEXT = "a few words of a text"
_NOT_A_NUMBER = "with its config.json it predicts what is not a number"

_SAME = 1e-4
"""How far log-probabilities may be apart that are the same but for float error."""

_WORD = re.compile(r"(##|[▁Ġ ])?[^\W_]+(['’-][^\W_]+)*")
"""An ordinary word, with what tokenizers put before one. A mask token has brackets or some other mark."""

_WINDOWS = ("sliding_window", "window_size", "attention_chunk_size")
"""Settings that say how many tokens back attention reaches, in some layers or all."""

_NEVER_GIVEN: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "the language of each token (langs)": lambda s: s.get("use_lang_emb") and s.get("n_langs", 1) > 1,
    "where on a page each word stands (bbox)": lambda s: "max_2d_position_embeddings" in s,
    "the shape or sound of each character": lambda s: s.get("enable_shape") or s.get("enable_pronunciation"),
}
"""Inputs that no text here has (of XLM, LayoutLM, RoCBert), and whether a network with these settings reads
them."""

# names of tensors of a checkpoint that a network may pass over

_BUFFERS = (
    # numbers that are counted, not learnt, and were saved by older versions
    r"(^|\.)(position_ids|token_type_ids|rotary_emb\.inv_freq)$"
    r"|^(model\.)?(encoder|decoder)\.version$"
)
_POOLER = r"(^|\.)pooler\.(dense\.)?(weight|bias)$"
_SECOND_TASKS = (
    # which sentence follows (BERT), which comes first (ALBERT), which word was replaced (DeBERTa, ELECTRA)
    r"^(cls\.seq_relationship|sop_classifier|sop_classifier\.classifier)\.(weight|bias)$"
    r"|^(mask_predictions|discriminator_predictions)\."
)
_HEADS = (
    # of words
    r"^(cls\.predictions|predictions|lm_head|lm_predictions|generator_predictions|generator_lm_head)\."
    r"|^(vocab_transform|vocab_layer_norm|vocab_projector|pred_layer|lm_loss)\.|^final_logits_bias$"
    # of ModernBERT; of words, where an encoder-decoder has layers; of pairs of questions and answers
    r"|^(head\.dense|head\.norm|decoder|cls)\.(weight|bias)$"
    # of other tasks
    r"|^(pre_classifier|classifier|score|classification_head|qa_outputs)\."
)


class Kind:
    """A kind of models: what one of it has to be.

    title: what such a model is called. auto: one of transformers' classes AutoModelFor…, or the network's
    own; types: of models of this kind that transformers has. needs_offsets: whether the tokenizer has to say
    where in a text its tokens are. Nothing is made with weights whose names begin as in may_lack, which may
    be missing, and with tensors whose names match may_pass, which may be there.
    """

    title: str
    auto: Any
    types: Collection[str]
    needs_offsets = False
    may_lack: tuple[str, ...] = ()
    may_pass: tuple[str, ...] = (_BUFFERS,)

    def facts(self, config: Config, tokenizer: Tokenizer, start: str | None) -> dict[str, Any]:
        """What a manifest says besides of a model whose entry has this key `start`.

        Raises InputError for a configuration or a tokenizer that is not fit.
        """
        return {}

    def fault_of(self, model: PreTrainedModel, tokenizer: Tokenizer) -> str | None:
        """What is wrong with what the network makes of some text, if anything; fails where it reads none."""
        raise NotImplementedError


class MaskedLM(Kind):
    title = "masked language model"
    auto = transformers.AutoModelForMaskedLM
    types = modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    may_pass = (_BUFFERS, _POOLER, _SECOND_TASKS)

    def facts(self, config: Config, tokenizer: Tokenizer, start: str | None) -> dict[str, Any]:
        """The mask token. Refuses a tokenizer without one, or with one that means something else too, and one
        that has tokens for the ends of a text and does not put them there.
        """
        if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
            raise InputError("it is a decoder (is_decoder in config.json) and cannot see what follows a mask")
        mask = tokenizer.mask_token
        if mask is None:
            raise InputError("its tokenizer has no mask token")
        if _WORD.fullmatch(str(mask)) and mask != "MASK":
            raise InputError(f"its tokenizer has the word {str(mask)!r} for its mask token")
        for other in ("pad", "unk", "cls", "sep", "bos", "eos"):
            if getattr(tokenizer, f"{other}_token_id") == tokenizer.mask_token_id:
                raise InputError(f"its tokenizer's mask token {mask!r} is its {other} token too")
        if tokenizer.cls_token_id is not None and tokenizer.sep_token_id is not None:
            special = tokenizer(_TEXT, return_special_tokens_mask=True)["special_tokens_mask"]
            if not (special[0] and special[-1]):
                ends = f"{tokenizer.cls_token} and {tokenizer.sep_token}"
                raise InputError(
                    f"its tokenizer has {ends} and does not put them around a text: give its tokenizer.json "
                    "a post-processor that does"
                )
        return {"mask_token": mask}

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
    auto = transformers.AutoModelForCausalLM
    types = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    # the start token is put before a text by the tokenizer itself
    needs_offsets = True
    may_pass = (_BUFFERS, r"(^|\.)(attn|attention)\.(masked_)?bias$")

    def facts(self, config: Config, tokenizer: Tokenizer, start: str | None) -> dict[str, Any]:
        """start, and max_length: how many tokens, with the start token, the model takes that each of them
        sees.
        """
        if config.is_encoder_decoder:
            raise InputError("it has an encoder (is_encoder_decoder in config.json), and is no decoder")
        limits = max_length(config, tokenizer), *(getattr(config, name, None) for name in _WINDOWS)
        longest = min((each for each in limits if isinstance(each, int) and each), default=None)
        return {"max_length": longest, "start": asdict(choose_start(tokenizer, start))}

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
    auto = transformers.AutoModelForSequenceClassification
    types = modeling_auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES
    may_pass = (_BUFFERS, _POOLER)

    def facts(self, config: Config, tokenizer: Tokenizer, start: str | None) -> dict[str, Any]:
        """The labels, in the order of its outputs. Refuses a regression, a model that gives a text any number
        of labels, and labels that are no names."""
        if (problem := config.problem_type) not in (None, "single_label_classification"):
            raise InputError(f"problem_type {problem} in its config.json: not one label for each text")
        names = {int(number): str(label) for number, label in (config.id2label or {}).items()}
        labels, known = [names[number] for number in sorted(names)], Labels()
        fault = None
        if len({*labels}) < max(2, len(labels)) or sorted(names) != list(range(len(labels))):
            fault = "a classifier has two labels or more, numbered from 0, each of another name"
        for number, label in enumerate(labels):
            fault = fault or ("" if label.strip() else "no name") or known.check(label, f"label {number}")
        if fault:
            raise InputError(f"labels {labels} of its config.json (id2label): {fault}")
        return {"labels": labels}

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


class TextEncoder(Kind):
    title = "text encoder"
    auto: Any = transformers.AutoModel
    types: Collection[str] = modeling_auto.MODEL_MAPPING_NAMES
    needs_offsets = True
    # checkpoints of masked language models have none
    may_lack: tuple[str, ...] = ("pooler.",)
    may_pass = (_BUFFERS, _POOLER, _SECOND_TASKS, _HEADS)

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


def write_manifest(path: str | Path, about: Mapping[str, Any], facts: Iterable[str | Path] = ()) -> None:
    """Check a model, and write its manifest.

    about: the model's `name`, its `directory`, the `entry` (its source and kind, whether code that comes with
    it is run, and the start token that a decoder is to have) and `code`, a digest; facts: files with what the
    rule that made the model says of it. Raises InputError as `check_model` does.
    """
    entry, facts, directory = dict(about["entry"]), list(facts), Path(about["directory"])
    allow(directory, entry)
    manifest = check_model(directory, entry["kind"], about["name"], entry.get("start"))
    # the files themselves are described
    for file in facts:
        entry |= read_facts(file)
    provenance = record(facts, about["code"], "torch", "transformers", "tokenizers")
    write_facts(path, manifest | provenance | {"directory": str(directory), "entry": entry})


def check_model(directory: str | Path, kind: str, name: str, start: str | None = None) -> dict[str, Any]:
    """Load a model as a job will; what its manifest says, the same on every machine.

    kind: of KINDS; start: the start token that the study states of a decoder.

    - files: size in bytes and SHA-256 of every file that the model is loaded from
    - model_type: as the configuration states it
    - parameters: how many numbers the model has, tied ones once
    - vocab_size: rows of the embedding
    - max_length: how many tokens a text may have, special ones included; None for any number
    - weights_digest, tokenizer_digest: SHA-256 over the digests of the weights (with the configuration), and
      of the tokenizer
    - tokenizer_remarks, if any: sentences on how its tokenizer reads texts that users may not expect
    - the facts of its kind

    Raises InputError naming the model for what `files_of` refuses; a configuration that cannot be used, or
    with which the network reads what is _NEVER_GIVEN; an architecture that transformers does not have for
    this kind; what `checked_tokenizer` and `_load_checked` refuse; a tokenizer that has more tokens than the
    model has embeddings; settings with which the model reads nothing; and what its kind adds.
    """
    try:
        return _checked(Path(directory), KINDS[kind], start)
    except InputError as error:
        raise InputError(f"model {name}: {error}{code_not_run(directory)}") from None


def _checked(directory: Path, kind: Kind, start: str | None) -> dict[str, Any]:
    files = files_of(directory)
    try:
        config: Config = from_directory(AutoConfig, directory)
    except Exception as error:  # each architecture has its own way with settings that it cannot use
        raise InputError(f"its config.json cannot be used: {first_line(error)}") from None
    for missing, is_read in _NEVER_GIVEN.items():
        if is_read(vars(config)):
            raise InputError(
                f"a {config.model_type} of its config.json reads {missing}, which no text here has"
            )
    # code of the model's own may stand in for a class of transformers
    stands_in = files.code and kind.auto.__name__ in (getattr(config, "auto_map", None) or {})
    if config.model_type not in kind.types and not stands_in:
        raise InputError(
            f"transformers {transformers.__version__} has no {kind.title} of type {config.model_type}: "
            "is it of another kind (key kind)?"
        )
    tokenizer, remarks = checked_tokenizer(directory)
    if kind.needs_offsets and not tokenizer.is_fast:
        raise InputError(
            f"its {type(tokenizer).__name__} does not say where tokens are: add a tokenizer.json"
        )
    facts = kind.facts(config, tokenizer, start)
    model = _load_checked(kind, directory, files.weights)
    fault = None
    try:
        table: Any = model.get_input_embeddings()
        last, embeddings = max(tokenizer.get_vocab().values()), len(table.weight)
        if last >= embeddings:
            fault = f"the tokenizer has ids up to {last}, the model {embeddings} embeddings"
        with torch.inference_mode():
            fault = fault or kind.fault_of(model, tokenizer)
    except Exception as error:  # whatever odd settings lead to in some architecture
        raise InputError(f"with its config.json it reads no text: {first_line(error)}") from None
    if fault:
        raise InputError(fault)
    logger.info("%s with %d tokens is a sound %s", config.model_type, len(tokenizer), kind.title)
    sha256 = {name: sha256_of_file(directory / name) for name in files.all}
    described = {
        "files": {
            name: {"size": (directory / name).stat().st_size, "sha256": digest}
            for name, digest in sha256.items()
        },
        "model_type": config.model_type,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "vocab_size": embeddings,
        "max_length": max_length(config, tokenizer),
        "weights_digest": _digest([sha256[name] for name in files.all if name not in files.tokenizer]),
        "tokenizer_digest": _digest([sha256[name] for name in files.tokenizer]),
    }
    return described | ({"tokenizer_remarks": remarks} if remarks else {}) | facts


def _load_checked(kind: Kind, directory: Path, files: Collection[str]) -> PreTrainedModel:
    """The network of a model in evaluation mode: its weights are those of the checkpoint, and all of these.

    transformers draws weights at random that a checkpoint lacks, and passes over tensors that it does not
    know: a checkpoint of two layers loads as one, adapters that were not merged are left out, and numbers of
    eight bits are read without their scale. Raises InputError for either, and for weights that are truncated,
    of other shapes, not floating-point numbers or not finite.
    """
    model: PreTrainedModel
    tensors = [directory / file for file in files if not file.endswith(".json")]
    whole_numbers = {name for file in tensors for name in _not_floating(file)}
    try:
        # other shapes are listed by name below
        options = {"dtype": torch.float32, "output_loading_info": True, "ignore_mismatched_sizes": True}
        model, loading = from_directory(kind.auto, directory, **options)
    except Exception as error:  # corrupt files fail in as many ways as there are formats
        raise InputError(f"its weights cannot be loaded: {first_line(error)}") from None
    parameters = dict(model.named_parameters(remove_duplicate=False))
    unexpected = sorted(map(str, loading["unexpected_keys"]))
    drawn = parameters.keys() & loading["missing_keys"]
    missing = sorted(key for key in drawn if not key.startswith(kind.may_lack))
    unused = [key for key in unexpected if not re.search("|".join(kind.may_pass), key)]
    if unused and not missing:
        raise InputError(
            f"its checkpoint has tensors that a {model.config.model_type} of its config.json does not use, "
            f"{len(unused)} in all: {_some(unused)}"
        )
    # positions and the like are counted
    buffers = {name.rpartition(".")[2] for name, _ in model.named_buffers()}
    used = whole_numbers - {*unexpected}
    if whole := sorted(name for name in used if name.rpartition(".")[2] not in buffers):
        raise InputError(f"weights that are not floating-point numbers: {_some(whole)}")
    if mismatched := sorted(str(key[0]) for key in loading["mismatched_keys"]):
        raise InputError(f"weights of another shape than config.json says: {_some(mismatched)}")
    if missing:
        raise InputError(
            f"the checkpoint lacks weights of the {kind.title}, which would be drawn at random "
            f"({_some(missing)}){_others(missing, unexpected)}"
        )
    if broken := sorted(key for key, values in parameters.items() if not torch.isfinite(values).all()):
        raise InputError(f"weights that are not finite: {_some(broken)}")
    logger.info("%d tensors of its checkpoint are of other tasks, and unused", len(unexpected))
    return model


def _not_floating(file: Path) -> list[str]:
    """The names of the tensors of a checkpoint's file that are not floating-point numbers.

    Raises InputError where it cannot be read, as where a pickle holds more than tensors.
    """
    try:
        tensors = load_state_dict(file, map_location="meta")
        return [name for name, each in tensors.items() if not each.is_floating_point()]
    except Exception as error:  # corrupt files fail in as many ways as there are formats
        # what PyTorch says of a pickle is advice to read it all the same
        why = "is broken, or holds more than tensors: that could be code, and is not read"
        why = f"{file.name}: {first_line(error)}" if file.suffix == ".safetensors" else f"{file.name} {why}"
        raise InputError(f"its weights cannot be loaded: {why}") from None


def _others(missing: list[str], others: list[str]) -> str:
    """What a checkpoint has in place of weights: these under another prefix, or others; in words."""
    prefixes = Counter(name.removesuffix(key) for key in missing for name in others if name.endswith(key))
    for prefix, count in prefixes.most_common(1):
        if 2 * count > len(missing):
            return f": it has {count} of them under the prefix {prefix!r}: save the model without its wrapper"
    return f"; it has others, which are not used ({_some(others)})" if others else ""


def _digest(digests: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()


def _some(keys: list[str]) -> str:
    return ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
