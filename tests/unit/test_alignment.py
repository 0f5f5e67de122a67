"""Long pairs: aligned rightly in `corrected`, as by the released code in `published`, and told apart."""

import random
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from examples import SENTENCES, example_pairs
from literal import Reader, corrected, modified_spans, published
from study_schema import options_with
from synthetic import counts_of
from tiny_models import WORDS, tiny_model
from unmask.evidence.alignment import POPULAR_FROM, Aligned, align, by_protocol
from unmask.evidence.collecting import collect_evidence
from unmask.evidence.masking import hidden_positions
from unmask.evidence.protocols import in_protocol, is_split
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.sentences import Mask, modified_tokens
from unmask.measures.registry import maskings_of
from unmask.measures.scoring import score_by_protocol, score_pairs
from unmask.models.devices import pick_device
from unmask.models.loading import load
from unmask.pairs.explorer import explored
from unmask.statistics.computing import Part, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.flaws import flaws_table
from unmask.tables import as_table
from unmask.terms import CORRECTED, ORIGINAL, PROTOCOLS, PUBLISHED
from unmask.words import modified_words
from unmask.worlds import grammar

MEASURES = ("AUL", "CPS", "SSS", "PLL")


def replaced(words: list[str], at: Mapping[int, str]) -> list[str]:
    return [at.get(place, word) for place, word in enumerate(words)]


def long_text(length: int, distinct: int, seed: int) -> list[str]:
    """Words of which each is more than 1% of the text."""
    rng = random.Random(seed)
    return [rng.choice(WORDS[:distinct]) for _ in range(length)]


def positions(masks: tuple[Mask, Mask]) -> tuple[list[int], list[int]]:
    return np.flatnonzero(masks[0]).tolist(), np.flatnonzero(masks[1]).tolist()


def difflib_positions(first: list[int], second: list[int]) -> tuple[list[int], list[int]]:
    """What the released code takes for modified: strings, and difflib's defaults."""
    outside: tuple[list[int], list[int]] = ([], [])
    codes = SequenceMatcher(None, [str(x) for x in first], [str(x) for x in second]).get_opcodes()
    for kind, i, j, k, m in codes:
        if kind != "equal":
            outside[0].extend(range(i, j))
            outside[1].extend(range(k, m))
    return outside


def test_two_words_of_three_hundred() -> None:
    numbers = {word: place for place, word in enumerate(WORDS)}
    one = long_text(300, 20, seed=0)
    other = replaced(one, {100: "rich", 200: "poor"})
    ours, released = align(*(np.array([numbers[word] for word in text]) for text in (one, other)))
    assert positions(ours) == ([100, 200], [100, 200])
    assert released[0] is not None and released[0].sum() > 150
    assert modified_words(" ".join(one), " ".join(other)) == ([one[100], one[200]], ["rich", "poor"])


@pytest.mark.parametrize("distinct", [2, 6, 40])
@pytest.mark.parametrize("length", [20, 120, 198, 199, 200, 201, 230])
def test_alignments_are_those_written_out(length: int, distinct: int) -> None:
    rng = random.Random(length * 100 + distinct)
    first = [rng.randrange(distinct) for _ in range(length)]
    second = replaced([str(x) for x in first], {place: "77" for place in rng.sample(range(length), 5)})
    second_ids = [int(x) for x in second]
    # one more on one side
    second_ids.insert(rng.randrange(length), 88)
    arrays = np.array(first), np.array(second_ids)
    ours, released = align(*arrays)
    assert positions(ours) == modified_spans(first, second_ids)
    if released[0] is None or released[1] is None:
        assert difflib_positions(first, second_ids) == positions(ours)
    else:
        assert len(second_ids) >= POPULAR_FROM
        assert positions((released[0], released[1])) == difflib_positions(first, second_ids)
    assert (positions(ours) == positions(modified_tokens(*arrays))) == (released[0] is None)


def test_sentences_of_worlds_are_far_below_what_difflib_has_an_exception_for() -> None:
    templates = (*grammar.GENDER_TEMPLATES, *grammar.GROUP_TEMPLATES)
    # no filler has more than two words
    most = max(2 * len(template.split()) + 1 for template in templates)
    assert 2 * most < POPULAR_FROM


@cache
def long_model() -> Path:
    return tiny_model("bert", Path(mkdtemp(prefix="tiny-long-")), max_position_embeddings=320)


def long_pairs() -> pd.DataFrame:
    """A short pair; one whose shared words are mostly passed over by the released code; and one of few words,
    in which it finds nothing shared at all but the special tokens."""
    one, few = long_text(205, 15, seed=1), ["she", "works"] * 103
    texts = [
        SENTENCES[0][:2],
        (" ".join(one), " ".join(replaced(one, {60: "rich", 61: "man", 150: "poor"}))),
        (" ".join(few), " ".join([*few[1:], "he"])),
    ]
    return (
        example_pairs()
        .iloc[: len(texts)]
        .assign(
            stereotype=[one for one, _ in texts], antistereotype=[other for _, other in texts], unrelated=None
        )
    )


@cache
def long_evidence() -> Mapping[str, pd.DataFrame]:
    model = load(long_model(), pick_device("cpu"), with_attention=False)
    return {
        masking: collect_evidence(long_pairs(), model, masking, ORIGINAL) for masking in maskings_of(MEASURES)
    }


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
def test_scores_of_long_pairs_are_the_literal_ones(measure: str) -> None:
    pairs = long_pairs()
    scores = score_by_protocol(list(pairs["pair_id"]), long_evidence(), [measure])
    scores = scores.set_index(["protocol", "pair_id"])
    reader = Reader(
        AutoModelForMaskedLM.from_pretrained(long_model(), dtype=torch.float32).eval(),
        AutoTokenizer.from_pretrained(long_model()),
    )
    # of PLL the released code has nothing
    protocols = {CORRECTED: corrected} if measure == "PLL" else {PUBLISHED: published, CORRECTED: corrected}
    for protocol, literal in protocols.items():
        for pair_id, stereotype, antistereotype in pairs[
            ["pair_id", "stereotype", "antistereotype"]
        ].itertuples(index=False):
            want = literal(measure, reader, stereotype, antistereotype)
            got = scores.loc[(protocol, pair_id), ["stereotype", "antistereotype"]].to_numpy(float)
            tolerance = 1.1e-3 if (measure, protocol) == ("CPS", PUBLISHED) else 2e-5
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=tolerance, err_msg=f"{protocol} {pair_id}")


def test_what_does_not_hide_by_alignment_has_each_sentence_once() -> None:
    evidence = long_evidence()
    assert {masking for masking, rows in evidence.items() if is_split(rows)} == {
        "one-shared",
        "one-modified",
        "modified",
    }
    keys = ["pair_id", "role", "position"]
    for rows in evidence.values():
        as_table(rows, EVIDENCE)
        assert not rows.duplicated(keys).any()
        for protocol in PROTOCOLS:
            own = in_protocol(rows, protocol)
            assert set(own["role"]) == {"stereotype", "antistereotype"} and not own.duplicated(keys).any()
            if is_split(rows):
                # a short pair is in both as it is
                short = [part[part["pair_id"] == "p0"].to_numpy().tolist() for part in (own, rows)]
                assert str(short[0]) == str(short[1])
    # every token of the text is either shared or modified, in either protocol
    for protocol in PROTOCOLS:
        both = pd.concat([in_protocol(evidence[name], protocol) for name in ("one-shared", "one-modified")])
        text = evidence["none"][~evidence["none"]["special"]]
        assert sorted(both[keys].itertuples(index=False)) == sorted(text[keys].itertuples(index=False))
        flags = both.set_index(keys)["modified"].astype(bool)
        if protocol == CORRECTED:
            assert flags.to_dict() == text.set_index(keys)["modified"].astype(bool).to_dict()


def test_pairs_of_which_nothing_differs_are_scored_as_ever() -> None:
    short = {name: rows[rows["pair_id"] == "p0"] for name, rows in long_evidence().items()}
    expected = score_pairs(["p0"], short, MEASURES)
    pd.testing.assert_frame_equal(score_by_protocol(["p0"], short, MEASURES), expected)
    every = score_by_protocol(list(long_pairs()["pair_id"]), long_evidence(), MEASURES)
    own = every[every["pair_id"] == "p0"].reset_index(drop=True)
    pd.testing.assert_frame_equal(own, expected)


def test_a_sentence_is_split_only_where_other_tokens_of_its_text_are_hidden() -> None:
    special = np.array([True, False, False, True])
    masks = np.array([False, True, False, False]), np.array([True, True, False, False])
    sentence = Aligned("p", "stereotype", np.arange(4), special, modified=masks[0], published=masks[1])
    assert list(by_protocol(sentence, hidden_positions("modified"))) == [sentence]
    other = Aligned("p", "stereotype", np.arange(4), special, modified=masks[0], published=~masks[0])
    roles = [one.role for one in by_protocol(other, hidden_positions("modified"))]
    assert roles == ["stereotype (published)", "stereotype (corrected)"]
    assert list(by_protocol(other, hidden_positions("none"))) == [other]


def test_statistics_count_what_differs_and_read_tokens_as_corrected_does() -> None:
    pairs, evidence = long_pairs(), dict(long_evidence())
    scores = score_by_protocol(list(pairs["pair_id"]), evidence, MEASURES)
    outcomes = scores.pivot(index=["measure", "pair_id"], columns="protocol", values="outcome")
    differing = (outcomes["published"] != outcomes["corrected"]).groupby("measure").sum()
    # in one pair the released code has nothing to add up
    assert outcomes.loc[("CPS", "p2"), "published"] == "tie" != outcomes.loc[("CPS", "p2"), "corrected"]
    original = decisions(pairs, scores)
    of_corrected = {name: in_protocol(rows, CORRECTED) for name, rows in evidence.items()}
    tables = [
        compute(
            pairs,
            flaws_table(pairs),
            original,
            counts_of(pairs, [Part(pairs, rows)], original),
            None,
            options_with(draws=100),
        )
        for rows in (evidence, of_corrected)
    ]
    for name in ("accuracy", "tests", "quality"):
        pd.testing.assert_frame_equal(tables[0][name], tables[1][name])
    bias = tables[0]["bias"]
    overall = bias[(bias["grouping"] == "overall") & (bias["protocol"] == "corrected")].set_index("measure")
    assert overall["differing"].to_dict() == differing.to_dict()
    assert differing["CPS"] >= 1 and differing["AUL"] == 0


def test_the_explorer_shows_what_corrected_hides() -> None:
    pairs, evidence = long_pairs(), dict(long_evidence())
    scores = score_by_protocol(list(pairs["pair_id"]), evidence, MEASURES)
    of_corrected = {name: in_protocol(rows, CORRECTED) for name, rows in evidence.items()}
    assert explored(pairs, scores, [evidence], MEASURES) == explored(pairs, scores, [of_corrected], MEASURES)
