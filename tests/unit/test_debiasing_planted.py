"""Debiasing where the truth is known: what CDA and dropout make of associations that were planted."""

import math
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from transformers import AutoModelForMaskedLM, AutoTokenizer

from made_worlds import CORRUPTION, NAMED, make_world
from unmask.debiasing.inputs import Base, Texts
from unmask.debiasing.methods import cda, continued, dropout
from unmask.debiasing.swapping import swap_corpus
from unmask.gendered_words import WordPairs
from unmask.models.devices import pick_device
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import ASSOCIATION, FEMALE, MALE, World, slots
from unmask.worlds.neutral import gendered_pairs
from unmask.worlds.recipe import Recipe
from unmask.worlds.tokenizers import MAX_LENGTH
from unmask.worlds.training import _log_odds, train

WORLD = make_world()
NAMED_WORLD = make_world(**NAMED | {"names": 5})
HELD_OUT = 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learnt(tmp_path_factory.mktemp("planted"), WORLD, 600)


@pytest.fixture(scope="module")
def named_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learnt(tmp_path_factory.mktemp("named"), NAMED_WORLD, 900)


def learnt(path: Path, world: World, steps: int) -> Path:
    """A model that has learnt sentences on occupations, and the same sentences as they are and swapped."""
    about = {word for word, _, _ in world.occupations} | {*world.names_of(FEMALE), *world.names_of(MALE)}
    lines = [line for line in draw_corpus(world, 20_000) if not about.isdisjoint(line[:-1].split())]
    (path / "text.txt").write_text("".join(f"{line}\n" for line in lines))
    train(lines, "bert", 0, path / "base", world, CORRUPTION, recipe=Recipe(steps=steps, batch=96))
    words = WordPairs(tuple(gendered_pairs(world)))
    for reading in ("published", "corrected"):
        swap_corpus(path / "text.txt", path / f"{reading}.txt", words, reading, HELD_OUT)
    return path


def log_odds_of(directory: Path, world: World = WORLD) -> Mapping[tuple[str, float], float]:
    """By the gender that occupations are stereotyped for, and its p: mean log P(she) - log P(he), or of the
    names of women and men."""
    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModelForMaskedLM.from_pretrained(directory).eval()
    stereotyped = {word: gender for word, gender, _ in world.occupations}
    values: dict[tuple[str, float], list[float]] = {}
    for contrast in world.contrasts:
        if contrast.factor == ASSOCIATION:
            gender = stereotyped[contrast.target]
            sides = [contrast.stereotype, contrast.antistereotype]
            women, men = (
                {**contrast.shared, **side} for side in (sides if gender == FEMALE else reversed(sides))
            )
            for template in contrast.templates:
                # with both pronouns in a sentence one would give the other away
                if not {"subject", "possessive"}.issubset(slots(template)):
                    odds = _log_odds(model, tokenizer, template, [(women, men)])
                    values.setdefault((gender, contrast.p), []).extend(odds)
    return {level: fmean(each) for level, each in values.items()}


def debiased(
    folder: Path, method: Any, text: str, world: World = WORLD, **stated: Any
) -> Mapping[tuple[str, float], float]:
    training = {"batch": 96, "learning_rate": 2e-3, "epochs": 1, "steps": 350, "max_length": 128}
    entry = {"from": "base", "method": "m", "reading": "corrected", "seed": 0, "options": {}} | stated
    name = f"{method.__name__}-{text}"
    (folder / f"{name}-work").mkdir()
    facts = method.debias(
        Base(folder / "base", MAX_LENGTH),
        Texts(folder / f"{text}.txt", HELD_OUT, None, WordPairs(tuple(gendered_pairs(world))), ()),
        {**entry, "training": training},
        folder / name,
        folder / f"{name}-work",
        pick_device("cpu"),
    )
    assert facts["examples"]["kind"] == "lines"
    return log_odds_of(folder / name, world)


@pytest.mark.thorough
def test_what_is_planted_is_swapped_away(folder: Path) -> None:
    before = log_odds_of(folder / "base")
    assert before[FEMALE, 0.9] > 1 and before[MALE, 0.9] < -1
    corrected = debiased(folder, cda, "corrected")
    assert all(abs(log_odds) < 0.3 for log_odds in corrected.values()), corrected
    # every masculine line gets a feminine one besides, no feminine one gets any: P(she) : P(he) = 1 : P(male)
    published = debiased(folder, cda, "published")
    for (gender, p), log_odds in published.items():
        truth = -math.log(1 - p if gender == FEMALE else p)
        assert log_odds == pytest.approx(truth, abs=0.35), (gender, p)


@pytest.mark.thorough
def test_what_is_planted_in_names_is_swapped_away_with_them(named_folder: Path) -> None:
    before = log_odds_of(named_folder / "base", NAMED_WORLD)
    assert before[FEMALE, 0.9] > 1 and before[MALE, 0.9] < -1
    corrected = debiased(named_folder, cda, "corrected", NAMED_WORLD)
    assert all(abs(log_odds) < 0.3 for log_odds in corrected.values()), corrected
    # with the pronouns alone it stays
    pronouns = WordPairs((("her", "his"), ("she", "he")))
    swap_corpus(named_folder / "text.txt", named_folder / "pronouns.txt", pronouns, "corrected", HELD_OUT)
    stays = debiased(named_folder, cda, "pronouns", NAMED_WORLD)
    assert stays[FEMALE, 0.9] > 1 and stays[MALE, 0.9] < -1


@pytest.mark.thorough
def test_dropout_lies_between_cda_and_continued_training(folder: Path) -> None:
    after = debiased(folder, continued, "text")
    dropped = debiased(folder, dropout, "text")
    strength, weaker = (each[FEMALE, 0.9] - each[MALE, 0.9] for each in (after, dropped))
    assert 0.6 < weaker < strength
