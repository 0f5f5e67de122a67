"""From the engine's answers to rows of the likeliest tokens."""

import numpy as np
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.evidence.collecting import Layout
from unmask.evidence.engine import Answers


def as_likeliest(layout: Layout, answers: Answers, tokenizer: PreTrainedTokenizerBase) -> pd.DataFrame:
    """The likeliest tokens in the place of each row of evidence, as LIKELIEST.

    A number beyond the tokenizer's vocabulary, which some models can answer, stands in brackets.
    """
    count = len(layout.sentence)
    likeliest, log_prob = answers.likeliest[:count], answers.likeliest_log_prob[:count]
    top = likeliest.shape[1]
    distinct, token = np.unique(likeliest, return_inverse=True)
    found = tokenizer.convert_ids_to_tokens(distinct.tolist())
    names = [f"[{id_}]" if name is None else name for id_, name in zip(distinct, found, strict=True)]

    def repeated(values: list[str]) -> np.ndarray:
        return np.array(values, dtype=object)[layout.sentence].repeat(top)

    return pd.DataFrame(
        {
            "pair_id": repeated([sentence.pair_id for sentence in layout.sentences]),
            "role": repeated([sentence.role for sentence in layout.sentences]),
            "position": layout.work.position[:count].repeat(top),
            "place": np.tile(np.arange(1, top + 1), count),
            "token": np.array(names, dtype=object)[token.ravel()],
            "log_prob": log_prob.ravel(),
        }
    )
