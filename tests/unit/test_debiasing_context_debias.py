"""AT: the sentences that it looks at, its objective in both readings held against slow ones, its training."""

from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from made_worlds import CORRUPTION, NAMED, make_world, settings
from real_data import real_data
from running import run_script
from tiny_models import tiny_model, tiny_tokenizer
from unmask.debiasing import context_debias
from unmask.debiasing.attributes import Finder, Sentence, choose_sentences, released_mentions
from unmask.debiasing.inputs import Base, Texts
from unmask.debiasing.orthogonal import (
    attribute_vectors,
    distance,
    projection,
    released_attribute_vectors,
    released_distance,
    released_projection,
    released_word_weights,
    word_embeddings,
    word_weights,
)
from unmask.debiasing.stereotypes import read_stereotypes
from unmask.debiasing.tokenized import Tokenized, layers_of, pad, tokenize_sentences
from unmask.errors import InputError
from unmask.gendered_words import WordPairs, read_word_pairs
from unmask.models.devices import pick_device
from unmask.models.kinds import check_model
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import World
from unmask.worlds.neutral import gendered_pairs, neutral_sentences, stereotyped_words
from unmask.worlds.recipe import Recipe
from unmask.worlds.training import _log_odds, _questions, train

CPU = pick_device("cpu")
PAIRS = WordPairs((("she", "he"), ("her", "his"), ("mother", "father"), ("ma'am", "sir"), ("ma", "pa")))
WOMEN = ["She helped her mother.", "The nurse said she knew.", "My mother works.", "She went home again."]
MEN = ["He helped his father.", "The boss said he knew.", "His father works.", "Then he went home."]
NEUTRAL = ["The nurse works.", "A doctor and a nurse work.", "The engineer went home.", "This doctor knows."]
WORDS = ("nurse", "doctor", "engineer")


def made_texts(folder: Path, lines: list[str], held_out: int = 0, neutral: list[str] | None = None) -> Texts:
    path, more = folder / "lines.txt", folder / "neutral.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    if neutral is not None:
        more.write_text("".join(f"{line}\n" for line in neutral))
    return Texts(path, held_out, more if neutral is not None else None, PAIRS, WORDS)


def entry(reading: str, **training: Any) -> dict[str, Any]:
    settings = {"batch": 3, "learning_rate": 1e-3, "epochs": 2, "steps": None, "max_length": 64} | training
    keys = {"source": "debiased", "from": "base", "method": "at", "reading": reading, "seed": 5}
    return keys | {"training": settings, "options": {}}


# --- words and sentences


def test_words_are_found_whole_and_in_capitals() -> None:
    find = Finder([*PAIRS.feminine, *PAIRS.masculine])
    text = "Ma'am, SHE saw the shed; 'he' said: sir_ma!"
    assert [(m.word, text[m.start : m.end]) for m in find(text)] == [
        ("ma'am", "Ma'am"),
        ("she", "SHE"),
        ("he", "he"),
        ("sir", "sir"),
        ("ma", "ma"),
    ]


def test_the_released_code_splits_words_as_gpt_2_does() -> None:
    """Behind a letter, 's and its like are words: what begins so is torn; ma'am is ma and am."""
    words = {*PAIRS.feminine, *PAIRS.masculine}

    def words_found(text: str) -> list[str]:
        return [text[m.start : m.end] for m in released_mentions(words, text)]

    assert words_found("She's here, he'd say; ma'am") == ["She", "he", "ma"]
    # the quotation mark goes with its s, and he is left
    assert words_found("'she said") == ["he"]
    assert words_found('"she" (his)') == ["she", "his"]
    assert words_found("the 'she") == ["she"]


@pytest.mark.parametrize("published", [True, False])
def test_sentences_of_each_group(published: bool, tmp_path: Path) -> None:
    lines = [*WOMEN, *MEN, *NEUTRAL, "She saw his nurse.", "Nothing here.", "A nurse, the nurse again."]
    groups = choose_sentences(made_texts(tmp_path, lines), published, 64, 0)
    for name, expected in (("feminine", WOMEN), ("masculine", MEN), ("neutral", [*NEUTRAL, lines[-1]])):
        group = getattr(groups, name)
        assert sorted(s.text for s in (*group.train, *group.dev)) == sorted(expected)
        assert len(group.dev) == 1
    everything = {
        s.text: s.mentions
        for name in ("feminine", "neutral")
        for part in ("train", "dev")
        for s in getattr(getattr(groups, name), part)
    }
    words = [m.word for m in everything["She helped her mother."]]
    assert words == (["she"] if published else ["she", "her", "mother"])
    # the released code takes a stereotyped word where it first stands
    assert len(everything["A nurse, the nurse again."]) == (1 if published else 2)
    assert [m.word for m in everything["A doctor and a nurse work."]] == ["doctor", "nurse"]


def test_held_out_lines_are_never_trained_on(tmp_path: Path) -> None:
    numbered = [f"{line} {n}" for n in "abcdefghij" for line in (*WOMEN, *MEN, *NEUTRAL)]
    groups = choose_sentences(made_texts(tmp_path, numbered, held_out=48), False, 64, 0)
    for group in (groups.feminine, groups.masculine, groups.neutral):
        # a tenth of forty
        assert len(group.dev) == 4
        assert {s.text for s in group.dev} <= set(numbered[:48])
        assert {s.text for s in group.train}.isdisjoint(numbered[:48])
        assert len(group.train) == 24
    # too few are held out: the rest is taken from what would be trained on, and from there alone
    few = choose_sentences(made_texts(tmp_path, numbered, held_out=12), False, 64, 0).feminine
    assert (len(few.train), len(few.dev)) == (36, 4)
    again = choose_sentences(made_texts(tmp_path, numbered), False, 64, 1).feminine
    assert not {s.text for s in again.train} & {s.text for s in again.dev}


def test_a_group_without_sentences_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lines\.txt.*: 0 sentences with a masculine word and no feminine"):
        choose_sentences(made_texts(tmp_path, [*WOMEN, *NEUTRAL]), False, 64, 0)
    with pytest.raises(InputError, match=r"neutral\.txt: 0 sentences with a stereotyped word"):
        # a gendered word makes a line of that file useless
        choose_sentences(made_texts(tmp_path, [*WOMEN, *MEN], neutral=["Her nurse works."]), False, 64, 0)
    groups = choose_sentences(made_texts(tmp_path, [*WOMEN, *MEN], neutral=NEUTRAL), False, 64, 0)
    assert len(groups.neutral.train) == 3


@pytest.mark.parametrize("name", ["bert-base-cased", "bert-base-uncased", "roberta", "albert-v2"])
def test_tokens_of_words_with_real_tokenizers(name: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(real_data("tokenizers", name))
    text = "Nurse said “the housekeeper”, (she) and a moisturizer-stewardess's dog."
    finder = Finder(["nurse", "housekeeper", "she", "stewardess", "moisturizer"])
    mentions = finder(text)
    assert len(mentions) == 5
    [read] = tokenize_sentences([Sentence(text, tuple(mentions))], tokenizer, 100)
    assert list(read.ids) == tokenizer(text)["input_ids"]
    places = [place for _, of_word in read.mentions for place in of_word]
    assert places == sorted(set(places))
    for word, of_word in read.mentions:
        decoded = str(tokenizer.decode([read.ids[place] for place in of_word]))
        assert decoded.replace(" ", "").lower() == word
    assert tokenize_sentences([Sentence(text, tuple(mentions))], tokenizer, len(read.ids) - 1) == []


# --- the objective, slowly


def reads(architecture: str, texts: list[str], words: list[str]) -> list[Tokenized]:
    find = Finder(words)
    sentences = [Sentence(text, tuple(find(text))) for text in texts]
    return tokenize_sentences(sentences, tiny_tokenizer(architecture), 128)


def hidden(model: Any, ids: list[int], mask: list[int]) -> torch.Tensor:
    """layers × length × width, of one sentence."""
    output = model(
        input_ids=torch.tensor([ids]), attention_mask=torch.tensor([mask]), output_hidden_states=True
    )
    return torch.stack([layer[0] for layer in output.hidden_states])


def two_models(folder: Path, architecture: str = "bert") -> tuple[Any, Any]:
    return tuple(
        AutoModelForMaskedLM.from_pretrained(tiny_model(architecture, folder / str(seed), seed)).eval()
        for seed in (0, 1)
    )


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert", "distilbert"])
@torch.no_grad()
def test_the_corrected_objective(architecture: str, tmp_path: Path) -> None:
    """Word by word and layer by layer: mean (v_l(a) · E_l(t))², and mean ‖E_l − E_l^pre‖² / width."""
    model, before = two_models(tmp_path, architecture)
    gendered = reads(architecture, [*WOMEN, *MEN], ["she", "he", "her", "his", "mother", "father"])
    # falls into letters: several tokens
    neutral = reads(architecture, [*NEUTRAL, "the plumber works"], [*WORDS, "plumber"])
    # slowly: one sentence at a time, without padding
    of_word: dict[str, list[torch.Tensor]] = {}
    for sentence in gendered:
        states = hidden(model, list(sentence.ids), [1] * len(sentence.ids))
        for word, places in sentence.mentions:
            of_word.setdefault(word, []).append(states[:, list(places)].mean(1))
    words = sorted(of_word)
    slow_vectors = {word: torch.stack(states).mean(0) for word, states in of_word.items()}
    vectors = attribute_vectors(model, gendered, words, 0, CPU)
    for number, word in enumerate(words):
        torch.testing.assert_close(vectors[number], slow_vectors[word], rtol=1e-4, atol=1e-4)
    products, distances = [], []
    for sentence in neutral:
        states = hidden(model, list(sentence.ids), [1] * len(sentence.ids))
        for _, places in sentence.mentions[:1]:
            for layer in range(len(states)):
                embedding = states[layer, list(places)].mean(0)
                products += [float(slow_vectors[word][layer] @ embedding) ** 2 for word in words]
    for sentence in gendered:
        states, old = (hidden(m, list(sentence.ids), [1] * len(sentence.ids)) for m in (model, before))
        for place in range(len(sentence.ids)):
            distances += [
                float((states[n, place] - old[n, place]).square().mean()) for n in range(len(states))
            ]
    padding = tiny_tokenizer(architecture).pad_token_id
    ids, mask = pad([s.ids for s in neutral], padding, CPU.torch)
    weights = word_weights([s.mentions[0][1] for s in neutral], ids.shape[1])
    fast = projection(word_embeddings(layers_of(model, ids, mask), weights), vectors)
    assert float(fast) == pytest.approx(fmean(products), rel=1e-3)
    ids, mask = pad([s.ids for s in gendered], padding, CPU.torch)
    assert mask.min() == 0
    fast = distance(layers_of(model, ids, mask), layers_of(before, ids, mask), mask)
    assert float(fast) == pytest.approx(fmean(distances), rel=1e-3)


@torch.no_grad()
def test_the_published_objective(tmp_path: Path) -> None:
    """With what the released code does: no mask, padding counted, places off by one, one vector a gender."""
    model, before = two_models(tmp_path)
    # "plumber" and "seamstress" have many tokens, and all places of their batch are off by one
    whole = reads("bert", NEUTRAL, ["nurse", "doctor", "engineer"])
    broken = reads(
        "bert", [*NEUTRAL, "the plumber works with this old machine"], ["works", "plumber", "home"]
    )
    broken = [s for s in broken if s.mentions]
    women = reads("bert", [*WOMEN, "a seamstress went"], ["she", "seamstress", "mother"])
    men = reads("bert", MEN, ["he", "father"])

    def rows(batch: list[Tokenized]) -> tuple[list[list[int]], int]:
        length = max(len(s.ids) for s in batch)
        return [list(s.ids) + [0] * (length - len(s.ids)) for s in batch], length

    def slow_embeddings(batch: list[Tokenized]) -> list[torch.Tensor]:
        padded, length = rows(batch)
        width = max(len(s.mentions[0][1]) for s in batch)
        embeddings = []
        for sentence, ids in zip(batch, padded, strict=True):
            states = hidden(model, ids, [1] * length)
            total = torch.zeros_like(states[:, 0])
            for place in sentence.mentions[0][1]:
                total += states[:, place - 1 if width > 1 else place]
            embeddings.append(total / width)
        return embeddings

    genders = [[women[:2], women[2:]], [men[:2], men[2:]]]
    slow_vectors = [
        torch.stack([e for batch in batches for e in slow_embeddings(batch)]).mean(0) for batches in genders
    ]
    vectors = released_attribute_vectors(model, genders, 0, CPU)
    torch.testing.assert_close(vectors, torch.stack(slow_vectors), rtol=1e-4, atol=1e-4)
    for batch in (whole, broken):
        embeddings = slow_embeddings(batch)
        slow = 0.0
        for vector in slow_vectors:
            products = [float(vector[n] @ e[n]) for e in embeddings for n in range(len(vector))]
            slow += fmean(products) ** 2
        ids, mask = pad([s.ids for s in batch], 0, CPU.torch)
        weights = released_word_weights([s.mentions[0][1] for s in batch], ids.shape[1])
        layers = layers_of(model, ids, torch.ones_like(mask))
        fast = released_projection(word_embeddings(layers, weights), vectors)
        assert float(fast) == pytest.approx(slow, rel=1e-3)
    padded, length = rows(women)
    distances = [
        float(value)
        for ids in padded
        for value in (hidden(model, ids, [1] * length) - hidden(before, ids, [1] * length)).square().flatten()
    ]
    ids, mask = pad([s.ids for s in women], 0, CPU.torch)
    layers, old = (layers_of(m, ids, torch.ones_like(mask)) for m in (model, before))
    assert float(released_distance(layers, old)) == pytest.approx(fmean(distances), rel=1e-3)


# --- training


def run(folder: Path, name: str, stated: dict[str, Any], texts: Texts, base: Base) -> dict[str, Any]:
    work = folder / f"work-{name}"
    work.mkdir(exist_ok=True)
    return context_debias.debias(base, texts, stated, folder / name, work, CPU)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    """Small weights, as after training: large ones would make of a step what they like."""
    return Base(tiny_model("bert", tmp_path_factory.mktemp("base"), initializer_range=0.05), 128)


def all_texts(folder: Path) -> Texts:
    return made_texts(folder, [*WOMEN, *MEN, *NEUTRAL] * 5)


@pytest.mark.parametrize("reading", ["published", "corrected"])
def test_killed_and_resumed_it_is_the_same(
    reading: str, base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context_debias, "SAVE_EVERY", 3)
    stated, texts = entry(reading), all_texts(tmp_path)
    state = torch.random.get_rng_state()
    facts = run(tmp_path, "whole", stated, texts, base)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert facts["steps"] > 9
    step = context_debias._Training._step
    for killed_at in (1, 4, 8):

        def killed(self: Any, number: int, vectors: Any, killed_at: int = killed_at) -> None:
            if number == killed_at:
                raise KeyboardInterrupt
            step(self, number, vectors)

        monkeypatch.setattr(context_debias._Training, "_step", killed)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, "killed", stated, texts, base)
    monkeypatch.setattr(context_debias._Training, "_step", step)
    assert not (tmp_path / "killed").exists()
    assert (tmp_path / "work-killed" / context_debias.STATE).exists()
    assert run(tmp_path, "killed", stated, texts, base) == facts
    files = [tmp_path / name / "model.safetensors" for name in ("whole", "killed")]
    assert files[0].read_bytes() == files[1].read_bytes()
    check_model(tmp_path / "killed", "masked-lm", "debiased")


def test_the_best_step_is_kept(base: Base, tmp_path: Path) -> None:
    facts = run(tmp_path, "x", entry("corrected", steps=30, learning_rate=3e-3), all_texts(tmp_path), base)
    looks = {look["step"]: look["weighted"] for look in facts["history"]}
    assert list(looks) == list(range(3, 31, 3))
    assert facts["best_step"] == min(looks, key=lambda step: looks[step])
    before, after = (facts["objective"][when] for when in ("before", "after"))
    assert before["distance"] == 0 and after["distance"] > 0
    assert before["weighted"] == pytest.approx(0.2 * before["projection"])
    assert after["weighted"] == pytest.approx(0.2 * after["projection"] + 0.8 * after["distance"])
    assert after["weighted"] < before["weighted"]


def test_steps_of_the_readings(base: Base, tmp_path: Path) -> None:
    """Published: three groups of as many batches as the smaller gender fills, the rate made for them all."""
    texts = all_texts(tmp_path)

    def steps(reading: str, **training: Any) -> tuple[int, int, int]:
        training_run = context_debias._Training(base, texts, entry(reading, **training), tmp_path, CPU)
        return training_run.epoch, training_run.steps, training_run.decay

    # 18 sentences of each gender to train on; of the 18 neutral ones some have two words
    neutral = len(context_debias._Training(base, texts, entry("corrected"), tmp_path, CPU).train.neutral)
    assert neutral > 18
    batches = 4 + 4 + -(-neutral // 5)
    assert steps("published", batch=5) == (9, 18, 2 * batches)
    assert steps("corrected", batch=5) == (8, 16, 16)
    assert steps("published", batch=5, steps=7) == (9, 7, 7)
    with pytest.raises(InputError, match="18 feminine sentences to train on are less than one batch of 19"):
        steps("published", batch=19)


def test_an_objective_that_is_no_number_is_refused(base: Base, tmp_path: Path) -> None:
    stated = entry("corrected", steps=30) | {"options": {"alpha": 1e38}}
    with pytest.raises(InputError, match=r"AT: the objective of step \d+ .*is (nan|inf), not a number"):
        run(tmp_path, "x", stated, all_texts(tmp_path), base)
    assert not (tmp_path / "x").exists()


def test_an_encoder_decoder_is_refused(tmp_path: Path) -> None:
    bart = Base(tiny_model("bart", tmp_path / "bart"), 128)
    with pytest.raises(InputError, match="AT is not defined for models with an encoder and a decoder"):
        run(tmp_path, "x", entry("corrected"), all_texts(tmp_path), bart)


# --- the world


@pytest.mark.parametrize(
    ("world", "per_occupation"),
    [(make_world(), 3 * 5 * 6 + 4 * 5 * (1 + 3 * 5)), (make_world(**NAMED), 3 * 5)],
    ids=["pronouns", "names"],
)
def test_neutral_sentences_have_no_gender_and_words_of_the_world(world: World, per_occupation: int) -> None:
    sentences = neutral_sentences(world)
    occupations = set(stereotyped_words(world))
    assert len(occupations) == 24 and len(set(sentences)) == len(sentences) == 24 * per_occupation
    pairs = gendered_pairs(world)
    gendered = {word for pair in pairs for word in pair}
    assert {"she", "he", "her", "his"} <= gendered
    assert len(pairs) == 2 + world.names and len(gendered) == 2 * len(pairs)
    # no other word of the world tells a gender
    told = {word for sentence in world.sentences for word in sentence.words if word.lower() in gendered}
    assert {word.lower() for word in told} == gendered
    for sentence in sentences:
        words = [*sentence[:-1].split(), sentence[-1]]
        assert set(words) <= set(world.words)
        assert len(occupations.intersection(words)) == 1
        assert gendered.isdisjoint(word.lower() for word in words)
    corpus = set(draw_corpus(world, 2000))
    assert corpus.isdisjoint(sentences)


def test_the_script_that_makes_them(tmp_path: Path) -> None:
    outputs = {name: tmp_path / name for name in ("neutral", "stereotypes")} | {"words": tmp_path / "w.csv"}

    run_script("make_neutral", [], outputs, tmp_path / "log", name="w", entry=settings())
    world = make_world()
    assert outputs["neutral"].read_text().splitlines() == neutral_sentences(world)
    assert list(read_stereotypes(outputs["stereotypes"])) == stereotyped_words(world)
    assert read_word_pairs(outputs["words"]).pairs == (("she", "he"), ("her", "his"))


def log_odds(directory: Path, p: float) -> float:
    world = make_world()
    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModelForMaskedLM.from_pretrained(directory).eval()
    values: list[float] = []
    for (factor, level, _), template, completed, other in _questions(world):
        if (factor, level) == ("association", p):
            values += _log_odds(model, tokenizer, template, [(completed, other)])
    return fmean(values)


@pytest.mark.thorough
def test_in_a_world_the_corrected_reading_debiases_more(tmp_path: Path) -> None:
    """Occupations give a pronoun away less after AT, corrected; after the published one hardly so.

    Of three models, since where so short a training ends differs between seeds, and between processors.
    """
    world = make_world()
    lines = draw_corpus(world, 6000)
    path, neutral = tmp_path / "lines.txt", tmp_path / "neutral.txt"
    path.write_text("\n".join(lines[:3000]) + "\n")
    neutral.write_text("\n".join(neutral_sentences(world)) + "\n")
    words = WordPairs(tuple(gendered_pairs(world)))
    texts = Texts(path, 300, neutral, words, tuple(stereotyped_words(world)))
    odds: dict[str, list[float]] = {"base": [], "published": [], "corrected": []}
    for seed in range(3):
        directory = tmp_path / f"base-{seed}"
        train(lines, "bert", seed, directory, world, CORRUPTION, recipe=Recipe(steps=1000, batch=96))
        odds["base"].append(log_odds(directory, 0.9))
        for reading in ("published", "corrected"):
            name = f"{reading}-{seed}"
            stated = entry(reading, batch=32, learning_rate=3e-3, steps=300)
            facts = run(tmp_path, name, stated, texts, Base(directory, 32))
            before, after = (facts["objective"][when]["weighted"] for when in ("before", "after"))
            if reading == "corrected":
                assert after < 0.05 * before
            odds[reading].append(log_odds(tmp_path / name, 0.9))
    base, published, corrected = (np.array(values) for values in odds.values())
    assert (base > 1.2).all()
    assert corrected.mean() < 0.75 * base.mean()
    assert (corrected < published).all()
    assert corrected.mean() + 0.2 < published.mean()
    assert (published <= 1.05 * base).all()
