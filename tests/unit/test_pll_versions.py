"""How many decisions change between the versions of PLL: counted slowly, and as shown."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthetic
from study_schema import options_with
from unmask.pairs.pll_versions import CHANGED, sheet
from unmask.pairs.results import PairResults
from unmask.report.captions import load_captions
from unmask.statistics.decisions import decisions
from unmask.statistics.names import PLL_VERSIONS as VERSIONS
from unmask.statistics.pll_versions import pll_versions_table
from unmask.statistics.schema import PLL_VERSIONS
from unmask.tables import read_table, write_table
from unmask.terms import ANTISTEREOTYPE, CORRECTED, PROTOCOLS, STEREOTYPE, UNDEFINED

MODELS = [{"name": "one", "source": "hub"}, {"name": "two", "source": "hub"}]
BENCHMARKS = [{"name": "pairs"}]


def table_of(made: synthetic.Synthetic) -> pd.DataFrame:
    return synthetic.statistics_of(made, options_with(draws=100))["pll_versions"]


def slowly(made: synthetic.Synthetic, first: str, second: str, protocol: str) -> dict[str, list[int]]:
    """By kind of pairs: how many, how many change, and how often either prefers the longer side."""
    rows = made.evidence["whole-word"]
    counts = {"equal": [0, 0, 0, 0], "unequal": [0, 0, 0, 0]}
    for pair_id in made.pairs["pair_id"]:
        of_pair = rows[rows["pair_id"] == pair_id]
        length = {side: int((of_pair["role"] == side).sum()) for side in (STEREOTYPE, ANTISTEREOTYPE)}
        scores = made.scores[(made.scores["pair_id"] == pair_id) & (made.scores["protocol"] == protocol)]
        one, other = (scores.loc[scores["measure"] == name, "outcome"].item() for name in (first, second))
        if UNDEFINED in (one, other):
            continue
        of_kind = counts["equal" if length[STEREOTYPE] == length[ANTISTEREOTYPE] else "unequal"]
        longer = STEREOTYPE if length[STEREOTYPE] > length[ANTISTEREOTYPE] else ANTISTEREOTYPE
        for place, adds in enumerate((True, one != other, one == longer, other == longer)):
            of_kind[place] += adds
    return counts


@pytest.mark.parametrize("seed", [0, 1])
def test_every_two_versions_are_counted_as_slowly(seed: int, tmp_path: Path) -> None:
    made = synthetic.make(80, seed=seed)
    write_table(tmp_path / "table.parquet", table_of(made), PLL_VERSIONS, {})
    found = read_table(tmp_path / "table.parquet", PLL_VERSIONS)
    assert len(found) == 3 * 2 * 2
    for first, second in combinations(VERSIONS, 2):
        for protocol in PROTOCOLS:
            for tokens, expected in slowly(made, first, second, protocol).items():
                of_two = (found["first"] == first) & (found["second"] == second)
                (row,) = found[
                    of_two & (found["protocol"] == protocol) & (found["tokens"] == tokens)
                ].to_dict("records")
                assert [row["n"], row["changed"]] == expected[:2] and row["n"] > 10
                of_longer = [row["first_longer"], row["second_longer"]]
                if tokens == "unequal":
                    assert of_longer == expected[2:]
                else:
                    assert np.isnan(of_longer).all()


def test_without_two_versions_or_without_tokens_there_are_no_rows() -> None:
    made = synthetic.make(20)
    whole = decisions(made.pairs, made.scores)
    single = decisions(made.pairs, made.scores[made.scores["measure"].isin(["PLL", "AUL"])])
    assert pll_versions_table(single, np.zeros(20, dtype=np.int64)).empty
    assert pll_versions_table(whole, None).empty


def results_of(*tables: pd.DataFrame) -> PairResults:
    rows = [
        table.assign(model=model["name"], benchmark="pairs")
        for model, table in zip(MODELS, tables, strict=True)
    ]
    results = synthetic.pair_results(MODELS, BENCHMARKS)
    captions = load_captions(synthetic.RESOURCES / "captions.yaml", confidence="95")
    return synthetic.with_tables(results, pll_versions=pd.concat(rows), captions=captions)


def row(tokens: str, n: int, changed: int, longer: tuple[int | None, int | None]) -> dict[str, object]:
    return {
        "first": "PLL",
        "second": "PLLWordL2R",
        "protocol": CORRECTED,
        "tokens": tokens,
        "n": n,
        "changed": changed,
        "first_longer": longer[0],
        "second_longer": longer[1],
    }


def test_table_and_sentence_say_what_changes() -> None:
    one = pd.DataFrame([row("equal", 30, 3, (None, None)), row("unequal", 10, 4, (8, 5))])
    two = pd.DataFrame([row("equal", 30, 0, (None, None)), row("unequal", 10, 2, (9, 6))])
    results = results_of(one, two)
    shown = sheet(results)
    assert [list(cells) for cells in shown.rows] == [
        ["one", "pairs", "PLL", "PLL-word-l2r", "equal", "30", "3", "10.0", "–", "–"],
        ["one", "pairs", "PLL", "PLL-word-l2r", "unequal", "10", "4", "40.0", "80.0", "50.0"],
        ["two", "pairs", "PLL", "PLL-word-l2r", "equal", "30", "0", "0.0", "–", "–"],
        ["two", "pairs", "PLL", "PLL-word-l2r", "unequal", "10", "2", "20.0", "90.0", "60.0"],
    ]
    (sentence,) = CHANGED.sentences(results)
    assert sentence == (
        "PLL and PLL-word-l2r decide 6 of 20 pairs with unequal numbers of tokens and 3 of 60 pairs with "
        "equal numbers of tokens differently."
    )
    alone = results_of(one.iloc[:1], two.iloc[:1])
    (sentence,) = CHANGED.sentences(alone)
    assert sentence == "PLL and PLL-word-l2r decide 3 of 60 pairs with equal numbers of tokens differently."
