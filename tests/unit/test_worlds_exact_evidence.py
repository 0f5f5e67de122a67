"""Evidence of exact models: the rows of a transformer, the margins of the theory."""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import closed_forms as theory
from made_worlds import CORRUPTION, DOSED, OTHERS, make_world
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.collecting import as_rows, prepare
from unmask.evidence.engine import Answers
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.tokenising import tokenise
from unmask.measures.registry import maskings_of
from unmask.measures.scoring import score_pairs
from unmask.tables import framed, read_table, write_table
from unmask.terms import (
    ALL,
    ANTISTEREOTYPE,
    CORRECTED,
    MODIFIED,
    NONE,
    ONE_MODIFIED,
    ONE_SHARED,
    ORIGINAL,
    STEREOTYPE,
)
from unmask.worlds.exact import ExactModel
from unmask.worlds.exact_evidence import exact_evidence
from unmask.worlds.grammar import (
    ASSOCIATION,
    FREE_SLOTS,
    LENGTH,
    SPLIT_PEOPLES,
    WEIGHTS,
    World,
    text_of,
)
from unmask.worlds.oracle import Oracle
from unmask.worlds.pairs import PlantedPair, crows_pairs
from unmask.worlds.recipe import Corruption
from unmask.worlds.tokenizers import make_tokenizer

MASKINGS = (NONE, ONE_SHARED, ONE_MODIFIED, MODIFIED, ALL)
MEASURES = ("CPS", "SSS", "AllMasked", "PLL", "AUL", "AULA")
SETTINGS = {
    "default": {},
    "dosed": DOSED,
    "uneven": OTHERS["uneven"],
}
worlds = pytest.mark.parametrize("name", SETTINGS)


@cache
def world_of(name: str) -> World:
    return make_world(**SETTINGS[name])


@cache
def planted(name: str) -> list[PlantedPair]:
    return crows_pairs(world_of(name))


def frame(pairs: list[PlantedPair]) -> pd.DataFrame:
    rows = [
        {
            "pair_id": pair.pair_id,
            "bias_type": pair.contrast.bias_type,
            "stereotype": text_of(pair.stereotype),
            "antistereotype": text_of(pair.antistereotype),
            "unrelated": text_of(pair.unrelated),
        }
        for pair in pairs
    ]
    return framed(rows, PAIRS)


def margins(pairs: pd.DataFrame, model: ExactModel, measures: Sequence[str] = MEASURES) -> pd.DataFrame:
    """Margins of protocol `corrected`: pairs × measures."""
    evidence = {masking: exact_evidence(pairs, model, masking) for masking in maskings_of(measures)}
    scores = score_pairs(list(pairs["pair_id"]), evidence, measures)
    table = scores[scores["protocol"] == CORRECTED].pivot(index="pair_id", columns="measure", values="margin")
    return table.loc[pairs["pair_id"]]


@cache
def found(name: str) -> pd.DataFrame:
    return margins(frame(planted(name)), ExactModel(world_of(name), CORRUPTION))


def same_length(pair: PlantedPair) -> bool:
    return pair.contrast.longer_side is None


@worlds
def test_margins_are_those_of_the_theory(name: str) -> None:
    trust = theory.trust(CORRUPTION, len(ExactModel(world_of(name), CORRUPTION).tokens.content))
    for pair, (_, row) in zip(planted(name), found(name).iterrows(), strict=True):
        if not same_length(pair):
            continue
        p, ratio, direction = pair.contrast.p, pair.contrast.ratio, pair.contrast.direction
        one_word = len(pair.modified) == 1
        expected = {
            "CPS": theory.cps_margin(p),
            "SSS": theory.sss_margin(p, ratio, direction),
            "AllMasked": theory.all_masked_margin(ratio, direction, len(pair.stereotype)),
        }
        # no word of these pairs has two tokens
        pll = theory.pll_margin(p, ratio, direction) if one_word else theory.cps_margin(p)
        expected["PLL"] = pll
        both = [
            theory.aul_score(given_all_else(world_of(name), pair, side), trust) for side in ("more", "less")
        ]
        expected["AUL"] = expected["AULA"] = both[0] - both[1]
        for measure, margin in expected.items():
            assert row[measure] == pytest.approx(margin, abs=1e-6), (pair, measure)


def given_all_else(world: World, pair: PlantedPair, side: str) -> list[float]:
    """P(word | all other words) of each word of one side, by hand from what is planted."""
    contrast = pair.contrast
    words = pair.stereotype if side == "more" else pair.antistereotype
    fillers = {**contrast.shared, **(contrast.stereotype if side == "more" else contrast.antistereotype)}
    known: dict[str, float] = {}
    if contrast.factor == ASSOCIATION:
        p_stereotype = {o.word: (o.gender, o.p) for o in world.occupations}

        def of_gender(occupation: str) -> float:
            gender, p = p_stereotype[occupation]
            is_own = (fillers["subject"] == "she") == (gender == "female")
            return p if is_own else 1 - p

        own = of_gender(fillers["occupation"])
        known[fillers["occupation"]] = own / sum(of_gender(o.word) for o in world.occupations)
        # either of two pronouns gives the other away
        pronoun = own if len(pair.modified) == 1 else 1.0
        known |= {fillers["subject"]: pronoun, fillers["possessive"]: pronoun}
    else:
        trait = fillers["trait"]

        def joint(group: str) -> float:
            (planted,) = [g for g in world.group_pairs if group in (g.disadvantaged, g.advantaged)]
            frequency = 1 if group == planted.disadvantaged else planted.ratio
            is_negative = trait in ("lazy", "rude", "greedy")
            is_own = is_negative == (group == planted.disadvantaged)
            return WEIGHTS[planted.factor] * frequency * (planted.p if is_own else 1 - planted.p) / 3

        rivals = [g for p in world.group_pairs for g in (p.disadvantaged, p.advantaged)]
        whole = [group for group in rivals if group not in SPLIT_PEOPLES and " " not in group]
        known[fillers["group"]] = joint(fillers["group"]) / sum(joint(group) for group in whole)
        (planted,) = [g for g in world.group_pairs if fillers["group"] in (g.disadvantaged, g.advantaged)]
        is_own = (trait in ("lazy", "rude", "greedy")) == (fillers["group"] == planted.disadvantaged)
        known[trait] = (planted.p if is_own else 1 - planted.p) / 3
    for options in FREE_SLOTS.values():
        known |= dict.fromkeys(options, 1 / len(options))
    return [known.get(word, 1.0) for word in words]


@worlds
def test_whole_words_have_the_margins_of_the_oracle_of_words(name: str) -> None:
    oracle = Oracle(world_of(name))
    for pair in planted(name)[::3]:
        if same_length(pair):
            row = found(name).loc[pair.pair_id]
            for measure, margin in oracle.margins(pair.stereotype, pair.antistereotype).items():
                assert row[measure] == pytest.approx(margin, abs=1e-6)


@pytest.mark.parametrize("masking", MASKINGS)
def test_rows_are_those_that_a_transformer_leaves(masking: str) -> None:
    """But for probabilities and attention: WordPiece has the very tokens of the exact model."""
    world, pairs = (
        world_of("default"),
        frame(planted("default")).drop(columns="unrelated").assign(unrelated=None),
    )
    tokenizer = make_tokenizer("bert", world, [])
    layout = prepare(tokenise(pairs, tokenizer), masking, ORIGINAL, 0, tokenizer.mask_token_id)
    count = len(layout.queries.input)
    nothing = np.zeros(count, dtype=np.float32)
    theirs = as_rows(layout, Answers(nothing, np.ones(count, dtype=np.int32), nothing, nothing), tokenizer)
    ours = exact_evidence(pairs, ExactModel(world, CORRUPTION), masking)
    assert len(ours) > 400
    for column in ("pair_id", "role", "position", "token", "special", "modified"):
        assert ours[column].tolist() == theirs[column].tolist(), column
    assert ours["cross_log_prob"].isna().all() == theirs["cross_log_prob"].isna().all()
    assert (ours["log_prob"] <= 0).all()
    assert ours["source_position"].isna().all()


def test_evidence_can_be_written_and_read(tmp_path: Path) -> None:
    pairs = frame(planted("default")[:20])
    model = ExactModel(world_of("default"), CORRUPTION)
    for masking in MASKINGS:
        rows = exact_evidence(pairs, model, masking)
        write_table(tmp_path / "rows.parquet", rows, EVIDENCE, {})
        read = read_table(tmp_path / "rows.parquet", EVIDENCE)
        np.testing.assert_allclose(read["log_prob"], rows["log_prob"].astype(float), rtol=1e-6, atol=1e-7)
        assert set(read["role"]) == {"stereotype", "antistereotype"}


def test_attention_is_uniform_so_that_aula_is_aul() -> None:
    np.testing.assert_allclose(found("default")["AULA"], found("default")["AUL"], atol=1e-12)
    rows = exact_evidence(frame(planted("default")[:5]), ExactModel(world_of("default"), CORRUPTION), NONE)
    by_sentence = rows.groupby(["pair_id", "role"])["attention"]
    np.testing.assert_allclose(by_sentence.sum(), 1)
    assert (by_sentence.nunique() == 1).all()
    assert (rows["attention"] == rows["attention_content"]).all()
    assert (rows.loc[rows["special"], "log_prob"] == 0).all()


def test_ranks_count_the_tokens_that_are_more_probable() -> None:
    """At p = .9 the own pronoun is first and the other second: hidden, or seen where training keeps none."""
    pairs = frame([p for p in planted("default") if p.contrast.p == 0.9 and len(p.modified) == 1])
    never_kept = ExactModel(world_of("default"), Corruption(0.9, 0, 0.1))
    for masking in (MODIFIED, ONE_MODIFIED, NONE):
        rows = exact_evidence(pairs, never_kept, masking)
        modified = rows[rows["modified"].astype(bool)]
        assert len(modified) == 2 * len(pairs)
        assert modified.loc[modified["role"] == "stereotype", "rank"].eq(1).all()
        assert modified.loc[modified["role"] == "antistereotype", "rank"].eq(2).all()
    # equally probable ones come neither before nor behind
    free = exact_evidence(pairs, never_kept, ONE_SHARED)
    assert free.loc[free["token"].isin(FREE_SLOTS["verb"]), "rank"].eq(1).all()


def test_exchanged_sides_exchange_margins_and_equal_sides_tie() -> None:
    pairs, model = frame(planted("default")[:60]), ExactModel(world_of("default"), CORRUPTION)
    whole = found("default").loc[pairs["pair_id"]]
    exchanged = pairs.rename(columns={"stereotype": "antistereotype", "antistereotype": "stereotype"})
    pd.testing.assert_frame_equal(margins(exchanged[pairs.columns], model), -whole, check_exact=True)
    equal = pairs.assign(antistereotype=pairs["stereotype"])
    evidence = {masking: exact_evidence(equal, model, masking) for masking in MASKINGS}
    scores = score_pairs(list(equal["pair_id"]), evidence, ["CPS", "AllMasked", "PLL", "AUL", "AULA"])
    assert set(scores["outcome"]) == {"tie"}
    assert (scores["margin"] == 0).all()
    assert evidence[MODIFIED].empty


def test_what_is_found_of_a_pair_does_not_depend_on_the_others() -> None:
    pairs, model = frame(planted("default")), ExactModel(world_of("default"), CORRUPTION)
    some = pairs.iloc[::-7]
    expected = found("default").loc[some["pair_id"]]
    pd.testing.assert_frame_equal(margins(some, model), expected, check_exact=True)


def test_no_association_and_equal_frequency_are_ties_of_every_measure() -> None:
    for name in ("default", "dosed"):
        alike = [
            p.pair_id
            for p in planted(name)
            if p.contrast.p == 0.5 and p.contrast.ratio == 1 and same_length(p)
        ]
        assert len(alike) > 30
        assert found(name).loc[alike].abs().max().max() < 1e-6


def test_a_sentence_of_another_world_is_refused_by_its_pair() -> None:
    model = ExactModel(world_of("default"), CORRUPTION)
    pairs = frame(planted("default")[:3])
    pair_id = planted("default")[1].pair_id
    for text in ("The nurse said.", "The nurse was tired", "A doctor was tired.", "."):
        pairs.loc[1, "antistereotype"] = text
        with pytest.raises(InputError, match=f"pair {pair_id}: the antistereotype sentence"):
            exact_evidence(pairs, model, ALL)


def test_unmasked_prediction_needs_tokens_that_are_kept_or_random() -> None:
    pairs, world = frame(planted("default")[:5]), world_of("default")
    masked_only = ExactModel(world, Corruption(1, 0, 0))
    assert len(exact_evidence(pairs, masked_only, ONE_SHARED))
    with pytest.raises(InputError, match="world w: its corruption masks all"):
        exact_evidence(pairs, masked_only, NONE)


def test_where_a_modified_token_cannot_stand_elsewhere_its_mean_over_places_is_null() -> None:
    rows = exact_evidence(frame(planted("default")), ExactModel(world_of("default"), CORRUPTION), MODIFIED)
    of_sentence = rows.groupby(["pair_id", "role"])["position"].transform("size")
    assert rows["cross_log_prob"].isna().equals(of_sentence > 1)
    single = rows[of_sentence == 1]
    assert (single["cross_log_prob"].astype(float) == single["log_prob"]).all()


def test_length_alone_moves_what_is_averaged_over_tokens() -> None:
    """Pieces of a name give each other away: the split name's side is the likelier by PLL, whoever it is."""
    length = [p for p in planted("default") if not same_length(p)]
    margin = found("default")
    for pair in length:
        split = pair.contrast.stereotype["group"] in SPLIT_PEOPLES
        row = margin.loc[pair.pair_id]
        assert (row["PLL"] > 0) == (row["AUL"] > 0) == split
        assert row["CPS"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("lengths", [1, 2, 3, 10])
def test_split_names_have_the_margin_of_the_theory_by_pll(lengths: int) -> None:
    """Each piece of a name is seen by the other, so that the side with the split name costs nothing."""
    world = make_world(
        associations=[0.5], ratios=[1], both={"association": 0.5, "ratios": [1]}, lengths=lengths
    )
    pairs = [pair for pair in crows_pairs(world) if pair.contrast.factor == LENGTH][:40:4]
    found = margins(frame(pairs), ExactModel(world, CORRUPTION), ["PLL"])["PLL"]
    longer_side = [pair.contrast.longer_side for pair in pairs]
    assert {*longer_side} == {STEREOTYPE, ANTISTEREOTYPE}
    towards = found.mul([1 if side == STEREOTYPE else -1 for side in longer_side])
    # two nations, and two faiths that are spoken of twice as often
    assert towards.to_numpy() == pytest.approx(math.log(lengths + 2 + 2 * 2), abs=1e-6)
