"""Evidence rows: tokens, what a pair shares, shuffling, batches, and errors that name the pair."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from examples import example_pairs
from study_schema import MASKED_MASKINGS
from tiny_models import tiny_model, tiny_tokenizer
from unmask.errors import InputError
from unmask.evidence.collecting import collect_evidence
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.sentences import modified_tokens, shuffle_tokens
from unmask.evidence.tokenising import tokenise_pairs
from unmask.models.devices import pick_device
from unmask.models.loading import LoadedModel, load
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import ORIGINAL, ROLES, SHUFFLED

CPU = pick_device("cpu")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return load(tiny_model("bert", tmp_path_factory.mktemp("bert")), CPU, with_attention=True)


def one_pair(stereotype: str, antistereotype: str, unrelated: str | None = None) -> pd.DataFrame:
    pair = example_pairs().iloc[:1].copy()
    pair[["stereotype", "antistereotype", "unrelated"]] = stereotype, antistereotype, unrelated
    return pair


def test_there_is_evidence_for_every_masking(tmp_path: Path) -> None:
    pairs = example_pairs()
    directory = tiny_model("bert", tmp_path / "bert")
    for masking in MASKED_MASKINGS:
        model = load(directory, CPU, with_attention=masking == "none")
        rows = collect_evidence(pairs, model, masking, ORIGINAL)
        write_table(tmp_path / "rows.parquet", rows, EVIDENCE, {"masking": masking})
        rows = read_table(tmp_path / "rows.parquet", EVIDENCE)
        assert set(rows["pair_id"]) <= set(pairs["pair_id"])
        assert np.isfinite(rows["log_prob"]).all() and (rows["log_prob"] <= 0).all()
        assert rows["rank"].between(1, len(model.tokenizer)).all()
        assert rows["attention"].notna().all() == (masking == "none")
        assert rows["cross_log_prob"].notna().all() == (masking == "modified")
        assert masking == "none" or not rows["special"].any()


def test_maskings_divide_the_tokens_of_a_sentence(bert: LoadedModel) -> None:
    rows = {m: collect_evidence(example_pairs(), bert, m, ORIGINAL) for m in MASKED_MASKINGS}
    keys = ["pair_id", "role", "position", "token_id"]
    sides = rows["none"][(rows["none"]["role"] != "unrelated") & ~rows["none"]["special"]]
    everything = set(map(tuple, sides[keys].to_numpy()))
    shared, changed = (set(map(tuple, rows[m][keys].to_numpy())) for m in ("one-shared", "one-modified"))
    assert shared | changed == everything and not shared & changed
    of_sides = rows["modified"][rows["modified"]["role"] != "unrelated"]
    assert set(map(tuple, of_sides[keys].to_numpy())) == changed
    assert set(map(tuple, rows["all"][keys].to_numpy())) == everything
    assert set(rows["none"]["role"]) == set(ROLES)


def test_of_an_unrelated_sentence_is_hidden_what_the_stereotypical_one_does_not_have(
    bert: LoadedModel,
) -> None:
    pairs = one_pair(
        "the nurse said that she is good",
        "the nurse said that he is good",
        "the nurse said that very tired is good",
    )
    rows = collect_evidence(pairs, bert, "modified", ORIGINAL)
    unrelated = rows[rows["role"] == "unrelated"]
    ids = bert.tokenizer(pairs["unrelated"].iloc[0])["input_ids"]
    stereotype = bert.tokenizer(pairs["stereotype"].iloc[0])["input_ids"]
    own, _ = modified_tokens(np.array(ids), np.array(stereotype))
    places = np.flatnonzero(own)
    assert list(unrelated["position"]) == list(places) and len(places) > 1
    # they are hidden together, and no token of it is said to be one that the pair does not share
    hidden = torch.tensor(
        [[bert.tokenizer.mask_token_id if at in places else id_ for at, id_ in enumerate(ids)]]
    )
    with torch.inference_mode():
        of_all = bert.network(hidden).logits[0].double().log_softmax(-1)
    expected = [float(of_all[at, ids[at]]) for at in places]
    np.testing.assert_allclose(unrelated["log_prob"], expected, atol=1e-4)
    assert unrelated["modified"].isna().all()


def test_attention_received_sums_to_one_over_a_sentence(bert: LoadedModel) -> None:
    rows = collect_evidence(example_pairs(), bert, "none", ORIGINAL)
    totals = rows.groupby(["pair_id", "role"])[["attention", "attention_content"]].sum()
    np.testing.assert_allclose(totals, 1, atol=1e-5)


def test_cross_log_prob_of_one_hidden_token_is_its_own(bert: LoadedModel) -> None:
    pairs = one_pair("the nurse said that she is good", "the nurse said that he is good")
    rows = collect_evidence(pairs, bert, "modified", ORIGINAL)
    assert list(rows["token"]) == ["she", "he"]
    np.testing.assert_array_equal(rows["cross_log_prob"].astype(np.float32), rows["log_prob"])


def test_a_rank_of_one_is_the_most_probable_token(bert: LoadedModel) -> None:
    ids = torch.tensor([bert.tokenizer("the nurse said that she is good")["input_ids"]])
    with torch.inference_mode():
        logits = bert.network(ids).logits[0]
    order = logits.argsort(dim=-1, descending=True)
    want = [int((order[i] == token).nonzero()) + 1 for i, token in enumerate(ids[0])]
    rows = collect_evidence(
        one_pair("the nurse said that she is good", "the nurse said that he is good"), bert, "none", ORIGINAL
    )
    assert list(rows.loc[rows["role"] == "stereotype", "rank"]) == want


def test_modified_tokens_are_those_outside_the_matching_blocks() -> None:
    first, second = modified_tokens(np.array([1, 5, 6, 7, 2]), np.array([1, 5, 9, 8, 7, 2]))
    assert first.tolist() == [False, False, True, False, False]
    assert second.tolist() == [False, False, True, True, False, False]


def test_shuffling_moves_text_tokens_and_records_where_they_stood() -> None:
    sentences = tokenise_pairs(example_pairs(), tiny_tokenizer("bert"), ROLES)
    moved = 0
    for sentence in sentences:
        shuffled = shuffle_tokens(sentence, seed=0)
        assert shuffled.source is not None
        np.testing.assert_array_equal(shuffled.ids, sentence.ids[shuffled.source])
        assert sorted(shuffled.source) == list(range(len(sentence.ids)))
        np.testing.assert_array_equal(shuffled.ids[sentence.special], sentence.ids[sentence.special])
        np.testing.assert_array_equal(shuffled.ids, shuffle_tokens(sentence, seed=0).ids)
        moved += sorted(shuffled.source) != list(shuffled.source)
    assert moved > len(sentences) / 2


def test_equally_long_sides_of_a_pair_are_shuffled_alike() -> None:
    sentences = tokenise_pairs(example_pairs(), tiny_tokenizer("bert"), ("stereotype", "antistereotype"))
    first, second = (shuffle_tokens(s, seed=3).source for s in sentences if s.pair_id == "p0")
    assert first is not None and second is not None
    np.testing.assert_array_equal(first, second)


def test_shuffled_evidence_keeps_each_tokens_origin(bert: LoadedModel) -> None:
    rows = collect_evidence(example_pairs(), bert, "none", SHUFFLED, shuffle_seed=4)
    original = collect_evidence(example_pairs(), bert, "none", ORIGINAL)
    keys = ["pair_id", "role", "source_position"]
    matched = rows.merge(original, left_on=keys, right_on=["pair_id", "role", "position"])
    assert len(matched) == len(rows) == len(original)
    assert (matched["token_id_x"] == matched["token_id_y"]).all()
    assert rows["modified"].isna().all()


def test_a_sentence_longer_than_the_model_takes_is_named(bert: LoadedModel) -> None:
    pairs = one_pair("the nurse said " * 50, "the nurse said")
    with pytest.raises(InputError, match=r"pair p0: the stereotype sentence has 152 tokens, .* takes 128"):
        collect_evidence(pairs, bert, "none", ORIGINAL, max_length=128)


def test_a_sentence_without_tokens_is_named(bert: LoadedModel) -> None:
    with pytest.raises(InputError, match="pair p0: the antistereotype sentence has no token"):
        collect_evidence(one_pair("the nurse", " "), bert, "none", ORIGINAL)


def test_a_log_probability_that_is_not_finite_is_named(tmp_path: Path) -> None:
    model = load(tiny_model("bert", tmp_path), CPU, with_attention=False)
    bias = dict(model.network.named_parameters())["cls.predictions.bias"]
    with torch.no_grad():
        bias[model.tokenizer.convert_tokens_to_ids("she")] = -torch.inf
    pairs = one_pair("the nurse said that she is good", "the nurse said that he is good")
    with pytest.raises(InputError, match=r"pair p0: .* -inf to token 'she' of the stereotype sentence"):
        collect_evidence(pairs, model, "none", ORIGINAL)


def test_metadata_travel_with_the_table(bert: LoadedModel, tmp_path: Path) -> None:
    rows = collect_evidence(example_pairs(), bert, "all", ORIGINAL)
    write_table(tmp_path / "rows.parquet", rows, EVIDENCE, {"model": "tiny", "seed": None})
    assert read_metadata(tmp_path / "rows.parquet") == {"model": "tiny", "seed": None}
