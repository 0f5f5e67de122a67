"""A study of masked and causal language models: each has the measures of its kind, on one page."""

from typing import Any

import pytest

from study_schema import FAMILIES
from test_pairs_answer import FOR, drawn_rows, of, results
from unmask.pairs import answer
from unmask.pairs.findings import several_kinds
from unmask.pairs.shorthand import OF_DECODERS
from unmask.schemas import complete

MASKED = {"source": "hub", "repo": "org/masked"}
DECODER = {"source": "hub", "repo": "org/decoder", "kind": "causal-lm"}
OF_MASKED = ["AUL", "AULA", "CPS", "SSS", "AllMasked", "AllMaskedSum"]


@pytest.mark.parametrize(
    ("models", "measures"),
    [
        ({"m": MASKED}, OF_MASKED),
        ({"d": DECODER}, [*OF_DECODERS]),
        ({"d": DECODER, "m": MASKED}, [*OF_MASKED, *OF_DECODERS]),
        ({"d": DECODER, "e": {**MASKED, "kind": "text-encoder"}}, [*OF_DECODERS]),
        ({"m": MASKED, "p": {"source": "perturbed", "from": "m", "scale": 0.1}}, OF_MASKED),
    ],
)
def test_a_study_without_measures_has_those_of_the_kinds_of_its_models(
    models: dict[str, Any], measures: list[str]
) -> None:
    study: dict[str, Any] = {"study": "s", "models": models, "benchmarks": ["crows-pairs"]}
    completed = complete(study, FAMILIES)
    assert completed["measures"] == measures
    assert complete(completed, FAMILIES) == completed
    assert complete({**study, "measures": ["LL"]}, FAMILIES)["measures"] == ["LL"]


def test_the_answer_has_the_headline_of_each_kind() -> None:
    some = results(
        of("AUL"), of("CPS"), of("LL", "gpt2", **FOR), of("CCPS", "gpt2"), of("StartAlone", "gpt2")
    )
    assert [some.headline_of(name) for name in ("bert", "gpt2")] == ["AUL", "LL"]
    assert answer.title(some) == "1 of 2 models shows a clear preference for stereotypes by AUL and LL"
    said = answer.sentences(some)
    assert said[0] == "By AUL, bert prefers the stereotype in 48% of crows (43 to 53): no clear preference."
    assert said[1].startswith(
        "By LL, gpt2 prefers the stereotype in 59% of crows (56 to 62): clear preference"
    )
    assert {row["name"] for row in drawn_rows(some)} == {"bert, AUL", "gpt2, LL"}


def test_one_line_says_which_measures_are_for_which_models() -> None:
    both = results(of("AUL"), of("SSS"), of("LL", "gpt2"), of("CSSSPrior", "gpt2"))
    (row,) = several_kinds(both)
    assert row["titles"] == {"masked-lm": ["AUL", "SSS"], "causal-lm": ["LL", "CSSS (prior)"]}
    assert not list(several_kinds(results(of("AUL"), of("SSS"))))
