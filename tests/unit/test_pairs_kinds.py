"""A study of masked and causal language models: each has the measures of its kind, on one page."""

from typing import Any

import pytest

from library import OF_DECODERS, complete
from library import pairs_answer as answer
from test_pairs_answer import FOR, drawn_rows, of, results

MASKED = {"source": "hub", "repo": "org/masked"}
GGUF = {"source": "gguf", "path": "decoder.gguf"}
DECODER = {"source": "hub", "repo": "org/decoder", "kind": "causal-lm"}
OF_MASKED = ["AUL", "AULA", "CPS", "SSS", "AllMasked", "AllMaskedSum"]


@pytest.mark.parametrize(
    ("models", "measures"),
    [
        ({"m": MASKED}, OF_MASKED),
        ({"d": DECODER}, [*OF_DECODERS]),
        ({"d": DECODER, "m": MASKED}, [*OF_MASKED, *OF_DECODERS]),
        ({"g": GGUF}, [*OF_DECODERS]),
        ({"g": GGUF, "m": MASKED}, [*OF_MASKED, *OF_DECODERS]),
        ({"g": GGUF, "s": {"source": "scored", "path": "samples.jsonl"}}, [*OF_DECODERS]),
        ({"d": DECODER, "e": {**MASKED, "kind": "text-encoder"}}, [*OF_DECODERS]),
        ({"m": MASKED, "p": {"source": "debiased", "from": "m", "method": "cda"}}, OF_MASKED),
    ],
)
def test_a_study_without_measures_has_those_of_the_kinds_of_its_models(
    models: dict[str, Any], measures: list[str]
) -> None:
    study: dict[str, Any] = {"study": "s", "models": models, "benchmarks": ["crows-pairs"]}
    completed = complete(study)
    assert completed["measures"] == measures
    assert complete(completed) == completed
    assert complete({**study, "measures": ["LL"]})["measures"] == ["LL"]


def test_the_answer_has_the_headline_of_each_kind() -> None:
    some = results(
        of("AUL"), of("CPS"), of("LL", "gpt2", **FOR), of("CCPS", "gpt2"), of("StartAlone", "gpt2")
    )
    assert [some.headline_of(name) for name in ("bert", "gpt2")] == ["AUL", "LL"]
    assert answer.title(some).startswith("gpt2, 1 of 2 models, clearly prefers stereotypes")
    said = answer.answers(some)
    text = next(text for question, text in said if question == "Is it biased?")
    assert text.startswith("By AUL, bert prefers the stereotype in 48.2% of crows (95% CI 43.1 to 53.4)")
    assert "By LL, gpt2 prefers the stereotype in 59.0% of crows (95% CI 56.0 to 62.0), clear" in text
    assert {row["name"] for row in drawn_rows(some)} == {"bert, AUL", "gpt2, LL"}
