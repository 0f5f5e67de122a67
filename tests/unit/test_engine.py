"""The engine's faster ways: the same numbers as the plain forward pass."""

import copy
import logging
import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn
from transformers import AutoModelForMaskedLM, AutoTokenizer
from transformers.activations import NewGELUActivation

from examples import example_pairs
from library import (
    CORRECTED,
    ORIGINAL,
    InputError,
    LoadedModel,
    PackedLinear,
    Progress,
    answer,
    as_rows,
    collect_evidence,
    load,
    loading,
    pick_device,
    prepare,
    score_pairs,
    tokenise,
    use_fast_linear_layers,
)
from library import models_linear as linear
from literal import Reader, corrected
from study_schema import MASKED_MASKINGS, MEASURES
from tiny_models import tiny_model

CPU = pick_device("cpu")
NEAR_TIE = 1e-4


@cache
def model_directory(architecture: str) -> Path:
    return tiny_model(architecture, Path(mkdtemp(prefix=f"tiny-{architecture}-")))


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """oneDNN's linear layers for every network, however small, and on every processor."""
    monkeypatch.setattr(linear, "SMALLEST", 0)
    monkeypatch.setattr(linear, "pays_from", lambda: 1)


def scores(model: LoadedModel, masking: str) -> pd.DataFrame:
    return collect_evidence(example_pairs(), model, masking, ORIGINAL)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("architecture", ["bert", "albert"])
def test_scores_are_those_of_double_precision_and_no_decision_flips(architecture: str) -> None:
    pairs, evidence = example_pairs(), {}
    for masking in MASKED_MASKINGS:
        model = load(model_directory(architecture), CPU, masking == "none")
        # the fast way is taken
        assert type(model.encode.__self__).__name__ == "_Split"  # type: ignore[attr-defined]
        assert any(isinstance(module, PackedLinear) for module in model.network.modules())
        evidence[masking] = collect_evidence(pairs, model, masking, ORIGINAL)
    found = score_pairs(list(pairs["pair_id"]), evidence, list(MEASURES))
    found = found[found["protocol"] == CORRECTED].set_index(["measure", "pair_id"])
    reader = Reader(
        AutoModelForMaskedLM.from_pretrained(
            model_directory(architecture), attn_implementation="eager", dtype=torch.float64
        ).eval(),
        AutoTokenizer.from_pretrained(model_directory(architecture)),
    )
    near_ties = 0
    for measure in MEASURES:
        for pair_id, stereotype, antistereotype in zip(
            pairs["pair_id"], pairs["stereotype"], pairs["antistereotype"], strict=True
        ):
            want = corrected(measure, reader, stereotype, antistereotype)
            got = found.xs((measure, pair_id))
            np.testing.assert_allclose(
                [got["stereotype"], got["antistereotype"]], want, atol=1e-4, err_msg=f"{measure} {pair_id}"
            )
            margin = want[0] - want[1]
            if abs(margin) > NEAR_TIE:
                assert got["outcome"] == ("stereotype" if margin > 0 else "antistereotype")
            else:
                near_ties += 1
    # the pair of equal sentences, and All-Masked where only the order of words differs
    assert near_ties <= 2 * len(MEASURES)


def test_scores_do_not_depend_on_threads() -> None:
    threads = torch.get_num_threads()
    model = load(model_directory("bert"), CPU, with_attention=True)
    before = scores(model, "none")
    try:
        torch.set_num_threads(2)
        after = scores(model, "none")
    finally:
        torch.set_num_threads(threads)
    np.testing.assert_allclose(before["log_prob"], after["log_prob"], atol=1e-5)


def test_equal_inputs_are_read_once_and_equal_places_projected_once() -> None:
    model = load(model_directory("bert"), CPU, with_attention=False)
    read: list[tuple[int, ...]] = []
    projected: list[int] = []

    def encode(ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor | None = None) -> loading.Encoded:
        read.extend(map(tuple, ids.tolist()))
        return model.encode(ids, places)

    def head(hidden: torch.Tensor) -> torch.Tensor:
        projected.append(len(hidden))
        return model.head(hidden)

    counting = LoadedModel(model.network, model.tokenizer, CPU, encode, head)
    for masking in ("all", "modified"):
        read.clear()
        projected.clear()
        rows = scores(counting, masking)
        assert len(read) == len(set(read))
        if masking == "all":
            lengths = {len(ids) for ids in read}
            assert len(read) == len(lengths)
            # special tokens are not asked for
            assert sum(projected) == sum(length - 2 for length in lengths) < len(rows)


def test_packed_layers_equal_pytorchs_own() -> None:
    if not torch._C._has_mkldnn:
        pytest.skip("this PyTorch has no oneDNN")
    torch.manual_seed(0)
    for bias in (True, False):
        layer = nn.Linear(96, 160, bias=bias)
        packed = PackedLinear(layer)
        for shape in ((1, 96), (300, 96), (3, 7, 96)):
            rows = torch.randn(shape)
            with torch.inference_mode():
                torch.testing.assert_close(packed(rows), layer(rows), rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("forced")
def test_layers_that_do_something_else_stay() -> None:
    class Special(nn.Linear):
        pass

    network = nn.Sequential(nn.Linear(8, 8), Special(8, 8), nn.Linear(8, 8).double())
    kept = copy.copy(network[1]), copy.copy(network[2])
    assert use_fast_linear_layers(network) == 1
    assert type(network[1]) is type(kept[0]) and type(network[2]) is type(kept[1])


def test_small_networks_keep_their_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "pays_from", lambda: 1)
    network = nn.Sequential(nn.Linear(64, 64))
    assert use_fast_linear_layers(network) == 0
    assert type(network[0]) is nn.Linear


@pytest.mark.parametrize(
    ("vendor", "capability", "taken"),
    [
        ("AuthenticAMD", "AVX512", 1),
        ("AuthenticAMD", "AVX2", 0),
        ("GenuineIntel", "AVX512", 0),
        (None, "DEFAULT", 0),
    ],
)
def test_the_kind_of_processor_alone_decides_about_linear_layers(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    vendor: str | None,
    capability: str,
    taken: int,
) -> None:
    if not torch._C._has_mkldnn:
        pytest.skip("this PyTorch has no oneDNN")
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(linear, "_vendor", lambda: vendor)
    monkeypatch.setattr("torch.backends.cpu.get_cpu_capability", lambda: capability)
    assert use_fast_linear_layers(nn.Sequential(nn.Linear(256, 256))) == taken
    assert ("linear layers: oneDNN's" if taken else "linear layers: PyTorch's own") in caplog.text


@pytest.mark.parametrize(
    ("vendor", "capability", "taken"),
    [("AuthenticAMD", "AVX2", 1), ("AuthenticAMD", "DEFAULT", 0), ("GenuineIntel", "AVX2", 0)],
)
def test_layers_as_wide_as_a_vocabulary_pay_on_more_processors(
    monkeypatch: pytest.MonkeyPatch, vendor: str, capability: str, taken: int
) -> None:
    if not torch._C._has_mkldnn:
        pytest.skip("this PyTorch has no oneDNN")
    monkeypatch.setattr(linear, "_vendor", lambda: vendor)
    monkeypatch.setattr("torch.backends.cpu.get_cpu_capability", lambda: capability)
    network = nn.Sequential(nn.Linear(256, 256), nn.Linear(256, linear.WIDE))
    assert use_fast_linear_layers(network) == taken
    assert type(network[0]) is nn.Linear
    assert isinstance(network[1], PackedLinear) == bool(taken)


@pytest.mark.usefixtures("forced")
def test_layers_that_differ_are_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    right: Callable[[PackedLinear, torch.Tensor], torch.Tensor] = PackedLinear.forward
    monkeypatch.setattr(PackedLinear, "forward", lambda self, rows: right(self, rows) * 1.01)
    model = load(model_directory("bert"), CPU, with_attention=False)
    assert "oneDNN differs" in caplog.text
    assert not any(isinstance(module, PackedLinear) for module in model.network.modules())


def own_log_probs(reader: Reader, ids: list[int], hidden: bool) -> list[float]:
    """Of each token where it stands, all visible or itself hidden: one forward pass each."""
    read = [reader.hide(ids, [place] if hidden else []) for place in range(len(ids))]
    return [float(reader.log_probs(row)[place, ids[place]]) for place, row in enumerate(read)]


@pytest.mark.parametrize(
    ("architecture", "settings", "has_attention"),
    [
        ("mobilebert", {}, True),
        ("luke", {}, True),
        # maps of pooled tokens, and of those in a window
        ("funnel", {}, False),
        ("longformer", {}, False),
        ("longformer", {"attention_window": 6}, False),
    ],
)
def test_architectures_that_are_not_built_like_bert(
    architecture: str,
    settings: dict[str, int],
    has_attention: bool,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    directory = tiny_model(architecture, tmp_path, **settings)
    network = AutoModelForMaskedLM.from_pretrained(directory, attn_implementation="eager").eval()
    reader = Reader(network, AutoTokenizer.from_pretrained(directory))
    pairs = example_pairs().iloc[:5]
    for masking in ("none", "one-shared"):
        rows = collect_evidence(pairs, load(directory, CPU, masking == "none"), masking, ORIGINAL)
        for _, pair in pairs.iterrows():
            for role in ("stereotype", "antistereotype"):
                ids = reader.ids(pair[role])
                found = rows[(rows["pair_id"] == pair["pair_id"]) & (rows["role"] == role)]
                own = np.array(own_log_probs(reader, ids, hidden=masking != "none"))
                np.testing.assert_allclose(found["log_prob"], own[found["position"]], rtol=1e-5, atol=1e-5)
                if masking == "none" and has_attention:
                    received = reader.attention(ids).mean(0)[found["position"].tolist()]
                    np.testing.assert_allclose(found["attention"], received, atol=1e-5)
                else:
                    assert found["attention"].isna().all()
    assert caplog.text.count("AULA stays undefined") == (not has_attention)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("fault", [NotImplementedError("no"), AssertionError(), ZeroDivisionError("a\nb")])
def test_whatever_a_faster_way_fails_with_nothing_of_it_stays(
    fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise fault

    plain = scores(load(model_directory("bert"), CPU, True, fast=False), "none")
    monkeypatch.setattr(PackedLinear, "forward", fail)
    monkeypatch.setattr(linear, "_equal", lambda layer: True)
    model = load(model_directory("bert"), CPU, with_attention=True)
    assert not any(isinstance(module, PackedLinear) for module in model.network.modules())
    found = scores(model, "none")
    np.testing.assert_allclose(found["log_prob"], plain["log_prob"], atol=1e-5)
    np.testing.assert_allclose(found["attention"], plain["attention"], atol=1e-6)


def test_a_head_that_cannot_be_apart_runs_at_every_position(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    plain = scores(load(model_directory("bert"), CPU, False, fast=False), "one-shared")
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(loading._Split, "head", lambda self, hidden: hidden.new_zeros(len(hidden), 3))
    model = load(model_directory("bert"), CPU, with_attention=False)
    assert "head apart from encoder: not for this architecture" in caplog.text
    np.testing.assert_allclose(scores(model, "one-shared")["log_prob"], plain["log_prob"], atol=1e-5)


def test_the_last_resort_is_the_plain_network(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def spoil(network: nn.Module) -> int:
        for module in network.modules():
            if isinstance(module, nn.LayerNorm):
                module.eps = 10.0
        return 0

    plain = scores(load(model_directory("bert"), CPU, False, fast=False), "all")
    monkeypatch.setattr(loading, "use_fast_linear_layers", spoil)
    model = load(model_directory("bert"), CPU, with_attention=False)
    assert "this model runs without them" in caplog.text
    np.testing.assert_array_equal(scores(model, "all")["log_prob"], plain["log_prob"])


def test_alberts_gelu_becomes_one_operation(tmp_path: Path) -> None:
    directory = tiny_model("albert", tmp_path, hidden_act="gelu_new")
    ways = [load(directory, CPU, with_attention=False, fast=fast) for fast in (True, False)]
    kinds = [{type(module) for module in way.network.modules()} for way in ways]
    assert NewGELUActivation not in kinds[0] and NewGELUActivation in kinds[1]
    one, other = (scores(way, "one-shared")["log_prob"] for way in ways)
    np.testing.assert_allclose(one, other, atol=1e-5)


FULL = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


class Limited:
    """A model whose device has no room for more than so many tokens, or distributions, at a time."""

    def __init__(self, masking: str, tokens: int, places: int, error: Exception = FULL) -> None:
        whole = load(model_directory("bert"), pick_device("cpu", 10**6), masking == "none")
        self.whole, self.tokens, self.places, self.error = whole, tokens, places, error
        self.model = LoadedModel(whole.network, whole.tokenizer, whole.device, self.encode, self.head)
        self.read: list[int] = []
        self.projected: list[int] = []
        self.failures = 0
        self.left: list[weakref.ref[torch.Tensor]] = []

    def encode(
        self, ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor | None = None
    ) -> loading.Encoded:
        self.may_fail(ids.numel(), self.tokens)
        self.read.append(ids.numel())
        return self.whole.encode(ids, places)

    def head(self, hidden: torch.Tensor) -> torch.Tensor:
        self.may_fail(len(hidden), self.places)
        self.projected.append(len(hidden))
        return self.whole.head(hidden)

    def may_fail(self, size: int, limit: int) -> None:
        # what the calls before could not have is free again
        assert not any(tensor() is not None for tensor in self.left)
        if size > limit:
            self.failures += 1
            half_way = torch.empty(size)
            self.left.append(weakref.ref(half_way))
            raise copy.copy(self.error)


class Counted(Progress):
    """Progress that shows what it was told."""

    sequences = tokens = 0

    def add(self, sequences: int, tokens: int) -> None:
        super().add(sequences, tokens)
        self.sequences += sequences
        self.tokens += tokens


def test_what_does_not_fit_is_halved_and_the_answers_are_the_same(caplog: pytest.LogCaptureFixture) -> None:
    limited = Limited("none", tokens=60, places=9)
    whole = scores(limited.whole, "none")
    progress = Counted(1.0)
    tokenizer = limited.model.tokenizer
    layout = prepare(tokenise(example_pairs(), tokenizer), "none", ORIGINAL, 0, tokenizer.mask_token_id)
    found = as_rows(layout, answer(limited.model, layout.queries, progress), tokenizer)
    exact = ["log_prob", "attention", "attention_content", "cross_log_prob", "rank"]
    pd.testing.assert_frame_equal(found.drop(columns=exact), whole.drop(columns=exact))
    for column in exact[:-1]:
        np.testing.assert_allclose(found[column], whole[column], atol=1e-5)
    assert (found["rank"] == whole["rank"]).mean() > 0.99
    lines = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(lines) == limited.failures
    # no try that could not have helped
    assert 2 < limited.failures < 6
    assert all(line.startswith("out of memory on cpu with ") and "rounding" in line for line in lines)
    assert any("distributions" in line for line in lines) and any("sequences" in line for line in lines)
    # nothing counts twice, nothing is left out
    sentences = {tuple(rows["token_id"]) for _, rows in whole.groupby(["pair_id", "role"])}
    assert (progress.sequences, progress.tokens) == (len(sentences), sum(map(len, sentences)))
    assert sum(limited.read) == progress.tokens == sum(limited.projected)


def test_the_smaller_sizes_are_kept() -> None:
    limited = Limited("one-shared", tokens=100, places=3)
    scores(limited.model, "one-shared")
    once = limited.failures
    assert once > 0 and max(limited.read) <= 100 and max(limited.projected) <= 3
    scores(limited.model, "one-shared")
    assert limited.failures == once


def test_places_that_are_asked_about_often_need_no_more_room() -> None:
    # all inputs of a length are one, whose places are asked about for every sentence
    limited = Limited("all", tokens=10**6, places=2)
    np.testing.assert_allclose(
        scores(limited.model, "all")["log_prob"], scores(limited.whole, "all")["log_prob"], atol=1e-5
    )
    assert max(limited.projected) <= 2


def test_a_batch_is_halved_where_a_single_place_has_no_room_beside_it() -> None:
    whole = load(model_directory("bert"), pick_device("cpu", 10**6), with_attention=True)
    beside = 0

    def encode(ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor | None = None) -> loading.Encoded:
        nonlocal beside
        beside = ids.numel()
        return whole.encode(ids, places)

    def head(hidden: torch.Tensor) -> torch.Tensor:
        if beside > 30:
            raise FULL
        return whole.head(hidden)

    model = LoadedModel(whole.network, whole.tokenizer, whole.device, encode, head)
    expected = scores(whole, "none")["log_prob"]
    np.testing.assert_allclose(scores(model, "none")["log_prob"], expected, atol=2e-5)


@pytest.mark.parametrize(("tokens", "places"), [(9, 10**6), (10**6, 0)])
def test_a_sequence_that_does_not_fit_by_itself_is_one_clear_line(tokens: int, places: int) -> None:
    limited = Limited("none", tokens, places)
    line = "one sequence of .. tokens by itself is too large for the memory of cpu: .*runtime.device"
    with pytest.raises(InputError, match=line):
        scores(limited.model, "none")


def test_other_errors_stay_what_they_are() -> None:
    other = RuntimeError("could not create a primitive descriptor for a matmul primitive")
    with pytest.raises(RuntimeError, match="descriptor"):
        scores(Limited("none", tokens=9, places=9, error=other).model, "none")


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize(
    "where", ["PackedLinear.forward", "_Split.encode", "AutoModelForMaskedLM.from_pretrained"]
)
def test_a_model_that_does_not_fit_is_one_clear_line_and_no_slower_way_is_taken(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise FULL

    module = linear if where.startswith("Packed") else loading
    owner, name = where.split(".")
    monkeypatch.setattr(getattr(module, owner), name, full)
    directory = model_directory("bert")
    with pytest.raises(InputError, match=f"^{directory}: this model is too large for the memory of cpu"):
        load(directory, CPU, with_attention=False)
