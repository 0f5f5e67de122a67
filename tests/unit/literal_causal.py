"""The measures of causal language models written out slowly: one forward pass for each token.

Nothing here shares code with the library but the plain alignment of `literal`.
"""

import math
from dataclasses import dataclass, field
from typing import Any

from literal import Reader, Sides, modified_spans


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


def literal(measure: str, reader: LeftReader, first: str, second: str, protocol: str) -> Sides:
    """Both sides' scores."""
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
