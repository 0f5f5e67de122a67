"""Evidence rows: tokens, what a pair shares, maskings, and errors that name the pair."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import synthetic
from examples import SENTENCES, example_pairs
from library import (
    CAUSAL_MASKINGS,
    EVIDENCE,
    LEFT,
    LIKELIEST,
    MASKINGS,
    ORIGINAL,
    ROLES,
    SIDES,
    START,
    InputError,
    Wanted,
    collect_evidence,
    evidence_tables,
    load,
    modified_tokens,
    pick_device,
    read_evidence,
    read_table,
    shuffle_tokens,
    tokenise,
    write_table,
)
from library import evidence_unknown_tokens as unknown_tokens
from literal import Reader, modified_spans
from study_schema import MASKED_MASKINGS
from tiny_evidence import evidence_of, evidence_rows, left_reader, loaded, masked_reader
from tiny_models import ARCHITECTURES, tiny_model, tiny_tokenizer

CPU = pick_device("cpu")
STRANGE = "\u2603"
"""A snowman, which no tiny vocabulary has but for those of bytes."""


def pairs_of(*texts: tuple[str, str], unrelated: str | None = None) -> pd.DataFrame:
    stereotypes, antistereotypes = zip(*texts, strict=True)
    pairs = example_pairs().iloc[: len(texts)]
    return pairs.assign(
        stereotype=list(stereotypes), antistereotype=list(antistereotypes), unrelated=unrelated
    )


SHE_HE = pairs_of(("the nurse said that she is good", "the nurse said that he is good"))


def check_row(row: Any, of_all: np.ndarray[Any, Any]) -> None:
    """Log-probability and rank of a token are those among all."""
    assert row.log_prob == pytest.approx(of_all[row.token_id], abs=2e-5)
    # but for float error
    apart = of_all - of_all[row.token_id]
    assert 1 + (apart > 2e-5).sum() <= row.rank <= (apart > -2e-5).sum()


@pytest.mark.parametrize("masking", MASKED_MASKINGS)
def test_rows_are_what_the_plain_model_says_of_each_token(masking: str, tmp_path: Path) -> None:
    """Log-probability, rank and likeliest tokens, against one forward pass for each row."""
    model, reader = loaded("bert", attention=masking == "none"), masked_reader("bert")
    tokenizer = model.tokenizer
    pairs = tokenise(example_pairs(), tokenizer)
    rows, likely = evidence_tables(pairs, model, Wanted(ORIGINAL, masking, top=4))
    write_table(tmp_path / "rows.parquet", rows, EVIDENCE, {})
    write_table(tmp_path / "likely.parquet", likely, LIKELIEST, {})
    # asking for the likeliest changes nothing
    pd.testing.assert_frame_equal(rows, evidence_of("bert")[masking])
    row: Any
    for row in rows.itertuples():
        sentence = pairs[int(row.pair_id[1:])][row.role]
        every = MASKINGS[masking].hidden(sentence)
        hidden = next(each for each in every if masking == "none" or row.position in each)
        log_probs = reader.log_probs(reader.hide(sentence.ids.tolist(), [*hidden])).numpy()
        of_all = log_probs[row.position]
        check_row(row, of_all)
        best = likely[(likely["pair_id"] == row.pair_id) & (likely["role"] == row.role)]
        best = best[best["position"] == row.position]
        np.testing.assert_allclose(best["log_prob"], np.sort(of_all)[::-1][:4], atol=2e-5)
        ids_of_best = tokenizer.convert_tokens_to_ids(best["token"].tolist())
        np.testing.assert_allclose(of_all[ids_of_best], best["log_prob"], atol=2e-5)
        if masking == "modified":
            of_every = log_probs[hidden, row.token_id].mean()
            assert row.cross_log_prob == pytest.approx(of_every, abs=2e-5)
    assert len(rows) > 10 and rows["attention"].notna().all() == (masking == "none")


@pytest.mark.parametrize("start", [None, "none"])
def test_each_token_is_predicted_from_those_before_it_alone(start: str | None) -> None:
    """Against one forward pass for each token, which sees nothing that follows."""
    rows, reader = evidence_of("llama", start)[LEFT], left_reader("llama", start)
    before = [] if reader.start is None else [reader.start]
    row: Any
    for number, texts in enumerate(SENTENCES):
        sides = [[*before, *reader.tokenizer(text)["input_ids"]] for text in texts[:2]]
        for role, ids, modified in zip(SIDES, sides, modified_spans(*sides), strict=True):
            found = rows[(rows["pair_id"] == f"p{number}") & (rows["role"] == role)]
            assert list(found["token_id"]) == ids
            assert list(found["position"]) == list(range(len(ids)))
            assert list(np.flatnonzero(found["modified"])) == modified
            # what nothing stands before is given
            assert list(found["special"]) == [True] + [False] * (len(ids) - 1)
            assert (found["log_prob"].iloc[0], found["rank"].iloc[0]) == (0, 1)
            for row in found.iloc[1:].itertuples():
                before_it = Reader(reader.model, None).log_probs(ids[: row.position])
                check_row(row, before_it[-1].numpy())
    assert rows["attention"].isna().all() and rows["cross_log_prob"].isna().all()
    assert set(rows["role"]) == set(ROLES) and rows.loc[rows["role"] == "unrelated", "modified"].isna().all()


def test_each_token_behind_the_start_token_alone() -> None:
    rows, of_left = (evidence_of("llama")[masking] for masking in (START, LEFT))
    reader = left_reader("llama")
    expected = [reader.behind([0], token) for token in rows["token_id"]]
    np.testing.assert_allclose(rows["log_prob"], expected, atol=2e-5)
    of_left = of_left[~of_left["special"] & (of_left["role"] != "unrelated")].reset_index(drop=True)
    same = ["pair_id", "role", "position", "token_id", "token", "special", "modified"]
    pd.testing.assert_frame_equal(rows[same], of_left[same])
    assert evidence_of("llama", "none")[START].empty


@pytest.mark.parametrize(
    ("architecture", "masking"),
    [*product(["albert"], MASKED_MASKINGS), *product(["gpt2", "llama"], CAUSAL_MASKINGS)],
)
def test_batches_company_and_the_faster_way_change_nothing(architecture: str, masking: str) -> None:
    pairs, keys = example_pairs(), ["pair_id", "role", "position"]
    whole = evidence_rows(architecture, masking, fast_layers=False).set_index(keys)
    for others, batch_tokens in ((pairs.iloc[::-1], 1), (pairs, 100_000), (pairs.iloc[[2, 5]], 64)):
        other = evidence_rows(architecture, masking, others, batch_tokens=batch_tokens).set_index(keys)
        for name in ("log_prob", "cross_log_prob", "attention", "attention_content"):
            expected = whole.loc[other.index, name].astype(float)
            np.testing.assert_allclose(other[name].astype(float), expected, atol=2e-5)


def test_equal_probabilities_count_against_no_token(tmp_path: Path) -> None:
    """A network whose weights are all 0 gives every token the same probability: all have rank 1."""
    model = load(tiny_model("bert", tmp_path), CPU, False)
    with torch.no_grad():
        for weights in model.network.parameters():
            weights.zero_()
    rows = collect_evidence(SHE_HE, model, "none", ORIGINAL)
    assert (rows["rank"] == 1).all() and rows["log_prob"].nunique() == 1


@pytest.mark.parametrize("distinct", [2, 6, 40])
@pytest.mark.parametrize("length", [20, 120, 199, 230])
def test_modified_tokens_are_those_outside_the_blocks_written_out(length: int, distinct: int) -> None:
    rng = random.Random(length * 100 + distinct)
    first = [rng.randrange(distinct) for _ in range(length)]
    second = first.copy()
    for place in rng.sample(range(length), 5):
        second[place] = 77
    second.insert(rng.randrange(length), 88)
    masks = modified_tokens(np.array(first), np.array(second))
    assert tuple(np.flatnonzero(mask).tolist() for mask in masks) == modified_spans(first, second)


def test_shuffling_moves_text_tokens_and_records_where_they_stood() -> None:
    pairs = tokenise(example_pairs(), tiny_tokenizer("bert"))
    sentences = [sentence for pair in pairs for sentence in pair.values()]
    moved = 0
    for sentence in sentences:
        shuffled = shuffle_tokens(sentence, seed=0)
        assert shuffled.source is not None and shuffled.modified is None
        np.testing.assert_array_equal(shuffled.ids, sentence.ids[shuffled.source])
        assert sorted(shuffled.source) == list(range(len(sentence.ids)))
        np.testing.assert_array_equal(shuffled.ids[sentence.special], sentence.ids[sentence.special])
        moved += sorted(shuffled.source) != list(shuffled.source)
    assert moved > len(sentences) / 2
    # sides of equal length are shuffled alike
    one, other = (shuffle_tokens(pairs[0][side], seed=3).source for side in SIDES)
    np.testing.assert_array_equal(one, other)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pair p0: the antistereotype sentence has no token"):
        collect_evidence(pairs_of(("the nurse", " ")), loaded("bert"), "none", ORIGINAL)
    model = load(tiny_model("bert", tmp_path), CPU, with_attention=False)
    bias = dict(model.network.named_parameters())["cls.predictions.bias"]
    with torch.no_grad():
        bias[model.tokenizer.convert_tokens_to_ids("she")] = -torch.inf
    with pytest.raises(InputError, match=r"pair p0: .* -inf to token 'she' of the stereotype sentence"):
        collect_evidence(SHE_HE, model, "none", ORIGINAL)


def test_unknown_tokens_are_counted_and_above_the_limit_refused() -> None:
    pairs = pairs_of(
        (f"the {STRANGE} is very good", f"the {STRANGE} {STRANGE} is very good"), ("she cooks", "he drives")
    )
    tokenizer = tiny_tokenizer("bert")
    # one by one, and without the special tokens
    tokens = [token for role in SIDES for text in pairs[role] for token in tokenizer.tokenize(text)]
    assert tokens.count("[UNK]") == 3
    sentences, share = tokenise(pairs, tokenizer), 3 / len(tokens)
    counts = {"id": tokenizer.unk_token_id, "unknown": 3, "tokens": len(tokens)}
    assert unknown_tokens(sentences, tokenizer, limit=share) == counts
    with pytest.raises(InputError, match=f"3 of {len(tokens)} tokens") as caught:
        unknown_tokens(sentences, tokenizer, share - 1e-9)
    allowed = float(str(caught.value).rpartition("scoring.unknown_tokens to ")[2])
    assert share <= allowed < share + 0.01 + 1e-9
    # tokenizers of bytes know everything
    bytes_ = tiny_tokenizer("roberta")
    assert unknown_tokens(tokenise(pairs, bytes_), bytes_, 0)["unknown"] == 0


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", ["mask", "sep", "cls", "pad"])
def test_a_special_token_in_a_text_is_text_or_refused(architecture: str, name: str) -> None:
    tokenizer = tiny_tokenizer(architecture)
    token = getattr(tokenizer, f"{name}_token")
    pairs = pairs_of(("she cooks", "he cooks"), (f"the {token} is good", f"the {token} is very good"))
    try:
        tokenised = tokenise(pairs, tokenizer)
    except InputError as error:
        # these have the token as a piece among the words
        assert architecture in ("albert", "xlm-roberta", "deberta-v2")
        assert str(error).startswith("pair p1: the stereotype sentence") and repr(token) in str(error)
        with pytest.raises(InputError, match="pair p0: the unrelated sentence"):
            tokenise(pairs.iloc[:1].assign(unrelated=f"a {token} is good"), tokenizer)
        return
    for sentence in [each for pair in tokenised for each in pair.values()]:
        text = sentence.ids[~sentence.special]
        assert not set(text.tolist()) & (set(tokenizer.all_special_ids) - {tokenizer.unk_token_id})
        # what the text says comes back, and the ends are the tokenizer's
        plain = str(tokenizer.decode(text.tolist())).replace(" ", "").lower()
        assert (token.lower() in plain) == (sentence.pair_id == "p1")
        assert sentence.special.sum() == 2 and sentence.special[[0, -1]].all()


def test_evidence_is_of_the_pairs_of_the_benchmark_in_their_order(tmp_path: Path) -> None:
    made = synthetic.make(20, seed=3)
    for masking, rows in made.evidence.items():
        path = tmp_path / f"{masking}.parquet"
        write_table(path, rows, EVIDENCE, {})
        pd.testing.assert_frame_equal(read_evidence(path, made.pairs), read_table(path, EVIDENCE))
        for other in (made.pairs.iloc[::-1], made.pairs.iloc[:-1]):
            with pytest.raises(InputError, match="its pairs are not those of the benchmark in their order"):
                read_evidence(path, other)
