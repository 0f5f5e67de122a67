"""Evidence of a whole benchmark, in shards: bounded memory, and a killed job goes on where it was."""

import hashlib
import json
import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.evidence.collecting import Layout, as_likeliest, as_rows, prepare
from unmask.evidence.engine import Answers, answer
from unmask.evidence.masking import roles_of
from unmask.evidence.progress import Progress
from unmask.evidence.schema import EVIDENCE, LIKELIEST
from unmask.evidence.sharding import SecondTable, Shard, is_table_done, write_in_shards
from unmask.models.loading import LoadedModel
from unmask.terms import IN_TURN, ROLES

logger = logging.getLogger(__name__)

CHARACTERS_PER_TOKEN = 4.5


@dataclass(frozen=True)
class Likeliest:
    """A table of LIKELIEST beside that of evidence, with the `top` likeliest tokens of each row."""

    path: Path
    top: int


def write_evidence(
    path: str | Path,
    pairs: pd.DataFrame,
    model: LoadedModel,
    masking: str,
    variant: str,
    shuffle_seed: int,
    max_length: int | None,
    facts: Mapping[str, Any],
    shard_tokens: int | None = None,
    bar: bool | None = None,
    likeliest: Likeliest | None = None,
) -> None:
    """Write the Evidence table of a benchmark to `path`, whole or not at all, and `likeliest` before it.

    Pairs are worked through in shards of about `shard_tokens` tokens read (by default what suits the
    device), see `write_in_shards`; `facts` are the table's metadata. A table that `is_done` is left as it is.
    A `bar` shows the progress on stderr; by default where that is a terminal.
    Raises InputError as `prepare`, `as_rows` and `write_in_shards` do.
    """
    path = Path(path)
    if is_done(path, pairs, facts, likeliest):
        return
    parts = divide(pairs, masking, shard_tokens or model.device.shard_tokens)
    logger.info("%s, masking %s, shards: %d", variant, masking, len(parts))
    with_bar = sys.stderr.isatty() if bar is None else bar
    progress = Progress(sum(tokens for _, tokens in parts), with_bar, len(pairs), "pairs")

    def lay_out(part: pd.DataFrame) -> Layout:
        return prepare(part, model.tokenizer, masking, variant, shuffle_seed, max_length)

    def read(layout: Layout) -> Answers:
        return answer(model, layout.queries, progress, *([likeliest.top] if likeliest else []))

    def rows(layout: Layout, answers: Answers) -> pd.DataFrame:
        return as_rows(layout, answers, model.tokenizer)

    shards = [Shard(_digest(part), tokens, partial(lay_out, part), read, rows) for part, tokens in parts]
    all_facts, *likeliest_facts = whole_facts(pairs, facts, likeliest)
    second = None
    if likeliest:

        def likeliest_rows(layout: Layout, answers: Answers) -> pd.DataFrame:
            return as_likeliest(layout, answers, model.tokenizer)

        second = SecondTable(likeliest.path, LIKELIEST, likeliest_facts[0], likeliest_rows)
    write_in_shards(path, EVIDENCE, shards, all_facts, progress, second)


def is_done(
    path: Path, pairs: pd.DataFrame, facts: Mapping[str, Any], likeliest: Likeliest | None = None
) -> bool:
    """Whether the table (and its likeliest) are there, can be read, and are of these sentences and facts,
    CIRCUMSTANCES aside."""
    paths = [path, *([likeliest.path] if likeliest else [])]
    return all(map(is_table_done, paths, whole_facts(pairs, facts, likeliest)))


def whole_facts(
    pairs: pd.DataFrame, facts: Mapping[str, Any], likeliest: Likeliest | None = None
) -> list[dict[str, Any]]:
    """The metadata of the Evidence table of these pairs, and of the one of likeliest tokens, if any."""
    of_evidence = {**facts, "sentences": _digest(pairs)}
    return [of_evidence, *([{**of_evidence, "top": likeliest.top}] if likeliest else [])]


def _digest(pairs: pd.DataFrame) -> str:
    """Of the sentences in their roles: the same file, read by another map of columns, has the same ids."""
    rows = pairs[["pair_id", *ROLES]].astype(object)
    texts = json.dumps(rows.where(rows.notna(), None).to_numpy().tolist(), ensure_ascii=False)
    return hashlib.sha256(texts.encode()).hexdigest()


def divide(pairs: pd.DataFrame, masking: str, shard_tokens: int) -> list[tuple[pd.DataFrame, float]]:
    """Runs of consecutive pairs, each with about how many tokens a model reads for it.

    The estimate goes by the sentences' characters and needs no tokenizer. Where tokens are hidden one
    at a time, a sentence is read about as often as it has tokens.
    """
    reads = np.zeros(len(pairs))
    for role in roles_of(masking):
        tokens = pairs[role].fillna("").str.len().to_numpy(float) / CHARACTERS_PER_TOKEN + 2
        reads += tokens**2 if masking in IN_TURN else tokens
    shard = (np.cumsum(reads) // shard_tokens).astype(int)
    return [(part, float(reads[shard == number].sum())) for number, part in pairs.groupby(shard, sort=True)]
