"""Devices: one job on each GPU; which errors are about memory; and a GPU gives the scores of the CPU."""

import logging
import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

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


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[torch.device]]:
    """What PyTorch says of GPUs that are not there; the devices that are set."""

    def gpus(*uuids: str) -> list[torch.device]:
        chosen: list[torch.device] = []
        for name, function in {
            "is_available": lambda: bool(uuids),
            "device_count": lambda: len(uuids),
            "get_device_properties": lambda number: SimpleNamespace(uuid=uuids[number]),
            "get_device_name": lambda device: "a GPU",
            "set_device": chosen.append,
        }.items():
            monkeypatch.setattr(torch.cuda, name, function)
        return chosen

    return gpus


@pytest.mark.parametrize("name", ["auto", "cuda"])
def test_any_free_gpu_is_taken_whatever_its_number(
    name: str, pretend: Callable[..., list[torch.device]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "unmask")
    # another process may number them the other way
    chosen = pretend("b", "a")
    with claim(["b"]), claim_device(name, 99) as device:
        assert (str(device.torch), device.batch_tokens) == ("cuda:1", 99)
    assert chosen == [device.torch]
    assert caplog.messages == ["running on cuda:1 (a GPU)"]


@pytest.mark.parametrize(("name", "count"), [("cuda", 0), ("cuda:2", 2)])
def test_a_gpu_that_is_not_here_is_one_clear_line(
    name: str, count: int, pretend: Callable[..., list[torch.device]]
) -> None:
    pretend(*"ab"[:count])
    line = f"config key runtime.device: {name} asked for, but PyTorch sees {count} GPUs here"
    with pytest.raises(InputError, match=line), claim_device(name):
        pass


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes."),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("could not create a primitive"),
        RuntimeError("std::bad_alloc"),
        OSError(12, "Cannot allocate memory"),
        MemoryError(),
    ],
    ids=str,
)
def test_errors_about_memory_are_known(error: Exception) -> None:
    assert within_memory(_raise, error) is None
    assert within_memory(divmod, 7, 2) == (3, 1)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("could not create a primitive descriptor for a matmul primitive"),
        RuntimeError("mat1 and mat2 shapes cannot be multiplied"),
        ValueError("out of memory"),
        FileNotFoundError("no such model"),
    ],
    ids=str,
)
def test_other_errors_are_passed_on(error: Exception) -> None:
    with pytest.raises(type(error)):
        within_memory(_raise, error)


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_cpus_scores(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    one, other = (
        collect_evidence(example_pairs(), load(directory, pick_device(name), True), "none", ORIGINAL)
        for name in ("cpu", "cuda")
    )
    assert (one["log_prob"] - other["log_prob"]).abs().max() < 1e-4
