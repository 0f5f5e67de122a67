"""What worlds may have beside the default's: more groups, more pairs."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from made_worlds import DOSED, OTHERS, make_world, settings
from study_schema import FAMILIES
from unmask.configuration import read_config
from unmask.installation import workflow_root
from unmask.schemas import complete
from unmask.worlds import grammar
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import (
    ASSOCIATION,
    BOTH,
    FREQUENCY,
    LENGTH,
    NAMES,
    SPLIT_PEOPLES,
    World,
    modified_words,
    text_of,
)
from unmask.worlds.neutral import neutral_sentences
from unmask.worlds.pairs import (
    CROWS_PAIRS,
    STEREOSET,
    Counts,
    crows_pairs,
    stereoset,
    write_crows_pairs,
    write_stereoset,
)
from unmask.worlds.planted import truth

WORLD = make_world(**DOSED)
COUNTS = Counts(9, 3)
TRUTH = truth(WORLD, COUNTS)


@pytest.mark.parametrize(
    ("changes", "digests"),
    [
        ({}, ("f65f8a23d172e0cc", "9a014d12f533598c", "1d3df08b45f8849d")),
        (OTHERS["uneven"], ("f6d5123d884014e2", "4916006b66ce03c5", "814c65d71b118c62")),
    ],
    ids=["default", "uneven"],
)
def test_a_world_that_wants_none_of_it_is_the_same_as_ever(
    tmp_path: Path, changes: dict[str, Any], digests: Sequence[str]
) -> None:
    world = make_world(**changes)
    lines = draw_corpus(world, settings(**changes)["sentences"])
    (tmp_path / "corpus").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_crows_pairs(tmp_path / "csv", crows_pairs(world))
    write_stereoset(tmp_path / "json", stereoset(world))
    for name, digest in zip(("corpus", "csv", "json"), digests, strict=True):
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest().startswith(digest)


def test_no_name_is_another_word_whatever_its_case() -> None:
    names = [
        *grammar.NATIONS, *grammar.MORE_NATIONS, *grammar.FAITHS, *grammar.MORE_FAITHS,
        *grammar.PEOPLES, *grammar.MORE_PEOPLES, *SPLIT_PEOPLES,
        *(name for of_gender in NAMES.values() for name in of_gender),
    ]  # fmt: skip
    pieces = [piece for split in SPLIT_PEOPLES.values() for piece in split]
    others = {word.lower() for word in make_world(0).words if word not in names}
    lowered = [name.lower() for name in (*names, *pieces)]
    assert len(set(lowered)) == len(lowered)
    assert not others & set(lowered)

    within = [word for word in (*make_world(**DOSED).words, *names) if word not in SPLIT_PEOPLES]
    for word, (first, rest) in SPLIT_PEOPLES.items():
        assert first + rest == word
        assert not any(first[-1] + rest[0] in part for part in (*within, *pieces))


def test_no_margin_of_the_demonstration_stands_on_a_knife_edge() -> None:
    """Of its exact model CPS follows the association alone, SSS is decided by the frequency of faiths."""
    entry = complete(read_config(workflow_root() / "config.yaml"), FAMILIES)["worlds"]["planted"]
    world = World.from_config("planted", entry)
    known = truth(world, Counts.from_config("planted", entry))["benchmarks"]
    for pairs in known.values():
        faiths = [pair for pair in pairs.values() if pair["factor"] == BOTH]
        assert len({pair["unit"] for pair in faiths}) == 10 and {pair["ratio"] for pair in faiths} == {8}
        for pair in faiths:
            sign = -1 if pair["direction"] == "stereo" else 1
            assert pair["margins"]["CPS"] == pytest.approx(math.log(4))
            assert pair["margins"]["SSS"] == pytest.approx(math.log(4) + sign * math.log(8))
            assert min(abs(pair["margins"][name]) for name in ("CPS", "SSS", "AllMasked")) > 0.1
        assert len({pair["unit"] for pair in pairs.values() if pair["factor"] == LENGTH}) == 10


@pytest.mark.parametrize("names", [0, 20])
def test_articles_are_right_before_every_word(names: int) -> None:
    """Of a world with every group there is: "a" stands before no vowel, and nowhere is an "an" needed."""
    world = make_world(
        names=names, ratios=[4] * 12, both={"ratios": [8] * 10}, lengths=10, associations=[0.9]
    )
    groups = [name for pair in world.group_pairs for name in (pair.disadvantaged, pair.advantaged)]
    assert len(groups) == 64
    counts = Counts(per_occupation=9, per_trait=9)
    texts = [text_of(sentence.words) for sentence in world.sentences] + neutral_sentences(world)
    for pair in (*crows_pairs(world, counts), *stereoset(world, counts)):
        texts += [text_of(pair.stereotype), text_of(pair.antistereotype), text_of(pair.unrelated)]
    assert any(" a " in text for text in texts)
    assert not [text for text in texts if re.search(r"\b[Aa] [AEIOUaeiou]|\b[Aa]n ", text)]


def test_pairs_of_groups_are_as_many_as_asked_and_the_sides_take_turns() -> None:
    counts = Counter(pair.factor for pair in WORLD.group_pairs)
    assert counts == {FREQUENCY: 12, BOTH: 3, LENGTH: 5}
    names = [name for pair in WORLD.group_pairs for name in (pair.disadvantaged, pair.advantaged)]
    assert len(set(names)) == len(names) == 40
    for i, pair in enumerate(pair for pair in WORLD.group_pairs if pair.factor == LENGTH):
        more, less = (pair.disadvantaged, pair.advantaged)[:: 1 if i % 2 == 0 else -1]
        assert more in SPLIT_PEOPLES and less not in SPLIT_PEOPLES
    assert not [p for p in make_world(0, lengths=0).group_pairs if p.factor == LENGTH]


def test_who_wants_more_groups_keeps_those_that_it_had() -> None:
    had = make_world(4).group_pairs
    more = make_world(4, ratios=[1, 2, 4, 8, 16], lengths=4).group_pairs
    assert set(had) < set(more)
    assert Counter(pair.factor for pair in set(more) - set(had)) == {FREQUENCY: 1, LENGTH: 2}


def test_each_benchmark_has_as_many_pairs_as_asked() -> None:
    for pairs in (crows_pairs(WORLD, COUNTS), stereoset(WORLD, COUNTS)):
        assert {pair.contrast.factor for pair in pairs} == {ASSOCIATION, FREQUENCY, BOTH, LENGTH}
        per_contrast = Counter((pair.contrast.unit, *pair.contrast.shared.values()) for pair in pairs)
        assert len(per_contrast) == len(WORLD.contrasts)
        for (unit, word), number in per_contrast.items():
            assert number == (COUNTS.per_occupation if unit == word else COUNTS.per_trait)
        assert len({(pair.stereotype, pair.antistereotype) for pair in pairs}) == len(pairs)


def test_votes_are_for_bias_types_of_the_world() -> None:
    votes = {vote for pair in crows_pairs(WORLD, COUNTS) for vote in pair.votes if vote}
    assert votes == {"gender", "nationality", "religion", "race-color"}


def test_truth_says_what_repeats_and_which_side_is_the_longer() -> None:
    occupations = {occupation.word for occupation in WORLD.occupations}
    groups = [(p.factor, {p.disadvantaged, p.advantaged}) for p in WORLD.group_pairs]
    found: Counter[tuple[str, str | None]] = Counter()
    for name, pairs in ((CROWS_PAIRS, crows_pairs(WORLD, COUNTS)), (STEREOSET, stereoset(WORLD, COUNTS))):
        for pair in pairs:
            fact = TRUTH["benchmarks"][name][pair.pair_id]
            if fact["factor"] == ASSOCIATION:
                assert fact["unit"] in occupations & set(pair.stereotype)
            else:
                first, second = fact["unit"].split(" / ")
                assert first < second and (fact["factor"], {first, second}) in groups
                assert {first, second} == {
                    pair.contrast.stereotype["group"],
                    pair.contrast.antistereotype["group"],
                }
            tokens = [
                sum(2 if word in SPLIT_PEOPLES else 1 for word in words)
                for words in (pair.stereotype, pair.antistereotype)
            ]
            longer = {0: None, 1: "stereotype", -1: "antistereotype"}[tokens[0] - tokens[1]]
            assert fact["longer_side"] == longer
            found[fact["factor"], longer] += 1
    sides = {(LENGTH, side) for side in ("stereotype", "antistereotype")}
    assert set(found) == sides | {(factor, None) for factor in (ASSOCIATION, FREQUENCY, BOTH)}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a b c", "a x c", ([1], [1])),
        ("We met a Higher Ombric guest", "We met a Burmic guest", ([3, 4], [3])),
        ("a b", "a b", ([], [])),
    ],
)
def test_modified_words_are_those_outside_what_two_sentences_share(
    first: str, second: str, expected: tuple[list[int], list[int]]
) -> None:
    assert modified_words(first.split(), second.split()) == expected
    assert modified_words(second.split(), first.split()) == expected[::-1]
