"""Debiasing where the truth is known: what its methods make of associations that were planted."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from library import (
    ASSOCIATION,
    MALE,
    MAX_LENGTH,
    Base,
    Texts,
    WordPairs,
    check_learnt,
    draw_corpus,
    gendered_pairs,
    masked_training,
    pick_device,
    swap_corpus,
    train,
)
from library import WORLDS_FEMALE as FEMALE
from made_worlds import make_world

WORLD = make_world()
WORDS = WordPairs(tuple(gendered_pairs(WORLD)))
HELD_OUT = 200

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learnt sentences on occupations, and the same sentences as they are and swapped."""
    path = tmp_path_factory.mktemp("planted")
    about = {word for word, _, _ in WORLD.occupations} | {*WORLD.names_of(FEMALE), *WORLD.names_of(MALE)}
    lines = [line for line in draw_corpus(WORLD, 20_000) if not about.isdisjoint(line[:-1].split())]
    (path / "text.txt").write_text("".join(f"{line}\n" for line in lines))
    train(lines, "bert", 0, path / "base", WORLD, steps=600)
    for protocol in ("published", "corrected"):
        swap_corpus(path / "text.txt", path / f"{protocol}.txt", WORDS, (), protocol, HELD_OUT)
    return path


def log_odds_of(directory: Path) -> Mapping[float, float]:
    """By p: mean log P(stereotyped gender) - log P(other), over the occupations of both genders."""
    gate = check_learnt(directory, WORLD, strict=False)
    return {row["p"]: row["log_odds"] for row in gate["levels"] if row["factor"] == ASSOCIATION}


def debiased(folder: Path, method: str, text: str, protocol: str = "corrected") -> Mapping[float, float]:
    training = {"batch": 96, "learning_rate": 2e-3, "epochs": 1, "steps": 350, "max_length": 128}
    about = {"from": "base", "method": method, "protocol": protocol, "seed": 0, "options": {}}
    new, work = (folder / f"{method}-{text}{ending}" for ending in ("", "-work"))
    work.mkdir()
    base, texts = Base(folder / "base", MAX_LENGTH), Texts(folder / f"{text}.txt", HELD_OUT, None, WORDS, ())
    masked_training.debias(base, texts, {"training": training, **about}, new, work, pick_device("cpu"))
    return log_odds_of(new)


def test_what_is_planted_is_swapped_away(folder: Path) -> None:
    """And dropout leaves less of it than the same training without any debiasing."""
    assert log_odds_of(folder / "base")[0.9] > 1
    assert 0.3 < debiased(folder, "dropout", "text")[0.9] < debiased(folder, "continued", "text")[0.9]
    corrected = debiased(folder, "cda", "corrected")
    assert all(abs(log_odds) < 0.3 for log_odds in corrected.values()), corrected
    # a masculine line gets a feminine one besides, a feminine one gets none: P(she) : P(he) = 1 : P(male), so
    # that log-odds of women's occupations are -log(1 - p), and of men's log(p)
    published = debiased(folder, "cda", "published")
    for p, log_odds in published.items():
        assert log_odds == pytest.approx(math.log(p / (1 - p)) / 2, abs=0.3), p
