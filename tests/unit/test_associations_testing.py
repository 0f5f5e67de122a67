"""The table of all tests of a suite: its rows, its draws, and what is said of what is left out."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from literal_associations import cosine, holm, mean, size, suite, words
from unmask.associations.permutations import drawn_partitions, partitions
from unmask.associations.schema import ASSOCIATIONS
from unmask.associations.sets import singly, unit_means, unit_sums, units_by
from unmask.associations.testing import NO_D, Options, Outcome, association_tests
from unmask.tables import as_table

FEW = Options(permutations=500, bootstrap=100)


def sets(*sizes: int) -> dict[str, list[str]]:
    return {name: [f"{name.lower()}{i}" for i in range(n)] for name, n in zip("XYAB", sizes, strict=True)}


STIMULI = suite(
    *words("small", **sets(8, 8, 3, 3)),
    *words("odd", **sets(5, 4, 2, 3)),
    *words("large", **sets(24, 24, 4, 4)),
)


def embedded(stimuli: pd.DataFrame, seed: int = 0) -> dict[str, np.ndarray]:
    """By the text alone, so that the order of stimuli does not matter."""
    texts = sorted(set(stimuli["text"]))
    vectors = np.random.default_rng(seed).normal(size=(2, len(texts), 6)).astype(np.float32)
    rows = np.empty((2, stimuli["stimulus"].max() + 1, 6), dtype=np.float32)
    for text, stimulus in zip(stimuli["text"], stimuli["stimulus"], strict=True):
        rows[:, stimulus] = vectors[:, texts.index(text)]
    return {"cls": rows[0], "mean": rows[1]}


def outcome(stimuli: pd.DataFrame = STIMULI, options: Options = FEW) -> Outcome:
    return association_tests(stimuli, embedded(stimuli), options)


def test_a_row_for_each_test_pooling_level_and_protocol() -> None:
    all_tests = outcome()
    keys = ["test", "experiment", "pooling", "level", "protocol"]
    assert len(all_tests.rows) == 3 * 2 * 3 and not all_tests.rows.duplicated(keys).any()
    assert all_tests.rows["test"].unique().tolist() == ["small", "odd", "large"]
    table = as_table(all_tests.rows, ASSOCIATIONS)
    assert table.num_rows == 18
    assert all_tests.remarks == [] and all_tests.means == []
    exact = all_tests.rows.set_index(keys)["partitions"].to_dict()
    assert exact["small", "weat", "cls", "item", "published"] == 12870
    assert exact["large", "weat", "cls", "item", "published"] == 99_999
    assert exact["large", "weat", "cls", "item", "corrected"] == 500
    assert exact["odd", "weat", "mean", "word", "corrected"] == 126


def test_p_is_corrected_within_pooling_level_and_protocol() -> None:
    rows = outcome().rows
    for _, family in rows.groupby(["pooling", "level", "protocol"]):
        with_p = family[family["p_two"].notna()]
        assert with_p["p_holm"].tolist() == pytest.approx(holm(with_p["p_two"].tolist()))
    assert rows["p_holm"].isna().equals(rows["p_two"].isna())


def shuffled(stimuli: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The same tests in another order of texts, with other numbers."""
    mixed = pd.concat(
        [of_test.sample(frac=1, random_state=seed) for _, of_test in stimuli.groupby("test", sort=False)]
    )
    numbers: dict[int, int] = {}
    return mixed.assign(stimulus=[numbers.setdefault(n, len(numbers)) for n in mixed["stimulus"]])


def test_the_order_of_a_file_changes_nothing() -> None:
    mixed = shuffled(STIMULI, 3)
    assert mixed["text"].tolist() != STIMULI["text"].tolist()
    pd.testing.assert_frame_equal(outcome(mixed).rows, outcome().rows)


def test_other_tests_and_poolings_change_nothing() -> None:
    alone = STIMULI[STIMULI["test"].eq("large")]
    vectors = embedded(STIMULI)
    rows = association_tests(alone, {"mean": vectors["mean"]}, FEW).rows
    all_rows = association_tests(STIMULI, vectors, FEW).rows
    same = all_rows[all_rows["test"].eq("large") & all_rows["pooling"].eq("mean")].reset_index(drop=True)
    rows, same = (frame.drop(columns="p_holm") for frame in (rows, same))
    # where nothing is null, numbers of partitions are whole
    pd.testing.assert_frame_equal(rows, same, check_dtype=False)


def test_seeds_are_of_the_test() -> None:
    twice = pd.concat([STIMULI, STIMULI[STIMULI["test"].eq("large")].assign(test="again")])
    rows = outcome(twice).rows.query("protocol == 'corrected' and level == 'item' and pooling == 'cls'")
    p = rows.set_index("test")["p_two"]
    assert p["again"] != p["large"] and p["again"] == pytest.approx(p["large"], abs=0.15)
    other = outcome(twice, FEW._replace(seed=1)).rows
    assert other.loc[rows.index, "p_two"].tolist() != rows["p_two"].tolist()


def test_a_text_that_stands_twice_counts_once() -> None:
    twice = pd.concat([STIMULI, STIMULI.iloc[:3]])
    pd.testing.assert_frame_equal(outcome(twice).rows, outcome().rows)


def test_texts_without_a_direction_are_left_out() -> None:
    vectors = embedded(STIMULI)
    large = STIMULI[STIMULI["test"].eq("large")]
    zero, nan = (int(large.loc[large["text"].eq(text), "stimulus"].iloc[0]) for text in ("b3", "a3"))
    vectors["cls"][zero] = 0
    vectors["cls"][nan] = np.nan
    result = association_tests(STIMULI, vectors, FEW, {nan: "the word is not in the text"})
    assert result.remarks == ["large (cls): 'a3' of A and 1 more left out: the word is not in the text"]
    rows = result.rows[result.rows["test"].eq("large")].set_index(["pooling", "level", "protocol"])
    assert rows["b"].tolist() == rows["a"].tolist() == [3, 3, 3, 4, 4, 4]
    less = STIMULI[~STIMULI["stimulus"].isin([zero, nan])]
    expected = association_tests(less, vectors, FEW).rows
    expected = expected[expected["test"].eq("large") & expected["pooling"].eq("cls")]
    assert rows.loc[["cls"], "p"].tolist() == expected["p"].tolist()


def test_a_set_without_texts_is_said() -> None:
    result = outcome(STIMULI[~(STIMULI["test"].eq("odd") & STIMULI["set"].eq("Y"))])
    assert result.remarks == ["odd (cls, mean): no text of Y: not tested"]
    assert set(result.rows["test"]) == {"small", "large"}
    empty = association_tests(STIMULI.iloc[:5], embedded(STIMULI), FEW)
    assert as_table(empty.rows, ASSOCIATIONS).num_rows == 0


def test_targets_without_a_word_have_no_row_by_word() -> None:
    stimuli = STIMULI.assign(word=STIMULI["word"].where(STIMULI["text"].ne("x4")))
    result = outcome(stimuli[stimuli["test"].eq("odd")])
    assert result.remarks == ["odd (cls, mean): targets without a word: not tested by word"]
    assert set(result.rows["level"]) == {"item"}


def test_embeddings_that_do_not_vary() -> None:
    vectors = embedded(STIMULI)
    targets = STIMULI[STIMULI["test"].eq("small") & STIMULI["set"].isin(["X", "Y"])]["stimulus"]
    vectors["cls"][targets] = vectors["cls"][targets.iloc[0]]
    result = association_tests(STIMULI, vectors, FEW)
    rows = result.rows[result.rows["test"].eq("small")]
    assert rows["reason"].eq(NO_D).equals(rows["pooling"].eq("cls"))
    flat = rows[rows["pooling"].eq("cls")]
    assert flat["d"].isna().all() and flat["p"].eq(1).all() and flat["partitions"].isna().all()
    alike = outcome().rows
    alike = alike[alike["test"].eq("small") & alike["pooling"].eq("mean")]
    assert rows.loc[rows["pooling"].eq("mean"), "p"].tolist() == alike["p"].tolist()
    as_table(result.rows, ASSOCIATIONS)


def test_released_draws_are_the_first_of_the_tests_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[int]] = []

    def spied(*given: object) -> object:
        asked.append(given[2])  # type: ignore[arg-type]
        return drawn_partitions(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("unmask.associations.testing.drawn_partitions", spied)
    outcome(STIMULI[STIMULI["test"].eq("large")], FEW._replace(permutations=100_000))
    assert asked == [[100_000, 99_999]]


def test_units_of_keys() -> None:
    values = np.arange(12.0).reshape(2, 6) ** 2
    units = units_by(["b", "a", "b", "c", "a", "b"])
    parts = [[0, 2, 5], [1, 4], [3]]
    for axis, oriented in ((1, values), (0, values.T)):
        totals, average = unit_sums(oriented, units, axis), unit_means(oriented, units, axis)
        for number, part in enumerate(parts):
            assert np.array_equal(totals.take(number, axis), oriented.take(part, axis).sum(axis))
            assert totals.take(number, axis) / len(part) == pytest.approx(average.take(number, axis))
    assert np.array_equal(unit_means(values, singly(6), 1), values)


def test_s_of_a_word_is_the_mean_over_its_texts() -> None:
    """Attributes count by text, however many there are of a word."""
    rows = [("made", "X", None, w, f"{w} {i}", None) for w, n in (("x", 3), ("v", 1)) for i in range(n)]
    rows += [("made", "Y", None, w, f"{w} {i}", None) for w, n in (("y", 2), ("z", 2)) for i in range(n)]
    rows += [("made", "A", None, w, f"{w} {i}", None) for w, n in (("a", 3), ("c", 1)) for i in range(n)]
    rows += [("made", "B", None, "b", "b", None)]
    stimuli = suite(*rows)
    vectors = np.random.default_rng(0).normal(size=(len(stimuli), 4))
    table = association_tests(stimuli, {"cls": vectors}, Options(bootstrap=0)).rows
    of_set = {name: np.flatnonzero(stimuli["set"].eq(name)) for name in "XYAB"}
    s = [
        mean([cosine(w, vectors[i]) for i in of_set["A"]])
        - mean([cosine(w, vectors[i]) for i in of_set["B"]])
        for w in vectors
    ]
    by_word = {w: mean([s[i] for i in np.flatnonzero(stimuli["word"].eq(w))]) for w in "xvyz"}
    [row] = table[table["level"].eq("word")].to_dict("records")
    assert row["protocol"] == "corrected"
    assert row["d"] == pytest.approx(size([by_word["x"], by_word["v"]], [by_word["y"], by_word["z"]]))
    assert [row[name] for name in "xyab"] == [2, 2, 2, 1]
    items = table[table["level"].eq("item")]
    assert items["protocol"].tolist() == ["published", "corrected"]
    d = size([s[i] for i in of_set["X"]], [s[i] for i in of_set["Y"]])
    assert items["d"].tolist() == pytest.approx([d, d])
    assert items[["x", "y", "a", "b"]].to_numpy().tolist() == [[4, 4, 4, 1]] * 2


def test_by_word_p_is_uniform_without_bias_and_by_item_too_small() -> None:
    """Six words in three texts each, which are alike."""
    generator = np.random.default_rng(0)
    words = generator.normal(size=(600, 6, 1)) + 0.3 * generator.normal(size=(600, 6, 3))
    by_word = partitions(unit_means(words.reshape(600, 18), units_by(np.repeat(range(6), 3).tolist()), 1), 3)
    by_item = partitions(words.reshape(600, 18), 9)
    # of 20 partitions, p of 1/20 is the least
    assert (by_word.p <= 0.05).mean() == pytest.approx(0.05, abs=0.02)
    assert scipy.stats.kstest(by_word.p - generator.random(600) / 20, "uniform").pvalue > 0.01
    assert (by_item.p <= 0.05).mean() > 0.12
