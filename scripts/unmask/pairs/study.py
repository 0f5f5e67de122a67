"""What a study asks of pairs of sentences: which models are scored on which benchmarks, and with what.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from unmask.errors import InputError
from unmask.measures.formulas import MEASURES, kind_for, maskings_of, measure
from unmask.models.directory import CAUSAL_LM, MASKED_LM, SCORE_FILE
from unmask.models.keys import Models
from unmask.terms import ORIGINAL, SHUFFLED

KEY = "config key "
EXPLORED_BY_DEFAULT = 4
"""So many models the explorer shows where a study does not name them."""


class PairsStudy:
    """A completed study, as far as it is about pairs of sentences. Names are in its order everywhere."""

    def __init__(self, study: Mapping[str, Any], models: Models) -> None:
        self.study, self.entries = study, models
        self.benchmarks: Mapping[str, Mapping[str, Any]] = study.get("benchmarks", {})
        self.series: Mapping[str, Mapping[str, str]] = study.get("series", {})
        of_files = [models[name]["measure"] for name in models.of("scored")]
        self.measures = list(dict.fromkeys([*study.get("measures", []), *of_files]))
        """Those of the study, and those that files of scores have scores of."""
        scored = [
            name
            for name in models
            if models.kind(name) in (MASKED_LM, CAUSAL_LM, SCORE_FILE) and models.source_of(name).on_pairs
        ]
        self.models = scored if self.measures and self.benchmarks else []
        """The models that are scored on pairs."""
        self.versions = {
            name: entry["version_of"] for name, entry in self.benchmarks.items() if "version_of" in entry
        }
        """Each benchmark that is a version of another one, and which."""
        controls = study.get("controls", {})
        self.shuffled: Mapping[str, Any] | None = controls.get("shuffled")
        self.seeds = list(range(1, 1 + (controls.get("untrained") or {}).get("seeds", 0)))
        """Those of the untrained networks that each model is compared with."""
        self.explorer: Mapping[str, Any] = (study.get("explorer") or {}) if self.models else {}

    def is_on(self, model: str, benchmark: str) -> bool:
        """Whether a model is scored on a benchmark: one of a world not on those of other worlds, and scores
        made elsewhere on the benchmarks that their entry names."""
        worlds = {self.entries.inherited(model, "world"), self.benchmarks[benchmark].get("world")} - {None}
        chosen = self.entries[model].get("benchmarks") or [benchmark]
        return len(worlds) < 2 and benchmark in chosen

    def on(self, benchmark: str, among: Iterable[str] | None = None) -> list[str]:
        """The models that are scored on a benchmark, of all or among some."""
        return [name for name in (self.models if among is None else among) if self.is_on(name, benchmark)]

    def places(
        self, models: Iterable[str] | None = None, benchmarks: Iterable[str] | None = None
    ) -> dict[str, list[str]]:
        """Of models, and of benchmarks, by default all, the pairs in which the one is scored on the other:
        `model` and `benchmark`, two lists of one length."""
        of = self.models if models is None else models
        on = list(self.benchmarks if benchmarks is None else benchmarks)
        pairs = [(model, name) for model in of for name in on if self.is_on(model, name)]
        return {"model": [model for model, _ in pairs], "benchmark": [name for _, name in pairs]}

    @property
    def in_papers_form(self) -> bool:
        """Whether a benchmark has the form of CrowS-Pairs or StereoSet, which the paper's tables are of."""
        return any(entry["format"] != "table" for entry in self.benchmarks.values())

    def any_has(self, column: str) -> bool:
        """Whether the pairs of a benchmark may have a column of the Pairs table."""
        return self.in_papers_form or any(column in entry["columns"] for entry in self.benchmarks.values())

    @cached_property
    def made_elsewhere(self) -> list[str]:
        """The models whose scores were made elsewhere."""
        return [name for name in self.entries.of("scored") if name in self.models]

    @cached_property
    def shuffled_models(self) -> list[str]:
        """The models that read shuffled sentences, too, as they have a measure of them."""
        return [name for name in self.models if self.measures_of(name, SHUFFLED)]

    @cached_property
    def explored_models(self) -> list[str]:
        """The models that the explorer shows."""
        return list(self.explorer.get("models", self.models[:EXPLORED_BY_DEFAULT]) if self.explorer else [])

    @cached_property
    def explored_benchmarks(self) -> list[str]:
        """The benchmarks that the explorer shows."""
        return [name for name in self.benchmarks if self.on(name, self.explored_models)]

    def measures_for(self, model: str) -> list[str]:
        """The study's measures of a model's kind, in the study's order."""
        return [name for name in self.measures if kind_for(name) == self.entries.kind(model)]

    def measures_of(self, model: str, variant: str) -> list[str]:
        """The same on a variant of the sentences, in an order that is not the study's: its order makes no
        scores anew."""
        known = [name for name in MEASURES if name in self.measures_for(model)]
        if variant == ORIGINAL:
            return known
        reads = self.shuffled and model in self.models and self.entries.source_of(model).on_shuffled
        return [name for name in known if reads and measure(name).of_shuffled]

    def evidence_of(self, model: str) -> list[dict[str, Any]]:
        """What is read of a benchmark with a model: variants of its sentences under maskings, each with the
        number of the likeliest tokens that are kept beside it, or with the seed that it is shuffled with."""
        top = self.explorer.get("top", 0) if model in self.explored_models else 0
        more = {ORIGINAL: {"top": top}, SHUFFLED: dict(self.shuffled or {})}
        return [
            {"variant": variant, "masking": masking, **of_variant}
            for variant, of_variant in more.items()
            for masking in maskings_of(self.measures_of(model, variant))
        ]

    def dtype(self, model: str) -> str | None:
        """In which arithmetic a model reads pairs; None of a model without files, or where none are read."""
        stated = self.entries.inherited(model, "dtype") or self.study.get("scoring", {}).get("dtype")
        return stated if self.entries.has_files(model) else None

    def has_untrained(self, model: str) -> bool:
        """Whether there are untrained networks like a model: none like one untrained or without files."""
        return (
            bool(self.seeds) and self.entries.has_files(model) and self.entries[model]["source"] != "random"
        )

    def untrained_like(self, model: str) -> str:
        """The model whose untrained networks a model is compared with: the trained one that it is made from
        at last."""
        origin = self.entries.origin(model)
        return model if self.entries[origin]["source"] == "random" else origin

    def corpora_for(self, benchmark: str) -> list[str]:
        """The corpora for a benchmark's words: those of the same world, or else those that are of none."""
        world = self.benchmarks[benchmark].get("world")
        corpora = self.study.get("corpora", {}).items()
        return [name for name, entry in corpora if entry["counted"] and entry.get("world") == world]

    def states_on(self, series: str, benchmark: str) -> dict[str, str]:
        """The models of a series that are scored on a benchmark, by state."""
        scored = self.on(benchmark)
        return {state: model for state, model in self.series[series].items() if model in scored}

    def on_versions(self, benchmark: str) -> list[str]:
        """The models that are scored on a benchmark and on the one that it is a version of."""
        return [name for name in self.on(benchmark) if self.is_on(name, self.versions[benchmark])]

    def check(self) -> None:
        """Raise InputError naming the key that asks what cannot be."""
        for name, origin in self.versions.items():
            if origin == name:
                raise InputError(f"{KEY}benchmarks.{name}.version_of: {name} is no version of itself")
        self._check_measures()
        for name in self.explorer.get("models", []):
            if name not in self.models:
                raise InputError(f"{KEY}explorer.models: {name} is not scored on pairs of sentences")
        for name, states in self.series.items():
            others = [model for model in states.values() if model not in self.models]
            if self.models and others and len(others) < len(states):
                raise InputError(f"{KEY}series.{name}: {others[0]} is not scored on pairs of sentences")

    def _check_measures(self) -> None:
        read = [name for name in self.models if name not in self.made_elsewhere]
        kinds = {self.entries.kind(name): name for name in reversed(read)}
        of_files = {self.entries[name]["measure"] for name in self.made_elsewhere}
        for name in self.measures if self.models else []:
            if kind_for(name) not in kinds and name not in of_files:
                raise InputError(
                    f"{KEY}measures: {name} is for {kind_for(name)} models, of which the study scores none"
                )
        for model in kinds.values():
            if not self.measures_for(model):
                raise InputError(
                    f"{KEY}measures: none is for {self.entries.kind(model)} models, as {model} is"
                )
