"""Worlds: the probabilities of their grammar, their corpora and benchmarks, and the truth about these."""

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from library import (
    NAMES,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    PRONOUNS,
    Counts,
    InputError,
    PlantedPair,
    World,
    complete,
    crows_pairs,
    draw_corpus,
    read_benchmark,
    read_word_pairs,
    stereoset,
    text_of,
    truth,
)
from made_worlds import DOSED, NAMED, UNEVEN, make_world, settings
from running import run_script

SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "uneven": UNEVEN, "dosed": DOSED, "named": NAMED}
WORLDS = {name: make_world(**changes) for name, changes in SETTINGS.items()}
every_world = pytest.mark.parametrize("name", WORLDS)
WORLD = WORLDS["default"]
PRONOUN_GENDER = {word: gender for gender, words in PRONOUNS.items() for word in words.values()}
NAME_GENDER = {name: gender for gender, names in NAMES.items() for name in names}
GENDER = PRONOUN_GENDER | NAME_GENDER


def benchmarks(name: str) -> dict[str, list[PlantedPair]]:
    world, counts = WORLDS[name], Counts(**settings(**SETTINGS[name])["pairs"])
    return {"crows-pairs": crows_pairs(world, counts), "stereoset": stereoset(world, counts)}


PAIRS = {name: benchmarks(name) for name in WORLDS}
every_benchmark = pytest.mark.parametrize("benchmark", ["crows-pairs", "stereoset"])


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"associations": []}, ".associations: the number of levels must divide the 12 occupations of each "),
        ({"associations": [0.5] * 5}, ".associations: the number of levels must divide the 12 occupations "),
        ({"associations": [0.5, 1]}, ".associations.1: 1 should be less than 1"),
        ({"ratios": [2, 0.5]}, ".ratios.1: 0.5 should be greater than or equal to 1"),
        ({"both": {"association": 1}}, ".both.association: 1 should be less than 1"),
        ({"lengths": 11}, ".lengths: 11 should be less than or equal to 10"),
        ({"names": 7, "pairs": {"per_occupation": 22}}, ": pairs.per_occupation: at most 21 pairs, not 22"),
        ({"pairs": {"per_occupation": 39}}, ": pairs.per_occupation: at most 38 pairs, not 39"),
        ({"pairs": {"per_trait": 27}}, ": pairs.per_trait: at most 26 pairs, not 27"),
        ({"sead": 1}, ": unknown key sead (did you mean seed? known: seed, "),
    ],
)
def test_what_does_not_fit_is_one_line(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        settings(**changes)
    assert str(caught.value).startswith(f"config key worlds.w{line}") and "\n" not in str(caught.value)


@pytest.mark.parametrize("gate", [{}, {"gate": True}])
def test_an_untrained_network_wants_no_gate(gate: dict[str, bool]) -> None:
    untrained = {"source": "train", "architecture": "bert", "world": "w", "steps": 0}
    study = {"study": "x", "worlds": {"w": {}}, "models": {"m": untrained | gate}}
    with pytest.raises(InputError, match="steps: 0 leaves a network untrained, which wants gate: f"):
        complete(study)
    complete(study | {"models": {"m": untrained | {"gate": False}}})


# --- the grammar


def share(world: World, *words: str) -> float:
    """P(a sentence has all these words)."""
    return sum(s.probability for s in world.sentences if set(words) <= set(s.words))


@every_world
def test_probabilities_are_those_that_are_planted(name: str) -> None:
    world, given = WORLDS[name], settings(**SETTINGS[name])
    assert math.fsum(s.probability for s in world.sentences) == pytest.approx(1.0, abs=1e-12)
    assert len({s.words for s in world.sentences}) == len(world.sentences)
    assert all(s.probability > 0 for s in world.sentences)
    for slot in ("subject", "possessive"):
        he, she = (share(world, words[slot]) for words in PRONOUNS.values())
        assert he == pytest.approx(she)
    assert Counter((o.gender, o.p) for o in world.occupations) == {
        (gender, p): 12 // len(given["associations"]) * given["associations"].count(p)
        for gender in PRONOUNS
        for p in given["associations"]
    }
    by_occupation = defaultdict[tuple[str, ...], float](float)
    for sentence in world.sentences:
        # a name tells the gender of its pronouns
        shown = {GENDER[word] for word in sentence.words if word in GENDER}
        assert len(shown) <= 1
        for word in {of.word for of in world.occupations}.intersection(sentence.words):
            by_occupation[word, *shown] += sentence.probability
    for word, gender, p in world.occupations:
        every = by_occupation[word, "female"] + by_occupation[word, "male"]
        assert by_occupation[word, gender] / every == pytest.approx(p)
    names = [name for of_gender in NAMES.values() for name in of_gender[: given["names"]]]
    assert [share(world, name) for name in names] == pytest.approx([0.5 / max(1, len(names))] * len(names))
    assert set(names) == NAME_GENDER.keys() & {*world.words}
    wanted = [("frequency", ratio, 0.5) for ratio in given["ratios"]]
    wanted += [("both", ratio, given["both"]["association"]) for ratio in given["both"]["ratios"]]
    wanted += [("length", 1, 0.5)] * given["lengths"]
    for pair, (factor, ratio, p) in zip(world.group_pairs, wanted, strict=True):
        assert pair.factor == factor
        less, more = (share(world, group) for group in (pair.disadvantaged, pair.advantaged))
        assert more / less == pytest.approx(ratio)
        for group, traits in ((pair.disadvantaged, NEGATIVE_TRAITS), (pair.advantaged, POSITIVE_TRAITS)):
            own = sum(share(world, group, trait) for trait in traits)
            assert own / share(world, group) == pytest.approx(p)


# --- the corpus, and what models are debiased with


def test_corpus_has_each_sentence_as_often_as_planted_give_or_take_one() -> None:
    lines = draw_corpus(WORLD, 40_000)
    counts = Counter(lines)
    expected = {text_of(s.words): 40_000 * s.probability for s in WORLD.sentences}
    assert len(lines) == 40_000 and set(counts) <= set(expected)
    assert all(abs(counts[text] - n) < 1 + 1e-6 for text, n in expected.items())
    gendered = [any(word in PRONOUN_GENDER for word in line.split()) for line in lines[:2000]]
    # the order is random
    assert 380 < sum(gendered[:1000]) < 520 and 380 < sum(gendered[1000:]) < 520


@pytest.mark.parametrize(
    ("name", "per_occupation"), [("default", 3 * 5 * 6 + 4 * 5 * (1 + 3 * 5)), ("named", 3 * 5)]
)
def test_neutral_sentences_have_no_gender_and_words_of_the_world(
    name: str, per_occupation: int, tmp_path: Path
) -> None:
    world = WORLDS[name]
    outputs = {key: tmp_path / key for key in ("neutral", "stereotypes")} | {"words": tmp_path / "w.csv"}
    run_script("make_neutral", [], outputs, tmp_path / "log", name="w", entry=settings(**SETTINGS[name]))
    sentences = outputs["neutral"].read_text().splitlines()
    occupations = outputs["stereotypes"].read_text().split()
    pairs = read_word_pairs(outputs["words"])
    assert len(pairs) == 2 + world.names
    assert len(occupations) == 24 and len({*sentences}) == len(sentences) == 24 * per_occupation
    gendered = {word for pair in pairs for word in pair}
    # no other word of the world tells a gender
    assert {word.lower() for word in world.words} & {w.lower() for w in GENDER} == gendered
    for sentence in sentences:
        words = [*sentence[:-1].split(), sentence[-1]]
        assert {*words} <= {*world.words} and len({*occupations} & {*words}) == 1
        assert gendered.isdisjoint(word.lower() for word in words)
    assert {*draw_corpus(world, 2000)}.isdisjoint(sentences)


# --- benchmarks


@every_world
@every_benchmark
def test_pairs_are_sentences_of_the_grammar_that_differ_where_they_should(name: str, benchmark: str) -> None:
    world, pairs = WORLDS[name], PAIRS[name][benchmark]
    possible = {s.words for s in world.sentences}
    rare = {pair.disadvantaged for pair in world.group_pairs}
    assert len({pair.pair_id for pair in pairs}) == len(pairs)
    assert len({(pair.stereotype, pair.antistereotype) for pair in pairs}) == len(pairs)
    asked, planted = (
        {(c.factor, c.p, c.ratio, c.direction) for c in contrasts}
        for contrasts in ([pair.contrast for pair in pairs], world.contrasts)
    )
    assert asked == planted
    for pair in pairs:
        assert pair.stereotype in possible and pair.antistereotype in possible
        assert pair.unrelated not in possible
        places = enumerate(zip(pair.stereotype, pair.unrelated, strict=True))
        assert [place for place, (a, b) in places if a != b] == list(pair.modified)
        contrast = pair.contrast
        assert {pair.stereotype[i] for i in pair.modified} <= set(contrast.stereotype.values())
        # directions name women, and the rarer group
        if contrast.factor == "association":
            sides = contrast.stereotype.values(), contrast.antistereotype.values()
            (gender,), (other,) = ({GENDER[word] for word in side} for side in sides)
            assert gender != other and contrast.target == contrast.shared["occupation"]
            disadvantaged = gender == "female"
        else:
            disadvantaged = contrast.target in rare
            assert disadvantaged == (contrast.shared["trait"] in NEGATIVE_TRAITS)
        assert contrast.direction == ("stereo" if disadvantaged else "antistereo")
    # a BLANK is one word; of two pronouns CrowS-Pairs has both
    two = benchmark == "crows-pairs" and name != "named"
    assert {len(pair.modified) for pair in pairs} == ({1, 2} if two else {1})


@every_benchmark
def test_each_benchmark_has_as_many_pairs_as_asked(benchmark: str) -> None:
    pairs = PAIRS["dosed"][benchmark]
    per_contrast = Counter((pair.contrast.factor, str(pair.contrast)) for pair in pairs)
    assert len(per_contrast) == len(WORLDS["dosed"].contrasts)
    assert all(n == (9 if factor == "association" else 3) for (factor, _), n in per_contrast.items())
    # one-sided ones have their share at every level: of each gender six occupations at each level of p
    pairs = PAIRS["named"][benchmark]
    counts = Counter((p.contrast.factor, p.contrast.p, p.contrast.direction) for p in pairs)
    levels = ("association", 0.5), ("association", 0.9), ("frequency", 0.5), ("both", 0.8), ("length", 0.5)
    for level, stereo in zip(levels, (54, 54, 18, 12, 6), strict=True):
        assert counts[*level, "stereo"] == stereo
        # the nearest whole number to 15 for every 85
        assert abs(counts[*level, "antistereo"] - stereo * 15 / 85) <= 0.5


@pytest.mark.parametrize(
    ("name", "digests"),
    [
        ("default", ("f65f8a23d172e0cc", "9a014d12f533598c", "1d3df08b45f8849d")),
        ("uneven", ("f6d5123d884014e2", "4916006b66ce03c5", "814c65d71b118c62")),
    ],
)
def test_the_files_of_a_world_are_the_same_as_ever_and_read_as_they_are_meant(
    tmp_path: Path, name: str, digests: Sequence[str]
) -> None:
    files = {of: tmp_path / of for of in ("corpus", "crows-pairs", "stereoset", "truth")}
    entry = settings(**SETTINGS[name])
    outputs = {of.replace("-", "_"): path for of, path in files.items()}
    run_script("make_world", [], outputs, tmp_path / "log", wildcards={"world": "w"}, entry=entry)
    for path, digest in zip(files.values(), digests, strict=False):
        assert hashlib.sha256(path.read_bytes()).hexdigest().startswith(digest)
    written = json.loads(files["truth"].read_text())
    assert written == json.loads(json.dumps({**truth(WORLDS[name], Counts(**entry["pairs"])), **written}))
    assert (written["world"], written["code"]) == ("w", "digest")
    for benchmark, pairs in PAIRS[name].items():
        rows: Any = read_benchmark(files[benchmark], {"format": benchmark})
        for row, pair in zip(rows.itertuples(), pairs, strict=True):
            assert (row.pair_id, row.bias_type) == (pair.pair_id, pair.contrast.bias_type)
            assert row.stereotype == text_of(pair.stereotype)
            assert row.antistereotype == text_of(pair.antistereotype)
            if benchmark == "crows-pairs":
                assert row.direction == pair.contrast.direction
            else:
                assert (row.unrelated, row.target) == (text_of(pair.unrelated), pair.contrast.target)
