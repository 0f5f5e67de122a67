"""Devices: one job on each GPU; which errors are about memory; and a GPU gives the scores of the CPU."""

import logging
import os
import stat
import tempfile
from contextlib import ExitStack, nullcontext
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch

from examples import example_pairs
from library import (
    ORIGINAL,
    InputError,
    claim,
    claim_device,
    collect_evidence,
    devices,
    load,
    pick_device,
    within_memory,
)
from tiny_models import tiny_model


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Locks of these tests lie apart from those of real jobs."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_the_first_free_device_is_taken_and_else_one_is_waited_for(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.WARNING)
    with claim(["one"]), ExitStack() as other:
        with claim(["one", "other", "third"]) as name:
            assert name == "other"
        assert not caplog.messages
        other.enter_context(claim(["other"]))
        monkeypatch.setattr(devices, "time", SimpleNamespace(sleep=lambda seconds: other.close()))
        with claim(["one", "other"]) as name:
            assert name == "other"
    assert [line.split(":")[0] for line in caplog.messages] == ["waiting"]


def test_locks_are_the_users_own(temporary_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with claim(["one"]):
        (lock,) = temporary_files.iterdir()
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        with claim(["one"]):
            assert len(list(temporary_files.iterdir())) == 2


def pretend(patch: pytest.MonkeyPatch, *uuids: str) -> list[torch.device]:
    """Let PyTorch say that there are these GPUs; the devices that are set."""
    chosen: list[torch.device] = []
    patch.setattr(torch.cuda, "is_available", lambda: bool(uuids))
    patch.setattr(torch.cuda, "device_count", lambda: len(uuids))
    patch.setattr(torch.cuda, "get_device_properties", lambda number: SimpleNamespace(uuid=uuids[number]))
    patch.setattr(torch.cuda, "get_device_name", lambda device: "a GPU")
    patch.setattr(torch.cuda, "set_device", chosen.append)
    return chosen


@pytest.mark.parametrize("name", ["auto", "cuda"])
def test_any_free_gpu_is_taken_whatever_its_number(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "unmask")
    # another process may number them the other way
    chosen = pretend(monkeypatch, "b", "a")
    with claim(["b"]), claim_device(name, 99) as device:
        assert (str(device.torch), device.batch_tokens) == ("cuda:1", 99)
    assert chosen == [device.torch]
    assert caplog.messages == ["running on cuda:1 (a GPU)"]


@pytest.mark.parametrize(("name", "count"), [("cuda", 0), ("cuda:2", 2)])
def test_a_gpu_that_is_not_here_is_one_clear_line(
    name: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, *"ab"[:count])
    line = f"config key runtime.device: {name} asked for, but PyTorch sees {count} GPUs here"
    with pytest.raises(InputError, match=line), claim_device(name):
        pass


@pytest.mark.parametrize(
    ("error", "is_about_memory"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes."), True),
        (RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True),
        (RuntimeError("could not create a primitive"), True),
        (RuntimeError("std::bad_alloc"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (MemoryError(), True),
        (RuntimeError("could not create a primitive descriptor for a matmul primitive"), False),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (ValueError("out of memory"), False),
        (FileNotFoundError("no such model"), False),
    ],
    ids=str,
)
def test_errors_about_memory_alone_are_known(error: Exception, is_about_memory: bool) -> None:
    with nullcontext() if is_about_memory else pytest.raises(type(error)):
        assert within_memory(Mock(side_effect=error)) is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_cpus_scores(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    one, other = (
        collect_evidence(example_pairs(), load(directory, pick_device(name), True), "none", ORIGINAL)
        for name in ("cpu", "cuda")
    )
    assert (one["log_prob"] - other["log_prob"]).abs().max() < 1e-4
