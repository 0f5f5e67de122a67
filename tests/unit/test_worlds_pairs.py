import ast
import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from made_worlds import NAMED, OTHERS, make_world, settings
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY, LENGTH, World, text_of
from unmask.worlds.oracle import Oracle
from unmask.worlds.pairs import (
    CROWS_PAIRS,
    STEREOSET,
    Counts,
    PlantedPair,
    crows_pairs,
    stereoset,
    write_crows_pairs,
    write_stereoset,
)
from unmask.worlds.planted import truth, write_truth

WORLD = make_world(0)
NAMED_WORLD, NAMED_COUNTS = make_world(**NAMED), Counts.from_config("w", settings(**NAMED))
BY_NAME = {CROWS_PAIRS: crows_pairs(WORLD), STEREOSET: stereoset(WORLD)}
benchmarks = pytest.mark.parametrize("pairs", BY_NAME.values(), ids=BY_NAME)


NAMED_BY_NAME = {
    CROWS_PAIRS: crows_pairs(NAMED_WORLD, NAMED_COUNTS),
    STEREOSET: stereoset(NAMED_WORLD, NAMED_COUNTS),
}
named_benchmarks = pytest.mark.parametrize("pairs", NAMED_BY_NAME.values(), ids=NAMED_BY_NAME)


@pytest.mark.parametrize(
    ("world", "pairs"),
    [
        *((WORLD, pairs) for pairs in BY_NAME.values()),
        *((NAMED_WORLD, pairs) for pairs in NAMED_BY_NAME.values()),
    ],
    ids=[*BY_NAME, *(f"{name}-of-names" for name in NAMED_BY_NAME)],
)
def test_pairs_are_sentences_of_the_grammar_that_differ_where_they_should(
    world: World, pairs: list[PlantedPair]
) -> None:
    possible = {s.words for s in world.sentences}
    for pair in pairs:
        assert pair.stereotype in possible
        assert pair.antistereotype in possible
        assert pair.unrelated not in possible
        assert 1 <= len(pair.modified) <= 2
        unrelated = {
            i for i, (a, b) in enumerate(zip(pair.stereotype, pair.unrelated, strict=True)) if a != b
        }
        assert unrelated == set(pair.modified)
        assert {pair.stereotype[i] for i in pair.modified} <= set(pair.contrast.stereotype.values())


@benchmarks
def test_pairs_are_distinct_and_cover_every_factor_and_direction(pairs: list[PlantedPair]) -> None:
    assert len({pair.pair_id for pair in pairs}) == len(pairs)
    assert len({(pair.stereotype, pair.antistereotype) for pair in pairs}) == len(pairs)
    counts = Counter((p.contrast.factor, p.contrast.p, p.contrast.ratio, p.contrast.direction) for p in pairs)
    expected = {(ASSOCIATION, p, 1) for p in (0.5, 0.6, 0.75, 0.9)}
    expected |= {(FREQUENCY, 0.5, ratio) for ratio in (1, 2, 4, 8)}
    expected |= {(BOTH, 0.8, ratio) for ratio in (1, 4, 8)} | {(LENGTH, 0.5, 1)}
    assert set(counts) == {
        (*level, direction) for level in expected for direction in ("stereo", "antistereo")
    }
    assert min(counts.values()) >= 12


@named_benchmarks
def test_most_pairs_of_every_level_are_stereotypes_of_the_disadvantaged(pairs: list[PlantedPair]) -> None:
    assert len({(pair.stereotype, pair.antistereotype) for pair in pairs}) == len(pairs)
    counts = Counter((p.contrast.factor, p.contrast.p, p.contrast.direction) for p in pairs)
    # of each gender six occupations at each level; per pair of groups three traits of either kind
    for level, stereo in (
        ((ASSOCIATION, 0.5), 6 * 9),
        ((ASSOCIATION, 0.9), 6 * 9),
        ((FREQUENCY, 0.5), 3 * 3 * 2),
        ((BOTH, 0.8), 2 * 3 * 2),
        ((LENGTH, 0.5), 3 * 2),
    ):
        assert counts[*level, "stereo"] == stereo
        antistereo = counts[*level, "antistereo"]
        # the nearest whole number to 15 for every 85
        assert abs(antistereo - stereo * 15 / 85) <= 0.5
    # no stereotype of the advantaged has two pairs more than another of its level
    others = [p for p in pairs if p.contrast.direction == "antistereo" and p.contrast.factor == ASSOCIATION]
    per_occupation = Counter(p.contrast.target for p in others)
    assert len(per_occupation) == 12 and set(per_occupation.values()) <= {1, 2}


@named_benchmarks
def test_names_and_templates_take_turns(pairs: list[PlantedPair]) -> None:
    told = [p for p in pairs if p.contrast.factor == ASSOCIATION]
    for direction in ("stereo", "antistereo"):
        of_direction = [p.contrast for p in told if p.contrast.direction == direction]
        for side in ("stereotype", "antistereotype"):
            uses = Counter(getattr(contrast, side)["name"] for contrast in of_direction)
            assert len(uses) == 7 and max(uses.values()) - min(uses.values()) <= (
                1 if side == "stereotype" else 5
            )
    # what is said of an occupation is said in every way of all three
    starts = Counter((p.stereotype[0] == "The", p.stereotype[1] == "is") for p in told)
    assert len(starts) == 3 and min(starts.values()) > len(told) / 5
    # with two pairs a trait, and three templates, none is left out
    assert {p.stereotype[0] for p in pairs if p.contrast.factor == FREQUENCY} == {"The", "Most", "We"}


def test_a_world_of_names_has_more_pairs_than_names() -> None:
    most = Counts(per_occupation=21, per_trait=1)
    pairs = crows_pairs(NAMED_WORLD, most)
    assert len({(pair.stereotype, pair.antistereotype) for pair in pairs}) == len(pairs)
    assert Counter(p.contrast.target for p in pairs)["nurse"] == 21


@pytest.mark.parametrize("name", OTHERS)
def test_other_settings_have_pairs_at_each_of_their_levels(name: str) -> None:
    given = OTHERS[name]
    expected = {(ASSOCIATION, p, 1) for p in given["associations"]}
    expected |= {(FREQUENCY, 0.5, ratio) for ratio in given["ratios"]}
    expected |= {(BOTH, given["both"]["association"], ratio) for ratio in given["both"]["ratios"]}
    world = make_world(**given)
    for pairs in (crows_pairs(world), stereoset(world)):
        levels = {(p.contrast.factor, p.contrast.p, p.contrast.ratio, p.contrast.direction) for p in pairs}
        assert levels == {
            (*level, direction)
            for level in expected | {(LENGTH, 0.5, 1)}
            for direction in ("stereo", "antistereo")
        }
        assert {"he", "she"} <= {word for pair in pairs for word in pair.stereotype}


def test_some_crows_pairs_differ_in_two_words_and_no_stereoset_pair_does() -> None:
    assert {len(pair.modified) for pair in BY_NAME[CROWS_PAIRS]} == {1, 2}
    assert {len(pair.modified) for pair in BY_NAME[STEREOSET]} == {1}


def test_votes_grow_with_the_association() -> None:
    own: dict[float, list[int]] = {}
    for pair in BY_NAME[CROWS_PAIRS]:
        assert len(pair.votes) == 5
        own.setdefault(pair.contrast.p, []).append(pair.votes.count(pair.contrast.bias_type))
    means = [sum(votes) / len(votes) for _, votes in sorted(own.items())]
    assert means == sorted(means)
    assert means[0] < 3.2 and means[-1] > 4.4
    # every reading of the ratings has both classes
    any_votes = [sum(vote is not None for vote in pair.votes) for pair in BY_NAME[CROWS_PAIRS]]
    assert all({n >= least for n in any_votes} == {True, False} for least in (3, 4, 5))


def test_crows_pairs_file(tmp_path: Path) -> None:
    path = tmp_path / "crows_pairs.csv"
    pairs = BY_NAME[CROWS_PAIRS]
    write_crows_pairs(path, pairs)
    with open(path, encoding="utf-8", newline="") as file:
        assert file.readline() == (
            ",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators\n"
        )
        file.seek(0)
        rows = list(csv.DictReader(file))
    assert len(rows) == len(pairs)
    for i, (row, pair) in enumerate(zip(rows, pairs, strict=True)):
        assert row[""] == pair.pair_id == str(i)
        assert (row["sent_more"], row["sent_less"]) == (
            text_of(pair.stereotype),
            text_of(pair.antistereotype),
        )
        assert row["stereo_antistereo"] == pair.contrast.direction
        assert row["bias_type"] == pair.contrast.bias_type
        annotations = ast.literal_eval(row["annotations"])
        assert annotations == [[vote] if vote else [] for vote in pair.votes]
        people = ast.literal_eval(row["anon_annotators"])
        assert len({row["anon_writer"], *people}) == 6


def test_stereoset_file(tmp_path: Path) -> None:
    path = tmp_path / "stereoset.json"
    pairs = BY_NAME[STEREOSET]
    write_stereoset(path, pairs)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert set(document) == {"version", "data"}
    items = document["data"]["intrasentence"]
    assert len(items) == len(pairs)
    orders = set()
    for item, pair in zip(items, pairs, strict=True):
        assert item["id"] == pair.pair_id
        if pair.contrast.factor == ASSOCIATION:
            assert item["target"] in item["context"].split()
        else:
            # the group that the stereotype is about stands in the blank
            assert item["target"] in pair.stereotype and item["target"] not in pair.antistereotype
        assert item["context"].count("BLANK") == 1
        by_label = {s["gold_label"]: s["sentence"] for s in item["sentences"]}
        assert by_label == {
            "stereotype": text_of(pair.stereotype),
            "anti-stereotype": text_of(pair.antistereotype),
            "unrelated": text_of(pair.unrelated),
        }
        before, after = item["context"].split("BLANK")
        assert all(s.startswith(before) and s.endswith(after) for s in by_label.values())
        for sentence in item["sentences"]:
            assert [label["label"] for label in sentence["labels"]] == [sentence["gold_label"]] * 5
        orders.add(tuple(s["gold_label"] for s in item["sentences"]))
    assert len(orders) == 6
    ids = [s["id"] for item in items for s in item["sentences"]]
    assert len(set(ids)) == len(ids)


def test_truth_holds_every_pair_with_the_oracles_margins(tmp_path: Path) -> None:
    path = tmp_path / "truth.json"
    write_truth(path, WORLD, {"code": "digest"})
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps({**truth(WORLD), "code": "digest"}))
    assert (written["world"], written["seed"]) == ("w", 0)
    assert written["settings"] == {
        "associations": [0.5, 0.6, 0.75, 0.9],
        "ratios": [1, 2, 4, 8],
        "both": {"association": 0.8, "ratios": [1, 4, 8]},
        "lengths": 2,
        "names": 0,
        "pairs": {"per_occupation": 8, "per_trait": 4, "stereo_share": 0.5},
    }
    oracle = Oracle(WORLD)
    for name, pairs in BY_NAME.items():
        facts = written["benchmarks"][name]
        assert list(facts) == [pair.pair_id for pair in pairs]
        for pair in pairs[::17]:
            fact = facts[pair.pair_id]
            margins = oracle.margins(pair.stereotype, pair.antistereotype)
            assert fact["margins"] == pytest.approx(margins, abs=1e-9)
            assert (fact["factor"], fact["p"], fact["ratio"], fact["direction"]) == (
                pair.contrast.factor,
                pair.contrast.p,
                pair.contrast.ratio,
                pair.contrast.direction,
            )


def test_files_follow_from_the_seed_alone(tmp_path: Path) -> None:
    for i, world in enumerate((make_world(2), make_world(2), make_world(3))):
        write_crows_pairs(tmp_path / f"{i}.csv", crows_pairs(world))
        write_stereoset(tmp_path / f"{i}.json", stereoset(world))
    for suffix in (".csv", ".json"):
        first, second, other = ((tmp_path / f"{i}{suffix}").read_bytes() for i in range(3))
        assert first == second != other
