"""Tokenizers of a world, one of each kind: words stay whole, but for those that are to be split."""

import json
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AlbertTokenizer,
    BertTokenizer,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    RobertaTokenizer,
)

from unmask.errors import InputError
from unmask.models.detecting import DECODERS
from unmask.worlds.grammar import World

MAX_LENGTH = 32
"""Tokens that a model of a world takes, special ones included."""
END = "<|endoftext|>"
"""What begins and ends a text of a causal language model."""
_SEAM = "\N{MIDDLE DOT}"
_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")


def make_tokenizer(architecture: str, world: World, lines: Sequence[str]) -> PreTrainedTokenizerBase:
    """The tokenizer that goes with an architecture.

    bert: WordPiece over the world's words and single letters; roberta: byte-level BPE trained on `lines`;
    albert: Unigram over the world's words and single letters, lower-cased; gpt2, llama: byte-level BPE like
    roberta's, whose one special token begins and ends a text and is not added by itself.
    Raises InputError for any other architecture.
    """
    if architecture in DECODERS:
        pairs, ends = _trained_pairs(world, lines, [END]), {"bos_token": END, "eos_token": END}
        return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
            tokenizer_object=pairs, model_max_length=MAX_LENGTH, **ends
        )
    kinds = {"bert": _word_piece, "roberta": _byte_pairs, "albert": _unigram}
    if architecture in kinds:
        return kinds[architecture](world, lines)
    raise InputError(
        f"architecture: {architecture!r} is none of bert, roberta, albert, {', '.join(DECODERS)}"
    )


def _word_piece(world: World, lines: Sequence[str]) -> BertTokenizer:
    pieces = [word for word in world.words if word not in world.split_words]
    for first, rest in world.split_words.values():
        pieces += [first, f"##{rest}"]
    capitals = sorted({word[0] for word in world.words if word[0].isupper()})
    letters = [*capitals, *_LETTERS, *(f"##{letter}" for letter in _LETTERS)]
    tokens = dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces, *letters])
    vocabulary = {token: i for i, token in enumerate(tokens)}
    return BertTokenizer(vocab=vocabulary, do_lower_case=False, model_max_length=MAX_LENGTH)


def _byte_pairs(world: World, lines: Sequence[str]) -> RobertaTokenizer:
    trained = _trained_pairs(world, lines, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    model = json.loads(trained.to_str())["model"]
    merges: list[Any] = [tuple(merge) for merge in model["merges"]]
    return RobertaTokenizer(vocab=model["vocab"], merges=merges, model_max_length=MAX_LENGTH)


def _trained_pairs(world: World, lines: Sequence[str], specials: list[str]) -> Tokenizer:
    """Byte pairs learnt from lines, which split words as they are learnt; read plainly from then on."""

    def with_seams(line: str) -> str:
        for word, pieces in world.split_words.items():
            line = line.replace(word, _SEAM.join(pieces))
        return line

    trained = Tokenizer(models.BPE())
    # split words are learnt in pieces: pairs never merge over a seam
    trained.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(_SEAM, "removed"), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=2000,  # never reached: it stops when every word is whole
        special_tokens=specials,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    trained.train_from_iterator((with_seams(line) for line in lines), trainer)
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = decoders.ByteLevel()
    return trained


def _unigram(world: World, lines: Sequence[str]) -> AlbertTokenizer:
    counts = Counter(word for line in lines for word in line.lower().removesuffix(".").split())
    total = sum(counts.values())
    scores = {"<pad>": 0.0, "<unk>": 0.0, "[CLS]": 0.0, "[SEP]": 0.0, "[MASK]": 0.0, ".": 0.0}
    for word in world.words:
        if word not in world.split_words and word != ".":
            scores[f"▁{word.lower()}"] = log((counts[word.lower()] + 1) / total)
    for first, rest in world.split_words.values():
        scores[f"▁{first.lower()}"] = scores[rest] = -10.0
    # dearer than any word, so that they are used only where no word fits
    scores |= dict.fromkeys(["▁", *_LETTERS], -30.0)
    return AlbertTokenizer(vocab=list(scores.items()), model_max_length=MAX_LENGTH)
