"""Tiny language models trained on a world's corpus, with tokenizers that keep words whole, but for those that
are to be split; and the gate: did they learn what is planted?"""

import json
import logging
import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from statistics import fmean
from string import ascii_lowercase
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch.optim import AdamW
from transformers import (
    AlbertTokenizer,
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    BertTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    RobertaTokenizer,
)

from unmask.errors import InputError
from unmask.files import write_text
from unmask.models import training
from unmask.models.devices import pick_device
from unmask.models.directory import DECODERS
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import Masking, Settings, loss_at_labels
from unmask.worlds.exact import KEPT, MASKED, RANDOM
from unmask.worlds.grammar import (
    ASSOCIATION,
    BOTH,
    FREE_SLOTS,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    TEMPLATES,
    Fillers,
    World,
    frames,
    slots,
    text_of,
    words_of,
)

logger = logging.getLogger(__name__)

Level = tuple[str, float, float]
"""A factor, its p and its ratio."""
Ids = npt.NDArray[np.int32]

MAX_LENGTH = 32
"""Tokens that a model of a world takes, special ones included."""
END = "<|endoftext|>"
"""What begins and ends a text of a causal language model."""
SEAM = "\N{MIDDLE DOT}"
"""Stands between the pieces of a word where byte pairs are learnt, which never merge over it."""
STEPS, DECODER_STEPS = 2600, 1000
"""What was measured to be enough. A decoder learns from every token, and so from fewer steps."""
BATCH, LEARNING_RATE, WARM_UP = 128, 5e-3, 0.05
"""WARM_UP is a share of the steps."""
FACTOR_RATE, FACTOR_RATE_WITH_NAMES, FREE_RATE, TEMPLATE_RATE = 0.35, 0.4, 0.1, 0.05
"""How often a word is chosen for prediction: one that carries a factor (in worlds with names, too, which have
more such words to learn), one of a free slot, one of a template. All words that can stand in a slot have one
rate: else frequencies would be distorted."""

TOLERANCE = 0.75
"""How far mean log-odds may be from the truth. Of twelve models (three architectures, several seeds and
worlds) the farthest was off by 0.56, ten by at most 0.43; one that learnt nothing is off by 2.2."""
CLOSE = 0.05
"""How far the probability may be from p, wherever that is less strict: near 0 and 1 a few sentences, and the
wrong words of training, move log-odds by more than TOLERANCE; near one half chance moves them past 0."""


def train(
    lines: Sequence[str],
    architecture: str,
    seed: int,
    directory: str | Path,
    world: World,
    work: Path,
    threads: int = 1,
    steps: int | None = None,
) -> None:
    """Train a model on `lines` and save it with its tokenizer into `directory`.

    `architecture` is bert, roberta, albert, or one of DECODERS, which learn to predict each token behind
    those before it: two layers, hidden size 64, four heads, no dropout. The same seed gives the same model on
    the same machine with one thread. work: as of `unmask.models.training.train`. steps: None for as many as
    are enough; 0 leaves the network untrained.
    """
    is_decoder = architecture in DECODERS
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    tokenizer = make_tokenizer(architecture, world, lines)
    network: Any = AutoModelForCausalLM if is_decoder else AutoModelForMaskedLM
    model = network.from_config(_config(architecture, tokenizer))
    start = [tokenizer.bos_token_id] if is_decoder else []
    sentences = [np.array([*start, *ids], dtype=np.int32) for ids in tokenizer(list(lines))["input_ids"]]
    settings = Settings(
        batch=BATCH,
        learning_rate=LEARNING_RATE,
        steps=(DECODER_STEPS if is_decoder else STEPS) if steps is None else steps,
        seed=seed,
        schedule=warmed_up,
        optimizer=partial(AdamW, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
    )
    batches = of_one_length([len(ids) for ids in sentences], BATCH, seed)
    batch = _following if is_decoder else _masking(tokenizer, sentences, world).batch
    device = pick_device("cpu")
    loss = training.own_loss if is_decoder else loss_at_labels(model, tokenizer, device)
    training.train(model, sentences, batch, settings, work, device, loss, batches=batches)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)


def warmed_up(step: int, steps: int) -> float:
    """A rate that rises linearly for a share WARM_UP of the steps, and then falls linearly to 0."""
    rising = max(1, round(WARM_UP * steps))
    return min((step + 1) / rising, (steps - step) / max(1, steps - rising))


def of_one_length(lengths: Sequence[int], size: int, seed: int) -> Callable[[int], list[int]]:
    """The examples of each step, of one length, so that none is padded; an epoch has every example once.

    lengths: of the examples, in tokens; size: the most examples of a step.
    """
    known = np.asarray(lengths)

    @lru_cache(maxsize=1)
    def batches(epoch: int) -> list[npt.NDArray[np.int64]]:
        rng = np.random.default_rng((seed, epoch))
        order = rng.permutation(len(known))
        alike = [order[known[order] == length] for length in np.unique(known)]
        # of nearly equal sizes: a loss is a mean, and the examples of a small batch would count for more
        parts = [each for part in alike for each in np.array_split(part, math.ceil(len(part) / size))]
        return [parts[number] for number in rng.permutation(len(parts))]

    count = len(batches(0))
    return lambda step: batches(step // count)[step % count].tolist()


def _following(examples: Sequence[Ids]) -> training.Batch:
    """A batch of sequences of one length, of which every token but the first is to be predicted."""
    ids = torch.from_numpy(np.stack(examples).astype(np.int64))
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids}


def check_learnt(model_dir: str | Path, world: World, name: str, strict: bool = True) -> dict[str, Any]:
    """Check that a model learnt the planted associations; write the result as gate.json and return it.

    `association`: with the one word hidden that shows the gender, a pronoun or a name, log P(of the
    stereotyped gender) - log P(of the other), averaged over the occupations of a level and their sentences.
    `both`: with the trait hidden, the same of a group's own traits and the other group's. Of a decoder, log P
    of the whole sentence stands in the word's place, whose truth is the same. Each must be as `is_learnt`
    asks. (Token accuracy would prove nothing: it is near its ceiling long before these are learnt.)
    Raises InputError, naming the model, where one does not, or only says so unless `strict`; gate.json is
    written all the same.
    """
    model_dir = Path(model_dir)
    tokenizer = load_tokenizer(model_dir)
    is_decoder = AutoConfig.from_pretrained(model_dir).model_type in DECODERS
    network: Any = AutoModelForCausalLM if is_decoder else AutoModelForMaskedLM
    model = network.from_pretrained(model_dir).eval()
    log_odds: dict[Level, list[float]] = {}
    for (level, template), fillers in _questions(world).items():
        sides = [
            [text_of(words_of(frame, side)) for side in of_side for frame in frames(template)]
            for of_side in zip(*fillers, strict=True)
        ]
        log_odds.setdefault(level, []).extend(_log_odds(model, tokenizer, *sides))
    levels: list[dict[str, Any]] = [
        {"name": f"{factor}, p = {p:g}, ratio {ratio:g}", "factor": factor, "p": p, "ratio": ratio}
        | {"log_odds": fmean(values), "truth": math.log(p / (1 - p))}
        for (factor, p, ratio), values in sorted(log_odds.items())
    ]
    off = [level for level in levels if not is_learnt(level["log_odds"], level["p"])]
    gate: dict[str, Any] = {"tolerance": TOLERANCE, "learnt": not off, "levels": levels}
    write_text(model_dir / "gate.json", json.dumps(gate, indent=1) + "\n")
    result = "{log_odds:.2f} instead of {truth:.2f} ({name})".format_map
    logger.info("%s: log-odds %s", name, ", ".join(map(result, levels)))
    if off:
        fault = f"model {name} did not learn the planted association: log-odds {', '.join(map(result, off))}"
        if strict:
            raise InputError(f"{fault}, tolerance {TOLERANCE:g}")
        logger.warning("%s, tolerance %g; it is kept, as its gate is off", fault, TOLERANCE)
    return gate


def is_learnt(log_odds: float, p: float) -> bool:
    """Whether a model with these log-odds learnt an association p.

    They lie within TOLERANCE of logit(p) and nearer to it than to 0, or stand for a probability within CLOSE
    of p.
    """
    probability = 0.5 * (1 + math.tanh(log_odds / 2))  # the logistic function, which no log-odds overflow
    distance = abs(log_odds - math.log(p / (1 - p)))
    return distance <= min(TOLERANCE, abs(log_odds)) or abs(probability - p) <= CLOSE


def _config(architecture: str, tokenizer: PreTrainedTokenizerBase) -> PreTrainedConfig:
    size = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "initializer_range": 0.05}
    names = ("bos", "eos", "pad")
    if architecture in DECODERS:
        ids = [tokenizer.bos_token_id] * 3
    else:
        ids = [tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id]
        size |= dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.0)
    inner, positions = {"intermediate_size": 64}, {"max_position_embeddings": MAX_LENGTH}
    own: dict[str, dict[str, Any]] = {
        "bert": inner | positions,
        # its positions are counted from behind the padding token's id
        "roberta": inner | {"max_position_embeddings": MAX_LENGTH + ids[2] + 1, "type_vocab_size": 1},
        "albert": inner | positions | {"embedding_size": 64},
        "gpt2": {"n_inner": 64, "n_positions": MAX_LENGTH}
        | dict.fromkeys(("attn_pdrop", "embd_pdrop", "resid_pdrop"), 0.0),
        "llama": inner | positions | {"num_key_value_heads": 2},
    }
    of_tokens = {f"{name}_token_id": number for name, number in zip(names, ids, strict=True)}
    return AutoConfig.for_model(
        architecture, vocab_size=len(tokenizer), **size, **own[architecture], **of_tokens
    )


def _masking(tokenizer: PreTrainedTokenizerBase, sentences: Sequence[Ids], world: World) -> Masking:
    """What is predicted: never special tokens, and of a word that is split each piece as often."""
    rates = torch.full((len(tokenizer),), TEMPLATE_RATE)
    free_words = {word for words in FREE_SLOTS.values() for word in words}
    first = {sentence.words[0] for sentence in world.sentences}
    factor_rate = FACTOR_RATE_WITH_NAMES if world.names else FACTOR_RATE
    for words, rate in ((free_words.intersection(world.words), FREE_RATE), (world.factor_words, factor_rate)):
        for word in words:
            # as it stands in a sentence: behind a space, or first of all
            for form in (f" {word}", word) if word in first else (f" {word}",):
                rates[tokenizer(form, add_special_tokens=False)["input_ids"]] = rate
    rates[tokenizer.all_special_ids] = 0.0
    # else a vocabulary's unused part (256 bytes in RoBERTa) would decide how far a visible token is trusted
    seen = sorted({*np.concatenate(sentences).tolist()} - {*tokenizer.all_special_ids})
    shares = MASKED, KEPT, RANDOM
    return Masking(rates, torch.tensor(seen), tokenizer.mask_token_id, tokenizer.pad_token_id, shares)


def _questions(world: World) -> dict[tuple[Level, str], list[tuple[Fillers, Fillers]]]:
    """What the gate asks: by level and template the associated fillers and the others, in pairs."""
    questions: dict[tuple[Level, str], list[tuple[Fillers, Fillers]]] = {}
    for one in [contrast for contrast in world.contrasts if contrast.factor == ASSOCIATION]:
        sides = {**one.shared, **one.stereotype}, {**one.shared, **one.antistereotype}
        for template in one.templates:
            # either of two pronouns would give the other away
            if not {"subject", "possessive"}.issubset(slots(template)):
                questions.setdefault(((ASSOCIATION, one.p, 1), template), []).append(sides)
    for pair, template in product(world.group_pairs, TEMPLATES["groups"]):
        if pair.factor == BOTH:
            questions.setdefault(((BOTH, pair.p, pair.ratio), template), []).extend(
                ({"group": group, "trait": own}, {"group": group, "trait": other})
                for negative, positive in zip(NEGATIVE_TRAITS, POSITIVE_TRAITS, strict=True)
                for group, own, other in (
                    (pair.disadvantaged, negative, positive),
                    (pair.advantaged, positive, negative),
                )
            )
    return questions


@torch.inference_mode()
def _log_odds(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, associated: list[str], others: list[str]
) -> list[float]:
    """log P(associated) - log P(other) of the one token in which texts of one length differ, hidden.

    Of a decoder, those of the whole texts.
    """
    sides = [torch.tensor(tokenizer(texts)["input_ids"]) for texts in (associated, others)]
    if tokenizer.mask_token_id is None:
        sides = [torch.nn.functional.pad(ids, (1, 0), value=tokenizer.bos_token_id) for ids in sides]
        read = [model(input_ids=ids).logits[:, :-1].log_softmax(-1) for ids in sides]
        more, less = (
            log_probs.gather(2, ids[:, 1:, None])[..., 0].sum(1)
            for log_probs, ids in zip(read, sides, strict=True)
        )
    else:
        hidden = sides[0] != sides[1]
        logits = model(input_ids=sides[0].masked_fill(hidden, tokenizer.mask_token_id)).logits[hidden]
        more, less = (logits.gather(1, ids[hidden][:, None]).flatten() for ids in sides)
    log_odds: list[float] = (more - less).tolist()
    return log_odds


def make_tokenizer(architecture: str, world: World, lines: Sequence[str]) -> PreTrainedTokenizerBase:
    """The tokenizer that goes with an architecture.

    bert: WordPiece over the world's words and single letters; roberta: byte-level BPE trained on `lines`;
    albert: Unigram over the world's words and single letters, lower-cased; gpt2, llama: byte-level BPE like
    roberta's, whose one special token begins and ends a text and is not added by itself.
    """
    if architecture in DECODERS:
        pairs, ends = _trained_pairs(world, lines, [END]), {"bos_token": END, "eos_token": END}
        return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
            tokenizer_object=pairs, model_max_length=MAX_LENGTH, **ends
        )
    kinds = {"bert": _word_piece, "roberta": _byte_pairs, "albert": _unigram}
    return kinds[architecture](world, lines)


def _word_piece(world: World, lines: Sequence[str]) -> BertTokenizer:
    pieces = [word for word in world.words if word not in world.split_words]
    for first, rest in world.split_words.values():
        pieces += [first, f"##{rest}"]
    capitals = sorted({word[0] for word in world.words if word[0].isupper()})
    letters = [*capitals, *ascii_lowercase, *(f"##{letter}" for letter in ascii_lowercase)]
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
            line = line.replace(word, SEAM.join(pieces))
        return line

    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(SEAM, "removed"), pre_tokenizers.ByteLevel(add_prefix_space=False)]
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
            scores[f"▁{word.lower()}"] = math.log((counts[word.lower()] + 1) / total)
    for first, rest in world.split_words.values():
        scores[f"▁{first.lower()}"] = scores[rest] = -10.0
    # dearer than any word, so that they are used only where no word fits
    scores |= dict.fromkeys(["▁", *ascii_lowercase], -30.0)
    return AlbertTokenizer(vocab=list(scores.items()), model_max_length=MAX_LENGTH)
