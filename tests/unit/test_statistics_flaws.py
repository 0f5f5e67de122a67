"""What is wrong with pairs: planted flaws are found and nothing else, near-duplicates against all couples."""

import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiles import examples
from real_data import real_data
from synthetic import pair_results
from unmask.benchmarks.labelled import LABELS, read_labels
from unmask.benchmarks.reading import read_benchmark
from unmask.benchmarks.schema import PAIRS
from unmask.pairs import quality
from unmask.pairs.quality import flawed
from unmask.statistics.flaws import flags, flaws_table, near_duplicates
from unmask.statistics.schema import FLAWS, PAIR_FLAWS, UNRATED
from unmask.tables import as_table, framed


def literal(sets: list[frozenset[str]], alike: Fraction) -> list[int | None]:
    """Every set against every one before it that stays."""
    found: list[int | None] = []
    for number, own in enumerate(sets):
        first = None
        for other in range(number):
            of_any = len(own | sets[other])
            if found[other] is None and of_any and Fraction(len(own & sets[other]), of_any) >= alike:
                first = other
                break
        found.append(first)
    return found


words = st.frozensets(st.sampled_from("abcdefghijkl"), max_size=12)


@settings(max_examples=examples(300))
@given(st.lists(words, max_size=30), st.sampled_from([(1, 2), (2, 3), (4, 5), (9, 10), (1, 1)]))
def test_near_duplicates_are_those_of_all_couples(sets: list[frozenset[str]], alike: tuple[int, int]) -> None:
    assert near_duplicates(sets, alike[0] / alike[1]) == literal(sets, Fraction(*alike))


def test_near_duplicates_among_sentences_as_long_as_real_ones() -> None:
    rng = random.Random(1)
    sets = [frozenset(f"w{int(rng.paretovariate(0.6))}" for _ in range(15)) for _ in range(300)]
    for _ in range(100):
        kept = sorted(rng.choice(sets))
        sets.append(frozenset([*kept[: -rng.randrange(1, 4)], *(f"new{n}" for n in range(rng.randrange(3)))]))
    rng.shuffle(sets)
    found = near_duplicates(sets)
    assert found == literal(sets, Fraction(4, 5))
    assert 20 < sum(place is not None for place in found) < 100


def test_of_a_set_without_words_nothing_is_a_near_duplicate() -> None:
    assert near_duplicates([[], [], ["a"], ["a", "a"]]) == [None, None, None, 2]


def pair(number: int, stereotype: str, antistereotype: str, **more: object) -> dict[str, object]:
    whole: dict[str, object] = {
        "pair_id": f"p{number}",
        "bias_type": "gender",
        "stereotype": stereotype,
        "antistereotype": antistereotype,
        "ratings": ["gender", "gender", "gender", None, "race"],
        "target": "t",
    }
    return dict.fromkeys(PAIRS.names) | whole | more


SOUND = [
    pair(n, f"The {n} brown {n}x {n}y jumped over her {n}z", f"The {n} brown {n}x {n}y jumped over his {n}z")
    for n in range(5)
]


def found_in(rows: list[dict[str, object]], labels: pd.DataFrame | None = None) -> dict[str, list[int]]:
    """Which pairs have each flaw, as they are read again."""
    pairs = pd.DataFrame(rows, columns=PAIRS.names, dtype=object)
    table = flaws_table(pairs, labels)
    assert as_table(table, FLAWS).column("pair_id").to_pylist() == list(pairs["pair_id"])
    return {name: np.flatnonzero(own).tolist() for name, own in flags(table).items()}


def test_sound_pairs_have_no_flaw() -> None:
    assert found_in(SOUND) == {name: [] for name in (*PAIR_FLAWS, UNRATED)}


FEW: list[object] = ["gender", "gender", None, "race"]


@pytest.mark.parametrize(
    ("flaws", "bad"),
    [
        ({"few_votes"}, pair(9, "She sings very well", "He sings very well", ratings=FEW)),
        ({"no_votes"}, pair(9, "She sings very well", "He sings very well", ratings=None)),
        ({"no_votes"}, pair(9, "She sings very well", "He sings very well", ratings=[])),
        # the second pair with its sides changed and other signs
        ({"near_duplicate"}, pair(9, "the 1 brown 1x 1y jumped over HIS 1z!", SOUND[1]["stereotype"])),  # type: ignore[arg-type]
        ({"identical"}, pair(9, "She sings very well", "She sings very well")),
        ({"unequal_words"}, pair(9, "My mother sings well", "He sings well")),
        ({"many_words"}, pair(9, "a b c d sings well", "e f g h sings well")),
        ({"missing_field"}, pair(9, "She sings very well", "He sings very well", target=None)),
        ({"many_words", "unequal_words"}, pair(9, "a b c d sings well", "sings well")),
        (set(), pair(9, "a b c sings well", "e f g sings well", ratings=["gender", "gender", None])),
    ],
)
def test_a_planted_flaw_is_found_and_no_other(flaws: set[str], bad: dict[str, object]) -> None:
    assert found_in([*SOUND, bad]) == {name: [5] if name in flaws else [] for name in (*PAIR_FLAWS, UNRATED)}


def test_a_near_duplicate_leads_to_the_pair_that_stays() -> None:
    rows = [*SOUND, *(pair(9 + n, str(SOUND[3]["stereotype"]), str(SOUND[3]["stereotype"])) for n in (0, 1))]
    table = flaws_table(pd.DataFrame(rows, columns=PAIRS.names, dtype=object))
    assert table["near_duplicate_of"].tolist() == [None] * 5 + ["p3", "p3"]


def test_without_votes_nothing_is_said_of_them() -> None:
    rows = [each | {"ratings": None} for each in SOUND]
    assert set(found_in(rows)) == set(PAIR_FLAWS) - {"few_votes"}


def test_labels_of_both_sentences_are_votes() -> None:
    rows = [each | {"ratings": None} for each in SOUND]
    given = {
        # most call each what it is; only one of the two; half of the raters; another sentence alone
        "p0": [("stereotype", "stereotype", 3), ("stereotype", "unrelated", 2)],
        "p1": [("stereotype", "stereotype", 5), ("antistereotype", "stereotype", 5)],
        "p2": [("antistereotype", "antistereotype", 2), ("antistereotype", "related", 2)],
        "p3": [("unrelated", "unrelated", 5)],
    }
    labels = framed(
        [
            {"pair_id": pair_id, "role": role, "label": label, "votes": votes}
            for pair_id, own in given.items()
            for role, label, votes in own
        ],
        LABELS,
    )
    found = found_in(rows, labels)
    assert found["few_votes"] == [1, 2] and found["no_votes"] == [3, 4]


def test_the_flaws_of_crows_pairs() -> None:
    pairs = read_benchmark(real_data("crows_pairs", "crows_pairs_anonymized.csv"), {"format": "crows-pairs"})
    counts = {name: int(own.sum()) for name, own in flags(flaws_table(pairs)).items()}
    # three votes of five for the pair's own bias type have 1346 of 1508
    assert counts == {
        "few_votes": 162,
        "no_votes": 0,
        "near_duplicate": 2,
        "identical": 0,
        "unequal_words": 208,
        "many_words": 32,
        "missing_field": 0,
    }


def test_the_flaws_of_stereoset() -> None:
    path = real_data("stereoset", "dev.json")
    pairs, labels = read_benchmark(path, {"format": "stereoset"}), read_labels(path, "stereoset")
    table = flaws_table(pairs, labels)
    counts = {name: int(own.sum()) for name, own in flags(table).items()}
    assert counts == dict.fromkeys(PAIR_FLAWS, 0) | {UNRATED: 810, "near_duplicate": 10}
    # a label that is missing is no flaw
    assert len(flawed(table)) == 10
    sheet = quality.counts({"stereoset": table}, "")
    cells = {label: cell for (_, label), cell in zip(sheet.columns, sheet.rows[0][1:], strict=True)}
    assert (cells["any flaw"], cells["not rated"]) == ("10", "810")
    (counted,) = [finding for finding in quality.FINDINGS if finding.name == "flawed pairs"]
    (sentence,) = counted.sentences(pair_results([], [], flaws={"stereoset": table}))
    assert "10 of 2,106 of stereoset" in sentence and "810 of 2,106" in sentence and "818" not in sentence
    # it is all the professions that have no labels in the public file
    assert set(pairs["bias_type"][table["no_votes"].eq(True)]) == {"profession"}
