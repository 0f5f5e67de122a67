"""Unmask: measures social bias in language models, evidence first, measures second.

unmask.load("results/demo") gives the tables of a finished study as pandas frames (docs/start.md#from-python);
unmask.score("bert-base-uncased") scores a model first.
"""

from pathlib import Path

__all__ = ["__version__", "load", "score"]

# a text file: a release changes no code, and so redoes nothing
__version__ = Path(__file__).with_name("VERSION").read_text(encoding="utf-8").strip()

LIBRARY = Path(__file__).resolve().parent
"""The folder of this package."""


def workflow_root() -> Path:
    """The folder with the Snakefile, rules, scripts, resources, configs and profiles: a checkout, beside the
    library, or a folder inside of an installed one."""
    inside = LIBRARY / "workflow"
    return inside if (inside / "Snakefile").is_file() else LIBRARY.parents[1]


def __getattr__(name: str) -> object:
    # loaded when it is called for, as it takes pandas; and not written out as an import, so that it is not in
    # the digest of every job (unmask.digests)
    if name in ("load", "score"):
        from importlib import import_module  # noqa: TID251

        return getattr(import_module("unmask.command.scoring"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
