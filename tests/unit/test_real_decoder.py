"""A trained decoder on all of CrowS-Pairs: against lm-evaluation-harness, transformers alone, and a split."""

import json
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from library import (
    CORRECTED,
    LEFT,
    ORIGINAL,
    PUBLISHED,
    Start,
    check_model,
    collect_evidence,
    load,
    measure,
    pick_device,
    read_benchmark,
    score_pairs,
)
from real_data import real_data

PAIRS = 1508
SIDES = ["stereotype", "antistereotype"]
SPACE = "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}"
"""What a token begins with that begins a word."""


@cache
def crows_pairs() -> pd.DataFrame:
    file = real_data("crows_pairs", "crows_pairs_anonymized.csv")
    return read_benchmark(file, {"format": "crows-pairs"})


@cache
def evidence() -> dict[str, pd.DataFrame]:
    directory = real_data("models", "llama-4m")
    manifest = check_model(directory, "causal-lm", "tiny")
    model = load(directory, pick_device("cpu"), with_attention=False, start=Start.of(manifest))
    return {LEFT: collect_evidence(crows_pairs(), model, LEFT, ORIGINAL, max_length=manifest["max_length"])}


def scores_of(name: str, protocol: str) -> pd.DataFrame:
    scores = score_pairs(list(crows_pairs()["pair_id"]), evidence(), [name])
    return scores[scores["protocol"] == protocol].set_index("pair_id")


@pytest.mark.thorough
def test_ll_decides_all_pairs_as_lm_evaluation_harness_does() -> None:
    """Its log of crows_pairs_english with these 1508 pairs, in single precision."""
    log = real_data("decoders", "samples_crows_pairs_llama-4m.jsonl").read_text().splitlines()
    samples = [json.loads(line) for line in log]
    found = scores_of("LL", PUBLISHED)
    assert len(found) == len(samples) == PAIRS
    expected = pd.DataFrame(
        [[float(sample["resps"][side][0][0]) for side in (0, 1)] for sample in samples], columns=SIDES
    )
    texts = [tuple(sample["doc"][side] for side in ("sent_more", "sent_less")) for sample in samples]
    assert texts == list(crows_pairs()[SIDES].itertuples(index=False, name=None))
    np.testing.assert_allclose(found[SIDES], expected, atol=1e-4)
    prefers = (found["outcome"] == "stereotype").to_numpy()
    assert list(prefers) == [bool(sample["pct_stereotype"]) for sample in samples]
    assert prefers.sum() == 712


@pytest.mark.thorough
def test_lm_evaluation_harness_decides_all_pairs_as_ll_does(tmp_path: Path) -> None:
    """Its own task of CrowS-Pairs, with the rows of a file in place of those of the hub."""
    evaluator = pytest.importorskip("lm_eval.evaluator", reason="needs the extra unmask[outside]")
    tasks = pytest.importorskip("lm_eval.tasks")
    rows = tmp_path / "pairs.csv"
    columns = dict(zip(SIDES, ("sent_more", "sent_less"), strict=True))
    crows_pairs().rename(columns=columns).to_csv(rows, index=False, columns=[*columns.values()])
    original = Path(tasks.__file__).parent / "crows_pairs" / "crows_pairs_english.yaml"
    (tmp_path / "here.yaml").write_text(
        f"include: {original}\n"
        "task: crows_pairs_here\n"
        "dataset_path: csv\n"
        "dataset_name: default\n"
        f"dataset_kwargs: {{data_files: {{test: '{rows}'}}, cache_dir: '{tmp_path / 'cache'}'}}\n"
    )
    results = evaluator.simple_evaluate(
        model="hf",
        model_args={"pretrained": str(real_data("models", "llama-4m")), "dtype": "float32"},
        tasks=["crows_pairs_here"],
        task_manager=tasks.TaskManager(include_path=str(tmp_path), include_defaults=False),
        batch_size=16,
        device="cpu",
        bootstrap_iters=0,
    )
    samples = sorted(results["samples"]["crows_pairs_here"], key=lambda sample: sample["doc_id"])
    ours = scores_of("LL", PUBLISHED)
    assert len(samples) == len(ours) == PAIRS
    theirs = [[response[0][0] for response in sample["resps"]] for sample in samples]
    np.testing.assert_allclose(ours[SIDES], theirs, atol=1e-4)
    prefers = (ours["outcome"] == "stereotype").tolist()
    assert prefers == [bool(sample["pct_stereotype"]) for sample in samples]
    assert results["results"]["crows_pairs_here"]["pct_stereotype,none"] == np.mean(prefers)


@pytest.mark.thorough
def test_ll_is_that_of_a_plain_loop_over_transformers() -> None:
    directory = real_data("models", "llama-4m")
    network = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()  # type: ignore[no-untyped-call]
    tokenizer = AutoTokenizer.from_pretrained(directory)
    found = scores_of("LL", CORRECTED)
    for pair_id, *texts in crows_pairs()[["pair_id", *SIDES]].itertuples(index=False):
        for side, text in zip(SIDES, texts, strict=True):
            ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text)["input_ids"]]])
            with torch.no_grad():
                log_probs = network(ids).logits[0, :-1].double().log_softmax(-1)
            total = log_probs.gather(1, ids[0, 1:, None]).sum()
            assert found.at[pair_id, side] == pytest.approx(float(total), abs=2e-4), pair_id


@pytest.mark.thorough
def test_ll_is_split_exactly_in_every_sentence() -> None:
    names, rows = ("LL", "CCPS", "CSSS"), evidence()[LEFT]
    ll, ccps, csss = (measure(name).formula(evidence(), PUBLISHED).scores() for name in names)
    modified = rows[rows["modified"].eq(True)].groupby(["pair_id", "role"]).size()
    cost = modified.reindex(ll.index, fill_value=0) * csss.reindex(ll.index).fillna(0)
    whole = ccps.reindex(ll.index).fillna(0) + cost
    assert len(ll) == 2 * PAIRS
    np.testing.assert_allclose(ll, whole, rtol=1e-12)


@pytest.mark.thorough
def test_readings_of_one_model_decide_differently() -> None:
    """Equal scores would hide how many decisions they turn."""
    prefers = {name: scores_of(name, CORRECTED)["outcome"] for name in ("LL", "LLMean", "CCPS", "CSSS")}
    assert (prefers["LL"] == "stereotype").sum() == 712
    assert (prefers["LL"] != prefers["LLMean"]).sum() == 352
    assert (prefers["CCPS"] == "undefined").sum() == 24


def words_of(
    text: str, network: Any, tokenizer: Any, begins: torch.Tensor
) -> list[tuple[str, tuple[float, float]]]:
    """Each word with its log-probability: its tokens' sum, and that with the probability that the word ends
    (Pimentel & Meister 2024, How to compute the probability of a word)."""
    ids = tokenizer(text)["input_ids"]
    with torch.no_grad():
        log_probs = network(torch.tensor([[tokenizer.bos_token_id, *ids]])).logits[0].double().log_softmax(-1)
    each = [float(log_probs[place, token]) for place, token in enumerate(ids)]
    # behind so many tokens
    ends = log_probs[:, begins].logsumexp(-1).tolist()
    tokens = tokenizer.convert_ids_to_tokens(ids)
    starts = [place for place, token in enumerate(tokens) if place == 0 or token.startswith(SPACE)]
    words = []
    for start, end in zip(starts, [*starts[1:], len(ids)], strict=True):
        naive = sum(each[start:end])
        # the first word has no space before it
        word = "".join(tokens[start:end]).removeprefix(SPACE)
        words.append((word, (naive, naive + ends[end] - (ends[start] if start else 0.0))))
    return words


@pytest.mark.thorough
def test_what_the_end_of_words_changes_is_small_for_sentences_and_not_for_words() -> None:
    """Why the explorer shows tokens: the documentation has these numbers."""
    directory = real_data("models", "llama-4m")
    network = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()  # type: ignore[no-untyped-call]
    tokenizer = AutoTokenizer.from_pretrained(directory)
    vocabulary = tokenizer.convert_ids_to_tokens(list(range(network.config.vocab_size)))
    begins = torch.tensor([token.startswith(SPACE) for token in vocabulary])
    begins[tokenizer.eos_token_id] = True
    moved: list[float] = []
    margins, turned, other_place = [], 0, 0
    for texts in crows_pairs()[SIDES].itertuples(index=False):
        sides = [words_of(text, network, tokenizer, begins) for text in texts]
        moved += [abs(whole - naive) for side in sides for _, (naive, whole) in side]
        naive, whole = (sum(of[n] for _, of in sides[0]) - sum(of[n] for _, of in sides[1]) for n in (0, 1))
        margins.append(abs(whole - naive))
        turned += (whole > 0) != (naive > 0)
        names = [[name for name, *_ in side] for side in sides]
        shares = [
            [
                sum(of[n] for _, of in sides[0][a:b]) - sum(of[n] for _, of in sides[1][c:d])
                for a, b, c, d in places_of(*names)
            ]
            for n in (0, 1)
        ]
        largest = [int(np.abs(share).argmax()) for share in shares]
        other_place += largest[0] != largest[1]
    print(np.median(moved), np.quantile(moved, 0.95), np.median(margins), turned, other_place)
    assert np.median(moved) == pytest.approx(0.093, abs=1e-3)
    assert np.quantile(moved, 0.95) == pytest.approx(0.957, abs=1e-3)
    assert np.median(margins) == pytest.approx(0.0005, abs=1e-4)
    assert (turned, other_place) == (3, 101)


def places_of(first: list[str], second: list[str]) -> list[tuple[int, int, int, int]]:
    """What both share, word by word, and what is between two such."""
    places = []
    for tag, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag == "equal":
            places += [(a + n, a + n + 1, c + n, c + n + 1) for n in range(b - a)]
        else:
            places.append((a, b, c, d))
    return places
