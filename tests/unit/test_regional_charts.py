"""Charts of regional bias: rows are the tables' numbers in their places; none stands where none is known."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synthetic_regions import (
    CITIES,
    CONTINENTS,
    SETTINGS,
    WORD_ROWS,
    Study,
    make_likelihoods,
    make_name_vectors,
)
from unmask.errors import InputError
from unmask.regional import charts
from unmask.regional.geometry import first_directions
from unmask.regional.likelihood_reader import Likelihoods
from unmask.regional.maps import BELOW, BEYOND, BLANK, FIFTHS, WITHIN
from unmask.regional.presenting import PRESENTS
from unmask.regional.results import RegionalResults
from unmask.regional.schema import REGIONS
from unmask.regional.tables import MOST
from unmask.regional.terms import C_W, CORRECTED, FULL, MEASURES, PAPER, PLAIN, PROTOCOLS
from unmask.report.charts import chart
from unmask.report.sheets import rows_of
from unmask.tables import write_table

Rows = list[dict[str, Any]]
ENDS = ("permuted_low", "permuted_high")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study.write(tmp_path_factory.mktemp("charts"))


def results_of(study: Study, **settings: Any) -> RegionalResults:
    return RegionalResults(study.files, SETTINGS | settings)


def rows_in(drawn: Any) -> Rows:
    assert drawn is not None and not isinstance(drawn, str)
    return chart("c", "a", drawn).rows


def scored(study: Study, model: str, measure: str, protocol: str) -> dict[str, Any]:
    rows = study.scores[model]
    rows = rows[(rows["measure"] == measure) & (rows["variant"] == protocol) & (rows["words"] == FULL)]
    return {row.region: row for row in rows_of(rows)}


def test_scores_are_the_tables_times_a_thousand(study: Study) -> None:
    results = results_of(study)
    drawn = {(C_W, CORRECTED): charts.scores(results)} | {
        tuple(name.split(", ")): each for name, each in charts.other_scores(results)
    }
    assert set(drawn) == {(measure, protocol) for measure in MEASURES for protocol in PROTOCOLS}
    for (measure, protocol), each in drawn.items():
        rows, scale = rows_in(each), 1 if measure == PLAIN else 1000
        assert list(dict.fromkeys(row["panel"] for row in rows)) == ["m1", "m2", "blank"]
        assert len(rows) == 3 * (len(CONTINENTS) + 1)
        for row in rows:
            known = scored(study, row["model"], measure, protocol)[row["region"]]
            assert row["score"] == pytest.approx(known.score * scale, rel=1e-12)
            for end in ENDS:
                assert row[end] == pytest.approx(getattr(known, end) * scale, rel=1e-12)
            assert (row["p"], row["p_holm"], row["children"]) == (known.p, known.p_holm, known.children)
            head = "overall" if row["region"] == "world" else f"Continent {row['region']}"
            assert row["name"] == f"{head} ({known.children})"


def test_a_claim_is_what_the_tests_say(study: Study) -> None:
    claims = {
        0.002: "more, corrected",
        0.03: "more, before correction",
        0.6: "not more",
    }
    rows = rows_in(charts.scores(results_of(study)))
    for row in rows:
        # of the made scores, 0.03 is corrected to 0.18
        assert row["claim"] == claims[row["p"]]
    assert {row["claim"] for row in rows} == set(claims.values())


def test_only_divided_scores_have_a_logarithmic_scale(study: Study) -> None:
    results = results_of(study)

    def scale(drawn: Any) -> str | None:
        layers = chart("c", "a", drawn).spec["spec"]["layer"]
        found: str | None = layers[-1]["encoding"]["x"]["scale"].get("type")
        return found

    assert scale(charts.scores(results)) is None
    for name, drawn in charts.other_scores(results):
        assert scale(drawn) == (None if "plain" in name or "corrected" in name else "log"), name


def test_figure_4_has_what_countries_change_in_positive_predictions(study: Study) -> None:
    results = results_of(study, untrained=["c1"])
    known = results.prefixes[results.prefixes["level"] == "country"].dropna(subset="region")
    known = known.set_index("region")
    codes = {code: key for countries in CONTINENTS.values() for key, (_, code) in countries.items()}
    rows = [row for row in rows_in(charts.positive_map(results)) if row["drawn"] != BLANK]
    assert {row["panel"] for row in rows} == {"c1 (never trained) on reviews"}
    # Kosovo has no code, Tuvalu no place
    assert len(rows) == len(known) - 2
    for row in rows:
        of_country = known.loc[codes[row["code"]]]
        assert row["net"] == pytest.approx(100 * of_country["net"])
        assert row["over_control"] == pytest.approx(100 * of_country["over_control"])
        # all changes are below those of the control
        assert row["position"] == (BELOW if of_country["p_holm"] < 0.05 else WITHIN)
    assert {row["position"] for row in rows} == {BELOW, WITHIN}
    least = min(rows, key=lambda row: float(row["net"]))
    assert least["fifth"] == FIFTHS[0] and least["country"] == "Chile"


def test_positive_predictions_stand_beside_those_behind_controls(study: Study) -> None:
    rows = rows_in(charts.positive_figure(results_of(study)))
    assert len(rows) == 1 + MOST and rows[0]["name"] == "Lorem (no region)"
    known = results_of(study).prefixes.dropna(subset="region").set_index("region")
    band = 100 * float(known["net"]["Lorem"])
    for row in rows:
        assert (row["control_low"], row["control_high"]) == pytest.approx((band, band))
        assert row["net_low"] == pytest.approx(row["net"] - 1)
    sizes = [abs(row["net"]) for row in rows[1:]]
    assert sizes == sorted(sizes) and max(sizes) == pytest.approx(100 * known["net"].abs().max())
    none = results_of(study)
    vars(none)["prefixes"] = none.prefixes.head(0)
    assert charts.positive_figure(none) is None and charts.positive_map(none) is None


def test_maps_have_the_scores_of_countries_and_where_these_lie(study: Study) -> None:
    codes = {key: code for countries in CONTINENTS.values() for key, (_, code) in countries.items()}
    for maker in (charts.score_map, charts.band_map):
        rows = [row for row in rows_in(maker(results_of(study))) if row["drawn"] != BLANK]
        # m2 is a step of a series; Kosovo has no code, Tuvalu no place, Ireland one city and Syria none
        countries = set(codes) - {"XKX", "TUV", "IRL", "SYR"}
        assert len(rows) == 2 * len(countries) and {row["panel"] for row in rows} == {"m1", "blank"}
        for row in rows:
            key = next(key for key in countries if codes[key] == row["code"])
            known = scored(study, row["panel"], C_W, CORRECTED)[key]
            assert row["score"] == pytest.approx(1000 * known.score)
            band = 1000 * known.permuted_low, 1000 * known.permuted_high
            assert (row["permuted_low"], row["permuted_high"]) == pytest.approx(band)
            above, below = row["score"] > band[1], row["score"] < band[0]
            assert row["position"] == (BEYOND if above else BELOW if below else WITHIN)
            assert row["children"] == CITIES.get(key, 2)
            assert row["country"] == study.regions.set_index("region").loc[key, "name"]
        own = sorted((row for row in rows if row["panel"] == "m1"), key=lambda row: row["score"])
        assert [FIFTHS.index(row["fifth"]) for row in own] == sorted(
            FIFTHS.index(row["fifth"]) for row in own
        )
        assert own[0]["fifth"] == FIFTHS[0] and own[-1]["fifth"] == FIFTHS[-1]


def test_the_map_of_a_word_has_the_words_own_likelihoods(study: Study) -> None:
    rows = [row for row in rows_in(charts.word_map(results_of(study))) if row["drawn"] != BLANK]
    frame = make_likelihoods(study.regions, 0)
    # a step of a series has no map of its own
    assert {row["panel"] for row in rows} == {"m1", "blank"}
    # what has a code and a place, with a score or without: Syria and Ireland too
    own = {row["country"]: row for row in rows if row["panel"] == "m1"}
    assert {"Syria", "Ireland", "Kenya"} <= set(own) and not {"Kosovo", "Tuvalu"} & set(own)
    for name in ("Kenya", "Syria"):
        true = frame[(frame["name"] == name) & (frame["word"] == "bald")]["log_prob"].item()
        assert own[name]["log_prob"] == pytest.approx(true, rel=1e-6)
    assert own["Kenya"]["code"] == 404


def test_a_word_that_the_study_has_not_makes_no_map(study: Study) -> None:
    for word in ("absent", None):
        assert charts.word_map(results_of(study, word=word)) is None
    with pytest.raises(InputError, match="has no list nothing"):
        charts.word_map(results_of(study, list="nothing"))


def test_the_dimensions_are_the_rows_of_the_list(study: Study) -> None:
    assert len(WORD_ROWS) == len(results_of(study).words)


def test_points_keep_distances_in_two_dimensions(study: Study) -> None:
    """Against vectors made by hand: of four words, so that two components hold most of them."""
    rows = [row for row in rows_in(charts.points(results_of(study))) if row["model"] == "m1"]
    frame = make_likelihoods(study.regions, 0)
    vectors = []
    for row in rows:
        name = study.regions.set_index("region").loc[row["region"], "name"]
        own = [
            frame[(frame["name"] == name) & (frame["word"] == word)]["log_prob"].item()
            for _, word in WORD_ROWS
        ]
        vectors.append(np.array(own) / np.linalg.norm(own))
    centred = np.array(vectors) - np.mean(vectors, axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    for place, field in enumerate(("first", "second")):
        found, expected = np.array([row[field] for row in rows]), centred @ axes[:, -1 - place]
        assert np.abs(found) == pytest.approx(np.abs(expected), abs=1e-5)
    shares = 100 * values[::-1] / values.sum()
    (direction, _) = first_directions(results_of(study).vectors)
    assert (direction.model, direction.regions) == ("m1", len(rows))
    assert 100 * direction.share == pytest.approx(shares[0])
    regions = study.regions.set_index("region")
    words = frame[frame["word"].notna()].groupby("name")["log_prob"].mean()
    of_regions = np.array([words[str(regions.loc[row["region"], "name"])] for row in rows])
    alone = frame[frame["word"].isna()].set_index("name")["log_prob"]
    of_names = np.array([alone[str(regions.loc[row["region"], "name"])] for row in rows])
    for found_rho, values in ((direction.sentences, of_regions), (direction.name, of_names)):
        ranks = [pd.Series(each).rank() for each in (values, centred @ axes[:, -1])]
        assert found_rho == pytest.approx(abs(np.corrcoef(ranks)[0, 1]))
    assert rows[0]["panel"] == f"m1 ({shares[0]:.0f}% and {shares[1]:.0f}% of the variance)"
    large = [row for row in rows if row["large"]]
    assert {row["region"] for row in large} == set(CONTINENTS)
    kenya = next(row for row in rows if row["region"] == "KEN")
    assert (kenya["within"], kenya["level"], kenya["large"]) == ("Continent AF", "country", False)


def test_names_are_laid_out_by_their_own_vectors(study: Study) -> None:
    """Against eigenvectors of the covariance; later steps of a series have no points."""
    drawn = rows_in(charts.name_points(results_of(study)))
    assert {row["model"] for row in drawn} == {"m1", "blank"}
    for seed, model in ((0, "m1"), (2, "blank")):
        known = make_name_vectors(seed)
        rows = [row for row in drawn if row["model"] == model]
        assert {row["region"] for row in rows} == set(known["region"])
        matrix = np.stack(known["vector"].tolist())
        centred = matrix - matrix.mean(axis=0)
        _, axes = np.linalg.eigh(centred.T @ centred)
        for place, field in enumerate(("first", "second")):
            expected = dict(zip(known["region"], centred @ axes[:, -1 - place], strict=True))
            assert [abs(row[field]) for row in rows] == pytest.approx(
                [abs(float(expected[row["region"]])) for row in rows], abs=1e-5
            )
    bare = RegionalResults(study.files | {"name_vectors": []}, SETTINGS)
    assert charts.name_points(bare) is None


def test_a_series_has_the_scores_of_its_steps(study: Study) -> None:
    results = results_of(study)
    drawn = {CORRECTED: charts.series(results), **dict(charts.other_series(results))}
    assert set(drawn) == set(PROTOCOLS)
    for protocol, each in drawn.items():
        rows = rows_in(each)
        assert len(rows) == 2 * (len(CONTINENTS) + 1)
        for row in rows:
            model = {0: "m1", 20: "m2"}[row["epoch"]]
            region = "world" if row["name"] == "overall" else row["name"].removeprefix("Continent ")
            known = scored(study, model, C_W, protocol)[region]
            assert (row["panel"], row["model"]) == ("toxic", model)
            assert row["score"] == pytest.approx(1000 * known.score)


def test_what_there_is_nothing_of_is_a_line(study: Study, tmp_path: Path) -> None:
    bare = study.files | {"prefixes": [], "borders": [], "places": [], "likelihoods": []}
    bare |= {"name_vectors": []}
    drawn = dict(PRESENTS.drawn(RegionalResults(bare, SETTINGS | {"series": []}), charts.MAKERS))
    assert {name for name, each in drawn.items() if not isinstance(each, str)} == {"scores_figure"}
    none = tmp_path / "regions.parquet"
    write_table(none, study.regions.head(1), REGIONS, {"source": "made"})
    bare |= {"regions": str(none), "scores": []}
    nothing = dict(PRESENTS.drawn(RegionalResults(bare, SETTINGS), ["scores_figure"]))
    assert nothing == {"scores_figure": "No region of this study has a score."}


def test_without_the_corrected_protocol_the_papers_is_shown(study: Study) -> None:
    results = results_of(study)
    vars(results)["scores"] = results.scores[results.scores["variant"] != CORRECTED]
    assert {row["variant"] for row in rows_in(charts.scores(results))} == {PAPER}
    assert {row["variant"] for row in rows_in(charts.series(results))} == {PAPER}


def test_vectors_that_are_alike_have_no_direction(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for rounding, as those of proportional likelihoods are."""

    def proportional(self: Likelihoods, names: Sequence[str], words: Sequence[str]) -> Any:
        factors = 1 + np.arange(len(names)) / 7
        return -np.outer(factors, np.linspace(1, 2, len(words))), -factors

    monkeypatch.setattr(Likelihoods, "select", proportional)
    assert list(first_directions(results_of(study).vectors)) == []
