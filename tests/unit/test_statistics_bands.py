"""Bands of ROC curves: against a slow definition, with ties and few pairs, and how often they hold the truth.

UNMASK_COVERAGE_TABLE    a file to which rows of the table of bands in docs/chance.md are added
UNMASK_COVERAGE_DRAWS    how many times each world is drawn; 150 unless said, 1000 for that table
"""

import math
import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from unmask.statistics.areas import levels
from unmask.statistics.bands import RATES, roc_band
from unmask.statistics.dependence import Dependence

DRAWS = int(os.environ.get("UNMASK_COVERAGE_DRAWS", "150"))
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def band(scores: Floats, positive: Bools, dependence: Dependence | None = None) -> tuple[Floats, Floats]:
    dependence = dependence or Dependence.of([()] * len(scores))
    return roc_band(levels(scores[:, None])[:, 0], positive, dependence, 0.95)


def literal_band(scores: Floats, positive: Bools, rate: float, grid: Floats) -> Floats:
    """Which true positive rates of `grid` are in the band at a false positive rate: those that some threshold
    does not refute. For independent pairs without ties; thresholds are the scores themselves."""
    m, n = int(positive.sum()), int((~positive).sum())
    # Satterthwaite's, of residuals of two means: Σ over pairs of weight² (1 - 1/class)
    weight = np.where(positive, 1 / m, 1 / n)
    own = float((weight**2 * (1 - np.where(positive, 1 / m, 1 / n))).sum())
    classes = ((1 / m**2, m), (1 / n**2, n))
    spread = sum(square**2 * (size - 1) for square, size in classes)
    most = float(student.ppf(0.975, own**2 / spread))
    inside = np.zeros(len(grid), dtype=bool)
    # below the least score both rates are 1 for certain
    for threshold in np.sort(scores)[1:]:
        true, false = (
            float((scores[positive] >= threshold).mean()),
            float((scores[~positive] >= threshold).mean()),
        )
        # a mean of m has lost one of them
        z1 = (true - grid) / np.sqrt(grid * (1 - grid) / (m - 1 if 0 < true < 1 else m))
        z0 = (false - rate) / math.sqrt(rate * (1 - rate) / (n - 1 if 0 < false < 1 else n))
        inside |= z0**2 + z1**2 <= most**2
    return inside


def test_a_band_is_the_literal_union() -> None:
    rng = np.random.default_rng(0)
    positive = np.arange(70) < 30
    scores = rng.normal(size=70) + 0.8 * positive
    low, high = band(scores, positive)
    grid = np.linspace(0.0005, 0.9995, 1000)
    for place in (3, 10, 25, 40, 48):
        inside = grid[literal_band(scores, positive, float(RATES[place]), grid)]
        # shares of a threshold's pair add a little between two thresholds, and nothing is taken away
        assert low[place] <= inside[0] + 0.001 and inside[-1] - 0.001 <= high[place]
        assert low[place] == pytest.approx(inside[0], abs=0.03)
        assert high[place] == pytest.approx(inside[-1], abs=0.03)


def test_turning_the_classes_round_turns_the_band() -> None:
    """Scores with the opposite sign and classes exchanged: false positives become what positives miss."""
    rng = np.random.default_rng(1)
    positive = rng.random(200) < 0.4
    scores = (rng.normal(size=200) + 0.5 * positive).round(1)
    together = Dependence.of([(i // 4,) for i in range(200)])
    low, high = band(scores, positive, together)
    for own, limit in zip(band(-scores, positive, together), (high, low), strict=True):
        assert own[::-1] == pytest.approx(1 - limit, abs=0.005)


def test_scores_that_are_all_equal_have_the_diagonal_alone() -> None:
    """Whatever the pairs, a threshold that takes a share of all takes the same of either class."""
    positive = np.arange(60) < 25
    low, high = band(np.zeros(60), positive)
    assert low == pytest.approx(RATES, abs=1e-5) and high == pytest.approx(RATES, abs=1e-5)


def test_a_straight_step_is_as_sure_as_its_ends() -> None:
    """Decisions: a score of 1 or 0. What is known of the one corner spans the band."""
    positive = np.arange(300) < 120
    scores = np.where(positive, np.arange(300) % 3 > 0, np.arange(300) % 3 == 0).astype(float)
    low, high = band(scores, positive)
    corner = np.interp(RATES, [0, 1 / 3, 1], [0, 2 / 3, 1])
    assert (low <= corner + 1e-9).all() and (corner <= high + 1e-9).all()
    assert np.argmax(high - low) in range(8, 20)
    # a line from the corner to an end: half way, half as wide
    half, at = (high - low)[33], (high - low)[17]
    assert half / at == pytest.approx(0.5, abs=0.12)


def test_copies_of_pairs_add_nothing() -> None:
    """Pairs four times over: as if independent the band shrinks to about half, with clusters it stays."""
    rng = np.random.default_rng(3)
    positive = np.arange(150) % 3 == 0
    scores = rng.normal(size=150) + 0.6 * positive
    low, high = band(scores, positive)
    copied, four = np.tile(scores, 4), np.tile(positive, 4)
    alike = Dependence.of([(row % 150,) for row in range(600)])
    of_copies, naive = band(copied, four, alike), band(copied, four)
    widths = [(ends[1] - ends[0])[5:45].mean() for ends in ((low, high), of_copies, naive)]
    assert widths[1] / widths[0] == pytest.approx(1, abs=0.08)
    assert 0.4 < widths[2] / widths[0] < 0.62


def test_words_that_move_both_classes_widen_the_band_less_than_words_of_one() -> None:
    """What pairs of both classes share moves both rates together, mostly along the curve."""
    rng, widths = np.random.default_rng(4), []
    positive = np.arange(400) % 2 == 0
    for of_both in (True, False):
        # twenty words; of both classes, or ten of each
        word = np.arange(400) // 2 % 20 if of_both else np.arange(400) // 2 % 10 + 10 * positive
        found = []
        for _ in range(30):
            scores = 1.5 * rng.normal(size=20)[word] + rng.normal(size=400) + 0.5 * positive
            low, high = band(scores, positive, Dependence.of([(name,) for name in word]))
            found.append((high - low)[10:40].mean())
        widths.append(np.mean(found))
    assert widths[0] < 0.75 * widths[1]


def test_there_is_no_band_of_few_pairs_and_of_one_cluster() -> None:
    rng = np.random.default_rng(5)
    for positives in (1, 9):
        positive = np.arange(100) < positives
        assert all(np.isnan(ends).all() for ends in band(rng.normal(size=100), positive))
    positive = np.arange(100) < 40
    scores = rng.normal(size=100)
    assert all(np.isnan(ends).all() for ends in band(scores, positive, Dependence.of([("word",)] * 100)))
    # all negatives share a word: one cluster of that class
    one = Dependence.of([() if yes else ("word",) for yes in positive])
    assert all(np.isnan(ends).all() for ends in band(scores, positive, one))


def test_classes_that_are_apart_still_have_a_band() -> None:
    positive = np.arange(100) < 40
    low, high = band(np.arange(100.0)[::-1], positive)
    assert high[1:] == pytest.approx(1) and (low[5:] > 0.75).all() and (low[1:-1] < 0.999).all()


def test_classes_that_are_apart_are_worth_their_clusters() -> None:
    """Nothing says how the pairs of a word vary together, so that 120 pairs of 30 words are worth 30."""
    positive = np.tile(np.arange(30) < 12, 4)
    scores = np.tile(np.arange(30.0)[::-1], 4)
    words = Dependence.of([(pair % 30,) for pair in range(120)])
    low, _ = band(scores, positive, words)
    independent, _ = band(scores, positive)
    one_each, _ = band(scores[:30], positive[:30])
    assert (low[2:-2] < independent[2:-2]).all()
    np.testing.assert_allclose(low[5:-5], one_each[5:-5], atol=0.03)


@dataclass
class World:
    """n pairs with a word of so many on either side, the k-th 1/k times as often as the first. `of_words` of
    a margin's variance is that of words; `share` of the pairs are positive, `shift` standard deviations
    higher. Scores are rounded down to multiples of `coarse`, if that is not 0."""

    n: int
    words: int
    share: float
    of_words: float
    shift: float
    coarse: float = 0.0

    def truth(self) -> Floats:
        if not self.coarse:
            curve: Floats = norm.cdf(norm.ppf(RATES) + self.shift)
            return curve
        cuts = self.coarse * np.arange(-12, 13)[::-1]
        false, true = (np.concatenate([[0], norm.sf(cuts - by), [1]]) for by in (0.0, self.shift))
        steps: Floats = np.interp(RATES, false, true)
        return steps

    def held(self, draws: int, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
        """Whether the band of each draw holds the truth at each of RATES, shape (draws, rates)."""
        chances = 1 / np.arange(1, self.words + 1)
        word = np.random.default_rng(0).choice(self.words, size=(self.n, 2), p=chances / chances.sum())
        together = Dependence.of([(("one", one), ("other", other)) for one, other in word])
        positive = np.random.default_rng(1).random(self.n) < self.share
        truth, found = self.truth(), []
        for _ in range(draws):
            of_word = rng.standard_normal((2, self.words))
            lexical = math.sqrt(self.of_words / 2) * (of_word[0][word[:, 0]] - of_word[1][word[:, 1]])
            own = math.sqrt(1 - self.of_words) * rng.standard_normal(self.n)
            scores = lexical + own + self.shift * positive
            if self.coarse:
                scores = np.floor(scores / self.coarse)
            low, high = band(scores, positive, together)
            found.append((low - 1e-9 <= truth) & (truth <= high + 1e-9))
        return np.array(found)


WORLDS = {
    "500 pairs, independent": World(500, 100, 0.4, 0.0, 0.7),
    "500 pairs, 30% of words": World(500, 100, 0.4, 0.3, 0.7),
    "500 pairs, 60% of words": World(500, 100, 0.4, 0.6, 0.7),
    "500 pairs, 60% of words, no agreement": World(500, 100, 0.4, 0.6, 0.0),
    "500 pairs, 30% of words, scores of few values": World(500, 100, 0.4, 0.3, 0.7, 1.0),
    "300 pairs, 30 positive, 30% of words": World(300, 100, 0.1, 0.3, 0.7),
    "1500 pairs, 150 negative, 30% of words": World(1500, 300, 0.9, 0.3, 0.3),
}


@pytest.mark.long
@pytest.mark.parametrize("name", WORLDS)
def test_a_band_holds_the_truth(name: str) -> None:
    held = WORLDS[name].held(DRAWS, np.random.default_rng(2))
    # at its ends every curve goes through the corners
    at_each = 100 * held[:, 1:-1].mean(axis=0)
    whole = 100 * held.all(axis=1).mean()
    if table := os.environ.get("UNMASK_COVERAGE_TABLE"):
        cells = (name, f"{at_each.mean():.1f}", f"{at_each.min():.1f}", f"{whole:.0f}")
        with open(table, "a", encoding="utf-8") as file:
            file.write(f"| {' | '.join(cells)} |\n")
    error = 100 * math.sqrt(0.95 * 0.05 / DRAWS)
    assert at_each.mean() >= 95 - error
    # the least of 49 rates, which go together
    assert at_each.min() >= 95 - 3 * error
    # a band for single points: it does not claim to hold whole curves, and is no wider than that
    assert 60 <= whole <= 97
