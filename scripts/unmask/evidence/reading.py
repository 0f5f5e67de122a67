"""Evidence of one model on one benchmark: the tables that are not there yet, each whole or not at all."""

import gc
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from unmask.evidence.collecting import Wanted, evidence_of
from unmask.evidence.schema import EVIDENCE, LIKELIEST
from unmask.evidence.sentences import MASKINGS, Pair
from unmask.evidence.tables import (
    Progress,
    Shard,
    Table,
    digest_of_parts,
    missing,
    model_facts,
    write_in_shards,
)
from unmask.evidence.tokenising import tokenise, unknown_tokens
from unmask.models.devices import Device
from unmask.models.loading import LoadedModel, load
from unmask.models.tokenizer import Start, load_tokenizer, read_after
from unmask.terms import IN_TURN, NONE, ROLES, SIDES

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Subject:
    """A model that reads, with its manifest, and how it is run."""

    manifest: Mapping[str, Any]
    device: Device
    dtype: str

    def load(self, with_attention: bool) -> LoadedModel:
        """The model. Raises InputError as `load` does."""
        directory, start = self.manifest["directory"], Start.of(self.manifest)
        return load(directory, self.device, with_attention, self.dtype, start)

    def read_under(self, maskings: Iterable[str], read: Callable[[str, LoadedModel], T]) -> dict[str, T]:
        """What is read under each masking. The model is loaded once, and once more for attention maps.

        These are read where nothing is hidden, and cost time elsewhere.
        """
        results: dict[str, T] = {}
        every = set(maskings)
        for some, with_attention in ((every & {NONE}, True), (every - {NONE}, False)):
            if some:
                model = self.load(with_attention)
                results |= {masking: read(masking, model) for masking in sorted(some)}
                # the network has reference cycles: two would be in memory while the next is loaded
                del model
                gc.collect()
        return results

    def tokenised(self, pairs: pd.DataFrame, roles: Iterable[str], limit: float) -> "Tokenised":
        """A Pairs table as the model's tokenizer reads it: both sides, and what else stands in these roles.

        Raises InputError as `tokenise` does, and where the tokenizer knows too little (`unknown_tokens`).
        """
        tokenizer = load_tokenizer(self.manifest["directory"])
        read_after(tokenizer, Start.of(self.manifest))
        sentences = tokenise(pairs, tokenizer, self.manifest["max_length"], [*SIDES, *roles])
        return Tokenised(pairs, sentences, unknown_tokens(sentences, tokenizer, limit))

    def facts(self) -> dict[str, Any]:
        """What every table states of the model and of how it was run."""
        start = Start.of(self.manifest)
        return {
            **model_facts(self.manifest, self.device.name),
            "dtype": self.dtype,
            **({"start": start.token} if start else {}),
            **{key: self.manifest[key] for key in ("tokenizer_remarks",) if key in self.manifest},
        }


@dataclass(frozen=True)
class Tokenised:
    """A benchmark as a tokenizer reads it, pair by pair in the order of its Pairs table."""

    pairs: pd.DataFrame
    sentences: Sequence[Pair]
    unknown: Mapping[str, Any]
    """How many of its tokens are unknown (`unknown_tokens`)."""

    def digest(self, part: slice = slice(None)) -> str:
        """Of the sentences in their roles: the same file, read by another map of columns, has the same."""
        rows = self.pairs[["pair_id", *ROLES]].iloc[part].astype(object)
        return digest_of_parts(rows.where(rows.notna(), None).to_numpy().tolist())

    def divided(self, masking: str, shard_tokens: int) -> Iterator[tuple[slice, float]]:
        """Runs of pairs of about `shard_tokens` tokens that a model reads, each with their number."""
        power = 2 if masking in IN_TURN else 1
        lengths = [
            [len(pair[role].ids) ** power for role in MASKINGS[masking].roles if role in pair]
            for pair in self.sentences
        ]
        reads = np.array([sum(of_pair) for of_pair in lengths], dtype=np.int64)
        starts = np.flatnonzero(np.diff(np.cumsum(reads) // shard_tokens, prepend=-1))
        for start, end in zip(starts, [*starts[1:], len(reads)], strict=True):
            yield slice(int(start), int(end)), float(reads[start:end].sum())


def read(
    list_: Path, wanted: Sequence[Wanted], subject: Subject, benchmark: Tokenised, facts: Mapping[str, Any]
) -> list[Path]:
    """Read what is not there yet; the paths of all tables, in the list's folder.

    facts: those of the job, which each table states beside the model's and its own. Raises InputError as
    `as_rows` and `write_in_shards` do, naming the pair.
    """
    logger.info("unknown tokens: %(unknown)d of %(tokens)d", benchmark.unknown)
    of_benchmark = {"unknown_tokens": benchmark.unknown, "sentences": benchmark.digest()}
    shared = {**facts, **subject.facts(), **of_benchmark}
    tables = {each: _tables(list_.parent, each, shared) for each in wanted}
    every = [table for of_each in tables.values() for table in of_each]
    lacking = missing(list_, every)
    some = {each: of_each for each, of_each in tables.items() if lacking & {t.path for t in of_each}}
    if not some:
        logger.info("all is there, of just these sentences and this model: nothing is left to do")
    passes = {each: list(benchmark.divided(each.masking, subject.device.shard_tokens)) for each in some}
    progress, number = Progress(sum(tokens for parts in passes.values() for _, tokens in parts)), count(1)

    def write(masking: str, model: LoadedModel) -> None:
        for each, parts in passes.items():
            if each.masking == masking:
                progress.stage = f"pass {next(number)} of {len(passes)} ({each.variant}, {masking}): "
                rows = partial(evidence_of, model=model, wanted=each, progress=progress)
                shards = (
                    Shard(benchmark.digest(p), n, partial(rows, benchmark.sentences[p])) for p, n in parts
                )
                write_in_shards(some[each], shards, progress)

    subject.read_under((each.masking for each in some), write)
    return [table.path for table in every]


def _tables(folder: Path, wanted: Wanted, shared: Mapping[str, Any]) -> list[Table]:
    """The Evidence table, and that of the likeliest tokens where they are wanted."""
    facts = {**shared, "variant": wanted.variant, "masking": wanted.masking, "shuffle_seed": wanted.seed}
    place = folder / wanted.variant / wanted.masking
    tables = [Table(place.with_suffix(".parquet"), EVIDENCE, facts)]
    if wanted.top:
        tables.append(Table(place.with_suffix(".top.parquet"), LIKELIEST, {**facts, "top": wanted.top}))
    return tables
