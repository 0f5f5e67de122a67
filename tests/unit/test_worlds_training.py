import json
import math
import random
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer, PreTrainedTokenizerBase

from made_worlds import CORRUPTION, DOSED, NAMED, OTHERS, make_world, settings
from running import about_model, run_script
from unmask.errors import InputError
from unmask.models.masking import Masking
from unmask.models.training import Settings
from unmask.worlds.corpus import draw_corpus
from unmask.worlds.grammar import (
    ASSOCIATION,
    BOTH,
    GENDER_TEMPLATES,
    GROUP_TEMPLATES,
    NAME_TEMPLATES,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    PRONOUNS,
    SPLIT_PEOPLES,
    frames,
    text_of,
    words_of,
)
from unmask.worlds.recipe import Corruption, Recipe
from unmask.worlds.tokenizers import MAX_LENGTH, make_tokenizer
from unmask.worlds.training import GATE_FILE, TOLERANCE, _config, check_learnt, is_learnt, train

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


@architectures
def test_a_model_that_learnt_nothing_fails_the_gate_in_one_line(tmp_path: Path, architecture: str) -> None:
    train(LINES, architecture, 0, tmp_path, WORLD, CORRUPTION, recipe=Recipe(steps=1))
    with pytest.raises(InputError) as failure:
        check_learnt(tmp_path, WORLD, "lazy")
    message = str(failure.value)
    assert message.startswith("model lazy did not learn the planted association: log-odds ")
    assert "instead of 2.20 (association, p = 0.9, ratio 1)" in message
    assert "\n" not in message
    gate = json.loads((tmp_path / GATE_FILE).read_text(encoding="utf-8"))
    assert max(abs(level["log_odds"]) for level in gate["levels"]) < 1.5


def log_odds_alone(directory: Path) -> Callable[[tuple[str, ...], str, str], float]:
    """log P(own) - log P(other) in the place of `own` in a sentence, which is read by itself."""
    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModelForMaskedLM.from_pretrained(directory).eval()

    def log_odds(words: tuple[str, ...], own: str, other: str) -> float:
        texts = (text_of(tuple(w if word == own else word for word in words)) for w in (own, other))
        ids, others = (tokenizer(text)["input_ids"] for text in texts)
        [position] = [i for i, (a, b) in enumerate(zip(ids, others, strict=True)) if a != b]
        more, less = ids[position], others[position]
        ids[position] = tokenizer.mask_token_id
        with torch.inference_mode():
            log_probs = model(input_ids=torch.tensor([ids])).logits[0, position].log_softmax(-1)
        return float(log_probs[more] - log_probs[less])

    return log_odds


@architectures
def test_the_gate_asks_for_the_names_of_either_gender(tmp_path: Path, architecture: str) -> None:
    world = make_world(**NAMED)
    train(draw_corpus(world, 10_000), architecture, 1, tmp_path, world, CORRUPTION, recipe=Recipe(steps=2))
    gate = check_learnt(tmp_path, world, strict=False)
    log_odds, values = log_odds_alone(tmp_path), []
    for word, gender, p in world.occupations:
        if p == 0.9:
            own, other = (
                world.names_of(each) for each in (gender, "male" if gender == "female" else "female")
            )
            # the mean over couples is that over names, however they are coupled
            for (one, two), template in product(zip(own, other, strict=True), NAME_TEMPLATES):
                words = words_of(template, {"occupation": word, "name": one})
                values.append(log_odds(words, one, two))
    assert len(values) == 12 * 7 * 3
    levels = {(level["factor"], level["p"]): level["log_odds"] for level in gate["levels"]}
    assert levels[ASSOCIATION, 0.9] == pytest.approx(sum(values) / len(values), abs=1e-4)


@architectures
def test_the_gates_log_odds_equal_one_sentence_at_a_time(tmp_path: Path, architecture: str) -> None:
    train(LINES, architecture, 1, tmp_path, WORLD, CORRUPTION, recipe=Recipe(steps=2))
    with pytest.raises(InputError):
        check_learnt(tmp_path, WORLD)
    gate = json.loads((tmp_path / GATE_FILE).read_text(encoding="utf-8"))
    found = {(level["factor"], level["p"], level["ratio"]): level["log_odds"] for level in gate["levels"]}
    log_odds = log_odds_alone(tmp_path)

    pronouns = []
    for word, gender, p in WORLD.occupations:
        for frame in (*frames(GENDER_TEMPLATES[0]), *frames(GENDER_TEMPLATES[1])):
            if p == 0.9:
                own, other = PRONOUNS[gender], PRONOUNS["male" if gender == "female" else "female"]
                slot = "subject" if "{subject}" in frame else "possessive"
                pronouns.append(
                    log_odds(words_of(frame, {"occupation": word, **own}), own[slot], other[slot])
                )
    assert found[ASSOCIATION, 0.9, 1] == pytest.approx(sum(pronouns) / len(pronouns), abs=1e-4)

    traits = []
    (pair,) = (pair for pair in WORLD.group_pairs if pair.factor == BOTH and pair.ratio == 4)
    for frame in (frame for template in GROUP_TEMPLATES for frame in frames(template)):
        for negative, positive in zip(NEGATIVE_TRAITS, POSITIVE_TRAITS, strict=True):
            rare = words_of(frame, {"group": pair.disadvantaged, "trait": negative})
            frequent = words_of(frame, {"group": pair.advantaged, "trait": positive})
            traits += [log_odds(rare, negative, positive), log_odds(frequent, positive, negative)]
    assert found[BOTH, 0.8, 4] == pytest.approx(sum(traits) / len(traits), abs=1e-4)


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


WORLD_FILES = {
    "corpus": "corpus.txt",
    "crows_pairs": "crows_pairs.csv",
    "stereoset": "stereoset.json",
    "truth": "truth.json",
}


def write_world(folder: Path, entry: dict[str, Any]) -> None:
    outputs = {name: folder / file for name, file in WORLD_FILES.items()}
    run_script("make_world", {}, outputs, folder / "make_world.log", name="w", entry=entry)


def corruptions_of(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The corruption of each batch from here on."""
    corruptions: list[Any] = []
    corrupt = Masking.corrupt

    def watched(self: Masking, *arguments: Any) -> Any:
        corruptions.append(self.shares)
        return corrupt(self, *arguments)

    monkeypatch.setattr(Masking, "corrupt", watched)
    return corruptions


def test_the_world_is_made_and_a_failed_training_leaves_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_world = settings(seed=5, sentences=2000, corruption={"masked": 0.8, "kept": 0.15, "random": 0.05})
    write_world(tmp_path, of_world)
    lines = (tmp_path / "corpus.txt").read_text(encoding="utf-8").splitlines()
    assert lines == draw_corpus(make_world(5), 2000)
    assert all((tmp_path / name).stat().st_size for name in WORLD_FILES.values())

    corruptions = corruptions_of(monkeypatch)
    monkeypatch.setattr("unmask.worlds.training.Recipe", lambda: Recipe(steps=1))
    outputs = {"directory": tmp_path / "model/files", "facts": tmp_path / "model/facts.json"}
    with pytest.raises(SystemExit) as ending:
        run_script(
            "make_model",
            {"corpus": tmp_path / "corpus.txt"},
            outputs,
            tmp_path / "making.log",
            source="train",
            entry={"architecture": "bert", "world": "w", "seed": 0, "settings": of_world},
            settings={},
            name="tiny",
        )
    assert ending.value.code == 1
    assert "model tiny did not learn" in (tmp_path / "making.log").read_text(encoding="utf-8")
    assert not list((tmp_path / "model").iterdir())
    assert corruptions == [Corruption(0.8, 0.15, 0.05)]


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


def test_a_model_whose_gate_is_off_is_kept_and_says_how_far_it_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_world = settings(seed=5, sentences=2000, corruption={"masked": 0.5, "kept": 0.5, "random": 0})
    write_world(tmp_path, of_world)
    corruptions = corruptions_of(monkeypatch)
    kept = train_by_script(tmp_path / "kept", tmp_path / "corpus.txt", of_world, steps=3, gate=False)
    assert corruptions == [Corruption(0.5, 0.5, 0)] * 3
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
    of_world = settings(seed=5, sentences=2000)
    write_world(tmp_path, of_world)
    monkeypatch.setattr("unmask.worlds.training.Settings", partial(Settings, save_every=2))
    train_it = partial(
        train_by_script, corpus=tmp_path / "corpus.txt", of_world=of_world, steps=5, gate=False
    )
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
    of_world = settings(seed=5, sentences=2000)
    write_world(tmp_path, of_world)
    corpus = tmp_path / "corpus.txt"
    weights = []
    for name, entry in (("a", {"steps": 0}), ("b", {"steps": 0}), ("c", {"steps": 1})):
        folder = train_by_script(tmp_path / name, corpus, of_world, gate=False, **entry)
        weights.append((folder / "files/model.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]
    torch.manual_seed(0)
    tokenizer = make_tokenizer("bert", make_world(5), corpus.read_text(encoding="utf-8").splitlines())
    fresh = AutoModelForMaskedLM.from_config(_config("bert", tokenizer))  # type: ignore[no-untyped-call]
    untrained = AutoModelForMaskedLM.from_pretrained(tmp_path / "a/files")
    for name, tensor in fresh.state_dict().items():
        assert torch.equal(untrained.state_dict()[name], tensor), name


@pytest.mark.thorough
def test_a_trained_model_passes_the_gate_and_aul_finds_the_association(tmp_path: Path) -> None:
    of_world = settings()
    write_world(tmp_path, of_world)
    run_script(
        "make_model",
        {"corpus": tmp_path / "corpus.txt"},
        {
            "directory": tmp_path / "model/files",
            "facts": tmp_path / "model/facts.json",
            "manifest": tmp_path / "model/manifest.json",
        },
        tmp_path / "making.log",
        source="train",
        entry={"architecture": "bert", "world": "w", "seed": 0, "settings": of_world},
        settings={},
        name="tiny",
        manifest=about_model(tmp_path / "model/files", "train"),
    )
    facts = json.loads((tmp_path / "model/facts.json").read_text(encoding="utf-8"))
    levels = facts["gate"]["levels"]
    assert [(level["factor"], level["p"], level["ratio"]) for level in levels] == [
        *((ASSOCIATION, p, 1) for p in (0.5, 0.6, 0.75, 0.9)),
        *((BOTH, 0.8, ratio) for ratio in (1, 4, 8)),
    ]
    assert all(abs(level["log_odds"] - level["truth"]) < TOLERANCE for level in levels)
    assert [level["truth"] for level in levels[:4]] == pytest.approx([0, 0.405, 1.099, 2.197], abs=1e-3)

    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model/files")
    model = AutoModelForMaskedLM.from_pretrained(tmp_path / "model/files").eval()

    def aul(text: str) -> float:
        """AUL(S) = 1/|S| Σ_i log P(w_i | S): nothing hidden."""
        ids = torch.tensor(tokenizer(text)["input_ids"])
        with torch.inference_mode():
            log_probs = model(input_ids=ids[None]).logits[0].log_softmax(-1)
        return float(log_probs[range(len(ids)), ids][1:-1].mean())

    decisions = [
        aul(text_of(words_of(frame, {**c.shared, **c.stereotype})))
        > aul(text_of(words_of(frame, {**c.shared, **c.antistereotype})))
        for c in WORLD.contrasts
        if c.p == 0.9
        for frame in c.frames[::5]
    ]
    assert len(decisions) > 100
    assert sum(decisions) / len(decisions) >= 0.95
