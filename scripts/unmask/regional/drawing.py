"""Charts out of the files of results."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import altair as alt
import pandas as pd

from unmask.errors import InputError
from unmask.loading import paths_by
from unmask.regional import charts, maps
from unmask.regional.borders import Atlas
from unmask.regional.geometry import RegionVectors
from unmask.regional.likelihood_reader import Likelihoods, read_likelihoods
from unmask.regional.pairs import unit
from unmask.regional.results import Found
from unmask.regional.schema import WORDS
from unmask.regional.score_schema import PLANTED
from unmask.regional.tables import THOUSAND, Findings, main_variant
from unmask.regional.terms import C_W, FULL, MEASURES, ORIGINAL, VARIANTS
from unmask.report.chart_files import charts_of
from unmask.report.panels import Row, ends_of, plain
from unmask.report.sheets import rows_of
from unmask.tables import framed, read_metadata, read_table

if TYPE_CHECKING:
    from unmask.report.charts import Drawn

BANDS = (
    ("score", charts.titled(C_W), ".4g"),
    *ends_of(".4g", what="interval by words"),
    *ends_of(".4g", "dealt_low", "dealt_high", "dealt out"),
    ("children", "children", "d"),
)
"""What a country on a map tells of its score."""


def drawn_charts(found: Found, wanted: Iterable[str]) -> "Iterator[tuple[str, Drawn | str]]":
    """The charts of these names, each with its name; where there is none, why.

    Raises KeyError for an unknown name (a defect of the caller).
    """
    return charts_of(MAKERS, Drawing(found.files, found.settings, found.findings), wanted)


@dataclass(frozen=True)
class Drawing:
    """The charts of a study; None in place of one for which it has nothing.

    files: words and likelihoods (of one list of words) of every model, borders, places, planted (empty where
    there is none). settings: alpha, reading, list (of these words, original unless given), word (of
    word_map) and series (as for `charts.series`).
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]
    found: Findings

    @property
    def _series(self) -> Sequence[Mapping[str, Any]]:
        return self.settings.get("series") or []

    @cached_property
    def _steps(self) -> list[str]:
        """Models that are later steps of a series, of which the first one alone has maps."""
        return [str(step["model"]) for one in self._series for step in one["models"][1:]]

    @cached_property
    def _atlas(self) -> Atlas | None:
        return Atlas.read(self.files["borders"], self.files["places"]) if self.files.get("borders") else None

    def _variant(self, measure: str = C_W) -> str:
        return main_variant(self.found.chosen((measure,), (FULL,)))

    def scores(self) -> alt.FacetChart | None:
        """C_w of the variant that can be read."""
        return charts.scores(self.found, C_W, self._variant())

    def other_scores(self) -> Iterator[tuple[str, alt.FacetChart]]:
        """The other measures and variants, each with its name."""
        for variant in reversed(VARIANTS):
            for measure in MEASURES:
                if (measure, variant) != (C_W, self._variant()):
                    drawn = charts.scores(self.found, measure, variant)
                    if drawn:
                        yield f"{measure}, {variant}", drawn

    def series(self) -> alt.FacetChart | None:
        """Figure 5, of the variant that can be read."""
        return charts.series(self.found, self._series, self._variant())

    def other_series(self) -> Iterator[tuple[str, alt.FacetChart]]:
        """The other variants, each with its name."""
        for variant in reversed(VARIANTS):
            drawn = charts.series(self.found, self._series, variant)
            if drawn and variant != self._variant():
                yield variant, drawn

    @cached_property
    def _scored(self) -> list[Row]:
        """C_w of the regions that have a code and two children or more, of one variant, on the map."""
        index = self.found.index
        regions = [r for r in index.inner() if r in index.codes and index.children[r] > 1]
        frame = self.found.chosen((C_W,), (FULL,), regions)
        frame = frame[(frame["variant"] == main_variant(frame)) & ~frame["model"].isin(self._steps)]
        frame = frame[frame["score"].notna()]
        panels = {}
        for model, part in frame.groupby("model", sort=False):
            codes = [index.codes[str(region)] for region in part["region"]]
            fifths = maps.fifths(dict(zip(codes, part["score"], strict=True)))
            panels[str(model)] = {
                code: _told(row) | {"country": index.names[str(row.region)], "fifth": fifths[code]}
                for code, row in zip(codes, rows_of(part), strict=True)
            }
        return maps.on_map(self._atlas, panels) if self._atlas else []

    def score_map(self) -> alt.FacetChart | None:
        """Figure 4."""
        title = f"{C_W}, within a model"
        return maps.of_values(self._atlas, self._scored, title, BANDS) if self._atlas else None

    def band_map(self) -> alt.FacetChart | None:
        """Where the scores of Figure 4 lie against the bands of dealt vectors."""
        return maps.of_positions(self._atlas, self._scored, BANDS) if self._atlas else None

    def word_map(self) -> alt.FacetChart | None:
        """Figure 1."""
        word, index = self.settings.get("word"), self.found.index
        if self._atlas is None or word is None or word not in self._words() or not index.codes:
            return None
        names = list(dict.fromkeys(index.names[region] for region in index.codes))
        panels = {}
        for model, likelihoods in self._likelihoods():
            values = likelihoods.select(names, [str(word)])[0][:, 0]
            by_name = dict(zip(names, map(float, values), strict=True))
            by_code = {code: by_name[index.names[region]] for region, code in index.codes.items()}
            fifths = maps.fifths(by_code)
            panels[model] = {
                code: {"country": index.names[region], "log_prob": by_code[code], "fifth": fifths[code]}
                for region, code in index.codes.items()
            }
        rows = maps.on_map(self._atlas, panels)
        return maps.of_values(
            self._atlas, rows, "likelihood, within a model", [("log_prob", "mean log-probability", ".4g")]
        )

    def points(self) -> alt.FacetChart | None:
        """Figure 3."""
        drawn = {each.model: (each.regions, unit(each.f)) for each in self.laid_out}
        return charts.points(self.found.index, drawn)

    @cached_property
    def laid_out(self) -> Sequence[RegionVectors]:
        """The regions of Figure 3, by model."""
        index = self.found.index
        tops = index.tops()
        with_children = {index.levels[region] for region, count in index.children.items() if count}
        regions = [
            region
            for region, parent in index.parents.items()
            if region in tops or (parent in tops and index.levels[region] in with_children)
        ]
        # where what lies in the continents are the leaves themselves, these
        regions = regions if len(regions) > len(tops) else [r for r in index.parents if index.top_of(r)]
        names = list(dict.fromkeys(index.names[region] for region in regions))
        places = [names.index(index.names[region]) for region in regions]
        vectors = []
        for model, likelihoods in self._likelihoods():
            f, alone = likelihoods.select(names, self._words())
            vectors.append(RegionVectors(model, regions, f[places], alone[places]))
        return vectors

    def planted(self) -> alt.FacetChart | None:
        """How much of what was planted is found."""
        path = self.files.get("planted")
        rows = read_table(path, PLANTED) if path else framed([], PLANTED)
        # the test of planting has a level of its own
        alpha = read_metadata(path)["alpha"] if path else self.settings["alpha"]
        return charts.planted(rows, self.found.index, alpha)

    def _words(self) -> Sequence[str]:
        """The dimensions: the rows of the list."""
        chosen = self.settings.get("list") or ORIGINAL
        words = read_table(self.files["words"], WORDS)
        own = words.loc[words["list"] == chosen, "word"].tolist()
        if not own:
            raise InputError(f"{self.files['words']}: has no list {chosen}")
        return [str(word) for word in own]

    def _likelihoods(self) -> Iterator[tuple[str, Likelihoods]]:
        """Models in the study's order, with their likelihoods; without the steps of a series."""
        of = paths_by(self.files.get("likelihoods") or [], "model")
        paths = {model: path for (model,), path in of.items()}
        for model in self.found.models:
            if model.name in paths and model.name not in self._steps:
                yield model.name, read_likelihoods([paths[model.name]], self.settings["reading"])


def _told(row: Any) -> Row:
    """A score on the map, times 1000, with its interval and its band."""
    ends = {"low": "words_low", "high": "words_high", "dealt_low": "dealt_low", "dealt_high": "dealt_high"}
    values = {"score": row.score, **{name: getattr(row, column) for name, column in ends.items()}}
    scaled = {name: None if pd.isna(value) else float(value) * THOUSAND for name, value in values.items()}
    where = maps.position(plain(row.score), plain(row.dealt_low), plain(row.dealt_high))
    return scaled | {"children": int(row.children), "position": where}


MAKERS: Mapping[str, tuple[Callable[[Drawing], alt.FacetChart | None], str]] = {
    "scores_figure": (Drawing.scores, "No region of this study has a score."),
    "score_map": (Drawing.score_map, "No country of this study has a score."),
    "band_map": (Drawing.band_map, "No country of this study has a score with a band."),
    "word_map": (Drawing.word_map, "This study has no country on the map, or not the word of this map."),
    "points_figure": (Drawing.points, "This study has too few regions to lay out in two dimensions."),
    "series_figure": (
        Drawing.series,
        "No model of this study was trained further on sentences about regions.",
    ),
    "planted_figure": (Drawing.planted, "Nothing was planted in this study."),
}
"""By name: what makes a chart, and why there may be none."""
