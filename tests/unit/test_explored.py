"""What the explorer is given: its numbers against scores and evidence, text as data, what is left out."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from examples import example_pairs
from library import (
    ANTISTEREOTYPE,
    CORRECTED,
    FLAWS,
    HIDES,
    MASKINGS,
    PAIRS,
    SPACE,
    STEREOTYPE,
    App,
    PairResults,
    Section,
    Sentence,
    counted,
    explored,
    flaws_table,
    measure,
    pairs_presenting,
    score_pairs,
    shown_pairs,
    surfaces,
    tokenise,
    unpacked,
    write_facts,
    write_table,
)
from study_schema import MASKED_MASKINGS, MEASURES
from tiny_evidence import evidence_of
from tiny_models import tiny_tokenizer

HOSTILE = "</script><img src=x onerror=alert(1)>"
SIDES = (STEREOTYPE, ANTISTEREOTYPE)


def made(architecture: str) -> tuple[dict[str, Any], dict[str, Any]]:
    pairs, evidence = example_pairs(), evidence_of(architecture)
    scores = score_pairs(list(pairs["pair_id"]), evidence, MEASURES)
    found = explored(pairs, scores, MEASURES, evidence)
    return unpacked(str(found["scores"])), unpacked(str(found["tokens"]))


def sentences(tokens: Mapping[str, Any]) -> dict[tuple[str, str], range]:
    """Where the tokens of each sentence are."""
    keys = [(pair, side) for pair in example_pairs()["pair_id"] for side in SIDES]
    return {key: range(*ends) for key, ends in zip(keys, pairwise(tokens["starts"]), strict=True)}


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_scores_and_what_tokens_add_are_those_of_the_tables(architecture: str) -> None:
    evidence = evidence_of(architecture)
    scores, tokens = made(architecture)
    table = score_pairs(list(example_pairs()["pair_id"]), evidence, MEASURES)
    for name in MEASURES:
        rows = table[(table["measure"] == name) & (table["protocol"] == CORRECTED)]
        assert scores[name]["outcome"] == list(rows["outcome"])
        for side in SIDES:
            np.testing.assert_allclose(np.array(scores[name][side], float), rows[side], atol=0.5001e-6)
        adds: dict[tuple[str, str, int], float] = {}
        for (pair, side), places in sentences(tokens).items():
            # positions count from 1, behind the special token at the start
            for position, place in enumerate(places, start=1):
                for masking, coefficients in tokens["coefficient"][name].items():
                    if coefficients[place]:
                        added = -1e-4 * tokens["surprisal"][masking][place] * 1e-6 * coefficients[place]
                        adds[pair, side, position] = adds.get((pair, side, position), 0) + added
        known = counted(measure(name), evidence, CORRECTED)
        known = known[known["role"].isin(SIDES)]
        wanted = known.groupby(["pair_id", "role", "position"])["adds"].sum()
        assert set(adds) == set(wanted.index)
        # three decimals are shown: off by less than 0.6 of the last
        np.testing.assert_allclose([adds[key] for key in wanted.index], wanted, atol=0.1e-3)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_tokens_are_those_of_the_sentences_and_what_a_pair_shares_is_marked(architecture: str) -> None:
    pairs = example_pairs()
    _, tokens = made(architecture)
    tokenised = {
        (sentence.pair_id, sentence.role): sentence
        for pair in tokenise(pairs, tiny_tokenizer(architecture))
        for sentence in pair.values()
    }
    for (pair, side), places in sentences(tokens).items():
        sentence = tokenised[pair, side]
        assert sentence.modified is not None
        content = ~sentence.special
        flags = "".join("01"[int(flag)] for flag in sentence.modified[content])
        assert tokens["modified"][places.start : places.stop] == flags
        written = "".join(" " * (tokens["piece"][n] == "0") + tokens["text"][n] for n in places)
        # a space may be a token of its own
        written = written.replace(SPACE, "").removeprefix(" ")
        original = str(pairs.set_index("pair_id").loc[pair, side])
        assert written == original or "[UNK]" in written or "<unk>" in written
        # no sentence begins within a word
        assert tokens["piece"][places.start] == "0"


@pytest.mark.parametrize("masking", MASKED_MASKINGS)
def test_what_is_hidden_is_what_the_masking_hides(masking: str) -> None:
    flags = np.array([False, True, False, True, True, False])
    special = np.array([True, False, False, False, False, True])
    sentence = Sentence("p", STEREOTYPE, np.arange(6), special, flags)
    times = list(MASKINGS[masking].hidden(sentence))
    what = HIDES[masking]
    if what == "nothing":
        assert all(len(hidden) == 0 for hidden in times)
    elif what == "itself":
        assert times and all(len(hidden) == 1 for hidden in times)
    else:
        assert what == "together" and [len(hidden) > 1 for hidden in times] == [True]


def test_evidence_may_be_of_more_pairs() -> None:
    parts = synthetic.make(30)
    whole = explored(parts.pairs, parts.scores, MEASURES, parts.evidence)
    few = shown_pairs(parts.pairs, 10)
    assert len(few) == 10 and set(few["pair_id"]) < set(parts.pairs["pair_id"])
    pd.testing.assert_frame_equal(shown_pairs(parts.pairs, 30), parts.pairs)
    sampled = explored(few, parts.scores, MEASURES, parts.evidence)
    all_scores, few_scores = (unpacked(str(each["scores"]))["CPS"]["stereotype"] for each in (whole, sampled))
    places = [list(parts.pairs["pair_id"]).index(pair) for pair in few["pair_id"]]
    assert few_scores == [all_scores[place] for place in places]
    assert len(unpacked(str(sampled["tokens"]))["starts"]) == 21


def likeliest_of(evidence: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Three tokens in the place of each: one sure, one likely and one that is next to impossible."""
    chosen = [(HOSTILE, 0.8), ("##ly", 0.1994), ("no", 0.0001)]
    found = {}
    for masking, rows in evidence.items():
        repeated = rows.loc[rows.index.repeat(3), ["pair_id", "role", "position"]].reset_index(drop=True)
        found[masking] = repeated.assign(
            place=np.tile([1, 2, 3], len(rows)),
            token=[token for token, _ in chosen] * len(rows),
            log_prob=np.log([share for _, share in chosen] * len(rows)).astype(np.float32),
        )
    return found


def test_the_likeliest_tokens_are_there_where_they_are_kept() -> None:
    parts = synthetic.make(10)
    without = explored(parts.pairs, parts.scores, MEASURES, parts.evidence)
    assert unpacked(str(without["tokens"]))["likeliest"] == {}
    likeliest = likeliest_of(parts.evidence)
    # a place where nothing is likely has its first token all the same
    likeliest["all"].loc[:2, "token"] = np.array(["a", "b", "c"])
    likeliest["all"].loc[:2, "log_prob"] = np.array([-9.0, -9.5, -9.9], dtype=np.float32)
    found = explored(parts.pairs, parts.scores, MEASURES, parts.evidence, likeliest)
    tokens = unpacked(str(found["tokens"]))
    for masking, lists in tokens["likeliest"].items():
        assert [bool(each) for each in lists] == [each is not None for each in tokens["surprisal"][masking]]
        known = [each for each in lists if each]
        usual = [[HOSTILE, 80], ["\N{MIDDLE DOT}ly", 20]]
        assert known == [[["a", 0]] if masking == "all" else usual, *[usual] * (len(known) - 1)]


def every_pair(
    folder: Path, source: str = "path", sentences: Iterable[tuple[str, str]] = (), **explorer: Any
) -> Section:
    """The section of a model on a benchmark of twelve pairs; sentences: of the first pairs."""
    parts = synthetic.make(12, rated=False)
    for row, both in enumerate(sentences):
        parts.pairs.loc[row, [*SIDES]] = both
    files = {name: [folder / name] for name in ("pairs", "flaws", "explored")}
    write_table(folder / "pairs", parts.pairs, PAIRS, {"benchmark": "b"})
    write_table(folder / "flaws", flaws_table(parts.pairs), FLAWS, {"benchmark": "b"})
    evidence = None if source == "scored" else parts.evidence
    found = explored(parts.pairs, parts.scores, MEASURES, evidence)
    write_facts(folder / "explored", {"model": "m", "benchmark": "b", **found})
    of = {"models": ["m"], "benchmarks": ["b"], "most": 12, **explorer}
    models = [{"name": "m", "source": source}]
    settings = {"measures": list(MEASURES), "explorer": of, "models": models, "benchmarks": [{"name": "b"}]}
    return pairs_presenting.every_pair(PairResults(files, settings))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ["12 pairs can be opened here as m reads them, with what each token adds to the margin."]),
        ({"source": "scored"}, ["12 pairs can be opened here, with their scores; tokens are not known."]),
        (
            {"most": 10, "licences": {"b": "CC BY-SA 4.0"}},
            [
                "10 pairs can be opened here as m reads them, with what each token adds to the margin.",
                "Here are 10 of the 12 pairs of b, evenly spread.",
                "Sentences are quoted from b (licence CC BY-SA 4.0).",
            ],
        ),
    ],
)
def test_the_section_says_what_is_there(tmp_path: Path, changed: Any, said: list[str]) -> None:
    assert [*every_pair(tmp_path, **changed).sentences] == said


def test_the_three_example_pairs_are_of_a_model_that_was_trained(tmp_path: Path) -> None:
    for source, example in (("path", {"model": 0, "benchmark": 0}), ("random", None)):
        (app,) = [block for block in every_pair(tmp_path, source).blocks if isinstance(block, App)]
        assert app.value["example"] == example


def test_pieces_are_told_by_the_marks_of_their_tokenizer() -> None:
    assert surfaces(["zoo", "##keeper", "##s", "the"]) == {
        "zoo": ("zoo", False),
        "##keeper": ("keeper", True),
        "##s": ("s", True),
        "the": ("the", False),
    }
    assert surfaces(["\u2581zoo", "keeper", ".", "\u2581"]) == {
        "\u2581zoo": ("zoo", False),
        "keeper": ("keeper", True),
        ".": (".", True),
        "\u2581": ("\u2423", False),
    }
    assert surfaces(["zoo", "the", "."]) == {each: (each, False) for each in ("zoo", "the", ".")}
    assert surfaces([]) == {}


def test_bytes_are_the_letters_that_they_stand_for() -> None:
    found = surfaces(["\u0120caf", "\u00c3\u00a9", "\u0120", "\u0120\u20ac", "\u00c3"])
    assert found["\u0120caf"] == ("caf", False)
    assert found["\u00c3\u00a9"] == ("\N{LATIN SMALL LETTER E WITH ACUTE}", True)
    assert found["\u0120"] == ("\u2423", False)
    # a letter that stands for no byte is itself, half a letter is shown as one that is not known
    assert found["\u0120\u20ac"] == ("\u20ac", False)
    assert found["\u00c3"] == ("\N{REPLACEMENT CHARACTER}", True)
