"""Tiny random models, each with its own kind of tokenizer, for tests."""

import json
import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, pre_tokenizers, processors, trainers
from tokenizers.models import BPE
from transformers import (
    AlbertTokenizer,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    BertTokenizer,
    DebertaV2Tokenizer,
    MPNetTokenizer,
    PretrainedConfig,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    RobertaTokenizer,
    XLMRobertaTokenizer,
)

WORDS = """
the a an this that these those some all every no my your our their his her its of to in on at by for with
from as and or but not if because when while who which what i you he she it we they me him them us is am
are was were be been being has have had do does did will would can could should may might must said says
think thinks knew know knows went go goes come came make made makes take took get got give gave work
works worked like likes liked love loves want wants wanted need needs see saw look looks feel felt live
lives lived help helped care cares drive drove cook cooked clean cleaned teach taught man woman men women
boy girl father mother son daughter brother sister husband wife person people child children family
friend doctor nurse engineer teacher lawyer secretary mechanic scientist artist manager boss worker
student professor driver farmer soldier writer house home car school office hospital store street city
country table food money job day night time year way thing world life hand eye very really always never
often so too more most less good bad new old young big small smart stupid strong weak rich poor happy sad
angry kind lazy quiet loud white black american african asian chinese christian muslim jewish gay
straight better worse there here up down out then than about into over after before again only also just
one two three
""".split()  # noqa: SIM905  one word a line would be long
"""Ordinary words that every tiny tokenizer has whole; others fall into letters."""

END = "<|endoftext|>"
"""Their only special token, which begins and ends texts; their tokenizer adds nothing."""

_OF_BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_CHARACTERS = string.ascii_letters + string.digits + string.punctuation


def _word_pieces(*specials: str) -> dict[str, int]:
    letters = [prefix + c for prefix in ("", "##") for c in _CHARACTERS]
    pieces = dict.fromkeys([*specials, *letters, *WORDS, "##s", "##ed", "##ing", "##er", "##ly"])
    return {piece: index for index, piece in enumerate(pieces)}


def _unigrams(*specials: str) -> list[tuple[str, float]]:
    """Words cost less than the letters they are made of."""
    letters = [(c, -12.0) for c in ("▁", *_CHARACTERS)]
    words = [(f"▁{word}", -8.0) for word in dict.fromkeys(WORDS)]
    endings = [(ending, -9.0) for ending in ("ed", "ing", "er", "ly")]
    return [(special, 0.0) for special in specials] + letters + words + endings


def _byte_pairs(*specials: str) -> Tokenizer:
    """Byte-level byte-pair encoding learnt from the word list; `specials` have the first ids."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=list(specials),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([f" {word}" for word in WORDS], trainer)
    return tokenizer


def _roberta_tokenizer() -> PreTrainedTokenizerBase:
    model = json.loads(_byte_pairs("<s>", "<pad>", "</s>", "<unk>", "<mask>").to_str())["model"]
    merges: Any = [tuple(merge) for merge in model["merges"]]
    return RobertaTokenizer(vocab=model["vocab"], merges=merges)


def _modernbert_tokenizer() -> PreTrainedTokenizerBase:
    tokenizer = _byte_pairs("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ends
    )
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "cls", "sep", "pad", "mask")}
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_input_names=["input_ids", "attention_mask"], **names
    )


_TOKENIZERS: dict[str, Callable[[], PreTrainedTokenizerBase]] = {
    "bert": lambda: BertTokenizer(vocab=_word_pieces(*_OF_BERT), do_lower_case=False),
    "distilbert": lambda: BertTokenizer(vocab=_word_pieces(*_OF_BERT), do_lower_case=False),
    "electra": lambda: BertTokenizer(vocab=_word_pieces(*_OF_BERT), do_lower_case=True),
    "roberta": _roberta_tokenizer,
    "bart": _roberta_tokenizer,
    "modernbert": _modernbert_tokenizer,
    "albert": lambda: AlbertTokenizer(vocab=_unigrams("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]")),
    "xlm-roberta": lambda: XLMRobertaTokenizer(vocab=_unigrams("<s>", "<pad>", "</s>", "<unk>", "<mask>")),
    "deberta-v2": lambda: DebertaV2Tokenizer(vocab=_unigrams(*_OF_BERT)),
    "mpnet": lambda: MPNetTokenizer(vocab=_word_pieces("<s>", "<pad>", "</s>", "[UNK]", "<mask>")),
}
ARCHITECTURES = tuple(_TOKENIZERS)
"""The masked language models that `tiny_model` can make (`electra` is the generator)."""

_SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 128,
    "initializer_range": 0.5,
}
# positions start at pad + 1 = 2
_AFTER_PADDING = {"max_position_embeddings": 130}
_SETTINGS: dict[str, dict[str, Any]] = {
    **{name: {"embedding_size": 16} for name in ("electra", "albert")},
    **{name: {**_AFTER_PADDING, "type_vocab_size": 1} for name in ("roberta", "xlm-roberta")},
    "mpnet": _AFTER_PADDING,
    **{name: {"num_key_value_heads": 2} for name in ("llama", "mistral")},
    "modernbert": {"global_attn_every_n_layers": 2, "local_attention": 16},
    "deberta-v2": {
        "relative_attention": True,
        "position_biased_input": False,
        "pos_att_type": ["p2c", "c2p"],
        "type_vocab_size": 0,
    },
    "distilbert": {"hidden_dim": 64},
    "visual_bert": {"visual_embedding_dim": 12},
    "bart": {
        "init_std": 0.5,
        **{f"{part}_layers": 2 for part in ("encoder", "decoder")},
        **{f"{part}_attention_heads": 4 for part in ("encoder", "decoder")},
        **{f"{part}_ffn_dim": 64 for part in ("encoder", "decoder")},
    },
}


def tiny_tokenizer(architecture: str) -> PreTrainedTokenizerBase:
    """The kind of tokenizer that models of this architecture have, over a small vocabulary."""
    return _TOKENIZERS[architecture]()


def tiny_config(architecture: str, tokenizer: PreTrainedTokenizerBase, **overrides: Any) -> PretrainedConfig:
    """Configuration of a tiny model of this architecture that fits `tokenizer`."""
    names = ("pad", "bos", "eos", *(("cls", "sep") if architecture == "modernbert" else ()))
    ids = {f"{name}_token_id": getattr(tokenizer, f"{name}_token_id") for name in names}
    settings = {**_SIZES, **ids, **_SETTINGS.get(architecture, {}), **overrides}
    return AutoConfig.for_model(architecture, **{"vocab_size": len(tokenizer), **settings})


def tiny_model(architecture: str, directory: Path, seed: int = 0, **overrides: Any) -> Path:
    """Save a random masked language model and its tokenizer to `directory`, and return it.

    overrides: settings of its configuration. Hidden size 32, 2 layers of 4 heads, sentences of up to 128
    tokens; weights large enough for clearly different scores. The same seed gives the same weights.
    """
    return _saved(AutoModelForMaskedLM, architecture, directory, seed, overrides)


def decoder_tokenizer(**specials: str) -> PreTrainedTokenizerBase:
    """A byte-pair tokenizer of which END, or what `specials` say, are the special tokens."""
    names = specials or {"bos_token": END, "eos_token": END}
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=_byte_pairs(*dict.fromkeys([END, *names.values()])), **names
    )


def tiny_decoder(architecture: str, directory: Path, seed: int = 0, **overrides: Any) -> Path:
    """The same as `tiny_model` of a random causal language model: gpt2, llama or mistral."""
    tokenizer = decoder_tokenizer()
    return _saved(AutoModelForCausalLM, architecture, directory, seed, overrides, tokenizer)


def tiny_classifier(
    architecture: str,
    directory: Path,
    seed: int = 0,
    labels: Sequence[str] = ("bad", "good"),
    **overrides: Any,
) -> Path:
    """The same of a random text classifier with these labels."""
    numbered = dict(enumerate(labels))
    ids = {label: number for number, label in numbered.items()}
    settings = {"id2label": numbered, "label2id": ids, **overrides}
    return _saved(AutoModelForSequenceClassification, architecture, directory, seed, settings)


def tiny_seeing(directory: Path, seed: int = 0, **overrides: Any) -> Path:
    """The same of a random VisualBERT, with regions of 12 features.

    No weight is zero, or what it counts for would not be seen.
    """
    model: Any = AutoModel.from_pretrained(
        _saved(AutoModel, "visual_bert", directory, seed, overrides, tiny_tokenizer("bert"))
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        for weights in model.parameters():
            if not weights.any():
                weights.normal_(std=0.3)
    model.save_pretrained(directory)
    return directory


def _saved(
    auto: Any,
    architecture: str,
    directory: Path,
    seed: int,
    overrides: dict[str, Any],
    tokenizer: PreTrainedTokenizerBase | None = None,
) -> Path:
    tokenizer = tokenizer or tiny_tokenizer(architecture)
    config = tiny_config(architecture, tokenizer, **overrides)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = auto.from_config(config)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory
