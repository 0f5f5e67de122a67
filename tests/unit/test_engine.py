"""The engine's faster ways: the same numbers as the plain forward pass."""

import copy
import logging
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from examples import example_pairs
from library import (
    ORIGINAL,
    InputError,
    LoadedModel,
    PackedLinear,
    collect_evidence,
    loading,
    score_pairs,
    use_fast_linear_layers,
)
from literal import corrected
from study_schema import MASKED_MASKINGS, MEASURES
from tiny_evidence import loaded, masked_reader

SIDES = ["stereotype", "antistereotype"]


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """oneDNN's linear layers for every network, however small, and on every processor."""
    monkeypatch.setattr(loading, "SMALLEST", 0)
    monkeypatch.setattr(loading, "onednn_pays", lambda: True)


def scores(model: LoadedModel, masking: str) -> pd.DataFrame:
    return collect_evidence(example_pairs(), model, masking, ORIGINAL)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("architecture", ["bert", "albert"])
def test_scores_are_those_of_double_precision(architecture: str) -> None:
    pairs, evidence = example_pairs(), {}
    for masking in MASKED_MASKINGS:
        model = loaded(architecture, attention=masking == "none")
        # the fast way is taken
        assert model.apart
        assert any(isinstance(module, PackedLinear) for module in model.network.modules())
        evidence[masking] = scores(model, masking)
    found = score_pairs(list(pairs["pair_id"]), evidence, list(MEASURES)).query("protocol == 'corrected'")
    reader = masked_reader(architecture, torch.float64)
    for measure in MEASURES:
        want = [corrected(measure, reader, *sides) for sides in pairs[SIDES].itertuples(index=False)]
        got = found.loc[found["measure"] == measure, SIDES]
        np.testing.assert_allclose(got.to_numpy(float), want, atol=1e-4, err_msg=measure)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("fault", [NotImplementedError("no"), AssertionError(), ZeroDivisionError("a\nb")])
def test_whatever_a_faster_way_fails_with_nothing_of_it_stays(
    fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise fault

    plain = scores(loaded("bert", attention=True, fast_layers=False), "none")
    monkeypatch.setattr(PackedLinear, "forward", fail)
    model = loaded("bert", attention=True)
    assert not any(isinstance(module, PackedLinear) for module in model.network.modules())
    found = scores(model, "none")
    np.testing.assert_allclose(found["log_prob"], plain["log_prob"], atol=1e-5)
    np.testing.assert_allclose(found["attention"], plain["attention"], atol=1e-6)


@pytest.mark.skipif(not torch._C._has_mkldnn, reason="this PyTorch has no oneDNN")
@pytest.mark.parametrize(
    ("vendor", "capability", "taken"),
    [("AuthenticAMD", "AVX512", True), ("AuthenticAMD", "AVX2", False), ("GenuineIntel", "AVX512", False)],
)
def test_the_kind_of_processor_alone_decides_about_linear_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vendor: str, capability: str, taken: bool
) -> None:
    network = nn.Sequential(nn.Linear(256, 256), nn.Linear(256, 8))
    monkeypatch.setattr("torch.backends.cpu.get_cpu_capability", lambda: capability)
    monkeypatch.setattr(loading, "CPUINFO", tmp_path / "cpuinfo")
    assert not use_fast_linear_layers(network)
    (tmp_path / "cpuinfo").write_text(f"vendor_id\t: {vendor}\n")
    assert use_fast_linear_layers(network) == taken
    assert [isinstance(layer, PackedLinear) for layer in network] == [taken, taken]


FULL = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


class Limited:
    """A model whose device has no room for more than so many tokens, or distributions, at a time."""

    def __init__(self, masking: str, tokens: int, places: int) -> None:
        whole = loaded("bert", batch_tokens=10**6, attention=masking == "none")
        self.whole, self.tokens, self.places = whole, tokens, places
        self.model = replace(whole)
        vars(self.model).update(encode=self.encode, head=self.head)
        self.projected: list[int] = []
        self.failures = 0
        self.left: list[weakref.ref[torch.Tensor]] = []

    def encode(
        self, ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        self.may_fail(ids.numel(), self.tokens)
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
            raise copy.copy(FULL)


def test_what_does_not_fit_is_halved_and_the_answers_are_the_same(caplog: pytest.LogCaptureFixture) -> None:
    limited = Limited("none", tokens=60, places=30)
    whole, found = scores(limited.whole, "none"), scores(limited.model, "none")
    exact = ["log_prob", "attention", "attention_content", "cross_log_prob", "rank"]
    pd.testing.assert_frame_equal(found.drop(columns=exact), whole.drop(columns=exact))
    for column in exact[:-1]:
        np.testing.assert_allclose(found[column], whole[column], atol=1e-5)
    assert (found["rank"] == whole["rank"]).mean() > 0.99
    lines = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    # no try that could not have helped
    once = limited.failures
    assert len(lines) == once and 0 < once < 9
    assert all(line.startswith("out of memory on cpu with ") and "rounding" in line for line in lines)
    # the smaller size is kept
    scores(limited.model, "none")
    assert limited.failures == once and max(limited.projected) <= 30


@pytest.mark.parametrize(("tokens", "places"), [(9, 10**6), (10**6, 0)])
def test_a_sequence_that_does_not_fit_by_itself_is_one_clear_line(tokens: int, places: int) -> None:
    limited = Limited("none", tokens, places)
    line = "one sequence of .. tokens by itself is too large for the memory of cpu: .*runtime.device"
    with pytest.raises(InputError, match=line):
        scores(limited.model, "none")


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize(
    "where", ["PackedLinear.forward", "LoadedModel.head", "AutoModelForMaskedLM.from_pretrained"]
)
def test_where_a_model_does_not_fit_no_slower_way_is_taken(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise FULL

    owner, name = where.split(".")
    monkeypatch.setattr(getattr(loading, owner), name, full)
    with pytest.raises(torch.OutOfMemoryError):
        loaded("bert")
