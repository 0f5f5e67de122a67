"""Perfect causal language models: their answers, the rows of a decoder, the margins of the theory."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from closed_forms import log_odds, towards_stereotype
from made_worlds import CORRUPTION, DOSED, cut_world, make_world, planted_pairs, settings
from running import run_script
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.evidence.collecting import as_rows, prepare
from unmask.evidence.engine import Answers
from unmask.evidence.lists import listed
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.tokenising import tokenise
from unmask.facts import read_facts
from unmask.measures.registry import maskings_of
from unmask.measures.scoring import score_pairs
from unmask.models.start import choose_start, read_after
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import CORRECTED, LEFT, NONE, ORIGINAL, START
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.exact import START_TOKEN, ExactLeftModel, ExactModel, manifest_of, perfect_model
from unmask.worlds.exact_evidence import exact_evidence
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY
from unmask.worlds.pairs import Counts
from unmask.worlds.tokenizers import make_tokenizer

MEASURES = ["LL", "LLMean", "CCPS", "CSSS"]
COUNTS = Counts(per_occupation=4, per_trait=3)
ENTRY: dict[str, Any] = {"source": "oracle", "kind": "causal-lm", "world": "w"}


@cache
def margins() -> pd.DataFrame:
    """The margins of the exact model, in `corrected`, beside the pairs and what is planted in them."""
    pairs, facts = planted_pairs(make_world(**DOSED), COUNTS)
    model = ExactLeftModel(make_world(**DOSED))
    evidence = {masking: exact_evidence(pairs, model, masking) for masking in maskings_of(MEASURES)}
    scores = score_pairs(list(pairs["pair_id"]), evidence, MEASURES)
    corrected = scores[scores["protocol"] == CORRECTED].pivot(
        index="pair_id", columns="measure", values="margin"
    )
    return pairs[["pair_id", "stereotype"]].join(facts).join(corrected, on="pair_id")


def test_each_token_has_its_share_of_the_sentences_that_begin_alike() -> None:
    """Of a world of nine sentences, one of whose words is two tokens, every beginning there is."""
    world = cut_world()
    model, sentences = ExactLeftModel(world), []
    for words, probability in world.sentences:
        pieces = [piece for word in words for piece in (["Vandor", "##wick"] if "V" in word else [word])]
        sentences.append((tuple(model.names.index(piece) for piece in pieces), probability))
    beginnings = {ids[:end] for ids, _ in sentences for end in range(len(ids))}
    assert len(beginnings) == 14
    for beginning in beginnings:
        size = len(beginning)
        total = sum(p for ids, p in sentences if ids[:size] == beginning)
        expected = [
            sum(p for ids, p in sentences if ids[: size + 1] == (*beginning, token)) / total
            for token in range(len(model.tokens.content))
        ]
        np.testing.assert_allclose(model.following(beginning), expected, atol=1e-12)
    assert all(model.knows(ids) for ids, _ in sentences)
    assert not any(map(model.knows, beginnings)) and not model.knows((*sentences[0][0], 0))
    with pytest.raises(ValueError, match="goes on behind"):
        model.following(sentences[0][0])


def test_which_measure_frequency_fools_and_which_length() -> None:
    """In closed form: a pronoun stands behind its occupation, a trait behind its group."""
    seen: Counter[str] = Counter()
    for row in margins().to_dict("records"):
        odds, towards = log_odds(row["p"]), towards_stereotype(row["ratio"], row["direction"])
        seen[row["factor"]] += 1
        if row["factor"] == ASSOCIATION:
            # of two pronouns the first tells the second
            two = " his " in row["stereotype"] or " her " in row["stereotype"]
            pronouns = 1 + (two and " that " in row["stereotype"])
            expected = {"LL": odds, "CCPS": 0.0, "CSSS": odds / pronouns}
        elif row["factor"] in (FREQUENCY, BOTH):
            expected = {"LL": odds + towards, "CCPS": odds, "CSSS": towards}
        else:
            # two tokens that are always together are one, and one that costs nothing
            expected = {"LL": 0.0, "CCPS": 0.0}
            longer = 1 if row["longer_side"] == "stereotype" else -1
            assert longer * row["CSSS"] > 0.5 and longer * row["LLMean"] > 0.05
        for measure, margin in expected.items():
            assert row[measure] == pytest.approx(margin, abs=1e-6), (row, measure)
    assert min(seen.values()) > 10 and len(seen) == 4


def test_nothing_is_said_of_a_token_behind_the_start_token_alone() -> None:
    """No occupation and no group begins a sentence: what a measure reads of them there is not known."""
    pairs, _ = planted_pairs(make_world(), Counts(1, 1))
    assert exact_evidence(pairs, ExactLeftModel(make_world()), START).empty


def test_rows_are_those_that_a_decoder_leaves() -> None:
    """But for probabilities and the names of tokens, which mark the beginnings of words otherwise."""
    world = make_world()
    pairs, _ = planted_pairs(world, Counts(2, 2))
    tokenizer = make_tokenizer("gpt2", world, draw_corpus(world, 4000))
    read_after(tokenizer, choose_start(tokenizer, None, "gpt2"))
    layout = prepare(tokenise(pairs, tokenizer), LEFT, ORIGINAL, 0, None)
    count = len(layout.queries.input)
    nothing = np.zeros(count, dtype=np.float32)
    theirs = as_rows(layout, Answers(nothing, np.ones(count, dtype=np.int32), nothing, nothing), tokenizer)
    ours = exact_evidence(pairs, ExactLeftModel(world), LEFT)
    assert len(ours) > 400
    for column in ("pair_id", "role", "position", "special", "modified"):
        assert ours[column].tolist() == theirs[column].tolist(), column
    assert [token.lstrip("Ġ") for token in theirs["token"]] == [
        token.removeprefix("##") for token in ours["token"]
    ]
    special = ours["special"].to_numpy(bool)
    assert (ours.loc[special, "log_prob"] == 0).all() and (ours["log_prob"] <= 0).all()
    assert ours["attention"].isna().all() and ours["cross_log_prob"].isna().all()


def test_a_masking_of_the_other_kind_is_refused() -> None:
    pairs, _ = planted_pairs(make_world(), Counts(1, 1))
    with pytest.raises(ValueError, match="for masked language models"):
        exact_evidence(pairs, ExactLeftModel(make_world()), NONE)
    with pytest.raises(ValueError, match="for causal language models"):
        exact_evidence(pairs, ExactModel(make_world(), CORRUPTION), LEFT)
    pairs.loc[0, "stereotype"] = "The nurse said."
    with pytest.raises(
        InputError, match=f"pair {pairs['pair_id'][0]}: the stereotype sentence is not of the"
    ):
        exact_evidence(pairs, ExactLeftModel(make_world()), LEFT)


def test_the_jobs_lead_from_an_entry_to_evidence(tmp_path: Path) -> None:
    pairs, _ = planted_pairs(make_world(), Counts(1, 1))
    write_table(tmp_path / "pairs.parquet", pairs, PAIRS, {"sha256": "p"})
    log, shared = tmp_path / "job.log", {"entry": ENTRY, "settings": settings()}
    run_script("make_oracle", {}, [tmp_path / "manifest.json"], log, **shared)
    manifest = read_facts(tmp_path / "manifest.json")
    assert manifest["start"]["token"] == START_TOKEN and "mask_token" not in manifest
    inputs = {
        name: tmp_path / f"{name}.{ending}" for name, ending in (("pairs", "parquet"), ("manifest", "json"))
    }
    names = {"model": "o", "benchmark": "b", "variant": ORIGINAL}
    list_, maskings = tmp_path / "digests.json", (LEFT, START)
    run_script("score_oracle", inputs, [list_], log, wildcards=names, maskings=maskings, **shared)
    outputs = list(listed(list_).values())
    facts = [read_metadata(path) for path in outputs]
    assert [each["start"] for each in facts] == [START_TOKEN] * 2
    rows = read_table(outputs[0], EVIDENCE)
    assert rows["log_prob"].tolist() == pytest.approx(
        exact_evidence(pairs, ExactLeftModel(make_world()), LEFT)["log_prob"].tolist(), abs=1e-5
    )


def test_digests_follow_what_answers_are_computed_from() -> None:
    plain = manifest_of(perfect_model(ENTRY, settings()))
    others = [
        manifest_of(perfect_model(ENTRY, settings(associations=[0.5, 0.6, 0.75, 0.95]))),
        manifest_of(perfect_model({**ENTRY, "kind": "masked-lm"}, settings())),
    ]
    assert len({each["weights_digest"] for each in [plain, *others]}) == 3
    # what training replaces is nothing to a model that reads its text as it is
    shares = {"masked": 1.0, "kept": 0.0, "random": 0.0}
    assert manifest_of(perfect_model(ENTRY, settings(corruption=shares))) == plain
