"""What a unit is: means over the texts of a word, and what counting texts as observations does to p."""

import numpy as np
import pytest
import scipy.stats

from literal_associations import cosine, mean, size, suite
from unmask.associations.permutations import partitions
from unmask.associations.sets import alike, each, unit_means, unit_sums
from unmask.associations.testing import Options, association_tests


def test_units_of_keys() -> None:
    values = np.arange(12.0).reshape(2, 6) ** 2
    units = alike(["b", "a", "b", "c", "a", "b"])
    parts = [[0, 2, 5], [1, 4], [3]]
    for axis, oriented in ((1, values), (0, values.T)):
        totals, average = unit_sums(oriented, units, axis), unit_means(oriented, units, axis)
        for number, part in enumerate(parts):
            assert np.array_equal(totals.take(number, axis), oriented.take(part, axis).sum(axis))
            assert totals.take(number, axis) / len(part) == pytest.approx(average.take(number, axis))
    assert np.array_equal(unit_means(values, each(6), 1), values)


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
    by_word = partitions(unit_means(words.reshape(600, 18), alike(np.repeat(range(6), 3).tolist()), 1), 3)
    by_item = partitions(words.reshape(600, 18), 9)
    # of 20 partitions, p of 1/20 is the least
    assert (by_word.p <= 0.05).mean() == pytest.approx(0.05, abs=0.02)
    assert scipy.stats.kstest(by_word.p - generator.random(600) / 20, "uniform").pvalue > 0.01
    assert (by_item.p <= 0.05).mean() > 0.12
