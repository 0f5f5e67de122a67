"""Tests of a world: what they are made of, and that they find what is planted."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from transformers import AutoModel, AutoTokenizer

from association_files import FACTS
from made_worlds import NAMED, OTHERS, make_world
from tiny_models import tiny_model
from unmask.associations.association import effect
from unmask.associations.embedding import Encoder, embed
from unmask.associations.formats.planted import ONE_PRONOUN
from unmask.associations.schema import STIMULI
from unmask.associations.sets import experiments_at, ordered, sets_of
from unmask.associations.stimuli import read_stimuli
from unmask.associations.terms import BY_WORD, CLS, MASK, MEAN, STATIC, WORD
from unmask.associations.tokenised import with_masks
from unmask.associations.words import WordFacts, place
from unmask.errors import InputError
from unmask.models.devices import pick_device
from unmask.tables import read_metadata, read_table, write_table
from unmask.worlds.grammar import (
    FEMALE,
    FREE_SLOTS,
    GROUP_TEMPLATES,
    MALE,
    NAMES,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    PRONOUNS,
    World,
    slots,
    text_of,
)
from unmask.worlds.planted import write_truth

WORLDS: dict[str, dict[str, Any]] = {
    "default": {},
    **OTHERS,
    "one-level": {"associations": [0.8]},
    "named": NAMED,
}
worlds = pytest.mark.parametrize("name", WORLDS)
PLURALS = WordFacts.from_file(FACTS).plurals


def truth_of(world: World, path: Path) -> Path:
    """What tests are made of in a world's truth.json, as it has it."""
    facts = {
        "occupations": [each._asdict() for each in world.occupations],
        "names": {gender: list(world.names_of(gender)) for gender in (MALE, FEMALE)},
        "group_pairs": [each._asdict() for each in world.group_pairs],
    }
    path.write_text(json.dumps(facts), encoding="utf-8")
    return path


def read(truth: Path, **entry: Any) -> tuple[pd.DataFrame, dict[str, Any]]:
    return read_stimuli({"world": [truth]}, {"format": "planted", "world": "w", **entry}, "planted", "here")


def of_world(world: World, folder: Path) -> tuple[pd.DataFrame, dict[str, float]]:
    """STIMULI, and the strength of every test."""
    rows, metadata = read(truth_of(world, folder / "truth.json"))
    return rows, {test["name"]: test["truth"]["strength"] for test in metadata["tests"]}


def words(rows: pd.DataFrame, test: str, set_: str) -> set[str]:
    return set(rows["word"][rows["test"].eq(test) & rows["set"].eq(set_)])


@worlds
def test_sets_are_those_of_the_truth(name: str, tmp_path: Path) -> None:
    world = make_world(**WORLDS[name])
    rows, strengths = of_world(world, tmp_path)
    expected = {f"occupations-{p}": p for p in sorted(set(world.associations))}
    if len(expected) > 1:
        expected["occupations"] = sum(o.p for o in world.occupations) / len(world.occupations)
    assert strengths == pytest.approx({**expected, "faiths": world.both.association, "nations": 0.5})
    for test, p in expected.items():
        of_test = [o for o in world.occupations if test == "occupations" or o.p == p]
        assert words(rows, test, "X") == {o.word for o in of_test if o.gender == MALE}
        assert words(rows, test, "Y") == {o.word for o in of_test if o.gender != MALE}
        if name == "named":
            gendered = [set(NAMES[gender][:7]) for gender in (MALE, FEMALE)]
        else:
            gendered = [{"he", "his"}, {"she", "her"}]
        assert [words(rows, test, "A"), words(rows, test, "B")] == gendered
    for test, factor in (("faiths", "both"), ("nations", "frequency")):
        pairs = [pair for pair in world.group_pairs if pair.factor == factor]
        assert words(rows, test, "X") == {pair.disadvantaged for pair in pairs}
        assert words(rows, test, "Y") == {pair.advantaged for pair in pairs}
        assert words(rows, test, "A") == set(NEGATIVE_TRAITS)
        assert words(rows, test, "B") == set(POSITIVE_TRAITS)


@worlds
def test_texts_are_sentences_of_the_grammar_with_one_word_masked(name: str, tmp_path: Path) -> None:
    world = make_world(**WORLDS[name])
    rows, _ = of_world(world, tmp_path)
    grammar = {text_of(sentence.words) for sentence in world.sentences}
    targets = rows[rows["set"].isin(["X", "Y"])]
    for text, of_groups in set(zip(targets["text"], ~targets["test"].str.startswith("occ"), strict=True)):
        assert text.count(MASK) == 1
        pronouns = [word for cases in PRONOUNS.values() for word in cases.values()]
        names = [name for gender in (MALE, FEMALE) for name in world.names_of(gender)]
        traits = [*NEGATIVE_TRAITS, *POSITIVE_TRAITS]
        fitting = [word for word in (*pronouns, *names, *traits) if text.replace(MASK, word) in grammar]
        # both genders, or every trait: what is masked decides what is planted
        assert fitting == traits if of_groups else fitting == names or len(fitting) == 2
        assert of_groups or bool(names) == (fitting == names)
    attributes = rows[rows["set"].isin(["A", "B"])]
    assert attributes["text"].equals(attributes["word"])
    for text, word in zip(rows["text"], rows["word"], strict=True):
        span = place(text, word, PLURALS)
        assert span is not None and text[slice(*span)] == word


def test_every_free_word_is_there_and_each_target_has_the_same_sentences(tmp_path: Path) -> None:
    rows, _ = of_world(make_world(), tmp_path)
    assert rows["stimulus"].nunique() == len(rows.drop_duplicates(["text", "word"])) < 500
    for test, templates in (("occupations", ONE_PRONOUN), ("nations", GROUP_TEMPLATES)):
        targets = rows[rows["test"].eq(test) & rows["set"].isin(["X", "Y"])]
        frames: dict[str, set[str]] = {word: set() for word in targets["word"]}
        for text, word in zip(targets["text"], targets["word"], strict=True):
            frames[word].add(text.replace(word, "{}"))
        assert len({frozenset(each) for each in frames.values()}) == 1
        there = " ".join(targets["text"]).replace(".", "").split()
        for template in templates:
            for slot in slots(template):
                assert set(FREE_SLOTS.get(slot, ())) <= set(there)


def known(world: World, rows: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Unit vectors of stimuli whose first number is what the world says of each word, from -1 to 1."""
    side = dict.fromkeys((*PRONOUNS[MALE].values(), *NEGATIVE_TRAITS), 1.0)
    side |= dict.fromkeys((*PRONOUNS[FEMALE].values(), *POSITIVE_TRAITS), -1.0)
    side |= dict.fromkeys(world.names_of(MALE), 1.0) | dict.fromkeys(world.names_of(FEMALE), -1.0)
    for word, gender, p in world.occupations:
        side[word] = (2 * p - 1) * (1 if gender == MALE else -1)
    for pair in world.group_pairs:
        side |= {pair.disadvantaged: 2 * pair.p - 1, pair.advantaged: 1 - 2 * pair.p}
    vectors = np.zeros((rows["stimulus"].nunique(), 2))
    for stimulus, word in zip(rows["stimulus"], rows["word"], strict=True):
        vectors[stimulus] = side[word], np.sqrt(1 - side[word] ** 2)
    return vectors


@worlds
def test_the_gap_is_what_is_planted(name: str, tmp_path: Path) -> None:
    world = make_world(**WORLDS[name])
    rows, strengths = of_world(world, tmp_path)
    vectors, gaps = known(world, rows), {}
    for test, of_test in ordered(rows).groupby("test", sort=False, observed=True):
        [experiment] = experiments_at(BY_WORD, sets_of(of_test), vectors[None]).experiments
        gaps[str(test)] = effect(experiment).gap.item()
    # cosines with A and B are 2p - 1 and 1 - 2p: s is twice 2p - 1, and the gap four times
    assert gaps == pytest.approx({test: 4 * (2 * p - 1) for test, p in strengths.items()}, abs=1e-9)
    assert gaps["nations"] == pytest.approx(0, abs=1e-9)
    if name == "uneven":
        assert gaps["occupations-0.3"] < 0 < gaps["occupations-0.95"]


def test_a_worlds_file_is_read_and_the_table_keeps_its_truth(tmp_path: Path) -> None:
    world = make_world()
    write_truth(tmp_path / "truth.json", world, {"code": "abc"})
    rows, metadata = read(tmp_path / "truth.json", only=["occupations-0.9", "faiths"])
    write_table(tmp_path / "table.parquet", rows, STIMULI, metadata)
    stored = read_metadata(tmp_path / "table.parquet")
    assert read_table(tmp_path / "table.parquet", STIMULI)["test"].unique().tolist() == [
        "occupations-0.9",
        "faiths",
    ]
    assert stored["format"] == "planted" and stored["tests"][0] == {
        "name": "occupations-0.9",
        "categories": {
            "X": "men's occupations",
            "Y": "women's occupations",
            "A": "male pronouns",
            "B": "female pronouns",
        },
        "remarks": [],
        "truth": {"strength": 0.9},
    }


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    truth = truth_of(make_world(), tmp_path / "truth.json")
    with pytest.raises(
        InputError, match=r"^only: the world has no test 'weat6' \(there are occupations-0.5, "
    ):
        read(truth, only=["weat6"])
    for content in ("{", "[]", "{}", '{"occupations": 3}', '{"occupations": [{"word": "nurse"}]}'):
        truth.write_text(content)
        with pytest.raises(InputError, match=r"truth.json: this is no truth of a world: .+") as failure:
            read(truth)
        assert "\n" not in str(failure.value)


@pytest.fixture(params=["bert", "roberta", "albert", "mpnet"])
def encoder(request: pytest.FixtureRequest, tmp_path: Path) -> Encoder:
    folder = tiny_model(request.param, tmp_path)
    network = AutoModel.from_pretrained(folder).eval()
    return Encoder(network, AutoTokenizer.from_pretrained(folder), pick_device("cpu"))


def test_a_mask_is_the_tokenizers_own(encoder: Encoder) -> None:
    texts = [f"The nurse liked {MASK} work.", f"{MASK} is a nurse.", "She is a nurse."]
    spans = [(text.index("nurse"), text.index("nurse") + 5) for text in texts]
    poolings = (CLS, MEAN, WORD, STATIC)
    embeddings = embed(encoder, texts, spans, poolings)
    token = encoder.tokenizer.mask_token
    masked = [text.replace(MASK, token) for text in texts]
    masked_spans = [(text.index("nurse"), text.index("nurse") + 5) for text in masked]
    for text, span, new, masked_span in zip(texts, spans, masked, masked_spans, strict=True):
        assert with_masks(encoder.tokenizer, text, span) == (new, masked_span)
        assert with_masks(encoder.tokenizer, text, None) == (new, None)
    again = embed(encoder, masked, masked_spans, poolings)
    for pooling in poolings:
        assert np.array_equal(embeddings[pooling], again[pooling])
    assert [ids.count(encoder.tokenizer.mask_token_id) for ids in encoder.tokenizer(masked)["input_ids"]] == [
        1,
        1,
        0,
    ]


def test_a_longer_mask_moves_the_word(encoder: Encoder) -> None:
    encoder.tokenizer.add_special_tokens({"mask_token": "<<a longer mask>>"})
    text, word = f"{MASK} and {MASK} saw the nurse by {MASK}.", "nurse"
    start = text.index(word)
    new, span = with_masks(encoder.tokenizer, text, (start, start + len(word)))
    assert new.count("<<a longer mask>>") == 3
    assert span is not None and new[slice(*span)] == word


def test_a_tokenizer_without_a_mask_is_refused(encoder: Encoder) -> None:
    encoder.tokenizer.mask_token = None
    with pytest.raises(InputError, match=r"'a \[MASK\]': \w+ has no token for \[MASK\]"):
        embed(encoder, [f"a {MASK}"], [None], [CLS])
    assert with_masks(encoder.tokenizer, "a nurse", (2, 7)) == ("a nurse", (2, 7))
