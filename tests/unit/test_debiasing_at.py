"""AT: the sentences that it reads, its objective in both protocols held against slow ones, its training."""

import re
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import torch
from tokenizers.processors import TemplateProcessing
from transformers import AutoModelForMaskedLM, AutoTokenizer, PreTrainedTokenizerFast

from library import Base, InputError, Settings, Texts, at, choose_sentences, finder, pick_device
from tiny_models import tiny_model

CPU = pick_device("cpu")
FEMININE = ("she", "her", "seamstress", "mother", "ma'am", "ma")
MASCULINE = ("he", "his", "plumber", "father", "sir", "pa")
PAIRS = tuple(zip(FEMININE, MASCULINE, strict=True))
WOMEN = ["She helped her mother.", "The nurse said she knew.", "My mother works.", "She went home again."]
MEN = ["He helped his father.", "The boss said he knew.", "His father works.", "Then he went home."]
NEUTRAL = ["The nurse works.", "A doctor and a nurse work.", "The engineer went home.", "This doctor knows."]
WORDS = ("nurse", "doctor", "engineer", "librarian")


def write_texts(folder: Path, lines: list[str], held_out: int = 0, neutral: list[str] | None = None) -> Texts:
    path, more = folder / "lines.txt", folder / "neutral.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    if neutral is not None:
        more.write_text("".join(f"{line}\n" for line in neutral))
    return Texts(path, held_out, more if neutral is not None else None, PAIRS, WORDS)


def all_texts(folder: Path) -> Texts:
    return write_texts(folder, [*WOMEN, *MEN, *NEUTRAL] * 5)


def entry(protocol: str, **training: Any) -> dict[str, Any]:
    settings = {"batch": 3, "learning_rate": 1e-3, "epochs": 2, "steps": None, "max_length": 64} | training
    keys = {"source": "debiased", "from": "base", "method": "at", "protocol": protocol, "seed": 5}
    return keys | {"training": settings, "options": {}}


def run(folder: Path, name: str, stated: dict[str, Any], texts: Texts, base: Base) -> dict[str, Any]:
    work = folder / f"work-{name}"
    work.mkdir(exist_ok=True)
    return at.debias(base, texts, stated, folder / name, work, CPU)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    """Small weights, as after training: large ones would make of a step what they like."""
    return Base(tiny_model("bert", tmp_path_factory.mktemp("base"), initializer_range=0.05), 128)


# --- words and sentences


@pytest.mark.parametrize(
    ("published", "text", "words"),
    [
        (False, "Ma'am, SHE saw the shed; 'he' said: sir_ma!", ["Ma'am", "SHE", "he", "sir", "ma"]),
        (False, "Yes, ma’am", ["ma’am"]),
        # as GPT-2 splits words: behind a letter, 's and its like are words, and what begins so is torn
        (True, "She's here, he'd say; ma'am", ["She", "he", "ma"]),
        # the quotation mark goes with its s, and he is left
        (True, "'she said", ["he"]),
        # GPT-2 does so with small letters alone
        (True, "'She said: 'Sir", ["She", "Sir"]),
        (True, '"she" (his) the \'she', ["she", "his", "she"]),
    ],
)
def test_words_are_found_whole_and_in_capitals(published: bool, text: str, words: list[str]) -> None:
    mentions = finder({*FEMININE, *MASCULINE}, published)(text)
    assert [text[m.start : m.end] for m in mentions] == words
    assert [m.word for m in mentions] == [word.lower().replace("’", "'") for word in words]


@pytest.mark.parametrize("published", [True, False])
def test_sentences_of_each_group(published: bool, tmp_path: Path) -> None:
    twice = "A nurse, the nurse again."
    lines = [*WOMEN, *MEN, *NEUTRAL, "She saw his nurse.", "Nothing here.", twice]
    longest = max(len(line.split()) for line in lines)
    # the released code passes over lines of one word, and of more than that
    odd = ["Nurse!", " ".join(["nurse"] * (longest + 1))]
    groups = choose_sentences(write_texts(tmp_path, [*lines, *odd]), published, longest, 0)
    read = {
        group: {s.text: [m.word for m in s.mentions] for s in (*p.train, *p.dev)}
        for group, p in groups.items()
    }
    expected = {"feminine": {*WOMEN}, "masculine": {*MEN}, "neutral": {*NEUTRAL, twice}}
    expected["neutral"] |= set() if published else {*odd}
    assert {group: {*of_group} for group, of_group in read.items()} == expected
    assert all(len(parts.dev) == 1 for parts in groups.values())
    assert read["feminine"]["She helped her mother."] == (["she"] if published else ["she", "her", "mother"])
    # the released code takes a stereotyped word where it first stands
    assert read["neutral"][twice] == ["nurse"] * (1 if published else 2)
    assert read["neutral"]["A doctor and a nurse work."] == ["doctor", "nurse"]


def test_held_out_lines_are_never_trained_on(tmp_path: Path) -> None:
    numbered = [f"{line} {n}" for n in "abcdefghij" for line in (*WOMEN, *MEN, *NEUTRAL)]
    for train, dev in choose_sentences(write_texts(tmp_path, numbered, held_out=48), False, 64, 0).values():
        # a tenth of forty
        assert (len(train), len(dev)) == (24, 4)
        assert {s.text for s in dev} <= {*numbered[:48]}
        assert {s.text for s in train} <= {*numbered[48:]}
    # too few are held out: the rest is taken from what would be trained on, and from there alone
    train, dev = choose_sentences(write_texts(tmp_path, numbered, held_out=12), False, 64, 0)["feminine"]
    assert (len(train), len(dev)) == (36, 4)
    assert not {s.text for s in train} & {s.text for s in dev}


def test_a_group_without_sentences_is_one_line(tmp_path: Path) -> None:
    # a gendered word makes a line of that file useless
    with pytest.raises(InputError, match=r"neutral\.txt.*: 0 sentences with a stereotyped word"):
        choose_sentences(write_texts(tmp_path, [*WOMEN, *MEN], neutral=["Her nurse works."]), False, 64, 0)
    texts = write_texts(tmp_path, [*WOMEN, *MEN], neutral=[*NEUTRAL, "Her nurse works."])
    groups = choose_sentences(texts, False, 64, 0)
    assert len(groups["neutral"].train) == 3
    assert {s.text for part in groups["feminine"] for s in part} == {*WOMEN}


# --- the objective, slowly

TRAINED = {
    "feminine": ["She saw a seamstress.", "My mother and she went home."],
    "masculine": ["A plumber works.", "His father and he went home again."],
    "neutral": ["This doctor works.", "An engineer works."],
}
"""The seamstress, the plumber and the librarian have many tokens."""
HELD_OUT = {
    "feminine": ["Again she helped her old mother home.", "My mother knew."],
    "masculine": ["His father went.", "He works at home with this old machine."],
    "neutral": ["A doctor and this librarian went home again.", "The nurse works."],
}


class Slow:
    """A model, read sentence by sentence and word by word."""

    def __init__(self, directory: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(directory)
        self.model = AutoModelForMaskedLM.from_pretrained(directory).eval()

    def hidden(self, text: str, beside: list[str] | None = None) -> torch.Tensor:
        """layers × length × width; `beside` others with the padding of a batch, which is attended to."""
        ids = self.tokenizer(text)["input_ids"]
        longest = max(len(self.tokenizer(each)["input_ids"]) for each in beside or [text])
        filling = self.tokenizer.pad_token or self.tokenizer.mask_token
        ids += self.tokenizer.convert_tokens_to_ids([filling] * (longest - len(ids)))
        output = self.model(
            input_ids=torch.tensor([ids]),
            attention_mask=torch.ones(1, len(ids), dtype=torch.long),
            output_hidden_states=True,
        )
        return torch.stack([layer[0] for layer in output.hidden_states])

    def mentions(self, text: str, words: set[str]) -> list[tuple[str, list[int]]]:
        """The words of a list in a text, and the places of their tokens."""
        spans = self.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
        return [
            (
                match[0].lower(),
                [n for n, (a, b) in enumerate(spans) if a < b and a < match.end() and b > match.start()],
            )
            for match in re.finditer(r"\w+", text)
            if match[0].lower() in words
        ]

    def corrected(self, before: "Slow") -> list[float]:
        """Mean (v_l(a) · E_l(t))² over t, a, l, and mean ‖E_l − E_l^pre‖² / width over tokens and l."""
        of_word: dict[str, list[torch.Tensor]] = {}
        for text in (*TRAINED["feminine"], *TRAINED["masculine"]):
            for word, places in self.mentions(text, {*FEMININE, *MASCULINE}):
                of_word.setdefault(word, []).append(self.hidden(text)[:, places].mean(1))
        products, distances = [], []
        for text in HELD_OUT["neutral"]:
            for _, places in self.mentions(text, {*WORDS}):
                embedding = self.hidden(text)[:, places].mean(1)
                for states in of_word.values():
                    products += (torch.stack(states).mean(0) * embedding).sum(-1).square().tolist()
        for text in (*HELD_OUT["feminine"], *HELD_OUT["masculine"]):
            distances += (self.hidden(text) - before.hidden(text)).square().mean(-1).flatten().tolist()
        return [fmean(products), fmean(distances)]

    def published(self, before: "Slow") -> list[float]:
        """What the released code does: padding is attended to and counted, places are off by one where a word
        of the batch has several tokens, and a gender has one vector."""

        def embeddings(texts: list[str], words: set[str], most: int | None) -> torch.Tensor:
            """Of the first mentions in each text of a batch: mentions × layers × width."""
            chosen = [(text, places) for text in texts for _, places in self.mentions(text, words)[:most]]
            longest = max(len(places) for _, places in chosen)
            # nothing stands before the first token
            before = [[n - (longest > 1) for n in places if n or longest == 1] for _, places in chosen]
            return torch.stack(
                [
                    self.hidden(text, texts)[:, places].sum(1) / longest
                    for (text, _), places in zip(chosen, before, strict=True)
                ]
            )

        projected = moved = 0.0
        neutral = embeddings(HELD_OUT["neutral"], {*WORDS}, None)
        for gender, words in (("feminine", FEMININE), ("masculine", MASCULINE)):
            vector = embeddings(TRAINED[gender], {*words}, 1).mean(0)
            projected += float((neutral * vector).sum(-1).mean()) ** 2
            texts = HELD_OUT[gender]
            squares = [(self.hidden(t, texts) - before.hidden(t, texts)).square() for t in texts]
            moved += float(torch.stack(squares).mean())
        return [projected, moved]


@pytest.mark.parametrize("protocol", ["corrected", "published"])
@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert", "distilbert", "without ends"])
@torch.no_grad()
def test_the_objective(architecture: str, protocol: str, tmp_path: Path) -> None:
    """Without ends: a tokenizer that puts nothing around a text, and has no token for padding."""
    base = Base(tiny_model(architecture.replace("without ends", "bert"), tmp_path / "base"), 128)
    if architecture == "without ends":
        plain = AutoTokenizer.from_pretrained(base.directory).backend_tokenizer
        plain.post_processor = TemplateProcessing(single="$A", special_tokens=[])
        bare = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
            tokenizer_object=plain, unk_token="[UNK]", mask_token="[MASK]"
        )
        bare.save_pretrained(base.directory)
    held_out = [line for lines in HELD_OUT.values() for line in lines]
    # eighteen sentences of each group, and so one batch
    texts = write_texts(tmp_path, held_out + 9 * [line for lines in TRAINED.values() for line in lines], 6)
    with torch.enable_grad():
        facts = run(tmp_path, "after", entry(protocol, batch=18, steps=2), texts, base)
    assert facts["sentences"]["feminine"] == {"train": 18, "dev": 2, "too_long": 0}
    before, after = Slow(base.directory), Slow(tmp_path / "after")
    for when, model in (("before", before), ("after", after)):
        projected, moved = getattr(model, protocol)(before)
        objective = facts["objective"][when]
        assert objective["projection"] == pytest.approx(projected, rel=1e-3)
        assert objective["distance"] == pytest.approx(moved, rel=1e-3)
        assert objective["weighted"] == pytest.approx(0.2 * projected + 0.8 * moved, rel=1e-3)
    assert facts["objective"]["after"]["distance"] > 0


# --- training


@pytest.mark.parametrize("protocol", ["published", "corrected"])
def test_killed_and_resumed_it_is_the_same(
    protocol: str, base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at, "Settings", partial(Settings, save_every=3))
    about = entry(protocol), all_texts(tmp_path), base
    facts = run(tmp_path, "whole", *about)
    loss, left = at.Corrected.loss, [8]

    def failing(self: Any, *args: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return loss(self, *args)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(at.Corrected, "loss", failing)
        run(tmp_path, "killed", *about)
    assert run(tmp_path, "killed", *about) == facts
    files = [tmp_path / name / "model.safetensors" for name in ("whole", "killed")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_steps_of_the_protocols(base: Base, tmp_path: Path) -> None:
    """Published: three groups of as many batches as the smaller gender fills, the rate made for them all."""
    texts = all_texts(tmp_path)
    published, longer = (
        at.Published(base, texts, entry("published", batch=5, steps=steps), CPU) for steps in (None, 7)
    )
    corrected = at.Corrected(base, texts, entry("corrected", batch=5), CPU)
    # 18 sentences of each gender to train on; of the 18 neutral ones some have two words
    batches = 4 + 4 + -(-corrected.sizes["neutral"] // 5)
    steps = [(method.epoch, method.steps, method.decay) for method in (published, longer, corrected)]
    assert steps == [(9, 18, 2 * batches), (9, 7, 7), (8, 16, 16)]
    with pytest.raises(InputError, match="18 feminine sentences to train on are less than one batch of 19"):
        at.Published(base, texts, entry("published", batch=19), CPU)


def test_what_cannot_be_trained_is_one_line(base: Base, tmp_path: Path) -> None:
    texts = all_texts(tmp_path)
    endless = entry("corrected", steps=30) | {"options": {"alpha": 1e38}}
    bart = Base(tiny_model("bart", tmp_path / "bart"), 128)
    for stated, model, message in (
        (endless, base, r"(loss|objective) of step \d+ is (nan|inf), not a number"),
        (entry("corrected"), bart, "AT is not defined for models with an encoder and a decoder"),
        (entry("corrected", max_length=3), base, "feminine sentences, .* all have more than 3 tokens"),
    ):
        with pytest.raises(InputError, match=message):
            run(tmp_path, "x", stated, texts, model)
        assert not (tmp_path / "x").exists()
