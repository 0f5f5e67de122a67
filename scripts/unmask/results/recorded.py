"""Whether results are those that Snakemake's record is of, or files of another run in their place."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.results.settings import FILE, difference, stated
from unmask.results.walking import paths_below

Record = Mapping[str, Any]
"""What Snakemake notes of the job that wrote a file: params, and input_checksums of inputs up to 1 MB."""


def check_recorded(
    folder: str,
    config: Mapping[str, Any],
    record_of: Callable[[str], Record | None],
    sha256_of: Callable[[str | Path], str],
) -> None:
    """Raise InputError where results in `folder` are not those that their records are of.

    Snakemake goes by dates: it takes an older file for the one that a result was made from, whatever is in
    it. A younger file is Snakemake's own concern. record_of: the record of a file; sha256_of: its SHA-256.
    """
    outputs = [str(path) for path in paths_below(folder) if path.is_file()]
    replaced = list(dict.fromkeys(_replaced(folder, outputs, record_of, sha256_of)))
    settings = os.path.join(folder, FILE)
    record = record_of(settings) if os.path.isfile(settings) else None
    # else the settings have changed since, and are written anew
    if (
        record is not None
        and repr(stated(config)) in record["params"]
        and (other := difference(folder, config))
    ):
        replaced.insert(0, f"{settings} (it has {other})")
    if replaced:
        more = f" and {len(replaced) - 1} more" if len(replaced) > 1 else ""
        raise InputError(
            f"{replaced[0]}{more}: not as the last run left it, by Snakemake's record; put back what was "
            f"there, or add --forceall to make all anew"
        )


def _replaced(
    folder: str,
    outputs: Iterable[str],
    record_of: Callable[[str], Record | None],
    sha256_of: Callable[[str | Path], str],
) -> Iterator[str]:
    for output in outputs:
        record = record_of(output)
        if record is None or record.get("incomplete"):
            continue
        written = os.stat(output).st_mtime_ns
        for name, checksum in (record.get("input_checksums") or {}).items():
            kind, _, sha256 = checksum.partition(":")
            if (
                name.startswith(f"{folder}/")
                and kind == "sha256"
                and os.path.isfile(name)
                and os.stat(name).st_mtime_ns <= written
                and sha256_of(name) != sha256
            ):
                yield name
