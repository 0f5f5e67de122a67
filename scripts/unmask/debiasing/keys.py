"""The keys of debiasing: the texts and words of its training, and models after it."""

from itertools import product
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from unmask.errors import InputError, known_names
from unmask.keys import (
    ABSENT,
    ALIKE,
    DIFFERING,
    UNIQUE,
    Count,
    Family,
    Keys,
    ModelName,
    Name,
    PublishedOrFile,
    Rate,
    Seed,
    Whole,
    among,
)
from unmask.models.keys import Model


class Training(Keys):
    """How models are trained; what is left out is as in the paper."""

    batch: Count = 32
    """Blocks of a step."""
    learning_rate: Rate = 5.0e-5
    """The largest learning rate of the schedule."""
    epochs: Count = 3
    """How often all blocks are read."""
    steps: Count | None = None
    """Ends training after so many steps, however many epochs that is; null for all of `epochs`."""
    max_length: Annotated[int, Field(ge=8)] = 128
    """Tokens of a block."""


class Debiasing(Keys):
    """What models are debiased with."""

    corpus: Annotated[str, among("corpora")]
    """The texts that they are trained on; a line is a document."""
    words: PublishedOrFile = "published"
    """Pairs of words that differ in gender, published for the list of the paper (GN-GloVe's; with a world's
    corpus those of the world), or a CSV file with the columns feminine and masculine."""
    held_out: Whole = 10000
    """So many lines, from the first, are not trained on but for choosing and watching."""
    training: Training = Training()
    of: Annotated[list[Name], UNIQUE] = []
    """Models of which every one is debiased by every one of `methods`: shorthand for entries of `models` that
    are called {model}-{method}."""
    methods: dict[Name, dict[str, Any]] = {}
    """The methods of `of`, by name, with whatever else a debiased model may state."""


class DebiasingFamily(Family):
    """Models made from models, so that they should be less biased; docs/debiasing.md explains the methods.
    What is set here holds for all of them."""

    needs = ("corpora",)

    debiasing: Debiasing

    @classmethod
    def spelt_out(cls, study: dict[str, Any]) -> dict[str, Any]:
        """The study with an entry {model}-{method} under `models` in place of `of` and `methods`.

        Raises InputError where a model has that name already.
        """
        models, debiasing = study.get("models"), study["debiasing"]
        if not (isinstance(models, dict) and isinstance(debiasing, dict)):
            return study
        bases, methods = debiasing.get("of", []), debiasing.get("methods", {})
        if not (isinstance(bases, list) and isinstance(methods, dict)):
            return study
        if not all([isinstance(of, str) for of in bases] + [isinstance(of, dict) for of in methods.values()]):
            return study
        models = dict(models)
        for base, (name, entry) in product(bases, methods.items()):
            if base not in study["models"]:
                known = known_names(base, map(str, models))
                raise InputError(f"config key debiasing.of: {base!r} is none of the study's models ({known})")
            if (model := f"{base}-{name}") in models:
                raise InputError(f"config key debiasing.of: {model} is among the models already")
            models[model] = {"source": "debiased", "from": base, "method": name, **entry}
        return study | {"models": models, "debiasing": debiasing | {"of": [], "methods": {}}}


class Dropout(Keys):
    """Rates of dropout."""

    attention: Annotated[float, Field(ge=0, lt=1)] = ABSENT
    hidden: Annotated[float, Field(ge=0, lt=1)] = ABSENT


class AllTokens(Keys):
    """The weights of the terms of the loss of at."""

    alpha: Annotated[float, Field(ge=0)] = ABSENT
    beta: Annotated[float, Field(ge=0)] = ABSENT


OPTIONS: dict[str, type[Keys]] = {"dropout": Dropout, "at": AllTokens}
"""Of the methods that have any."""


class Debiased(Model):
    """A masked language model of the study after debiasing."""

    source: Literal["debiased"]
    from_: ModelName = Field(alias="from")
    """The model that is debiased; it may be a debiased one."""
    method: Literal["at", "cda", "continued", "dropout"]
    """The method of debiasing; docs/debiasing.md explains each."""
    protocol: Literal["published", "corrected"] = "corrected"
    """published repeats the released code, quirks included; corrected is what the paper says, see
    docs/debiasing.md."""
    seed: Seed = 0
    training: Annotated[Training, DIFFERING] = ALIKE
    """What differs from the study's `debiasing.training`, whose keys it has."""
    options: dict[str, Any] = {}
    """Settings of the method. dropout: attention, hidden (rates). at: alpha, beta."""

    @field_validator("options")
    @classmethod
    def _are_of_the_method(cls, options: dict[str, Any], info: ValidationInfo) -> Keys:
        return OPTIONS.get(info.data.get("method", ""), Keys).model_validate(options)
