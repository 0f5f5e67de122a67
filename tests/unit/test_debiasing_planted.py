"""Debiasing where the truth is known: what its methods make of associations that were planted."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from library import (
    ASSOCIATION,
    MALE,
    MAX_LENGTH,
    Base,
    Texts,
    WordPairs,
    at,
    check_learnt,
    draw_corpus,
    gendered_pairs,
    masked_training,
    neutral_sentences,
    pick_device,
    stereotyped_words,
    swap_corpus,
    train,
)
from library import WORLDS_FEMALE as FEMALE
from made_worlds import CORRUPTION, make_world

WORLD = make_world()
HELD_OUT = 200

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learnt(tmp_path_factory.mktemp("planted"), 600)


def learnt(path: Path, steps: int, seed: int = 0) -> Path:
    """A model that has learnt sentences on occupations, and the same sentences as they are and swapped."""
    about = {word for word, _, _ in WORLD.occupations} | {*WORLD.names_of(FEMALE), *WORLD.names_of(MALE)}
    lines = [line for line in draw_corpus(WORLD, 20_000) if not about.isdisjoint(line[:-1].split())]
    (path / "text.txt").write_text("".join(f"{line}\n" for line in lines))
    (path / "neutral.txt").write_text("".join(f"{line}\n" for line in neutral_sentences(WORLD)))
    train(lines, "bert", seed, path / "base", WORLD, CORRUPTION, steps=steps)
    words = WordPairs(tuple(gendered_pairs(WORLD)))
    for protocol in ("published", "corrected"):
        swap_corpus(path / "text.txt", path / f"{protocol}.txt", words, (), protocol, HELD_OUT)
    return path


def log_odds_of(directory: Path) -> Mapping[float, float]:
    """By p: mean log P(stereotyped gender) - log P(other), over the occupations of both genders."""
    gate = check_learnt(directory, WORLD, strict=False)
    return {row["p"]: row["log_odds"] for row in gate["levels"] if row["factor"] == ASSOCIATION}


def debiased(folder: Path, method: str, text: str, **stated: Any) -> Mapping[float, float]:
    training = {"batch": 96, "learning_rate": 2e-3, "epochs": 1, "steps": 350, "max_length": 128}
    entry = {"from": "base", "method": method, "protocol": "corrected", "seed": 0, "options": {}} | stated
    name = f"{method}-{text}-{entry['protocol']}"
    (folder / f"{name}-work").mkdir()
    words = WordPairs(tuple(gendered_pairs(WORLD)))
    (at if method == "at" else masked_training).debias(
        Base(folder / "base", MAX_LENGTH),
        Texts(
            folder / f"{text}.txt", HELD_OUT, folder / "neutral.txt", words, tuple(stereotyped_words(WORLD))
        ),
        {"training": training, **entry},
        folder / name,
        folder / f"{name}-work",
        pick_device("cpu"),
    )
    return log_odds_of(folder / name)


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


def test_at_corrected_debiases_more_than_published(tmp_path: Path) -> None:
    """Of three models, since where so short a training ends differs between seeds, and between processors."""
    odds: dict[str, list[float]] = {"base": [], "published": [], "corrected": []}
    training = {"batch": 32, "learning_rate": 3e-3, "epochs": 2, "steps": 300, "max_length": 64}
    for seed in range(3):
        (tmp_path / str(seed)).mkdir()
        folder = learnt(tmp_path / str(seed), 1000, seed)
        odds["base"].append(log_odds_of(folder / "base")[0.9])
        for protocol in ("published", "corrected"):
            after = debiased(folder, "at", "text", training=training, protocol=protocol, seed=5)
            odds[protocol].append(after[0.9])
    base, published, corrected = (sum(values) / 3 for values in odds.values())
    assert min(odds["base"]) > 1.2
    assert corrected < 0.75 * base and corrected + 0.2 < published <= 1.05 * base
