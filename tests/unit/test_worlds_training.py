import json
import math
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer, PreTrainedTokenizerBase

from library import (
    ASSOCIATION,
    BOTH,
    DECODERS,
    GATE_FILE,
    MAX_LENGTH,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    PRONOUNS,
    SPLIT_PEOPLES,
    TEMPLATES,
    TOLERANCE,
    Corruption,
    InputError,
    Masking,
    Recipe,
    Settings,
    World,
    check_learnt,
    draw_corpus,
    frames,
    is_learnt,
    make_tokenizer,
    text_of,
    train,
)
from library import worlds_words_of as words_of
from made_worlds import CORRUPTION, DOSED, NAMED, OTHERS, make_world, settings
from running import about_model, run_script

ARCHITECTURES = ("bert", "roberta", "albert")
WORLD = make_world(0)
LINES = draw_corpus(WORLD, 10_000)
architectures = pytest.mark.parametrize("architecture", ARCHITECTURES)


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PreTrainedTokenizerBase]:
    """The three tokenizers as a user loads them from disk."""
    loaded: dict[str, PreTrainedTokenizerBase] = {}
    for architecture in ARCHITECTURES:
        directory = tmp_path_factory.mktemp(architecture)
        make_tokenizer(architecture, WORLD, LINES).save_pretrained(directory)
        assert (directory / "tokenizer.json").is_file()
        loaded[architecture] = AutoTokenizer.from_pretrained(directory)
    return loaded


@architectures
def test_tokenizers_survive_saving_and_give_every_sentence_back(
    tokenizers: dict[str, PreTrainedTokenizerBase], architecture: str
) -> None:
    made, loaded = make_tokenizer(architecture, WORLD, LINES), tokenizers[architecture]
    assert type(loaded).__name__.lower() == f"{architecture}tokenizer"
    assert loaded.model_max_length == MAX_LENGTH
    texts = [text_of(sentence.words) for sentence in WORLD.sentences]
    token_ids = loaded(texts)["input_ids"]
    assert token_ids == made(texts)["input_ids"]
    assert all(loaded.unk_token_id not in ids for ids in token_ids)
    decoded = loaded.batch_decode(token_ids, skip_special_tokens=True)
    cased = [text.lower() for text in texts] if architecture == "albert" else texts
    assert [text.replace(" .", ".") for text in decoded] == cased


@architectures
def test_only_the_split_words_are_split(
    tokenizers: dict[str, PreTrainedTokenizerBase], architecture: str
) -> None:
    every = make_world(**DOSED | {"lengths": 10})
    of_every = make_tokenizer(architecture, every, draw_corpus(every, 40_000))
    for world, tokenizer in ((WORLD, tokenizers[architecture]), (every, of_every)):
        encoded = tokenizer([text_of(s.words) for s in world.sentences], add_special_tokens=False)[
            "input_ids"
        ]
        for sentence, ids in zip(world.sentences, encoded, strict=True):
            pieces = [piece for word in sentence.words for piece in SPLIT_PEOPLES.get(word, (word,))]
            tokens = tokenizer.convert_ids_to_tokens(ids)
            assert [token.strip("Ġ▁#").lower() for token in tokens] == [piece.lower() for piece in pieces]
    assert every.split_words == SPLIT_PEOPLES


@architectures
def test_tokenizers_have_a_mask_that_text_can_hold(
    tokenizers: dict[str, PreTrainedTokenizerBase], architecture: str
) -> None:
    tokenizer = tokenizers[architecture]
    ids = tokenizer(f"The nurse finished {tokenizer.mask_token} report.")["input_ids"]
    assert ids.count(tokenizer.mask_token_id) == 1
    special = tokenizer.get_special_tokens_mask(ids, already_has_special_tokens=True)
    assert [special[0], special[-1]] == [1, 1]


def test_unknown_architectures_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'gpt3' is none of bert, roberta, albert, gpt2, llama"):
        train(LINES, "gpt3", 0, tmp_path / "model", WORLD, CORRUPTION)
    assert not (tmp_path / "model").exists()


def log_odds_alone(directory: Path) -> Callable[[tuple[str, ...], str, str], float]:
    """log P(own) - log P(other) in the place of `own` in a sentence, which is read by itself.

    Of a decoder the log-probabilities are those of the two sentences.
    """
    tokenizer = AutoTokenizer.from_pretrained(directory)
    is_decoder = tokenizer.mask_token is None
    network: Any = AutoModelForCausalLM if is_decoder else AutoModelForMaskedLM
    model = network.from_pretrained(directory).eval()

    @torch.inference_mode()
    def log_odds(words: tuple[str, ...], own: str, other: str) -> float:
        texts = (text_of(tuple(w if word == own else word for word in words)) for w in (own, other))
        ids, others = (tokenizer(text)["input_ids"] for text in texts)
        if is_decoder:
            totals = []
            for tokens in (ids, others):
                logits = model(torch.tensor([[tokenizer.bos_token_id, *tokens]])).logits[0].log_softmax(-1)
                totals.append(sum(float(logits[place, token]) for place, token in enumerate(tokens)))
            return totals[0] - totals[1]
        [position] = [i for i, (a, b) in enumerate(zip(ids, others, strict=True)) if a != b]
        more, less = ids[position], others[position]
        ids[position] = tokenizer.mask_token_id
        log_probs = model(input_ids=torch.tensor([ids])).logits[0, position].log_softmax(-1)
        return float(log_probs[more] - log_probs[less])

    return log_odds


def asked_of_gender(world: World) -> list[tuple[tuple[str, ...], str, str]]:
    """Of occupations with p = .9 every sentence, the word that shows the gender, and one of the other."""
    asked = []
    for word, gender, p in world.occupations:
        if p == 0.9:
            other = "male" if gender == "female" else "female"
            # the mean over couples is that over names, however they are coupled
            for one, two in zip(world.names_of(gender), world.names_of(other), strict=True):
                asked += [
                    (words_of(t, {"occupation": word, "name": one}), one, two) for t in TEMPLATES["names"]
                ]
            for template, slot in zip(TEMPLATES["gender"], ("subject", "possessive"), strict=False):
                if not world.names:
                    own, swapped = PRONOUNS[gender], PRONOUNS[other][slot]
                    for frame in frames(template):
                        asked.append((words_of(frame, {"occupation": word, **own}), own[slot], swapped))
    return asked


def asked_of_traits(world: World) -> list[tuple[tuple[str, ...], str, str]]:
    """The same of faiths with ratio 4, and traits."""
    pair = next(pair for pair in world.group_pairs if pair.factor == BOTH and pair.ratio == 4)
    asked = []
    for frame in (frame for template in TEMPLATES["groups"] for frame in frames(template)):
        for negative, positive in zip(NEGATIVE_TRAITS, POSITIVE_TRAITS, strict=True):
            rare = words_of(frame, {"group": pair.disadvantaged, "trait": negative})
            frequent = words_of(frame, {"group": pair.advantaged, "trait": positive})
            asked += [(rare, negative, positive), (frequent, positive, negative)]
    return asked


@pytest.mark.parametrize(
    ("architecture", "of_world"), [*((each, {}) for each in (*ARCHITECTURES, *DECODERS)), ("bert", NAMED)]
)
def test_the_gates_log_odds_equal_one_sentence_at_a_time(
    tmp_path: Path, architecture: str, of_world: dict[str, Any]
) -> None:
    world = make_world(**of_world)
    train(draw_corpus(world, 4000), architecture, 1, tmp_path, world, CORRUPTION, recipe=Recipe(steps=2))
    with pytest.raises(InputError):
        check_learnt(tmp_path, world)
    gate = json.loads((tmp_path / GATE_FILE).read_text(encoding="utf-8"))
    levels = {(level["factor"], level["p"], level["ratio"]): level["log_odds"] for level in gate["levels"]}
    log_odds = log_odds_alone(tmp_path)
    for level, asked in (
        ((ASSOCIATION, 0.9, 1), asked_of_gender(world)),
        ((BOTH, 0.8, 4), asked_of_traits(world)),
    ):
        values = [log_odds(*each) for each in asked]
        assert len(values) > 100
        if level[0] == BOTH and of_world:
            continue
        assert levels[level] == pytest.approx(sum(values) / len(values), abs=1e-4)


@pytest.mark.parametrize(
    ("log_odds", "p", "learnt"),
    [
        (0.74, 0.5, True),
        (-0.76, 0.5, False),
        # nothing learnt of a weak association, and just enough
        (0.0, 0.6, False),
        (0.0, 0.35, False),
        (0.19, 0.6, False),
        (0.21, 0.6, True),
        (0.0, 0.54, True),
        (1.45, 0.9, True),
        (1.44, 0.9, False),
        (-1.44, 0.1, False),
        # log-odds 2.75 stand for .940, logit(.99) is 4.6
        (2.76, 0.99, True),
        (2.75, 0.99, False),
        (-2.76, 0.01, True),
        (-2.75, 0.01, False),
        (900.0, 0.999, True),
        (-900.0, 0.999, False),
        (float("nan"), 0.5, False),
    ],
)
def test_the_gate_asks_for_log_odds_and_near_0_and_1_for_probabilities(
    log_odds: float, p: float, learnt: bool
) -> None:
    assert is_learnt(log_odds, p) == learnt


@pytest.mark.parametrize("name", OTHERS)
def test_the_gate_asks_at_every_level_of_any_world(tmp_path: Path, name: str) -> None:
    given, world = OTHERS[name], make_world(**OTHERS[name])
    train(draw_corpus(world, 2000), "bert", 0, tmp_path, world, CORRUPTION, recipe=Recipe(steps=1))
    with pytest.raises(InputError, match="did not learn the planted association"):
        check_learnt(tmp_path, world)
    gate = json.loads((tmp_path / GATE_FILE).read_text(encoding="utf-8"))
    truths = {(level["factor"], level["p"], level["ratio"]): level["truth"] for level in gate["levels"]}
    expected = {(ASSOCIATION, p, 1) for p in given["associations"]}
    expected |= {(BOTH, given["both"]["association"], ratio) for ratio in given["both"]["ratios"]}
    assert set(truths) == expected and len(gate["levels"]) == len(expected)
    assert all(truth == pytest.approx(math.log(p) - math.log1p(-p)) for (_, p, _), truth in truths.items())


def test_corruption_reaches_the_weights(tmp_path: Path) -> None:
    for name, shares in (("a", CORRUPTION), ("b", CORRUPTION), ("c", Corruption(0.6, 0.3, 0.1))):
        train(LINES[:2000], "bert", 0, tmp_path / name, WORLD, shares, recipe=Recipe(steps=2))
    first, second, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert first == second != other


@architectures
def test_training_follows_from_the_seed_alone(tmp_path: Path, architecture: str) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        random.seed(name)
        torch.manual_seed(len(name))
        train(LINES[:2000], architecture, seed, tmp_path / name, WORLD, CORRUPTION, recipe=Recipe(steps=3))
    first, second, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert first == second != other
    same_files = {path.name for path in (tmp_path / "a").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} <= same_files
    for name in same_files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@architectures
def test_a_model_takes_as_many_tokens_as_it_says(tmp_path: Path, architecture: str) -> None:
    train(LINES[:2000], architecture, 0, tmp_path, WORLD, CORRUPTION, recipe=Recipe(steps=1))
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    model = AutoModelForMaskedLM.from_pretrained(tmp_path)
    full = torch.full((1, MAX_LENGTH), tokenizer.mask_token_id)
    assert torch.isfinite(model(input_ids=full).logits).all()
    assert model.get_input_embeddings().num_embeddings == len(tokenizer)


def write_corpus(folder: Path) -> Path:
    """A corpus of the world with seed 5."""
    path = folder / "corpus.txt"
    path.write_text("\n".join(draw_corpus(make_world(5), 2000)) + "\n", encoding="utf-8")
    return path


def corruptions_of(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The corruption of each batch from here on."""
    corruptions: list[Any] = []
    corrupt = Masking.corrupt

    def watched(self: Masking, *arguments: Any) -> Any:
        corruptions.append(self.shares)
        return corrupt(self, *arguments)

    monkeypatch.setattr(Masking, "corrupt", watched)
    return corruptions


def train_by_script(folder: Path, corpus: Path, of_world: dict[str, Any], **entry: Any) -> Path:
    """Train a model, as the rule does, and give its folder."""
    run_script(
        "make_model",
        {"corpus": corpus},
        {
            "directory": folder / "files",
            "facts": folder / "facts.json",
            "manifest": folder / "manifest.json",
        },
        folder.with_suffix(".log"),
        source="train",
        entry={"architecture": "bert", "world": "w", "seed": 0, "settings": of_world, **entry},
        settings={},
        name=folder.name,
        manifest=about_model(folder / "files", "train", name=folder.name),
    )
    return folder


def test_a_model_that_learnt_nothing_is_refused_or_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = {"masked": 0.5, "kept": 0.5, "random": 0}
    of_world, corpus = settings(seed=5, sentences=2000, corruption=shares), write_corpus(tmp_path)
    corruptions = corruptions_of(monkeypatch)
    with pytest.raises(SystemExit) as ending:
        train_by_script(tmp_path / "refused", corpus, of_world, steps=1)
    assert ending.value.code == 1 and corruptions == [Corruption(**shares)]
    log = (tmp_path / "refused.log").read_text(encoding="utf-8")
    assert "model refused did not learn the planted association: log-odds " in log
    assert "instead of 2.20 (association, p = 0.9, ratio 1)" in log
    assert not list((tmp_path / "refused").iterdir())
    kept = train_by_script(tmp_path / "kept", corpus, of_world, steps=3, gate=False)
    gate = json.loads((kept / "files" / GATE_FILE).read_text(encoding="utf-8"))
    facts = json.loads((kept / "facts.json").read_text(encoding="utf-8"))
    assert facts["gate"] == gate and not gate["learnt"]
    manifest = json.loads((kept / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["entry"]["gate"] == gate and manifest["model_type"] == "bert"
    assert (facts["steps"], facts["gate"]["levels"][3]["truth"]) == (3, pytest.approx(math.log(9)))
    assert "did not learn the planted association" in (tmp_path / "kept.log").read_text(encoding="utf-8")


def test_the_script_is_killed_and_goes_on_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unmask.worlds.training.Settings", partial(Settings, save_every=2))
    of_world = settings(seed=5, sentences=2000)
    train_it = partial(train_by_script, corpus=write_corpus(tmp_path), of_world=of_world, steps=5, gate=False)
    whole = (train_it(tmp_path / "whole") / "files/model.safetensors").read_bytes()
    calls, batch = 0, Masking.batch

    def killed(self: Masking, *arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return batch(self, *arguments)

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(Masking, "batch", killed)
        train_it(tmp_path / "parts")
    assert [path.name for path in tmp_path.glob("parts/.files.training-*/*")] == ["state.pt"]
    assert (train_it(tmp_path / "parts") / "files/model.safetensors").read_bytes() == whole
    assert "continuing after step 2" in (tmp_path / "parts.log").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("parts/.files*"))


def test_no_steps_leave_a_network_as_its_seed_made_it(tmp_path: Path) -> None:
    for name, seed, steps in (("a", 0, 0), ("b", 0, 0), ("c", 1, 0), ("d", 0, 1)):
        train(LINES[:2000], "bert", seed, tmp_path / name, WORLD, CORRUPTION, recipe=Recipe(steps=steps))
    one, again, *others = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abcd")
    assert one == again and one not in others


@pytest.mark.thorough
@pytest.mark.parametrize("architecture", ["bert", *DECODERS])
def test_a_trained_model_passes_the_gate_and_finds_the_association(architecture: str, tmp_path: Path) -> None:
    """By AUL, with nothing hidden: 1/|S| Σ_i log P(w_i | S); of decoders by log P(S)."""
    train(draw_corpus(WORLD, 40_000), architecture, 0, tmp_path, WORLD, CORRUPTION)
    levels = check_learnt(tmp_path, WORLD)["levels"]
    assert [(level["factor"], level["p"], level["ratio"]) for level in levels] == [
        *((ASSOCIATION, p, 1) for p in (0.5, 0.6, 0.75, 0.9)),
        *((BOTH, 0.8, ratio) for ratio in (1, 4, 8)),
    ]
    assert all(abs(level["log_odds"] - level["truth"]) < TOLERANCE for level in levels)
    assert [level["truth"] for level in levels[:4]] == pytest.approx([0, 0.405, 1.099, 2.197], abs=1e-3)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    network: Any = AutoModelForMaskedLM if architecture == "bert" else AutoModelForCausalLM
    model = network.from_pretrained(tmp_path).eval()

    @torch.inference_mode()
    def score(text: str) -> float:
        start = [] if architecture == "bert" else [tokenizer.bos_token_id]
        ids = torch.tensor([*start, *tokenizer(text)["input_ids"]])
        log_probs = model(input_ids=ids[None]).logits[0].log_softmax(-1)
        if architecture == "bert":
            return float(log_probs[range(len(ids)), ids][1:-1].mean())
        return float(log_probs[range(len(ids) - 1), ids[1:]].sum())

    margins = [
        score(text_of(words_of(frame, {**c.shared, **c.stereotype})))
        - score(text_of(words_of(frame, {**c.shared, **c.antistereotype})))
        for c in WORLD.contrasts
        if c.p == 0.9
        for template in c.templates
        for frame in frames(template)[::5]
    ]
    assert len(margins) > 100
    assert sum(margin > 0 for margin in margins) / len(margins) >= 0.95
