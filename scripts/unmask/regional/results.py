"""What a study has measured of regional bias, read from its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from unmask.regional.schema import PREFIXES, REGIONS, SCORES
from unmask.regional.terms import C_W, CORRECTED, COUNTRY, FULL, PARENT, PROTOCOLS
from unmask.report.study_results import Named, doubts, load_tables, read_published
from unmask.report.tables import in_order
from unmask.report.wording import Captions, load_captions
from unmask.statistics.uncertainty import holm
from unmask.tables import read_metadata, read_table

OVERALL = "overall"
"""What the paper calls the root."""

ORDERS = {"headed": "as headed", "likely": "likely order"}
"""Two readings of the order of the columns of printed tables, and what they are called."""


@dataclass(frozen=True)
class RegionalResults:
    """files: regions; captions; published; and, maybe none, scores (of every model), likelihoods (of the
    first list, of every model), prefixes, name_vectors and borders (of maps).

    settings: models (each with name, in the order of the study), alpha, confidence, word (of a map), and
    series: of each model that is trained in steps its `name`, and `models`, a list of `model` (a name of the
    study) and `epoch`.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def models(self) -> list[Named]:
        """In the order of the study."""
        return [Named(**entry) for entry in self.settings["models"]]

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @cached_property
    def draws(self) -> int:
        """How many permutations tests are of; 0 without scores."""
        return max((int(read_metadata(path)["draws"]) for path in self.files["scores"]), default=0)

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in, from settings and from what the tables say of themselves."""
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.settings['confidence']:g}",
            draws=str(self.draws),
            template=next((read_metadata(path)["template"] for path in self.files["likelihoods"]), ""),
            word=str(self.settings["word"]),
            doubts="; ".join(doubts(self.published)),
        )

    @cached_property
    def regions(self) -> pd.DataFrame:
        """REGIONS by region, with the columns children (how many), continent (the region right below the root
        that it is or lies in) and headed (its name and number of children)."""
        rows = read_table(self.files["regions"], REGIONS).set_index("region")
        root, parents = rows.index[0], rows["parent"]
        continent: dict[str, str | None] = {root: None}
        for region, parent in parents[1:].items():
            continent[str(region)] = str(region) if parent == root else continent[parent]
        children = parents.value_counts().reindex(rows.index, fill_value=0)
        names = rows["name"].where(rows.index != root, OVERALL)
        headed = names + " (" + children.astype(str) + ")"
        return rows.assign(children=children, continent=pd.Series(continent), headed=headed)

    @property
    def root(self) -> str:
        """The region that all others lie in."""
        return str(self.regions.index[0])

    @cached_property
    def continents(self) -> list[str]:
        """The regions right below the root that have children."""
        rows = self.regions
        return rows.index[(rows["parent"] == self.root) & (rows["children"] > 0)].tolist()

    @property
    def columns(self) -> list[str]:
        """The regions of tables: continents, and the root last."""
        return [*self.continents, self.root]

    @cached_property
    def published(self) -> pd.DataFrame:
        """What the paper prints. headed, likely: the region of a value, in each of ORDERS."""
        return read_published(self.files["published"])

    def printed(self, table: str) -> pd.DataFrame:
        """The values of one of Tables 1, 2, 3 and 6 of the study's models, by their names there."""
        rows = self.published[(self.published["table"] == table) & self.published["value"].notna()]
        names = pd.DataFrame([(of.name, of.published) for of in self.models], columns=["own", "model"])
        rows = names.merge(rows, on="model").assign(model=lambda merged: merged["own"])
        return rows.replace({order: {OVERALL: self.root} for order in ORDERS})

    @cached_property
    def scores(self) -> pd.DataFrame:
        """SCORES with the columns model and least: the smallest p_holm that the permutations can give."""
        rows = load_tables(self.files["scores"], SCORES, "model")
        family = rows.groupby(["model", "protocol", "measure", "words", "level"])["p"].transform("count")
        return rows.assign(least=(family / (self.draws + 1)).clip(upper=1).where(rows["p"].notna()))

    @cached_property
    def prefixes(self) -> pd.DataFrame:
        """PREFIXES with the columns classifier, table, in_print (what the paper calls the prefix) and p_holm
        (over the regions of a level)."""
        rows = load_tables(self.files["prefixes"], PREFIXES, "classifier", "table")
        rows = rows.assign(in_print=self._in_print(rows))
        return holm(rows, ["classifier", "table", "level", "template"])

    def _in_print(self, rows: pd.DataFrame) -> "pd.Series[str]":
        """A region, with the one around it where the prefix names that too, all countries, all but one, or no
        prefix; of others the prefix itself."""
        names, around = self.regions["name"], rows["region"].map(self.regions["parent"])
        places = rows["region"].map(names)
        both = places + ", " + around.map(names)
        places = places.mask(rows["template"].str.contains(PARENT, regex=False).eq(True), both)
        every = rows["level"].map({COUNTRY: "all countries"}).where(rows["region"].isna())
        others = ("without " + rows["without"].map(names)).fillna(every).fillna(rows["prefix"])
        return places.fillna(others).fillna("no prefix")

    @cached_property
    def main_protocol(self) -> str:
        """The protocol that is shown first: corrected where it is there, else the last that is."""
        there = set(self.scores["protocol"])
        return next((each for each in reversed(PROTOCOLS) if each in there), CORRECTED)

    def select(
        self,
        measures: Sequence[str] = (C_W,),
        words: Sequence[str] = (FULL,),
        regions: Sequence[str] | None = None,
        protocols: Sequence[str] = PROTOCOLS,
    ) -> pd.DataFrame:
        """The scores of these measures, sets of words, regions (by default continents and the root) and
        protocols, in the order of models, measures, protocols, words and regions."""
        orders = {"measure": measures, "protocol": protocols, "words": words}
        orders["region"] = self.columns if regions is None else regions
        rows = self.scores
        for column, values in orders.items():
            rows = rows[rows[column].isin(values)]
        return in_order(rows, model=[of.name for of in self.models], **orders)

    def word_sets(self, start: str) -> list[str]:
        """`full` and the sets whose name begins so, in order of appearance; none without the latter."""
        sets = [name for name in self.scores["words"].drop_duplicates() if str(name).startswith(start)]
        return [FULL, *sets] if sets else []
