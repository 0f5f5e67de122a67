"""Which measures read a model's predictions in a context."""

from functools import cache

from unmask.measures.registry import measure
from unmask.terms import ALL


@cache
def sees_context(name: str) -> bool:
    """Does a measure read predictions in which the model sees some word of the sentence?

    Where every token is hidden (the masking ALL) a prediction depends on places and lengths alone, so that a
    preference can be of nothing but words: such a measure is a control.
    """
    return set(measure(name).maskings) != {ALL}
