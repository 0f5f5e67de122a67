"""The measures written out slowly: one sentence, one hidden token, one forward pass at a time.

Nothing here shares code with the library; formulas from Kaneko & Bollegala (2022), but for the weights of
AULA, and for the published protocol the behaviour of their released scripts.
"""

import math
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

import torch

Sides = tuple[float, float]


@dataclass
class Reader:
    """A model and tokenizer, read in the plainest way."""

    model: Any
    tokenizer: Any

    def ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text)["input_ids"])

    def is_special(self, text: str) -> list[bool]:
        flags = self.tokenizer(text, return_special_tokens_mask=True)["special_tokens_mask"]
        return [bool(flag) for flag in flags]

    def log_probs(self, ids: list[int]) -> torch.Tensor:
        """length × vocabulary"""
        with torch.no_grad():
            logits = self.model(torch.tensor([ids])).logits[0]
        return torch.log_softmax(logits.double(), dim=-1)

    def attention(self, ids: list[int]) -> torch.Tensor:
        """query × key, mean over layers and heads"""
        with torch.no_grad():
            maps = self.model(torch.tensor([ids]), output_attentions=True).attentions
        return torch.stack([layer[0].double() for layer in maps]).mean(dim=(0, 1))

    def hide(self, ids: list[int], positions: list[int]) -> list[int]:
        return [self.tokenizer.mask_token_id if i in positions else token for i, token in enumerate(ids)]


Spans = tuple[list[int], list[int]]


def released_spans(first: list[int], second: list[int], equal: bool) -> Spans:
    """Positions of the equal (or the other) opcodes of two sequences, ids compared as strings."""
    one: list[int] = []
    two: list[int] = []
    matcher = SequenceMatcher(None, [str(x) for x in first], [str(x) for x in second])
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if (tag == "equal") == equal:
            one += range(i1, i2)
            two += range(j1, j2)
    return one, two


def shared_blocks(first: list[int], second: list[int]) -> list[tuple[int, int, int]]:
    """Ratcliff and Obershelp's matching blocks (place in the one, place in the other, length), in order.

    The longest run that both have, of several the one that begins earliest in the first and then in the
    second; then the same of what is to its left on both sides, and of what is to its right.
    """
    # ending[i][j]: how long the longest common run is that ends before i and before j
    ending = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    best = (0, 0, 0)
    for i, left in enumerate(first):
        for j, right in enumerate(second):
            if left == right:
                size = ending[i][j] + 1
                ending[i + 1][j + 1] = size
                best = max(best, (size, i + 1 - size, j + 1 - size), key=lambda b: (b[0], -b[1], -b[2]))
    size, at, there = best
    if not size:
        return []
    after = shared_blocks(first[at + size :], second[there + size :])
    return [
        *shared_blocks(first[:at], second[:there]),
        (at, there, size),
        *((at + size + i, there + size + j, length) for i, j, length in after),
    ]


def modified_spans(first: list[int], second: list[int]) -> Spans:
    """Positions outside the matching blocks of two sequences, whatever their lengths."""
    blocks = shared_blocks(first, second)
    one = {at + k for at, _, size in blocks for k in range(size)}
    two = {there + k for _, there, size in blocks for k in range(size)}
    return [i for i in range(len(first)) if i not in one], [j for j in range(len(second)) if j not in two]


def published(measure: str, reader: Reader, first: str, second: str) -> Sides:
    """Both sides' scores as the released scripts give them."""
    ids = reader.ids(first), reader.ids(second)
    if measure == "CPS":
        shared = released_spans(*ids, equal=True)
        totals = []
        for sequence, template in zip(ids, shared, strict=True):
            total = 0.0
            for k in range(1, len(template) - 1):
                hidden = reader.hide(sequence, [template[k]])
                total += reader.log_probs(hidden)[template[k], sequence[template[k]]].item()
            totals.append(round(total, 3))
        return totals[0], totals[1]
    if measure == "SSS":
        modified = released_spans(*ids, equal=False)
        means = []
        for sequence, positions in zip(ids, modified, strict=True):
            log_probs = reader.log_probs(reader.hide(sequence, positions))
            every = [log_probs[at, sequence[of]].item() for at in positions for of in positions]
            means.append(sum(every) / len(every) if every else math.nan)
        return means[0], means[1]
    if measure in ("AUL", "AULA"):
        scores = []
        for sequence in ids:
            log_probs = reader.log_probs(sequence)
            own = torch.stack([log_probs[i, token] for i, token in enumerate(sequence)])[1:-1]
            if measure == "AULA":
                own = own * reader.attention(sequence).mean(0)[1:-1]
            scores.append(own.mean().item())
        return scores[0], scores[1]
    return corrected(measure, reader, first, second)


def corrected(measure: str, reader: Reader, first: str, second: str) -> Sides:
    """Both sides' scores by the formulas, with AULA's weights scaled to a mean of one."""
    ids = reader.ids(first), reader.ids(second)
    special = reader.is_special(first), reader.is_special(second)
    modified = modified_spans(*ids)
    result = []
    for side in (0, 1):
        sequence = ids[side]
        content = [i for i in range(len(sequence)) if not special[side][i]]
        changed = [i for i in modified[side] if i in content]
        shared = [i for i in content if i not in changed]

        def alone(position: int, sequence: list[int] = sequence) -> float:
            hidden = reader.hide(sequence, [position])
            return float(reader.log_probs(hidden)[position, sequence[position]])

        def together(positions: list[int], sequence: list[int] = sequence) -> list[float]:
            log_probs = reader.log_probs(reader.hide(sequence, positions))
            return [float(log_probs[i, sequence[i]]) for i in positions]

        if measure == "CPS":
            score = sum(alone(i) for i in shared)
        elif measure == "PLL":
            score = sum(alone(i) for i in content)
        elif measure == "SSS":
            values = together(changed)
            score = sum(values) / len(values) if values else math.nan
        elif measure == "AllMasked":
            values = together(content)
            score = sum(values) / len(values)
        elif measure == "AllMaskedSum":
            score = sum(together(content))
        else:
            log_probs = reader.log_probs(sequence)
            own = [float(log_probs[i, sequence[i]]) for i in content]
            weights = [1.0] * len(content)
            if measure == "AULA":
                attention = reader.attention(sequence)
                received = [sum(float(attention[q, i]) for q in content) / len(content) for i in content]
                mean = sum(received) / len(received)
                weights = [value / mean for value in received]
            score = sum(w * p for w, p in zip(weights, own, strict=True)) / len(content)
        result.append(score)
    return result[0], result[1]


@dataclass
class LeftReader:
    """A causal language model, read in the plainest way; start: what stands before a text, if anything."""

    model: Any
    tokenizer: Any
    start: int | None
    known: dict[tuple[int, ...], Any] = field(default_factory=dict)

    def behind(self, before: list[int], token: int) -> float:
        """log P(token | the tokens before it)"""
        key = tuple(before)
        if key not in self.known:
            self.known[key] = Reader(self.model, self.tokenizer).log_probs(before)[-1]
        return float(self.known[key][token])


def causal(measure: str, reader: LeftReader, first: str, second: str, protocol: str) -> Sides:
    """Both sides' scores of causal language models: one forward pass for each token."""
    start = reader.start
    texts = [list(reader.tokenizer(text)["input_ids"]) for text in (first, second)]
    sides = [text if start is None else [start, *text] for text in texts]
    modified = modified_spans(*sides)
    # where the two sides first differ
    difference = min([places[0] for places in modified if places], default=None)
    result = []
    for ids, changed in zip(sides, modified, strict=True):
        same = [i for i in range(len(ids)) if i not in changed]
        each = {i: reader.behind(ids[:i], ids[i]) for i in range(1, len(ids))}
        of_changed, of_same = ([value for i, value in each.items() if i in some] for some in (changed, same))
        alone = {} if start is None else {i: reader.behind([start], ids[i]) for i in each}
        values, summed = list(each.values()), measure in ("LL", "CCPS")
        if measure == "CCPS":
            values = of_same
        elif measure == "CSSS":
            values = of_changed
        elif measure == "StartAlone":
            values = list(alone.values())
        score = sum(values) if summed else sum(values) / len(values) if values else math.nan
        nothing_follows = difference is not None and not any(i > difference for i in same)
        if measure == "CCPS" and protocol == "corrected" and nothing_follows:
            score = math.nan
        if start is None and 0 in changed and (measure, protocol) != ("LLMean", "published"):
            # the first token differs, and has no probability
            score = math.nan
        result.append(round(score, 3) if (measure, protocol) == ("CCPS", "published") else score)
    return result[0], result[1]
