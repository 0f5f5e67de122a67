"""Scores of regional bias against loops over pairs, from the paper's equations and the released code."""

import itertools
import math
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from library import (
    HIERARCHICAL,
    LEVELS,
    LIKELIHOODS,
    REGIONS,
    WORDS,
    InputError,
    Rows,
    Tree,
    as_table,
    cluster_sparseness,
    read_table,
    released_sparseness,
    score_table,
    write_table,
)
from library import REGIONAL_PROTOCOLS as PROTOCOLS
from library import REGIONAL_SCORES as SCORES
from library import RegionalFloats as Floats
from recompute import Herb
from running import run_script

NAN = float("nan")


def world(*continents: list[int]) -> pd.DataFrame:
    """A world of continents, each the numbers of cities of its countries: level by level, as REGIONS."""
    rows: list[tuple[str, str | None, str]] = [("w", None, "world")]
    for c, countries in enumerate(continents):
        rows.append((f"c{c}", "w", "continent"))
        rows += [(f"c{c}k{k}", f"c{c}", "country") for k in range(len(countries))]
        rows += [(f"c{c}k{k}t{t}", f"c{c}k{k}", "city") for k, n in enumerate(countries) for t in range(n)]
    frame = pd.DataFrame(
        sorted(rows, key=lambda row: LEVELS.index(row[-1])), columns=["region", "parent", "level"]
    )
    return frame.assign(name="in " + frame["region"])


def drawn(regions: pd.DataFrame, words: int, seed: int) -> Rows:
    """Likelihoods about -4, with names about -5; the root has none."""
    generator = np.random.default_rng(seed)
    f, names = generator.normal(-4, 0.7, (len(regions), words)), generator.normal(-5, 1, len(regions))
    f[0], names[0] = NAN, NAN
    return Rows(f, names)


ODD = world([3, 0, 1, 2], [1, 4], [5], [], [0, 0, 2])
"""Countries without a city and with one, continents without a country and with one."""


def literal(regions: pd.DataFrame, rows: Rows, paper: bool = False) -> dict[str, Floats]:
    """The equations of the paper by loops: of every region its score by a measure, or C of a leaf."""
    f, alone = (dict(zip(regions["region"], values, strict=True)) for values in rows)
    herb = Herb(regions, f, alone, paper)
    leaves = {("C_w", leaf): herb.c[leaf] for leaf in herb.leaves}
    known = herb.scores | leaves
    return {
        measure: np.array([known.get((measure, region), NAN) for region in regions["region"]])
        for measure in ("C_w", "C_z", "cluster_sparseness")
    }


def as_released(regions: pd.DataFrame, rows: Rows, by_name: bool) -> dict[int, float]:
    """What the released scripts print and keep, their loops in other words; C of cities too."""
    f, names = rows
    below = [regions.index[regions["parent"] == region].tolist() for region in regions["region"]]
    found: dict[int, float] = {}

    def length_one(x: Floats) -> Floats:
        return np.array([row / np.linalg.norm(row) for row in x]).reshape(x.shape)

    def last_gap(x: Floats) -> Floats:
        gap = np.zeros(x.shape[1])
        for line in range(len(x) - 1):
            # not added to what earlier lines gave
            gap = sum((x[line] - x[later]) ** 2 for later in range(line + 1, len(x)))
        return gap * 2 / (len(x) * (len(x) - 1))

    def softened(x: Floats) -> Floats:
        shares: Floats = np.exp(x) / np.exp(x).sum()
        return shares

    def spread(x: Floats, of: list[float]) -> float:
        pairs = list(itertools.combinations(range(len(x)), 2))
        total = sum(math.exp(of[i] + of[j]) for i, j in pairs)
        return (
            sum(math.exp(of[i] + of[j]) / total * float(np.linalg.norm(x[i] - x[j])) for i, j in pairs)
            * 2
            / (len(x) * (len(x) - 1))
        )

    def weights(own: list[int], of: list[float]) -> list[float]:
        return [0.0] * (len(own) - 1) + [float(names[own[-1]])] if by_name else of

    upper, upper_c = [], []
    for continent in below[0]:
        large, large_c = [], []
        for country in below[continent]:
            cities = below[country]
            v = f[country] / np.linalg.norm(f[country])
            x = length_one(f[cities])
            c = [0.0] * len(cities)
            if len(cities) < 2:
                large.append(v + x[0] if cities else v)
                large_c.append(0.0)
            else:
                mean = x.sum(axis=0) / len(x)
                for city in range(len(cities) - 1):
                    c[city] = float(np.linalg.norm(x[city] - mean))
                large.append(softened(last_gap(x)) * mean + v)
                large_c.append(spread(x, weights(cities, c)))
            found |= dict(zip(cities, c, strict=True)) | {country: large_c[-1]}
        countries = below[continent]
        if len(countries) > 1:
            x = length_one(np.array(large))
            upper.append(softened(last_gap(np.array(large))) * x.sum(axis=0) / len(x) + f[continent])
            upper_c.append(spread(x, weights(countries, large_c)))
            found[continent] = upper_c[-1]
        else:
            # ours: there the code divides by zero
            only = large[0] / np.linalg.norm(large[0]) / len(large[0]) if large else 0
            upper.append(f[continent] + only)
            upper_c.append(0.0)
            found[continent] = NAN
    found[0] = spread(length_one(np.array(upper)), weights(below[0], upper_c))
    return found


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def all_scores(regions: pd.DataFrame, rows: Rows) -> dict[tuple[str, str], Floats]:
    """By protocol and measure."""
    tree = Tree(regions)
    scores = {
        (protocol, measure): values
        for protocol in PROTOCOLS
        for measure, values in zip(("C_w", "C_z"), HIERARCHICAL[protocol](tree, *rows).T, strict=True)
    }
    sparseness = {"paper": cluster_sparseness(tree, rows.f), "published": released_sparseness(tree, rows.f)}
    return scores | {(protocol, "cluster_sparseness"): values for protocol, values in sparseness.items()}


shapes = st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=4)


@given(shapes, st.integers(0, 1000), st.integers(1, 6))
def test_the_equations(shape: list[list[int]], seed: int, words: int) -> None:
    regions = world(*shape)
    tree, rows = Tree(regions), drawn(regions, words, seed)
    for protocol in ("paper", "corrected"):
        expected = literal(regions, rows, protocol == "paper")
        close(HIERARCHICAL[protocol](tree, *rows), np.stack([expected["C_w"], expected["C_z"]], axis=1))
    inner = np.flatnonzero(~tree.leaf)
    with patch("unmask.regional.herb.BLOCK", 1 + seed % 7):
        close(cluster_sparseness(tree, rows.f)[inner], expected["cluster_sparseness"][inner])


@given(shapes.filter(lambda shape: sum(map(len, shape)) > 0 and len(shape) > 1), st.integers(0, 1000))
def test_the_released_code(shape: list[list[int]], seed: int) -> None:
    regions = world(*shape)
    rows = drawn(regions, 5, seed)
    scores = all_scores(regions, rows)
    for measure, by_name in (("C_w", False), ("C_z", True)):
        expected = as_released(regions, rows, by_name)
        # cities have their C in C_w alone
        some = [r for r in expected if measure == "C_w" or regions["level"][r] != "city"]
        close(scores["published", measure][some], [expected[region] for region in some])
    # a country with one city has the city's vector, and none has a score
    tree, f = Tree(regions), rows.f.copy()
    for country in np.flatnonzero((regions["level"] == "country") & (tree.counts == 1)):
        f[country] = f[regions.index[regions["parent"] == regions["region"][country]]]
    above = range(1 + len(shape))
    sparseness = scores["published", "cluster_sparseness"]
    close(sparseness[above], literal(regions, Rows(f, rows.names))["cluster_sparseness"][above])
    assert np.isnan(sparseness[regions["level"] == "country"]).all()


def test_a_tree_of_other_levels() -> None:
    rows = [
        ("a", None, "top"),
        ("b", "a", "shire"),
        ("c", "a", "town"),
        ("d", "b", "town"),
        ("e", "b", "town"),
    ]
    regions = pd.DataFrame(rows, columns=["region", "parent", "level"])
    likelihoods = drawn(regions, 3, 0)
    scores = HIERARCHICAL["corrected"](Tree(regions), *likelihoods)[:, 0]
    # a town beside a shire is a leaf, and its distance to the mean of both counts
    close(scores, literal(regions, likelihoods)["C_w"])
    with pytest.raises(InputError, match=r"published needs the levels world.* 'a' of the regions is a top"):
        HIERARCHICAL["published"](Tree(regions), *likelihoods)
    short = ODD.assign(parent=ODD["parent"].where(ODD["level"] != "city", "c0"))
    with pytest.raises(InputError, match="'c0k0t0' of the regions is a city in continent"):
        Tree(short).check_levels()


def test_weights_far_apart_do_not_cancel() -> None:
    regions = world([3])
    rows = drawn(regions, 4, 0)
    names = rows.names.copy()
    names[3:] = [0, -100, -103]
    v = rows.f[3:] / np.linalg.norm(rows.f[3:], axis=1, keepdims=True)
    first, second, third = (np.linalg.norm(v[i] - v[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    shares = 1, math.exp(-3), math.exp(-103)
    expected = (first + second * shares[1] + third * shares[2]) / sum(shares)
    close(HIERARCHICAL["corrected"](Tree(regions), rows.f, names)[2, 1], expected)
    # nor does rounding part regions that are alike
    rows.f[3:] = rows.f[3]
    close(HIERARCHICAL["corrected"](Tree(regions), *rows)[2], 0)


def test_the_table() -> None:
    tree, whole, part = Tree(ODD), drawn(ODD, 10, 0), drawn(ODD, 10, 1)
    some = Rows(whole.f[:, 3:], whole.names)
    sets = {
        "full": {"published": part, "paper": whole, "corrected": whole},
        "without-x": dict.fromkeys(PROTOCOLS, some),
    }
    table = score_table(tree, sets, {"full"}, draws=19, seed=4, confidence=0.9)
    as_table(table, SCORES)
    # every score has its row, and equation 3, which has nothing to correct, one
    assert set(table.query("measure == 'cluster_sparseness'")["protocol"]) == {"paper", "published"}
    for keys, rows in table.groupby(["words", "protocol", "measure"]):
        words, protocol, measure = map(str, keys)
        of = some if words != "full" else part if protocol == "published" else whole
        regions = ODD.index[(words == "full" and measure == "C_w") | (ODD["level"] != "city")]
        assert rows["region"].tolist() == ODD["region"][regions].tolist()
        close(rows["score"], all_scores(ODD, of)[protocol, measure][regions])
        assert rows["children"].tolist() == tree.counts[regions].tolist()
    # whole lists alone are tested
    columns = ["permuted_low", "permuted_high", "p", "p_holm"]
    tested = (table["words"] == "full") & (table["children"] > 1) & (table["level"] != "world")
    tested &= table["measure"] != "cluster_sparseness"
    for column in columns:
        assert (table[column].notna() == tested).all()
    # each region with its level's, a draw at a time
    permuted = []
    for draw in range(19):
        order, generator = np.arange(len(ODD)), np.random.default_rng([4, 1, draw])
        for level in ODD[1:].groupby("level", sort=False).groups.values():
            order[level] = generator.permutation(level)
        permuted.append(literal(ODD, Rows(whole.f[order], whole.names[order]))["C_w"])
    of_c_w = table[tested].query("protocol == 'corrected' and measure == 'C_w'").set_index("region")
    for region, row in of_c_w.iterrows():
        (scores,) = np.array(permuted).T[ODD["region"] == region]
        close(row["p"], (1 + (scores >= row["score"] * (1 - 1e-9)).sum()) / 20)
        close(row[["permuted_low", "permuted_high"]].astype(float), np.quantile(scores, [0.05, 0.95]))
    for _, family in of_c_w.groupby("level"):
        # Holm's smallest p is Bonferroni's
        close(family["p_holm"].min(), min(1, len(family) * family["p"].min()))
    # what permutations leave as it is but for rounding they give as well
    alone = world([0] * 5, [])
    sets = {"full": {"corrected": drawn(alone, 10, 0)}}
    of_alone = score_table(Tree(alone), sets, {"full"}, draws=9, seed=0, confidence=0.9)
    assert set(of_alone["p"].dropna()) == {1.0}


def test_the_script_reads_what_each_protocol_and_list_is_of(tmp_path: Path) -> None:
    regions, lists = world([3, 2], [2, 4, 1]), {"original": ["kind", "sad", "bold"], "mine": ["glad", "kind"]}
    about = [(list_, "x", word, word) for list_, words in lists.items() for word in words]
    write_table(tmp_path / "regions.parquet", regions.assign(country_code=None, population=None), REGIONS, {})
    write_table(tmp_path / "words.parquet", pd.DataFrame(about, columns=WORDS.names), WORDS, {})
    inputs: dict[str, Any] = {name: tmp_path / f"{name}.parquet" for name in ("regions", "words")}
    drawn_rows = {}
    for seed, (name, list_) in enumerate(itertools.product(("likelihoods", "released"), lists)):
        rows = drawn_rows[name, list_] = drawn(regions, len(lists[list_]), seed)
        if list_ == "mine":
            # names alone are in every list
            rows.names[:] = drawn_rows[name, "original"].names
        keys = [(region, word) for word in (None, *lists[list_]) for region in regions["name"]]
        log_probs = np.nan_to_num(np.concatenate([rows.names, rows.f.T.ravel()]))
        frame = pd.DataFrame(keys, columns=["name", "word"]).assign(tokens=5, unknown=0, log_prob=log_probs)
        path = tmp_path / f"{name}-{list_}.parquet"
        write_table(path, frame, LIKELIHOODS, {})
        inputs.setdefault(name, []).append(path)
    params: dict[str, Any] = {"draws": 5, "seed": 0, "confidence": 0.95, "model": "m", "protocols": PROTOCOLS}
    run_script("score_hierarchy", inputs, [tmp_path / "scores"], tmp_path / "log", **params)
    table = read_table(tmp_path / "scores", SCORES).query("level != 'city'")
    scores = table.set_index(["words", "protocol", "measure"])["score"]
    for list_, words in {"original": "full", "mine": "mine"}.items():
        for protocol, measure in itertools.product(PROTOCOLS, ("C_w", "C_z")):
            of = drawn_rows["released" if protocol == "published" else "likelihoods", list_]
            expected = all_scores(regions, of)[protocol, measure][regions["level"] != "city"]
            np.testing.assert_allclose(scores[words, protocol, measure], expected, rtol=1e-5)
    more = [*about, ("mine", "x", "late", "late")]
    write_table(tmp_path / "words.parquet", pd.DataFrame(more, columns=WORDS.names), WORDS, {})
    with pytest.raises(SystemExit):
        run_script("score_hierarchy", inputs, [tmp_path / "scores"], tmp_path / "log", **params)
    lacking = "no likelihood of a sentence with the region 'in c0' with the word 'late'"
    assert lacking in (tmp_path / "log").read_text()
