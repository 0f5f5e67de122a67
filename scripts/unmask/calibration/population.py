"""What measures show of every model on the pairs of its world, beside what was planted in them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.calibration.exact_model import CORRUPTED, TRUSTED
from unmask.calibration.schema import CELL
from unmask.errors import InputError
from unmask.loading import paths_by
from unmask.measures.registry import maskings_of
from unmask.measures.schema import SCORES
from unmask.models.detecting import CAUSAL_LM
from unmask.statistics.decisions import decisions
from unmask.statistics.intervals import Floats
from unmask.tables import read_table
from unmask.terms import ANTISTEREOTYPE, CORRECTED, START, STEREOTYPE

ORACLE, EXACT, TRAINED = "oracle", "exact", "trained"
KEPT, BALANCED, UNTRAINED, DEBIASED = "kept", "balanced", "untrained", "debiased"
"""What a model is in a calibration; `role_of` says which is which."""

SOURCE_ORACLE, SOURCE_TRAIN, SOURCE_DEBIASED = "oracle", "train", "debiased"
OF_TRUTH = [*CELL, "unit"]

Bools = npt.NDArray[np.bool_]


def role_of(entry: Mapping[str, Any]) -> str | None:
    """What the model of this entry is in a calibration; None: no part of it.

    untrained: no step of training. balanced: has learnt, or knows, the balanced text. kept: with a corruption
    that is not its world's. trained: of any other that was trained. oracle: exact, trusts what it sees.
    exact: exact, allows for words that training has replaced. debiased: made from a model of a world, which
    is its own `world`, too.
    """
    if entry.get("source") == SOURCE_DEBIASED and entry.get("world") is not None:
        return DEBIASED
    if entry.get("source") not in (SOURCE_ORACLE, SOURCE_TRAIN):
        return None
    if entry.get("steps") == 0:
        return UNTRAINED
    if entry.get("text") == "balanced":
        return BALANCED
    if entry.get("corruption") is not None:
        return KEPT
    if entry["source"] == SOURCE_TRAIN:
        return TRAINED
    return EXACT if entry.get("context") == CORRUPTED else ORACLE


@dataclass(frozen=True)
class Member:
    """A model of the calibration.

    architecture: None for an exact one. family: its world. context: None for one that was trained.
    corruption: shares of the tokens chosen for prediction that training masked, kept and made random. A
    causal language model has neither of the last two.
    """

    model: str
    role: str
    architecture: str | None
    family: str
    context: str | None
    corruption: Mapping[str, float] | None

    @classmethod
    def from_config(
        cls, entry: Mapping[str, Any], corruptions: Mapping[str, Mapping[str, float]]
    ) -> "Member | None":
        """From a model's entry with its `name`, and the corruption of every world; None: no part of it."""
        role = role_of(entry)
        if role is None:
            return None
        exact = entry["source"] == SOURCE_ORACLE
        is_causal = entry.get("kind") == CAUSAL_LM
        world = str(entry["world"])
        return cls(
            str(entry["name"]),
            role,
            None if exact else str(entry["architecture"]),
            world,
            (entry.get("context") or TRUSTED) if exact and not is_causal else None,
            None if is_causal else entry.get("corruption") or corruptions[world],
        )

    def answers(self, measure: str) -> bool:
        """Whether the model has what a measure reads.

        A perfect causal language model knows nothing of a token behind the start token alone, where hardly
        any token of its grammar can stand.
        """
        is_exact_left = self.architecture is None and self.corruption is None
        return not (is_exact_left and START in maskings_of([measure]))

    def facts(self) -> dict[str, str | None]:
        """The columns that every table on a model has."""
        return {
            "model": self.model,
            "role": self.role,
            "architecture": self.architecture,
            "family": self.family,
        }


@dataclass(frozen=True)
class Observed:
    """What all measures decide of some pairs with one model, in protocol corrected.

    pairs: benchmark, pair_id, the columns OF_TRUTH, words (of the stereotypical sentence) and even (whether
    the other has as many); sorted by the first two, a row per pair. measures: sorted. margin (nan where
    undefined), credit (1 for the stereotype, ½ for a tie) and trial (whether it is defined): shape (pairs,
    measures). as_: how the benchmark was arranged, None where it is as its world made it; origin: the
    benchmark that it was arranged from.
    """

    member: Member
    pairs: pd.DataFrame
    measures: tuple[str, ...]
    margin: Floats
    credit: Floats
    trial: Bools
    as_: str | None = None
    origin: str | None = None

    def where(self, among: "Bools | pd.Series[bool]") -> "Observed":
        """The same of some of the pairs."""
        members = np.asarray(among, dtype=bool)
        return replace(
            self,
            pairs=self.pairs[members].reset_index(drop=True),
            margin=self.margin[members],
            credit=self.credit[members],
            trial=self.trial[members],
        )

    def of_factor(self, factor: str) -> "Observed":
        """The same of the pairs of one factor."""
        return self.where(self.pairs["factor"] == factor)

    @property
    def benchmark(self) -> str:
        """The benchmark of the pairs, which are of one."""
        return str(self.pairs["benchmark"].iloc[0])


@dataclass(frozen=True)
class Population:
    """Every model of the calibration on every benchmark of its world.

    planted: benchmarks as worlds made them. arranged: those that were made from them.
    """

    planted: tuple[Observed, ...]
    arranged: tuple[Observed, ...]

    def by_model(self) -> tuple[Observed, ...]:
        """What the planted benchmarks show of each model together; a pair that two of them have counts
        once."""
        of_models: dict[str, list[Observed]] = {}
        for one in self.planted:
            of_models.setdefault(one.member.model, []).append(one)
        return tuple(_together(parts) for parts in of_models.values())


def read_population(
    models: Iterable[Mapping[str, Any]],
    benchmarks: Sequence[Mapping[str, Any]],
    corruptions: Mapping[str, Mapping[str, float]],
    scores: Iterable[str | Path],
    pairs: Iterable[str | Path],
    truths: Iterable[str | Path],
) -> Population:
    """The population of a study.

    models: entries with their `name`. benchmarks: likewise, with world and format, or of and as. corruptions:
    that of every world. scores: files of SCORES with model and benchmark in their metadata. pairs: files of
    PAIRS with benchmark in theirs. truths: the truth of every world (truth.json). Files of models and
    benchmarks that have no part in a calibration are left out.
    Raises InputError where the truth knows nothing of a pair, or scores and pairs do not fit.
    """
    members = [member for entry in models if (member := Member.from_config(entry, corruptions))]
    places = {member.model: place for place, member in enumerate(members)}
    entries = {str(entry["name"]): entry for entry in benchmarks}
    documents = [json.loads(Path(path).read_bytes()) for path in truths]
    known = {str(document["world"]): document["benchmarks"] for document in documents}
    facts: dict[str, tuple[str, pd.DataFrame]] = {}
    for (name,), path in paths_by(pairs, "benchmark").items():
        entry = entries.get(name, {})
        source = entry if entry.get("of") is None else entries.get(str(entry["of"]), {})
        if source.get("world") is not None:
            world, format_ = str(source["world"]), str(source["format"])
            truth = known.get(world, {}).get(format_)
            if truth is None:
                place = f"world {world}, format {format_}"
                raise InputError(f"truth: none of benchmark {name} ({place}) is there")
            facts[name] = world, pair_facts(name, read_table(path, PAIRS), truth)
    observed = []
    for (model, name), path in paths_by(scores, "model", "benchmark").items():
        if model in places and name in facts:
            world, of_pairs = facts[name]
            member = members[places[model]]
            if member.family == world:
                one, entry = observe(member, of_pairs, read_table(path, SCORES)), entries[name]
                observed.append(replace(one, as_=entry.get("as"), origin=entry.get("of")))
    order = {name: place for place, name in enumerate(entries)}
    observed.sort(key=lambda one: (places[one.member.model], order[one.benchmark]))
    return Population(
        tuple(one for one in observed if one.origin is None),
        tuple(one for one in observed if one.origin is not None),
    )


def pair_facts(benchmark: str, pairs: pd.DataFrame, truth: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """What is planted in each pair of a benchmark, and its two sentences, as Observed has them.

    pairs: PAIRS. truth: by pair (unmask.worlds.pairs.PlantedPair.facts). Raises InputError where it has
    nothing of a pair.
    """
    unknown = [pair for pair in pairs["pair_id"] if pair not in truth or "unit" not in truth[pair]]
    if unknown:
        raise InputError(
            f"truth: of pair {unknown[0]} of benchmark {benchmark} it does not say what is planted; "
            "make its world again"
        )
    rows = [{key: truth[pair].get(key) for key in OF_TRUTH} for pair in pairs["pair_id"]]
    lengths = {
        side: np.array([len(text.split()) for text in pairs[side]]) for side in (STEREOTYPE, ANTISTEREOTYPE)
    }
    facts = pd.DataFrame(rows, columns=OF_TRUTH).astype({"p": float, "ratio": float, "longer_side": "str"})
    return facts.assign(
        benchmark=benchmark,
        pair_id=pairs["pair_id"].to_numpy(),
        stereotype=pairs[STEREOTYPE].to_numpy(),
        antistereotype=pairs[ANTISTEREOTYPE].to_numpy(),
        words=lengths[STEREOTYPE],
        even=lengths[STEREOTYPE] == lengths[ANTISTEREOTYPE],
    )


def observe(member: Member, facts: pd.DataFrame, scores: pd.DataFrame) -> Observed:
    """What the measures decide of the pairs of one benchmark.

    facts: as `pair_facts` gives them. scores: SCORES; measures that the model does not answer are left out.
    Raises InputError where they are of other pairs.
    """
    try:
        decided = decisions(facts, scores[scores["protocol"] == CORRECTED])
    except InputError as error:
        benchmark = facts["benchmark"].iloc[0]
        raise InputError(f"model {member.model}, benchmark {benchmark}: {error}") from None
    names = [name for name, _ in decided.series]
    answered = sorted(filter(member.answers, names))
    columns = np.array([names.index(name) for name in answered], dtype=int)
    # in one order, whatever that of the files: sums of floats depend on it
    rows = facts["pair_id"].argsort(kind="stable").to_numpy()
    place = np.ix_(rows, columns)
    return Observed(
        member,
        facts.iloc[rows].reset_index(drop=True),
        tuple(answered),
        decided.margin[place],
        decided.credit()[place],
        decided.trials()[place] > 0,
    )


def _together(parts: Sequence[Observed]) -> Observed:
    """What several benchmarks show of one model."""
    if any(part.measures != parts[0].measures for part in parts):
        raise InputError(f"scores of model {parts[0].member.model}: not the same measures on every benchmark")
    whole = replace(
        parts[0],
        pairs=pd.concat([part.pairs for part in parts], ignore_index=True),
        margin=np.concatenate([part.margin for part in parts]),
        credit=np.concatenate([part.credit for part in parts]),
        trial=np.concatenate([part.trial for part in parts]),
    )
    return whole.where(~whole.pairs.duplicated([STEREOTYPE, ANTISTEREOTYPE]))
