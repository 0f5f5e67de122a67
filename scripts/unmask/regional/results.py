"""What a study has measured of regional bias, read from its files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.regional.herb import read_likelihoods
from unmask.regional.maps import Borders, read_borders
from unmask.regional.schema import NAME_VECTORS, PREFIXES, REGIONS, SCORES
from unmask.regional.terms import C_W, CORRECTED, FULL, PROTOCOLS
from unmask.report.captions import Captions, load_captions
from unmask.report.declared_tables import in_order
from unmask.report.published import doubts, read_published
from unmask.report.study import Named
from unmask.statistics.ranks import holm
from unmask.study_results import load_tables, paths_by, shared_facts
from unmask.tables import read_table

OVERALL = "overall"
"""What the paper calls the root."""

ORDERS = {"headed": "as headed", "likely": "likely order"}
"""Readings of the order of its columns, and what they are called in a table."""

QUANTITIES = ("accuracy", "macro_f1", "up", "mean_up", "down", "mean_down", "to_positive", "to_negative")
"""The columns of PREFIXES that Tables 4 and 5 print."""


@dataclass(frozen=True)
class RegionalResults:
    """files: regions; captions; published; and, maybe none, scores (of every model), likelihoods (of the
    first list, of every model), prefixes, name_vectors and borders (of maps).

    settings: models (each with name, in the order of the study), alpha, confidence, word (of a map),
    untrained (classifiers that never saw a label), and series: of each model that is trained in steps its
    `name`, and `models`, a list of `model` (a name of the study) and `epoch`.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def models(self) -> list[Named]:
        """In the order of the study."""
        return [Named.from_config(entry) for entry in self.settings["models"]]

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @property
    def series(self) -> Sequence[Mapping[str, Any]]:
        series: Sequence[Mapping[str, Any]] = self.settings["series"]
        return series

    @property
    def later_steps(self) -> list[str]:
        """Models that are later steps of a series, of which the first one alone has maps."""
        return [str(step["model"]) for one in self.series for step in one["models"][1:]]

    @cached_property
    def permutations(self) -> int:
        """How many permutations tests are of; 0 without scores."""
        return int(shared_facts(self.files["scores"], "draws").get("draws", 0))

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in, from settings and from what the tables say of themselves."""
        template = shared_facts(self.files["likelihoods"], "template").get("template")
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.settings['confidence']:g}",
            draws=str(self.permutations),
            template=str(template or ""),
            word=str(self.settings["word"] or ""),
            doubts="; ".join(doubts(self.published)),
        )

    @cached_property
    def regions(self) -> pd.DataFrame:
        """REGIONS by region, with the columns children (how many), continent (the region right below the root
        that it is or lies in) and headed (its name and number of children)."""
        rows = read_table(self.files["regions"], REGIONS).set_index("region")
        root, parents = rows.index[0], rows["parent"]
        continent: dict[str, str] = {}
        for region, parent in parents.items():
            continent[str(region)] = continent.get(parent, str(region)) if parent != root else str(region)
        children = parents.value_counts().reindex(rows.index, fill_value=0)
        names = rows["name"].where(rows.index != root, "overall")
        return rows.assign(
            children=children,
            continent=pd.Series(continent).where(rows.index != root),
            headed=names + " (" + children.astype(str) + ")",
        )

    @property
    def root(self) -> str:
        """The region that all others lie in."""
        return str(self.regions.index[0])

    @cached_property
    def continents(self) -> list[str]:
        """The regions right below the root that have children."""
        rows = self.regions
        return rows.index[(rows["parent"] == self.root) & (rows["children"] > 0)].tolist()

    @cached_property
    def columns(self) -> list[str]:
        """The regions of tables: continents, and the root last."""
        return [*self.continents, self.root]

    @cached_property
    def codes(self) -> "pd.Series[int]":
        """ISO 3166-1 numeric codes of the regions that have one."""
        return self.regions["country_code"].dropna().astype(int)

    @cached_property
    def published(self) -> pd.DataFrame:
        """What the paper prints. headed, likely: the region of a value, in each of ORDERS."""
        return read_published(self.files["published"])

    def printed(self, table: str) -> pd.DataFrame:
        """The values of one of Tables 1, 2, 3 and 6 in each of ORDERS, with the columns order and region; of
        the study's models, by their names there."""
        rows = self.published[(self.published["table"] == table) & self.published["value"].notna()]
        names = pd.Series({each.name: each.published for each in self.models}, dtype=object)
        rows = names.rename_axis("own").reset_index(name="model").merge(rows, on="model")
        rows = pd.concat([rows.assign(order=order, region=rows[order]) for order in ORDERS])
        return rows.assign(model=rows["own"], region=rows["region"].replace(OVERALL, self.root))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """SCORES with the columns model and least: the smallest p_holm that the permutations can give."""
        rows = self._of_models("scores", SCORES)
        family = rows.groupby(["model", "protocol", "measure", "words", "level"])["p"].transform("count")
        least = (family / (self.permutations + 1)).clip(upper=1)
        return rows.assign(least=least.where(rows["p"].notna()))

    @cached_property
    def prefixes(self) -> pd.DataFrame:
        """PREFIXES with the columns classifier, table and p_holm: p corrected over the regions of a level."""
        rows = load_tables(self.files["prefixes"], PREFIXES, "classifier", "table")
        return holm(rows, ["classifier", "table", "level", "template"])

    @cached_property
    def name_vectors(self) -> pd.DataFrame:
        """NAME_VECTORS with the column model, without the later steps of a series."""
        rows = self._of_models("name_vectors", NAME_VECTORS)
        return rows[~rows["model"].isin(self.later_steps)]

    def _of_models(self, name: str, schema: pa.Schema) -> pd.DataFrame:
        order = {"model": [model.name for model in self.models]}
        return load_tables(self.files[name], schema, "model", order=order)

    def likelihoods(self) -> Iterator[tuple[str, pd.DataFrame]]:
        """Each model with its likelihoods, without the later steps of a series. They are read one by one, as
        they are large."""
        paths = paths_by(self.files["likelihoods"], "model")
        for model in self.models:
            if (model.name,) in paths and model.name not in self.later_steps:
                yield model.name, read_likelihoods([paths[model.name,]])

    @cached_property
    def borders(self) -> Borders | None:
        """The countries of maps, where the study has maps."""
        return read_borders(self.files["borders"]) if self.files["borders"] else None

    def called(self, classifier: str) -> str:
        """A classifier's name, and whether it was never trained."""
        untrained = classifier in self.settings["untrained"]
        return f"{classifier} (never trained)" if untrained else classifier

    @cached_property
    def main_protocol(self) -> str:
        """The protocol that is shown first: corrected where it is there, else the last that is."""
        of_trees = self.scores.loc[self.scores["measure"] == C_W, "protocol"]
        there = [protocol for protocol in PROTOCOLS if (of_trees == protocol).any()]
        return there[-1] if there else CORRECTED

    def select(
        self,
        measures: Sequence[str] = (C_W,),
        words: Sequence[str] = (FULL,),
        regions: Sequence[str] | None = None,
        protocols: Sequence[str] = PROTOCOLS,
    ) -> pd.DataFrame:
        """The scores of these measures, sets of words, regions (by default continents and the root) and
        protocols, in the order of models, measures, protocols, words and regions."""
        regions = self.columns if regions is None else regions
        rows = self.scores.query(
            "measure in @measures and protocol in @protocols and words in @words and region in @regions"
        )
        models = [model.name for model in self.models]
        return in_order(rows, model=models, measure=measures, protocol=protocols, words=words, region=regions)

    def word_sets(self, start: str) -> list[str]:
        """`full` and the sets whose name begins so, in order of appearance; none without the latter."""
        sets = [name for name in self.scores["words"].drop_duplicates() if str(name).startswith(start)]
        return [FULL, *sets] if sets else []
