"""The measures by name; none is imported here but those that are asked for."""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from unmask.errors import InputError
from unmask.measures.measure import Evidence, Measure
from unmask.models.detecting import CAUSAL_LM, MASKED_LM, SCORE_FILE
from unmask.plugins import load
from unmask.terms import ALL, CAUSAL_MASKINGS, START

if TYPE_CHECKING:
    from unmask.measures.reduction import Reduction

FORMULAS = "measures/formulas"
"""The folder of their modules (see unmask.plugins)."""


def measure(name: str) -> Measure:
    """The measure of that name. Raises InputError where there is none."""
    if is_free(name):
        return Measure(
            name,
            _no_formula,
            maskings=(),
            title=name,
            spelt_out="made elsewhere",
            reads="the number that the file gives for a sentence",
        )
    declared: Measure = load(FORMULAS, name).MEASURE
    return declared


def is_free(name: str) -> bool:
    """Whether a name is no measure of Unmask, but of scores made elsewhere: it begins with a small letter."""
    return name[:1].islower()


def _no_formula(evidence: Evidence, protocol: str) -> "Reduction":
    raise InputError("scores that were made elsewhere have no formula here")


def maskings_of(measures: Iterable[str]) -> list[str]:
    """The maskings that these measures need, each once, in a fixed order."""
    return sorted({masking for name in measures for masking in measure(name).maskings})


def title_of(name: str) -> str:
    """A measure's name as people read it."""
    return measure(name).title


def explained(name: str) -> str:
    """What a measure's name stands for and what it reads, in a sentence."""
    of = measure(name)
    return f"{of.title} ({of.spelt_out}): {of.reads}."


@cache
def sees_context(name: str) -> bool:
    """Does a measure read predictions in which the model sees some word of the sentence?

    Where every token is hidden (the masking ALL), or stands behind the start token alone (START), a
    prediction depends on places and lengths at most, so that a preference can be of nothing but words: such a
    measure is a control.
    """
    return set(measure(name).maskings) not in ({ALL}, {START})


@cache
def kind_for(name: str) -> str:
    """The kind of models that a measure is for."""
    if is_free(name):
        return SCORE_FILE
    return CAUSAL_LM if set(measure(name).maskings) <= {*CAUSAL_MASKINGS} else MASKED_LM
