"""AT, all-layer token-level debiasing (Kaneko & Bollegala 2021, Debiasing Pre-trained Contextualised
Embeddings).

Words that should tell of no gender, t, become orthogonal to gendered ones, a, in every layer l, and sentences
of gendered words, w, are read as before:

    J = α · mean over t, a, l of (v_l(a) · E_l(t))² + β · mean over w, l of ‖E_l(w) − E_l^pre(w)‖² / width.

E_l(t) is the mean of a word's tokens, v_l(a) the mean of E_l(a) over the sentences to train on, anew in each
epoch; the embeddings' output is a layer. The first part of J is the projection, the second the distance.
"""

import copy
import logging
import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.optim import AdamW
from transformers import PreTrainedModel

from unmask.debiasing.data import Base, Entry, Texts, in_batches
from unmask.debiasing.model_files import load_base, save
from unmask.debiasing.sentences import (
    FEMININE,
    GENDERS,
    GROUPS,
    MASCULINE,
    NEUTRAL,
    Tokenized,
    by_length,
    choose_sentences,
    tokenize_sentences,
)
from unmask.errors import InputError
from unmask.models.devices import Device
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import Batch, Masking, Settings, pad, train
from unmask.terms import PUBLISHED

logger = logging.getLogger(__name__)

ALPHA, BETA = 0.2, 0.8
"""The released code's weights of the two parts of the objective."""
EVAL_EVERY = 500
"""Steps between two evaluations on held-out sentences; fewer where training is short."""
_ORDER, _BATCH, _VECTORS = 1, 2, 3
"""What is drawn, each with a generator of its own of the seed and a number."""

Example = tuple[str, Tokenized]
"""A sentence and its group. Neutral ones have one mention each."""


def debias(
    base: Base, texts: Texts, entry: Entry, directory: Path, work: Path, device: Device
) -> dict[str, Any]:
    """Debias the model in `base` and write it to `directory`, all or nothing; it is the best of every
    EVAL_EVERY steps on held-out sentences.

    entry: `options` alpha and beta weigh the two parts of the objective; protocol `corrected` or `published`.
    work: a folder for states (unmask.models.training.train).

    Returns sentences (of each group: train, dev, and how many are too long), alpha, beta, steps, best_step,
    objective (of the model before and after, each with its own vectors, on held-out sentences: projection,
    distance and their weighted sum) and history (the same at each evaluation). Raises InputError for an
    encoder-decoder or a slow tokenizer, for too few sentences of a group, for an objective that is not a
    number, and for a batch that does not fit into memory.
    """
    published = entry["protocol"] == PUBLISHED
    method = (Published if published else Corrected)(base, texts, entry, device)
    facts = method.run(work)
    save(method.model, base, entry, directory, keep_pooler=not published)
    return facts


class Corrected:
    """The method as the paper has it. A step reads a batch of neutral sentences and one of gendered ones."""

    published = False

    def __init__(self, base: Base, texts: Texts, entry: Entry, device: Device) -> None:
        training, options = entry["training"], entry["options"]
        self.seed, self.size, self.rate = entry["seed"], training["batch"], training["learning_rate"]
        self.alpha, self.beta = options.get("alpha", ALPHA), options.get("beta", BETA)
        self.device = device
        tokenizer = load_tokenizer(base.directory)
        self.padding = Masking.of(tokenizer).pad_id
        self.model = load_base(base)
        self.model.eval()  # type: ignore[no-untyped-call]
        if self.model.config.is_encoder_decoder:
            raise InputError("AT is not defined for models with an encoder and a decoder")
        if not tokenizer.is_fast:
            raise InputError("AT needs a fast tokenizer, which says where in a text its tokens stand")
        longest = base.max_length or 10**9
        # the released code cuts no sentence: what the model cannot read is left out
        longest = longest if self.published else min(longest, training["max_length"])
        self.train: dict[str, list[Tokenized]] = {}
        self.dev: dict[str, list[Tokenized]] = {}
        self.counts: dict[str, dict[str, int]] = {}
        sentences = choose_sentences(texts, self.published, training["max_length"], self.seed)
        for group, parts in sentences.items():
            read = [tokenize_sentences(part, tokenizer, longest) for part in parts]
            too_long = sum(map(len, parts)) - sum(map(len, read))
            if group == NEUTRAL:
                # a sentence as often as it has mentions
                read = [
                    [Tokenized(s.ids, (mention,)) for s in part for mention in s.mentions] for part in read
                ]
            if not all(read):
                raise InputError(
                    f"{texts.lines}: of the {group} sentences, those to train on or those held out all have "
                    f"more than {longest} tokens"
                )
            self.train[group], self.dev[group] = read
            self.counts[group] = {"train": len(read[0]), "dev": len(read[1]), "too_long": too_long}
        self.sizes = {group: len(part) for group, part in self.train.items()}
        self.examples: list[Example] = [(group, s) for group in GROUPS for s in self.train[group]]
        self.first = dict(zip(GROUPS, np.cumsum([0, *self.sizes.values()]).tolist(), strict=False))
        """The number of each group's first example."""
        self.epoch, self.steps, self.decay = self.count_steps(training["epochs"], training["steps"])
        self.model.to(device.torch)  # type: ignore[arg-type]
        self.before = copy.deepcopy(self.model).requires_grad_(False)
        self.state: dict[str, Any] = {}

    # --- what Published overrides

    def count_steps(self, epochs: int, steps: int | None) -> tuple[int, int, int]:
        """The steps of an epoch, those of training, and those after which the rate would be 0."""
        gendered = self.sizes[FEMININE] + self.sizes[MASCULINE]
        epoch = math.ceil(max(self.sizes[NEUTRAL], gendered) / self.size)
        return epoch, steps or epochs * epoch, steps or epochs * epoch

    def batch_of(self, step: int) -> list[int]:
        """The numbers of a step's examples: all in random order, then all again in another."""
        gendered = self.sizes[FEMININE] + self.sizes[MASCULINE]
        batch: list[int] = []
        for stream, start, size in ((1, 0, gendered), (0, self.first[NEUTRAL], self.sizes[NEUTRAL])):
            turn, place = divmod(step, math.ceil(size / self.size))
            order = np.random.default_rng((self.seed, _ORDER, stream, turn)).permutation(size)
            batch += (start + order[place * self.size : (place + 1) * self.size]).tolist()
        return batch

    def token_weights(self, words: Sequence[Sequence[int]], length: int) -> Tensor:
        """What each token counts in a word's embedding: alike, and together one. words × length.

        words: the places of the tokens of each.
        """
        weights = torch.zeros(len(words), length)
        for row, places in enumerate(words):
            weights[row, list(places)] = 1 / len(places)
        return weights

    def attended(self, mask: Tensor) -> Tensor:
        """The tokens that are attended to and count in the distance, of those that are no padding."""
        return mask

    def projection(self, embeddings: Tensor, vectors: Tensor) -> Tensor:
        """Mean of (v_l(a) · E_l(t))² over the words t (rows), the attribute words a and the layers l.

        embeddings: rows × layers × width; vectors: attribute words × layers × width.
        """
        return torch.einsum("nld,ald->nla", embeddings, vectors).square().mean()

    def vector_batches(self, epoch: int) -> Iterator[list[Example]]:
        """Gendered sentences in batches, each mention as an example of the word that it gives a vector of."""
        sentences = [*self.train[FEMININE], *self.train[MASCULINE]]
        for numbers in by_length([s.ids for s in sentences], self.device.batch_tokens):
            batch = [sentences[number] for number in numbers]
            yield [(mention[0], Tokenized(s.ids, (mention,))) for s in batch for mention in s.mentions]

    def evaluate(self, vectors: Tensor) -> tuple[float, float]:
        """Projection and distance of held-out sentences."""
        gendered = [*self.dev[FEMININE], *self.dev[MASCULINE]]
        means = []
        for group, sentences in ((NEUTRAL, self.dev[NEUTRAL]), (FEMININE, gendered)):
            batches = by_length([s.ids for s in sentences], self.device.batch_tokens)
            parts = [self.held_out([(group, sentences[n]) for n in numbers], vectors) for numbers in batches]
            means.append(float(np.average([mean for mean, _ in parts], weights=[n for _, n in parts])))
        return means[0], means[1]

    # --- the objective

    def collate(self, examples: Sequence[Example]) -> Batch:
        """input_ids, attention_mask and weights (rows × length; 0 for gendered ones), neutral (rows)."""
        ids, mask = pad([sentence.ids for _, sentence in examples], self.padding)
        neutral = torch.tensor([group == NEUTRAL for group, _ in examples])
        weights = torch.zeros(ids.shape)
        words = [sentence.mentions[0][1] for group, sentence in examples if group == NEUTRAL]
        if words:
            weights[neutral] = self.token_weights(words, ids.shape[1])
        return {
            "input_ids": ids,
            "attention_mask": self.attended(mask),
            "neutral": neutral,
            "weights": weights,
        }

    def loss(self, model: PreTrainedModel, batch: Batch) -> Tensor:
        projected, moved = self.objective(model, batch, self.state["vectors"])
        weighted: Tensor = self.alpha * projected + self.beta * moved
        return weighted

    def objective(self, model: PreTrainedModel, batch: Batch, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """Projection of a batch's neutral sentences, and distance of its gendered ones; 0 without any."""
        ids, mask, neutral = batch["input_ids"], batch["attention_mask"], batch["neutral"]
        layers = _layers_of(model, ids, mask)
        projected = moved = torch.zeros((), device=ids.device)
        if neutral.any():
            embeddings = torch.einsum("nt,lntd->nld", batch["weights"][neutral], layers[:, neutral])
            projected = self.projection(embeddings, vectors)
        if not neutral.all():
            counted = mask[~neutral]
            with torch.no_grad():
                before = _layers_of(self.before, ids[~neutral], counted)
            squares = (layers[:, ~neutral] - before).square().mean(-1) * counted
            moved = squares.sum((1, 2)).mean() / counted.sum()
        return projected, moved

    @torch.no_grad()
    def held_out(self, examples: Sequence[Example], vectors: Tensor) -> tuple[float, int]:
        """Of sentences of one group: their part of the objective, and of how much it is a mean."""
        self.model.eval()  # type: ignore[no-untyped-call]
        batch = {name: tensor.to(self.device.torch) for name, tensor in self.collate(examples).items()}
        projected, moved = self.objective(self.model, batch, vectors)
        if examples[0][0] == NEUTRAL:
            return projected.item(), len(examples)
        return moved.item(), int(batch["attention_mask"].sum())

    @torch.no_grad()
    def vectors(self, epoch: int) -> Tensor:
        """v_l(a): the mean of each attribute word's embeddings. words × layers × width."""
        logger.info("vectors of gendered words, epoch %d", epoch + 1)
        self.model.eval()  # type: ignore[no-untyped-call]
        total: dict[str, Tensor] = {}
        count: dict[str, int] = {}
        for batch in self.vector_batches(epoch):
            row_of = {ids: row for row, ids in enumerate(dict.fromkeys(s.ids for _, s in batch))}
            ids, mask = (tensor.to(self.device.torch) for tensor in pad(list(row_of), self.padding))
            layers = _layers_of(self.model, ids, self.attended(mask)).double()
            rows = [row_of[s.ids] for _, s in batch]
            weights = self.token_weights([s.mentions[0][1] for _, s in batch], ids.shape[1])
            embeddings = torch.einsum("mt,lmtd->mld", weights.to(ids.device).double(), layers[:, rows])
            for (word, _), embedding in zip(batch, embeddings.cpu(), strict=True):
                total[word] = total.get(word, torch.zeros(())) + embedding
                count[word] = count.get(word, 0) + 1
        means = torch.stack([total[word] / count[word] for word in sorted(total)])
        return means.float().to(self.device.torch)

    # --- training

    def run(self, work: Path) -> dict[str, Any]:
        """Train, and load the weights of the best step. `state` has what a killed training goes on with."""
        vectors = self.vectors(0)
        before = self.described(vectors)
        self.state |= {"vectors": vectors, "best": math.inf, "best_step": 0, "weights": {}, "history": []}
        every = min(EVAL_EVERY, max(1, self.steps // 10))
        evaluated = {*range(every, self.steps, every), self.steps}
        epochs = set(range(self.epoch, self.steps, self.epoch))

        def on_step(step: int) -> None:
            if step in evaluated:
                self._choose(step)
            if step in epochs:
                self.state["vectors"] = self.vectors(step // self.epoch)

        settings = Settings(
            batch=self.size,
            learning_rate=self.rate,
            steps=self.steps,
            seed=self.seed,
            schedule=lambda step, _: 1 - step / self.decay,
            optimizer=partial(AdamW, weight_decay=0.0),
        )
        train(
            self.model,
            self.examples,
            self.collate,
            settings,
            work,
            self.device,
            loss=self.loss,
            at=sorted(evaluated | epochs),
            on_step=on_step,
            batches=self.batch_of,
            state=self.state,
        )
        self.model.load_state_dict(self.state["weights"])
        after = self.described(self.vectors(0))
        return {
            "sentences": self.counts,
            "alpha": self.alpha,
            "beta": self.beta,
            "steps": self.steps,
            "best_step": self.state["best_step"],
            "objective": {"before": before, "after": after},
            "history": self.state["history"],
        }

    def _choose(self, step: int) -> None:
        """Note the objective of held-out sentences, and the weights where they are the best so far."""
        parts = self.described(self.state["vectors"])
        if not math.isfinite(parts["weighted"]):
            raise InputError(f"AT: the objective of step {step} is {parts['weighted']}, not a number")
        self.state["history"].append({"step": step, **parts})
        if parts["weighted"] < self.state["best"]:
            weights = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
            self.state |= {"best": parts["weighted"], "best_step": step, "weights": weights}

    def described(self, vectors: Tensor) -> dict[str, float]:
        """projection, distance and their weighted sum, of held-out sentences."""
        projected, moved = self.evaluate(vectors)
        weighted = self.alpha * projected + self.beta * moved
        return {"projection": projected, "distance": moved, "weighted": weighted}


class Published(Corrected):
    """The released code.

    A step reads a batch of one group, drawn anew from all its sentences. Padding is attended to, and counts
    in the distance. A gender has one vector. Where a word of a batch has several tokens, those one place
    before are taken, and each counts as one by the tokens of the longest word. The rate falls to 0 after more
    steps than are made, unless `steps` is set.
    """

    published = True

    def count_steps(self, epochs: int, steps: int | None) -> tuple[int, int, int]:
        """An epoch has as many batches of each group as the smaller gender fills."""
        smallest = min(GENDERS, key=lambda gender: self.sizes[gender])
        self.of_group = self.sizes[smallest] // self.size
        if not self.of_group:
            raise InputError(
                f"AT: {self.sizes[smallest]} {smallest} sentences to train on are less than one batch of "
                f"{self.size}, of which the released code would make no step; give more text, a smaller "
                "debiasing.training.batch, or take protocol: corrected"
            )
        epoch = len(GROUPS) * self.of_group
        batches = sum(math.ceil(size / self.size) for size in self.sizes.values())
        return epoch, steps or epochs * epoch, steps or epochs * batches

    def batch_of(self, step: int) -> list[int]:
        epoch, place = divmod(step, self.epoch)
        turns = np.repeat([NEUTRAL, *GENDERS], self.of_group)
        group = str(np.random.default_rng((self.seed, _ORDER, epoch)).permutation(turns)[place])
        order = np.random.default_rng((self.seed, _BATCH, step)).permutation(self.sizes[group])
        numbers: list[int] = (self.first[group] + order[: self.size]).tolist()
        return numbers

    def token_weights(self, words: Sequence[Sequence[int]], length: int) -> Tensor:
        width = max(map(len, words))
        # before the first place there is none
        weights = torch.zeros(len(words), 1 + length)
        for row, places in enumerate(words):
            for place in places:
                weights[row, place + (width == 1)] += 1 / width
        return weights[:, 1:]

    def attended(self, mask: Tensor) -> Tensor:
        return torch.ones_like(mask)

    def projection(self, embeddings: Tensor, vectors: Tensor) -> Tensor:
        """For each gender's one vector, the square of the mean of v_l · E_l; their sum."""
        return torch.einsum("nld,ald->anl", embeddings, vectors).mean((1, 2)).square().sum()

    def vector_batches(self, epoch: int) -> Iterator[list[Example]]:
        """Batches of one size, as many of each gender, without those that are left over."""
        for number, gender in enumerate(GENDERS):
            order = np.random.default_rng((self.seed, _VECTORS, epoch, number)).permutation(
                self.sizes[gender]
            )
            chosen = [(gender, self.train[gender][i]) for i in order[: self.of_group * self.size]]
            yield from in_batches(chosen, self.size)

    def evaluate(self, vectors: Tensor) -> tuple[float, float]:
        """Of as many batches of each group; the distances of both genders are added up."""
        batches = max(1, min(len(self.dev[gender]) for gender in GENDERS) // self.size)
        means = {}
        for group in GROUPS:
            examples = [(group, s) for s in self.dev[group]][: batches * self.size]
            parts = [self.held_out(chunk, vectors)[0] for chunk in in_batches(examples, self.size)]
            means[group] = float(np.mean(parts))
        return means[NEUTRAL], means[FEMININE] + means[MASCULINE]


def _layers_of(model: PreTrainedModel, ids: Tensor, mask: Tensor) -> Tensor:
    """The hidden states of every layer, that of the embeddings first: layers × rows × length × width."""
    output = model.base_model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    return torch.stack(output.hidden_states)
