"""What a study has measured of regional bias, read from its files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.loading import load_tables, paths_by, shared_facts
from unmask.regional.borders import Atlas
from unmask.regional.geometry import RegionVectors
from unmask.regional.likelihood_reader import Likelihoods, read_likelihoods
from unmask.regional.published import COLUMNS
from unmask.regional.region_index import RegionIndex
from unmask.regional.schema import NAME_VECTORS, PREFIXES, REGIONS, WORDS
from unmask.regional.score_schema import SCORES
from unmask.regional.terms import C_W, CORRECTED, FULL, ORIGINAL, PROTOCOLS
from unmask.report.captions import Captions, load_captions
from unmask.report.declared_tables import in_order
from unmask.report.published import read_published
from unmask.report.study import Named
from unmask.statistics.correction import holm
from unmask.tables import read_table


@dataclass(frozen=True)
class RegionalResults:
    """files: regions; scores (of every model); likelihoods (of the original words, of every
    model) and words; prefixes and name_vectors (empty or left out where there is none); borders and
    places (of the maps, empty where there is none); captions; published.

    settings: models (each with name, in the order of the study), alpha, confidence, reading, list (of words,
    original by default), word (of a map), untrained (classifiers that never saw a label), and, where models
    are trained in steps, series: for each its `name` and `models`, a list of `model` (a name of the study)
    and `epoch`.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def models(self) -> list[Named]:
        """In the order of the study."""
        return [Named.from_config(entry) for entry in self.settings["models"]]

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return float(self.settings["alpha"])

    @property
    def series(self) -> Sequence[Mapping[str, Any]]:
        """The models that are trained in steps."""
        return self.settings.get("series") or []

    @property
    def later_steps(self) -> list[str]:
        """Models that are later steps of a series, of which the first one alone has maps."""
        return [str(step["model"]) for one in self.series for step in one["models"][1:]]

    @cached_property
    def permutations(self) -> int | None:
        """How many permutations tests are of; None without scores."""
        draws: int | None = shared_facts(self.files["scores"], "draws").get("draws")
        return draws

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in, from settings and from what the tables say of themselves."""
        facts = shared_facts(self.files["scores"], "draws")
        template = shared_facts(self.files.get("likelihoods") or [], "template").get("template")
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.settings['confidence']:g}",
            draws=str(facts.get("draws", 0)),
            template=str(template or ""),
            word=str(self.settings.get("word") or ""),
        )

    @cached_property
    def index(self) -> RegionIndex:
        """Of the regions."""
        return RegionIndex.of(read_table(self.files["regions"], REGIONS))

    @cached_property
    def published(self) -> pd.DataFrame:
        """What the paper prints (unmask.regional.published.COLUMNS)."""
        return read_published(self.files["published"], COLUMNS)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """SCORES with the column model."""
        return self._of_models("scores", SCORES)

    @cached_property
    def prefixes(self) -> pd.DataFrame:
        """PREFIXES with the columns classifier, table and p_holm: p corrected over the regions of a level."""
        rows = load_tables(self.files.get("prefixes") or [], PREFIXES, "classifier", "table")
        return holm(rows, ["classifier", "table", "level", "template"])

    def called(self, classifier: str) -> str:
        """A classifier's name, and whether it was never trained."""
        return (
            f"{classifier} (never trained)"
            if classifier in self.settings.get("untrained", ())
            else classifier
        )

    def _of_models(self, name: str, schema: pa.Schema) -> pd.DataFrame:
        order = {"model": [model.name for model in self.models]}
        return load_tables(self.files.get(name) or [], schema, "model", order=order)

    @cached_property
    def main_protocol(self) -> str:
        """The protocol that is shown first: corrected where it is there, else the last that is."""
        there = [protocol for protocol in PROTOCOLS if (self.scores["variant"] == protocol).any()]
        return there[-1] if there else CORRECTED

    def select(
        self,
        measures: Sequence[str] = (C_W,),
        words: Sequence[str] = (FULL,),
        regions: Sequence[str] | None = None,
        protocols: Sequence[str] = PROTOCOLS,
    ) -> pd.DataFrame:
        """The scores of these measures, sets of words, regions (the columns of tables unless given) and
        protocols, in the order of models, measures, protocols, words and regions."""
        orders: dict[str, Sequence[str]] = {
            "model": [model.name for model in self.models],
            "measure": measures,
            "variant": protocols,
            "words": words,
            "region": self.index.columns() if regions is None else regions,
        }
        rows = self.scores
        for key, known in orders.items():
            rows = rows[rows[key].isin(known)]
        return in_order(rows, **orders)

    def word_sets(self, start: str) -> list[str]:
        """`full` and the sets whose name begins so, in order of appearance; none without the latter."""
        sets = [name for name in self.scores["words"].drop_duplicates() if str(name).startswith(start)]
        return [FULL, *sets] if sets else []

    @cached_property
    def atlas(self) -> Atlas | None:
        """The countries of maps, where the study has maps."""
        return Atlas.read(self.files["borders"], self.files["places"]) if self.files.get("borders") else None

    @cached_property
    def likelihood_paths(self) -> dict[str, str]:
        """The tables of likelihoods, by model in the order of the study."""
        paths = paths_by(self.files.get("likelihoods") or [], "model")
        return {model.name: paths[model.name,] for model in self.models if (model.name,) in paths}

    def likelihoods(self) -> Iterator[tuple[str, Likelihoods]]:
        """Each model with its likelihoods, without the later steps of a series. They are read one by one, as
        they are large."""
        for model, path in self.likelihood_paths.items():
            if model not in self.later_steps:
                yield model, read_likelihoods([path], self.settings["reading"])

    @cached_property
    def words(self) -> list[str]:
        """The dimensions: the rows of the list. Raises InputError where there is no such list."""
        name = self.settings.get("list") or ORIGINAL
        rows = read_table(self.files["words"], WORDS)
        words: list[str] = rows.loc[rows["list"] == name, "word"].tolist()
        if not words:
            raise InputError(f"{self.files['words']}: has no list {name}")
        return words

    @cached_property
    def vectors(self) -> list[RegionVectors]:
        """By model the regions of Figure 3, with their likelihoods."""
        regions = self.index.laid_out()
        names = [self.index.names[region] for region in regions]
        return [
            RegionVectors(model, regions, *likelihoods.select(names, self.words))
            for model, likelihoods in self.likelihoods()
        ]

    @cached_property
    def name_vectors(self) -> pd.DataFrame:
        """NAME_VECTORS with the column model, without the later steps of a series."""
        rows = self._of_models("name_vectors", NAME_VECTORS)
        return rows[~rows["model"].isin(self.later_steps)]
