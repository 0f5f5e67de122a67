"""Joint embeddings: every class against one text at a time, read by transformers as it is."""

import math
import struct
import weakref
import zlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from PIL import Image
from transformers import (
    AutoImageProcessor,
    AutoTokenizer,
    BlipForImageTextRetrieval,
    FlavaModel,
    LxmertModel,
    ViltModel,
    VisualBertModel,
)

from association_files import FACTS
from tiny_seeing import SEEING, tiny_seeing
from unmask.associations.joint_embedding import SeeingEncoder, embed_seen, load_seeing, pictures_for
from unmask.associations.pictures import Picture, Pictures, RegionFile
from unmask.associations.readers import reader_of
from unmask.associations.terms import (
    GROUNDED,
    IMAGE_HIDDEN,
    JOINT,
    OF_WORDS,
    TEXT_HIDDEN,
    WORD,
    WORD_FIRST,
)
from unmask.associations.tokenised import Span
from unmask.errors import InputError
from unmask.models.devices import pick_device
from unmask.models.joint import architectures
from unmask.models.joint.architectures import ARCHITECTURES

OF_REGIONS = ("visual_bert", "lxmert")

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
SIZES = {"a.png": (40, 30), "b/c.jpg": (40, 30), "wide.png": (90, 40), "grey.png": (33, 50), "no.png": (9, 9)}
REGIONS = {"a.png": 3, "b/c.jpg": 3, "wide.png": 5, "grey.png": 1, "no.png": 3}
WIDTH = 12


def savez(path: Path, **arrays: Any) -> None:
    np.savez(path, **arrays)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pictures, and features of their regions: a.png and b/c.jpg are of one size, with the same
    boxes."""
    folder = tmp_path_factory.mktemp("drawn")
    draw = np.random.default_rng(0)
    arrays = {}
    for image, (width, height) in SIZES.items():
        path = folder / image
        path.parent.mkdir(exist_ok=True)
        dots = Image.fromarray(draw.integers(0, 256, (height, width, 3), dtype=np.uint8))
        (dots.convert("L") if image == "grey.png" else dots).save(path)
        regions = REGIONS[image]
        arrays[f"{image}/features"] = draw.normal(size=(regions, WIDTH)).astype(np.float32)
        arrays[f"{image}/boxes"] = np.linspace(0, 1, regions * 4).reshape(regions, 4).astype(np.float32)
    savez(folder / "regions.npz", **arrays)
    return folder


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {each: tiny_seeing(each, tmp_path_factory.mktemp(each)) for each in SEEING}


def load(directory: Path, drawn: Path, tokens: int | None = None) -> tuple[SeeingEncoder, Pictures]:
    encoder = load_seeing(directory, pick_device("cpu", tokens))
    return encoder, pictures_for(encoder, drawn, drawn / "regions.npz")


def embed(directory: Path, drawn: Path, tokens: int | None = None) -> dict[str, Any]:
    encoder, pictures = load(directory, drawn, tokens)
    return embed_seen(encoder, TEXTS, SPANS, IMAGES, pictures)


CLASSES: dict[str, Any] = {
    "visual_bert": VisualBertModel,
    "lxmert": LxmertModel,
    "vilt": ViltModel,
    "flava": FlavaModel,
    "blip": BlipForImageTextRetrieval,
}


@cache
def network_of(architecture: str, directory: Path) -> Any:
    return CLASSES[architecture].from_pretrained(directory)


@cache
def processor_of(directory: Path) -> Any:
    processor: Any = AutoImageProcessor
    return processor.from_pretrained(directory)


@cache
def tokenizer_of(directory: Path) -> Any:
    return AutoTokenizer.from_pretrained(directory)


def literal(
    architecture: str, directory: Path, drawn: Path, text: str, word: str | None, image: str, pooling: str
) -> Any:
    """One text with one picture, through the class as its documentation has it."""
    tokenizer = tokenizer_of(directory)
    if pooling == TEXT_HIDDEN:
        if word is None:
            return math.nan
        text = text.replace(word, " ".join(["[MASK]"] * len(tokenizer.tokenize(word))))
    inputs = {"input_ids": torch.tensor([tokenizer(text)["input_ids"]])}
    if architecture in OF_REGIONS:
        with np.load(drawn / "regions.npz") as file:
            features = torch.from_numpy(file[f"{image}/features"])[None]
            boxes = torch.from_numpy(file[f"{image}/boxes"])[None]
        if pooling == IMAGE_HIDDEN:
            features = torch.zeros_like(features)
    else:
        picture = Image.open(drawn / image).convert("RGB")
        seen = processor_of(directory)(images=picture, return_tensors="pt")
        inputs |= {name: seen[name] for name in ("pixel_values", "pixel_mask") if name in seen}
        if pooling == IMAGE_HIDDEN:
            inputs["pixel_values"] = torch.zeros_like(inputs["pixel_values"])
    with torch.no_grad():
        network = network_of(architecture, directory)
        of_text = 0
        if architecture == "visual_bert":
            hidden = network(**inputs, visual_embeds=features).last_hidden_state[0]
        elif architecture == "lxmert":
            hidden = network(**inputs, visual_feats=features, visual_pos=boxes).language_output[0]
        elif architecture == "vilt":
            hidden = network(**inputs).last_hidden_state[0]
        elif architecture == "flava":
            output = network(**inputs)
            # a token of its own, the picture, the text
            hidden, of_text = output.multimodal_embeddings[0], 1 + output.image_embeddings.shape[1]
        else:
            hidden = network(**inputs, use_itm_head=True).question_embeds[0]
    if pooling not in OF_WORDS:
        return hidden[0].numpy()
    if word is None:
        return math.nan
    # [CLS] and the words before it
    start = of_text + 1 + len(tokenizer.tokenize(text[: text.index(word)]))
    tokens = hidden[start : start + len(tokenizer.tokenize(word))].numpy()
    return tokens[0] if pooling == WORD_FIRST else sum(tokens) / len(tokens)


@pytest.mark.parametrize("architecture", SEEING)
def test_every_pooling_is_its_definition(architecture: str, models: dict[str, Path], drawn: Path) -> None:
    found = embed(models[architecture], drawn)
    assert tuple(found) == GROUNDED
    width = 48 if architecture == "flava" else 32
    for pooling, vectors in found.items():
        assert vectors.shape == (len(TEXTS), width)
        assert vectors.dtype == np.float32
        for vector, stimulus in zip(vectors, STIMULI, strict=True):
            expected = literal(architecture, models[architecture], drawn, *stimulus, pooling)
            np.testing.assert_allclose(vector, expected, atol=2e-5, err_msg=f"{pooling}: {stimulus}")


def differ(one: Any, other: Any, more_than: float = 0.01) -> bool:
    return bool(np.abs(one - other).max() > more_than)


@pytest.mark.parametrize("architecture", SEEING)
def test_what_is_hidden_is_not_seen_and_the_rest_is(
    architecture: str, models: dict[str, Path], drawn: Path
) -> None:
    found = embed(models[architecture], drawn)
    man, woman, man_elsewhere = 0, 1, 2
    joint, no_word, no_picture = (found[pooling] for pooling in (JOINT, TEXT_HIDDEN, IMAGE_HIDDEN))
    assert differ(joint[man], joint[woman])
    assert differ(joint[man], joint[man_elsewhere])
    assert np.array_equal(no_word[man], no_word[woman])
    assert differ(no_word[man], no_word[man_elsewhere])
    assert np.array_equal(no_picture[man], no_picture[man_elsewhere])
    assert differ(no_picture[man], no_picture[woman])
    # and hiding is not for nothing
    assert differ(joint[man], no_word[man])
    assert differ(joint[man], no_picture[man])


@pytest.mark.parametrize("architecture", SEEING)
def test_the_word_is_read_with_its_text_and_picture(
    architecture: str, models: dict[str, Path], drawn: Path
) -> None:
    """It depends on both, and is the word that was asked for, with the first of its tokens or with all."""
    encoder, pictures = load(models[architecture], drawn)
    text = "this is a good nurse ."
    good, nurse = ((text.index(word), text.index(word) + len(word)) for word in ("good", "nurse"))
    texts = [text, text, text, "the nurse", "the xylophones are here"]
    spans: list[Span | None] = [good, nurse, nurse, (4, 9), (4, 14)]
    images = ["a.png", "a.png", "b/c.jpg", "a.png", "a.png"]
    found = embed_seen(encoder, texts, spans, images, pictures)
    word, first, joint = found[WORD], found[WORD_FIRST], found[JOINT]
    # two words of one text, which is read once
    assert np.array_equal(joint[0], joint[1])
    # random weights of LXMERT make the tokens of a text much alike: rounding is a tenth of this
    for one, other in ((word[0], word[1]), (word[1], word[2]), (word[1], word[3]), (word[1], joint[1])):
        assert differ(one, other, 2e-4)
    # "nurse" is one token, "xylophones" several
    assert np.array_equal(word[1], first[1]) and differ(word[4], first[4], 2e-4)


def test_an_encoder_without_vectors_of_tokens(
    models: dict[str, Path], drawn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not tested at the word, which a remark says once for each pooling; all else is as it was."""
    directory = models["vilt"]
    whole = ARCHITECTURES["vilt"]
    stimuli = pd.DataFrame(STIMULI[:6], columns=["text", "word", "image"])
    inputs = (pick_device("cpu"), GROUNDED, FACTS, drawn)
    manifest = {"directory": directory, "entry": {"kind": "vision-and-language"}}
    reader = reader_of(manifest, *inputs)
    assert (reader.poolings, reader.remarks) == (GROUNDED, ())

    def joint_alone(*read: Any) -> torch.Tensor:
        return whole.embed(*read)[:, :1]

    small = replace(whole, embed=joint_alone, keeps_tokens=False)
    monkeypatch.setattr(architectures, "ARCHITECTURES", {**ARCHITECTURES, "vilt": small})
    lacking = reader_of(manifest, *inputs)
    assert lacking.poolings == (JOINT, TEXT_HIDDEN, IMAGE_HIDDEN)
    assert lacking.remarks == tuple(
        f"vilt has no vector of a single token: not tested by {pooling}" for pooling in ("word", "word-first")
    )
    found, expected = lacking.read(stimuli), reader.read(stimuli)
    assert tuple(found) == lacking.poolings
    for pooling in lacking.poolings:
        np.testing.assert_allclose(found[pooling], expected[pooling], atol=2e-5)


def test_boxes_stay_where_features_are_hidden(models: dict[str, Path], tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    arrays = {f"{image}/features": draw.normal(size=(2, WIDTH)) for image in "ab"}
    boxes = {f"{image}/boxes": draw.random((2, 2, 2)).cumsum(1).reshape(2, 4) / 2 for image in "ab"}
    savez(tmp_path / "f.npz", **arrays, **boxes)
    for architecture, seen in (("lxmert", True), ("visual_bert", False)):
        encoder = load_seeing(models[architecture], pick_device("cpu"))
        pictures = pictures_for(encoder, None, tmp_path / "f.npz")
        found = embed_seen(encoder, ["the man"] * 2, [None] * 2, ["a", "b"], pictures, [IMAGE_HIDDEN])
        assert differ(*found[IMAGE_HIDDEN]) == seen


@pytest.mark.parametrize("architecture", SEEING)
def test_batches_and_order_change_nothing(architecture: str, models: dict[str, Path], drawn: Path) -> None:
    together = embed(models[architecture], drawn)
    encoder, pictures = load(models[architecture], drawn, 1)
    backwards = embed_seen(encoder, TEXTS[::-1], SPANS[::-1], IMAGES[::-1], pictures)
    for pooling in GROUNDED:
        np.testing.assert_allclose(together[pooling], backwards[pooling][::-1], atol=2e-5)
        # what is the same is read once
        assert together[pooling][0].tobytes() == together[pooling][6].tobytes()
    # whatever was drawn before
    torch.manual_seed(1)
    again = embed(models[architecture], drawn)
    for pooling in GROUNDED:
        assert together[pooling].tobytes() == again[pooling].tobytes()


def test_vilt_reads_every_patch(models: dict[str, Path], drawn: Path, tmp_path: Path) -> None:
    """Where a configuration has it draw some of the patches, embeddings would be those of the draw."""
    directory = tiny_seeing("vilt", tmp_path, max_image_length=3)
    assert ViltModel.from_pretrained(directory).config.max_image_length == 3
    for pooling, vectors in embed(directory, drawn).items():
        assert vectors.tobytes() == embed(models["vilt"], drawn)[pooling].tobytes()


class Counted:
    """Pictures that keep what was read, and count how many are there at once."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures
        self.images: list[str] = []
        self.most = 0

    def read(self, images: Collection[str]) -> Iterator[tuple[str, Picture]]:
        there: list[weakref.ref[Picture]] = []
        for image, picture in self.pictures.read(images):
            self.images.append(image)
            there.append(weakref.ref(picture))
            self.most = max(self.most, sum(each() is not None for each in there))
            yield image, picture


@pytest.mark.parametrize("poolings", [GROUNDED, (IMAGE_HIDDEN,), (TEXT_HIDDEN,)])
def test_each_picture_is_opened_once_and_held_for_a_batch(
    models: dict[str, Path], drawn: Path, poolings: tuple[str, ...]
) -> None:
    for tokens, most in ((1, 2), (10_000, 2 if poolings == (IMAGE_HIDDEN,) else 4)):
        encoder, pictures = load(models["blip"], drawn, tokens)
        counted = Counted(pictures)
        # the one before is in hand when the next is read
        spans = [span or (0, 1) for span in SPANS]
        embed_seen(encoder, TEXTS, spans, IMAGES, counted, poolings)
        assert sorted(counted.images) == sorted(set(IMAGES))
        assert counted.most == most


def test_memory_that_is_too_small(
    models: dict[str, Path], drawn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder, pictures = load(models["flava"], drawn)
    expected = embed_seen(encoder, TEXTS, SPANS, IMAGES, pictures)
    sizes = []

    def embed_two(network: Any, ids: torch.Tensor, *others: Any) -> torch.Tensor:
        sizes.append(len(ids))
        if len(ids) > 2:
            raise torch.OutOfMemoryError("out of memory")
        return encoder.reading.embed(network, ids, *others)

    small = replace(encoder, reading=replace(encoder.reading, embed=embed_two))
    found = embed_seen(small, TEXTS, SPANS, IMAGES, pictures)
    assert max(sizes) > 2
    assert sizes[-1] <= 2
    for pooling in GROUNDED:
        np.testing.assert_allclose(found[pooling], expected[pooling], atol=2e-5)


def test_a_tokenizer_without_a_mask_token(models: dict[str, Path], drawn: Path) -> None:
    encoder, pictures = load(models["visual_bert"], drawn)
    tokenizer: Any = encoder.tokenizer
    stimulus = (["the man"], [(4, 7)], ["a.png"], pictures, [TEXT_HIDDEN])
    masked = embed_seen(encoder, *stimulus)[TEXT_HIDDEN]
    tokenizer.mask_token = None
    unknown = embed_seen(encoder, ["the [UNK]"], [None], ["a.png"], pictures, [JOINT])[JOINT]
    assert np.array_equal(embed_seen(encoder, *stimulus)[TEXT_HIDDEN], unknown)
    assert differ(masked, unknown)
    tokenizer.unk_token = None
    with pytest.raises(InputError, match="neither a mask token nor an unknown one, so no word can be hidden"):
        embed_seen(encoder, *stimulus)


@pytest.mark.parametrize(
    ("texts", "span", "line"),
    [
        ("a nurse " * 70, None, ": 142 tokens, the model takes 128"),
        ("", None, "'': has no token to embed"),
        ("a nurse", (1, 2), "'a nurse': no token is of ' '"),
    ],
)
def test_texts_that_cannot_be_embedded(
    models: dict[str, Path], drawn: Path, texts: str, span: Span | None, line: str
) -> None:
    # where the longest text is said differs
    for architecture in ("vilt", "flava"):
        encoder, pictures = load(models[architecture], drawn)
        with pytest.raises(InputError, match=line):
            embed_seen(encoder, [texts], [span], ["a.png"], pictures)


def test_numbers_that_are_not_finite(models: dict[str, Path], drawn: Path) -> None:
    encoder, pictures = load(models["visual_bert"], drawn)
    table: Any = encoder.network.get_input_embeddings()
    with torch.no_grad():
        table.weight[encoder.tokenizer.convert_tokens_to_ids("man")] = torch.nan
    line = r"embedding \(joint\): of 'the man' with a.png the model gives numbers that are not finite"
    with pytest.raises(InputError, match=line):
        embed_seen(encoder, TEXTS, SPANS, IMAGES, pictures)
    # a text without a word has none, and that is no fault
    found = embed_seen(encoder, TEXTS[-1:], SPANS[-1:], IMAGES[-1:], pictures)
    assert all(np.isnan(found[pooling]).all() for pooling in (TEXT_HIDDEN, *OF_WORDS))
    assert np.isfinite(found[JOINT]).all()


def one_line(error: pytest.ExceptionInfo[InputError]) -> str:
    line = str(error.value)
    assert "\n" not in line
    return line


def test_what_an_encoder_needs_and_was_not_given(models: dict[str, Path], drawn: Path) -> None:
    for architecture, line in (
        ("lxmert", "it sees regions, and the suite has no file of their features (key features)"),
        ("vilt", "it sees pixels, and the suite has no folder of pictures (key images)"),
    ):
        encoder = load_seeing(models[architecture], pick_device("cpu"))
        regions = architecture in OF_REGIONS
        with pytest.raises(InputError) as error:
            pictures_for(encoder, drawn if regions else None, None if regions else drawn / "regions.npz")
        assert one_line(error) == f"{models[architecture]}: {line}"


def test_what_is_no_encoder_that_sees(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "clip"}')
    with pytest.raises(InputError) as error:
        load_seeing(tmp_path, pick_device("cpu"))
    assert one_line(error).startswith(f"model directory {tmp_path}: its text is not grounded: clip reads")


def test_pictures_that_cannot_be_read(models: dict[str, Path], tmp_path: Path) -> None:
    encoder = load_seeing(models["vilt"], pick_device("cpu"))
    pictures = pictures_for(encoder, tmp_path, None)
    Image.new("RGB", (40, 40)).save(tmp_path / "whole.png")
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "cut.png").write_bytes((tmp_path / "whole.png").read_bytes()[:60])
    for images, line in (
        (["whole.png", "a.png", "b.png"], f"{tmp_path}: a.png is not there (nor are 1 others)"),
        (
            ["text.png"],
            f"{tmp_path / 'text.png'}: not a picture that can be read (cannot identify image file",
        ),
        (["cut.png"], f"{tmp_path / 'cut.png'}: not a picture that can be read ("),
    ):
        with pytest.raises(InputError) as error:
            list(pictures.read(images))
        assert one_line(error).startswith(line)


def header_of_png(width: int, height: int) -> bytes:
    """A picture in black and white that has a header, and of its dots none."""

    def chunk(name: bytes, content: bytes) -> bytes:
        crc = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", crc)

    fields = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", fields) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def test_a_large_picture_is_refused_before_it_is_decoded(models: dict[str, Path], tmp_path: Path) -> None:
    pictures = pictures_for(load_seeing(models["vilt"], pick_device("cpu")), tmp_path, None)
    # nothing to be decoded is there
    for width, height, refused in ((12_000, 12_000, True), (8193, 8192, True), (8192, 8192, False)):
        (tmp_path / "large.png").write_bytes(header_of_png(width, height))
        with pytest.raises(InputError) as error:
            list(pictures.read(["large.png"]))
        line = one_line(error)
        assert line.startswith(f"{tmp_path / 'large.png'}: ")
        assert (f"{width} × {height}" in line) == refused


def test_pictures_are_turned_upright_and_have_colours(models: dict[str, Path], tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    upright = Image.fromarray(draw.integers(0, 256, (24, 48, 3), dtype=np.uint8))
    upright.save(tmp_path / "upright.png")
    turned = upright.transpose(Image.Transpose.ROTATE_90)
    exif = turned.getexif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.png", exif=exif)
    upright.convert("RGBA").save(tmp_path / "clear.png")
    encoder = load_seeing(models["vilt"], pick_device("cpu"))
    read = dict(pictures_for(encoder, tmp_path, None).read(["upright.png", "turned.png", "clear.png"]))
    assert read["upright.png"].numbers.shape == (3, 24, 48)
    for image in ("turned.png", "clear.png"):
        assert np.array_equal(read[image].numbers, read["upright.png"].numbers)


def write_parquet(path: Path, arrays: dict[str, tuple[Any, Any]], rows: int = 2) -> None:
    table = pa.table(
        {
            "image": list(arrays),
            "features": [np.asarray(features).tolist() for features, _ in arrays.values()],
            "boxes": [np.asarray(boxes).tolist() for _, boxes in arrays.values()],
        }
    )
    pq.write_table(table, path, row_group_size=rows)


def test_both_kinds_of_files_say_the_same(drawn: Path, tmp_path: Path) -> None:
    with np.load(drawn / "regions.npz") as file:
        arrays = {image: (file[f"{image}/features"], file[f"{image}/boxes"]) for image in SIZES}
    write_parquet(tmp_path / "regions.parquet", arrays)
    images = ["no.png", "a.png", "wide.png"]
    for boxes in (True, False):
        found = [
            dict(RegionFile(path, WIDTH, boxes).read(images))
            for path in (drawn / "regions.npz", tmp_path / "regions.parquet")
        ]
        for image in images:
            for pictures in found:
                assert np.array_equal(pictures[image].numbers, arrays[image][0])
                places = pictures[image].boxes
                assert np.array_equal(places, arrays[image][1]) if places is not None else not boxes
        assert all(set(pictures) == set(images) for pictures in found)


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    fits = np.ones((2, WIDTH))
    savez(tmp_path / "f.npz", **{"a/features": fits, "b/features": fits[:, :3]})
    boxes = np.zeros((2, 4))
    write_parquet(tmp_path / "f.parquet", {"a": (fits, boxes), "b": (fits[:, :3], boxes)})
    for name in ("f.npz", "f.parquet"):
        file = RegionFile(tmp_path / name, WIDTH, False)
        assert [image for image, _ in file.read(["a"])] == ["a"]
        with pytest.raises(InputError) as error:
            list(file.read(["a", "b"]))
        assert one_line(error) == f"{tmp_path / name}: b: regions of 3 features, the model takes {WIDTH}"


FEATURES = np.ones((2, WIDTH))
PLACES = np.array([[0.0, 0.0, 0.5, 1.0], [0.0, 0.0, 1.0, 1.005]])


@pytest.mark.parametrize(
    ("features", "boxes", "line"),
    [
        (FEATURES * np.nan, PLACES, "a: features: number 1.1, nan, is no finite number"),
        (np.r_[FEATURES, FEATURES * 1e300], None, "a: features: number 3.1, .* is no finite number"),
        (np.ones((0, WIDTH)), PLACES, "a: features: "),
        (FEATURES, None, "a: no boxes, which the model reads"),
        (FEATURES, PLACES[:1], r"a: boxes of shape \(1, 4\) for 2 regions, not 4 numbers for each"),
        (
            FEATURES,
            PLACES * 640,
            "a: boxes from 0 to 643.2: they are to be shares of the picture's width and",
        ),
        (FEATURES, PLACES - 0.1, "a: boxes from -0.1 to 0.905: they are to be shares"),
        # width and height in place of right and bottom
        (
            FEATURES,
            [[0.0, 0.0, 0.0, 0.0], [0.5, 0.2, 0.25, 0.5]],
            r"a: the box of region 2 \(0.5, 0.2, 0.25, 0.5\) .* 1 of 2",
        ),
        (FEATURES, PLACES[:, [0, 3, 2, 1]], r"a: the box of region 1 \(0, 1, 0.5, 0\) .* 2 of 2"),
    ],
)
def test_regions_that_cannot_be_used(features: Any, boxes: Any, line: str, tmp_path: Path) -> None:
    given = {"a/features": features} | ({} if boxes is None else {"a/boxes": boxes})
    savez(tmp_path / "f.npz", **given)
    paths = [tmp_path / "f.npz"]
    if boxes is not None:
        write_parquet(tmp_path / "f.parquet", {"a": (features, boxes)})
        paths.append(tmp_path / "f.parquet")
    for path in paths:
        with pytest.raises(InputError, match=line) as error:
            list(RegionFile(path, WIDTH, True).read(["a"]))
        assert one_line(error).startswith(f"{path}: a")


def test_files_that_are_broken(tmp_path: Path) -> None:
    def refused(name: str, line: str, images: Collection[str] = ("a", "b")) -> None:
        with pytest.raises(InputError, match=line) as error:
            list(RegionFile(tmp_path / name, WIDTH, False).read(images))
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
