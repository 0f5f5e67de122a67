"""Code that is chosen by its name: sources of models, methods of debiasing, what presents a family.

Each is a module of its own in a folder of its like, so that a result depends on those that it uses and on no
others, and a new one is a new file. Nothing else in this library is imported by a name that is not in the
source: `unmask.digests` would not see it. A rule that leads here names the module to its digest.
"""

import importlib
from types import ModuleType

from unmask import LIBRARY


def module_file(folder: str, name: str) -> str:
    """The file of the one of that name: module_file("sources", "gguf") is unmask/sources/gguf.py.
    Case does not count."""
    return f"{LIBRARY.name}/{folder}/{name.lower().replace('-', '_')}.py"


def load(folder: str, name: str) -> ModuleType:
    """The module of that name, which a study's keys have checked."""
    return importlib.import_module(module_file(folder, name).removesuffix(".py").replace("/", "."))


def names(folder: str) -> list[str]:
    """The names of all modules of a folder, in order of the alphabet."""
    return sorted(file.stem.replace("_", "-") for file in (LIBRARY / folder).glob("[!_]*.py"))
