"""Figures out of the files of results."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from unmask.errors import InputError
from unmask.regional.collected import by_model, collected
from unmask.regional.figures import draw_planted, draw_points, draw_scores, draw_series
from unmask.regional.maps import Atlas, draw_positions, draw_values, position
from unmask.regional.outline import Outline
from unmask.regional.picked import COLUMNS, log_probs, unit_vectors
from unmask.regional.published import Published
from unmask.regional.schema import PLANTED, REGIONS, SCORES, WORDS
from unmask.regional.tables import THOUSAND, Findings, main_variant
from unmask.regional.terms import C_W, FULL, ORIGINAL
from unmask.report.captions import Captions
from unmask.report.figures import note
from unmask.report.sheets import rows_of
from unmask.report.study import Named
from unmask.tables import framed, read_metadata, read_table


def drawn_figures(
    files: Mapping[str, Any], settings: Mapping[str, Any], wanted: Iterable[str]
) -> Iterator[tuple[str, Figure]]:
    """The figures of these names: scores_figure, score_map, band_map, word_map, points_figure, series_figure
    and planted_figure.

    files: regions, words, scores and likelihoods (of one list of words) of every model, published, borders,
    places, planted (empty where there is none).
    settings: models, alpha, reading, list (of these words, original unless given), word (of word_map) and
    series (as for `draw_series`).
    Raises KeyError for an unknown name (a defect of the caller).
    """
    drawing = Drawing(files, settings)
    makers: Mapping[str, Callable[[], Figure]] = {
        "scores_figure": lambda: draw_scores(drawing.found),
        "score_map": drawing.score_map,
        "band_map": drawing.band_map,
        "word_map": drawing.word_map,
        "points_figure": drawing.points,
        "series_figure": lambda: draw_series(drawing.found, settings.get("series") or []),
        "planted_figure": drawing.planted,
    }
    for name in wanted:
        yield name, makers[name]()


class Drawing:
    """What the figures of a study share. files, settings: those of `drawn_figures`."""

    def __init__(self, files: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self.files, self.settings = files, settings
        models = [Named.from_config(entry) for entry in settings["models"]]
        self.outline = Outline.of(read_table(files["regions"], REGIONS))
        self.found = Findings(
            models,
            self.outline,
            collected(models, files["scores"], SCORES),
            Published.from_file(files["published"]),
            Captions({}, {}),
            settings["alpha"],
        )
        self._steps = {step["model"] for one in settings.get("series") or [] for step in one["models"][1:]}

    def _atlas(self) -> Atlas:
        return Atlas.read(self.files["borders"], self.files["places"])

    def _with_codes(self) -> pd.DataFrame:
        """C_w of the regions that have a code and two children or more, of one variant; without the steps of
        a series, of which the first one alone has maps."""
        codes = self.outline.codes
        regions = [r for r in self.outline.inner() if r in codes and self.outline.children[r] > 1]
        rows = self.found.chosen((C_W,), (FULL,), regions)
        rows = rows[(rows["variant"] == main_variant(rows)) & ~rows["model"].isin(list(self._steps))]
        return rows.assign(code=rows["region"].map(codes).astype(int))

    def score_map(self) -> Figure:
        """Figure 4."""
        rows = self._with_codes()
        variant = main_variant(rows)
        panels = {
            str(model): part.set_index("code")["score"] * THOUSAND
            for model, part in rows.groupby("model", sort=False)
        }
        return draw_values(self._atlas(), panels, f"C_w × 1000, {variant}")

    def band_map(self) -> Figure:
        """Where the scores of Figure 4 lie against the bands of dealt vectors."""
        panels = {
            str(model): pd.Series(
                {row.code: position(row.score, row.dealt_low, row.dealt_high) for row in rows_of(part)},
                dtype=object,
            )
            for model, part in self._with_codes().groupby("model", sort=False)
        }
        return draw_positions(self._atlas(), panels)

    def word_map(self) -> Figure:
        """Figure 1."""
        word, outline = str(self.settings["word"]), self.outline
        if word not in self._words():
            return note(f"The words of this study have no {word}.")
        names = [outline.names[region] for region in outline.codes]
        if not names:
            return note("No region of this study has a country's code.")
        panels = {}
        for model, path in self._likelihoods():
            found = log_probs(path, list(dict.fromkeys(names)), [word], self._column())[:, 0]
            by_name = dict(zip(dict.fromkeys(names), found, strict=True))
            panels[model] = pd.Series(
                {code: by_name[outline.names[region]] for region, code in outline.codes.items()}
            )
        return draw_values(self._atlas(), panels, f"mean log-probability with “{word}”", "not in the study")

    def points(self) -> Figure:
        """Figure 3."""
        outline = self.outline
        tops = outline.tops()
        with_children = {outline.levels[region] for region, count in outline.children.items() if count}
        regions = [
            region
            for region, parent in outline.parents.items()
            if region in tops or (parent in tops and outline.levels[region] in with_children)
        ]
        # where what lies in the continents are the leaves themselves, these
        regions = regions if len(regions) > len(tops) else [r for r in outline.parents if outline.top_of(r)]
        names = list(dict.fromkeys(outline.names[region] for region in regions))
        places = [names.index(outline.names[region]) for region in regions]
        panels = {}
        for model, path in self._likelihoods():
            vectors = unit_vectors(log_probs(path, names, self._words(), self._column()))
            panels[model] = regions, vectors[places]
        return draw_points(outline, panels)

    def planted(self) -> Figure:
        """How much of what was planted is found."""
        path = self.files.get("planted")
        rows = read_table(path, PLANTED) if path else framed([], PLANTED)
        # the test of planting has a level of its own
        alpha = read_metadata(path)["alpha"] if path else self.settings["alpha"]
        return draw_planted(rows, self.outline, alpha)

    def _words(self) -> Sequence[str]:
        """The dimensions: the rows of the list."""
        chosen = self.settings.get("list") or ORIGINAL
        words = read_table(self.files["words"], WORDS)
        own = words.loc[words["list"] == chosen, "word"].tolist()
        if not own:
            raise InputError(f"{self.files['words']}: has no list {chosen}")
        return [str(word) for word in own]

    def _column(self) -> str:
        return COLUMNS[self.settings["reading"]]

    def _likelihoods(self) -> list[tuple[str, str]]:
        """Models in the study's order, with the paths of their likelihoods; without the steps of a series."""
        paths = by_model(self.files["likelihoods"])
        return [
            (model.name, paths[model.name])
            for model in self.found.models
            if model.name in paths and model.name not in self._steps
        ]
