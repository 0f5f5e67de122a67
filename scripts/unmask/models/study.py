"""The models of a study: what its keys say of each, and of the model that it is made from.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Mapping
from typing import Any

from unmask.errors import InputError
from unmask.models.detecting import CAUSAL_LM
from unmask.models.keys import Model, sources

KEY = "config key models"


class Models(dict[str, Mapping[str, Any]]):
    """The entries of the key `models` of a completed study, by name."""

    def of(self, *sources: str) -> list[str]:
        """The models from there, in the order of the study."""
        return [name for name, entry in self.items() if entry["source"] in sources]

    def of_kind(self, *kinds: str) -> list[str]:
        """The models with files of these kinds."""
        return [name for name in self if self.has_files(name) and self.kind(name) in kinds]

    def inherited(self, model: str, key: str) -> Any:
        """What an entry says under a key, or else that of the model which it is made from; None if none
        does."""
        entry = self[model]
        return self.inherited(entry["from"], key) if "from" in entry and key not in entry else entry.get(key)

    def kind(self, model: str) -> str:
        """What a model is: unmask.models.detecting has the kinds that are scored on pairs."""
        return str(self.inherited(model, "kind"))

    def origin(self, model: str) -> str:
        """The model that a model is made from at last: itself, if it is made from none."""
        return self.origin(self[model]["from"]) if "from" in self[model] else model

    def world(self, model: str) -> str | None:
        """The world that a model was trained on, if it was on one."""
        world: str | None = self.inherited(model, "world")
        return world

    def has_files(self, model: str) -> bool:
        """Whether a model lies in a directory."""
        return self.source_of(model).has_files

    def runs_own_code(self, model: str) -> bool:
        """Whether code that comes with a model is run where it is loaded."""
        return bool(self[model].get("trust_remote_code"))

    def source_of(self, model: str) -> type[Model]:
        """The keys of models of a model's source."""
        return sources()[self[model]["source"]]

    def check_starts(self) -> None:
        """Raise InputError where a model that is no decoder is to have a start token."""
        for name, entry in self.items():
            if "start" in entry and self.kind(name) != CAUSAL_LM:
                raise InputError(
                    f"{KEY}.{name}.start: only a causal-lm model has a start token, "
                    f"and this one is a {self.kind(name)} model (key kind)"
                )

    def check_bases(self, source: str, *kinds: str) -> None:
        """Raise InputError where a model of a source is made from one without files, of another kind, or
        with code of its own, which what is made from it would lack."""
        for name in self.of(source):
            base = self[name]["from"]
            if base not in self.of_kind(*kinds):
                raise InputError(f"{KEY}.{name}.from: {base} is not a {' or '.join(kinds)} model with files")
            if self.runs_own_code(base):
                raise InputError(
                    f"{KEY}.{name}.from: {base} runs code of its own (trust_remote_code), "
                    "and no model is made from such a one"
                )
