"""What is asked of models by template tests, compared with a slow reading of whole sentences."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pandas as pd
import pytest
import torch

from tiny_models import ARCHITECTURES, tiny_model
from unmask.errors import InputError
from unmask.models.devices import pick_device
from unmask.models.loading import LoadedModel, load
from unmask.templates.asking import read_fills, read_targets

TEMPLATES = ["so [TARGET] is a [ATTRIBUTE].", "the [ATTRIBUTE] said that [TARGET] was good."]
TARGETS = {"male": ["he"], "female": ["she", "woman"]}
# the last is of several tokens
ATTRIBUTES = {"technical": ["engineer", "driver"], "caring": ["nurse", "teacher", "carpenter"]}
PERSON_TEMPLATES = ["the [PERSON] likes [BLANK].", "[BLANK] was what my [PERSON] made."]
PERSONS = {"female": ["woman", "mother"], "male": ["man", "carpenter"]}


@cache
def loaded(architecture: str) -> LoadedModel:
    directory = tiny_model(architecture, Path(mkdtemp(prefix=f"tiny-{architecture}-")))
    return load(directory, pick_device("cpu"), with_attention=False)


def distribution(model: LoadedModel, ids: list[int], position: int) -> torch.Tensor:
    """Log-probabilities of the whole vocabulary at a place of one sentence, by the plain network."""
    with torch.inference_mode():
        logits: torch.Tensor = model.network(input_ids=torch.tensor([ids])).logits[0, position]
    return logits.double().log_softmax(0)


def differing(model: LoadedModel, template: str, slot: str, word: str, other: str) -> tuple[list[int], range]:
    """A sentence with a word in its slot, and which of its tokens another word changes."""
    ids, others = (model.tokenizer(template.replace(slot, each))["input_ids"] for each in (word, other))
    start = next(place for place, (one, two) in enumerate(zip(ids, others, strict=False)) if one != two)
    end = next(n for n, (one, two) in enumerate(zip(ids[::-1], others[::-1], strict=False)) if one != two)
    return ids, range(start, len(ids) - end)


def slowly(model: LoadedModel, template: str, target: str, attribute: str) -> tuple[float, float]:
    """log P(target | attribute) and log P(target | attribute hidden too), by what other words change."""
    with_attribute = template.replace("[ATTRIBUTE]", attribute)
    ids, (place, *_) = differing(model, with_attribute, "[TARGET]", target, "they")
    same, pieces = differing(model, template.replace("[TARGET]", target), "[ATTRIBUTE]", attribute, "man")
    assert same == ids
    token, mask = ids[place], model.tokenizer.mask_token_id
    shown = [mask if number == place else id_ for number, id_ in enumerate(ids)]
    prior = [mask if number in pieces else id_ for number, id_ in enumerate(shown)]
    log_probs = [distribution(model, each, place)[token].item() for each in (shown, prior)]
    return log_probs[0], log_probs[1]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_targets_are_those_of_whole_sentences(architecture: str) -> None:
    model = loaded(architecture)
    rows, left_out = read_targets(TEMPLATES, TARGETS, ATTRIBUTES, model)
    assert left_out == []
    assert len(rows) == 2 * 5 * 3
    assert rows.loc[rows["attribute"] == "carpenter", "tokens"].min() > 1
    for row in rows.to_dict("records"):
        expected = slowly(model, TEMPLATES[row["template"] - 1], row["target"], row["attribute"])
        assert (row["log_prob"], row["prior_log_prob"]) == pytest.approx(expected, abs=2e-4)
    sides = rows.groupby("side")["target"].unique()
    assert {side: list(words) for side, words in sides.items()} == {
        "male": ["he"],
        "female": ["she", "woman"],
    }


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_fills_are_the_likeliest_of_whole_sentences(architecture: str) -> None:
    model = loaded(architecture)
    rows, left_out = read_fills(PERSON_TEMPLATES, PERSONS, model)
    assert left_out == []
    assert len(rows) == 2 * 4 * 10
    mask = model.tokenizer.mask_token_id
    keys = [(number, person) for number in (1, 2) for members in PERSONS.values() for person in members]
    for number, person in keys:
        fills = rows[(rows["template"] == number) & (rows["person"] == person)]
        text = PERSON_TEMPLATES[number - 1].replace("[PERSON]", person)
        whole, places = differing(model, text, "[BLANK]", "house", "school")
        ids = [*whole[: places.start], mask, *whole[places.stop :]]
        best = distribution(model, ids, places.start).topk(10)
        assert list(fills["place"]) == list(range(1, 11))
        assert fills["log_prob"].to_numpy() == pytest.approx(best.values.numpy(), abs=2e-4)
        assert list(fills["token"]) == model.tokenizer.convert_ids_to_tokens(best.indices.tolist())


def test_no_row_depends_on_other_words() -> None:
    model = loaded("bert")
    whole, _ = read_targets(TEMPLATES, TARGETS, ATTRIBUTES, model)
    few = {"technical": ["engineer", "driver"], "caring": ["teacher", "nurse"]}
    part, _ = read_targets(TEMPLATES[1:], TARGETS, few, model)
    keys = ["attribute", "target"]
    both = part.merge(whole[whole["template"] == 2], on=keys)
    assert len(both) == 4 * 3
    for column in ("log_prob", "prior_log_prob"):
        assert both[f"{column}_x"].to_numpy() == pytest.approx(both[f"{column}_y"].to_numpy(), abs=1e-5)


def test_unknown_words_are_left_out_by_name() -> None:
    model = loaded("bert")
    attributes = {"technical": ["engineer", "driver", "護士"], "caring": ["nurse", "teacher"]}
    rows, left_out = read_targets(TEMPLATES, TARGETS, attributes, model)
    assert left_out == ["護士"]
    known, _ = read_targets(TEMPLATES, TARGETS, {**attributes, "technical": ["engineer", "driver"]}, model)
    pd.testing.assert_frame_equal(rows, known)
    persons = {"female": ["woman", "mother", "花子"], "male": ["man", "father"]}
    fills, left_out = read_fills(PERSON_TEMPLATES, persons, model)
    assert left_out == ["花子"] and set(fills["person"]) == {"woman", "mother", "man", "father"}
    with pytest.raises(InputError, match=r"^fewer than two attributes of technical have tokens .*'護士'"):
        read_targets(TEMPLATES, TARGETS, {**attributes, "technical": ["engineer", "護士"]}, model)
    with pytest.raises(InputError, match=r"^fewer than two persons of male .*'花子'"):
        read_fills(PERSON_TEMPLATES, {"female": ["woman", "girl"], "male": ["man", "花子"]}, model)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"targets": {"male": ["he"], "female": ["waitress"]}},
            r"^template 'so .*': the target 'waitress' is not one known token of this tokenizer but w, ##a",
        ),
        (
            {"targets": {"male": ["he"], "female": ["護"]}},
            r"the target '護' is not one known token of this tokenizer but \[UNK\]",
        ),
        ({"templates": ["so [TARGET] is [MASK] a [ATTRIBUTE]."]}, r"has '\[MASK\]' in it, a special token"),
        ({"attributes": {"a": ["[SEP]", "man"], "b": ["boy", "girl"]}}, r"^'\[SEP\]': has '\[SEP\]' in it"),
        ({"max_length": 8}, r": \d+ tokens, the model takes 8$"),
    ],
)
def test_what_cannot_be_asked_is_refused(changes: dict[str, Any], line: str) -> None:
    model = loaded("bert")
    asked = {"templates": TEMPLATES, "targets": TARGETS, "attributes": ATTRIBUTES, **changes}
    with pytest.raises(InputError, match=line):
        read_targets(**asked, model=model)
