"""The sections on data quality and disagreement: what they say is so, pictures have the tables' numbers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from library import (
    DECIDED_DIFFERENTLY,
    FLAWS,
    FURTHEST_APART,
    HOW_COMPUTED,
    MEASURES_DIFFER,
    PAIRS,
    SCHEMAS,
    Chart,
    Fold,
    PairResults,
    Section,
    Sharing,
    Table,
    decisions,
    flags,
    flaws_table,
    measures_compared,
    quality_table,
    read_metadata,
    read_table,
    rows_of,
    sentences,
    title_of,
    write_table,
)
from library import PAIRS_QUALITY_CLEAR as CLEAR
from library import disagreement as of_disagreement
from library import quality as of_quality
from page_words import check_first_sentence
from synthetic import with_tables

ROOT = Path(__file__).parents[2]
HOSTILE = "1/2 ?#%é</script><b>"
MODELS, BENCHMARK = ("one", HOSTILE), "b/1"
FLAWED, N = 90, 500


def shifted(scores: pd.DataFrame, measure: str, pairs: range) -> pd.DataFrame:
    """Scores of which a measure always prefers the stereotype in some pairs."""
    rows = (scores["measure"] == measure) & scores["pair_id"].isin([f"p{n}" for n in pairs])
    return scores.assign(
        margin=scores["margin"].mask(rows, 1.0),
        **{name: scores[name].mask(rows, "stereotype") for name in ("outcome", "lowest", "highest")},
    )


def make(folder: Path, flawed: int, shift: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Files and settings of a study: some pairs have few votes, and AUL of the first model shifts by them."""
    made = synthetic.make(N, seed=1)
    pairs = made.pairs.assign(
        ratings=pd.Series(
            [[None if n < flawed else own] * 5 for n, own in enumerate(made.pairs["bias_type"])]
        )
    )
    pairs.loc[7, "stereotype"] = HOSTILE
    flaws = flaws_table(pairs)
    files: dict[str, Any] = {name: [] for name in SCHEMAS if name != "roc"}
    sharing = Sharing.of([()] * N)
    for place, model in enumerate(MODELS):
        scores = synthetic.make_scores(pairs, np.random.default_rng(place))
        scores = shifted(scores, "AUL", range(flawed)) if shift and place == 0 else scores
        found = decisions(pairs, scores)
        tables = {
            "measures_compared": measures_compared(found, sharing, 0.95),
            "quality": quality_table(found, flags(flaws), sharing, 0.95),
        }
        for name, rows in tables.items():
            files[name].append(folder / f"{place}-{name}.parquet")
            write_table(files[name][-1], rows, SCHEMAS[name], {"model": model, "benchmark": BENCHMARK})
    for name, rows, schema in (("pairs", pairs, PAIRS), ("flaws", flaws, FLAWS)):
        files[name] = [folder / f"{name}.parquet"]
        write_table(files[name][0], rows, schema, {"benchmark": BENCHMARK})
    files |= {"models_compared": [], "explored": []}
    for name in ("published.csv", "captions.yaml"):
        files[Path(name).stem] = ROOT / "resources/pairs" / name
    settings = {
        "models": [{"name": name} for name in MODELS],
        "benchmarks": [{"name": BENCHMARK}],
        "alpha": 0.01,
        "explorer": {"models": ["one"], "benchmarks": [BENCHMARK], "most": N, "megabytes": 10},
    }
    return files, settings


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    return make(tmp_path_factory.mktemp("planted"), FLAWED, True)


def quality(files: dict[str, Any], settings: dict[str, Any]) -> Section:
    return of_quality.section(PairResults(files, settings))


def disagreement(files: dict[str, Any], settings: dict[str, Any]) -> Section:
    return of_disagreement.section(PairResults(files, settings))


def blocks(section: Section, kind: type) -> Iterator[Any]:
    return (block for block in section.every_block() if isinstance(block, kind))


def test_the_planted_flaw_is_named_and_no_other(study: tuple[dict[str, Any], dict[str, Any]]) -> None:
    found = quality(*study)
    check_first_sentence(found)
    changed, flawed, random = found.sentences
    assert f"{FLAWED} of {N} of {BENCHMARK} (most often few votes: {FLAWED})" in flawed
    rows = read_table(study[0]["quality"][0], SCHEMAS["quality"])
    own = rows[(rows["measure"] == "AUL") & (rows["protocol"] == "corrected")].set_index("flaw")
    change = f"{own['score']['few_votes']:.1f} to {own['without']['few_votes']:.1f}"
    assert (
        f"AUL of one on {BENCHMARK}, from {change} (left out: few votes)" in changed
        and "correction (p < 0.01), 2 are clear:" in changed
    )
    # the other is that of any flaw
    assert changed.count("AUL") == 2 and not any(title_of(m) in changed for m in ("CPS", "SSS", "PLL"))
    assert "random pairs" in random
    (all_,) = [block for block in found.blocks if isinstance(block, Chart)]
    claims = {(row["panel"], row["measure"]): row["claim"] for row in all_.rows}
    holds = {key for key, claim in claims.items() if claim == CLEAR}
    assert holds == {(f"one\n{BENCHMARK}", "AUL")}


def test_without_a_shift_nothing_holds_and_without_flaws_it_says_so(tmp_path: Path) -> None:
    found = quality(*make(tmp_path, FLAWED, False))
    check_first_sentence(found)
    assert found.sentences[0].startswith("Leaving out flawed pairs gives ")
    assert "After Holm's correction (p < 0.01), none is clear." in found.sentences[0]
    assert len(found.sentences) == 2
    files, settings = make(tmp_path, FLAWED, False)
    for path in files["quality"]:
        rows, facts = read_table(path, SCHEMAS["quality"]), dict(read_metadata(path))
        write_table(path, rows.assign(low=-1.0, high=1.0), SCHEMAS["quality"], facts)
    (unchanged, _) = quality(files, settings).sentences
    assert unchanged.startswith("Leaving out flawed pairs changes no score clearly: of ")
    assert "none has an interval that excludes 0." in unchanged
    files, settings = make(tmp_path, 0, False)
    table = read_table(files["flaws"][0], FLAWS).assign(many_words=False, unequal_words=False)
    write_table(files["flaws"][0], table, FLAWS, {"benchmark": BENCHMARK})
    for path in files["quality"]:
        rows, facts = read_table(path, SCHEMAS["quality"]), {"model": path.name, "benchmark": BENCHMARK}
        write_table(path, rows.iloc[:0], SCHEMAS["quality"], facts)
    found = quality(files, settings)
    assert found.sentences == ("No pair has any of the flaws that a benchmark itself could show.",)
    assert not list(blocks(found, Chart)) and [fold.title for fold in blocks(found, Fold)] == [
        "How many pairs have each flaw",
        HOW_COMPUTED,
    ]


def test_pictures_and_tables_have_the_numbers_of_the_statistics(
    study: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    found = quality(*study)
    counts, numbers = (block.sheet for block in blocks(found, Table))
    cells = dict(zip([label for _, label in counts.columns], counts.rows[0][1:], strict=True))
    assert (cells["few votes"], cells["not rated"], cells["any flaw"]) == ("90", "0", "90")
    charts = {block.caption.split(".")[0]: block for block in blocks(found, Chart)}
    for place, model in enumerate(MODELS):
        rows = read_table(study[0]["quality"][place], SCHEMAS["quality"])
        rows = rows[rows["protocol"] == "corrected"]
        panels = charts[f"{model} on {BENCHMARK}"].rows
        drawn = {(row["panel"].split(" (")[0], row["measure"]): row for row in panels}
        assert len(drawn) == len(rows)
        for row in rows_of(rows[rows["flaw"] == "few_votes"]):
            own = drawn["few votes", title_of(row.measure)]
            assert (own["change"], own["low"], own["high"]) == (row.change, row.low, row.high)
            (cell,) = [each for each in numbers.rows if each[0] == model and each[2] == title_of(row.measure)]
            place_of = [label for _, label in numbers.columns].index("few votes")
            assert cell[3 + place_of].startswith(
                f"{row.without:.2f} ({row.change:+.2f}".replace("-", "\N{MINUS SIGN}")
            )


def test_disagreement_stands_beside_chance(study: tuple[dict[str, Any], dict[str, Any]]) -> None:
    files, settings = study
    found = disagreement(files, settings)
    (chart,) = blocks(found, Chart)
    tables = [read_table(path, SCHEMAS["measures_compared"]) for path in files["measures_compared"]]
    rows = {(row["model"], row["first"], row["second"]): row for row in chart.rows}
    assert len(rows) == sum((table["protocol"] == "corrected").sum() for table in tables)
    told: list[tuple[Any, ...]] = []
    for model, table in zip(MODELS, tables, strict=True):
        for row in rows_of(table[table["protocol"] == "corrected"]):
            own = rows[model, title_of(row.first), title_of(row.second)]
            assert own["different"] == pytest.approx(100 * (row.b + row.c) / row.n)
            # each pair of the one with each pair of the other
            first = [1] * (row.both + row.b) + [0] * (row.c + row.neither)
            second = [1] * (row.both + row.c) + [0] * (row.b + row.neither)
            chance = np.mean(np.not_equal.outer(first, second))
            assert own["by_chance"] == pytest.approx(100 * chance)
            if not {row.first, row.second} & {"AllMasked", "AllMaskedSum"}:
                told.append((own["different"], own["by_chance"], model))
    furthest = max(told, key=lambda each: each[0])
    check_first_sentence(found)
    range_of_all, sentence = found.sentences
    # both numbers are of one couple
    assert f"decide {furthest[0]:.0f} of 100 pairs of {BENCHMARK} differently" in sentence
    assert f"independent decisions would differ in {furthest[1]:.0f}." in sentence
    assert f"of {furthest[2]} differ most" in sentence
    least, most = min(told)[0], max(told)[0]
    assert f"decide {least:.0f} to {most:.0f} of 100 pairs differently" in range_of_all
    assert range_of_all.endswith("Controls are not counted.")


def test_two_readings_of_one_measure_are_no_couple(study: tuple[dict[str, Any], dict[str, Any]]) -> None:
    files, settings = study
    results = PairResults(files, settings)
    readings = results.measures_compared.query("first == 'AllMasked' and second == 'AllMaskedSum'")
    assert len(readings) == 2 * len(MODELS)
    # were they counted, they would be the furthest apart
    apart = results.measures_compared.assign(agreement=results.measures_compared["agreement"].clip(lower=1))
    apart.loc[readings.index, "agreement"] = 0.0
    findings = [FURTHEST_APART, MEASURES_DIFFER, DECIDED_DIFFERENTLY]
    said = sentences(findings, with_tables(results, measures_compared=apart))
    assert said and said == sentences(findings, results)
    assert not sentences(
        [DECIDED_DIFFERENTLY, FURTHEST_APART], with_tables(results, measures_compared=readings)
    )


def test_untrained_models_are_not_told_of_beside_a_trained_one(
    study: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    files, settings = study
    trained, *others = MODELS
    sources = [{"name": trained, "source": "hub"}, *({"name": name, "source": "random"} for name in others)]
    of_one = {"models": sources[:1]}
    sentences = disagreement(files, settings | {"models": sources}).sentences
    assert "trained model" in sentences[0] and trained in sentences[1]
    # that they are trained goes without saying where there are no others
    alone = disagreement(files, settings | of_one).sentences
    assert tuple(text.replace("trained model", "model") for text in sentences) == alone
    assert sentences != disagreement(files, settings).sentences
