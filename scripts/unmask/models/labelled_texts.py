"""Texts with labels as examples to train a classifier on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
import torch
from transformers import PreTrainedTokenizerBase

from unmask.models.tokens import Tokens, padded, tokenise
from unmask.models.training import Batch


@dataclass(frozen=True)
class LabelledTexts:
    """Examples by their number, for `unmask.models.training.train`, with `batch` to collate them."""

    tokens: Tokens
    labels: npt.NDArray[Any]
    """Numbers of labels, or, of a regression, numbers."""
    padding_id: int
    side: str

    @classmethod
    def of(
        cls,
        tokenizer: PreTrainedTokenizerBase,
        texts: Sequence[str],
        seconds: Sequence[str] | None,
        labels: npt.NDArray[Any],
        max_length: int | None,
        with_types: bool,
    ) -> "LabelledTexts":
        """labels: one a text; the others as of `unmask.models.tokens.tokenise`."""
        tokens = tokenise(tokenizer, texts, seconds, max_length, with_types)
        return cls(tokens, labels, tokenizer.pad_token_id or 0, tokenizer.padding_side)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, number: int, /) -> int:
        return number

    def batch(self, numbers: list[int]) -> Batch:
        """Some of the examples, filled up to the longest of them."""
        labels = torch.from_numpy(self.labels[numbers])
        return padded(self.tokens, numbers, self.padding_id, self.side) | {"labels": labels}
