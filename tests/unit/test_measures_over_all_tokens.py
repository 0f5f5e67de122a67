"""Which measures say that they are the sum, or the mean, over all tokens of a sentence."""

import pytest

from library import ALL_MEASURES, contributions, measure
from study_schema import MEASURES
from test_contributions import evidence_of
from test_measures_causal import example_evidence

SIDES = ["stereotype", "antistereotype"]


@pytest.mark.parametrize("name", ALL_MEASURES)
def test_what_a_measure_says_is_what_its_formula_does_with_every_sentence(name: str) -> None:
    evidence = evidence_of("bert") if name in MEASURES else example_evidence("llama", None)
    rows = contributions(measure(name), evidence, "corrected")
    whole = evidence["all" if name in MEASURES else "left"]
    text = whole[~whole["special"].astype(bool) & whole["role"].isin(SIDES)]
    every = text.groupby(["pair_id", "role"])["position"].apply(sorted)
    found: set[str | None] = set()
    for sentence, positions in every.items():
        read = rows[(rows["pair_id"] == sentence[0]) & (rows["role"] == sentence[1])]  # type: ignore[index]
        coefficients = set(read["coefficient"].round(9))
        if sorted(read["position"]) != positions:
            found.add(None)
        elif len(positions) > 1:
            alike = {1.0: "sum", round(1 / len(positions), 9): "mean"}
            found.add(alike.get(coefficients.pop()) if len(coefficients) == 1 else None)
    of = measure(name)
    expected = of.reduction if of.of_all_tokens else None
    assert len(every) > 10 and (found == {expected} if expected else None in found)
