"""Running a script of the workflow in this process, with what Snakemake would give it."""

import runpy
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from snakemake.iocontainers import InputFiles, OutputFiles, Params, Wildcards

SCRIPTS = Path(__file__).parents[2] / "scripts"
Files = Mapping[str, Any] | Sequence[Any]
"""Files by name, each one or a list; or without names."""


def run_script(
    script: str,
    inputs: Files,
    outputs: Files,
    log: Path,
    *,
    wildcards: Mapping[str, str] | None = None,
    config: Mapping[str, Any] | None = None,
    **params: Any,
) -> None:
    """Run scripts/{script}.py with these `params`."""
    job = SimpleNamespace(
        input=_container(InputFiles, inputs),
        output=_container(OutputFiles, outputs),
        params=Params(fromdict={"code": "digest", "input_sha256": {}, **params}),
        log=[str(log)],
        threads=1,
        wildcards=Wildcards(fromdict=dict(wildcards or {})),
        config=dict(config or {}),
    )
    # as a program, which a script is to Snakemake
    runpy.run_path(str(SCRIPTS / f"{script}.py"), init_globals={"snakemake": job}, run_name="__main__")


def about_model(
    directory: Path, source: str = "path", kind: str = "masked-lm", name: str = "tiny"
) -> dict[str, Any]:
    """What a manifest is written with, as the rule gives it."""
    entry = {"source": source, "kind": kind}
    return {"name": name, "directory": str(directory), "entry": entry, "code": "digest"}


def present(family: str, inputs: Files, outputs: Files, log: Path, settings: Mapping[str, Any]) -> None:
    """Run scripts/present.py for tables, figures or sections of a family."""
    run_script("present", inputs, outputs, log, family=family, settings=dict(settings), study="made")


def _container(kind: Any, files: Files) -> Any:
    # as Snakemake fills one: a flat list of paths, in which names have one place or several
    container = kind()
    for name, value in files.items() if isinstance(files, Mapping) else ((None, file) for file in files):
        several = isinstance(value, list | tuple)
        paths = [str(path) for path in (value if several else [value])]
        start = len(container)
        container.extend(paths)
        if name is not None:
            container._set_name(name, start, end=len(container) if several else None)
    return container
