"""The engine's faster ways: the same numbers as the plain forward pass."""

import copy
import logging
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from examples import example_pairs
from library import (
    NONE,
    ORIGINAL,
    InputError,
    LoadedModel,
    PackedLinear,
    collect_evidence,
    loading,
    use_fast_linear_layers,
)
from tiny_evidence import loaded

FULL = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """oneDNN's linear layers for every network, however small, and on every processor."""
    monkeypatch.setattr(loading, "SMALLEST", 0)
    monkeypatch.setattr(loading, "onednn_pays", lambda: True)


def read(model: LoadedModel) -> pd.DataFrame:
    return collect_evidence(example_pairs(), model, NONE, ORIGINAL)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("architecture", ["bert", "albert"])
@pytest.mark.parametrize("fault", [None, NotImplementedError("no"), AssertionError(), OverflowError("a\nb")])
def test_a_faster_way_changes_nothing_and_of_one_that_fails_nothing_stays(
    architecture: str, fault: Exception | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = read(loaded(architecture, attention=True, fast_layers=False))
    if fault:
        monkeypatch.setattr(PackedLinear, "forward", Mock(side_effect=fault))
    model = loaded(architecture, attention=True)
    packed = any(isinstance(module, PackedLinear) for module in model.network.modules())
    assert model.apart and packed == (fault is None)
    found = read(model)
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


def limit(model: LoadedModel, tokens: int, places: int) -> list[int]:
    """Let a model's device have no room for more than so many tokens, or distributions, at a time.

    Returns the sizes of what did not fit.
    """
    failed, left = list[int](), list[weakref.ref[torch.Tensor]]()

    def limited(read: Callable[..., Any], most: int, size: Callable[[Any], int]) -> Callable[..., Any]:
        def may_fail(first: torch.Tensor, *others: Any) -> Any:
            # what the calls before could not have is free again
            assert not any(tensor() is not None for tensor in left)
            if size(first) > most:
                half_way = torch.empty(size(first))
                failed.append(len(half_way))
                left.append(weakref.ref(half_way))
                raise copy.copy(FULL)
            return read(first, *others)

        return may_fail

    encode, head = limited(model.encode, tokens, torch.numel), limited(model.head, places, len)
    vars(model).update(encode=encode, head=head)
    return failed


def test_what_does_not_fit_is_halved_and_the_answers_are_the_same(caplog: pytest.LogCaptureFixture) -> None:
    model, whole = (loaded("bert", batch_tokens=10**6, attention=True) for _ in range(2))
    failed, expected = limit(model, tokens=60, places=30), read(whole)
    found = read(model)
    exact = ["log_prob", "attention", "attention_content", "cross_log_prob", "rank"]
    pd.testing.assert_frame_equal(found.drop(columns=exact), expected.drop(columns=exact))
    for column in exact[:-1]:
        np.testing.assert_allclose(found[column], expected[column], atol=1e-5)
    assert (found["rank"] == expected["rank"]).mean() > 0.99
    lines = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    # no try that could not have helped
    assert 0 < len(failed) == len(lines) < 9
    assert all(line.startswith("out of memory on cpu with ") and "rounding" in line for line in lines)
    # the smaller size is kept
    failed.clear()
    read(model)
    assert failed == []


@pytest.mark.parametrize(("tokens", "places"), [(9, 10**6), (10**6, 0)])
def test_a_sequence_that_does_not_fit_by_itself_is_one_clear_line(tokens: int, places: int) -> None:
    model = loaded("bert", batch_tokens=10**6)
    limit(model, tokens, places)
    line = "one sequence of .. tokens by itself is too large for the memory of cpu: .*runtime.device"
    with pytest.raises(InputError, match=line):
        read(model)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize(
    "where", ["PackedLinear.forward", "LoadedModel.head", "AutoModelForMaskedLM.from_pretrained"]
)
def test_where_a_model_does_not_fit_no_slower_way_is_taken(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name = where.split(".")
    monkeypatch.setattr(getattr(loading, owner), name, Mock(side_effect=FULL))
    with pytest.raises(torch.OutOfMemoryError):
        loaded("bert")
