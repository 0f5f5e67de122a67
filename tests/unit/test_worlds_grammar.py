import math
from collections import Counter
from collections.abc import Sequence

import pytest

from made_worlds import DOSED, NAMED, OTHERS, by_hand, make_world, settings
from unmask.errors import InputError
from unmask.terms import ANTISTEREO, STEREO
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import (
    ASSOCIATION,
    BOTH,
    FREQUENCY,
    LENGTH,
    NAMES,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    PRONOUNS,
    World,
    frames,
    text_of,
    words_of,
)
from unmask.worlds.oracle import Oracle

SETTINGS = {f"seed {seed}": {"seed": seed} for seed in (0, 1, 7)} | OTHERS | {"dosed": DOSED, "named": NAMED}
WORLDS = {name: make_world(**changes) for name, changes in SETTINGS.items()}
every_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
PRONOUN_GENDER = {word: gender for gender, words in PRONOUNS.items() for word in words.values()}
NAME_GENDER = {name: gender for gender, names in NAMES.items() for name in names}
GENDER = PRONOUN_GENDER | NAME_GENDER


def share(world: World, *words: str) -> float:
    """P(a sentence has all these words)."""
    return sum(s.probability for s in world.sentences if set(words) <= set(s.words))


@every_world
def test_probabilities_sum_to_one_and_sentences_are_distinct(world: World) -> None:
    assert math.fsum(s.probability for s in world.sentences) == pytest.approx(1.0, abs=1e-12)
    assert len({s.words for s in world.sentences}) == len(world.sentences)
    assert all(s.probability > 0 for s in world.sentences)


@pytest.mark.parametrize("name", WORLDS)
def test_every_occupation_goes_with_its_gender_as_planted(name: str) -> None:
    world, levels = WORLDS[name], settings(**SETTINGS[name])["associations"]
    assert Counter((o.gender, o.p) for o in world.occupations) == {
        (gender, p): 12 // len(levels) * levels.count(p) for gender in PRONOUNS for p in levels
    }
    for word, gender, p in world.occupations:
        by_gender: Counter[str] = Counter()
        for sentence in world.sentences:
            if word in sentence.words:
                (found,) = {GENDER[w] for w in sentence.words if w in GENDER}
                by_gender[found] += sentence.probability  # type: ignore[assignment]
        assert by_gender[gender] / by_gender.total() == pytest.approx(p)


@every_world
def test_genders_are_as_frequent_as_each_other(world: World) -> None:
    for slot in ("subject", "possessive"):
        he, she = (share(world, words[slot]) for words in PRONOUNS.values())
        assert he == pytest.approx(she)


def test_names_are_as_frequent_as_each_other_and_tell_their_gender_for_certain() -> None:
    world, everyone = WORLDS["named"], [*NAMES["female"][:7], *NAMES["male"][:7]]
    assert sum(share(world, name) for name in everyone) == pytest.approx(0.5)
    assert all(share(world, name) == pytest.approx(0.5 / 14) for name in everyone)
    assert {word for word in world.words if word in NAME_GENDER} == set(everyone)
    seen: set[tuple[str, str]] = set()
    for sentence in world.sentences:
        names = [word for word in sentence.words if word in NAME_GENDER]
        pronouns = [word for word in sentence.words if word in PRONOUN_GENDER]
        # a pronoun is never without the name that it is of
        assert not pronouns or [PRONOUN_GENDER[p] for p in pronouns] == [NAME_GENDER[n] for n in names]
        seen.update(zip(names, pronouns, strict=False))
    assert len(seen) == 14 * 2


def test_an_occupation_is_asked_of_every_name_beside_one_of_the_other_gender() -> None:
    world = WORLDS["named"]
    couples: Counter[frozenset[str]] = Counter()
    for word, gender, _ in world.occupations:
        asked = [c for c in world.contrasts if c.factor == ASSOCIATION and c.target == word]
        one, other = (
            [side["name"] for side in sides]
            for sides in zip(*((c.stereotype, c.antistereotype) for c in asked), strict=True)
        )
        assert one == list(world.names_of(gender))
        assert sorted(other) == sorted(world.names_of("male" if gender == "female" else "female"))
        couples.update(frozenset(couple) for couple in zip(one, other, strict=True))
    # all 49 couples, about as often as each other
    assert len(couples) == 49 and max(couples.values()) - min(couples.values()) <= 2


@pytest.mark.parametrize("name", WORLDS)
def test_groups_have_their_frequencies_and_traits(name: str) -> None:
    world, given = WORLDS[name], settings(**SETTINGS[name])
    wanted = [(FREQUENCY, ratio, 0.5) for ratio in given["ratios"]]
    wanted += [(BOTH, ratio, given["both"]["association"]) for ratio in given["both"]["ratios"]]
    wanted += [(LENGTH, 1, 0.5)] * given["lengths"]
    for pair, (factor, ratio, p) in zip(world.group_pairs, wanted, strict=True):
        assert pair.factor == factor
        less, more = (share(world, group) for group in (pair.disadvantaged, pair.advantaged))
        assert more / less == pytest.approx(ratio)
        for group, traits in ((pair.disadvantaged, NEGATIVE_TRAITS), (pair.advantaged, POSITIVE_TRAITS)):
            own = sum(share(world, group, trait) for trait in traits)
            assert own / share(world, group) == pytest.approx(p)


@pytest.mark.parametrize(
    "world", [make_world(3), WORLDS["uneven"], WORLDS["named"]], ids=["seed 3", "uneven", "named"]
)
def test_the_stereotypical_side_is_the_likelier_attribute_and_directions_name_the_group(
    world: World,
) -> None:
    for contrast in world.contrasts:
        if contrast.factor == ASSOCIATION:
            assert contrast.target == contrast.shared["occupation"]
            sides = [
                {GENDER[word] for word in side.values()}
                for side in (contrast.stereotype, contrast.antistereotype)
            ]
            assert sorted(map(len, sides)) == [1, 1] and set.union(*sides) == {"female", "male"}
            woman = sides[0] == {"female"}
            assert contrast.direction == (STEREO if woman else ANTISTEREO)
        else:
            assert contrast.target == contrast.stereotype["group"]
            rare = {pair.disadvantaged for pair in world.group_pairs}
            assert contrast.direction == (STEREO if contrast.stereotype["group"] in rare else ANTISTEREO)
            assert (contrast.direction == STEREO) == (contrast.shared["trait"] in NEGATIVE_TRAITS)
        if contrast.p != 0.5:
            (word_of_both,) = contrast.shared.values()
            likelihoods = [
                share(world, word_of_both, word) / share(world, word)
                for side in (contrast.stereotype, contrast.antistereotype)
                for word in list(side.values())[:1]
            ]
            # below one half what is called the stereotype is the less likely
            assert (likelihoods[0] > likelihoods[1]) == (contrast.p > 0.5)


def test_the_seed_changes_who_plays_which_part_and_nothing_else() -> None:
    a, b = make_world(0), make_world(1)
    assert a.occupations != b.occupations
    assert a.words == b.words
    assert make_world(0).sentences == a.sentences


def test_corpus_has_each_sentence_as_often_as_planted_give_or_take_one() -> None:
    world = make_world(5)
    lines = draw_corpus(world, 40_000)
    assert len(lines) == 40_000
    counts = Counter(lines)
    expected = {text_of(s.words): 40_000 * s.probability for s in world.sentences}
    assert set(counts) <= set(expected)
    assert all(abs(counts[text] - n) < 1 + 1e-6 for text, n in expected.items())
    words = Counter(word for line in lines for word in line.removesuffix(".").split())
    for pair in world.group_pairs:
        # each group's count is the sum of few runs of sentences, each exact to one
        ratio = words[pair.advantaged] / words[pair.disadvantaged]
        assert ratio == pytest.approx(pair.ratio, rel=0.02)
    for word, gender, p in world.occupations:
        about = [line.removesuffix(".").split() for line in lines if word in line.split()]
        own = sum(any(PRONOUN_GENDER.get(w) == gender for w in line) for line in about)
        assert own / len(about) == pytest.approx(p, abs=0.01)


def test_corpus_follows_from_the_seed_alone() -> None:
    assert draw_corpus(make_world(2), 500) == draw_corpus(make_world(2), 500)
    assert draw_corpus(make_world(2), 500) != draw_corpus(make_world(3), 500)
    # what Python's generator gives on every machine
    assert draw_corpus(make_world(0), 3) == [
        "The dancer described her lunch.",
        "We met a Belvan visitor who seemed greedy.",
        "The Fostan guest was often lazy.",
    ]


def test_corpus_order_is_random() -> None:
    lines = draw_corpus(make_world(0), 2000)
    gendered = [any(word in PRONOUN_GENDER for word in line.split()) for line in lines]
    assert 380 < sum(gendered[:1000]) < 520


@pytest.mark.parametrize("sentences", [0, -1])
def test_an_empty_corpus_is_refused_in_one_line(sentences: int) -> None:
    with pytest.raises(InputError, match="sentences must be at least 1"):
        draw_corpus(make_world(0), sentences)


@pytest.mark.parametrize(
    "world", [make_world(4), WORLDS["uneven"], WORLDS["named"]], ids=["seed 4", "uneven", "named"]
)
@pytest.mark.parametrize("hidden", [[1], [4], [1, 4], [0, 6], range(7)], ids=str)
def test_oracle_equals_brute_force(world: World, hidden: Sequence[int]) -> None:
    oracle = Oracle(world)
    for sentence in [s for s in world.sentences if len(s.words) == 7][::211]:
        expected = by_hand(world, sentence.words, hidden)
        assert oracle.log_probs(sentence.words, list(hidden)) == pytest.approx(expected)


def test_oracle_knows_what_cannot_be() -> None:
    oracle = Oracle(make_world(0))
    possible = ("Most", "Belvan", "people", "are", "rude", ".")
    assert oracle.log_probs(possible, [2]) == [0.0]
    assert oracle.log_probs(("Most", "lunch", "people", "are", "rude", "."), [1]) == [-math.inf]
    with pytest.raises(ValueError, match="visible words"):
        oracle.log_probs(("Most", "lunch", "people", "are", "rude", "."), [4])
    with pytest.raises(ValueError, match="3 words"):
        oracle.log_probs(("Most", "people", "."), [0])


@every_world
def test_oracle_margins_are_what_the_factors_say(world: World) -> None:
    oracle = Oracle(world)
    for contrast in world.contrasts:
        for template in contrast.templates:
            frame = frames(template)[0]
            stereotype, antistereotype = (
                words_of(frame, {**contrast.shared, **side})
                for side in (contrast.stereotype, contrast.antistereotype)
            )
            margins = oracle.margins(stereotype, antistereotype)
            association = math.log(contrast.p / (1 - contrast.p))
            # stereo: the stereotypical sentence speaks of the rarer group
            sign = -1 if contrast.direction == STEREO else 1
            frequency = sign * math.log(contrast.ratio)
            assert margins["CPS"] == pytest.approx(association, abs=1e-9)
            assert margins["SSS"] == pytest.approx(association + frequency, abs=1e-9)
            assert margins["AllMasked"] == pytest.approx(frequency / len(stereotype), abs=1e-9)
