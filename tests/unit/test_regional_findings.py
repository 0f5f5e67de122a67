"""What is said of regional bias: each number is that of the tables, and nothing is said without one."""

import math
from typing import Any

import pandas as pd
import pytest

from synthetic_regions import MODELS, SETTINGS, Study
from unmask.regional.findings import FINDINGS
from unmask.regional.geometry import FirstDirection
from unmask.regional.results import RegionalResults
from unmask.regional.terms import C_W, CORRECTED, FULL, PAPER, PROTOCOLS
from unmask.report.findings import sentences

ALPHA, DRAWS = 0.05, 100


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study.write(tmp_path_factory.mktemp("findings"))


def results_of(study: Study, **frames: Any) -> RegionalResults:
    """Results of these files, but for some properties."""
    results = RegionalResults(study.files, SETTINGS)
    vars(results).update(frames)
    return results


def rows(name: str, results: RegionalResults) -> list[Any]:
    (finding,) = (finding for finding in FINDINGS if finding.name == name)
    return list(finding.rows(results))


def said(name: str, results: RegionalResults) -> list[str]:
    return list(sentences([finding for finding in FINDINGS if finding.name == name], results))


def scored(study: Study, model: str, level: str) -> pd.DataFrame:
    """C_w corrected of the regions of a level that have a score."""
    frame = study.scores[model]
    frame = frame[(frame["variant"] == CORRECTED) & (frame["measure"] == C_W) & (frame["words"] == FULL)]
    return frame[frame["score"].notna() & (frame["level"] == level)]


def test_regions_that_differ_are_those_of_the_scores(study: Study) -> None:
    results = results_of(study)
    found = rows("tops", results)
    assert [row["model"] for row in found] == [model["name"] for model in MODELS]
    for row, sentence in zip(found, said("tops", results), strict=True):
        clear = scored(study, row["model"], "continent").query(f"p_holm < {ALPHA}")["region"]
        assert list(row["clear"]) == [f"Continent {region}" for region in clear]
        assert (row["tops"], row["levels"]) == (6, ["continents"])
        assert all(
            (f"Continent {region}" in sentence) == (region in set(clear)) for region in results.index.tops()
        )
        named = "blank (never trained)" if row["model"] == "blank" else row["model"]
        assert sentence.startswith(
            f"For {named}, of 6 continents, {len(clear) or 'none'} {'has' if len(clear) < 2 else 'have'} "
            "countries that differ by more"
        )
        assert "(p < 0.05 after Holm's correction)" in sentence
        # permutations say nothing of the root
        assert "verall" not in sentence
    (measure,) = said("measure", results)
    assert measure.startswith("The measure is C_w (corrected), a weighted distance")
    nothing = results_of(study, scores=results.scores.assign(p_holm=1.0))
    none = "of 6 continents, none has countries that differ by more than chance"
    assert all(none in sentence for sentence in said("tops", nothing))
    bare = results_of(study, scores=results.scores.assign(score=math.nan))
    assert said("tops", bare)[0] == "m1 has no score: no region of the study has two children."
    assert not said("measure", bare)


def test_countries_are_counted_on_both_sides_of_their_bands(study: Study) -> None:
    results = results_of(study)
    for row, sentence in zip(rows("inner", results), said("inner", results), strict=True):
        countries = scored(study, row["model"], "country")
        assert row["regions"] == len(countries) and row["clear"] == (countries["p_holm"] < ALPHA).sum()
        assert row["more"] == (countries["p"] < ALPHA).sum()
        assert row["less"] == (1 + 1 / (DRAWS + 1) - countries["p"] < ALPHA).sum()
        # by chance 5 of the 101 steps of p are below .05
        assert sentence.count(f"({5 / 101 * len(countries):.1f} expected by chance)") == 2
        assert f"Of the {len(countries)} countries with a score for {row['model']}, " in sentence
        # the smallest p, corrected for that many countries
        assert len(countries) / 101 > ALPHA
        assert (row["needed"] is None) == bool(row["clear"])
        assert sentence.endswith("the cities are more alike than in 95% of permutations.")


def test_how_many_are_expected_by_chance_is_that_of_every_rank(study: Study) -> None:
    draws = 300
    share = sum(rank / (draws + 1) < ALPHA for rank in range(1, draws + 2)) / (draws + 1)
    for row in rows("inner", results_of(study, permutations=draws)):
        assert row["expected"] == pytest.approx(share * row["regions"])


def test_what_too_few_permutations_cannot_show_is_not_counted(study: Study) -> None:
    scores = results_of(study).scores.assign(p_holm=1.0)
    (count,) = {row["regions"] for row in rows("inner", results_of(study, scores=scores))}
    # the smallest p is 1 / (permutations + 1), and is multiplied by the number of countries
    enough = next(draws for draws in range(10**6) if count / (draws + 1) < ALPHA)
    for draws, needed in ((None, None), (enough, None), (enough - 1, enough)):
        results = results_of(study, scores=scores, permutations=draws)
        assert {row["needed"] for row in rows("inner", results)} == {needed}
        assert [row["needed"] for row in rows("permutations", results)] == ([enough] if needed else [])
        text = f"none can have it after Holm's correction with {draws} permutations, as that takes {enough}."
        assert all((text in each) == bool(needed) for each in said("inner", results))
        assert all(
            " 0 have it after Holm's correction" in each for each in said("inner", results) if not needed
        )
    # 1/101 of 6 regions is above .05, of 5 it is not
    (sentence,) = said("permutations", results_of(study))
    assert "With 100 permutations no p is below 0.0099: corrected for more than 5 regions" in sentence


def test_an_untrained_model_reads_as_such_and_no_other(study: Study) -> None:
    assert [row["names"] for row in rows("untrained", results_of(study))] == [["blank"]]


def test_rankings_by_the_tree_have_their_taus(study: Study) -> None:
    results = results_of(study)
    ((continents, countries),) = (row["parts"] for row in rows("tree", results))
    assert (continents["regions"], continents["level"], countries["level"]) == (6, "continents", "countries")
    taus = {
        text.split()[0]: float(text.split()[1].replace("\N{MINUS SIGN}", "-")) for text in continents["taus"]
    }
    assert list(taus) == list(PROTOCOLS) and taus[PAPER] > 0.7
    assert said("printed", results)[0].startswith("The paper's own numbers for continents")


def test_a_series_goes_from_its_first_to_its_last_step(study: Study) -> None:
    texts = []
    for model in ("m1", "m2"):
        texts.append(f"{1000 * scored(study, model, 'world')['score'].iloc[0]:.2f}")
    (sentence,) = said("series", results_of(study))
    assert sentence.startswith("toxic: over 20 epochs") and sentence.endswith(
        f"goes from {texts[0]} to {texts[1]}."
    )


def test_prefixes_have_their_least_and_their_most(study: Study) -> None:
    results = results_of(study)
    countries = results.prefixes.query("level == 'country'").dropna(subset="region")
    both = 100 * (countries["to_positive"] + countries["to_negative"])
    (sentence,) = said("prefixes", results)
    ends = f"{both.min():.2g}% (Egypt) to {both.max():.2g}% (Chile)"
    assert f"the label of {ends} of the items of reviews for c1" in sentence
    assert sentence.endswith("; a name that is no region's changes 0.3%.")
    # one region with two prefixes is both ends, and with one it is one
    egypt = countries[countries["region"] == "EGY"]
    twice = pd.concat([egypt.assign(to_positive=share, to_negative=0) for share in (0.5, 0.25)])
    for frame, ends in ((twice, "25% (Egypt) to 50% (Egypt)"), (twice[:1], "50% (Egypt)")):
        (sentence,) = said("prefixes", results_of(study, prefixes=frame))
        assert f"the label of {ends} of the items" in sentence and "no region" not in sentence
    assert not said("prefixes", results_of(study, prefixes=results.prefixes.head(0)))


def test_countries_that_change_predictions_unlike_controls_are_named(study: Study) -> None:
    (sentence,) = said("positive", results_of(study))
    countries = results_of(study).prefixes.query("level == 'country'").dropna(subset="region")
    clear = countries[countries["p_holm"] < 0.05]
    assert 0 < len(clear) < len(countries)
    verb = "changes" if len(clear) == 1 else "change"
    assert sentence.startswith(
        f"c1 on reviews: {len(clear)} of {len(countries)} countries {verb} the number of items predicted"
    )
    # the largest first
    assert ": Chile (−1.9 points), Brazil (−1.8 points)" in sentence
    (sentence,) = said("positive", results_of(study, prefixes=countries.assign(p_holm=1.0)))
    assert sentence.endswith("do (p < 0.05 after Holm's correction).")


def test_vectors_that_are_of_names_are_said_to_be(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    directions = [
        FirstDirection("m1", 30, 0.4, 0.9, 0.9),
        FirstDirection("m2", 30, 0.9, 0.4, 0.9),
        FirstDirection("m3", 30, 0.9, 0.9, 0.4),
        # three regions are alike in that by chance
        FirstDirection("m4", 3, 0.9, 1.0, 1.0),
        FirstDirection("m5", 30, 0.9, 0.9, math.nan),
        FirstDirection("m6", 250, 0.85, 0.97, 0.91),
    ]
    monkeypatch.setattr("unmask.regional.findings.first_directions", lambda vectors: directions)
    assert [row["of_names"] for row in rows("direction", results_of(study))] == [False] * 5 + [True]
    *others, last = said("direction", results_of(study))
    assert not any("Unit length" in sentence or "nan" in sentence for sentence in others)
    assert "m6 vary most holds 85% of their variance" in last and "of the 250 regions" in last
    assert "rho of 0.97 with the mean log-probability of their sentences, and of 0.91 with" in last
    assert "(unrelated rankings: up to 0.12 in 95% of cases)" in last
