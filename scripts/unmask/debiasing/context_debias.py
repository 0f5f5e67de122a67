"""Context-debias, AT for short: training that makes words orthogonal to gendered ones (Kaneko & Bollegala
2021)."""

import copy
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.optim import AdamW

from unmask.atomic import written_whole
from unmask.debiasing.attributes import Groups, choose_sentences
from unmask.debiasing.inputs import Base, Entry, Texts
from unmask.debiasing.model_files import save
from unmask.debiasing.orthogonal import (
    attribute_vectors,
    distance,
    projection,
    released_attribute_vectors,
    released_distance,
    released_projection,
    released_word_weights,
    word_embeddings,
    word_weights,
)
from unmask.debiasing.tokenized import (
    Tokenized,
    by_length,
    chunks,
    layers_of,
    load,
    longest_of,
    pad,
    tokenize_sentences,
)
from unmask.errors import InputError
from unmask.models.devices import Device, within_memory
from unmask.models.quiet import quiet_transformers
from unmask.terms import PUBLISHED

logger = logging.getLogger(__name__)

ALPHA, BETA = 0.2, 0.8
"""The released code's weights of the two parts of the objective."""
CLIP = 1.0
"""Largest norm of the gradient."""
SAVE_EVERY = 500
"""Steps between two states that training can resume from."""
CHOOSE_EVERY = 500
"""Steps between two looks at the held-out sentences; fewer where training is short."""
STATE = "state.pt"

FEMININE, MASCULINE, NEUTRAL = "feminine", "masculine", "neutral"
GENDERS = (FEMININE, MASCULINE)
_ORDER, _BATCH, _VECTORS, _DROPOUT = range(1, 5)
"""What is drawn, each with a generator of its own of the seed and a number."""


@dataclass(frozen=True)
class Part:
    """Training or held-out sentences. Neutral ones have one mention each."""

    feminine: tuple[Tokenized, ...]
    masculine: tuple[Tokenized, ...]
    neutral: tuple[Tokenized, ...]

    @property
    def attributes(self) -> tuple[Tokenized, ...]:
        """The sentences of both genders."""
        return (*self.feminine, *self.masculine)

    def of(self, group: str) -> tuple[Tokenized, ...]:
        sentences: tuple[Tokenized, ...] = getattr(self, group)
        return sentences


class Parts(NamedTuple):
    """The two parts of an objective, without their weights."""

    projection: float
    distance: float


def debias(
    base: Base, texts: Texts, entry: Entry, directory: str | Path, work: Path, device: Device
) -> dict[str, Any]:
    """Debias the model in `base` by AT and write it to `directory`, all or nothing; it is the best of every
    CHOOSE_EVERY steps on held-out sentences.

    entry: `options` alpha and beta weigh the two parts of the objective (ALPHA, BETA); reading `published` or
    `corrected`, docs/debiasing.md has both. work: a folder of this call's own; a killed call is resumed from
    there. The same call gives the same weights, be it interrupted or not, on the same machine with as many
    threads.

    Returns sentences (of each group: train, dev, and how many are too long), steps, best_step, objective (of
    the model before and after, with its own vectors of gendered words, on held-out sentences: projection,
    distance and their weighted sum), history (the weighted sum at each look), parameters and torch.
    Raises InputError where there are too few sentences of a group, for an objective that is not a number, and
    for a batch that does not fit into memory.
    """
    return _Training(base, texts, entry, Path(work), device).run(Path(directory))


class _Training:
    def __init__(self, base: Base, texts: Texts, entry: Entry, work: Path, device: Device) -> None:
        self.base, self.entry, self.work, self.device = base, entry, work, device
        self.published = entry["reading"] == PUBLISHED
        self.seed: int = entry["seed"]
        training, options = entry["training"], entry["options"]
        self.batch, self.rate = training["batch"], training["learning_rate"]
        self.alpha, self.beta = options.get("alpha", ALPHA), options.get("beta", BETA)
        groups = choose_sentences(texts, self.published, training["max_length"], self.seed)
        self.model, tokenizer = load(base, "AT")
        self.padding: int = tokenizer.pad_token_id
        # the released code cuts no sentence: what the model cannot read is left out
        limit = base.max_length if self.published else longest_of(base, training["max_length"])
        self.train, self.dev, self.too_long = _tokenized(groups, tokenizer, limit, texts)
        self.words = sorted(
            {word for gender in GENDERS for s in self.train.of(gender) for word, _ in s.mentions}
        )
        self.epoch, self.steps, self.decay = self._count_steps(training["epochs"], training["steps"])
        self.every = min(CHOOSE_EVERY, max(1, self.steps // 10))
        self.model.to(device.torch)  # type: ignore[arg-type]
        self.before = copy.deepcopy(self.model).requires_grad_(False)
        self.trained = [weights for weights in self.model.parameters() if weights.requires_grad]
        self.optimizer = AdamW(self.trained, lr=self.rate, weight_decay=0.0)
        self.saved_best = 0

    def _count_steps(self, epochs: int, steps: int | None) -> tuple[int, int, int]:
        """The steps of an epoch, those of training, and those after which the rate would be 0."""
        sizes = {group: len(self.train.of(group)) for group in (*GENDERS, NEUTRAL)}
        if self.published:
            of_group = min(sizes[gender] for gender in GENDERS) // self.batch
            if of_group == 0:
                smallest = min(GENDERS, key=lambda gender: sizes[gender])
                raise InputError(
                    f"AT: {sizes[smallest]} {smallest} sentences to train on are less than one batch of "
                    f"{self.batch}, of which the released code would make no step; give more text, a smaller "
                    "debiasing.training.batch, or take reading: corrected"
                )
            epoch = 3 * of_group
            # with a number of steps it is that; else batches are counted of which there are fewer
            decay = steps or epochs * sum(math.ceil(size / self.batch) for size in sizes.values())
        else:
            epoch = math.ceil(max(sizes[NEUTRAL], sizes[FEMININE] + sizes[MASCULINE]) / self.batch)
            decay = steps or epochs * epoch
        return epoch, steps or epochs * epoch, decay

    def run(self, directory: Path) -> dict[str, Any]:
        devices = [] if self.device.torch.type == "cpu" else [self.device.torch]
        with torch.random.fork_rng(devices=devices):
            before, after, best_step, history = self._run()
        with quiet_transformers():
            save(self.model, self.base, self.entry, directory, keep_pooler=not self.published)
        objective = {"before": before, "after": after}
        return {
            "sentences": {
                group: {
                    "train": len(self.train.of(group)),
                    "dev": len(self.dev.of(group)),
                    "too_long": self.too_long[group],
                }
                for group in (*GENDERS, NEUTRAL)
            },
            "attribute_words": len(self.words),
            "alpha": self.alpha,
            "beta": self.beta,
            "steps": self.steps,
            "best_step": best_step,
            "objective": {
                when: {**parts._asdict(), "weighted": self._weigh(parts)} for when, parts in objective.items()
            },
            "history": history,
            "parameters": sum(weights.numel() for weights in self.model.parameters()),
            "torch": str(torch.__version__),
        }

    def _run(self) -> tuple[Parts, Parts, int, list[dict[str, float]]]:
        """Train; the objective before and after, the step whose weights the model then has, and the looks."""
        state = self._restore()
        if state is None:
            vectors = self._vectors(0)
            state = {
                "step": 0,
                "vectors": vectors,
                "best": [math.inf, 0],
                "history": [],
                "before": list(self._parts(vectors)),
            }
        for step in range(state["step"], self.steps):
            if step and step % self.epoch == 0:
                state["vectors"] = self._vectors(step // self.epoch)
            self._step(step, state["vectors"])
            last = step + 1
            if last % self.every == 0 or last == self.steps:
                self._look(last, state)
            if last % SAVE_EVERY == 0 and last < self.steps:
                self._save(last, state)
        best_step = state["best"][1]
        self.model.load_state_dict(
            torch.load(self._best(best_step), map_location=self.device.torch, weights_only=True)
        )
        after = self._parts(self._vectors(0))
        return Parts(*state["before"]), after, best_step, state["history"]

    # --- steps

    def _step(self, step: int, vectors: Tensor) -> None:
        torch.manual_seed(self._number(_DROPOUT, step))
        self.model.train()
        losses = self._released_loss if self.published else self._loss
        loss = within_memory(self._backward, losses, step, vectors)
        if loss is None:
            raise InputError(
                f"AT: a batch of {self.batch} sentences does not fit into the memory of {self.device}: make "
                "debiasing.training.batch or max_length smaller (a batch is not read in parts: the released "
                "code's objective is no sum over its sentences)"
            )
        if not math.isfinite(loss):
            raise InputError(f"AT: the objective of step {step + 1} is {loss}, not a number")
        torch.nn.utils.clip_grad_norm_(self.trained, CLIP)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * (1 - step / self.decay)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def _backward(self, losses: Any, step: int, vectors: Tensor) -> float:
        loss: Tensor = losses(step, vectors)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.item()

    def _loss(self, step: int, vectors: Tensor) -> Tensor:
        """Of a batch of neutral sentences and one of gendered ones."""
        neutral = self._in_turn(self.train.neutral, step, 0)
        gendered = self._in_turn(self.train.attributes, step, 1)
        projected, moved = self._measure(neutral, gendered, vectors)
        loss: Tensor = self.alpha * projected + self.beta * moved
        return loss

    def _in_turn(self, sentences: Sequence[Tokenized], step: int, stream: int) -> list[Tokenized]:
        """The batch of a step: all sentences in random order, then all again in another."""
        batches = math.ceil(len(sentences) / self.batch)
        turn, place = divmod(step, batches)
        order = np.random.default_rng((self.seed, _ORDER, stream, turn)).permutation(len(sentences))
        return [sentences[i] for i in order[place * self.batch : (place + 1) * self.batch]]

    def _measure(
        self, neutral: Sequence[Tokenized], gendered: Sequence[Tokenized], vectors: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Projection and distance of some sentences."""
        rows = [s.ids for s in (*gendered, *neutral)]
        ids, mask = pad(rows, self.padding, self.device.torch)
        layers = layers_of(self.model, ids, mask)
        n = len(gendered)
        with torch.no_grad():
            old = layers_of(self.before, ids[:n], mask[:n])
        weights = word_weights([s.mentions[0][1] for s in neutral], ids.shape[1]).to(self.device.torch)
        embeddings = word_embeddings(tuple(layer[n:] for layer in layers), weights)
        moved = distance(tuple(layer[:n] for layer in layers), old, mask[:n])
        return projection(embeddings, vectors), moved

    def _released_loss(self, step: int, vectors: Tensor) -> Tensor:
        """Of a batch of one group; which, is shuffled in each epoch. Each batch is drawn from all
        sentences."""
        epoch, place = divmod(step, self.epoch)
        turns = np.repeat([NEUTRAL, *GENDERS], self.epoch // 3)
        group = str(np.random.default_rng((self.seed, _ORDER, epoch)).permutation(turns)[place])
        sentences = self.train.of(group)
        order = np.random.default_rng((self.seed, _BATCH, step)).permutation(len(sentences))[: self.batch]
        batch = [sentences[i] for i in order]
        if group == NEUTRAL:
            loss: Tensor = self.alpha * self._released_projection(batch, vectors)
        else:
            loss = self.beta * self._released_distance(batch)
        return loss

    def _released_projection(self, batch: Sequence[Tokenized], vectors: Tensor) -> Tensor:
        ids, mask = pad([s.ids for s in batch], self.padding, self.device.torch)
        weights = released_word_weights([s.mentions[0][1] for s in batch], ids.shape[1])
        layers = layers_of(self.model, ids, torch.ones_like(mask))
        return released_projection(word_embeddings(layers, weights.to(self.device.torch)), vectors)

    def _released_distance(self, batch: Sequence[Tokenized]) -> Tensor:
        ids, mask = pad([s.ids for s in batch], self.padding, self.device.torch)
        everything = torch.ones_like(mask)
        with torch.no_grad():
            old = layers_of(self.before, ids, everything)
        return released_distance(layers_of(self.model, ids, everything), old)

    def _number(self, stream: int, number: int) -> int:
        state = np.random.SeedSequence((self.seed, stream, number)).generate_state(1, np.uint64)
        # what PyTorch takes on every device
        return int(state[0] >> np.uint64(1))

    # --- vectors of gendered words, and looks at held-out sentences

    def _vectors(self, epoch: int) -> Tensor:
        """The model's vectors of gendered words."""
        if not self.published:
            return attribute_vectors(self.model, self.train.attributes, self.words, self.padding, self.device)
        genders = []
        for number, gender in enumerate(GENDERS):
            sentences = self.train.of(gender)
            order = np.random.default_rng((self.seed, _VECTORS, epoch, number)).permutation(len(sentences))
            shuffled = [sentences[i] for i in order[: self.epoch // 3 * self.batch]]
            genders.append(list(chunks(shuffled, self.batch)))
        return released_attribute_vectors(self.model, genders, self.padding, self.device)

    @torch.no_grad()
    def _parts(self, vectors: Tensor) -> Parts:
        """The objective on held-out sentences."""
        self.model.eval()  # type: ignore[no-untyped-call]
        if self.published:
            # as many batches of each group, in order
            looks = max(1, min(len(self.dev.of(gender)) for gender in GENDERS) // self.batch)
            batches = {
                group: list(chunks(self.dev.of(group), self.batch))[:looks] for group in (*GENDERS, NEUTRAL)
            }
            projected = [self._released_projection(b, vectors).item() for b in batches[NEUTRAL]]
            moved = [
                sum(self._released_distance(b).item() for b in batches[gender]) / len(batches[gender])
                for gender in GENDERS
            ]
            return Parts(sum(projected) / len(projected), sum(moved))
        return Parts(self._projection_of(self.dev.neutral, vectors), self._distance_of(self.dev.attributes))

    def _projection_of(self, sentences: Sequence[Tokenized], vectors: Tensor) -> float:
        total = 0.0
        for numbers in by_length([s.ids for s in sentences], self.device.batch_tokens):
            some = [sentences[number] for number in numbers]
            ids, mask = pad([s.ids for s in some], self.padding, self.device.torch)
            weights = word_weights([s.mentions[0][1] for s in some], ids.shape[1]).to(self.device.torch)
            embeddings = word_embeddings(layers_of(self.model, ids, mask), weights)
            total += projection(embeddings, vectors).item() * len(some)
        return total / len(sentences)

    def _distance_of(self, sentences: Sequence[Tokenized]) -> float:
        total, tokens = 0.0, 0
        for numbers in by_length([s.ids for s in sentences], self.device.batch_tokens):
            ids, mask = pad([sentences[number].ids for number in numbers], self.padding, self.device.torch)
            moved = distance(layers_of(self.model, ids, mask), layers_of(self.before, ids, mask), mask)
            here = int(mask.sum())
            total, tokens = total + moved.item() * here, tokens + here
        return total / tokens

    def _weigh(self, parts: Parts) -> float:
        return float(self.alpha * parts.projection + self.beta * parts.distance)

    def _look(self, step: int, state: dict[str, Any]) -> None:
        """Save the weights where they are the best so far."""
        parts = self._parts(state["vectors"])
        objective = self._weigh(parts)
        if not math.isfinite(objective):
            raise InputError(
                f"AT: the objective of step {step} on held-out sentences is {objective}, not a number"
            )
        state["history"].append({"step": step, **parts._asdict(), "weighted": objective})
        logger.info(
            "step %d of %d: held-out objective %.5g (projection %.4g, distance %.4g)",
            step, self.steps, objective, parts.projection, parts.distance,
        )  # fmt: skip
        if objective < state["best"][0]:
            with written_whole(self._best(step)) as partial:
                torch.save(self.model.state_dict(), partial)
            state["best"] = [objective, step]
            # a state may still name one; the others only take space
            self._delete_all_but({step, self.saved_best})

    # --- states that a killed job resumes from

    def _best(self, step: int) -> Path:
        return self.work / f"best-{step}.pt"

    def _delete_all_but(self, steps: set[int]) -> None:
        for path in self.work.glob("best-*.pt"):
            if path not in {self._best(step) for step in steps}:
                path.unlink()

    def _save(self, step: int, state: dict[str, Any]) -> None:
        state["step"] = step
        with written_whole(self.work / STATE) as partial:
            torch.save(
                {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), **state}, partial
            )
        self.saved_best = state["best"][1]
        self._delete_all_but({self.saved_best})

    def _restore(self) -> dict[str, Any] | None:
        if not (self.work / STATE).exists():
            return None
        state: dict[str, Any] = torch.load(
            self.work / STATE, map_location=self.device.torch, weights_only=True
        )
        self.model.load_state_dict(state.pop("model"))
        self.optimizer.load_state_dict(state.pop("optimizer"))
        self.saved_best = state["best"][1]
        logger.info("resuming after step %d", state["step"])
        return state


def _tokenized(
    groups: Groups, tokenizer: Any, limit: int | None, texts: Texts
) -> tuple[Part, Part, dict[str, int]]:
    """The sentences in tokens, and how many of each group are too long. Raises InputError where all are."""
    tokenized: dict[str, list[tuple[Tokenized, ...]]] = {}
    too_long = {}
    longest = limit or 10**9
    for group in (*GENDERS, NEUTRAL):
        of_group = getattr(groups, group)
        sentences = [tokenize_sentences(part, tokenizer, longest) for part in (of_group.train, of_group.dev)]
        too_long[group] = len(of_group.train) + len(of_group.dev) - sum(map(len, sentences))
        tokenized[group] = [_by_mention(part) if group == NEUTRAL else tuple(part) for part in sentences]
        if not all(tokenized[group]):
            raise InputError(
                f"{texts.lines}: of the {group} sentences, those to train on or those held out all have more "
                f"than {longest} tokens"
            )
    return (
        Part(**{group: parts[0] for group, parts in tokenized.items()}),
        Part(**{group: parts[1] for group, parts in tokenized.items()}),
        too_long,
    )


def _by_mention(sentences: Sequence[Tokenized]) -> tuple[Tokenized, ...]:
    """A sentence as often as it has mentions, with one each time."""
    return tuple(Tokenized(s.ids, (mention,)) for s in sentences for mention in s.mentions)
