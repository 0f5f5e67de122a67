"""Tiny masked language models trained on a world's corpus, and the gate: did they learn what is planted?"""

import json
import logging
import math
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import (
    AlbertConfig,
    AutoModelForMaskedLM,
    AutoTokenizer,
    BertConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    RobertaConfig,
)

from unmask.errors import InputError
from unmask.files import write_text
from unmask.joblog import PROGRESS
from unmask.models.corrupting import corrupt
from unmask.models.quiet import quiet_transformers
from unmask.worlds.grammar import (
    ASSOCIATION,
    BOTH,
    FEMALE,
    GENDER_TEMPLATES,
    GROUP_TEMPLATES,
    MALE,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    PRONOUNS,
    World,
    frames,
    slots,
    text_of,
    words_of,
)
from unmask.worlds.recipe import Corruption, Recipe
from unmask.worlds.tokenizers import MAX_LENGTH, make_tokenizer

logger = logging.getLogger(__name__)

Fillers = dict[str, str]

GATE_FILE = "gate.json"
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
    corruption: Corruption,
    threads: int = 1,
    recipe: Recipe | None = None,
) -> None:
    """Train a model on `lines` and save it with its tokenizer into `directory`.

    `architecture` is bert, roberta or albert: two layers, hidden size 64, four heads, no dropout. The
    same seed gives the same model on the same machine with one thread. A recipe of no steps leaves the
    network untrained.
    Raises InputError for any other architecture.
    """
    recipe = recipe or Recipe()
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    tokenizer = make_tokenizer(architecture, world, lines)
    model = AutoModelForMaskedLM.from_config(_config(architecture, tokenizer))  # type: ignore[no-untyped-call]
    model.train()
    rates = _choosing_rates(tokenizer, world, recipe)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True
    )
    warm_up = max(1, round(recipe.warm_up * recipe.steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / warm_up, (recipe.steps - s) / max(1, recipe.steps - warm_up))
    )
    generator = torch.Generator().manual_seed(seed)
    token_ids: list[list[int]] = tokenizer(list(lines))["input_ids"]
    # else a vocabulary's unused part (256 bytes in RoBERTa) would decide how far a visible token is trusted
    seen = torch.tensor(sorted({i for ids in token_ids for i in ids} - set(tokenizer.all_special_ids)))
    recent: list[float] = []
    for step, original in enumerate(_batches(token_ids, recipe, generator), start=1):
        corrupted, chosen = corrupt(original, rates, seen, tokenizer.mask_token_id, corruption, generator)
        logits = model(input_ids=corrupted).logits
        loss = cross_entropy(logits[chosen], original[chosen])
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        recent.append(loss.item())
        if step % max(1, recipe.steps // 10) == 0:
            logger.info(
                "training %s: step %d of %d, loss %.3f",
                architecture,
                step,
                recipe.steps,
                fmean(recent),
                extra=PROGRESS,
            )
            recent.clear()
    with quiet_transformers():
        model.save_pretrained(directory)
        tokenizer.save_pretrained(directory)


def check_learnt(
    model_dir: str | Path, world: World, name: str | None = None, strict: bool = True
) -> dict[str, Any]:
    """Check that a model learnt the planted associations; write what was found as gate.json and return it.

    `association`: with the pronoun of a sentence hidden, log P(stereotyped pronoun) - log P(other pronoun),
    averaged over the occupations of a level and their sentences of one pronoun. `both`: with the trait
    hidden, the same of a group's own traits and the other group's. Each must be as `is_learnt` asks. (Token
    accuracy would prove nothing: it is near its ceiling long before these are learnt.)
    Raises InputError, naming the model, where one does not, or only says so unless `strict`; gate.json is
    written all the same.
    """
    model_dir = Path(model_dir)
    name = name or model_dir.name
    with quiet_transformers():
        tokenizer = AutoTokenizer.from_pretrained(model_dir)
        model = AutoModelForMaskedLM.from_pretrained(model_dir).eval()
    found: dict[tuple[str, float, float], list[float]] = {}
    for level, template, own, other in _questions(world):
        found.setdefault(level, []).extend(_log_odds(model, tokenizer, template, own, other))
    levels: list[dict[str, Any]] = [
        {
            "name": f"{factor}, p = {p:g}, ratio {ratio:g}",
            "factor": factor,
            "p": p,
            "ratio": ratio,
            "log_odds": fmean(values),
            "truth": math.log(p / (1 - p)),
        }
        for (factor, p, ratio), values in sorted(found.items())
    ]
    learnt = [is_learnt(level["log_odds"], level["p"]) for level in levels]
    gate: dict[str, Any] = {"tolerance": TOLERANCE, "learnt": all(learnt), "levels": levels}
    write_text(model_dir / GATE_FILE, json.dumps(gate, indent=1) + "\n")
    told = ["{log_odds:.2f} instead of {truth:.2f} ({name})".format_map(level) for level in levels]
    for line in told:
        logger.info("%s: log-odds %s", name, line)
    if not all(learnt):
        off = ", ".join(line for line, passed in zip(told, learnt, strict=True) if not passed)
        fault = f"model {name} did not learn the planted association: log-odds {off}, tolerance {TOLERANCE:g}"
        if strict:
            raise InputError(fault)
        logger.warning("%s; it is kept, as its gate is off", fault)
    return gate


def is_learnt(log_odds: float, p: float) -> bool:
    """Whether log-odds tell of an association p that was learnt.

    They lie within TOLERANCE of logit(p) and nearer to it than to 0, or stand for a probability within CLOSE
    of p.
    """
    found = 0.5 * (1 + math.tanh(log_odds / 2))  # the logistic function, which no log-odds overflow
    distance = abs(log_odds - math.log(p / (1 - p)))
    return distance <= min(TOLERANCE, abs(log_odds)) or abs(found - p) <= CLOSE


def _config(architecture: str, tokenizer: PreTrainedTokenizerBase) -> PreTrainedConfig:
    shape: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 128,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "initializer_range": 0.12,
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.cls_token_id,
        "eos_token_id": tokenizer.sep_token_id,
    }
    if architecture == "bert":
        return BertConfig(max_position_embeddings=MAX_LENGTH, **shape)
    if architecture == "roberta":
        # its positions are counted from behind the padding token's id
        positions = MAX_LENGTH + tokenizer.pad_token_id + 1
        return RobertaConfig(max_position_embeddings=positions, type_vocab_size=1, **shape)
    return AlbertConfig(max_position_embeddings=MAX_LENGTH, embedding_size=64, **shape)


def _choosing_rates(tokenizer: PreTrainedTokenizerBase, world: World, recipe: Recipe) -> Tensor:
    """For each token id, how often it is chosen for prediction; never for special tokens."""
    rates = torch.full((len(tokenizer),), recipe.template_rate)
    for word, rate in recipe.rates(world).items():
        # as it stands in a sentence: behind a space
        rates[tokenizer(f" {word}", add_special_tokens=False)["input_ids"]] = rate
    rates[tokenizer.all_special_ids] = 0.0
    return rates


def _batches(
    token_ids: Sequence[Sequence[int]], recipe: Recipe, generator: torch.Generator
) -> Iterator[Tensor]:
    """Batches of sentences of one length: lengths are drawn by their share, sentences without replacement."""
    by_length: dict[int, list[Sequence[int]]] = {}
    for ids in token_ids:
        by_length.setdefault(len(ids), []).append(ids)
    tables = [torch.tensor(rows) for _, rows in sorted(by_length.items())]
    shares = torch.tensor([float(len(table)) for table in tables])
    order = [torch.empty(0, dtype=torch.long) for _ in tables]
    if recipe.steps == 0:  # which torch would not draw
        return
    for i in torch.multinomial(shares, recipe.steps, replacement=True, generator=generator).tolist():
        while len(order[i]) < recipe.batch:
            order[i] = torch.cat([order[i], torch.randperm(len(tables[i]), generator=generator)])
        rows, order[i] = order[i][: recipe.batch], order[i][recipe.batch :]
        yield tables[i][rows]


def _questions(world: World) -> Iterator[tuple[tuple[str, float, float], str, Fillers, Fillers]]:
    """What the gate asks: the level, a template, the associated fillers and those held against them."""
    one_pronoun = [t for t in GENDER_TEMPLATES if not {"subject", "possessive"}.issubset(slots(t))]
    for (word, gender, p), template in product(world.occupations, one_pronoun):
        occupation = {"occupation": word}
        other = MALE if gender == FEMALE else FEMALE
        yield (ASSOCIATION, p, 1), template, occupation | PRONOUNS[gender], occupation | PRONOUNS[other]
    for pair, template in product(world.group_pairs, GROUP_TEMPLATES):
        if pair.factor == BOTH:
            for negative, positive in zip(NEGATIVE_TRAITS, POSITIVE_TRAITS, strict=True):
                for group, own, other in (
                    (pair.disadvantaged, negative, positive),
                    (pair.advantaged, positive, negative),
                ):
                    level = (BOTH, pair.p, pair.ratio)
                    yield level, template, {"group": group, "trait": own}, {"group": group, "trait": other}


def _log_odds(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, template: str, own: Fillers, other: Fillers
) -> list[float]:
    """log P(own) - log P(other) where the word that differs is hidden, for each frame of a template."""
    tokens, others = (
        torch.tensor(
            tokenizer([text_of(words_of(frame, fillers)) for frame in frames(template)])["input_ids"]
        )
        for fillers in (own, other)
    )
    hidden = tokens != others  # one position in every sentence
    with torch.inference_mode():
        logits = model(input_ids=tokens.masked_fill(hidden, tokenizer.mask_token_id)).logits[hidden]
    log_odds: Tensor = logits.gather(1, tokens[hidden][:, None]) - logits.gather(1, others[hidden][:, None])
    return [float(value) for value in log_odds.flatten()]
