"""Joint embeddings: VisualBERT against one text at a time, read by transformers as it is."""

import math
import weakref
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from transformers import AutoTokenizer, VisualBertModel

from tiny_seeing import tiny_seeing
from unmask.associations import joint_embedding
from unmask.associations.arrays import Numbers
from unmask.associations.joint_embedding import SeeingEncoder, embed_seen, load_seeing, pictures_for
from unmask.associations.pictures import RegionFile, Regions
from unmask.associations.terms import GROUNDED, JOINT, OF_WORDS, WORD, WORD_FIRST
from unmask.associations.tokenised import Span
from unmask.errors import InputError
from unmask.models import visual_bert
from unmask.models.devices import pick_device

STIMULI = [
    ("the man", "man", "a.png"),
    ("the woman", "woman", "a.png"),
    ("the man", "man", "b/c.jpg"),
    ("this is a good nurse .", "nurse", "b/c.jpg"),
    ("this is a good doctor .", "doctor", "wide.png"),
    ("the xylophones are here", "xylophones", "wide.png"),
    ("the man", "man", "a.png"),
    ("a table and a thing", None, "grey.png"),
]
TEXTS = [text for text, _, _ in STIMULI]
IMAGES = [image for _, _, image in STIMULI]
SPANS: list[Span | None] = [
    None if word is None else (text.index(word), text.index(word) + len(word)) for text, word, _ in STIMULI
]
REGIONS = {"a.png": 3, "b/c.jpg": 3, "wide.png": 5, "grey.png": 1, "no.png": 3}
WIDTH = 12


def savez(path: Path, **arrays: Any) -> None:
    np.savez(path, **arrays)


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Features of regions of pictures."""
    draw = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("features") / "regions.npz"
    savez(
        path,
        **{
            f"{image}/features": draw.normal(size=(regions, WIDTH)).astype(np.float32)
            for image, regions in REGIONS.items()
        },
    )
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_seeing(tmp_path_factory.mktemp("model"))


def load(directory: Path, features: Path, tokens: int | None = None) -> tuple[SeeingEncoder, Regions]:
    encoder = load_seeing(directory, pick_device("cpu", tokens))
    return encoder, pictures_for(encoder, features)


def embed(directory: Path, features: Path, tokens: int | None = None) -> dict[str, Any]:
    encoder, pictures = load(directory, features, tokens)
    return embed_seen(encoder, TEXTS, SPANS, IMAGES, pictures)


def literal(directory: Path, features: Path, text: str, word: str | None, image: str, pooling: str) -> Any:
    """One text with one picture, through the class as its documentation has it."""
    tokenizer: Any = AutoTokenizer.from_pretrained(directory)
    inputs = {"input_ids": torch.tensor([tokenizer(text)["input_ids"]])}
    with np.load(features) as file:
        regions = torch.from_numpy(file[f"{image}/features"])[None]
    network: Any = VisualBertModel.from_pretrained(directory)
    with torch.no_grad():
        hidden = network(**inputs, visual_embeds=regions).last_hidden_state[0]
    if pooling not in OF_WORDS:
        return hidden[0].numpy()
    if word is None:
        return math.nan
    # [CLS] and the words before it
    start = 1 + len(tokenizer.tokenize(text[: text.index(word)]))
    tokens = hidden[start : start + len(tokenizer.tokenize(word))].numpy()
    return tokens[0] if pooling == WORD_FIRST else sum(tokens) / len(tokens)


def test_every_pooling_is_its_definition(model: Path, features: Path) -> None:
    found = embed(model, features)
    assert tuple(found) == GROUNDED
    for pooling, vectors in found.items():
        assert vectors.shape == (len(TEXTS), 32) and vectors.dtype == np.float32
        for vector, stimulus in zip(vectors, STIMULI, strict=True):
            expected = literal(model, features, *stimulus, pooling)
            np.testing.assert_allclose(vector, expected, atol=2e-5, err_msg=f"{pooling}: {stimulus}")


def differ(one: Any, other: Any) -> bool:
    return bool(np.abs(one - other).max() > 0.01)


def test_the_word_is_read_with_its_text_and_picture(model: Path, features: Path) -> None:
    """It depends on both, and is the word that was asked for, with the first of its tokens or with all."""
    encoder, pictures = load(model, features)
    text = "this is a good nurse ."
    good, nurse = ((text.index(word), text.index(word) + len(word)) for word in ("good", "nurse"))
    texts = [text, text, text, "the nurse", "the xylophones are here"]
    spans: list[Span | None] = [good, nurse, nurse, (4, 9), (4, 14)]
    images = ["a.png", "a.png", "b/c.jpg", "a.png", "a.png"]
    found = embed_seen(encoder, texts, spans, images, pictures)
    word, first, joint = found[WORD], found[WORD_FIRST], found[JOINT]
    # two words of one text, which is read once
    assert np.array_equal(joint[0], joint[1])
    for one, other in ((word[0], word[1]), (word[1], word[2]), (word[1], word[3]), (word[1], joint[1])):
        assert differ(one, other)
    # "nurse" is one token, "xylophones" several
    assert np.array_equal(word[1], first[1]) and differ(word[4], first[4])


def test_batches_and_order_change_nothing(model: Path, features: Path) -> None:
    together = embed(model, features)
    encoder, pictures = load(model, features, 1)
    backwards = embed_seen(encoder, TEXTS[::-1], SPANS[::-1], IMAGES[::-1], pictures)
    for pooling in GROUNDED:
        np.testing.assert_allclose(together[pooling], backwards[pooling][::-1], atol=2e-5)
        # what is the same is read once
        assert together[pooling][0].tobytes() == together[pooling][6].tobytes()


class Counted:
    """Pictures that keep what was read, and count how many are there at once."""

    def __init__(self, pictures: Regions) -> None:
        self.pictures = pictures
        self.images: list[str] = []
        self.most = 0

    def read(self, images: Collection[str]) -> Iterator[tuple[str, Numbers]]:
        there: list[weakref.ref[Numbers]] = []
        for image, regions in self.pictures.read(images):
            self.images.append(image)
            there.append(weakref.ref(regions))
            self.most = max(self.most, sum(each() is not None for each in there))
            yield image, regions


def test_each_picture_is_read_once_and_held_for_a_batch(model: Path, features: Path) -> None:
    for tokens, most in ((1, 2), (10_000, 4)):
        encoder, pictures = load(model, features, tokens)
        counted = Counted(pictures)
        # the one before is in hand when the next is read
        embed_seen(encoder, TEXTS, [span or (0, 1) for span in SPANS], IMAGES, counted)
        assert sorted(counted.images) == sorted(set(IMAGES))
        assert counted.most == most


def test_memory_that_is_too_small(model: Path, features: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = embed(model, features)
    sizes: list[int] = []

    def embed_two(network: Any, ids: torch.Tensor, regions: torch.Tensor) -> torch.Tensor:
        sizes.append(len(ids))
        if len(ids) > 2:
            raise torch.OutOfMemoryError("out of memory")
        return visual_bert.embed(network, ids, regions)

    monkeypatch.setattr(joint_embedding, "embed", embed_two)
    found = embed(model, features)
    assert max(sizes) > 2
    assert sizes[-1] <= 2
    for pooling in GROUNDED:
        np.testing.assert_allclose(found[pooling], expected[pooling], atol=2e-5)


@pytest.mark.parametrize(
    ("texts", "span", "line"),
    [
        ("a nurse " * 70, None, ": 142 tokens, the model takes 128"),
        ("", None, "'': has no token to embed"),
        ("a nurse", (1, 2), "'a nurse': no token is of ' '"),
    ],
)
def test_texts_that_cannot_be_embedded(
    model: Path, features: Path, texts: str, span: Span | None, line: str
) -> None:
    encoder, pictures = load(model, features)
    with pytest.raises(InputError, match=line):
        embed_seen(encoder, [texts], [span], ["a.png"], pictures)


def test_numbers_that_are_not_finite(model: Path, features: Path) -> None:
    encoder, pictures = load(model, features)
    table = encoder.network.embeddings.word_embeddings
    with torch.no_grad():
        table.weight[encoder.tokenizer.convert_tokens_to_ids("man")] = torch.nan
    line = r"embedding \(joint\): of 'the man' with a.png the model gives numbers that are not finite"
    with pytest.raises(InputError, match=line):
        embed_seen(encoder, TEXTS, SPANS, IMAGES, pictures)
    # a text without a word has none, and that is no fault
    found = embed_seen(encoder, TEXTS[-1:], SPANS[-1:], IMAGES[-1:], pictures)
    assert all(np.isnan(found[pooling]).all() for pooling in OF_WORDS)
    assert np.isfinite(found[JOINT]).all()


def one_line(error: pytest.ExceptionInfo[InputError]) -> str:
    line = str(error.value)
    assert "\n" not in line
    return line


def write_parquet(path: Path, arrays: dict[str, Any], rows: int = 2) -> None:
    features = [np.asarray(values).tolist() for values in arrays.values()]
    pq.write_table(pa.table({"image": list(arrays), "features": features}), path, row_group_size=rows)


def test_both_kinds_of_files_say_the_same(features: Path, tmp_path: Path) -> None:
    with np.load(features) as file:
        arrays = {image: file[f"{image}/features"] for image in REGIONS}
    write_parquet(tmp_path / "regions.parquet", arrays)
    images = ["no.png", "a.png", "wide.png"]
    for path in (features, tmp_path / "regions.parquet"):
        found = dict(RegionFile(path, WIDTH).read(images))
        assert set(found) == set(images)
        assert all(np.array_equal(found[image], arrays[image]) for image in images)


FEATURES = np.ones((2, WIDTH))


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (FEATURES * np.nan, "b: features: number 1.1, nan, is no finite number"),
        (np.r_[FEATURES, FEATURES * 1e300], "b: features: number 3.1, .* is no finite number"),
        (np.ones((0, WIDTH)), "b: features: "),
        (FEATURES[:, :3], f"b: regions of 3 features, the model takes {WIDTH}$"),
    ],
)
def test_regions_that_cannot_be_used(values: Any, line: str, tmp_path: Path) -> None:
    savez(tmp_path / "f.npz", **{"a/features": FEATURES, "b/features": values})
    write_parquet(tmp_path / "f.parquet", {"a": FEATURES, "b": values})
    for name in ("f.npz", "f.parquet"):
        file = RegionFile(tmp_path / name, WIDTH)
        # only what is asked for is read
        assert [image for image, _ in file.read(["a"])] == ["a"]
        with pytest.raises(InputError, match=line) as error:
            list(file.read(["a", "b"]))
        assert one_line(error).startswith(f"{tmp_path / name}: b")


def test_files_that_are_broken(tmp_path: Path) -> None:
    def refused(name: str, line: str, images: Collection[str] = ("a", "b")) -> None:
        with pytest.raises(InputError, match=line) as error:
            list(RegionFile(tmp_path / name, WIDTH).read(images))
        assert one_line(error).startswith(f"{tmp_path / name}: ")

    refused("none.npz", "no such file")
    refused("features.h5", "what kind of features are these\\? Known are .npz, .parquet")
    (tmp_path / "text.npz").write_text("text")
    refused("text.npz", "not a readable .npz file")
    np.save(tmp_path / "one.npy", FEATURES)
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    refused("one.npz", "one array, not a .npz file")
    savez(tmp_path / "pickled.npz", **{"a/features": np.array([{}, 1], dtype=object), "b/features": FEATURES})
    refused("pickled.npz", "a/features: not readable")
    savez(tmp_path / "lacks.npz", **{"a/features": FEATURES})
    refused("lacks.npz", "b is not there$")
    (tmp_path / "text.parquet").write_text("text")
    refused("text.parquet", "not a readable Parquet file")
    pq.write_table(pa.table({"picture": ["a"]}), tmp_path / "names.parquet")
    refused("names.parquet", r"no column 'image' \(columns: picture\)")
    pq.write_table(pa.table({"image": [1], "features": [[[1.0]]]}), tmp_path / "numbers.parquet")
    refused("numbers.parquet", "column 'image' holds int64, not text")
    pq.write_table(pa.table({"image": ["a", "a"], "features": [[[1.0]]] * 2}), tmp_path / "twice.parquet")
    refused("twice.parquet", "a is there twice")
    pq.write_table(pa.table({"image": ["a"], "features": [[[1.0], [1.0, 2.0]]]}), tmp_path / "ragged.parquet")
    refused("ragged.parquet", "a: features: lists that are not equally long", ["a"])
    pq.write_table(pa.table({"image": ["a"], "features": [[1.0, 2.0]]}), tmp_path / "flat.parquet")
    refused("flat.parquet", "a: features: list<.*>, not a list of lists of numbers", ["a"])
    refused("flat.parquet", r"b is not there \(nor are 1 others\)", ["a", "b", "c"])
