"""Likelihoods of sentences about regions: those of a plain forward pass, whatever is done to be fast."""

import json
import logging
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from running import run_script
from tiny_models import tiny_model, tiny_tokenizer
from unmask.errors import InputError
from unmask.evidence import engine, sharding
from unmask.models.devices import pick_device
from unmask.models.loading import Encoded, LoadedModel, load
from unmask.regional.likelihoods import new_words, write_likelihoods
from unmask.regional.schema import LIKELIHOODS, REGIONS, WORDS
from unmask.regional.sentences import Names, Sentences, Template
from unmask.regional.terms import CITY, COUNTRY, LEVELS, ORIGINAL, SUBSTITUTED, WORLD
from unmask.tables import read_metadata, read_table, write_table

ARCHITECTURES = ("bert", "roberta", "albert")
TEMPLATE = "People in {region} are {word}."
NAMES = ["World", "Old City", "Street", "Rio (Sul)", "Saint-Denis", "Old City", "L'Hôme", "{word}", "of"]
"""One stands twice; one has a letter that some tokenizers do not know; one looks like a template."""


@cache
def model_directory(architecture: str) -> Path:
    return tiny_model(architecture, Path(mkdtemp(prefix=f"tiny-{architecture}-")))


def model_of(architecture: str, batch_tokens: int | None = None) -> LoadedModel:
    return load(model_directory(architecture), pick_device("cpu", batch_tokens), with_attention=False)


def regions(names: Sequence[str] = NAMES) -> pd.DataFrame:
    levels = [WORLD, COUNTRY, *[CITY] * len(names)][: len(names)]
    rows = {
        "region": [f"r{place}" for place in range(len(names))],
        "name": list(names),
        "level": levels,
        "parent": [None, *["r0"] * (len(names) - 1)],
        "country_code": None,
        "population": None,
    }
    return pd.DataFrame(rows)


def words() -> pd.DataFrame:
    rows = [
        (ORIGINAL, "strength", "strong", "      strong"),
        (ORIGINAL, "strength", "hard-working", "hard-working"),
        (ORIGINAL, "appearance", "strong", "strong"),
        (ORIGINAL, "occupation", "writer", "Writer"),
        (SUBSTITUTED, "strength", "weak", "weak"),
        (SUBSTITUTED, "strength", "writer", "writer"),
    ]
    return pd.DataFrame(rows, columns=["list", "topic", "word", "word_published"])


def write(
    path: Path,
    model: LoadedModel,
    list_: str = ORIGINAL,
    names: Sequence[str] = NAMES,
    template: str = TEMPLATE,
    max_length: int | None = 128,
    shard_tokens: int | None = None,
    **facts: object,
) -> pd.DataFrame:
    write_likelihoods(
        path, regions(names), words(), list_, model, template, max_length, facts, shard_tokens, bar=False
    )
    return read_table(path, LIKELIHOODS)


def literal(architecture: str, texts: Sequence[str]) -> pd.DataFrame:
    """Equation 1 word by word: one sentence, one forward pass, the mean of log P over its tokens."""
    tokenizer = AutoTokenizer.from_pretrained(model_directory(architecture))
    network = AutoModelForMaskedLM.from_pretrained(model_directory(architecture), dtype=torch.float64).eval()
    rows = []
    for text in texts:
        ids = tokenizer(text)["input_ids"]
        with torch.no_grad():
            logits = network(torch.tensor([ids])).logits[0]
        own = [torch.log_softmax(logits[place], dim=0)[id_].item() for place, id_ in enumerate(ids)]
        rows.append((len(ids) - 2, sum(own[1:-1]) / (len(own) - 2), sum(own) / len(own)))
    return pd.DataFrame(rows, columns=["tokens", "log_prob", "log_prob_special"])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_likelihoods_are_those_of_one_forward_pass_for_each_sentence(
    architecture: str, tmp_path: Path
) -> None:
    names = list(dict.fromkeys(NAMES))
    of_list = {ORIGINAL: ["strong", "hard-working", "writer"], SUBSTITUTED: ["weak"]}
    for list_, own in of_list.items():
        found = write(tmp_path / f"{list_}.parquet", model_of(architecture), list_)
        pairs: list[tuple[str, str | None]] = [(name, word) for name in names for word in own]
        texts = ["People in " + name + f" are {word}." for name, word in pairs]
        if list_ == ORIGINAL:
            pairs = [*((name, None) for name in names), *pairs]
            texts = [*names, *texts]
        assert [
            (name, word if isinstance(word, str) else None)
            for name, word in zip(found["name"], found["word"], strict=True)
        ] == pairs
        wanted = literal(architecture, texts)
        np.testing.assert_array_equal(found["tokens"], wanted["tokens"])
        for column in ("log_prob", "log_prob_special"):
            np.testing.assert_allclose(found[column], wanted[column], atol=2e-5)
        assert (found["log_prob"] - found["log_prob_special"]).abs().min() > 1e-4


def test_unknown_tokens_are_counted_and_said_and_nothing_is_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = write(tmp_path / "original.parquet", model_of("bert"))
    unknown = found.drop_duplicates("name").set_index("name")["unknown"]
    assert unknown["L'Hôme"] == 1 and unknown.sum() == 1
    assert (found["name"] == "L'Hôme").sum() == 1 + 3
    assert "1 of 8 names have tokens that the tokenizer does not know" in caplog.text
    assert '"L\'Hôme"' in caplog.text


def test_nothing_hangs_on_batches_shards_or_the_order_of_names(tmp_path: Path) -> None:
    keys = ["name", "word"]
    wanted = write(tmp_path / "a.parquet", model_of("bert"))
    for number, (batch, shard, names) in enumerate(
        [(1, None, NAMES), (50, 60, NAMES), (10**6, 1, NAMES[::-1]), (17, 10**6, sorted(NAMES))]
    ):
        found = write(
            tmp_path / f"{number}.parquet", model_of("bert", batch), names=names, shard_tokens=shard
        )
        assert found["name"].drop_duplicates().tolist() == list(dict.fromkeys(names))
        both = wanted.merge(found, on=keys, validate="1:1")
        assert len(both) == len(wanted) == len(found)
        for column in ("log_prob", "log_prob_special"):
            np.testing.assert_allclose(both[f"{column}_x"], both[f"{column}_y"], atol=1e-5)


def test_killed_and_resumed_it_is_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    undisturbed, path = tmp_path / "one" / "original.parquet", tmp_path / "two" / "original.parquet"
    write(undisturbed, model_of("bert"), shard_tokens=60)
    shards = path.parent / ".original.shards"
    left: list[int] = []
    counts = []

    def reading(model: LoadedModel, batch: Any) -> Any:
        if not left:
            raise Killed
        left.pop()
        return read(model, batch)

    read = engine._read
    monkeypatch.setattr(engine, "_read", reading)
    for batches in (0, 12, 9):
        left[:] = [0] * batches
        with pytest.raises(Killed):
            write(path, model_of("bert"), shard_tokens=60)
        assert not path.exists()
        counts.append(len(list(shards.glob("[!.]*"))))
    assert counts == sorted(counts) and counts[-1] > counts[0] == 0
    # what is lost, or cut short, is done again
    first, second, *_ = sorted(shards.glob("[!.]*"))
    first.unlink()
    second.write_bytes(second.read_bytes()[:-9])
    left[:] = [0] * 1000
    write(path, model_of("bert"), shard_tokens=60)
    assert path.read_bytes() == undisturbed.read_bytes()
    assert [file.name for file in path.parent.iterdir()] == ["original.parquet"]


def test_what_is_done_is_done_again_for_other_sentences_or_facts_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "original.parquet"
    write(path, model_of("bert"), weights="one")
    before = path.stat().st_mtime_ns
    write(path, model_of("bert"), weights="one", device="another")
    assert path.stat().st_mtime_ns == before
    for change in ({"weights": "two"}, {"template": "{word} people: {region}"}, {"names": NAMES[:3]}):
        write(path, model_of("bert"), **{"weights": "one", **change})  # type: ignore[arg-type]
        assert path.stat().st_mtime_ns > before
        before = path.stat().st_mtime_ns
    assert set(read_table(path, LIKELIHOODS)["name"]) == set(NAMES[:3])


def test_other_files_with_the_same_sentences_are_stated_and_nothing_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a study has a list more: the file of words is another one."""
    path, undisturbed = tmp_path / "one" / "original.parquet", tmp_path / "two" / "original.parquet"
    write(path, model_of("bert"), made_from={"words": "one"})
    write(undisturbed, model_of("bert"), made_from={"words": "two"})
    assert path.read_bytes() != undisturbed.read_bytes()
    monkeypatch.setattr(engine, "_read", None)
    write(path, model_of("bert"), made_from={"words": "two"})
    assert path.read_bytes() == undisturbed.read_bytes()
    assert [file.name for file in path.parent.iterdir()] == ["original.parquet"]


def test_a_list_whose_words_all_stand_in_others_has_an_empty_table(tmp_path: Path) -> None:
    more = pd.concat([words(), words().iloc[[4]].assign(list="mine")])
    assert new_words(more, SUBSTITUTED) == ["weak"] and new_words(more, "mine") == []
    write_likelihoods(
        tmp_path / "mine.parquet", regions(), more, "mine", model_of("bert"), TEMPLATE, 128, {}, bar=False
    )
    assert read_table(tmp_path / "mine.parquet", LIKELIHOODS).empty


# sentences


def ids_of(sentences: Sentences, part: range) -> list[list[int]]:
    """Token ids of each sentence of a run of names, in order."""
    found: dict[int, list[int]] = {}
    for numbers, ids in sentences.arrays(part):
        for number, row in zip(numbers.tolist(), ids.tolist(), strict=True):
            assert found.setdefault(number, row) is row
    assert sorted(found) == list(range(len(part) * len(sentences.words)))
    return [found[number] for number in sorted(found)]


@pytest.mark.parametrize("architecture", [*ARCHITECTURES, "xlm-roberta", "mpnet", "modernbert", "bart"])
@pytest.mark.parametrize(
    "template",
    [TEMPLATE, "I know that {word} people live in {region}", "{region} is {word}", "{word}-{region}"],
)
def test_ids_are_the_tokenizers_own(architecture: str, template: str) -> None:
    tokenizer = tiny_tokenizer(architecture)
    odd = [*NAMES, "New  York ", " Paris", "[MASK]", "X", "東京", "São.Tomé", "a\u0301b"]
    some = ["strong", "  kind", "hard-working", "hard", "weak!"]
    sentences = Sentences(odd, some, Template(template), tokenizer)
    for part in (range(len(odd)), range(3, 7), range(5, 6)):
        texts = [
            template.split("{region}")[0].replace("{word}", word)
            + odd[name]
            + template.split("{region}")[1].replace("{word}", word)
            for name in part
            for word in some
        ]
        assert ids_of(sentences, part) == tokenizer(texts)["input_ids"]
        lengths = [len(ids) for ids in tokenizer(texts)["input_ids"]]
        assert sentences.lengths[part.start : part.stop].ravel().tolist() == lengths


class Fused:
    """A tokenizer one of whose tokens spans a name and what comes after, now and then."""

    def __init__(self, spans: Callable[[str], bool]) -> None:
        self.plain, self.spans, self.read = tiny_tokenizer("bert"), spans, 0
        self.unk_token_id = self.plain.unk_token_id

    def __call__(self, texts: list[str], **options: Any) -> dict[str, list[list[int]]]:
        self.read += len(texts)
        encoding = self.plain(texts, **options)
        ids = [
            [*found[:2], 7, *found[-3:]] if self.spans(text) else found
            for text, found in zip(texts, encoding["input_ids"], strict=True)
        ]
        special = [[1, *[0] * (len(found) - 2), 1] for found in ids]
        return {"input_ids": ids, "special_tokens_mask": special}


CITIES = [f"City {place}" for place in range(40)]


@pytest.mark.parametrize(
    ("names", "spans", "logged", "put_together"),
    [
        (CITIES, lambda text: False, "those of 40 names put together, of 0 tokenised", True),
        (
            ["World", *CITIES],
            lambda text: "World are" in text,
            "'People in World' is tokenised otherwise",
            False,
        ),
        (
            ["World", *CITIES],
            lambda text: "City 7 are" in text,
            "those of 40 names put together, of 1 ",
            True,
        ),
        (CITIES, lambda text: "weak" in text, "word 'weak' changes the tokens beside it, so all", False),
        (CITIES, lambda text: "City 3" in text and "hard" in text, "hang on each other, so all", False),
    ],
)
def test_sentences_that_cannot_be_put_together_are_tokenised(
    names: list[str],
    spans: Callable[[str], bool],
    logged: str,
    put_together: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    tokenizer = Fused(spans)
    some = ["strong", "weak", "hard", "kind"]
    sentences = Sentences(names, some, Template(TEMPLATE), tokenizer)  # type: ignore[arg-type]
    assert logged in caplog.text
    before = tokenizer.read
    found = ids_of(sentences, range(len(names)))
    texts = [f"People in {name} are {word}." for name in names for word in some]
    assert (tokenizer.read - before < len(texts)) == put_together
    assert found == tokenizer(texts)["input_ids"]


def test_bad_input_is_one_clear_line_before_anything_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*arguments: object) -> None:
        raise AssertionError("scored")

    monkeypatch.setattr(engine, "_read", read)
    path, model = tmp_path / "original.parquet", model_of("bert")
    long = "a Hard Name of so many Letters that it fills up"
    with pytest.raises(
        InputError, match=f"^region '{long}', word 'hard-working': the sentence has .. tokens, the "
    ):
        tokens = len(model.tokenizer(f"People in {long} are strong.")["input_ids"])
        write(path, model, names=["World", long, "Short"], max_length=tokens)
    with pytest.raises(InputError, match=f"^region '{long}': its name has .. tokens, the model takes 9"):
        write(path, model, names=["World", long], max_length=9)
    for nothing in ("", "  ", "\u200b"):
        with pytest.raises(InputError, match=r"^region '.*': the tokenizer makes no token of this name"):
            write(path, model, names=["World", nothing])
    for template in ("People are {word}.", "{region}", "{region} {word} {word}", "{} and {}"):
        with pytest.raises(InputError, match=r"^template: .* has \{(region|word)\} \d times, not once"):
            write(path, model, template=template)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_gives_no_number_is_one_clear_line(tmp_path: Path) -> None:
    model = model_of("bert")
    target = model.tokenizer("People in Street are writer.")["input_ids"]

    def encode(ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor | None = None) -> Encoded:
        found = model.encode(ids, places, mask)
        here = [place for place, row in enumerate(ids.tolist()) if row == target]
        for place in here:
            found.hidden[place * ids.shape[1] + 2] = np.nan
        return found

    broken = LoadedModel(model.network, model.tokenizer, model.device, encode, model.head)
    line = "^region 'Street', word 'writer': the model gives log_prob nan \\(1 such sentences of"
    with pytest.raises(InputError, match=line):
        write(tmp_path / "original.parquet", broken)
    assert not (tmp_path / "original.parquet").exists()


def test_a_very_long_name_is_not_told_whole() -> None:
    with pytest.raises(
        InputError, match=f"^region '{'b ' * 40}…': its name has 602 tokens, the model takes 9$"
    ):
        Names(["b " * 599 + "b"], tiny_tokenizer("bert"), 9)


def test_names_alone_have_their_unknown_tokens() -> None:
    names = Names(["L'Hôme", "City", "Ô Ô"], tiny_tokenizer("bert"))
    assert names.unknown.tolist() == [1, 0, 2]
    assert (names.lead, names.trail) == (1, 1)


# the script


def test_the_script_writes_and_keeps_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = {
        "directory": str(model_directory("bert")),
        "files": {},
        "entry": {"source": "path", "path": "elsewhere"},
        "weights_digest": "w",
        "tokenizer_digest": "t",
        "max_length": 128,
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    write_table(tmp_path / "regions.parquet", regions(), REGIONS, {})
    write_table(tmp_path / "words.parquet", words(), WORDS, {})
    path = tmp_path / "likelihoods" / f"{ORIGINAL}.parquet"

    def run(max_length: int = 128, padded: bool = False) -> str:
        (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "max_length": max_length}))
        path.unlink(missing_ok=True)
        try:
            run_script(
                "score_regions",
                {file: tmp_path / f"{file}.parquet" for file in ("regions", "words")}
                | {"manifest": tmp_path / "manifest.json"},
                [path],
                tmp_path / "job.log",
                config={"runtime": {"device": "cpu", "threads": 1, "batch_tokens": None}},
                model="m",
                list=ORIGINAL,
                template=TEMPLATE,
                dtype="float32",
                padded=padded,
            )
        except SystemExit:
            assert not path.exists()
        return (tmp_path / "job.log").read_text()

    assert "nothing is left to do" not in run()
    alone = write(tmp_path / "alone.parquet", model_of("bert"))
    pd.testing.assert_frame_equal(read_table(path, LIKELIHOODS), alone)
    facts = read_metadata(path)
    assert (facts["model"], facts["list"], facts["template"]) == ("m", ORIGINAL, TEMPLATE)
    assert facts["model_source"] == {"source": "path"} and facts["code"] == "digest"
    assert "nothing is left to do" in run()
    assert "error: model m, list original, region 'Rio (Sul)': its name has 10 tokens" in run(max_length=9)
    monkeypatch.setattr(sharding, "CIRCUMSTANCES", ())
    # before anything is read, not when it is scored
    assert "error: variants: `published` needs the levels world, continent" in run(padded=True)
    parents: list[Any] = [None, "r0", "r1", *["r2"] * 6]
    tree = regions().assign(level=[*LEVELS, *[CITY] * 5], parent=parents)
    write_table(tmp_path / "regions.parquet", tree, REGIONS, {})
    assert "padded: 8 names, 4 words" in run(padded=True)
