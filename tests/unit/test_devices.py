"""Devices: one job on each GPU, with real processes; and which errors are about memory."""

import logging
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from claimants import held
from library import InputError, claim, claim_device, devices, within_memory


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Locks of these tests lie apart from those of real jobs."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


# locks


def waiting_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    # what level is logged besides depends on what ran before in this process
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    return [record.getMessage().split(":")[0] for record in warnings]


def test_the_first_free_device_is_taken_and_else_one_is_waited_for(
    temporary_files: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held(temporary_files, "one"):
        with claim(["one", "other", "third"]) as name:
            assert name == "other"
        assert not waiting_lines(caplog)
        with held(temporary_files, "other") as (process, line):

            def release(seconds: float) -> None:
                line.send("end")
                process.join()

            monkeypatch.setattr(devices, "time", SimpleNamespace(sleep=release))
            with claim(["one", "other"]) as name:
                assert name == "other"
    assert waiting_lines(caplog) == ["waiting"]


def test_locks_are_the_users_own(temporary_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with claim(["one"]):
        (lock,) = temporary_files.iterdir()
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    (temporary_files / "unmask-12345-one.lock").mkdir()
    with pytest.raises(InputError, match=r"unmask-12345-one\.lock: no lock .* set TMPDIR"), claim(["one"]):
        pass


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
    name: str,
    pretend: Callable[..., list[torch.device]],
    temporary_files: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    with held(temporary_files, "b"):
        # another process may number them the other way
        chosen = pretend("b", "a")
        with claim_device(name, 99) as device:
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


# memory


@pytest.mark.parametrize(
    ("error", "is_of_memory"),
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
def test_errors_about_memory_are_known_and_others_are_passed_on(error: Exception, is_of_memory: bool) -> None:
    def fail() -> int:
        raise error

    if is_of_memory:
        assert within_memory(fail) is None
    else:
        with pytest.raises(type(error)):
            within_memory(fail)
    assert within_memory(divmod, 7, 2) == (3, 1)
