"""A grounded test of an encoder whose every bias is known, as files that an ordinary study can name.

The test is of names of men and women with career and family (Ross, Katz & Barbu 2021). A meaning is a vector
over AXES. Without bias, names and their pictures tell the gender, and attributes with theirs tell career from
family; what else a World has are its biases.

The model is a VisualBERT of one layer with hand-set weights. An axis is a pair of coordinates, + and -, so
that vectors have mean 0 and layer norm only sets their length. Queries and keys are 0, so that all tokens and
regions are attended to alike; the value matrix is WEIGHT times the identity. So the vector of a token is its
meaning, at length one, and WEIGHT times the mean of all tokens and regions, each of length one or zero.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from transformers import BertTokenizer, VisualBertConfig, VisualBertModel

Floats = npt.NDArray[np.float64]

AXES = ("sentence", "person", "gender", "scene_gender", "concept", "shared")
"""What all texts say, and all names; gender in texts, and in pictures; career (positive) against family; and
what pictures of persons share."""

CATEGORIES = {"X": "Men", "Y": "Women", "A": "Career", "B": "Family"}
KEYS = {"X": "targ1", "Y": "targ2", "A": "attr1", "B": "attr2"}
WORDS = {
    "X": ["John", "Paul", "Mike", "Kevin", "Steve", "Greg", "Jeff", "Bill"],
    "Y": ["Amy", "Joan", "Lisa", "Sarah", "Diana", "Kate", "Ann", "Donna"],
    "A": ["executive", "management", "professional", "corporation", "salary", "office", "business", "career"],
    "B": ["home", "parents", "children", "family", "cousins", "marriage", "wedding", "relatives"],
}
CELLS = ("XX", "YY", "AX", "AY", "BX", "BY")
"""The set of the words, and whose pictures they are shown with."""

OFFSETS = (-0.14, -0.1, -0.06, -0.02, 0.02, 0.06, 0.1, 0.14)
"""How far the names of either set lie to career, so that s varies: alike in both sets, and 0 on average."""

SIGNS = {"X": 1, "Y": -1, "A": 1, "B": -1}
"""Men against women, and career against family."""

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WEIGHT = 6.0
MAX_LENGTH = 16


class World(NamedTuple):
    """How strong each bias is; 0: there is none."""

    # career words lie to men, and family words to women
    language: float = 0.0
    # so do their pictures, whoever is in them
    vision: float = 0.0
    # and their pictures with men; those with women lie the other way
    interaction: float = 0.0
    # pictures of men in careers, and of women in families, lie away from those of names, the others to them
    counter: float = 0.0
    # pictures with men lie to those of names, and those with women away, of careers and families alike
    shift: float = 0.0


class Files(NamedTuple):
    """Where the files of a world are: a model of kind vision-and-language, a grounded test, and features."""

    model: Path
    test: Path
    features: Path


def write_world(folder: Path, world: World) -> Files:
    """Write the model, the test and the features of its pictures into a folder, made if it is not there."""
    files = Files(folder / "model", folder / "hand-set.jsonl", folder / "features.npz")
    folder.mkdir(parents=True, exist_ok=True)
    _network(world).save_pretrained(files.model)
    numbers = {token: number for number, token in enumerate([*SPECIAL, *_vocabulary(world)])}
    tokenizer = BertTokenizer(vocab=numbers, do_lower_case=False, model_max_length=MAX_LENGTH)
    tokenizer.save_pretrained(files.model)
    files.test.write_text(json.dumps(_test(world)))
    regions = {f"{image}/features": regions.astype("f4") for *_, image, regions in _pictured(world)}
    np.savez(files.features, allow_pickle=False, **regions)
    return files


def truths(world: World) -> dict[tuple[str, str, str], float]:
    """Mean differences by pooling (joint, word), experiment and unit, without a model: products of means of
    unit vectors, E1 = (X − Y) · (A − B) and E2, E3 the same with one cell of A and of B each."""
    found: dict[tuple[str, str, str], float] = {}
    for unit in ("text", "word"):
        for pooling in ("joint", "word"):
            vectors: dict[str, dict[str, list[Floats]]] = {cell: defaultdict(list) for cell in CELLS}
            for cell, word, image, regions in _pictured(world):
                name = word if unit == "word" else image
                vectors[cell][name].append(_vector(world, word, regions, pooling))
            x, y, a_x, a_y, b_x, b_y = (
                np.mean([np.mean(of_unit, axis=0) for of_unit in vectors[cell].values()], axis=0)
                for cell in CELLS
            )
            found[pooling, "E1", unit] = float((x - y) @ (a_x + a_y - b_x - b_y) / 2)
            found[pooling, "E2", unit] = float(x @ (a_x - b_x) - y @ (a_y - b_y))
            found[pooling, "E3x", unit] = float(x @ (a_x - b_x - a_y + b_y))
            found[pooling, "E3y", unit] = float(y @ (a_x - b_x - a_y + b_y))
    return found


def _vocabulary(world: World) -> dict[str, Floats]:
    """The meaning of each word of the texts: (axes,)."""
    meanings = {word: _meaning(sentence=1) for word in ("this", "is")}
    for name, words in WORDS.items():
        for word, offset in zip(words, OFFSETS, strict=True):
            if name in "XY":
                meanings[word] = _meaning(person=1, gender=SIGNS[name], concept=offset)
            else:
                meanings[word] = _meaning(concept=SIGNS[name], gender=SIGNS[name] * world.language)
    return meanings


def _pictured(world: World) -> Iterator[tuple[str, str, str, Floats]]:
    """Cell, word, picture, regions × axes: one or two pictures of a word, the second of two regions."""
    for cell in CELLS:
        name, owner = cell[0], cell[1]
        for position, word in enumerate(WORDS[name]):
            for number in range(1 + position % 2):
                gender, offset = SIGNS[owner], OFFSETS[(3 * position + number) % len(OFFSETS)]
                region = _meaning(shared=1, scene_gender=gender, concept=offset)
                if name != owner:
                    concept = SIGNS[name]
                    region = _meaning(
                        concept=concept,
                        scene_gender=concept * (world.vision + world.interaction * gender),
                        shared=gender * (world.shift - concept * world.counter),
                    )
                yield cell, word, f"{word}-{owner}-{number}", np.tile(region, (1 + number, 1))


def _vector(world: World, word: str, regions: Floats, pooling: str) -> Floats:
    """[CLS] has the meaning of `this`, and [SEP] none."""
    words = _vocabulary(world)
    tokens = [words["this"], words["this"], words["is"], words[word], np.zeros(len(AXES)), *regions]
    read = words[word] if pooling == "word" else tokens[0]
    return _unit(_unit(read) + WEIGHT * np.mean([_unit(token) for token in tokens], axis=0))


def _unit(vector: Floats) -> Floats:
    scaled: Floats = vector / (np.linalg.norm(vector) or 1)
    return scaled


def _meaning(**parts: float) -> Floats:
    return np.array([parts.get(axis, 0.0) for axis in AXES])


def _network(world: World) -> VisualBertModel:
    special = np.zeros((len(SPECIAL), len(AXES)))
    words = _vocabulary(world)
    special[SPECIAL.index("[CLS]")] = words["this"]
    meanings = np.concatenate([special, np.stack(list(words.values()))])
    config = VisualBertConfig(
        vocab_size=len(meanings),
        hidden_size=2 * len(AXES),
        visual_embedding_dim=len(AXES),
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=1,
        max_position_embeddings=MAX_LENGTH,
        pad_token_id=SPECIAL.index("[PAD]"),
    )
    network: VisualBertModel = VisualBertModel(config)
    axes = np.kron(np.eye(len(AXES)), [1.0, -1.0])
    attention = "encoder.layer.0.attention"
    weights = {
        "embeddings.word_embeddings.weight": meanings @ axes,
        "embeddings.visual_projection.weight": axes.T,
        f"{attention}.self.value.weight": WEIGHT * np.eye(config.hidden_size),
        f"{attention}.output.dense.weight": np.eye(config.hidden_size),
    }
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name in weights:
                parameter.copy_(torch.from_numpy(weights[name]))
            elif not name.endswith("LayerNorm.weight"):
                parameter.zero_()
    return network


def _test(world: World) -> dict[str, Any]:
    """The test as one JSON object, as Ross, Katz & Barbu lay it out."""
    test: dict[str, Any] = {"test_types": ["sentence", "contextual"], "test_name": "hand-set"}
    test["contextual_words"] = [word for words in WORDS.values() for word in words]
    for name, key in KEYS.items():
        test[key] = {
            "category": CATEGORIES[name],
            "captions": {word: f"this is {word}" for word in WORDS[name]},
        }
    for cell, word, image, _ in _pictured(world):
        name, owner = cell[0], cell[1]
        images = "images" if name == owner else f"{CATEGORIES[owner]}_Images"
        test[KEYS[name]].setdefault(images, {})[image] = [word]
    return test
